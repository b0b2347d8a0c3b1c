/* The functions of FMI 3.0 for model exchange (section 3). */

#define NO_EXCHANGE "this is an instance for co-simulation"

EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c)
{
    struct Instance *it = c;
    if (!it->exchanges || it->phase != EVENT)
        return refuse(it, "fmi3EnterContinuousTimeMode comes after fmi3UpdateDiscreteStates, in model exchange");
    it->phase = CONTINUOUS;
    return fmi3OK;
}

EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean kept, fmi3Boolean *event, fmi3Boolean *ends)
{
    struct Instance *it = c;
    int drifted = 0;
    (void)kept;
    if (it->phase != CONTINUOUS) return refuse(it, "fmi3CompletedIntegratorStep comes after fmi3EnterContinuousTimeMode");
    if (end_step(it->unit, &drifted) != 0) return refuse(it, it->unit->message);
    *event = drifted != 0;
    *ends = false;
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    move_to(it->unit, time);
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 values[], size_t n)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != STATES) return refuse(c, "the number of states is another one");
    put_states(it->unit, values);
    return fmi3OK;
}

static fmi3Status copy_out(fmi3Instance c, int from, double *values, size_t n)
{
    const struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != STATES) return refuse(c, "the number of states is another one");
    memcpy(values, it->unit->words + from, STATES * sizeof(double));
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t n) { return copy_out(c, Z, values, n); }

EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    return copy_out(c, NOMINALS, values, n);
}

EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (find_rates(it->unit) != 0) {
        say(it, fmi3Discard, it->unit->message);
        return fmi3Discard;
    }
    return copy_out(c, Z_DOT, values, n);
}

EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != EVENT_COUNT) return refuse(c, "the number of event indicators is another one");
    if (indicate(it->unit, values) == 0) return fmi3OK;
    say(it, fmi3Discard, it->unit->message);
    return fmi3Discard;
}

EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    const struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    *n = STATES;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n)
{
    const struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    *n = EVENT_COUNT;
    return fmi3OK;
}
