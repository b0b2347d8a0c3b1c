"""Which planar contacts touch: of the sides that the corner of a polygon touches it is one (`Unilaterals.at_corners`)."""

from mbsim.integrators._rubbing_arrays import FIRED_EDGE
from mbsim.integrators._settling_arrays import CLOSED, FIRED_GAP, OPEN, SLIPS, STICKS, TOUCHES
from mbsim.jit import helper

FLAT = 1e-6  # of the bodies' lengths: a corner that is less behind a side is above it


@helper
def holds_normal(s, i):
    """Whether the normal row of contact i holds, as far as its mode says."""
    return s.normal[i] != 0 and (s.mode[i] == CLOSED or s.mode[i] == STICKS or s.mode[i] == SLIPS)


@helper
def parts(s, i):
    """Whether the side i lies between both polygons: no corner next to the one that touches it is behind it."""
    least = s.height[i] - FLAT * s.near[i]
    found = True
    for c in range(s.nexts[i], s.nexts[i + 1]):
        found = found and s.height[s.corners[c]] >= least
    return found


@helper
def list_touching(s):
    """touching <- what is closed or next to it, and not beyond an edge; of the sides that a corner touches one. How many they are."""
    n, count = s.normal.shape[0], 0
    for i in range(n):
        near = s.gap[i] <= TOUCHES * s.near[i] or s.mode[i] != OPEN or s.fired[i] & FIRED_GAP
        s.stays[i] = 1 if s.normal[i] != 0 and near else 0
    for i in range(n):  # of a side that a corner touches and that does not part both polygons, those beside it that do
        s.leaves[i] = s.stays[i]
        if s.stays[i] == 0 and s.pairs[i] >= 0 and abs(s.height[i]) <= FLAT * s.near[i] and parts(s, i):
            for j in range(n):
                if s.stays[j] != 0 and s.pairs[j] == s.pairs[i] and not parts(s, j):
                    s.leaves[i] = 1
    for i in range(n):
        if s.leaves[i] != 0 and s.absent[i] == 0 and not s.fired[i] & FIRED_EDGE and not is_beside(s, i):
            s.touching[count] = i
            count += 1
    return count


@helper
def is_beside(s, i):
    """Whether another side of the polygon that the corner touches counts in the place of side i: one that parts both, else the fastest."""
    if s.pairs[i] < 0:
        return False
    mine, k = parts(s, i), s.first[i]
    for j in range(s.normal.shape[0]):
        if j != i and s.pairs[j] == s.pairs[i] and s.leaves[j] != 0 and s.absent[j] == 0 and not s.fired[j] & FIRED_EDGE:
            its, faster = parts(s, j), s.speed[s.first[j]] > s.speed[k] or (s.speed[s.first[j]] == s.speed[k] and j < i)
            if (its and not mine) or (its == mine and faster):
                return True
    return False
