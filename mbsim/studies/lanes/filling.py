"""Puts a run into a lane in one compiled call: the begin of its march, and what its code reads of it (`tiles.Columns`)."""

from collections.abc import Callable
from math import isnan
from typing import Any, NamedTuple

from mbsim.contracts import ARRAYS, METHOD, SETTING_TOLERANCE, SYSTEM, WORK
from mbsim.jit import GIVEN, bound, helper, kernel
from mbsim.jit.signatures import A1, A2, Block, Indices, Matrix, Packed, Vector, f8, i8
from mbsim.kernels.beginning import BEGUN, START, begin
from mbsim.system.system import Floats

OTHER = -1  # a number that is folded is another one: no run of this code
# Of `Filled.places`: the first slots of what a run begins with, and how many speeds it has in a basis; 0 where v is kept.
T, TOLERANCE, VARIED, SCALES, ROW_SCALES, V2, SPEEDS, Q, W, KEPT_SPEEDS = range(10)
PLACED = ("t", "tolerance", "varied", "scales", "row_scales", "V2", "speeds", "q", "W")  # in this order


class _Filled(NamedTuple):
    numbers: Vector  # (k,) of the system's arrays, as they are now
    base: Vector  # those that are folded
    same: Indices  # where these are
    varied: Indices  # where the inputs are
    places: Indices
    basis: Matrix  # V2' of the method, its columns permuted
    columns: Indices  # the order of them
    near: Vector  # (n_q,) how far coordinates may go
    state: Indices  # the places of z that the code has
    known: Matrix  # [out] (LANES, k) the numbers of the runs
    firsts: Matrix  # [out] (width, LANES) the first rows
    limits: Matrix  # [out] (n_q, LANES)
    scales: Matrix  # [out] (len(state), LANES) of z
    measured: Matrix  # [out] (LANES, k) as of `march.lengths`
    slots: Matrix  # [out]


class Filled(Packed, _Filled):
    """The arrays of a tile, and of the method of its runs."""


FILLED = Filled.block = Block(Filled)
# lane, as `beginning.BEGIN`, the memory of the work arrays and what is in it before a run, the arrays of the tile
FILL_LANE = i8(i8, METHOD, SYSTEM, ARRAYS, WORK, f8, START, f8, f8, i8, i8, A1, A1, FILLED)
# first run, how many, as above without the lane; the first of Arrays.parameters, q and v of the runs, and where the parameters stand among
# the numbers
FILL_LANES = i8(i8, i8, *FILL_LANE.arguments[1:], A2, A2, A2, i8)


@helper
def is_folded(of):
    """Whether the numbers that the code has folded are what they were; no number where there was none."""
    for k in range(of.same.shape[0]):
        x, known = of.numbers[of.same[k]], of.base[k]
        if x != known and not (isnan(x) and isnan(known)):
            return False
    return True


@helper
def put_basis(of, z, lane):
    """V2' over the scales, and p."""
    k, n, first = of.places[KEPT_SPEEDS], of.columns.shape[0], of.places[V2]
    for i in range(k):
        for j in range(n):
            of.slots[first + i * n + of.columns[j], lane] = of.basis[i, j]
        of.slots[of.places[SPEEDS] + i, lane] = z[i]


@helper
def put_measured(work, out):
    """The numbers of `march.lengths.MEASURED`, in their order."""
    n, k = work.scales.shape[0], work.state_scales.shape[0]
    out[0], out[1 + n] = work.length[0], work.rate[0]
    for j in range(n):
        out[1 + j] = work.scales[j]
    for j in range(k):
        out[2 + n + j] = work.state_scales[j]
    for r in range(work.row_scales.shape[0]):
        out[2 + n + k + r] = work.row_scales[r]


@helper
def put_lane(of, work, t, start, lane):
    """Fill the lane."""
    slots, places, q, n = of.slots, of.places, start.q, start.v.shape[0]
    slots[places[T], lane], slots[places[TOLERANCE], lane] = t, work.settings[SETTING_TOLERANCE]
    for k in range(of.varied.shape[0]):
        slots[places[VARIED] + k, lane] = of.numbers[of.varied[k]]
    for j in range(n):
        slots[places[SCALES] + j, lane] = work.scales[j]
    for r in range(work.row_scales.shape[0]):
        slots[places[ROW_SCALES] + r, lane] = work.row_scales[r]
    if places[KEPT_SPEEDS] > 0:
        put_basis(of, start.z, lane)
    else:
        for j in range(n):
            slots[places[SPEEDS] + j, lane] = start.v[j]
    for i in range(q.shape[0]):
        slots[places[Q] + i, lane] = start.z[n + i]
        of.limits[i, lane] = of.near[i]
    slots[places[W], lane] = start.row[start.row.shape[0] - 1]
    for i in range(start.row.shape[0]):
        of.firsts[i, lane] = start.row[i]
    for i in range(of.state.shape[0]):
        of.scales[i, lane] = work.state_scales[of.state[i]]
    for k in range(of.numbers.shape[0]):
        of.known[lane, k] = of.numbers[k]
    put_measured(work, of.measured[lane])


@helper
def fill_one(lane, method, system, arrays, work, t, start, asked, span, n_c, known, pool, fresh, of):
    """Begin the run from the start (q, v), as `begin` does it, and fill a lane with it; returns what `begin` does, or OTHER."""
    if not is_folded(of):
        return OTHER
    for i in range(pool.shape[0]):
        pool[i] = fresh[i]
    start.z[:] = 0.0
    found = begin(method, system, arrays, work, t, start, asked, span, n_c, known)
    if found == BEGUN:
        put_lane(of, work, t, start, lane)
    return found


@kernel(FILL_LANE)
def fill_lane(lane, method, system, arrays, work, t, start, asked, span, n_c, known, pool, fresh, of):
    """Fill a lane with the run whose numbers and start are in the arrays."""
    return fill_one(lane, method, system, arrays, work, t, start, asked, span, n_c, known, pool, fresh, of)


@kernel(FILL_LANES)
def fill_lanes(
    first, count, method, system, arrays, work, t, start, asked, span, n_c, known, pool, fresh, of, parameters, q, v, place,
):  # fmt: skip
    """Fill the first `count` lanes with runs from tables, whose other numbers are in the arrays; returns how many it could fill."""
    for lane in range(count):
        for k in range(parameters.shape[1]):
            arrays.parameters[k] = parameters[first + lane, k]
            of.numbers[place + k] = parameters[first + lane, k]
        for i in range(q.shape[1]):
            start.q[i] = q[first + lane, i]
        for j in range(v.shape[1]):
            start.v[j] = v[first + lane, j]
        if fill_one(lane, method, system, arrays, work, t, start, asked, span, n_c, known, pool, fresh, of) != BEGUN:
            return lane
    return count


class Filler:
    """Fills the lanes of a tile."""

    def __init__(
        self, begins: tuple[Any, ...], memory: tuple[Floats, Floats], of: Filled, take: Callable[[Floats], None], place: int
    ) -> None:
        """`begins`: the arguments of `beginning.begin`; `memory`: of the work arrays, and what is in it before a run; `take` gets the
        numbers of the system's arrays, among which the parameters stand at `place`."""
        self._given, self._of, self._take, self._place = (*begins, *memory, of), of, take, place
        self._one: Callable[[int], int] = bound(fill_lane, GIVEN, *self._given)
        self._many: Callable[[int, int], int] | None = None

    def __call__(self, lane: int) -> int:
        """Fill a lane with the run whose numbers are in the arrays and whose start is in those of a march; BEGUN where that is done."""
        self._take(self._of.numbers)
        return self._one(lane)

    def hold(self, parameters: Floats, q: Floats, v: Floats) -> None:
        """Have tables of runs: parameters, coordinates and speeds, of each a row."""
        self._many = bound(fill_lanes, GIVEN, GIVEN, *self._given, parameters, q, v, self._place)

    def many(self, first: int, count: int) -> bool:
        """Fill the first lanes with so many runs of the tables; whether all of them are filled."""
        assert self._many is not None
        self._take(self._of.numbers)
        return self._many(first, count) == count
