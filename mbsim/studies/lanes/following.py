"""Which lanes have output rows that may not follow the motion: of all others nothing lies between them (`march/between.py`).

The rules are those of `kernels/following.py`, a little stricter. A run of which they tell a place is looked at by itself. Loops go over the
numbers of several speeds in all lanes, which lie beside each other, so that they become vectors.
"""

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mbsim.jit import bound, kernel, unfolded
from mbsim.jit.signatures import A1, A2, I1, I2, f8, i8
from mbsim.jit.straight.emission import LANES
from mbsim.kernels.following import APART, AT_REST, JUMPS, NO_COORDINATE, SLOW
from mbsim.march.between import FOLLOWS, rates_of
from mbsim.system.system import Floats, System

STRICTER = 0.999  # times the limits: round-off between both ways does not decide
# times (s), all rows of all lanes, numbers in a row of all of them, coordinates in a row, unit of each speed, of speeds that follow each
# other and whose coordinates do the first, its coordinate and their number; share, absolute tolerance, [scratch] largest speeds of each
# unit, scales of speeds, what is missed with a row before and after; [out] flags
MISSES = i8(A1, A1, i8, i8, I1, I2, f8, f8, A1, A1, A2, A1)


@unfolded
def measure(rows, width, at, count, units, most, atol, scales):
    """Set the scales of speeds by their largest values."""
    m = scales.shape[0]
    scales[:], most[:] = 0.0, 0.0
    for i in range(count):
        first = i * width + at
        for k in range(m):
            scales[k] = max(scales[k], abs(rows[first + k]))
    for k in range(m):
        place = units[k // LANES] * LANES + k % LANES
        most[place] = max(most[place], scales[k])
    for k in range(m):
        scales[k] = max(scales[k], SLOW * most[units[k // LANES] * LANES + k % LANES], AT_REST * atol)


@unfolded
def find_missed(rows, v, a, width, half, out):
    """What the trapezoidal rule misses of the speeds from v on, whose accelerations are from a on, until the next row."""
    for k in range(out.shape[0]):
        out[k] = abs(rows[v + width + k] - rows[v + k] - half * (rows[a + k] + rows[a + width + k]))


@unfolded
def mark_missed(missed, share, scales, flags):
    """Flag the speeds of which more than a share of their scale is missed."""
    for k in range(flags.shape[0]):
        flags[k] = max(flags[k], 1.0 if missed[k] > share * scales[k] else 0.0)


@unfolded
def mark_moved(rows, q, v, width, half, share, atol, scales, flags):
    """Flag the speeds from v on, whose coordinates from q on move otherwise than they say."""
    for k in range(flags.shape[0]):
        moved = abs(rows[q + width + k] - rows[q + k] - half * (rows[v + k] + rows[v + width + k]))
        flags[k] = max(flags[k], 1.0 if moved > share * scales[k] + atol else 0.0)


@unfolded
def mark_jumps(before, here, after, less, more, scales, flags):
    """Flag the speeds of which more is missed than smooth motions do: `less` and `more` times as much as on both sides."""
    for k in range(flags.shape[0]):
        jumps = here[k] > STRICTER * JUMPS * scales[k] and here[k] > less * before[k] and here[k] > more * after[k]
        flags[k] = max(flags[k], 1.0 if jumps else 0.0)


@kernel(MISSES)
def misses(times, rows, width, n_q, units, runs, share, atol, most, scales, missed, flags):
    """Set flags to 1 where the rows of a lane may miss something of a speed, else to 0; returns how many there are."""
    m, last, at, found = flags.shape[0], times.shape[0] - 1, n_q * LANES, 0
    measure(rows, width, at, last + 1, units, most, atol, scales)
    flags[:], missed[0, :], missed[last + 1, :] = 0.0, -1.0, -1.0
    for i in range(last):
        v, dt = i * width + at, times[i + 1] - times[i]
        find_missed(rows, v, v + m, width, 0.5 * dt, missed[i + 1])
        mark_missed(missed[i + 1], share, scales, flags)
        for r in range(runs.shape[0]):
            q, j, k = i * width + runs[r, 1] * LANES, runs[r, 0] * LANES, (runs[r, 0] + runs[r, 2]) * LANES
            mark_moved(rows, q, v + j, width, 0.5 * dt, share * dt, STRICTER * atol, scales[j:k], flags[j:k])
    for i in range(last):
        here = (times[i + 1] - times[i]) ** 3
        less = STRICTER * APART * here / (times[i] - times[i - 1]) ** 3 if i > 0 else 1.0
        more = STRICTER * APART * here / (times[i + 2] - times[i + 1]) ** 3 if i < last - 1 else 1.0
        mark_jumps(missed[i], missed[i + 1], missed[i + 2], less, more, scales, flags)
    for k in range(m):
        found += flags[k] != 0.0
    return found


class Look:
    """Looks at the rows of a tile."""

    def __init__(self, system: System, times: Floats, rows: Floats, atol: float) -> None:
        """`rows` (k, width, LANES), which stay where they are; `atol`: of the integrator."""
        coordinates, units = rates_of(system)
        m = system.n_v * LANES
        self._flags = np.zeros(m)
        self._call = bound(
            misses, times, rows.reshape(-1), rows.shape[1] * LANES, system.n_q, units, runs_of(coordinates), STRICTER * FOLLOWS, atol,
            np.zeros((int(units.max(initial=0)) + 1) * LANES), np.zeros(m), np.zeros((len(times) + 1, m)), self._flags,
        )  # fmt: skip

    def __call__(self) -> NDArray[np.bool_]:
        """(LANES,) bool: of which runs rows may miss something."""
        if not self._call():
            return np.zeros(LANES, bool)
        found: NDArray[np.bool_] = (self._flags.reshape(-1, LANES) != 0.0).any(axis=0)
        return found


def runs_of(coordinates: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of speeds that follow each other, and whose coordinates do, the first, its coordinate and their number (r, 3)."""
    known = [(j, int(c)) for j, c in enumerate(coordinates) if c != NO_COORDINATE]
    groups = [list(of) for _, of in groupby(known, lambda pair: pair[1] - pair[0])]
    found = []
    for group in groups:
        begin = 0
        for k in range(1, len(group) + 1):
            if k == len(group) or group[k][0] != group[k - 1][0] + 1:
                found.append((*group[begin], k - begin))
                begin = k
    return np.array(found, np.int64).reshape(-1, 3)
