/* The functions of FMI 3.0 for model exchange, in a unit that is not for it. */

NOT_HERE(fmi3EnterContinuousTimeMode)

EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean kept, fmi3Boolean *event, fmi3Boolean *ends)
{
    (void)kept, (void)event, (void)ends;
    return refuse(c, "this unit is for co-simulation");
}

EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    (void)time;
    return refuse(c, "this unit is for co-simulation");
}

#define NO_STATES(name, type)                                               \
    EXPORT fmi3Status name(fmi3Instance c, type values[], size_t n)         \
    {                                                                       \
        (void)values, (void)n;                                              \
        return refuse(c, "this unit is for co-simulation");                 \
    }
NO_STATES(fmi3SetContinuousStates, const fmi3Float64)
NO_STATES(fmi3GetContinuousStates, fmi3Float64)
NO_STATES(fmi3GetContinuousStateDerivatives, fmi3Float64)
NO_STATES(fmi3GetEventIndicators, fmi3Float64)
NO_STATES(fmi3GetNominalsOfContinuousStates, fmi3Float64)

#define NO_COUNT(name)                                      \
    EXPORT fmi3Status name(fmi3Instance c, size_t *n)       \
    {                                                       \
        (void)n;                                            \
        return refuse(c, "this unit is for co-simulation"); \
    }
NO_COUNT(fmi3GetNumberOfContinuousStates)
NO_COUNT(fmi3GetNumberOfEventIndicators)
