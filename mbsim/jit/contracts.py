"""The arrays of a system and of a method, and the signatures through which systems, methods and integrators meet."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

from mbsim.jit.extents import declared
from mbsim.jit.signatures import A1, A2, I1, I2, Array, Block, Function, Indices, Matrix, Packed, Table, Vector, f8, i8, void
from mbsim.jit.workspaces import Workspace, indices, matrix, vector


class _Arrays(NamedTuple):
    parameters: Annotated[Vector, "n_parameters"]  # the user's, in the file's order
    laws: Annotated[Matrix, "n_laws", 3]  # value, first and second time derivative of each law at the last evaluation
    masses: Annotated[Matrix, "n_b", 10]  # mass, inertia about the centre of mass in body axes, row by row (planar: [1] only)
    gravity: Annotated[Vector, 3]  # m/s2
    frames: Annotated[Matrix, "n_b + 1", "frame_columns.COLUMNS"]  # of each body, last the ground: pose and velocity at the last evaluation
    primitives: Annotated[Table, "n_primitives", 5]  # kind, first row, first body, second body, law (-1: none)
    geometry: Annotated[Matrix, "n_primitives", 16]  # points and vectors in body axes; a constant in [7] (plane), [15] (space)
    loads: Annotated[Table, "n_loads", 4]  # kind, first body, second body, first law (-1: constant)
    load_data: Annotated[Matrix, "n_loads", 9]  # points in body axes and constants of each load; more columns where a kind has more
    jacobian: Annotated[Matrix, "m", "2 * b"]  # the two body blocks of each row of C
    row_bodies: Annotated[Table, "m", 2]  # their bodies; n_b: ground, -1: a row of the user's equation or of a joint coordinate
    row_shares: Annotated[Vector, "m"]  # of each row of C at the last evaluation, what has not cancelled: kernels.linalg.divisor
    # in joint coordinates only, else empty
    tree: Annotated[Table, "n_nodes", "tree_columns.COLUMNS"]  # motions of the joints, parents first
    tree_data: Annotated[Matrix, "n_nodes", "tree_columns.CONSTANTS"]  # their geometry and inertia, constant
    tree_work: Annotated[Matrix, "n_nodes", "tree_columns.WORK"]  # what was found at the last evaluation, and a method's scratch
    wrenches: Annotated[Vector, "b * n_laden"]  # loads on the bodies; n_laden is n_b, or 0 where there are none
    # of models with relative coordinates, else empty: scalars between two bodies that loads act along and laws read (elements/relative)
    relative: Annotated[Table, "n_relative", 5]  # kind, first body, second body, coordinate and speed (of a STATE, else -1)
    relative_data: Annotated[Matrix, "n_relative", 24]  # as in geometry; from 16 on the axes of an ABOUT in both bodies, as quaternions
    relative_values: Annotated[Matrix, "n_relative", "relative.GRADIENT + 2 * b"]  # kernels.relative: value, its rates, effort; gradient
    tables: Annotated[Matrix, "n_tables", "tables.COLUMNS"]  # a row for each of the user's tables, then the pieces of their splines


class Arrays(Packed, _Arrays):
    """What a system is made of. Constant in a run but for `laws`, `frames`, `jacobian`, `row_shares`, `tree_work`, `wrenches`,
    `relative_values`: scratch.

    `n_b` bodies, `b` = 3 (planar) or 6 (spatial) speeds a body, `m` rows of C. Index `n_b` in `frames` is the ground. The widths that
    modules of `mbsim.kernels` count are named by these (`mbsim.system.arrays`).
    """

    extents: ClassVar[dict[str, tuple[Array, tuple[str | int, ...]]]]


ORIENTATION = Workspace(  # of the configuration (methods/_branch.py); m is 0 where it is not watched
    "orientation",
    weights=vector("n"),  # M_jj^-1/2, so that metres and radians compare
    q=vector("n_q"),  # where the orientation was last taken
    C=matrix("m", "n"),  # at the state looked at
    columns=indices("m * n"),  # those of C in which row i is ever written, even as zero, from i n on
    written=indices("m"),  # how many these are
    places=indices("n"),  # where a column of C stands in what follows, so that the entries of a row are close to each other
    rows=matrix("m", "n"),  # weighted unit rows at the state looked at
    unit=matrix("m", "n"),  # the same where it was last taken
    G=matrix("m", "m"),  # C_1 C_1' = G G' there, of the rows picked
    picked=indices("m"),  # which these are
    low=indices("m"),  # the first places of the rows of G that are not zero
    foremost=vector("m"),  # the vector that came to the fore last among powers
    first=indices("m"),  # the places in a row that were not zero so far: from here
    last=indices("m"),  # up to here
    Y=matrix("m", "n"),  # scratch, like all that follow
    X=matrix("m + 1", "m"),
    order=indices("m"),
    exchanged=indices("m"),
    begin=indices("m"),
    end=indices("m"),
    begins=indices("m"),
    ends=indices("m"),
    x=vector("m"),
    z=vector("m"),
    y=vector("n"),
)


class _Work(NamedTuple):
    M: Matrix  # (n, n) mass matrix; structural zeros are written once, at allocation; (0, 0) where the method reads Arrays.masses
    h: Vector  # (n,) applied and gyroscopic forces
    C: Matrix  # (m, n) velocity constraint matrix; structural zeros as in M; (0, 0) where the method reads Arrays.jacobian
    xi: Vector  # (m,) C v + xi = 0
    eta: Vector  # (m,) C v_dot + eta = 0
    phi: Vector  # (n_holonomic,) position residual
    v: Vector  # (n,) velocity
    a: Vector  # (n,) v_dot
    lam: Vector  # (m,) multipliers, C' lam is the generalised reaction
    power: Vector  # (1,) W, of non-conservative forces
    skyline: Indices  # (n,) first column of each row of M that can be other than zero
    length: Vector  # (1,) of a link, m (`analyses.lengths`); 0 until it is known
    scales: Vector  # (n,) of speeds: v over these are turns, slides in four links; ones until the length is known, like what follows
    state_scales: Vector  # (n + n_q + 1,) of z: links or rad, and of its work the energy of a body that is a link a second fast
    row_scales: Vector  # (m,) of rows: phi and C v + xi over these are in rad or links
    dense: Indices  # (max(m, n),) zeros: the skyline of a full matrix
    displacement: Vector  # (n,) scratch of who moves coordinates
    rows: Indices  # (m,) of C, those first that count until the next accepted state (methods/_rows.py)
    status: Indices  # (8,) see the STATUS constants
    counts: Indices  # (7,) see the COUNT constants
    settings: Vector  # (24,) see the SETTING constants
    event: Vector  # (7 + n_q,) of the stop expression: see the EVENT constants
    corners: Matrix  # (k, 4) of the numbers that change a law where they pass a bound, after the last trial: see the CORNER constants
    kept_corners: Matrix  # (k, 11) of the same what is kept between steps: see the KEPT constants; k is 0 where none are located
    locating: Vector  # (7,) of the search for a passage: see the LOCATE constants
    row: Vector  # (n_q + 2 n + m + 1,) scratch of the length of an output row, for the integrators
    beside: Vector  # (5,) of a state beside a singular position: see the BESIDE constants
    beside_q: Vector  # (n_q,) its coordinates
    beside_v: Vector  # (n,) and velocity
    watch: Vector  # (23,) of how closely a step was followed, and of the orientation: see the WATCH constants
    orientation: Annotated[Any, ORIENTATION]
    plan: Table  # (k, 8) what a method with a `plan` works out from the system before the run; (1, 8) zeros for the others
    own: Annotated[Any, Workspace("own")]  # the last: the arrays that the method declares (WORKSPACE), read as WORKSPACE(work)


class Work(Packed, _Work):
    """What a method overwrites. Allocated once a run; there is no allocation in the step loop."""


ARRAYS = Arrays.block = Block(Arrays)
Arrays.extents = declared(Arrays)
WORK = Work.block = Block(Work)
Workspace.stand_in(WORK, "own")

# Work.status
STATUS_CODE, STATUS_INDEX, STATUS_RANK, STATUS_FRESH, STATUS_CHANGED, STATUS_NEAR, STATUS_PAUSE = 0, 1, 2, 3, 4, 5, 6
STATUS_HELD, STATUSES = 7, 8
# CHANGED: what ACCEPT said last was CHANGED; NEAR: other than zero close to a singular position, where `project` goes to round-off;
# PAUSE: the evaluations (Work.counts) from which on a march returns to Python before its next step; HELD: how many of Work.rows
# count, 0 where none were picked; less than 0 where others are to be
# what Work.status[STATUS_CODE] and the return value of RHS, ACCEPT and EXPAND say; STATUS_INDEX is the speed or constraint row to
# blame; NOT_FINITE: the entry of [z; constraint rows]
OK, SINGULAR_MASS, DEPENDENT_CONSTRAINTS, NOT_FINITE, DRIFT_REMAINS = 0, 1, 2, 3, 4
# further: an iteration of a step did not converge; an integrator's step became too small; the stop expression crossed zero (the step
# is not taken: the driver locates the crossing); what an integrator in Python says itself
NO_CONVERGENCE, STEP_TOO_SMALL, STOPPED, SOLVER_FAILED = 5, 6, 7, 8
# after a step, which is then not taken: it is too long for the constraints to be followed; the configuration turned over
COARSE, CROSSED = 9, 10
# further: a march goes on where it was when it is called again; it gets nowhere
PAUSED, NO_HEADWAY = 11, 12
BASIS_LOST = 13  # the independent speeds that the user has named no longer determine the motion
CHANGED = -1  # ACCEPT only: z has a new meaning (a renewed basis); a multistep integrator restarts its history
# Work.counts
COUNT_STEPS, COUNT_EVALUATIONS, COUNT_FACTORISATIONS, COUNT_SVDS, COUNT_CORRECTIONS, COUNT_ITERATIONS, COUNT_REJECTED = 0, 1, 2, 3, 4, 5, 6
COUNT_NAMES = ("steps", "evaluations", "factorisations", "svds", "corrections", "iterations", "rejected")
# Work.event: the stop expression, its rate and the time, after the last accepted step and after the last step, taken or not; up to when
# the driver has looked whether it touches zero between two steps; scratch for q_dot
EVENT_LAST, EVENT_NEW, EVENT_LOOKED, EVENT_RATES = 0, 3, 6, 7
EVENT_VALUE, EVENT_RATE, EVENT_TIME, EVENT_SIZE = 0, 1, 2, 3  # within each of the first two
# Work.corners, a row for each number: its value, its rate (NaN: not known), and the bounds between which its law does not change
CORNER_VALUE, CORNER_RATE, CORNER_LOWER, CORNER_UPPER, CORNER = 0, 1, 2, 3, 4
# Work.kept_corners: the first four after the last accepted step; the slope by which a passage is aimed at; the largest value so far; when
# it was passed last, how often since then in close succession, up to when it is stepped over for that, for how long then, and when first
KEPT_SLOPE, KEPT_LARGEST, KEPT_PASSED, KEPT_CROWD, KEPT_RESTS, KEPT_REST, KEPT_FIRST, KEPT = 4, 5, 6, 7, 8, 9, 10, 11
# Work.locating: the time of the last accepted step (NaN: none yet), where the next trial of a step ends (-inf: anywhere), where a trial
# ended beyond a passage (-inf: none did), the step that was tried then, trials since the last accepted step that were too long, how much
# wider than usual the step over a passage is, and how many were located
LOCATE_TIME, LOCATE_TARGET, LOCATE_BEYOND, LOCATE_USUAL, LOCATE_TRIES, LOCATE_WIDER, LOCATE_COUNT, LOCATES = 0, 1, 2, 3, 4, 5, 6, 7
# Work.beside: the time, NaN where there is no such state; the weakest pivot found last, and at the last accepted state (NaN: none yet);
# that of Work.rows when they were picked, and at the last evaluation
BESIDE_TIME, BESIDE_PIVOT, BESIDE_ACCEPTED, BESIDE_HELD, BESIDE_LAST, BESIDE = 0, 1, 2, 3, 4, 5
# Work.watch: whether `project` is to look at its correction; time of the last accepted state, length of the step; the correction that is
# let pass, of the way, and the square of the last one over it (methods/_correction.py); way since the orientation was taken, and where
# it is due again; its rank, smallest singular value, change per way, and how often since then the rank was lower; its time; times up
# to which a crossing passes, is resolved (methods/_branch.py); from which a step through one was tried (integrators/_embedded.py); up to
# which the driver has seen that there is none; the way from which on a march returns to Python after a step that ends on a singular
# position; the speed (largest of Work.scales) after the last accepted step, of the last step taken or not, the largest so far, and the
# largest that it changed by in a second; from which the driver was last asked for a singular position ahead, and where one lies that the
# march is to step over (integrators/_leaps.py)
WATCH_ASKED, WATCH_TIME, WATCH_SPAN, WATCH_LIMIT, WATCH_SHARE, WATCH_WAY, WATCH_DUE = 0, 1, 2, 3, 4, 5, 6
WATCH_RANK, WATCH_SIGMA, WATCH_RATE, WATCH_LOW, WATCH_TAKEN = 7, 8, 9, 10, 11
WATCH_PASSES, WATCH_RESOLVES, WATCH_LEAPS, WATCH_SURE = 12, 13, 14, 15
WATCH_LANDS, WATCH_SPEED, WATCH_TRIED, WATCH_FASTEST, WATCH_HARDEST, WATCH_PROBED, WATCH_MEETS, WATCHES = 16, 17, 18, 19, 20, 21, 22, 23
# Work.settings; the options of the method and of the integrator follow from METHOD and INTEGRATOR on, in the order of their OPTIONS:
# kernels name them by `method_settings` and `integrator_settings`
SETTING_DRIFT, SETTING_TOLERANCE, SETTING_RHEONOMIC, SETTING_STEP, SETTING_EVENT, SETTING_INDEPENDENT = 0, 1, 2, 3, 4, 5
SETTING_CONTROLLED, SETTING_ORDER, SETTING_STEP_ERROR = 6, 7, 8  # of the steps: whether their error is controlled, their order (0: not
# known), the error of one that is allowed, of its way
SETTING_METHOD, SETTING_INTEGRATOR, SETTINGS = 9, 17, 25
# The clock of a march: the time of the last accepted step, the rows filled, the steps taken since; of an error-controlled one why the
# trials of the next step failed; of one with equal steps, into how many parts the step is cut, how many of these are taken, and whether it
# goes over one row only. A new march starts at times[0] and zeros; one that goes on after a pause finds its own.
CLOCK_TIME, CLOCK_ROWS, CLOCK_STEPS, CLOCK_REASON, CLOCK_BLAMED, CLOCK_REJECTED = 0, 1, 2, 3, 4, 5
CLOCK_PARTS, CLOCK_PART, CLOCK_NARROW, CLOCK = 6, 7, 8, 9
DRIFT_NONE, DRIFT_POSITION, DRIFT_FULL = 0.0, 1.0, 2.0


def _places(first: int, size: int, options: Mapping[str, Any], names: tuple[str, ...]) -> tuple[int, ...]:
    if len(options) > size:
        raise ValueError(f"there is room for {size} options (got {len(options)})")
    return tuple(first + list(options).index(name) for name in names)


def method_settings(options: Mapping[str, Any], *names: str) -> tuple[int, ...]:
    """Where in Work.settings a method's options are, of its OPTIONS. Raises ValueError for one that is not declared."""
    return _places(SETTING_METHOD, SETTING_INTEGRATOR - SETTING_METHOD, options, names)


def integrator_settings(options: Mapping[str, Any], *names: str) -> tuple[int, ...]:
    """The same of an integrator's."""
    return _places(SETTING_INTEGRATOR, SETTINGS - SETTING_INTEGRATOR, options, names)


def choices(options: Mapping[str, Any], option: str, *words: str) -> tuple[float, ...]:
    """What stands in Work.settings for each of these words of an option. Raises ValueError for one that is no choice of it."""
    return tuple(float(options[option]["choices"].index(word)) for word in words)


# The contracts. q holds the coordinates and behind them the states of the user's (`System.states`), which `move` leaves alone: z = [speeds
# of the method; q; W]. `constraints` comes first at a state; `dynamics` may use the poses it left in `arrays.frames`. Of systems of bodies,
# an empty C or M is not filled: who passes one reads `arrays.jacobian` and `arrays.masses`. With equations of the user's, C must be there.
# In absolute coordinates an empty eta is not filled, and with an empty q `residual` takes the poses that the last evaluation left.
CONSTRAINTS = void(ARRAYS, f8, A1, A2, A1)  # t q -> C xi
DYNAMICS = void(ARRAYS, f8, A1, A1, A2, A1, A1, A1)  # t q v -> M h eta power
RESIDUAL = void(ARRAYS, f8, A1, A1)  # t q -> phi
RATES = void(ARRAYS, f8, A1, A1, A1)  # t q v -> q_dot = N(q) v, and the rates of the states in q
MOVE = void(ARRAYS, A1, A1)  # q d -> q (+) d in place, unit quaternions kept unit
ENERGY = void(ARRAYS, f8, A1, A1, A1)  # t q v -> kinetic, potential, balance energy (J)
# what rows, loads, laws and gyroscopic forces add to c_v D + c_q K of bodies in absolute coordinates: arrays, the twins of frames,
# relative_values, laws and jacobian, q v lam, the slopes of laws, c_q c_v, the table of `saddle/bodies`, scratch, a block of two
# bodies, the blocks
BLOCK_TANGENT = void(ARRAYS, A2, A2, A2, A2, A1, A1, A1, A1, f8, f8, I2, A2, A2, A1)
# derivatives along a direction (q_d, v_d): arrays, twin, t q q_d v v_d -> C C_d xi xi_d M M_d h h_d eta eta_d power power_d q_dot q_dot_d
DIRECTION = void(ARRAYS, ARRAYS, f8, A1, A1, A1, A1, A2, A2, A1, A1, A2, A2, A1, A1, A1, A1, A1, A1, A1, A1)
VARIATION = void(
    ARRAYS, ARRAYS, f8, f8, A1, A1, A1, A1, A2, A2, A1, A1, A2, A2, A1, A1, A1, A1, A1, A1, A1, A1
)  # the same along t too: t t_d
EVENT = void(ARRAYS, f8, A1, A1, A1, A1, A1)  # t q v q_dot v_dot -> the stop expression and its rate
CORNERS = void(ARRAYS, f8, A1, A1, A1, A1, A2)  # t q v q_dot v_dot -> Work.corners


class _SystemFunctions(NamedTuple):
    constraints: Annotated[Any, Function(CONSTRAINTS)]
    dynamics: Annotated[Any, Function(DYNAMICS)]
    residual: Annotated[Any, Function(RESIDUAL)]
    rates: Annotated[Any, Function(RATES)]
    move: Annotated[Any, Function(MOVE)]
    energy: Annotated[Any, Function(ENERGY)]
    event: Annotated[Any, Function(EVENT)]
    tangent: Annotated[Any, Function(BLOCK_TANGENT)]
    corners: Annotated[Any, Function(CORNERS)]  # called where Work.corners has rows
    slopes: Annotated[Any, Function(ENERGY)]  # t q v -> derivatives of the laws by what they read (`system.laws.reads`)


class SystemFunctions(Packed, _SystemFunctions):
    """The kernels of a system."""


SYSTEM = SystemFunctions.block = Block(SystemFunctions)
RHS = i8(SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z -> z_dot; z = [speeds of the method; q; work done]
PROJECT = i8(SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t q v -> q and v on the constraints, in place; v may be empty
START = i8(SYSTEM, ARRAYS, WORK, f8, A1, A1, A1)  # t q v -> z[:n_v], the method's speeds
ACCEPT = i8(Function(PROJECT), Function(START), SYSTEM, ARRAYS, WORK, f8, A1)  # after a step, t z
EXPAND = i8(Function(RHS), SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z -> output row [q; v; v_dot; lam; work done]


class _MethodFunctions(NamedTuple):
    rhs: Annotated[Any, Function(RHS)]
    accept: Annotated[Any, Function(ACCEPT)]
    expand: Annotated[Any, Function(EXPAND)]
    project: Annotated[Any, Function(PROJECT)]
    start: Annotated[Any, Function(START)]
    watch: Annotated[Any, Function(PROJECT)]  # of the orientation; called where Work.orientation has rows


class MethodFunctions(Packed, _MethodFunctions):
    """The kernels of a method for a system."""


METHOD = MethodFunctions.block = Block(MethodFunctions)
STEP = i8(METHOD, SYSTEM, ARRAYS, WORK, f8, f8, A1, A2)  # t dt z scratch: one step, in place; not yet accepted
MARCH = i8(METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)  # times, largest step, z, rows, clock, scratch -> rows filled
MARCH_STEPS = i8(Function(STEP), METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)  # MARCH by steps of equal size
# A step by an explicit formula, of a method that searches for its multipliers: A c (`mbsim.methods.broyden.search`), t dt z, the end of the
# step, what is added to rates, rates of stages; and MARCH with such steps: by equal ones, or with E P exponent of `integrators._embedded`
SEARCH = i8(A2, A1, METHOD, SYSTEM, ARRAYS, WORK, f8, f8, A1, A1, A2, A2)
MARCH_SEARCH = i8(A2, A1, Function(SEARCH), METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)
MARCH_SEARCH_PECE = i8(A2, A1, A2, A1, Function(SEARCH), METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)
MARCH_SEARCH_CONTROLLED = i8(A2, A1, A2, A2, f8, A2, A1, Function(SEARCH), METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)
# of `cfa` (saddle/joints/choice.py). A rank is -1 - i where row i is not finite; a bad row is -1 where there is none
CHOOSE = i8(ARRAYS, WORK, i8, i8)  # rows limit -> rank
IN_ORDER = i8(ARRAYS, WORK, i8)  # rows -> rank
FACTOR = i8(ARRAYS, WORK, i8, f8, I1, A1)  # rows tolerance dropped y -> factors, L^-1 y; a bad row
SOLVE = void(WORK, A1, A1)  # y u
SWEEP = i8(ARRAYS, WORK, A1, A1, A1)  # h y -> out, and what the pivots show
NEAREST = i8(ARRAYS, WORK, i8, i8, f8)  # rows afresh (0, 1) least -> a bad row
MEASURE = void(ARRAYS, A1, A1)  # q v -> arrays.relative_values
OBSERVE = void(SYSTEM, ARRAYS, WORK, I2, A1, A2, A2)  # joint table, times, rows -> out (analysis.observe)
