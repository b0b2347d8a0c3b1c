/* Directional derivatives. At constant v_dot and multipliers the residuals of the equations of motion change by E_d along a direction, so

       [M, -C'; C, 0] [v_dot_d; lam_d] = -E_d

   which is solved with all pivots sought, on scaled rows and columns. Rows of C that depend on others get no multiplier. */

#define UNKNOWNS (SPEEDS + ROWS)
#define output_rows output_places[unit->words[PHASE]]
#define SMALLEST 1e-11 /* of the scaled matrix, whose entries are about 1: smaller pivots are round-off */
#define DIFFERENCE 1e-3 /* rad, or of the length of a link: the way to each side */

struct Direction {
    double *row_scale, *column_scale, *x, *open; /* UNKNOWNS each */
    double *row, *kept; /* WIDTH each: the derivative of the output row, and the row itself */
    double *shown, *held; /* OUTPUTS each: the derivatives of outputs, and their values */
    int rank;
};

static void lay_out(struct Unit *unit, struct Direction *d)
{
    d->row_scale = numbers(unit, DERIVATIVE_SCRATCH);
    d->column_scale = d->row_scale + UNKNOWNS;
    d->x = d->column_scale + UNKNOWNS;
    d->open = d->x + UNKNOWNS;
    d->row = d->open + UNKNOWNS;
    d->kept = d->row + WIDTH;
    d->shown = d->kept + WIDTH;
    d->held = d->shown + OUTPUTS;
    d->rank = 0;
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Eliminate: A becomes its factors, rows[i] and columns[i] the places of pivot i. */
static void eliminate(struct Unit *unit, struct Direction *d)
{
    double *A = numbers(unit, MATRIX);
    int64_t *rows = unit->words + PIVOTS, *columns = rows + UNKNOWNS;
    for (int i = 0; i < UNKNOWNS; i++) {
        double size = 0.0;
        if (i < SPEEDS) size = A[i * UNKNOWNS + i];
        for (int j = 0; i >= SPEEDS && j < SPEEDS; j++) size += pow(A[i * UNKNOWNS + j] * d->row_scale[j], 2.0);
        d->row_scale[i] = d->column_scale[i] = size > 0.0 ? 1.0 / sqrt(size) : 1.0;
        rows[i] = columns[i] = i;
    }
    for (int i = 0; i < UNKNOWNS; i++)
        for (int j = 0; j < UNKNOWNS; j++) A[i * UNKNOWNS + j] *= d->row_scale[i] * d->column_scale[j];
    for (d->rank = 0; d->rank < UNKNOWNS; d->rank++) {
        int k = d->rank, p = k, q = k;
        double largest = 0.0;
        for (int i = k; i < UNKNOWNS; i++)
            for (int j = k; j < UNKNOWNS; j++) {
                double size = fabs(A[rows[i] * UNKNOWNS + columns[j]]);
                if (size > largest) largest = size, p = i, q = j;
            }
        if (!(largest > SMALLEST)) return;
        swap(rows + k, rows + p);
        swap(columns + k, columns + q);
        for (int i = k + 1; i < UNKNOWNS; i++) {
            double *line = A + rows[i] * UNKNOWNS, *above = A + rows[k] * UNKNOWNS, factor = line[columns[k]] / above[columns[k]];
            line[columns[k]] = factor;
            if (factor != 0.0)
                for (int j = k + 1; j < UNKNOWNS; j++) line[columns[j]] -= factor * above[columns[j]];
        }
    }
}

/* d->x = [v_dot_d; lam_d] for the derivative of the residuals. */
static void solve(struct Unit *unit, struct Direction *d)
{
    const double *A = numbers(unit, MATRIX), *E = numbers(unit, RESIDUAL_D);
    const int64_t *rows = unit->words + PIVOTS, *columns = rows + UNKNOWNS;
    double *y = d->row; /* long enough, and not yet in use */
    for (int i = 0; i < d->rank; i++) {
        y[i] = -d->row_scale[rows[i]] * E[rows[i]];
        for (int j = 0; j < i; j++) y[i] -= A[rows[i] * UNKNOWNS + columns[j]] * y[j];
    }
    for (int i = 0; i < UNKNOWNS; i++) d->x[i] = 0.0;
    for (int i = d->rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < d->rank; j++) y[i] -= A[rows[i] * UNKNOWNS + columns[j]] * d->x[columns[j]];
        d->x[columns[i]] = y[i] / A[rows[i] * UNKNOWNS + columns[i]];
    }
    for (int i = 0; i < UNKNOWNS; i++) d->x[i] *= d->column_scale[i];
}

/* d->open: a change of the multipliers that the equations leave open, all such changes at once. */
static void find_open(struct Unit *unit, struct Direction *d)
{
    const double *A = numbers(unit, MATRIX);
    const int64_t *rows = unit->words + PIVOTS, *columns = rows + UNKNOWNS;
    for (int i = UNKNOWNS - 1; i >= d->rank; i--) d->open[columns[i]] = 1.0 + 0.1 * ((UNKNOWNS - i) % 7);
    for (int i = d->rank - 1; i >= 0; i--) {
        double sum = 0.0;
        for (int j = i + 1; j < UNKNOWNS; j++) sum -= A[rows[i] * UNKNOWNS + columns[j]] * d->open[columns[j]];
        d->open[columns[i]] = sum / A[rows[i] * UNKNOWNS + columns[i]];
    }
    for (int i = 0; i < UNKNOWNS; i++) d->open[i] *= d->column_scale[i];
}

/* The outputs where the row is off by `way` times its derivative. */
static void look_beside(struct Unit *unit, const struct Direction *d, double way, const double *parameters)
{
    double *row = numbers(unit, ROW);
    for (int i = 0; i < WIDTH; i++) row[i] = d->kept[i] + way * d->row[i];
    for (int i = 0; i < INPUTS; i++)
        *input_of(unit, i) = parameters[i] + way * number(unit, PARAMETERS_D + input_places[i]);
    spread(unit);
    call_outputs(unit->words);
}

/* d->shown: the derivatives of all outputs, by central differences along that of the row; NaN of an output without one. */
static void follow_outputs(struct Unit *unit, struct Direction *d)
{
    static const double weights[] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    double parameters[INPUTS + 1], remembered[REMEMBERED_SIZE + 1], fastest = 0.0;
    int needed = 0;
    const double *q_d = numbers(unit, Q_D), *v_d = numbers(unit, V_D);
    double *shown = numbers(unit, OUTPUT), *row = numbers(unit, ROW);
    for (int i = 0; i < INPUTS; i++) {
        double by = number(unit, PARAMETERS_D + input_places[i]);
        parameters[i] = *input_of(unit, i);
        fastest = fmax(fastest, fabs(by) / fmax(1.0, fabs(parameters[i])));
    }
    for (int i = 0; i < COORDINATES; i++) fastest = fmax(fastest, fabs(q_d[i]) / number(unit, SCALES + SPEEDS + i));
    for (int i = 0; i < SPEEDS; i++) fastest = fmax(fastest, fabs(v_d[i]) / number(unit, SCALES + i));
    memcpy(d->kept, row, WIDTH * sizeof(double));
    memcpy(d->held, shown, OUTPUTS * sizeof(double));
    memcpy(remembered, unit->words + REMEMBERED, REMEMBERED_SIZE * sizeof(double));
    for (int i = 0; i < OUTPUTS; i++) d->shown[i] = 0.0;
    double step = fastest > 0.0 ? DIFFERENCE / fastest : 0.0;
    for (int i = 0; i < OUTPUTS; i++) needed |= output_rows[i] < 0 || d->rank < UNKNOWNS;
    if (!needed) step = 0.0;
    for (int k = 3; k >= 1 && step > 0.0; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            memcpy(unit->words + REMEMBERED, remembered, REMEMBERED_SIZE * sizeof(double));
            look_beside(unit, d, sign * k * step, parameters);
            for (int i = 0; i < OUTPUTS; i++) d->shown[i] += sign * weights[k - 1] * shown[i] / step;
        }
    if (d->rank < UNKNOWNS) { /* reactions that the constraints leave open have no derivative */
        look_beside(unit, d, 0.0, parameters);
        find_open(unit, d);
        for (int i = 0; i < ROWS; i++) row[COORDINATES + 2 * SPEEDS + i] += d->open[SPEEDS + i];
        spread(unit);
        call_outputs(unit->words);
        for (int i = 0; i < OUTPUTS; i++)
            if (fabs(shown[i] - d->held[i]) > 1e-9 * fmax(1.0, fabs(d->held[i]))) d->shown[i] = NAN;
    }
    memcpy(unit->words + REMEMBERED, remembered, REMEMBERED_SIZE * sizeof(double));
    look_beside(unit, d, 0.0, parameters);
    memcpy(unit->words + REMEMBERED, remembered, REMEMBERED_SIZE * sizeof(double));
    memcpy(shown, d->held, OUTPUTS * sizeof(double));
    for (int i = 0; i < OUTPUTS; i++)
        if (output_rows[i] >= 0 && (output_rows[i] < COORDINATES + 2 * SPEEDS || d->rank == UNKNOWNS || output_rows[i] == WIDTH - 1))
            d->shown[i] = d->row[output_rows[i]];
}

/* Add `seed` times the direction of a variable. -1: it is none that anything is differentiated by. */
static int seed_with(struct Unit *unit, uint32_t by, double seed)
{
    if (by < INPUTS) {
        numbers(unit, PARAMETERS_D + input_places[by])[0] += seed;
        return 0;
    }
    for (int k = 0; k < STATES; k++)
        if (state_references[k] == by) {
            if (k < SPEEDS) numbers(unit, V_D)[k] += seed;
            else if (k < SPEEDS + COORDINATES) numbers(unit, Q_D)[k - SPEEDS] += seed;
            return 0; /* nothing depends on the work done but itself */
        }
    return -1;
}

/* Whether an event waits to be done, after which something else may hold. */
static int is_due(struct Unit *unit)
{
    if (unit->words[PENDING]) return 1;
    if (!unit->words[KNOWN]) return 0; /* nobody has asked for indicators: it is no model exchange */
    double indicators[EVENT_COUNT];
    if (indicate(unit, indicators) != 0) return 1;
    for (int k = 0; k < EVENT_COUNT; k++)
        if (line_of(unit, k)[EVENT_ACTIVE] != 0.0 && !rises(unit, k) && line_of(unit, k)[EVENT_SIDE] * indicators[k] <= 0.0) return 1;
    return 0;
}

/* Derivatives of variables along a direction: sums over `by` with their seeds. NULL, or what is wrong. */
static const char *differentiate(struct Unit *unit, const uint32_t *of, size_t n, const uint32_t *by, size_t k, const double *seeds,
                                 double *values)
{
    if (tell(unit) != 0) return unit->message;
    if (COMERS && is_due(unit)) return "an event is due at this time: derivatives are those of what holds after it";
    struct Direction d;
    double work = 0.0;
    lay_out(unit, &d);
    memset(unit->words + Q_D, 0, COORDINATES * sizeof(double));
    memset(unit->words + V_D, 0, SPEEDS * sizeof(double));
    for (int i = 0; i < INPUTS; i++) numbers(unit, PARAMETERS_D + input_places[i])[0] = 0.0;
    for (size_t i = 0; i < k; i++) {
        if (seed_with(unit, by[i], seeds[i]) != 0) return "derivatives are by inputs, parameters and continuous states";
        if (STATES == STATE && by[i] == state_references[STATES - 1]) work += seeds[i];
    }
    memset(unit->words + MATRIX, 0, sizeof(double) * UNKNOWNS * UNKNOWNS); /* its zeros are not written */
    call_matrix(unit->words);
    eliminate(unit, &d);
    call_along(unit->words);
    solve(unit, &d);
    const double *E = numbers(unit, RESIDUAL_D), *xi = numbers(unit, XI);
    memcpy(d.row, unit->words + Q_D, COORDINATES * sizeof(double));
    memcpy(d.row + COORDINATES, unit->words + V_D, SPEEDS * sizeof(double));
    memcpy(d.row + COORDINATES + SPEEDS, d.x, UNKNOWNS * sizeof(double));
    d.row[WIDTH - 1] = work;
    follow_outputs(unit, &d);
    for (size_t i = 0; i < n; i++) {
        if (of[i] >= INPUTS && of[i] < INPUTS + OUTPUTS) {
            values[i] = d.shown[of[i] - INPUTS];
            if (isnan(values[i])) return "reactions of constraints that depend on each other have no derivative";
            continue;
        }
        if (of[i] > INPUTS + OUTPUTS && of[i] <= INPUTS + OUTPUTS + LOCALS) {
            int local = (int)(of[i] - INPUTS - OUTPUTS - 1), is_rate = local_rates[local];
            int place = local_places[local] - (is_rate ? Z_DOT : Z);
            double power = E[UNKNOWNS + COORDINATES];
            for (int r = 0; r < ROWS; r++) power -= d.x[SPEEDS + r] * xi[r];
            if (!is_rate) values[i] = place < SPEEDS ? number(unit, V_D + place) : place < STATE - 1 ? number(unit, Q_D + place - SPEEDS) : work;
            else values[i] = place < SPEEDS ? d.x[place] : place < STATE - 1 ? E[UNKNOWNS + place - SPEEDS] : power;
            continue;
        }
        return "derivatives are those of outputs and of rates of states";
    }
    (void)E, (void)xi;
    return NULL;
}
