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

/* Put the rows of contacts that hold into their places. Those that held before keep what they kept in place of zero. */
static void fill_slots(struct Unit *unit, const int64_t *held, const double *geometry)
{
    const int phase = (int)unit->words[PHASE];
    int64_t lines_before[ROW_LINES];
    memcpy(lines_before, unit->words + SLOT_LINE, sizeof lines_before);
    for (int i = 0; i < ROW_LINES; i++) unit->words[SLOT_ROW + i] = unit->words[SLOT_LINE + i] = -1;
    for (int j = slot_first[phase]; j < slot_first[phase + 1]; j++)
        for (int i = 0; i < ROW_LINES; i++) {
            if (row_lines[i].kind != slots[j].kind || !unit->words[HOLDS + row_lines[i].comer] || unit->words[SLOT_ROW + i] >= 0) continue;
            unit->words[SLOT_ROW + i] = slots[j].row;
            unit->words[SLOT_LINE + i] = slots[j].line;
            unit->words[PRIMITIVES + slots[j].line * PRIMITIVE + 2] = row_lines[i].first;
            unit->words[PRIMITIVES + slots[j].line * PRIMITIVE + 3] = row_lines[i].second;
            memcpy(numbers(unit, GEOMETRY) + slots[j].line * GEOMETRY_COLUMNS, row_geometry[i], GEOMETRY_COLUMNS * sizeof(double));
            for (int k = 0; k < BODIES; k++) unit->words[ROW_BODIES + slots[j].row * BODIES + k] = row_lines[i].bodies[k];
            numbers(unit, LEVERS)[slots[j].row] = row_levers[i];
            break;
        }
    for (size_t i = 0; i < sizeof row_shifts / sizeof *row_shifts; i++) {
        const int line = row_shifts[i].line, at = row_shifts[i].place;
        if (line < 0 || unit->words[SLOT_ROW + line] < 0 || !held[row_lines[line].comer]) continue;
        numbers(unit, GEOMETRY)[unit->words[SLOT_LINE + line] * GEOMETRY_COLUMNS + at] = geometry[lines_before[line] * GEOMETRY_COLUMNS + at];
    }
    for (int k = 0; k < DIRECTIONS; k++)
        if (row_of_direction[k] >= 0) unit->words[STOP_ROWS + k] = unit->words[SLOT_ROW + row_of_direction[k]];
    if (FRICTIONS > 0) load_frictions(unit);
}

/* Let rows that did not hold before keep in place of zero what they miss. */
static void shift_slots(struct Unit *unit, const int64_t *held)
{
    for (size_t i = 0; i < sizeof row_shifts / sizeof *row_shifts; i++) {
        const int line = row_shifts[i].line;
        if (line < 0 || unit->words[SLOT_ROW + line] < 0 || held[row_lines[line].comer]) continue;
        numbers(unit, GEOMETRY)[unit->words[SLOT_LINE + line] * GEOMETRY_COLUMNS + row_shifts[i].place] +=
            row_shifts[i].slope * number(unit, MISSED + (int)unit->words[SLOT_ROW + line]);
    }
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
