/* The march by rk4 of equal steps, and the functions of the header. */

static @CALL@ void @S@take(double *s, int source, int target, int count)
{
    for (int i = 0; i < count; i++) s[target + i] = s[source + i];
}

/* Take the state onto its constraints, where it is farther off than is allowed. */
static @CALL@ void @S@onto(double *s)
{
#if HAS_UNIT
    @S@unit_length(s);
    @S@take(s, NEW_Q, Q, N_Q);
#endif
#if HAS_CHECK
    @S@check(s);
    for (int i = 0; i < CORRECTIONS && s[WORST] > 0.0 && s[GUARDS] == 0.0; i++) {
        @S@correct(s);
        @S@take(s, NEW_Q, Q, N_Q);
        @S@check(s);
    }
    if (s[WORST] > 0.0) s[GUARDS] = 1.0;
#endif
#if HAS_SPEEDS
    @S@check_speeds(s);
    if (s[WORST] > 0.0 && s[GUARDS] == 0.0) {
        @S@correct_speeds(s);
        @S@take(s, NEW_SPEEDS, SPEEDS, N_SPEEDS);
    }
#endif
    (void)@S@take;
    (void)s;
}

static @CALL@ void @S@one_step(double *s, double t, double dt, int fresh)
{
    s[T] = t;
    s[H] = dt;
    s[SPAN] = WAY * dt;
    if (!fresh) @S@stage(s);
    @S@half(s);
    s[T] = t + 0.5 * dt;
    @S@stage(s);
    @S@half_again(s);
    @S@stage(s);
    @S@whole(s);
    s[T] = t + dt;
    @S@stage(s);
    @S@end(s);
#if HAS_RENEW
    double turned = s[TURNED];
#endif
    @S@onto(s);
#if HAS_RENEW
    if (turned > LIMIT) { /* the basis of the null space has turned */
        @S@renew(s);
        @S@take(s, NEW_V2, V2, N_V2);
        @S@take(s, NEW_SPEEDS, SPEEDS, N_SPEEDS);
    }
#endif
}

static @CALL@ int @S@fail(@MODEL@_unit *unit, const char *message)
{
    unit->message = message;
    return -1;
}

/* The output row where the unit is. */
static @CALL@ int @S@look(@MODEL@_unit *unit)
{
    if (!unit->fresh) {
        unit->s[T] = unit->time;
        @S@record(unit->s);
        unit->fresh = unit->s[GUARDS] == 0.0;
        unit->s[GUARDS] = 0.0;
        if (!unit->fresh) return @S@fail(unit, "the laws cannot be evaluated with these inputs");
        @S@tell(unit->s);
        if (unit->s[GUARDS] != 0.0) {
            unit->s[GUARDS] = 0.0;
            return @S@fail(unit, "an output cannot be evaluated");
        }
    }
    return 0;
}

void @MODEL@_reset(@MODEL@_unit *unit)
{
    for (int i = 0; i < SLOTS; i++) unit->s[i] = 0.0;
    for (int i = 0; i < BEGUN; i++) unit->s[@S@begun[i].slot] = @S@begun[i].value;
    unit->time = unit->anchor = START;
    unit->step = 0.0;
    unit->count = 0;
    unit->fresh = 0;
    unit->message = "";
}

@CALL@ double @MODEL@_time(const @MODEL@_unit *unit) { return unit->time; }

@CALL@ int @MODEL@_set(@MODEL@_unit *unit, int input, double value)
{
    if (input < 0 || input >= @MODEL@_INPUTS) return @S@fail(unit, "there is no such input");
    if (!isfinite(value)) return @S@fail(unit, "an input must be finite");
    if (unit->s[VARIED + input] != value) {
        unit->s[VARIED + input] = value;
        unit->fresh = 0;
    }
    return 0;
}

@CALL@ double @MODEL@_get(const @MODEL@_unit *unit, int input)
{
    return input < 0 || input >= @MODEL@_INPUTS ? NAN : unit->s[VARIED + input];
}

@CALL@ int @MODEL@_step(@MODEL@_unit *unit, double h)
{
    if (!(h > 0.0) || !isfinite(h)) return @S@fail(unit, "a step must be greater than 0");
    const @MODEL@_unit before = *unit;
    if (h == unit->step) {
        unit->count += 1;
    } else { /* equal steps are counted from the first one, so that they end where those of a run do */
        unit->step = h;
        unit->anchor = unit->time;
        unit->count = 1;
    }
    const double target = unit->anchor + (double)unit->count * h, span = target - unit->time, from = unit->time;
    const double wanted = ceil(span / STEP - 1e-9);
    if (!(wanted < 1e15)) {
        *unit = before;
        return @S@fail(unit, "a step is too long");
    }
    const long long steps = wanted < 1.0 ? 1 : (long long)wanted;
    const double dt = span / (double)steps;
    for (long long i = 0; i < steps && unit->s[GUARDS] == 0.0; i++)
        @S@one_step(unit->s, from + (double)i * dt, dt, i == 0 && unit->fresh);
    unit->time = target;
    unit->fresh = 0;
    if (unit->s[GUARDS] == 0.0 && @S@look(unit) == 0) return 0;
    *unit = before;
    return @S@fail(unit, "the motion comes near a singular position, is unbounded, or the step is too large: plain C does not go on there");
}

@CALL@ double @MODEL@_output(@MODEL@_unit *unit, int output)
{
    return output < 0 || output >= @MODEL@_OUTPUTS || @S@look(unit) != 0 ? NAN : unit->s[OUTPUT + output];
}

@CALL@ const char *@MODEL@_message(const @MODEL@_unit *unit) { return unit->message; }
