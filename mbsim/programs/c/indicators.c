/* Events of model exchange. An indicator is the expression, moved so far that it changes its sign only once the expression is beyond zero. */

/* Every expression at the state that is set. */
static int look_at_state(struct Unit *unit)
{
    if (GLANCES) call_glance(unit->words);
    if (!GLANCES) {
        if (unit->words[TURNED] && turn(unit) != 0) return -1;
        call_look(unit->words);
    }
    for (int k = 0; k < EVENT_COUNT; k++)
        if (line_of(unit, k)[EVENT_ACTIVE] != 0.0 && !isfinite(number(unit, SEEN + 2 * k)))
            return fail(unit, "an expression is not finite", happenings[k].name);
    return 0;
}

/* How far states may be off where gaps are as exact as the kernel takes them, whose bounds grow with what is beyond that, to so many times. */
#define OFF_AT_MOST 1e-6
#define WIDEST_BOUNDS 1e3
#define HALF 0.5
#define MUCH 4.0
#define TWICE 2.0 /* so deep may be what the kernel counts as beyond a stop */

static double least(struct Unit *unit, int k) { return fmax(NOISE * line_of(unit, k)[EVENT_LARGEST], NONE); }

/* An expression of a stop is on the side of what the stop does, however far drift has led it beyond zero. A gap closes where it is no deeper
   than it was: a solver may step over a short flight, and would come to twice the depth with each of them. So it stops at its top, too. */
static void settle_stop_side(struct Unit *unit, int k, double value)
{
    double *rising = numbers(unit, RISING) + k;
    const double t = number(unit, TIME), speed = number(unit, SEEN + 2 * k + 2), slows = -number(unit, SEEN + 2 * k + 3);
    const int flies = happenings[k].tells == TELLS_GAP && line_of(unit, k)[EVENT_ACTIVE] != 0.0 && (unit->words[JUST + k] || *rising > t);
    *rising = flies && speed > 0.0 && slows > 0.0 ? t + speed / slows : -INFINITY; /* behind the event of a gap is that of its speed */
    const int slides = happenings[k].tells == TELLS_SLIDE, last = first_direction[happenings[k].stop + 1] - 1;
    line_of(unit, k)[EVENT_SIDE] = slides && number(unit, STOP_SLIP + last) < 0.0 ? -1.0 : 1.0;
    const int gap = happenings[k].tells == TELLS_GAP, stays = unit->words[JUST + k] && unit->words[STOP_MODE + happenings[k].stop] == IS_OPEN;
    /* one that stays open at its event does so whatever the solver makes of its next steps, which would end at once, again and again */
    const double times = !gap ? TWICE : stays ? MUCH : 1.0;
    if (line_of(unit, k)[EVENT_SIDE] * value < 0.0) numbers(unit, MARGINS)[k] += times * fabs(value);
    if (isfinite(*rising)) numbers(unit, MARGINS)[k] = fmax(-value, NONE); /* a low flight would gain speed on its way to a greater depth */
}

/* How many times wider than in a run the bounds are by which gaps are judged: an importer need not tell the tolerance of its solver, so it
   is seen, too, how deep the solver has come. */
static double width_of_bounds(const struct Unit *unit, double off)
{
    double wide = fmax(1.0, off / OFF_AT_MOST);
    for (int k = 0; k < EVENT_COUNT; k++) {
        const int i = happenings[k].stop;
        if (i < 0 || happenings[k].tells != TELLS_GAP) continue;
        const double depth = -number(unit, SEEN + 2 * k) / stop_near[i];
        if (depth <= DEEPEST * WIDEST_BOUNDS) /* else it is elsewhere, or too deep */
            wide = fmax(wide, TWICE * depth / DEEPEST);
    }
    return fmin(wide, WIDEST_BOUNDS);
}

/* Whether a gap has just opened and grows. */
static int rises(const struct Unit *unit, int k) { return number(unit, RISING + k) > number(unit, TIME) + same_time(number(unit, TIME)); }

/* When the first of these gaps is as wide as it becomes; infinite where there is none. */
static double next_top(const struct Unit *unit)
{
    double found = INFINITY;
    for (int k = 0; k < EVENT_COUNT; k++)
        if (rises(unit, k)) found = fmin(found, number(unit, RISING + k));
    return found;
}

/* On which side of zero all expressions are: one that has just happened is where it leads. */
static int settle_sides(struct Unit *unit)
{
    if (unit->words[TURNED] && turn(unit) != 0) return -1;
    call_look(unit->words);
    for (int k = 0; k < EVENT_COUNT; k++) {
        double *line = line_of(unit, k), value = number(unit, SEEN + 2 * k), rate = number(unit, SEEN + 2 * k + 1);
        double side = number(unit, SIDES + k), led = rate;
        if (line[EVENT_ACTIVE] != 0.0 && !isfinite(value)) return fail(unit, "an expression is not finite", happenings[k].name);
        line[EVENT_LARGEST] = fmax(line[EVENT_LARGEST], fabs(value));
        numbers(unit, MARGINS)[k] = least(unit, k);
        if (happenings[k].stop >= 0) {
            settle_stop_side(unit, k, value);
            line[EVENT_LAST_VALUE] = value;
            continue;
        }
        if (unit->words[JUST + k] && fabs(value) <= fmax(2.0 * number(unit, SIZES + k), TOGETHER * fabs(rate))) {
            if (SAMPLED && rate == 0.0 && fabs(value) > JUMPED * fabs(line[EVENT_LAST_VALUE])) led = value;
            line[EVENT_SIDE] = led == 0.0 || led * side > 0.0 ? side : -side;
            numbers(unit, MARGINS)[k] += 2.0 * fabs(value);
        } else {
            line[EVENT_SIDE] = value > 0.0 || (value == 0.0 && rate > 0.0) ? 1.0 : -1.0;
        }
        line[EVENT_LAST_VALUE] = value;
    }
    unit->words[KNOWN] = 1;
    return 0;
}

static int know_sides(struct Unit *unit)
{
    if (unit->words[KNOWN]) return 0;
    forget_just(unit);
    return settle_sides(unit);
}

static int indicate(struct Unit *unit, double *indicators)
{
    if (know_sides(unit) != 0 || look_at_state(unit) != 0) return -1;
    for (int k = 0; k < EVENT_COUNT; k++) {
        const double *line = line_of(unit, k);
        indicators[k] = line[EVENT_ACTIVE] != 0.0 && !rises(unit, k) ? number(unit, SEEN + 2 * k) + line[EVENT_SIDE] * number(unit, MARGINS + k) : 1.0;
    }
    return 0;
}

/* After a step of the solver: expressions that have left zero are watched as closely as they can be. */
static int leave_zero(struct Unit *unit)
{
    if (know_sides(unit) != 0 || look_at_state(unit) != 0) return -1;
    for (int k = 0; k < EVENT_COUNT; k++) {
        double *line = line_of(unit, k), value = number(unit, SEEN + 2 * k), margin = number(unit, MARGINS + k);
        line[EVENT_LARGEST] = fmax(line[EVENT_LARGEST], fabs(value));
        line[EVENT_LAST_VALUE] = value;
        if (line[EVENT_SIDE] * value > margin) numbers(unit, MARGINS)[k] = fmin(margin, least(unit, k));
    }
    return 0;
}

/* Do what the events do whose expressions are beyond zero, and delayed actions; whether the states were moved. */
static int happen_in_event_mode(struct Unit *unit, int *moved)
{
    int which[EVENT_COUNT + DUES_MOST], n = 0;
    double t = number(unit, TIME);
    if (unit->words[ENDED_BY]) return 0;
    if (know_sides(unit) != 0 || look_at_state(unit) != 0) return -1;
    forget_just(unit);
    if (STOPS && unit->words[BEGINS]) { /* an input may have jumped: a row may not hold any more */
        unit->words[BEGINS] = 0;
        if (unit->words[TURNED] && turn(unit) != 0) return -1;
        if (pulls(unit)) {
            if (settle_again(unit) != 0 || settle_sides(unit) != 0 || look_at_state(unit) != 0) return -1;
            *moved = 1;
        }
    }
    for (int k = 0; k < EVENT_COUNT; k++) {
        double *line = line_of(unit, k), side = line[EVENT_SIDE];
        const double left = side * number(unit, SEEN + 2 * k) + number(unit, MARGINS + k);
        /* where the solver has found a zero, what is left is round-off of either sign: an event that were left out would be lost */
        if (line[EVENT_ACTIVE] == 0.0 || rises(unit, k) || left > HALF * least(unit, k)) continue;
        numbers(unit, SIDES)[k] = side;
        if (side * happenings[k].sense > 0.0) { /* it crosses zero the other way */
            line[EVENT_SIDE] = -side;
            numbers(unit, MARGINS)[k] = least(unit, k);
            continue;
        }
        unit->words[JUST + k] = 1;
        which[n++] = k;
    }
    if (FIRST_EVENT && n > 0 && which[0] == 0) {
        tell_of(unit, 0, t);
        unit->words[ENDED_BY] = 1;
        return 0;
    }
    int happens = n > 0, changes = 0;
    if ((n = due_now(unit, which, n, which)) < 0) return -1;
    int due = take_due(unit, t, which + n);
    n += due;
    if (!happens && !due) return 0;
    for (int i = 0; i < n; i++) changes |= happenings[which[i]].way >= 0;
    /* what rebounds with a speed that the solver does not resolve would do so again and again */
    const double off = number(unit, CONTROL + CONTROL_TOLERANCE), wide = width_of_bounds(unit, off);
    for (int i = 0; i < STOPS; i++) {
        numbers(unit, STOP_CLOSING)[i] = fmax(number(unit, STOP_CLOSING + i), off);
        numbers(unit, STOP_NEAR)[i] = stop_near[i] * wide; /* nor does it resolve such gaps */
    }
    if (changes && project(unit) != 0) return -1;
    if (unit->words[TURNED] && turn(unit) != 0) return -1;
    *moved |= changes;
    if (act(unit, which, n) < 0) return -1;
    return unit->words[ENDED_BY] ? 0 : settle_sides(unit);
}
