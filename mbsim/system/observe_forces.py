"""What the force elements of a model of bodies do in output rows, one by one, compiled: the same loads as in a run, each by itself.

Made by the dimension, the coordinates and the elements that are known, like the kernels of `mbsim.system.bodies`, and found by name: the
`forces` of `tree_planar_forces`. A model without forces takes none.
"""

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mbsim.contracts import OBSERVE
from mbsim.elements.dispatch import Chain
from mbsim.elements.kinds import RELATIVE_EFFORT, acts_on, is_common
from mbsim.elements.loads.relative_effort import PART
from mbsim.jit import Compiled, kernel
from mbsim.kernels import observed_columns as col
from mbsim.kernels.relative import EFFORT, RATE, VALUE
from mbsim.kernels.slipping import follow_wraps, give_known
from mbsim.system._trees import effort_of
from mbsim.system.bodies import prefix
from mbsim.system.observe import parts
from mbsim.system.system import System

WIDTH = {col.ON_BODIES: col.WRENCHES + 2 * col.WRENCH, col.ALONG_RELATIVE: col.EFFORTS, col.ALONG_SPEED: col.EFFORTS}
_ON = {"bodies": col.ON_BODIES, "relative": col.ALONG_RELATIVE, "speeds": col.ALONG_SPEED}


def load_table(system: System) -> NDArray[np.int64]:
    """(n_loads, 4) the table of `forces`: see `mbsim.kernels.observed_columns`."""
    table = np.zeros((len(system.loads), 4), np.int64)
    place = 0
    for e, (kind, *_) in enumerate(system.arrays.loads.tolist()):
        on = _ON[acts_on("loads", kind)]
        index = 0 if on == col.ON_BODIES else int(system.arrays.load_data[e, 0])
        table[e] = on, index, place, WIDTH[on]
        place += WIDTH[on]
    return table


def observer_of(system: System) -> Compiled:
    """The kernel `forces` of a system, of contract OBSERVE."""
    arrays = system.arrays
    extended = len(arrays.relative) or not all(is_common("rows", kind) for kind in arrays.primitives[:, 0])
    common = not extended and all(is_common("loads", kind) for kind in arrays.loads[:, 0])
    return observer(system.in_joint_coordinates, system.dimension or 3, common)


@cache
def observer(tree: bool, dimension: int, common: bool) -> Compiled:
    """The kernel `forces` of planar or spatial bodies that knows the `common` loads, or all."""
    planar = dimension == 2
    size, speed = (3, 5) if planar else (6, 12)  # of a wrench; the first column of velocities in Arrays.frames
    force_of = Chain("loads", "force", dimension, common, otherwise="0.0")

    def forces(system, arrays, work, table, times, rows, out):
        frames, values = arrays.frames, arrays.relative_values
        n_b = frames.shape[0] - 1
        h = arrays.wrenches if tree else work.h
        for i in range(rows.shape[0]):
            q, v, _, lam = parts(arrays, work, rows[i])
            system.constraints(arrays, times[i], q, work.C, work.xi)
            follow_wraps(arrays, work)
            give_known(arrays, work, lam)
            system.dynamics(arrays, times[i], q, v, work.M[:0] if tree else work.M, work.h, work.eta, work.power)
            for e in range(arrays.loads.shape[0]):
                kind, first, second, law = arrays.loads[e]
                on, k, o = table[e, col.ON], table[e, col.INDEX], table[e, col.PLACE]
                data = arrays.load_data[e]
                if on == col.ALONG_SPEED:
                    work.h[k] = 0.0
                    out[i, o + col.LOAD_WORK] = effort_of(kind, arrays, law, data, v, work.h)
                    out[i, o + col.LOAD_EFFORT], out[i, o + col.LOAD_RATE] = work.h[k], v[k]
                    out[i, o + col.LOAD_POWER] = work.h[k] * v[k]
                    continue
                if on == col.ALONG_RELATIVE:
                    values[k, EFFORT] = 0.0
                for side in range(2):
                    b = arrays.loads[e, 1 + side]
                    if b < n_b:
                        for c in range(size):
                            h[size * b + c] = 0.0
                out[i, o + col.LOAD_WORK] = force_of(kind, arrays, first, second, law, data, h)
                if on == col.ALONG_RELATIVE:
                    out[i, o + col.LOAD_EFFORT], out[i, o + col.LOAD_VALUE] = values[k, EFFORT], values[k, VALUE]
                    out[i, o + col.LOAD_RATE] = values[k, RATE]
                    if kind == RELATIVE_EFFORT and data[PART] > 0.0:
                        out[i, o + col.LOAD_VALUE], out[i, o + col.LOAD_RATE] = arrays.laws[law + 1, 0], arrays.laws[law + 2, 0]
                    out[i, o + col.LOAD_POWER] = values[k, EFFORT] * values[k, RATE]
                    continue
                power = 0.0
                for side in range(1 if first == second else 2):
                    b = arrays.loads[e, 1 + side]
                    if b < n_b:
                        for c in range(size):
                            out[i, o + col.WRENCHES + col.WRENCH * side + c] = h[size * b + c]
                            power += h[size * b + c] * frames[b, speed + c]
                out[i, o + col.LOAD_POWER] = power

    forces.__name__ = forces.__qualname__ = prefix(tree, dimension, common) + "forces"
    return kernel(OBSERVE)(forces)


_VARIANTS = {f"{prefix(*variant)}forces": variant for variant in product((False, True), (2, 3), (False, True))}


def __getattr__(name: str) -> object:
    if name not in _VARIANTS:
        raise AttributeError(f"there is no kernel {name}")
    return observer(*_VARIANTS[name])
