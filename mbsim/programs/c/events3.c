/* Event mode of FMI 3.0 (sections 3.2.2 and 4.2.1), of model exchange and of co-simulation. */

EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    struct Instance *it = c;
    if (it->exchanges ? it->phase != CONTINUOUS : it->phase != STEPPING || it->pauses == NEVER)
        return refuse(it, "fmi3EnterEventMode comes after fmi3EnterContinuousTimeMode, or where event mode is used in co-simulation");
    it->phase = EVENT;
    return fmi3OK;
}

EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *stops, fmi3Boolean *nominals,
                                           fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next)
{
    struct Instance *it = c;
    int moved = 0;
    double time = INFINITY;
    if (it->phase != EVENT) return refuse(it, "fmi3UpdateDiscreteStates comes after fmi3EnterEventMode");
    if (it->exchanges && happen(it->unit, &moved, &time) != 0) return refuse(it, it->unit->message);
    if (!it->exchanges && waits(it->unit)) {
        if (happen_now(it->unit) != 0) return refuse(it, it->unit->message);
        moved = 1;
    }
    *again = *nominals = false;
    *stops = ended(it->unit) != NULL;
    *values = moved != 0;
    *has_next = isfinite(time) != 0;
    *next = *has_next ? time : 0.0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    struct Instance *it = c;
    if (it->exchanges || it->phase != EVENT) return refuse(it, "fmi3EnterStepMode comes after fmi3UpdateDiscreteStates, in co-simulation");
    it->phase = STEPPING;
    return fmi3OK;
}
