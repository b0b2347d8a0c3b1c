/* What every unit does. What a model is stands before this, in constants and tables. */

enum pauses { NEVER, AT_EVENTS, AT_THE_END }; /* whether a step ends where events happen; only those at its end wait */

struct Unit {
    int64_t *words; /* WORDS of them: arrays, then blocks that point to arrays and functions */
    void (*hear)(const void *who, double time, const char *what, const char *does); /* is told of events; NULL: nobody */
    const void *who;
    char message[320];
};

static double *numbers(struct Unit *unit, int place) { return (double *)(unit->words + place); }
static double number(const struct Unit *unit, int place) { return ((const double *)unit->words)[place]; }

/* Where an input, or a parameter, stands. */
static double *input_of(struct Unit *unit, int input) { return numbers(unit, PARAMETERS + input_places[input]); }

/* Write an image: that of what all phases have is the first one, those of the phases follow. */
static void put_image(struct Unit *unit, int which)
{
    for (int i = images[which]; i < images[which + 1]; i++)
        memcpy(unit->words + runs[i].place, image_words + runs[i].word, (size_t)runs[i].count * sizeof(int64_t));
}

static void begin(struct Unit *unit)
{
    memset(unit->words, 0, ARRAYS * sizeof(int64_t));
    put_image(unit, 0);
    put_image(unit, 1);
    unit->message[0] = 0;
}

static struct Unit *create(void)
{
    struct Unit *unit = (struct Unit *)calloc(1, sizeof *unit);
    if (unit == NULL) return NULL;
    unit->words = (int64_t *)malloc(WORDS * sizeof(int64_t));
    if (unit->words == NULL) {
        free(unit);
        return NULL;
    }
    begin(unit);
    for (size_t i = 0; i < COUNT_OF(lengths); i++) unit->words[lengths[i].place] = lengths[i].value;
    for (size_t i = 0; i < COUNT_OF(pointers); i++)
        unit->words[pointers[i].place] = (int64_t)(intptr_t)(unit->words + pointers[i].target);
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        unit->words[functions[i].place] = (int64_t)(intptr_t)functions[i].function;
    return unit;
}

static void discard(struct Unit *unit)
{
    if (unit == NULL) return;
    free(unit->words);
    free(unit);
}

static int fail(struct Unit *unit, const char *why, const char *what)
{
    snprintf(unit->message, sizeof unit->message, "t = %.9g s: %s%s%s", number(unit, TIME), why, *what ? ": " : "", what);
    return -1;
}

/* The multipliers of rows of contacts, which stand at changing places of the output row, at those behind it. */
static void spread(struct Unit *unit)
{
#if HAS_SLOTS
    for (int i = 0; i < ROW_LINES; i++) {
        const int64_t row = unit->words[SLOT_ROW + i];
        numbers(unit, SPREAD)[i] = row < 0 ? 0.0 : number(unit, ROW + COORDINATES + 2 * SPEEDS + (int)row);
    }
#else
    (void)unit;
#endif
}

/* What a row of the constraints is called. */
static const char *name_of_row(const struct Unit *unit, int64_t row)
{
#if HAS_SLOTS
    for (int i = 0; i < ROW_LINES; i++)
        if (unit->words[SLOT_ROW + i] == row) return row_names[i];
#endif
    return state_names[unit->words[PHASE]][STATE + row];
}

/* What Work.status says, in words. */
static int blame(struct Unit *unit)
{
    int64_t code = unit->words[STATUS + STATUS_CODE], index = unit->words[STATUS + STATUS_INDEX];
    const char *why = code > 0 && code < (int64_t)COUNT_OF(reasons) ? reasons[code] : "the motion cannot go on";
    const char *what = "";
    const char *const *names = state_names[unit->words[PHASE]];
    if (index >= 0 && code == CODE_SINGULAR_MASS && index < SPEEDS) what = names[index];
    if (index >= 0 && (code == CODE_DRIFT_REMAINS || code == CODE_NO_CONVERGENCE) && index < ROWS) what = name_of_row(unit, index);
    if (index >= 0 && (code == CODE_NOT_FINITE || code == CODE_STEP_TOO_SMALL) && index < STATE + ROWS)
        what = index < STATE ? names[index] : name_of_row(unit, index - STATE);
    return fail(unit, why, what);
}

/* The march goes on from another state than it came to, or by other laws: with steps of the size that they had, or of a new one. */
static void begin_anew(struct Unit *unit, int keeps_step)
{
    double *scratch = numbers(unit, SCRATCH);
    for (int i = keeps_step ? STATE : 0; i < SCRATCH_ROWS * STATE; i++) scratch[i] = 0.0;
    if (SCRATCH_ROWS > 0) scratch[1] = 0.0;
}

/* The output row of the state; the march goes on with the laws as they are now. */
static int turn(struct Unit *unit)
{
    begin_anew(unit, 1);
    unit->words[STATUS + STATUS_CHANGED] = 1;
    unit->words[FRESH_OUTPUTS] = 0;
    unit->words[TURNED] = 0;
    if (call_expand(unit->words) != 0) return blame(unit);
    for (int i = 0; i < WIDTH; i++)
        if (!isfinite(number(unit, ROW + i))) return fail(unit, "the laws cannot be evaluated with these inputs", "");
    return 0;
}

static int tell(struct Unit *unit)
{
    if (unit->words[TURNED] && turn(unit) != 0) return -1;
    if (!unit->words[FRESH_OUTPUTS]) {
        spread(unit);
        call_outputs(unit->words);
#if COUNTS_EVENTS
        for (size_t i = 0; i < COUNT_OF(counted); i++)
            numbers(unit, OUTPUT + counted[i].output)[0] = (double)unit->words[COUNTS + counted[i].event];
#endif
        unit->words[FRESH_OUTPUTS] = 1;
    }
    return 0;
}
