/* What every unit does. What a model is stands before this, in constants and tables. */

struct Unit {
    int64_t *words; /* WORDS of them: arrays, then blocks that point to arrays and functions */
    char message[320];
};

static double *numbers(struct Unit *unit, int place) { return (double *)(unit->words + place); }
static double number(const struct Unit *unit, int place) { return ((const double *)unit->words)[place]; }

static void begin(struct Unit *unit)
{
    size_t at = 0;
    memset(unit->words, 0, ARRAYS * sizeof(int64_t));
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        memcpy(unit->words + runs[i].place, image_words + at, runs[i].count * sizeof(int64_t));
        at += runs[i].count;
    }
    unit->message[0] = 0;
}

static struct Unit *create(void)
{
    struct Unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL) return NULL;
    unit->words = malloc(WORDS * sizeof(int64_t));
    if (unit->words == NULL) {
        free(unit);
        return NULL;
    }
    begin(unit);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) unit->words[lengths[i].place] = lengths[i].value;
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
        unit->words[pointers[i].place] = (int64_t)(intptr_t)(unit->words + pointers[i].target);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
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

/* What Work.status says, in words. */
static int blame(struct Unit *unit)
{
    int64_t code = unit->words[STATUS + STATUS_CODE], index = unit->words[STATUS + STATUS_INDEX];
    const char *why = code > 0 && code < (int64_t)(sizeof reasons / sizeof *reasons) ? reasons[code] : "the motion cannot go on";
    const char *what = "";
    if (index >= 0 && code == CODE_SINGULAR_MASS && index < SPEEDS) what = state_names[index];
    if (index >= 0 && (code == CODE_DRIFT_REMAINS || code == CODE_NO_CONVERGENCE) && index < ROWS) what = state_names[STATE + index];
    if (index >= 0 && (code == CODE_NOT_FINITE || code == CODE_STEP_TOO_SMALL) && index < STATE + ROWS) what = state_names[index];
    return fail(unit, why, what);
}

/* The output row of the state; the march goes on with the laws as they are now. */
static int turn(struct Unit *unit)
{
    double *scratch = numbers(unit, SCRATCH);
    for (int i = STATE; i < SCRATCH_ROWS * STATE; i++) scratch[i] = 0.0;
    if (SCRATCH_ROWS > 0) scratch[1] = 0.0;
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
        call_outputs(unit->words);
        unit->words[FRESH_OUTPUTS] = 1;
    }
    return 0;
}

#if HAS_STEPS
static int advance(struct Unit *unit, double h)
{
    double *control = numbers(unit, CONTROL), *way = numbers(unit, WAY), *clock = numbers(unit, CLOCK);
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
#endif

static int give(struct Unit *unit, int input, double value)
{
    if (input < 0 || input >= INPUTS) return fail(unit, "there is no such input", "");
    if (!isfinite(value)) return fail(unit, "an input must be finite", input_names[input]);
    if (number(unit, input_places[input]) != value) {
        numbers(unit, input_places[input])[0] = value;
        unit->words[TURNED] = 1;
        unit->words[FRESH_RATES] = 0;
    }
    return 0;
}
