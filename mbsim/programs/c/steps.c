/* What a unit is told from outside: to go on, and the inputs that hold from then on. */

/* A step of h seconds. `pauses`: whether it ends where events happen, which then wait to be done. */
static int advance(struct Unit *unit, double h, enum pauses pauses)
{
    double *control = numbers(unit, CONTROL);
    double *way = numbers(unit, WAY), *clock = numbers(unit, CLOCK);
    if (!(h > 0.0) || !isfinite(h)) return fail(unit, "a step must be greater than 0", "");
    if (REMEMBERS && tell(unit) != 0) return -1; /* angles are counted from here on */
    if (unit->words[TURNED] && turn(unit) != 0) return -1;
    if (h == control[CONTROL_H]) {
        unit->words[COUNT] += 1;
    } else { /* equal steps are counted from the first one, so that they end where those of a run do */
        control[CONTROL_H] = h;
        control[CONTROL_ANCHOR] = control[CONTROL_TIME];
        unit->words[COUNT] = 1;
    }
#if HAS_EVENTS
    if (EVENT_COUNT) return go_on_to(unit, control[CONTROL_ANCHOR] + (double)unit->words[COUNT] * h, pauses);
#else
    (void)pauses;
#endif
    way[0] = control[CONTROL_TIME];
    way[1] = control[CONTROL_ANCHOR] + (double)unit->words[COUNT] * h;
    memset(clock, 0, CLOCK_SIZE * sizeof(double));
    clock[CLOCK_TIME] = way[0];
    unit->words[STATUS + STATUS_PAUSE] = INT64_MAX;
    unit->words[FRESH_OUTPUTS] = 0;
    if (call_march(unit->words) != 1) {
        control[CONTROL_TIME] = clock[CLOCK_TIME];
        control[CONTROL_H] = 0.0;
        return blame(unit);
    }
    control[CONTROL_TIME] = way[1];
    return REMEMBERS ? tell(unit) : 0;
}

static int give(struct Unit *unit, int input, double value)
{
    if (input < 0 || input >= INPUTS) return fail(unit, "there is no such input", "");
    if (!isfinite(value)) return fail(unit, "an input must be finite", input_names[input]);
    if (*input_of(unit, input) != value) {
        *input_of(unit, input) = value;
        unit->words[TURNED] = 1;
        unit->words[FRESH_RATES] = 0;
#if HAS_EVENTS
        if (EVENT_COUNT) unit->words[BEGINS] = 1;
#endif
    }
    return 0;
}
