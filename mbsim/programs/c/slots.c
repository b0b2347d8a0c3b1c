/* The rows of contacts of a phase: which row stands in which of its places (`mbsim.programs.slots`). */

/* The room that the rows of contacts need which hold after the event. */
static void find_room(const struct Unit *unit, int64_t *room)
{
    memset(room, 0, ROOM * sizeof *room);
    for (int i = 0; i < COMERS; i++)
        for (int j = 0; j < ROOM && unit->words[AFTER + i]; j++) room[j] += takes[i][j];
}

/* Whether a phase has just this room. */
static int has_room(int phase, const int64_t *room)
{
    for (int j = 0; j < ROOM; j++)
        if (room[j] != rooms[phase][j]) return 0;
    return 1;
}

/* The tables of the frictions that reactions load. */
static void load_frictions(struct Unit *unit)
{
    int place = 0, group = 0, component = 0;
    memset(unit->words + COMPONENTS, 0, (size_t)(COMPONENT_COUNT * ROWS) * sizeof(int64_t));
    for (int f = 0; f < FRICTIONS; f++) {
        const int there = frictions[f].comer < 0 || unit->words[HOLDS + frictions[f].comer];
        unit->words[LOADED + frictions[f].stop] = there ? place : -1;
        if (!there) continue;
        double *line = numbers(unit, SLIPPINGS + place++ * SLIPPING);
        line[0] = -1.0, line[1] = line[2] = 0.0, line[3] = group, line[4] = frictions[f].groups;
        for (int g = frictions[f].group; g < frictions[f].group + frictions[f].groups; g++) {
            double *its = numbers(unit, LOAD_GROUPS + group++ * GROUP);
            for (int i = 0; i < GROUP; i++) its[i] = 0.0;
            its[0] = component, its[1] = friction_groups[g].components, its[2] = friction_groups[g].factor;
            for (int c = friction_groups[g].component; c < friction_groups[g].component + friction_groups[g].components; c++) {
                for (int t = friction_components[c].term; t < friction_components[c].term + friction_components[c].terms; t++) {
                    const int line_ = friction_terms[t].line;
                    const int64_t row = line_ >= 0 ? unit->words[SLOT_ROW + line_] : other_rows[unit->words[PHASE]][friction_terms[t].other];
                    if (row >= 0) numbers(unit, COMPONENTS)[component * ROWS + row] = friction_terms[t].weight;
                }
                component += 1;
            }
        }
    }
}

/* Let rows keep in place of zero what they missed when they began to hold. */
static void shift_slots(struct Unit *unit)
{
    const int columns = GEOMETRY_COLUMNS;
    for (size_t i = 0; i < COUNT_OF(row_shifts); i++) {
        const int line = row_shifts[i].line, at = row_shifts[i].place;
        if (line < 0 || unit->words[SLOT_ROW + line] < 0) continue;
        numbers(unit, GEOMETRY)[unit->words[SLOT_LINE + line] * columns + at] =
            row_geometry[line][at] + row_shifts[i].slope * number(unit, SLOT_MISS + line);
    }
}

/* Put the rows of contacts that hold into their places. Those that held before keep what they kept in place of zero. */
static void fill_slots(struct Unit *unit, const int64_t *held)
{
    const int phase = (int)unit->words[PHASE], columns = GEOMETRY_COLUMNS;
    for (int i = 0; i < ROW_LINES; i++) unit->words[SLOT_ROW + i] = unit->words[SLOT_LINE + i] = -1;
    for (int j = slot_first[phase]; j < slot_first[phase + 1]; j++)
        for (int i = 0; i < ROW_LINES; i++) {
            if (row_lines[i].kind != slots[j].kind || !unit->words[HOLDS + row_lines[i].comer] || unit->words[SLOT_ROW + i] >= 0) continue;
            unit->words[SLOT_ROW + i] = slots[j].row;
            unit->words[SLOT_LINE + i] = slots[j].line;
            unit->words[PRIMITIVES + slots[j].line * PRIMITIVE] = row_lines[i].primitive;
            unit->words[PRIMITIVES + slots[j].line * PRIMITIVE + 2] = row_lines[i].first;
            unit->words[PRIMITIVES + slots[j].line * PRIMITIVE + 3] = row_lines[i].second;
            double *line = numbers(unit, GEOMETRY) + slots[j].line * columns;
            for (int k = 0; k < columns; k++) line[k] = k < ROW_GEOMETRY ? row_geometry[i][k] : 0.0;
            for (int k = 0; k < BODIES; k++) unit->words[ROW_BODIES + slots[j].row * BODIES + k] = row_lines[i].bodies[k];
            numbers(unit, LEVERS)[slots[j].row] = row_levers[i];
            break;
        }
    for (int i = 0; i < ROW_LINES; i++)
        if (!held[row_lines[i].comer]) numbers(unit, SLOT_MISS)[i] = 0.0;
    shift_slots(unit);
    for (int k = 0; k < DIRECTIONS; k++)
        if (row_of_direction[k] >= 0) {
            const int64_t row = unit->words[STOP_ROWS + k] = unit->words[SLOT_ROW + row_of_direction[k]];
            if (row >= 0 && EASED >= 0) numbers(unit, LEVERS)[row] = row_levers[row_of_direction[k]] * number(unit, EASED + k);
        }
    if (FRICTIONS > 0) load_frictions(unit);
}

/* Whether a row of positions begins to hold. */
static int begins(const struct Unit *unit, const int64_t *held, int i)
{
    const int64_t row = unit->words[SLOT_ROW + i];
    return row >= 0 && row < HOLONOMIC && !held[row_lines[i].comer];
}

/* Those that did not hold before keep what they miss now. Of an angle in space that is a sine: a quarter turn further it is a cosine. */
static void keep_misses(struct Unit *unit, const int64_t *held)
{
    double *kept = numbers(unit, SLOT_MISS), *geometry = numbers(unit, GEOMETRY);
    int turning = 0;
    for (int i = 0; i < ROW_LINES; i++) {
        if (!begins(unit, held, i) || !row_lines[i].keeps) continue;
        kept[i] = number(unit, MISSED + (int)unit->words[SLOT_ROW + i]);
        if (row_lines[i].turns < 0) continue;
        geometry[unit->words[SLOT_LINE + i] * GEOMETRY_COLUMNS + row_lines[i].turns] += QUARTER_TURN;
        turning = 1;
    }
    if (turning) call_residual(unit->words);
    for (int i = 0; i < ROW_LINES && turning; i++)
        if (begins(unit, held, i) && row_lines[i].turns >= 0) kept[i] = atan2(kept[i], -number(unit, MISSED + (int)unit->words[SLOT_ROW + i]));
    shift_slots(unit);
}

/* Gaps of contacts that hold more than once, each of them a little off, may not all close: they stay as they are. */
static void keep_gaps(struct Unit *unit)
{
    call_residual(unit->words);
    for (int i = 0; i < ROW_LINES; i++) {
        const int64_t row = unit->words[SLOT_ROW + i];
        if (row >= 0 && row < HOLONOMIC && !row_lines[i].keeps) numbers(unit, SLOT_MISS)[i] += number(unit, MISSED + (int)row);
    }
    shift_slots(unit);
}

/* By how much at most a row of positions misses that did not hold before. */
static double miss_of_slots(const struct Unit *unit, const int64_t *held)
{
    double found = 0.0;
    for (int i = 0; i < ROW_LINES; i++) {
        const int64_t row = unit->words[SLOT_ROW + i];
        if (row >= 0 && row < HOLONOMIC && !held[row_lines[i].comer]) {
            const double miss = fabs(number(unit, MISSED + (int)row));
            found = miss > found || isnan(miss) ? miss : found;
        }
    }
    return found;
}
