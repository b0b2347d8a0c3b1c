"""`Pencil`: the linear system of the stages of an implicit step, its arrays and kernels, by which integrators and forms of it meet.

The unknowns u of a stage are [v_dot; multipliers; rates of the states; power]: with dense matrices without the multipliers, by blocks of
bodies without states. Of methods that have speeds of their own all coordinates are states. The last, of which nothing depends, is no part
of the linear system.
"""

from typing import Annotated, NamedTuple

from mbsim.contracts.arrays import ARRAYS
from mbsim.contracts.functions import METHOD, SAMPLE, SYSTEM, SystemFunctions
from mbsim.contracts.work import WORK
from mbsim.jit.signatures import A1, A2, Block, Compiled, Function, Indices, Matrix, Packed, Table, Vector, f8, i8, void


class _PencilArrays(NamedTuple):
    functions: Annotated[SystemFunctions, SYSTEM]  # those of the system, with tangents where it is by blocks
    factors: Vector  # by blocks: of the real matrix, and behind it of the complex ones
    real_factors: Matrix  # (k, k) dense: of the real matrix
    complex_factors: Matrix  # (pairs k, 2 k) and of one complex matrix below the other, each number as two
    orders: Indices  # rows as exchanged, of one matrix after the other
    right: Vector  # in the order of an elimination, real or complex
    # dense: derivatives of u (k,) by the speeds and states, and by displacements
    by_speeds: Matrix  # (k, k)
    by_displacements: Matrix  # (k, n), without columns where coordinates are states
    z: Vector
    rates: Vector
    varied: Vector
    # by blocks of bodies: see `mbsim.saddle.flows`
    table: Table
    of_speed: Indices  # (n,) where v_dot stands in the order of the elimination
    of_row: Indices  # (m,) and the multipliers
    dropped: Indices  # (m,) 1 where a row is left out, as it depends on others
    rigid: Vector
    damping: Vector
    stiffness: Vector
    time: Vector
    C: Matrix
    xi: Vector
    M: Matrix
    h: Vector
    eta: Vector
    power: Vector
    force: Vector
    side: Vector
    frames: Matrix
    relative_values: Matrix
    laws: Matrix
    jacobian: Matrix
    body_q: Vector
    body_v: Vector
    slopes: Vector
    spare: Matrix
    local: Matrix
    rows: Matrix  # (m, n) scratch of the choice of rows, where they may be dependent
    coefficients: Matrix  # (m, m)
    row_order: Indices  # (m,)


class PencilArrays(Packed, _PencilArrays):
    """What the kernels of a pencil read and write."""


PENCIL = PencilArrays.block = Block(PencilArrays)
MISS = i8(PENCIL, METHOD, SYSTEM, ARRAYS, WORK, f8, A1, A1, A1)  # t z u -> what u misses (k,), and the power
LINEARISE = i8(PENCIL, METHOD, SYSTEM, ARRAYS, WORK, f8, A1, A1)  # t z u: the derivatives there
FACTOR_PENCIL = i8(PENCIL, i8, f8, f8)  # the factors of I - c d/dv - c^2 d/dq, c of these parts, to the place with this number
SOLVE_PENCIL = void(PENCIL, i8, A1)  # a place, and the right side, which becomes the solution; complex ones as pairs of numbers


class _Stages(NamedTuple):
    pencil: Annotated[PencilArrays, PENCIL]
    miss: Annotated[Compiled, Function(MISS)]
    linearise: Annotated[Compiled, Function(LINEARISE)]
    factor: Annotated[Compiled, Function(FACTOR_PENCIL)]
    solve: Annotated[Compiled, Function(SOLVE_PENCIL)]
    c: Vector  # (s,) the coefficients, as `mbsim.integrators._collocation` names them
    A: Matrix
    P: Matrix
    eigenvalues: Vector
    to_modes: Matrix
    from_modes: Matrix
    E: Vector
    U: Matrix  # (s, k + 1) unknowns of the stages
    last_U: Matrix  # of the last step
    first_u: Vector  # at the start of the step
    Z: Matrix  # (s, n_z) states of the stages
    rates: Matrix  # (s, n_q) of their coordinates
    missed: Matrix  # (s, k + 1)
    changes: Matrix  # (s, k) in modes
    right: Vector  # (2 k,)
    error: Vector  # (n_z,)
    e_v: Vector  # (n,) estimated errors: of the speeds
    e_q: Vector  # (n_q,) of the coordinates
    e_x: Vector  # (n_x,) of the states
    moved: Vector  # (n_z,) scratch
    placed: Vector  # (n_z,) scratch: a state before it is moved, with unit quaternions
    interpolated: Vector  # (n_z,) scratch: a row before it is moved
    turned: Vector  # (n_q,) scratch
    turning: Table  # bodies with stiff springs that turn with them: `mbsim.integrators._turning`
    since: Vector  # (n_z,) the state where the derivatives belong to
    over_c: Vector  # (16,) an explicit formula for steps over singular positions: its places, as those of DOP853 the interpolant's included
    over_A: Matrix  # (16, 16)
    over_E: Matrix  # (2, 13)
    over_P: Matrix  # (16, 7)
    over_K: Matrix  # (16, n_z) z_dot at its stages
    memory: Vector


class Stages(Packed, _Stages):
    """A method of coupled stages for a system: coefficients, kernels, arrays, and what is kept between steps."""


STAGES = Stages.block = Block(Stages)
MARCH_STAGES = i8(STAGES, METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)  # MARCH by such steps
# in parts that end at samples (`mbsim.integrators._sampled`)
MARCH_SAMPLED_STAGES = i8(Function(MARCH_STAGES), STAGES, Function(SAMPLE), A2, METHOD, SYSTEM, ARRAYS, WORK, A1, f8, A1, A2, A1, A2)
