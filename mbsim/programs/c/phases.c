/* What comes and goes: how an instance goes from one phase to another, as `mbsim.assembly.phases` and `mbsim.march.stretch` have it in a run. */

/* The arrays that a phase has alone take the place of those of the phase before, as they are before it begins. */
static void renew(struct Unit *unit, int phase)
{
    memset(unit->words + COMMON, 0, (size_t)(ARRAYS - COMMON) * sizeof(int64_t));
    put_image(unit, 1 + phase);
}

/* Keep numbers of a phase for the next one; where they are. */
static const double *keep(struct Unit *unit, double **at, int place, int count)
{
    const double *found = *at;
    memcpy(*at, unit->words + place, (size_t)count * sizeof(int64_t));
    *at += count;
    return found;
}

/* The axes of a body in global ones, by rows. */
static void axes_of(const double *body, double A[9])
{
    for (int i = 0; i < 9; i++) A[i] = PLANAR ? i == 8 : body[FRAME_ATTITUDE + i];
    if (!PLANAR) return;
    A[0] = A[4] = cos(body[FRAME_ANGLE]);
    A[3] = sin(body[FRAME_ANGLE]);
    A[1] = -A[3];
}

/* A line of a joint's table for the poses of the bodies: the frame on the second body is where that on the first one is. */
static void seat(size_t k, const double *frames, double *line)
{
    const double *first = frames + seats[k].first * FRAME, *second = frames + seats[k].second * FRAME;
    const int n = PLANAR ? 2 : 3;
    double A[9], B[9], a[3] = {0.0}, b[3] = {0.0}, moved[3] = {0.0}, axis[3] = {0.0}, length = 0.0;
    axes_of(first, A);
    axes_of(second, B);
    for (int i = 0; i < n; i++) {
        a[i] = first[i];
        b[i] = second[i];
        for (int j = 0; j < n; j++) {
            a[i] += A[3 * i + j] * line[j];
            b[i] += B[3 * i + j] * line[n + j];
            axis[i] += A[3 * i + j] * seats[k].axis[j];
        }
        length += (a[i] - b[i]) * (a[i] - b[i]);
    }
    if (seats[k].measures) line[PLANAR ? 7 : 15] = sqrt(length);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) moved[i] += B[3 * j + i] * (a[j] - second[j]);
    for (int i = 0; i < n && seats[k].moves; i++) line[n + i] = moved[i];
    if (PLANAR) line[6] = second[FRAME_ANGLE] - first[FRAME_ANGLE];
    for (int i = 0; i < 3 && !PLANAR; i++) line[9 + i] = B[i] * axis[0] + B[3 + i] * axis[1] + B[6 + i] * axis[2];
}

/* Numbers that follow from where something was locked stay as long as it holds: take them over from the phase before. */
static void take_over(struct Unit *unit, const int64_t *held, int from, int to, const double *geometry, int columns, const double *parameters)
{
    const int shared = columns < GEOMETRY_COLUMNS ? columns : GEOMETRY_COLUMNS; /* a joint's lines are as long as any */
    for (size_t i = 0; i < COUNT_OF(seats); i++) {
        if (seats[i].phase != to || !held[seats[i].which]) continue;
        size_t nth = 0, old = 0;
        for (size_t j = 0; j < i; j++) nth += seats[j].phase == to && seats[j].which == seats[i].which;
        for (; seats[old].phase != from || seats[old].which != seats[i].which || nth-- > 0; old++) {}
        memcpy(numbers(unit, GEOMETRY) + seats[i].line * GEOMETRY_COLUMNS, geometry + seats[old].line * columns,
               (size_t)shared * sizeof(double));
    }
    for (size_t i = 0; i < COUNT_OF(shifts); i++) {
        if (shifts[i].phase != to || !held[shifts[i].which]) continue;
        size_t nth = 0, old = 0;
        for (size_t j = 0; j < i; j++) nth += shifts[j].phase == to && shifts[j].which == shifts[i].which;
        for (; shifts[old].phase != from || shifts[old].which != shifts[i].which || nth-- > 0; old++) {}
        numbers(unit, shifts[i].of_geometry ? GEOMETRY : PARAMETERS)[shifts[i].place] = (shifts[old].of_geometry ? geometry : parameters)[shifts[old].place];
    }
}

/* What holds after an event that leads to a phase: rows of contacts that share phases do as before. */
static void expect(struct Unit *unit, int to)
{
    for (int i = 0; i < COMERS; i++) {
#if HAS_SLOTS
        if (ROW_LINES && roams[i]) {
            unit->words[AFTER + i] = unit->words[HOLDS + i];
            continue;
        }
#endif
        unit->words[AFTER + i] = holds[to][i];
    }
}

/* What misses by more, m or rad, cannot be locked: a solver outside leaves more. Gaps may be judged by more than the mechanism's size. */
static double lock_limit(const struct Unit *unit, int of_stop)
{
    double limit = LOCK_LIMIT;
#if HAS_STOPS
    for (int i = 0; i < STOPS && of_stop; i++) limit = fmax(limit, DEEPEST * stop_near[i]);
    if (STOPS) limit *= number(unit, STOP_NEAR) / stop_near[0];
#else
    (void)unit, (void)of_stop;
#endif
    return limit;
}

/* Whether it is a row of a stop or contact that comes and goes. */
static int is_of_stop(int which)
{
#if HAS_STOPS
    return STOPS && stop_of[which] >= 0;
#else
    return which < 0;
#endif
}

/* Go on after event k, at (EVENT_Q, EVENT_V), in the phase of what holds AFTER it. */
static int pass_to(struct Unit *unit, int to, int k)
{
    const int from = (int)unit->words[PHASE], columns = GEOMETRY_COLUMNS; /* of the phase before */
    int64_t held[COMERS];
    memcpy(held, unit->words + HOLDS, sizeof held);
    memcpy(unit->words + HOLDS, unit->words + AFTER, sizeof held);
    call_residual(unit->words); /* leaves the poses in the frames */
    double *at = numbers(unit, PASSED);
    const double *frames = keep(unit, &at, FRAMES, FRAME_NUMBERS), *geometry = keep(unit, &at, GEOMETRY, GEOMETRY_NUMBERS);
    const double *parameters = keep(unit, &at, PARAMETERS, PARAMETER_NUMBERS), *settings = keep(unit, &at, SETTINGS, SETTINGS_SIZE);
    const double *lines = keep(unit, &at, LINES, EVENT_COUNT * LINE);
    unit->words[PHASE] = to;
    renew(unit, to);
    memcpy(numbers(unit, PARAMETERS), parameters, GIVEN * sizeof(double));
    memcpy(numbers(unit, SETTINGS), settings, SETTINGS_SIZE * sizeof(double));
    for (int i = 0; i < EVENT_COUNT; i++) {
        double *line = numbers(unit, LINES + i * LINE);
        line[EVENT_ACTIVE] = lines[i * LINE + EVENT_ACTIVE];
        line[EVENT_LARGEST] = lines[i * LINE + EVENT_LARGEST];
        line[EVENT_FASTEST] = lines[i * LINE + EVENT_FASTEST];
    }
#if HAS_SLOTS
    if (ROW_LINES) fill_slots(unit, held);
#endif
    take_over(unit, held, from, to, geometry, columns, parameters);
    for (size_t i = 0; i < COUNT_OF(seats); i++)
        if (seats[i].phase == to && !held[seats[i].which])
            seat(i, frames, numbers(unit, GEOMETRY) + seats[i].line * GEOMETRY_COLUMNS);
    call_residual(unit->words);
    for (size_t i = 0; i < COUNT_OF(shifts); i++)
        if (shifts[i].phase == to && !held[shifts[i].which])
            numbers(unit, shifts[i].of_geometry ? GEOMETRY : PARAMETERS)[shifts[i].place] += shifts[i].slope * number(unit, MISSED + shifts[i].row);
#if HAS_SLOTS
    if (ROW_LINES) keep_misses(unit, held);
#endif
    call_residual(unit->words);
    for (int i = 0; i < HOLONOMIC; i++) {
        const int which = comers[to][i];
        if (which >= 0 && !held[which] && !(fabs(number(unit, MISSED + i)) <= lock_limit(unit, is_of_stop(which))))
            return fail(unit, "what an event locks is off its place", happenings[k].name);
    }
#if HAS_SLOTS
    if (ROW_LINES && !(miss_of_slots(unit, held) <= lock_limit(unit, 1))) return fail(unit, "what closes is off its place", happenings[k].name);
#endif
    /* of the row before the event the multipliers are those of other rows */
    memset(numbers(unit, ROW_BEFORE) + COORDINATES + 2 * SPEEDS, 0, (WIDEST - COORDINATES - 2 * SPEEDS) * sizeof(double));
    return 0;
}
