/* The functions of FMI 2.0.4 for model exchange (section 3). */

#define NO_EXCHANGE "this is an instance for co-simulation"

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged,
        nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    struct Instance *it = c;
    if (it->phase != CONTINUOUS) return refuse(it, "fmi2EnterEventMode comes after fmi2EnterContinuousTimeMode");
    it->phase = EVENT;
    return fmi2OK;
}

EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    struct Instance *it = c;
    int moved = 0;
    double next = 0.0;
    if (it->phase != EVENT) return refuse(it, "fmi2NewDiscreteStates comes after fmi2EnterEventMode");
    if (happen(it->unit, &moved, &next) != 0) return refuse(it, it->unit->message);
    memset(info, 0, sizeof *info);
    info->terminateSimulation = ended(it->unit) != NULL;
    info->valuesOfContinuousStatesChanged = moved;
    info->nextEventTimeDefined = isfinite(next) != 0;
    info->nextEventTime = isfinite(next) ? next : 0.0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    struct Instance *it = c;
    if (it->phase != EVENT) return refuse(it, "fmi2EnterContinuousTimeMode comes after fmi2NewDiscreteStates");
    it->phase = CONTINUOUS;
    return fmi2OK;
}

EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean kept, fmi2Boolean *event, fmi2Boolean *ends)
{
    struct Instance *it = c;
    int drifted = 0;
    (void)kept;
    if (it->phase != CONTINUOUS) return refuse(it, "fmi2CompletedIntegratorStep comes after fmi2EnterContinuousTimeMode");
    if (end_step(it->unit, &drifted) != 0) return refuse(it, it->unit->message);
    *event = drifted;
    *ends = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    move_to(it->unit, time);
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real values[], size_t n)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != STATES) return refuse(c, "the number of states is another one");
    put_states(it->unit, values);
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real values[], size_t n)
{
    const struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != STATES) return refuse(c, "the number of states is another one");
    memcpy(values, it->unit->words + Z, STATES * sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real values[], size_t n)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != STATES) return refuse(c, "the number of states is another one");
    if (find_rates(it->unit) != 0) {
        say(it, fmi2Discard, it->unit->message);
        return fmi2Discard;
    }
    memcpy(values, it->unit->words + Z_DOT, STATES * sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real values[], size_t n)
{
    const struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != STATES) return refuse(c, "the number of states is another one");
    memcpy(values, it->unit->words + NOMINALS, STATES * sizeof(double));
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real values[], size_t n)
{
    struct Instance *it = c;
    if (!it->exchanges) return refuse(it, NO_EXCHANGE);
    if (n != EVENT_COUNT) return refuse(c, "the number of event indicators is another one");
    if (indicate(it->unit, values) == 0) return fmi2OK;
    say(it, fmi2Discard, it->unit->message);
    return fmi2Discard;
}
