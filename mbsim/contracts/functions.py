"""The signatures through which systems, methods and integrators meet."""

from typing import Annotated, NamedTuple

from mbsim.contracts.arrays import ARRAYS
from mbsim.contracts.work import WORK
from mbsim.jit.signatures import A1, A2, I1, I2, Block, Compiled, Function, Packed, f8, i8, void

# q holds the coordinates and behind them the states of the user's (`System.states`), which `move` leaves alone: z = [speeds
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
EVENT = void(ARRAYS, f8, A1, A1, A1, A1, A1, A2)  # t q v q_dot v_dot lam -> of each event its expression and rate, in Work.events
EVENTS_ALIKE = void(ARRAYS, f8, A1, A1, A1, A1, A1, A2, i8)  # EVENT of the rows of Arrays.event_reads that are of this loop
CORNERS = void(ARRAYS, f8, A1, A1, A1, A1, A2)  # t q v q_dot v_dot -> Work.corners
COMPLETE = i8(ARRAYS, f8, A1, A1, A1)  # t q v scratch: units hear that a step is completed -> whether states in q have other values now
SAMPLE = void(ARRAYS, f8, A1, A1, A2, A1)  # t q v, the table of samples -> the held states that are due, in their places of q


class _SystemFunctions(NamedTuple):
    constraints: Annotated[Compiled, Function(CONSTRAINTS)]
    dynamics: Annotated[Compiled, Function(DYNAMICS)]
    residual: Annotated[Compiled, Function(RESIDUAL)]
    rates: Annotated[Compiled, Function(RATES)]
    move: Annotated[Compiled, Function(MOVE)]
    energy: Annotated[Compiled, Function(ENERGY)]
    event: Annotated[Compiled, Function(EVENT)]
    tangent: Annotated[Compiled, Function(BLOCK_TANGENT)]
    corners: Annotated[Compiled, Function(CORNERS)]  # called where Work.corners has rows
    slopes: Annotated[Compiled, Function(ENERGY)]  # t q v -> derivatives of the laws by what they read (`system.laws.reads`)


class SystemFunctions(Packed, _SystemFunctions):
    """The kernels of a system."""


SYSTEM = SystemFunctions.block = Block(SystemFunctions)
RHS = i8(SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z -> z_dot; z = [speeds of the method; q; work done]
PROJECT = i8(SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t q v -> q and v on the constraints, in place; v may be empty
START = i8(SYSTEM, ARRAYS, WORK, f8, A1, A1, A1)  # t q v -> z[:n_v], the method's speeds
ACCEPT = i8(Function(PROJECT), Function(START), SYSTEM, ARRAYS, WORK, f8, A1)  # after a step, t z
EXPAND = i8(Function(RHS), SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z -> output row [q; v; v_dot; lam; work done]


class _MethodFunctions(NamedTuple):
    rhs: Annotated[Compiled, Function(RHS)]
    accept: Annotated[Compiled, Function(ACCEPT)]
    expand: Annotated[Compiled, Function(EXPAND)]
    project: Annotated[Compiled, Function(PROJECT)]
    start: Annotated[Compiled, Function(START)]
    watch: Annotated[Compiled, Function(PROJECT)]  # of the orientation; called where Work.orientation has rows


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
# marches in parts that end at samples (`integrators._sampled`): by steps of equal size; by a pair, with its A C E P exponent
MARCH_SAMPLED_STEPS = i8(Function(MARCH_STEPS), Function(STEP), Function(SAMPLE), A2, METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)
MARCH_TABLEAU = i8(A2, A1, A2, A2, f8, METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)
MARCH_SAMPLED_TABLEAU = i8(
    Function(MARCH_TABLEAU), A2, A1, A2, A2, f8, Function(SAMPLE), A2, METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2
)
# of `cfa` (saddle/joints/choice.py). A rank is -1 - i where row i is not finite; a bad row is -1 where there is none
CHOOSE = i8(ARRAYS, WORK, i8, i8)  # rows limit -> rank
IN_ORDER = i8(ARRAYS, WORK, i8)  # rows -> rank
FACTOR = i8(ARRAYS, WORK, i8, f8, I1, A1)  # rows tolerance dropped y -> factors, L^-1 y; a bad row
SOLVE = void(WORK, A1, A1)  # y u
SWEEP = i8(ARRAYS, WORK, A1, A1, A1)  # h y -> out, and what the pivots show
NEAREST = i8(ARRAYS, WORK, i8, i8, f8)  # rows afresh (0, 1) least -> a bad row
MEASURE = void(ARRAYS, A1, A1)  # q v -> arrays.relative_values
OBSERVE = void(SYSTEM, ARRAYS, WORK, I2, A1, A2, A2)  # joint table, times, rows -> out (analysis.observe)
# table, numbers and memory of its rows (kernels/told_columns.py), t, output row, what OBSERVE wrote of it -> a number for each row
TELL = void(ARRAYS, I2, A2, A2, f8, A1, A1, A1)
