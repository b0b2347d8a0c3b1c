/* Events: where they happen in a step, and what they do, as `mbsim.march.happenings` has it in a run. */

#if HAS_EVENTS
static double *line_of(struct Unit *unit, int k) { return numbers(unit, LINES + k * LINE); }
static double same_time(double t) { return SAME_TIME * fmax(1.0, fabs(t)); }
static const char *ended(const struct Unit *unit) { return EVENT_COUNT && unit->words[ENDED_BY] ? happenings[unit->words[ENDED_BY] - 1].name : NULL; }

static void tell_of(struct Unit *unit, int k, double t)
{
    unit->words[COUNTS + k] += 1;
    unit->words[FRESH_OUTPUTS] = 0;
    if (unit->hear != NULL) unit->hear(unit->who, t, happenings[k].name, happenings[k].word);
}

/* Fails where events follow each other in ever shorter times, as `mbsim.march.happened.Last` does. `bounded`: they see to it themselves. */
static int look_for_crowds(struct Unit *unit, int k, double t, int bounded)
{
    double *last = numbers(unit, CROWD_TIME), *before = numbers(unit, CROWD_INTERVAL), *longest = numbers(unit, CROWD_LONGEST);
    const double interval = t - *last;
    const int again = interval <= 0.0 && unit->words[CROWD_EVENT] == k, beside = interval <= 0.0 && !again;
    unit->words[CROWD] = interval < CROWDED * SPAN ? unit->words[CROWD] + 1 : 0;
    *last = t;
    unit->words[CROWD_EVENT] = k;
    if (!beside) { /* of several events at one time the first one counts */
        const int shrinks = isfinite(*before) && interval < *before && interval > ABRUPT * *before;
        const int goes_on = shrinks || (again && unit->words[CROWD_SHORTER] > 0);
        unit->words[CROWD_SHORTER] = goes_on ? unit->words[CROWD_SHORTER] + 1 : 0;
        if (!goes_on) *longest = interval;
        *before = interval;
        if (!bounded && unit->words[CROWD_SHORTER] >= SHORTER && interval < VANISHES * *longest)
            return fail(unit, "events follow each other in ever shorter times; they come to an end there, and what they set leads no further",
                        happenings[k].name);
    }
    if (unit->words[CROWD] < CROWD_END) return 0;
    return fail(unit, "events follow each other without end; what they set does not lead away from where they happen", happenings[k].name);
}

/* When the next delayed action is due; infinite where none waits. */
static double next_due(const struct Unit *unit)
{
    double found = INFINITY;
    for (int i = 0; i < unit->words[DUES]; i++) found = fmin(found, number(unit, DUE + 2 * i));
    return found;
}

/* Take the delayed actions that are due at a time, in their order; how many there are. */
static int take_due(struct Unit *unit, double t, int *which)
{
    double *due = numbers(unit, DUE);
    int found = 0;
    for (;;) {
        int first = -1, last = (int)unit->words[DUES] - 1;
        for (int i = 0; i <= last; i++) {
            if (due[2 * i] > t + same_time(t)) continue;
            if (first < 0 || due[2 * i] < due[2 * first] || (due[2 * i] == due[2 * first] && due[2 * i + 1] < due[2 * first + 1])) first = i;
        }
        if (first < 0) return found;
        which[found++] = (int)due[2 * first + 1];
        due[2 * first] = due[2 * last], due[2 * first + 1] = due[2 * last + 1];
        unit->words[DUES] = last;
    }
}

/* Of events that have happened those that act at once; the others wait. How many, or -1. */
static int due_now(struct Unit *unit, const int *which, int n, int *acting)
{
    double *due = numbers(unit, DUE), t = number(unit, TIME);
    int found = 0;
    for (int i = 0; i < n; i++) {
        int k = which[i];
        if (happenings[k].once) line_of(unit, k)[EVENT_ACTIVE] = 0.0;
        if (happenings[k].after == 0.0) {
            acting[found++] = k;
            continue;
        }
        int waits = (int)unit->words[DUES];
        if (waits == DUES_MOST) return fail(unit, "too many delayed actions wait", happenings[k].name);
        due[2 * waits] = t + happenings[k].after, due[2 * waits + 1] = k;
        unit->words[DUES] += 1;
    }
    return found;
}

/* The energy that balances, less the work. */
static double energy_of(struct Unit *unit, int of_row)
{
    if (of_row)
        call_energy_of_row(unit->words);
    else
        call_energy_of_state(unit->words);
    return number(unit, ENERGY + 2);
}

/* Fails with the names of n events. */
static int fail_of(struct Unit *unit, const char *why, const int *group, int n)
{
    char names[512] = "";
    for (int i = 0; i < n; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", happenings[group[i]].name);
    }
    return fail(unit, why, names);
}

#define CONTRADICTS "what an event sets or locks contradicts the constraints"

/* The coordinates that are being made, on the constraints. */
static int onto_positions(struct Unit *unit, int way, const int *group, int n)
{
    int64_t (*const meet)(int64_t *) = meets_positions[unit->words[PHASE]][way];
    return meet != NULL && meet(unit->words) != 0 ? fail_of(unit, CONTRADICTS, group, n) : 0;
}

#if HAS_SLOTS
/* Whether the coordinates that are being made come onto the constraints; else they are as before. */
static int meets(struct Unit *unit, int way)
{
    int64_t (*const meet)(int64_t *) = meets_positions[unit->words[PHASE]][way];
    double q[COORDINATES];
    memcpy(q, unit->words + EVENT_Q, sizeof q);
    if (meet == NULL || meet(unit->words) == 0) return 1;
    memcpy(unit->words + EVENT_Q, q, sizeof q);
    return 0;
}
#endif

/* Go on from (EVENT_Q, EVENT_V) after n events, with the output row there. `before`: the energy (J) before them; `moves`: positions, too. */
static int go_on_from_event(struct Unit *unit, double before, int moves, int way, const int *group, int n)
{
    const double *q = numbers(unit, EVENT_Q);
    if (moves && onto_positions(unit, way, group, n) != 0) return -1;
    int64_t (*const meet)(int64_t *) = meets_speeds[unit->words[PHASE]][way];
    if (meet != NULL && meet(unit->words) != 0) return fail_of(unit, CONTRADICTS, group, n);
    for (size_t i = 0; i < COUNT_OF(begun); i++)
        if (begun[i].phase == unit->words[PHASE]) memcpy(unit->words + begun[i].place, unit->words + begun[i].copy, begun[i].count * sizeof(int64_t));
    for (int i = 0; i < STATUSES; i++)
        if (i != STATUS_PAUSE) unit->words[STATUS + i] = 0;
    numbers(unit, BESIDE_AT)[0] = NAN;
    memcpy(numbers(unit, Z) + SPEEDS, q, COORDINATES * sizeof(double));
    if (call_start(unit->words) != CODE_OK) return blame(unit);
    if (HAS_ENERGY) numbers(unit, Z)[STATE - 1] += energy_of(unit, 0) - before;
    if (call_expand(unit->words) != 0) return blame(unit);
    for (int i = 0; i < WIDTH; i++)
        if (!isfinite(number(unit, ROW + i))) return fail(unit, "what an event sets leads to a state that cannot be evaluated", happenings[group[0]].name);
    unit->words[FRESH_OUTPUTS] = unit->words[FRESH_RATES] = unit->words[TURNED] = 0;
    return 0;
}

/* Whether an event changes anything: one that would lock what holds, and unlock what does not, does not. */
static int changes(const struct Unit *unit, int k)
{
#if HAS_PHASES
    if (COMERS && doors[k].opens_and_closes_alone && leads[unit->words[PHASE]][k] == unit->words[PHASE]) return 0;
#else
    (void)unit;
#endif
    return happenings[k].way >= 0;
}

static int is_in(const int *which, int n, int k)
{
    for (int i = 0; i < n; i++)
        if (which[i] == k) return 1;
    return 0;
}

#define TWO_VALUES "events at one time give one thing different values"
#define TWO_WAYS "of events at one time one locks what another unlocks"
#define MANY_WAYS "more events at one time set different coordinates than this unit knows how to bring onto the constraints together"

/* Whether two assignments give one thing different values, but for round-off. */
static int disagree(struct Unit *unit, int i, int j)
{
    const double a = number(unit, VALUES + assignments[i].value), b = number(unit, VALUES + assignments[j].value);
    if (assignments[i].kind != assignments[j].kind || assignments[i].place != assignments[j].place) return 0;
    return fabs(a - b) > SAME_VALUE * fmax(fabs(a), fabs(b));
}

#if HAS_PHASES
/* Go to the phase where n events lead. */
static int go_through(struct Unit *unit, int way, const int *group, int n)
{
    const int from = (int)unit->words[PHASE];
    int to = from, locks = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            if (leads[leads[from][group[i]]][group[j]] != leads[leads[from][group[j]]][group[i]])
                return fail_of(unit, TWO_WAYS, (const int[]){group[j], group[i]}, 2);
        to = leads[to][group[i]];
        locks |= doors[group[i]].locks;
    }
    /* what holds is met to round-off before more is locked: else rows that say the same would contradict each other */
    if (locks && onto_positions(unit, way, group, n) != 0) return -1;
    expect(unit, to);
    return to != from ? pass_to(unit, to, group[0]) : 0;
}
#endif

/* What n events that act together set and switch, lock and unlock, and the state on the constraints after it, with its output row. */
static int change(struct Unit *unit, const int *group, int n)
{
    double *row = numbers(unit, ROW), *q = numbers(unit, EVENT_Q), *v = numbers(unit, EVENT_V), before = 0.0;
    const int first = group[0];
    int way = happenings[first].way;
    for (int i = 1; i < n && way >= 0; i++) way = both[way][happenings[group[i]].way];
    if (way < 0) return fail_of(unit, MANY_WAYS, group, n);
    for (int i = 0; i < VALUE_ROWS; i++) numbers(unit, VALUE_MEMORY)[i * VALUE_COLUMNS + LAST_TIME] = NAN;
    spread(unit);
    call_values(unit->words);
    if (HAS_ENERGY) before = energy_of(unit, 1);
    memcpy(q, row, COORDINATES * sizeof(double));
    memcpy(v, row + COORDINATES, SPEEDS * sizeof(double));
#if HAS_STOPS
    for (int i = 0; i < n && STOPS; i++)
        if (happenings[group[i]].releases) {
            if (release(unit, group[i]) != 0) return -1;
            break;
        }
#endif
    for (int i = 0; i < ASSIGNMENTS; i++) {
        const int k = assignments[i].event;
        if (!is_in(group, n, k)) continue;
        double value = number(unit, VALUES + assignments[i].value);
        if (!isfinite(value)) return fail(unit, "a value that is set is not finite", happenings[k].name);
        for (int j = 0; j < i; j++)
            if (is_in(group, n, assignments[j].event) && disagree(unit, i, j))
                return fail_of(unit, TWO_VALUES, (const int[]){assignments[j].event, k}, 2);
        if (assignments[i].kind == IS_PARAMETER)
            numbers(unit, PARAMETERS)[assignments[i].place] = value;
        else
            (assignments[i].kind == IS_SPEED ? v : q)[assignments[i].place] = value;
    }
#if HAS_PHASES
    if (COMERS && go_through(unit, way, group, n) != 0) return -1;
#endif
#if HAS_STOPS
    if (STOPS) call_tell_modes(unit->words);
#endif
    return go_on_from_event(unit, before, 1, way, group, n);
}

/* The events whose expressions a change of state carries over zero, besides those of a group: how many. The stop expression ends the motion. */
static int carried(struct Unit *unit, const int *group, int n, int *which)
{
    double before[EVENT_COUNT];
    const double *seen = numbers(unit, SEEN);
    int found = 0;
    call_look_before(unit->words);
    for (int j = 0; j < EVENT_COUNT; j++) before[j] = seen[2 * j];
    call_look(unit->words);
    if (FIRST_EVENT && before[0] * seen[0] < 0.0) {
        tell_of(unit, 0, number(unit, TIME));
        unit->words[ENDED_BY] = 1;
    }
    for (int j = FIRST_EVENT; j < EVENT_COUNT; j++) {
        double a = before[j], b = seen[2 * j];
        int over = (a < 0.0 && b > 0.0 && happenings[j].sense >= 0.0) || (b < 0.0 && a > 0.0 && happenings[j].sense <= 0.0);
        if (!over || is_in(group, n, j) || happenings[j].stop >= 0 || line_of(unit, j)[EVENT_ACTIVE] == 0.0) continue;
        if (fabs(b) <= NOISE * line_of(unit, j)[EVENT_LARGEST]) continue; /* zero but for round-off */
        which[found++] = j;
    }
    return found;
}

/* Do what n events do together, and what these make happen. Whether the state or a law is another one then; -1 where it cannot be done. */
static int act(struct Unit *unit, int *waiting, int n)
{
    double *row = numbers(unit, ROW), *sizes = numbers(unit, SIZES);
    int rounds = 0, moved = 0, unsettled = 0, bounded = 1, kept = 0;
    for (int i = 0; i < n; i++) bounded &= happenings[waiting[i]].stop >= 0;
    if (n > 0 && look_for_crowds(unit, waiting[0], number(unit, TIME), bounded) != 0) return -1;
    call_look(unit->words);
    for (int k = 0; k < EVENT_COUNT; k++) sizes[k] = fabs(number(unit, SEEN + 2 * k));
    for (int i = 0; i < n; i++) {
#if HAS_STOPS
        const int k = waiting[i];
        if (happenings[k].stop >= 0) unit->words[STOP_FIRED + happenings[k].stop] |= happenings[k].tells, unsettled = 1;
#endif
        if (happenings[waiting[i]].stop < 0) waiting[kept++] = waiting[i];
    }
    n = kept;
    while (n > 0 || (unsettled && !unit->words[ENDED_BY])) {
        int group[EVENT_COUNT + DUES_MOST], which[EVENT_COUNT], acting = 0;
        if (++rounds > AT_ONCE) return fail(unit, "too many events at one time make each other happen", n > 0 ? happenings[waiting[0]].name : "stops");
        memcpy(numbers(unit, ROW_BEFORE), row, WIDTH * sizeof(double));
        for (int i = 0; i < n; i++)
            if (changes(unit, waiting[i])) group[acting++] = waiting[i];
        if (acting > 0) {
            if (change(unit, group, acting) != 0) return -1;
            unsettled |= STOPS > 0;
        }
#if HAS_STOPS
        if (STOPS && n == 0) {
            if (settle(unit) != 0) return -1;
            unsettled = pulls(unit) || slips_at_a_stop(unit);
            acting = 1;
        }
#endif
        for (int i = 0; i < n; i++) {
            tell_of(unit, waiting[i], number(unit, TIME));
            if (happenings[waiting[i]].stops) unit->words[ENDED_BY] = 1 + waiting[i];
        }
        moved |= acting > 0;
        if (unit->words[ENDED_BY]) break;
        if (acting == 0) n = 0;
        else if ((n = due_now(unit, which, carried(unit, waiting, n, which), which)) < 0) return -1;
        memcpy(waiting, which, (size_t)n * sizeof(int));
    }
    unit->words[STATUS + STATUS_CHANGED] = 1;
    return moved;
}

static void forget_just(struct Unit *unit)
{
    for (int k = 0; k < EVENT_COUNT; k++) unit->words[JUST + k] = 0, numbers(unit, SIDES)[k] = 0.0;
}

/* Look for events from the output row on. */
static int begin_events(struct Unit *unit)
{
    int64_t bad = call_begin_events(unit->words);
    numbers(unit, JUST_TIME)[0] = number(unit, TIME);
    unit->words[BEGINS] = 0;
#if HAS_STOPS
    if (STOPS) {
        call_set_sides(unit->words);
        unit->words[STATUS + STATUS_CHANGED] = 1;
    }
#endif
    return bad > 0 ? fail(unit, "an expression is not finite", happenings[bad - 1].name) : 0;
}

/* What events do that the march has reached, or delayed actions that are due; it goes on from there. */
static int happen_now(struct Unit *unit)
{
    int which[EVENT_COUNT + DUES_MOST], n = 0, moved;
    int64_t crossed = unit->words[PENDING] == AT_CROSSING;
    if (unit->words[TURNED] && turn(unit) != 0) return -1; /* inputs that were given at this time */
    if (REMEMBERS && tell(unit) != 0) return -1;
    unit->words[PENDING] = 0;
    forget_just(unit);
    if (crossed) {
        begin_anew(unit, 1);
        for (int k = 0; k < EVENT_COUNT; k++) {
            numbers(unit, SIDES)[k] = line_of(unit, k)[EVENT_SIDE];
            if (line_of(unit, k)[EVENT_HAPPENS] == 0.0) continue;
            unit->words[JUST + k] = 1;
            which[n++] = k;
        }
        if (FIRST_EVENT && n > 0 && which[0] == 0) {
            tell_of(unit, 0, number(unit, TIME));
            unit->words[ENDED_BY] = 1;
            return 0;
        }
        n = due_now(unit, which, n, which);
    } else {
        n = take_due(unit, number(unit, TIME), which);
    }
    if (n < 0 || (moved = act(unit, which, n)) < 0) return -1;
    if (moved) begin_anew(unit, 0);
    if (!unit->words[ENDED_BY] && begin_events(unit) != 0) return -1;
    return REMEMBERS ? tell(unit) : 0;
}

/* Count the events that act on nothing, which the march has noted. */
static int take_notes(struct Unit *unit)
{
    double *noted = numbers(unit, WORK_EVENT + EVENT_NOTED);
    for (int i = 0; i < (int)*noted; i++) {
        const double *note = numbers(unit, NOTES + i * NOTE);
        if (look_for_crowds(unit, (int)note[NOTE_EVENT], note[NOTE_TIME], 0) != 0) return -1;
        tell_of(unit, (int)note[NOTE_EVENT], note[NOTE_TIME]);
    }
    *noted = 0.0;
    return 0;
}

/* March to a time, or to events before it that act. */
static int march_to(struct Unit *unit, double target)
{
    double *control = numbers(unit, CONTROL), *way = numbers(unit, WAY), *clock = numbers(unit, CLOCK);
    way[0] = control[CONTROL_TIME];
    way[1] = target;
    memset(clock, 0, CLOCK_SIZE * sizeof(double));
    clock[CLOCK_TIME] = way[0];
    unit->words[FRESH_OUTPUTS] = 0;
    for (;;) {
        unit->words[STATUS + STATUS_PAUSE] = INT64_MAX;
        int64_t filled = call_march(unit->words), code = unit->words[STATUS + STATUS_CODE];
        double noted = number(unit, WORK_EVENT + EVENT_NOTED);
        control[CONTROL_TIME] = filled == 1 ? target : clock[CLOCK_TIME];
        if (take_notes(unit) != 0) return -1;
        if (filled == 1) return 0;
        if (code == CODE_PAUSED && noted > 0.0) continue; /* there was no room for more notes */
        if (code == CODE_STOPPED && number(unit, WORK_EVENT + EVENT_TARGET) == control[CONTROL_TIME]) {
            memcpy(unit->words + ROW, unit->words + WORK_ROW, WIDTH * sizeof(int64_t));
            unit->words[PENDING] = AT_CROSSING;
            return 0;
        }
        control[CONTROL_H] = 0.0;
        return blame(unit);
    }
}

static int go_on_to(struct Unit *unit, double target, enum pauses pauses)
{
    double *control = numbers(unit, CONTROL);
    if (unit->words[ENDED_BY]) return fail(unit, "the motion has ended", happenings[unit->words[ENDED_BY] - 1].name);
    if (unit->words[PENDING] && happen_now(unit) != 0) return -1;
    if (unit->words[BEGINS]) {
        if (control[CONTROL_TIME] != number(unit, JUST_TIME)) forget_just(unit);
#if HAS_STOPS
        if (STOPS && settle_again(unit) != 0) return -1;
#endif
        if (begin_events(unit) != 0) return -1;
    }
    while (!unit->words[ENDED_BY]) {
        double due = next_due(unit), end = due < target - same_time(due) ? fmax(due, control[CONTROL_TIME]) : target;
        if (control[CONTROL_TIME] < end && march_to(unit, end) != 0) return -1;
        if (!unit->words[PENDING] && next_due(unit) <= control[CONTROL_TIME] + same_time(control[CONTROL_TIME])) unit->words[PENDING] = AT_DUE;
        if (!unit->words[PENDING]) break;
        if (pauses == AT_EVENTS || (pauses == AT_THE_END && control[CONTROL_TIME] >= target)) break;
        if (happen_now(unit) != 0) return -1;
    }
    if (control[CONTROL_TIME] < target) control[CONTROL_H] = 0.0;
    return REMEMBERS ? tell(unit) : 0;
}
#else
static const char *ended(const struct Unit *unit)
{
    (void)unit;
    return NULL;
}
#endif
