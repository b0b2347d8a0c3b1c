/* Stops, contacts and dry friction: what holds after an event, as `mbsim.march.happenings` has it in a run. */

#define TOO_MANY_ROWS "more rows of contacts hold at once than a unit has a system for"
#define TWO_ROWS "what holds of one coordinate is more than one row, which a unit does not know"

static double energy_of(struct Unit *unit, int of_row);
#if HAS_SLOTS
static int meets(struct Unit *unit, int way);
#endif
static int go_on_from_event(struct Unit *unit, double before, int moves, int way, const int *group, int n);

/* The phase of a mechanism as it is, where just those rows of stops hold that do, which it tells as those AFTER; -1: there is none. */
static int phase_of_stops(struct Unit *unit)
{
    for (int i = 0; i < COMERS; i++) unit->words[AFTER + i] = unit->words[(stop_of[i] < 0 ? HOLDS + i : STOP_HOLDS + stop_of[i])] != 0;
#if HAS_SLOTS
    int64_t room[ROOM + 1];
    if (ROW_LINES) find_room(unit, room);
#endif
    for (int k = 0; k < PHASES; k++) {
        int same = 1;
#if HAS_SLOTS
        if (ROW_LINES) same = has_room(k, room);
#endif
        for (int i = 0; i < COMERS && same; i++) {
#if HAS_SLOTS
            if (ROW_LINES && roams[i]) continue;
#endif
            same = holds[k][i] == unit->words[AFTER + i];
        }
        if (same) return k;
    }
    return -1;
}

/* Pass to the phase without closed stops; does nothing in it. */
static int pass_to_base(struct Unit *unit, int k)
{
    const int base = bases[unit->words[PHASE]];
    if (base == unit->words[PHASE]) return 0;
    for (int i = 0; i < COMERS; i++) unit->words[AFTER + i] = stop_of[i] < 0 && unit->words[HOLDS + i];
    return pass_to(unit, base, k);
}

/* Let go what holds, before event k sets or locks: stops push, friction rubs, and neither bears such a jump. */
static int release(struct Unit *unit, int k)
{
    for (int i = 0; i < STOPS; i++) {
        unit->words[STOP_MODE + i] = rubs[i] ? IS_IDLE : IS_OPEN;
        unit->words[STOP_SHARED + i] = 0;
    }
    for (int i = 0; i < DIRECTIONS; i++) numbers(unit, STOP_SLIP)[i] = 0.0;
    memset(unit->words + STOP_HOLDS, 0, DIRECTIONS * sizeof(int64_t));
    if (pass_to_base(unit, k) != 0) return -1;
    call_tell_modes(unit->words);
    return 0;
}

/* Whether stop i slips against the way in which it slipped. */
static int turns_back(const struct Unit *unit, const double *slipped, int i)
{
    double along = 0.0;
    for (int k = first_direction[i]; k < first_direction[i + 1]; k++) along += slipped[k] * number(unit, STOP_SLIP + k);
    return along < 0.0;
}

/* Decide from the output row on what is closed, sticks and slips, after the impacts of what closes. */
static int settle(struct Unit *unit)
{
    const double *row = numbers(unit, ROW), t = number(unit, TIME);
    double before = HAS_ENERGY ? energy_of(unit, 1) : 0.0, force = number(unit, STOP_WATCHED), slipped[DIRECTIONS];
    int64_t was[STOPS], held[DIRECTIONS], code;
    int to, locks = 0;
    memcpy(numbers(unit, EVENT_Q), row, COORDINATES * sizeof(double));
    memcpy(numbers(unit, EVENT_V), row + COORDINATES, SPEEDS * sizeof(double));
    for (int i = 0; i < ROWS; i++) force = fmax(force, fabs(row[COORDINATES + 2 * SPEEDS + i]));
    numbers(unit, STOP_FORCE)[0] = force > 0.0 ? force : FORCE_SIZE;
    for (int k = 0; k < DIRECTIONS; k++) {
        const int64_t its = unit->words[STOP_ROWS + k];
        numbers(unit, STOP_HELD)[k] = its >= 0 ? row[COORDINATES + 2 * SPEEDS + its] : 0.0;
        held[k] = unit->words[STOP_HOLDS + k];
    }
    memcpy(was, unit->words + STOP_MODE, sizeof was);
    memcpy(slipped, numbers(unit, STOP_SLIP), sizeof slipped);
    if (pass_to_base(unit, STOP_EVENT) != 0) return -1;
    code = call_settle(unit->words);
    for (int i = 0; i < STOPS; i++) unit->words[STOP_FIRED + i] = 0;
    if (code != 0) {
        const int64_t blamed = unit->words[STOP_REPORT + STOP_BLAMED];
        return fail(unit, stop_reasons[code > 0 ? code : 0], blamed >= 0 ? stop_names[blamed] : "");
    }
    if ((to = phase_of_stops(unit)) < 0) return fail(unit, ROW_LINES ? TOO_MANY_ROWS : TWO_ROWS, "");
    if (to != unit->words[PHASE] && pass_to(unit, to, STOP_EVENT) != 0) return -1;
    call_tell_modes(unit->words);
    for (int k = 0; k < DIRECTIONS; k++) locks |= unit->words[STOP_HOLDS + k] && !held[k];
#if HAS_SLOTS
    if (ROW_LINES && locks) {
        locks = !meets(unit, happenings[STOP_EVENT].way); /* then it is there */
        if (locks) keep_gaps(unit);
    }
#endif
    if (go_on_from_event(unit, before, locks, happenings[STOP_EVENT].way, (const int[]){STOP_EVENT}, 1) != 0) return -1;
    for (int i = 0; i < STOPS && unit->hear != NULL; i++)
        if (number(unit, STOP_IMPULSES + first_direction[i]) != 0.0) unit->hear(unit->who, t, stop_names[i], "impact");
    for (int i = 0; i < STOPS && unit->hear != NULL; i++)
        if (was[i] != unit->words[STOP_MODE + i] || turns_back(unit, slipped, i))
            unit->hear(unit->who, t, stop_names[i], mode_words[unit->words[STOP_MODE + i]]);
    return 0;
}

/* Whether a friction slips along a coordinate that a stop keeps: it was decided from a speed that the stop has taken away since. */
static int slips_at_a_stop(const struct Unit *unit)
{
    for (int i = 0; i < STOPS; i++) {
        const int64_t brake = unit->words[STOP_BRAKE + i];
        if (unit->words[STOP_MODE + i] == IS_CLOSED && brake >= 0 && unit->words[STOP_MODE + brake] == IS_SLIPPING) return 1;
    }
    return 0;
}

/* Whether a row does not hold at the output row, although that was decided: of redundant rows, which share, and after an input jumped. */
static int pulls(struct Unit *unit)
{
    double most = 0.0;
    int found = 0;
    call_look(unit->words);
    for (int i = 0; i < ROWS; i++) most = fmax(most, fabs(number(unit, ROW + COORDINATES + 2 * SPEEDS + i)));
    for (int i = 0; i < EFFORTS; i++) {
        const double *line = numbers(unit, LINES + efforts[i].event * LINE);
        if (line[EVENT_ACTIVE] == 0.0 || !(number(unit, SEEN + 2 * efforts[i].event) < -EXCEEDS * most)) continue;
        unit->words[STOP_FIRED + efforts[i].stop] |= efforts[i].tells;
        found = 1;
    }
    return found;
}

/* From a state with other laws: decide anew as long as a row does not hold. */
static int settle_again(struct Unit *unit)
{
    for (int i = 0; i < AT_ONCE && (pulls(unit) || slips_at_a_stop(unit)); i++)
        if (settle(unit) != 0) return -1;
    return 0;
}
