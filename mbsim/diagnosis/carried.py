"""Which bodies are carried along by those that turn: by joints, and by forces such as those of the elements of a beam.

The bodies of a group are moved along their circles for a while, and all others stay. Where a constraint is not met then, or a force on a
body is another one in the axes that turned with the body, what stayed is carried along, too. So a shaft leaves its bearings where they
are, and a hub takes its blade along, node by node. At last nothing changes, or the motion is not a steady one.
"""

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.extent import extent
from mbsim.diagnosis.held import tangents_of
from mbsim.diagnosis.turning import Turning, turned
from mbsim.elements.kinds import MODAL
from mbsim.system.system import Floats, System

ANGLE = 1.0  # rad: by so much a group is turned; nothing looks the same then by chance
MET = 1e-8  # m, rad: what constraints may be off
EQUAL_FORCES = 1e-9  # of the size of a force: likewise
NOISE = 1e-13  # of what the stiffness makes of a radian and of the size of the mechanism, and of the largest force: likewise
SHOWN = 4  # names


class NotSteadyError(ValueError):
    """The bodies that turn cannot do so for ever."""


def carried(system: System, t: float, q: Floats, kept: NDArray[np.bool_], begun: Turning) -> Turning:
    """The twists of all bodies where those of `begun` that move carry others along.

    `kept` (m,) bool: the rows that count. Raises NotSteadyError with the force or the constraint that does not stay.
    """
    turn, shift = begun.turn.copy(), begun.shift.copy()
    groups = begun.groups()
    for group in groups:
        others = np.concatenate([np.zeros(0, int), *(one for one in groups if one is not group)])
        moved = _flood(system, t, q, kept, begun, group, others)
        turn[moved], shift[moved] = begun.turn[group[0]], begun.shift[group[0]]
    return Turning(begun.dimension, turn, shift)


def _flood(
    system: System, t: float, q: Floats, kept: NDArray[np.bool_], begun: Turning, group: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The bodies that go with those of a group."""
    count, none = len(system.bodies), np.zeros(system.n_v)
    width = system.n_v // count
    w, u = begun.turn[group[0]], begun.shift[group[0]]
    size = extent(system, t, q)
    speed = float(np.linalg.norm(w))
    duration = ANGLE / speed if speed else size / float(np.linalg.norm(u))
    R = turned(w * duration)[: begun.dimension, : begun.dimension]
    h = system.h(t, q, none).reshape(count, width)
    stiffness = np.abs(tangents_of(system, t, q, none).K)
    lengths = np.array([size if unit.startswith("m") else 1.0 for unit in system.speed_units])
    noise = NOISE * (stiffness @ lengths + np.abs(h).max()).reshape(count, width)
    rows = np.flatnonzero((kept & (system.xi(t, q) == 0.0))[: system.n_holonomic])
    fixed = np.union1d(others, _carriers(system))
    moved = np.zeros(count, bool)
    moved[group] = True
    while True:
        turn, shift = np.where(moved[:, None], w, 0.0), np.where(moved[:, None], u, 0.0)
        there = Turning(begun.dimension, turn, shift).advanced(q, duration)
        phi = system.phi(t, there)[rows]
        expected = h.copy()
        expected[moved, : begun.dimension] = h[moved, : begun.dimension] @ R.T
        found = system.h(t, there, none).reshape(count, width)
        off = np.abs(found - expected) - EQUAL_FORCES * np.maximum(np.abs(found), np.abs(expected)) - noise
        changed = ~(off <= 0.0)
        unmet = rows[~(np.abs(phi) <= MET * max(1.0, size))]
        touched = changed.any(axis=1)
        for row in system.C(t, there)[unmet]:
            touched |= row.reshape(count, width).any(axis=1)
        more = np.flatnonzero(touched & ~moved & ~np.isin(np.arange(count), fixed))
        if not len(more):
            break
        moved[more] = True
    if len(unmet) or changed.any():
        raise NotSteadyError(_reason(system, unmet, changed, off, begun, group))
    return np.flatnonzero(moved)


def _reason(
    system: System, unmet: NDArray[np.int64], changed: NDArray[np.bool_], off: Floats, begun: Turning, group: NDArray[np.int64]
) -> str:
    axis = f"{system.bodies[group[0]]} {begun.told(group)}"
    if len(unmet):
        names = list(dict.fromkeys(system.rows[k] for k in unmet))
        told = f"{axis}, and {', '.join(names[:SHOWN])}{' ...' * (len(names) > SHOWN)} does not allow that for ever"
        return f"{told} (what turns relative to a part that is carried along has a steady motion in joint coordinates: coordinates: joint)"
    k = int(np.nanargmax(np.where(changed, np.nan_to_num(off, nan=np.inf), -np.inf)))
    force = f"{axis}, and the force along {system.speeds[k]} changes on the way"
    return f"{force}, as that of gravity across the axis or of a spring to the ground"


def _carriers(system: System) -> NDArray[np.int64]:
    """The bodies whose places are coordinates of modes: they do not turn with the elastic part that these belong to."""
    loads = system.arrays.loads
    return np.unique(loads[loads[:, 0] == MODAL, 2])
