/* What no unit has of FMI 3.0: descriptions say so, and nobody calls these. */

#define NOT_HERE(name)                                                                       \
    EXPORT fmi3Status name(fmi3Instance c) { return refuse(c, "this unit has no " #name); }
NOT_HERE(fmi3EnterConfigurationMode)
NOT_HERE(fmi3ExitConfigurationMode)
NOT_HERE(fmi3EvaluateDiscreteStates)

#define NO_CLOCK(name, first, second)                                                   \
    EXPORT fmi3Status name(fmi3Instance c, References at, size_t n, first, second)      \
    {                                                                                   \
        (void)at, (void)a, (void)b;                                                     \
        return none_of(c, n);                                                           \
    }
NO_CLOCK(fmi3GetIntervalDecimal, fmi3Float64 a[], fmi3IntervalQualifier b[])
NO_CLOCK(fmi3GetShiftFraction, uint64_t a[], uint64_t b[])
NO_CLOCK(fmi3SetIntervalFraction, const uint64_t a[], const uint64_t b[])
NO_CLOCK(fmi3SetShiftFraction, const uint64_t a[], const uint64_t b[])

#define NO_TIMES(name, type)                                                            \
    EXPORT fmi3Status name(fmi3Instance c, References at, size_t n, type values[])      \
    {                                                                                   \
        (void)at, (void)values;                                                         \
        return none_of(c, n);                                                           \
    }
NO_TIMES(fmi3GetShiftDecimal, fmi3Float64)
NO_TIMES(fmi3SetIntervalDecimal, const fmi3Float64)
NO_TIMES(fmi3SetShiftDecimal, const fmi3Float64)

EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance c, References at, size_t n, uint64_t counters[], uint64_t resolutions[],
                                          fmi3IntervalQualifier qualifiers[])
{
    (void)at, (void)counters, (void)resolutions, (void)qualifiers;
    return none_of(c, n);
}

EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference of, size_t *n)
{
    (void)of, (void)n;
    return refuse(c, "dependencies stand in the description");
}

EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference of, size_t elements[], fmi3ValueReference by[],
                                              size_t its[], fmi3DependencyKind kinds[], size_t n)
{
    (void)of, (void)elements, (void)by, (void)its, (void)kinds, (void)n;
    return refuse(c, "dependencies stand in the description");
}

EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, References at, size_t n, const int32_t orders[], fmi3Float64 values[],
                                           size_t size)
{
    (void)at, (void)orders, (void)values, (void)size;
    return n == 0 ? fmi3OK : refuse(c, "this unit gives no derivatives of outputs");
}

EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock, (void)time;
    return refuse(c, "this unit is not for scheduled execution");
}
