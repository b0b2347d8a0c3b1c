/* Model exchange: the states, their rates, and what happens between two steps of the solver outside. */

static int leave_zero(struct Unit *unit);
static int happen_in_event_mode(struct Unit *unit, int *moved);
static double next_top(const struct Unit *unit);

static void move_to(struct Unit *unit, double time)
{
    numbers(unit, CONTROL)[CONTROL_TIME] = time;
    unit->words[TURNED] = 1;
    unit->words[FRESH_RATES] = 0;
}

static void put_states(struct Unit *unit, const double *values)
{
    memcpy(numbers(unit, Z), values, STATES * sizeof(double));
    unit->words[TURNED] = 1;
    unit->words[FRESH_RATES] = 0;
}

static int find_rates(struct Unit *unit)
{
    if (unit->words[FRESH_RATES]) return 0;
    if (call_rates(unit->words) != CODE_OK) return blame(unit);
    for (int i = 0; i < STATE; i++)
        if (!isfinite(number(unit, Z_DOT + i))) return fail(unit, "the rate is not finite", state_names[unit->words[PHASE]][i]);
    unit->words[FRESH_RATES] = 1;
    return 0;
}

/* Put the states onto the constraints. A code below that of success says that the next step begins anew. */
static int project(struct Unit *unit)
{
    if (call_accept(unit->words) > CODE_OK) return blame(unit);
    unit->words[TURNED] = 1;
    unit->words[FRESH_RATES] = 0;
    return 0;
}

/* Whether the constraints would move the states by more than the tolerance. They stay where they are. */
static int has_drifted(struct Unit *unit, int *drifted)
{
    double *z = numbers(unit, Z), *kept = numbers(unit, KEPT), largest = 0.0, beside[BESIDE_SIZE];
    int64_t status[STATUS_SIZE];
    memcpy(kept, z, STATE * sizeof(double));
    memcpy(beside, unit->words + BESIDE, sizeof beside);
    memcpy(status, unit->words + STATUS, sizeof status);
    if (project(unit) != 0) return -1;
    for (int i = 0; i < STATE; i++) largest = fmax(largest, fabs(z[i] - kept[i]) / number(unit, NOMINALS + i));
    memcpy(z, kept, STATE * sizeof(double));
    memcpy(unit->words + BESIDE, beside, sizeof beside);
    memcpy(unit->words + STATUS, status, sizeof status);
    *drifted = largest > number(unit, CONTROL + CONTROL_TOLERANCE);
    return 0;
}

/* After a step of the solver. Angles that count turns do so from step to step. */
static int end_step(struct Unit *unit, int *drifted)
{
    if (REMEMBERS && tell(unit) != 0) return -1;
    if (EVENT_COUNT && leave_zero(unit) != 0) return -1;
    return has_drifted(unit, drifted);
}

/* When the first sample is taken after a time; infinite where there are none. */
static double next_sample(const struct Unit *unit, double time)
{
    double found = INFINITY, near = 2e-12 * fmax(1.0, fabs(time));
    for (int k = 0; k < CLOCKS; k++) {
        double first = number(unit, SAMPLES + k * SAMPLE_COLUMNS + SAMPLE_FIRST);
        double period = number(unit, SAMPLES + k * SAMPLE_COLUMNS + SAMPLE_PERIOD), i = fmax(0.0, floor((time - first) / period) - 1.0);
        while (first + i * period - time <= near) i += 1.0;
        found = fmin(found, first + i * period);
    }
    return found;
}

/* Take the samples that are due and were not taken yet; whether there were any. */
static int take_samples(struct Unit *unit, int *taken)
{
    double *control = numbers(unit, CONTROL), time = control[CONTROL_TIME], near = 2e-12 * fmax(1.0, fabs(time));
    *taken = 0;
    if (time - control[CONTROL_SAMPLED] <= near) return 0;
    for (int k = 0; k < CLOCKS; k++) {
        double *line = numbers(unit, SAMPLES + k * SAMPLE_COLUMNS), i = floor((time - line[SAMPLE_FIRST]) / line[SAMPLE_PERIOD] + 0.5);
        int due = fabs(line[SAMPLE_FIRST] + fmax(0.0, i) * line[SAMPLE_PERIOD] - time) <= near;
        line[SAMPLE_DUE] = due ? (i <= 0.0 ? 2.0 : 1.0) : 0.0;
        *taken |= due;
    }
    if (!*taken) return 0;
    if (tell(unit) != 0) return -1;
    call_sample(unit->words);
    control[CONTROL_SAMPLED] = time;
    unit->words[TURNED] = 1;
    unit->words[FRESH_RATES] = 0;
    return 0;
}

/* What happens at an event: whether states have other values now, and when the next event is. */
static int happen(struct Unit *unit, int *moved, double *next)
{
    int drifted, taken;
    if (has_drifted(unit, &drifted) != 0) return -1;
    if (drifted && project(unit) != 0) return -1;
    if (take_samples(unit, &taken) != 0) return -1;
    *moved = drifted || taken;
    *next = next_sample(unit, number(unit, TIME));
    if (EVENT_COUNT) {
        if (happen_in_event_mode(unit, moved) != 0) return -1;
        *next = fmin(*next, fmin(next_due(unit), next_top(unit)));
    }
    return 0;
}
