"""Whether a motion whose configuration turned over in a step (`mbsim.methods._branch`) went through a singular position, or over a gap.

The way between the two states is moved onto the constraints and halved until the orientation turns between neighbours. Where branches
meet, these neighbours come as close to each other as positions are known; there the motion goes through with the velocity it has. Where
they only come near each other, as in a four-bar whose links are not quite as long as those that fold onto a line, they stay a gap
apart, and the motion has to turn there within a way as short as the gap.
"""

from typing import NamedTuple

import numpy as np

from mbsim import jit
from mbsim.diagnosis.consistent import StartError, assemble_position
from mbsim.diagnosis.redundancy import RANK_TOLERANCE, unit_rows
from mbsim.system.system import Floats, System

GAP = 3e-5  # m, rad: between branches that cannot be told from such that meet, as positions are known to the root of their tolerance
HALVINGS = 40  # of the way
LEAVES = 10  # steps after a crossing that are let pass with it, as they correct what it left open; or that have to resolve it


class Crossing(NamedTuple):
    """Where the configuration turns over between two states."""

    meets: bool  # whether branches of the motion meet there
    t: float  # s
    q: Floats  # (n_q,) next to it


class Orientation:
    """On which side of its singular positions a configuration is, in comparison with (t, q); `weights` (n_v,) make speeds comparable."""

    def __init__(self, system: System, t: float, q: Floats, weights: Floats) -> None:
        self._system, self._weights = system, weights
        rows, kept = self._unit(t, q), np.arange(system.n_rows)
        self._picked: list[int] = []
        basis: list[Floats] = []
        while len(basis) < min(rows.shape):  # Gram-Schmidt with pivoting
            lengths = np.linalg.norm(rows, axis=1)
            i = int(np.argmax(lengths))
            if lengths[i] <= RANK_TOLERANCE:
                break
            basis.append(rows[i] / lengths[i])
            self._picked.append(int(kept[i]))
            rows = rows - np.outer(rows @ basis[-1], basis[-1])
            rows = rows - np.outer(rows @ basis[-1], basis[-1])
        self._basis = np.array(basis).reshape(-1, system.n_v)
        self._known = self._unit(t, q)[self._picked] @ self._basis.T

    def _unit(self, t: float, q: Floats) -> Floats:
        return unit_rows(self._system.C(t, q) * self._weights, self._system.arrays.row_shares)[0]

    def turned(self, t: float, q: Floats) -> bool:
        """Whether (t, q) is on the other side, of one dependency or of several at once."""
        seen = np.linalg.solve(self._known, self._unit(t, q)[self._picked] @ self._basis.T)
        return bool((np.linalg.eigvals(seen).real < 0.0).any())


def crossing(system: System, before: tuple[float, Floats], after: tuple[float, Floats], side: Orientation) -> Crossing:
    """Where the configuration turns over between two states (t, q) that satisfy the constraints, seen from `side`."""
    (t_a, q_a), (t_b, q_b) = before, after
    free = np.zeros(system.n_v, bool)
    nothing = np.zeros(system.n_v)

    def between(x: float) -> tuple[float, Floats]:
        t = t_a + x * (t_b - t_a)
        q = (1.0 - x) * q_a + x * q_b
        if system.n_c != system.n_v:
            q = system.move(q, nothing)  # quaternions to unit length
        return t, assemble_position(system, t, q, free)

    low, high, at_low, at_high = 0.0, 1.0, before, after
    for _ in range(HALVINGS):
        if float(np.abs(at_high[1] - at_low[1]).max()) <= GAP:
            return Crossing(True, *at_high)
        x = 0.5 * (low + high)
        try:
            middle = between(x)
        except StartError:  # on a singular position, or beside one: nearer to one of the ends
            x = 0.5 * (low + x)
            try:
                middle = between(x)
            except StartError:
                break
        if side.turned(*middle):
            high, at_high = x, middle
        else:
            low, at_low = x, middle
    return Crossing(False, *at_high)


def settle(system: System, work: jit.Work, t: float, q: Floats, leaves: int = LEAVES) -> Crossing | None:
    """After CROSSED: let the step pass where branches meet, and say where; else let the steps over it be refused until they resolve it.

    (t, q) is the state before the step, which is on the side of the last look, a few steps ago, unless it was there that it turned over.
    With `leaves` steps the motion leaves the crossing.
    """
    watch, taken = work.watch, work.orientation
    after = float(watch[jit.WATCH_TIME] + watch[jit.WATCH_SPAN]), work.row[: system.n_q].copy()
    looked, before = (float(watch[jit.WATCH_TAKEN]), taken.q.copy()), (t, q.copy())
    side = Orientation(system, *looked, taken.weights.copy())
    if not side.turned(*after):  # a fast motion
        watch[jit.WATCH_SURE] = _just_after(after[0])
        return None
    found = crossing(system, looked if side.turned(*before) else before, after, side)
    if found.meets:
        watch[jit.WATCH_PASSES] = _just_after(after[0] + leaves * watch[jit.WATCH_SPAN])
    else:
        watch[jit.WATCH_RESOLVES] = _just_after(after[0] + leaves * watch[jit.WATCH_SPAN])
    return found if found.meets else None


def ahead(system: System, work: jit.Work, t: float, q: Floats, v: Floats, dt: float) -> Crossing | None:
    """After COARSE at (t, q), v (n_v,): where the motion meets another branch within dt, and then let it pass; else None.

    Steps that are ever shorter end there, on a position whose weak directions are decided by round-off.
    """
    watch = work.watch
    if not work.orientation.unit.any() or t <= watch[jit.WATCH_PASSES]:
        return None
    weights = work.orientation.weights.copy()
    try:
        after = t + dt, assemble_position(system, t + dt, system.move(q, dt * v), np.zeros(system.n_v, bool))
    except StartError:
        return None
    side = Orientation(system, t, q, weights)
    if not side.turned(*after):
        return None
    found = crossing(system, (t, q), after, side)
    if not found.meets:
        return None
    watch[jit.WATCH_PASSES] = _just_after(after[0] + LEAVES * dt)
    return found


def _just_after(t: float) -> float:
    return t + 1e-14 * abs(t) + 1e-15
