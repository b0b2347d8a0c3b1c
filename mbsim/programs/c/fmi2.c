/* The functions of FMI 2.0.4 (https://fmi-standard.org, sections 2 and 4); those of model exchange alone are in exchange2.c. */

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

static void tell_log(const struct Instance *it, fmi2Status status, const char *category, const char *message)
{
    const fmi2CallbackFunctions *callbacks = it->callbacks;
    if (callbacks != NULL && callbacks->logger != NULL)
        callbacks->logger(callbacks->componentEnvironment, it->name, status, category, "%s", message);
}

static void say(const struct Instance *it, fmi2Status status, const char *message) { tell_log(it, status, "logStatusError", message); }
static void say_event(const struct Instance *it, const char *message) { tell_log(it, fmi2OK, "logEvents", message); }

static fmi2Status refuse(const struct Instance *it, const char *message)
{
    say(it, fmi2Error, message);
    return fmi2Error;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    struct Instance *it = c;
    return hear(it, on, n, categories) ? fmi2OK : refuse(it, "the categories are logEvents and logStatusError");
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                     const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    struct Instance *it = make(name);
    (void)resources, (void)visible;
    if (it == NULL) return NULL;
    it->callbacks = callbacks;
    it->exchanges = type == fmi2ModelExchange;
    int offered = it->exchanges ? EXCHANGES : TAKES_STEPS;
    if (!offered || guid == NULL || strcmp(guid, identity) != 0) {
        const char *other = it->exchanges ? "this unit is for co-simulation" : "this unit is for model exchange";
        say(it, fmi2Error, offered ? "the GUID is that of another unit" : other);
        disown(it);
        return NULL;
    }
    hear(it, logging, 0, NULL);
    return it;
}

EXPORT void fmi2FreeInstance(fmi2Component c) { disown(c); }

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop)
{
    struct Instance *it = c;
    (void)has_stop, (void)stop;
    if (it->phase != INSTANTIATED) return refuse(it, "fmi2SetupExperiment comes after fmi2Instantiate");
    if (start != number(it->unit, TIME)) return refuse(it, "the start time is that of the model, whose start is assembled there");
    if (has_tolerance) tolerate(it, tolerance);
    return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    struct Instance *it = c;
    if (it->phase != INSTANTIATED) return refuse(it, "fmi2EnterInitializationMode comes after fmi2SetupExperiment");
    it->phase = INITIALIZING;
    return fmi2OK;
}

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    struct Instance *it = c;
    if (it->phase != INITIALIZING) return refuse(it, "fmi2ExitInitializationMode comes after fmi2EnterInitializationMode");
    if (tell(it->unit) != 0) return refuse(it, it->unit->message);
    it->phase = first_phase(it);
    return fmi2OK;
}

EXPORT fmi2Status fmi2Terminate(fmi2Component c)
{
    struct Instance *it = c;
    it->phase = ENDED;
    return fmi2OK;
}

EXPORT fmi2Status fmi2Reset(fmi2Component c)
{
    struct Instance *it = c;
    begin(it->unit);
    it->phase = INSTANTIATED;
    it->failed = 0;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference at[], size_t n, fmi2Real value[])
{
    for (size_t i = 0; i < n; i++) {
        const char *wrong = look_up(c, at[i], value + i);
        if (wrong != NULL) return refuse(c, wrong);
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference at[], size_t n, const fmi2Real value[])
{
    for (size_t i = 0; i < n; i++) {
        const char *wrong = put_in(c, at[i], value[i]);
        if (wrong != NULL) return refuse(c, wrong);
    }
    return fmi2OK;
}

#define NO_SUCH(kind, type)                                                                                                  \
    EXPORT fmi2Status fmi2Get##kind(fmi2Component c, const fmi2ValueReference at[], size_t n, type value[])                  \
    {                                                                                                                        \
        (void)at, (void)value;                                                                                               \
        return n == 0 ? fmi2OK : refuse(c, "all variables are of type Real");                                                \
    }                                                                                                                        \
    EXPORT fmi2Status fmi2Set##kind(fmi2Component c, const fmi2ValueReference at[], size_t n, const type value[])            \
    {                                                                                                                        \
        (void)at, (void)value;                                                                                               \
        return n == 0 ? fmi2OK : refuse(c, "all variables are of type Real");                                                \
    }
NO_SUCH(Integer, fmi2Integer)
NO_SUCH(Boolean, fmi2Boolean)
NO_SUCH(String, fmi2String)

EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    struct Snapshot *kept = capture(c, *state);
    if (kept == NULL) return refuse(c, "there is no memory for a state");
    *state = kept;
    return fmi2OK;
}

EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    if (state == NULL) return refuse(c, "there is no such state");
    put(c, state);
    return fmi2OK;
}

EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c, (void)state;
    *size = snapshot_size();
    return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (state == NULL || size < snapshot_size()) return refuse(c, "there is not enough room for a state");
    memcpy(bytes, state, snapshot_size());
    return fmi2OK;
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    struct Snapshot *kept = revive(bytes, size, *state);
    if (kept == NULL) return refuse(c, "these bytes are the state of another unit");
    *state = kept;
    return fmi2OK;
}

/* Whether an event has ended the motion, which the message then says. */
static int has_ended(struct Unit *unit)
{
    const char *by = ended(unit);
    if (by == NULL) return 0;
    fail(unit, "ended by", by);
    return 1;
}

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real at, fmi2Real h, fmi2Boolean kept)
{
    struct Instance *it = c;
    (void)kept;
    if (!TAKES_STEPS) return refuse(it, "this unit is for model exchange");
    if (it->phase != STEPPING) return refuse(it, "fmi2DoStep comes after fmi2ExitInitializationMode");
    if (!is_at(it, at)) return refuse(it, "the communication point is not where the unit is");
    it->failed = advance(it->unit, h, NEVER) != 0 || has_ended(it->unit);
    if (it->failed) say(it, fmi2Discard, it->unit->message);
    return it->failed ? fmi2Discard : fmi2OK;
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component c) { return refuse(c, "steps are never pending"); }

EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    const struct Instance *it = c;
    if (kind != fmi2DoStepStatus) return fmi2Discard;
    *value = it->failed ? fmi2Discard : fmi2OK;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    const struct Instance *it = c;
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = number(it->unit, TIME);
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    const struct Instance *it = c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = it->failed;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    const struct Instance *it = c;
    if (kind != fmi2PendingStatus) return fmi2Discard;
    *value = it->unit->message;
    return fmi2OK;
}

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference of[], size_t n, const fmi2ValueReference by[],
                                               size_t k, const fmi2Real way[], fmi2Real value[])
{
    struct Instance *it = c;
    if (!DIFFERENTIATES) return refuse(c, "this unit gives no directional derivatives");
    const char *wrong = differentiate(it->unit, of, n, by, k, way, value);
    return wrong == NULL ? fmi2OK : refuse(c, wrong);
}

EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference at[], size_t n, const fmi2Integer order[],
                                              const fmi2Real value[])
{
    (void)at, (void)n, (void)order, (void)value;
    return refuse(c, "this unit does not interpolate inputs");
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference at[], size_t n, const fmi2Integer order[],
                                               fmi2Real value[])
{
    (void)at, (void)n, (void)order, (void)value;
    return refuse(c, "this unit gives no derivatives of outputs");
}
