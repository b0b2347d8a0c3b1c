/* Instances of FMUs, of any version of the standard, over what every unit does. */

#define EXPORT __attribute__((visibility("default")))

enum phase { INSTANTIATED, INITIALIZING, STEPPING, EVENT, CONTINUOUS, ENDED }; /* EVENT, CONTINUOUS: of model exchange */

struct Instance {
    struct Unit *unit;
    const void *callbacks;
    void *environment;
    char *name;
    enum phase phase;
    int exchanges; /* whether it is for model exchange */
    int early; /* whether steps may end before they were asked to */
    int logs; /* whether it tells of events */
    enum pauses pauses; /* of co-simulation with event mode: whether steps end where events happen */
    int failed; /* whether the last step did not reach its end */
};

struct Snapshot {
    enum phase phase;
    int failed;
    char identity[sizeof identity];
    int64_t words[]; /* ARRAYS of them */
};

static size_t snapshot_size(void) { return offsetof(struct Snapshot, words) + ARRAYS * sizeof(int64_t); }

static void disown(struct Instance *it)
{
    if (it == NULL) return;
    discard(it->unit);
    free(it->name);
    free(it);
}

static struct Instance *make(const char *name)
{
    struct Instance *it = calloc(1, sizeof *it);
    if (it == NULL) return NULL;
    it->name = calloc(1, name == NULL ? 1 : strlen(name) + 1);
    it->unit = create();
    if (it->name == NULL || it->unit == NULL) {
        disown(it);
        return NULL;
    }
    if (name != NULL) strcpy(it->name, name);
    return it;
}

static struct Snapshot *capture(const struct Instance *it, struct Snapshot *kept)
{
    if (kept == NULL) kept = malloc(snapshot_size());
    if (kept == NULL) return NULL;
    memset(kept, 0, snapshot_size());
    kept->phase = it->phase;
    kept->failed = it->failed;
    memcpy(kept->identity, identity, sizeof identity);
    memcpy(kept->words, it->unit->words, ARRAYS * sizeof(int64_t));
    return kept;
}

static void put(struct Instance *it, const struct Snapshot *kept)
{
    it->phase = kept->phase;
    it->failed = kept->failed;
    memcpy(it->unit->words, kept->words, ARRAYS * sizeof(int64_t));
}

/* A state of these bytes; NULL for those of another unit. */
static struct Snapshot *revive(const char *bytes, size_t size, struct Snapshot *kept)
{
    if (size != snapshot_size() || memcmp(bytes + offsetof(struct Snapshot, identity), identity, sizeof identity) != 0) return NULL;
    if (kept == NULL) kept = malloc(size);
    if (kept != NULL) memcpy(kept, bytes, size);
    return kept;
}

/* The relative tolerance of the importer: in model exchange that of its solver, in co-simulation that of the unit's own steps, where these
   have one. The absolute one keeps its ratio to it. */
static void tolerate(struct Instance *it, double tolerance)
{
    const double share = 1e3; /* of it: by how much states may be off the constraints; each correction makes the solver begin anew */
    if (!(tolerance > 0.0)) return;
    if (it->exchanges) numbers(it->unit, CONTROL)[CONTROL_TOLERANCE] = share * tolerance;
    if (CONTROLS_ERROR && !it->exchanges) {
        const double least = 1e-13;
        struct Unit *unit = it->unit;
        double *relative = numbers(unit, RELATIVE), *absolute = numbers(unit, ABSOLUTE);
        double within = tolerance < least ? least : tolerance;
        *absolute *= within / *relative;
        *relative = *numbers(unit, OF_A_STEP) = within;
    }
}

static void say_event(const struct Instance *it, const char *message); /* as the version of the standard has it */

static void hear_event(const void *who, double time, const char *what, const char *does)
{
    char message[320];
    snprintf(message, sizeof message, "t = %.12g s: %s (%s)", time, what, does);
    say_event(who, message);
}

/* Begin or end to tell of events, if the categories say so; whether all categories are known. */
static int hear(struct Instance *it, int on, size_t n, const char *const categories[])
{
    int known = 1;
    for (size_t i = 0; i < n; i++) {
        int events = strcmp(categories[i], "logEvents") == 0;
        known &= events || strcmp(categories[i], "logStatusError") == 0;
        if (events) it->logs = on;
    }
    if (n == 0) it->logs = on;
    it->unit->hear = it->logs ? hear_event : NULL;
    it->unit->who = it;
    return known;
}

/* What follows initialisation. */
static enum phase first_phase(const struct Instance *it) { return it->exchanges || it->pauses != NEVER ? EVENT : STEPPING; }

/* The variables: inputs and parameters, outputs, the time, then states and rates that are no outputs. NULL, or why there is no value. */
static const char *look_up(struct Instance *it, unsigned int at, double *value)
{
    if (EXCHANGES && at > INPUTS + OUTPUTS + LOCALS && at <= INPUTS + OUTPUTS + LOCALS + EVENT_COUNT) {
        double indicators[EVENT_COUNT];
        if (indicate(it->unit, indicators) != 0) return it->unit->message;
        *value = indicators[at - INPUTS - OUTPUTS - LOCALS - 1];
        return NULL;
    }
    if (at > INPUTS + OUTPUTS && at <= INPUTS + OUTPUTS + LOCALS) {
        unsigned int local = at - INPUTS - OUTPUTS - 1;
        if (local_rates[local] && find_rates(it->unit) != 0) return it->unit->message;
        *value = number(it->unit, local_places[local]);
        return NULL;
    }
    if (at > INPUTS + OUTPUTS) return "there is no variable with this value reference";
    if (at < INPUTS) {
        *value = *input_of(it->unit, (int)at);
    } else if (at == INPUTS + OUTPUTS) {
        *value = number(it->unit, TIME);
    } else {
        if (tell(it->unit) != 0) return it->unit->message;
        *value = number(it->unit, OUTPUT + (int)at - INPUTS);
    }
    return NULL;
}

static const char *put_in(struct Instance *it, unsigned int at, double value)
{
    if (at >= INPUTS) return "only inputs and parameters are set";
    return give(it->unit, (int)at, value) != 0 ? it->unit->message : NULL;
}

static int is_at(const struct Instance *it, double at)
{
    double time = number(it->unit, TIME);
    return fabs(at - time) <= 1e-9 * fmax(1.0, fabs(time));
}
