"""Whether a motion that may have turned over in a step (`mbsim.singular.orientation`) went through a singular position, over a gap, or did
neither.

The way between two states is moved onto the constraints and divided until it is followed, where the smallest singular values at its ends
lead to a place where they vanish on both sides of that, else in the middle. C, its columns in the metric of M and its rows made unit,
keeps its rank between two neighbours a, b where

    |C_b - C_a| < sigma_a + sigma_b        sigma: the smallest singular value that counts

because each changes by no more than C does. It does so, too, where C would go straight from C_a to C_b without losing a row, and goes
nearly straight: |C_b - C_a|^2 < sigma_a + sigma_b. A way of neighbours like that turns nothing over, however far it goes: a row alone may
point the other way after half a turn. Where branches meet, neighbours come as close to each other as positions are known and lose a row
between them still; there the motion goes through with the velocity it has. Where branches only come near each other, as in a four-bar
whose links are not quite as long as those that fold onto a line, neighbours stay a gap apart, and the motion has to turn there within a
way as short as the gap. All of these are ratios: the size of the mechanism does not matter.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mbsim import contracts
from mbsim.diagnosis.consistent import Positions, StartError, assemble_position
from mbsim.diagnosis.redundancy import column_scales, unit_rows
from mbsim.kernels.ranks import LANDED
from mbsim.system.system import Floats, System
from mbsim.system.unit_rows import UnitRows

GAP = 3.0 * LANDED  # change of C between neighbours that cannot be told from one another
CERTAIN = 0.9  # of sigma_a + sigma_b
LITTLE = 0.5  # change of C between neighbours from which on the smallest singular values lead to the position where they vanish
BESIDE = 0.3  # times the change of C, or GAP of it: how far beside that place it is looked, of the way between the neighbours
SEARCHED = 16  # states after which the way is halved in any case
TINY = 1e-300
MOST_ROWS = 400  # of C, up to which a position ahead is looked for: some 20 decompositions
STATES = 120  # looked at on a way before it counts as not followed
LEAVES = 10  # steps after a crossing that are let pass with it, as they correct what it left open; or that have to resolve it


class Crossing(NamedTuple):
    """Where the configuration turns over between two states, or cannot be followed."""

    meets: bool  # whether branches of the motion meet there
    t: float  # s
    q: Floats  # (n_q,) the state looked at that is next to it
    singular_value: float  # there, the smallest that counts of C with unit rows and columns in the metric of M


class Settled(NamedTuple):
    """A step that a march was told to take, or to refuse."""

    begins: float  # s
    ends: float  # s
    found: Crossing | None


class _State(NamedTuple):
    t: float
    q: Floats
    C: Floats  # (m, n) with unit rows
    sigma: float
    towards: tuple[Floats, Floats]  # (r, m) and (n, r): B = towards[0] C_b towards[1] is the identity for this state's C


class Way:
    """The way between states of a system where C has `rank`; `weights` (n_v,) multiply its columns."""

    def __init__(self, system: System, rank: int, weights: Floats) -> None:
        self._system, self._rank, self._weights = system, rank, weights
        self._positions, self._nothing = Positions(system), np.zeros(system.n_v)
        self._rows = UnitRows(system, weights) if system.failure is None else None

    def _at(self, t: float, q: Floats) -> _State:
        if self._rows is not None:
            self._rows.look(t, q)
            C = self._rows.unit.copy()
        else:
            C = unit_rows(self._system.C(t, q) * self._weights, self._system.arrays.row_shares)[0]
        U, sigma, V = np.linalg.svd(C, full_matrices=False)
        r = self._rank
        return _State(t, q, C, float(sigma[r - 1]), (U[:, :r].T / np.maximum(sigma[:r, None], TINY), V[:r].T))

    def _between(self, a: _State, b: _State, part: float) -> _State | None:
        for x in (part, 0.25 if part == 0.5 else 0.5):  # on a singular position, or beside one: nearer to one of the ends
            t, q = a.t + x * (b.t - a.t), (1.0 - x) * a.q + x * b.q
            if self._system.n_c != self._system.n_v:
                q = self._system.move(q, self._nothing)  # quaternions to unit length
            try:
                return self._at(t, self._positions.consistent(t, q))
            except StartError:
                continue
        return None

    def _turned(self, a: _State, b: _State) -> bool:
        """Whether C loses a row on the straight way from C_a to C_b: b is on the other side of one dependency, or of several at once."""
        if not a.sigma > TINY:
            return True
        return not self._keeps(a, b) and bool((np.linalg.eigvals(a.towards[0] @ b.C @ a.towards[1]).real < 0.0).any())

    def _keeps(self, a: _State, b: _State) -> bool:
        """Whether x' B x is positive for all x, and with it the real parts of all eigenvalues of B: C loses no row. It is soon known."""
        seen = a.towards[0] @ b.C @ a.towards[1]
        try:
            np.linalg.cholesky(seen + seen.T)
        except np.linalg.LinAlgError:
            return False
        return True

    def crossing(self, before: tuple[float, Floats], after: tuple[float, Floats]) -> Crossing | None:
        """Where the configuration turns over between two states (t, q) that satisfy the constraints; None where it does not."""
        self._positions.forget()
        a, ahead = self._at(*before), [self._at(*after)]
        weakest = min(a, ahead[0], key=lambda state: state.sigma)
        looked, beyond = 0, False  # whether the last state looked at is on the near side of the position that is searched
        for _ in range(STATES if self._rank else 0):
            b = ahead[-1]
            change = float(np.linalg.norm(b.C - a.C))
            sigmas = CERTAIN * (a.sigma + b.sigma)
            if change < sigmas or ((change * change < sigmas or change <= GAP) and not self._turned(a, b)):
                a, beyond = ahead.pop(), True
                if not ahead:
                    return None
                continue
            if change <= GAP:
                return Crossing(True, b.t, b.q, b.sigma)
            looked += 1
            leads = looked <= SEARCHED and change < LITTLE and not self._keeps(a, b)
            middle = self._between(a, b, _part(a, b, change, beyond) if leads else 0.5)
            if middle is None:
                break
            ahead.append(middle)
            beyond = False
            weakest = min(weakest, middle, key=lambda state: state.sigma)
        return Crossing(False, weakest.t, weakest.q, weakest.sigma) if self._rank else None

    def meeting(self, before: tuple[float, Floats], after: tuple[float, Floats]) -> Crossing | None:
        """Where branches meet between two states, if they seem to do so on the straight way from C to C; the way is not followed."""
        a, b = self._at(*before), self._at(*after)
        beyond, turned = False, bool(self._rank) and self._turned(a, b)
        for _ in range(2 * SEARCHED if turned else 0):
            change = float(np.linalg.norm(b.C - a.C))
            if change <= GAP:
                return Crossing(True, b.t, b.q, b.sigma)
            middle = self._between(a, b, _part(a, b, change, beyond))
            if middle is None:
                break
            beyond = not self._turned(a, middle)
            if not beyond:
                b = middle
            elif self._turned(middle, b):
                a = middle
            else:
                break
        return None


def _part(a: _State, b: _State, change: float, beyond: bool) -> float:
    """Where to look next between a and b: beside the place to which both smallest singular values lead, on this side or `beyond` it.

    They do so the better the less C changes between.
    """
    if not change < LITTLE or not a.sigma + b.sigma > 0.0:
        return 0.5
    beside = BESIDE * max(change, GAP / change)
    return min(max(a.sigma / (a.sigma + b.sigma) + (beside if beyond else -beside), 0.5 * beside), 1.0 - 0.5 * beside)


class Ways:
    """The ways of one run: one `Way`, with its work arrays, for as long as the rank stays."""

    def __init__(self, system: System, work: contracts.Work) -> None:
        self.system, self.work = system, work
        self._kept: tuple[int, Floats, Way] | None = None

    def way(self) -> Way:
        """With the rank and the weights that the watch has now."""
        rank, weights = int(self.work.watch[contracts.WATCH_RANK]), self.work.orientation.weights
        if self._kept is None or self._kept[0] != rank or not np.array_equal(self._kept[1], weights):
            self._kept = rank, weights.copy(), Way(self.system, rank, weights)
        return self._kept[2]


def settle(ways: Ways, t: float, q: Floats, look: Callable[[], object], leaves: int = LEAVES) -> Crossing | None:
    """After CROSSED: let the step pass where the configuration does not turn over, or does so where branches meet; else let the steps over
    it be refused until they resolve it. Returns what was found.

    (t, q) is the state before the step. The orientation that it was compared with may be of an earlier one, from which the motion has gone
    far since: then it is taken anew at (t, q) by `look()`. The way of the step is followed from (t, q) in any case. With `leaves` steps the
    motion leaves the crossing.
    """
    watch, work, n_q = ways.work.watch, ways.work, ways.system.n_q
    after = float(watch[contracts.WATCH_TIME] + watch[contracts.WATCH_SPAN]), work.row[:n_q].copy()
    if watch[contracts.WATCH_WAY] > 0.0:
        watch[contracts.WATCH_DUE] = watch[contracts.WATCH_ASKED] = 0.0
        watch[contracts.WATCH_TRIED] = watch[contracts.WATCH_SPEED]
        look()
    if watch[contracts.WATCH_WAY] > 0.0:  # there is none to be taken: the state is on a singular position itself
        found: Crossing | None = Crossing(True, t, q.copy(), 0.0)
    else:
        found = ways.way().crossing((t, q.copy()), after)
    if found is None:
        watch[contracts.WATCH_SURE] = _just_after(after[0])
    elif found.meets:
        _leave(watch, leaves)
    else:
        watch[contracts.WATCH_RESOLVES] = _just_after(after[0] + leaves * watch[contracts.WATCH_SPAN])
    return found


def settle_likewise(settled: Sequence[Settled], work: contracts.Work) -> Crossing | None:
    """After CROSSED of a march beside one that has `settled` its steps: let the step pass where that one met branches of the motion and
    refused nothing. Returns what it met; None where there is nothing to go by.

    The two are as far apart as their errors, so that what they meet may lie in the step before or after this one. A step that should not
    have passed parts them, and that is seen.
    """
    watch = work.watch
    t, span = float(watch[contracts.WATCH_TIME]), float(watch[contracts.WATCH_SPAN])
    near = [one.found for one in settled if one.found is not None and one.begins <= t + 2.0 * span and one.ends >= t - span]
    if not near or not all(found.meets for found in near):
        return None
    _leave(watch, LEAVES)
    return near[-1]


def _leave(watch: Floats, leaves: int) -> None:
    """Let the step that was refused pass, and so many after it."""
    watch[contracts.WATCH_PASSES] = _just_after(float(watch[contracts.WATCH_TIME]) + (1 + leaves) * float(watch[contracts.WATCH_SPAN]))


def ahead(ways: Ways, t: float, q: Floats, v: Floats, dt: float) -> Crossing | None:
    """After COARSE at (t, q), v (n_v,): where the motion turns over within dt, if it does; where branches meet there, it is let pass.

    Steps that are ever shorter end there, on a position whose weak directions are decided by round-off.
    """
    system, work, watch = ways.system, ways.work, ways.work.watch
    if not work.orientation.unit.any() or t <= watch[contracts.WATCH_PASSES]:
        return None
    try:
        after = t + dt, assemble_position(system, t + dt, system.move(q, dt * v), np.zeros(system.n_v, bool))
    except StartError:
        return None
    found = ways.way().crossing((t, q), after)
    if found is not None and found.meets:
        watch[contracts.WATCH_PASSES] = _just_after(after[0] + LEAVES * dt)
    return found


def within(system: System, work: contracts.Work, t: float, q: Floats, v: Floats, dt: float) -> Crossing | None:
    """Where branches meet within dt of the motion from (t, q), v (n_v,), if they do, as far as it goes straight on."""
    if not 0 < system.n_rows <= MOST_ROWS:
        return None
    try:
        after = t + dt, assemble_position(system, t + dt, system.move(q, dt * v), np.zeros(system.n_v, bool))
    except StartError:
        return None
    watched = bool(work.orientation.unit.any())
    rank = int(work.watch[contracts.WATCH_RANK] if watched else work.status[contracts.STATUS_RANK])
    weights = work.orientation.weights if watched else column_scales(system, system.C(t, q))
    return Way(system, rank, weights).meeting((t, q), after)


def _just_after(t: float) -> float:
    return t + 1e-14 * abs(t) + 1e-15
