/* Instances of FMUs, of any version of the standard, over what every unit does. */

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum phase { INSTANTIATED, INITIALIZING, STEPPING, EVENT, CONTINUOUS, ENDED }; /* EVENT, CONTINUOUS: of model exchange */

struct Instance {
    struct Unit *unit;
    const void *callbacks;
    void *environment;
    char *name;
    enum phase phase;
    int exchanges; /* whether it is for model exchange */
    int failed; /* whether the last step did not reach its end */
};

struct Snapshot {
    enum phase phase;
    int failed;
    char identity[sizeof identity];
    int64_t words[ARRAYS];
};

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
    if (kept == NULL) kept = malloc(sizeof *kept);
    if (kept == NULL) return NULL;
    memset(kept, 0, sizeof *kept);
    kept->phase = it->phase;
    kept->failed = it->failed;
    memcpy(kept->identity, identity, sizeof identity);
    memcpy(kept->words, it->unit->words, sizeof kept->words);
    return kept;
}

static void put(struct Instance *it, const struct Snapshot *kept)
{
    it->phase = kept->phase;
    it->failed = kept->failed;
    memcpy(it->unit->words, kept->words, sizeof kept->words);
}

/* A state of these bytes; NULL for those of another unit. */
static struct Snapshot *revive(const char *bytes, size_t size, struct Snapshot *kept)
{
    if (size != sizeof *kept || memcmp(bytes + offsetof(struct Snapshot, identity), identity, sizeof identity) != 0) return NULL;
    if (kept == NULL) kept = malloc(sizeof *kept);
    if (kept != NULL) memcpy(kept, bytes, size);
    return kept;
}

/* The tolerance of the solver outside, of model exchange. Co-simulation keeps that of the model's file. */
static void tolerate(struct Instance *it, double tolerance)
{
    const double share = 1e3; /* of it: by how much states may be off the constraints; each correction makes the solver begin anew */
    if (it->exchanges && tolerance > 0.0) numbers(it->unit, CONTROL)[CONTROL_TOLERANCE] = share * tolerance;
}

/* What follows initialisation. */
static enum phase first_phase(const struct Instance *it) { return it->exchanges ? EVENT : STEPPING; }

/* The variables: inputs and parameters, outputs, the time, then states and rates that are no outputs. NULL, or why there is no value. */
static const char *look_up(struct Instance *it, unsigned int at, double *value)
{
#if HAS_EXCHANGE
    if (at > INPUTS + OUTPUTS && at <= INPUTS + OUTPUTS + LOCALS) {
        unsigned int local = at - INPUTS - OUTPUTS - 1;
        if (local_rates[local] && find_rates(it->unit) != 0) return it->unit->message;
        *value = number(it->unit, local_places[local]);
        return NULL;
    }
#endif
    if (at > INPUTS + OUTPUTS) return "there is no variable with this value reference";
    if (at < INPUTS) {
        *value = number(it->unit, input_places[at]);
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

#if HAS_STEPS
static int is_at(const struct Instance *it, double at)
{
    double time = number(it->unit, TIME);
    return fabs(at - time) <= 1e-9 * fmax(1.0, fabs(time));
}
#endif
