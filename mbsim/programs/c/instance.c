/* Instances of FMUs, of any version of the standard, over what every unit does. */

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum phase { INSTANTIATED, INITIALIZING, STEPPING, ENDED };

struct Instance {
    struct Unit *unit;
    const void *callbacks;
    void *environment;
    char *name;
    enum phase phase;
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

/* The variables: inputs and parameters, then outputs, then the time. NULL, or why there is no value. */
static const char *look_up(struct Instance *it, unsigned int at, double *value)
{
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

static int is_at(const struct Instance *it, double at)
{
    double time = number(it->unit, TIME);
    return fabs(at - time) <= 1e-9 * fmax(1.0, fabs(time));
}
