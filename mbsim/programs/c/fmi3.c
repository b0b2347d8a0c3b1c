/* The functions of FMI 3.0 (https://fmi-standard.org, sections 2 and 4); those of model exchange are in exchange3.c, or absent3.c. */

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef bool fmi3Boolean, fmi3Clock;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3PreemptionCallback)(void);
typedef const fmi3ValueReference References[];

static fmi3LogMessageCallback logger_of(const struct Instance *it)
{
    fmi3LogMessageCallback found = NULL;
    if (it->callbacks != NULL) memcpy(&found, it->callbacks, sizeof found);
    return found;
}

static void tell_log(const struct Instance *it, fmi3Status status, const char *category, const char *message)
{
    fmi3LogMessageCallback log = logger_of(it);
    if (log != NULL) log(it->environment, status, category, message);
}

static void say(const struct Instance *it, fmi3Status status, const char *message) { tell_log(it, status, "logStatusError", message); }
static void say_event(const struct Instance *it, const char *message) { tell_log(it, fmi3OK, "logEvents", message); }

static fmi3Status refuse(const struct Instance *it, const char *message)
{
    say(it, fmi3Error, message);
    return fmi3Error;
}

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    struct Instance *it = c;
    return hear(it, on, n, categories) ? fmi3OK : refuse(it, "the categories are logEvents and logStatusError");
}

static fmi3Instance instantiate(fmi3String name, fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                int exchanges, fmi3Boolean logging, const char *wrong)
{
    struct Instance *it = make(name);
    fmi3LogMessageCallback *kept = calloc(1, sizeof *kept);
    if (it == NULL || kept == NULL) {
        disown(it);
        free(kept);
        return NULL;
    }
    *kept = log;
    it->callbacks = kept;
    it->environment = environment;
    it->exchanges = exchanges;
    if (wrong == NULL && (token == NULL || strcmp(token, identity) != 0)) wrong = "the token is that of another unit";
    if (wrong != NULL) {
        say(it, fmi3Error, wrong);
        disown(it);
        free(kept);
        return NULL;
    }
    hear(it, logging, 0, NULL);
    return it;
}

EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                                fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, References intermediate,
                                                size_t n, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                fmi3IntermediateUpdateCallback update)
{
    (void)resources, (void)visible, (void)intermediate, (void)n, (void)update;
    const char *wrong = !TAKES_STEPS ? "this unit is for model exchange" : NULL;
    if (wrong == NULL && events && !EVENT_COUNT) wrong = "this unit has no event mode in co-simulation";
    struct Instance *it = instantiate(name, token, environment, log, 0, logging, wrong);
    if (it != NULL) it->early = early, it->pauses = !events ? NEVER : early ? AT_EVENTS : AT_THE_END;
    return it;
}

EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)resources, (void)visible;
    return instantiate(name, token, environment, log, 1, logging, EXCHANGES ? NULL : "this unit is for co-simulation");
}

EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                                      fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock,
                                                      fmi3PreemptionCallback lock, fmi3PreemptionCallback unlock)
{
    (void)resources, (void)visible, (void)clock, (void)lock, (void)unlock;
    return instantiate(name, token, environment, log, 0, logging, "this unit is not for scheduled execution");
}

EXPORT void fmi3FreeInstance(fmi3Instance c)
{
    struct Instance *it = c;
    if (it != NULL) free((void *)it->callbacks);
    disown(it);
}

EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start,
                                              fmi3Boolean has_stop, fmi3Float64 stop)
{
    struct Instance *it = c;
    (void)has_stop, (void)stop;
    if (it->phase != INSTANTIATED) return refuse(it, "fmi3EnterInitializationMode comes after an instance is made");
    if (start != number(it->unit, TIME)) return refuse(it, "the start time is that of the model, whose start is assembled there");
    if (has_tolerance) tolerate(it, tolerance);
    it->phase = INITIALIZING;
    return fmi3OK;
}

EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    struct Instance *it = c;
    if (it->phase != INITIALIZING) return refuse(it, "fmi3ExitInitializationMode comes after fmi3EnterInitializationMode");
    if (tell(it->unit) != 0) return refuse(it, it->unit->message);
    it->phase = first_phase(it);
    return fmi3OK;
}

EXPORT fmi3Status fmi3Terminate(fmi3Instance c)
{
    struct Instance *it = c;
    it->phase = ENDED;
    return fmi3OK;
}

EXPORT fmi3Status fmi3Reset(fmi3Instance c)
{
    struct Instance *it = c;
    begin(it->unit);
    it->phase = INSTANTIATED;
    it->failed = 0;
    return fmi3OK;
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, References at, size_t n, fmi3Float64 values[], size_t size)
{
    if (n != size) return refuse(c, "all variables are scalars");
    for (size_t i = 0; i < n; i++) {
        const char *wrong = look_up(c, at[i], values + i);
        if (wrong != NULL) return refuse(c, wrong);
    }
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, References at, size_t n, const fmi3Float64 values[], size_t size)
{
    if (n != size) return refuse(c, "all variables are scalars");
    for (size_t i = 0; i < n; i++) {
        const char *wrong = put_in(c, at[i], values[i]);
        if (wrong != NULL) return refuse(c, wrong);
    }
    return fmi3OK;
}

static fmi3Status none_of(fmi3Instance c, size_t n) { return n == 0 ? fmi3OK : refuse(c, "all variables are of type Float64"); }

#define NO_SUCH(kind, type)                                                                                              \
    EXPORT fmi3Status fmi3Get##kind(fmi3Instance c, References at, size_t n, type values[], size_t size)                 \
    {                                                                                                                    \
        (void)at, (void)values, (void)size;                                                                              \
        return none_of(c, n);                                                                                            \
    }                                                                                                                    \
    EXPORT fmi3Status fmi3Set##kind(fmi3Instance c, References at, size_t n, const type values[], size_t size)           \
    {                                                                                                                    \
        (void)at, (void)values, (void)size;                                                                              \
        return none_of(c, n);                                                                                            \
    }
NO_SUCH(Float32, fmi3Float32)
NO_SUCH(Int8, int8_t)
NO_SUCH(UInt8, uint8_t)
NO_SUCH(Int16, int16_t)
NO_SUCH(UInt16, uint16_t)
NO_SUCH(Int32, int32_t)
NO_SUCH(UInt32, uint32_t)
NO_SUCH(Int64, int64_t)
NO_SUCH(UInt64, uint64_t)
NO_SUCH(Boolean, fmi3Boolean)
NO_SUCH(String, fmi3String)

EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, References at, size_t n, size_t sizes[], fmi3Binary values[], size_t size)
{
    (void)at, (void)sizes, (void)values, (void)size;
    return none_of(c, n);
}

EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, References at, size_t n, const size_t sizes[], const fmi3Binary values[], size_t size)
{
    (void)at, (void)sizes, (void)values, (void)size;
    return none_of(c, n);
}

EXPORT fmi3Status fmi3GetClock(fmi3Instance c, References at, size_t n, fmi3Clock values[])
{
    (void)at, (void)values;
    return none_of(c, n);
}

EXPORT fmi3Status fmi3SetClock(fmi3Instance c, References at, size_t n, const fmi3Clock values[])
{
    (void)at, (void)values;
    return none_of(c, n);
}

EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    struct Snapshot *kept = capture(c, *state);
    if (kept == NULL) return refuse(c, "there is no memory for a state");
    *state = kept;
    return fmi3OK;
}

EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    if (state == NULL) return refuse(c, "there is no such state");
    put(c, state);
    return fmi3OK;
}

EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c, (void)state;
    *size = snapshot_size();
    return fmi3OK;
}

EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (state == NULL || size < snapshot_size()) return refuse(c, "there is not enough room for a state");
    memcpy(bytes, state, snapshot_size());
    return fmi3OK;
}

EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    struct Snapshot *kept = revive((const char *)bytes, size, *state);
    if (kept == NULL) return refuse(c, "these bytes are the state of another unit");
    *state = kept;
    return fmi3OK;
}

/* Whether events wait to be done in event mode. */
static int waits(const struct Unit *unit)
{
    return EVENT_COUNT && unit->words[PENDING] != 0;
}

EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 at, fmi3Float64 h, fmi3Boolean kept, fmi3Boolean *event, fmi3Boolean *ends,
                             fmi3Boolean *early, fmi3Float64 *reached)
{
    struct Instance *it = c;
    (void)kept;
    if (!TAKES_STEPS) return refuse(it, "this unit is for model exchange");
    if (it->phase != STEPPING) return refuse(it, "fmi3DoStep comes after fmi3ExitInitializationMode");
    if (!is_at(it, at)) return refuse(it, "the communication point is not where the unit is");
    it->failed = advance(it->unit, h, it->pauses) != 0;
    *event = waits(it->unit) != 0;
    *ends = it->failed || ended(it->unit) != NULL;
    *reached = number(it->unit, TIME);
    *early = it->failed || (it->early && *reached < at + h && !is_at(it, at + h));
    if (it->failed) say(it, fmi3Discard, it->unit->message);
    return it->failed ? fmi3Discard : fmi3OK;
}

EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, References of, size_t n, References by, size_t k, const fmi3Float64 seed[],
                                               size_t seeds, fmi3Float64 values[], size_t size)
{
    struct Instance *it = c;
    if (seeds != k || size != n) return refuse(c, "all variables are scalars");
    if (!DIFFERENTIATES) return refuse(c, "this unit gives no directional derivatives");
    const char *wrong = differentiate(it->unit, of, n, by, k, seed, values);
    return wrong == NULL ? fmi3OK : refuse(c, wrong);
}

EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, References of, size_t n, References by, size_t k, const fmi3Float64 seed[],
                                           size_t seeds, fmi3Float64 values[], size_t size)
{
    (void)of, (void)n, (void)by, (void)k, (void)seed, (void)seeds, (void)values, (void)size;
    return refuse(c, "this unit gives no adjoint derivatives");
}
