"""The rank of the constraints along a motion: where it changes, where it is passed through a lower one, and which rows take part.

sigma is the smallest singular value that counts, of C with rows made unit; it changes by no more than C does. Between two states
with |C_b - C_a| < sigma_a + sigma_b the rank therefore did not drop, unless C went and returned. Rows of the result are gone through
in hops for which that holds. Where it fails between neighbouring rows the motion between them, a cubic through q and q_dot, is divided
until it holds or sigma is found to vanish: in the middle, or where sigma would vanish if it went on straight. A plain motion needs some
ten decompositions per radian, whatever the number of rows. Rows that are too far apart to tell the motion between them are looked at one
by one, and so are rows where a position may be singular itself: whether the motion comes to rest there and is not determined from there on
(`singular.comes_to_rest`). What the march itself went through between rows is recorded, too.
"""

from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from mbsim.diagnosis.redundancy import column_scales, count_rank, find_rank, redundancy, unit_rows
from mbsim.diagnosis.singular import Rest, comes_to_rest, lost_near
from mbsim.kernels.ranks import LANDED, RANK_TOLERANCE, TOUCHING
from mbsim.system.system import Floats, System
from mbsim.system.unit_rows import UnitRows

MANY_ROWS = 32  # above, the decompositions would take as long as the march: looked at once per chunk of output rows
CERTAIN = 0.9  # of sigma_a + sigma_b: C does not change along a straight line
STRAIGHT = 0.7  # likewise of its change by the norm: rows that turn by 90 degrees go 1.1 times as far as from end to end
REACH = 1.3  # of sigma: change of C that a hop is meant to make
FORGETS = 0.5  # of the rate of the hop before: what the next one is at least taken to be, as rows may swing there and back
# rad, arms of the mechanism: as far a hop goes at most in joint coordinates. A row there that is the sum of what cancels where a loop folds
# turns round within a short way, beyond which it seems not to have moved: two such ways in one hop would be passed over. With 2.0 a window
# that turns with 1 to 120 rad/s is seen to fold each time, too; with 1.0 a run of a slider-crank by rk4 takes a third more than without.
FOLDS = 1.0
HALVINGS = 60  # evaluations spent on one interval between rows
# rad, arms of the mechanism: violation of the constraints in the middle above which rows are too far apart for a cubic between them
FAITHFUL = 1e-2
ONE_TIME = 1e-9  # s: singular positions nearer to each other in time are one
AWAY = 1e-3  # rad, arms of the mechanism: way with a lower rank after which this is the motion's
TAKES_PART = 1e-3  # entry of a unit vector of dependency from which its row is named


@dataclass(frozen=True)
class RankChange:
    """Where the rank of C changed. At a passage `after` is `before` again; otherwise `rank` is `after`."""

    time: float  # s
    before: int
    rank: int  # at `time`
    after: int
    singular_value: float  # the smallest one that counts elsewhere, of the largest
    constraints: list[str]  # the rows that depend on each other there, beyond those that always do


class _Sample(NamedTuple):
    t: float
    C: Floats  # (m, n) with columns that compare and rows made unit
    values: Floats  # (min(m, n),) singular values


class RankMonitor:
    """Goes through the rows of a run, chunk by chunk, up to `end` (s); `changes` holds what it found, `rest` where the motion is lost."""

    def __init__(self, system: System, end: float = np.inf) -> None:
        self.system = system
        self.end = end
        self.changes: list[RankChange] = []
        self.rest: Rest | None = None
        self._before: RankMonitor | None = None  # what has looked at rows of the same system
        self._rows: UnitRows | None = None  # where they are needed: of a large system they are larger than any memory
        self._scales = np.zeros(0)  # (n_v,) of the columns of C, those of the first state
        self._passed: list[tuple[float, Floats]] = []  # s, and the configuration: what the march went through since the last row
        self._unseen: list[tuple[float, float]] = []  # s: rows that are too far apart to tell the motion between them
        self._known = np.nan, np.zeros(0), 0  # a time, the configuration there and its rank
        self._last: tuple[_Sample, Floats, Floats] | None = None  # with its q and v
        self._rank = 0  # that the motion has between its singular positions
        self._rate = 0.0  # change of C per arc length in the last hop
        self._start = self._since = 0.0  # s: of the motion; of the first row of a lower rank
        self._open = False  # whether the last passage is not left yet
        self._motion = 0  # the highest rank, until the motion has gone some way with a lower one
        self._same = 0.0  # way on which C has not changed: as far the next row is looked at that is not passed over
        self._travelled = 0.0  # that way, in the same units
        self._largest = np.zeros(2)  # speed and acceleration so far
        self._low = 0  # rows in succession on which the rank was lower
        self._watched = system.n_rows > 0
        self._farthest = FOLDS if system.in_joint_coordinates else np.inf

    def begin(self, t: float, q: Floats, rank: int, before: "RankMonitor | None" = None) -> None:
        """What the rank is at (t, q), where the motion begins, is known.

        `before` has looked at rows of the same system, and how fast C changes there says how far the first hops go.
        """
        self._known, self._before = (t, q, rank), before

    def chunk(self, times: Floats, rows: Floats) -> None:
        """Look at output rows [q; v; ...] (k, width) at times (k,), which follow those of the last call."""
        system = self.system
        if not self._watched or not len(rows):
            return
        self._take_over()
        q, v, a = rows[:, : system.n_q], rows[:, system.n_q :][:, : system.n_v], rows[:, system.n_q + system.n_v :][:, : system.n_v]
        if system.n_rows > MANY_ROWS:
            self._sampled(float(times[-1]), q[-1])
            return
        try:
            self._go_through(times, q, v, a)
            self._fill_in(float(times[-1]))
        except np.linalg.LinAlgError:  # C is not finite: the run says so itself
            self._watched = False

    def _take_over(self) -> None:
        """Know how fast C changed in rows of before, which have been looked at by now."""
        before, self._before = self._before, None
        if before is not None and before._rows is not None:
            self._rows, self._scales, self._rate, self._same = before._rows, before._scales, before._rate, before._same

    def as_dicts(self) -> list[dict[str, Any]]:
        """`changes` as JSON types."""
        return [asdict(change) for change in self.changes]

    def passage(self, t: float, q: Floats, at: float) -> None:
        """A singular position that the march itself found, at (t, q), when it was at `at`; rows that are not far apart show it, too.

        Those later than `at` which were found before lay on steps that were not taken.
        """
        self._passed = [(known, where) for known, where in self._passed if known <= at and abs(t - known) > ONE_TIME]
        if self.system.n_rows > MANY_ROWS:
            self._record_passage(t, q)
        else:
            self._passed.append((t, q.copy()))

    def _record_passage(self, t: float, q: Floats) -> None:
        sample = self._sample(t, q)
        self._rank = rank = self._rank or _rank(sample)
        self._open = False
        self._record(sample, int(np.sum(sample.values[:rank] > TOUCHING * sample.values[0])), rank, rank, q)

    def _fill_in(self, end: float) -> None:
        """Record what the march went through up to `end` (s) between rows that were too far apart to tell the motion between them."""
        unseen, self._unseen = self._unseen, []
        for t, q in self._passed:
            if any(a < t <= b for a, b in unseen):
                self._record_passage(t, q)
                self._open = False
        self._passed = [(t, q) for t, q in self._passed if t > end]
        self.changes.sort(key=lambda change: change.time)

    def lost(
        self, t: float, q: Floats, v: Floats | None, rank: int, span: float, largest: Floats, reached: float, ends: bool
    ) -> Rest | None:
        """`singular.lost_near` of a state between rows, with the largest speed and acceleration seen in rows so far, too."""
        rest = lost_near(self.system, t, q, v, rank, span, np.maximum(self._largest, largest), reached, ends) if t < self.end else None
        return rest if rest is not None and self._start <= rest.time < self.end else None

    def _sampled(self, t: float, q: Floats) -> None:
        known_t, known_q, rank = self._known
        found = rank if known_t == t and np.array_equal(known_q, q) else find_rank(self.system, t, q)
        if self._last is not None and found != self._rank:
            names = sorted({name for group in redundancy(self.system, t, q).groups for name in group}, key=self.system.rows.index)
            self.changes.append(RankChange(t, self._rank, found, found, float("nan"), names))
        self._rank, self._last = found, (_Sample(t, np.zeros((0, 0)), np.zeros(0)), q, q)

    def _sample(self, t: float, q: Floats) -> _Sample:
        C = self._looked_at(t, q).unit.copy()
        if C.size == C.shape[1] and isfinite(size := _size(C)):  # a row alone has its length
            return _Sample(float(t), C, np.array([size]))
        return _Sample(float(t), C, np.asarray(np.linalg.svd(C, compute_uv=False), float))

    def _looked_at(self, t: float, q: Floats) -> UnitRows:
        """The rows at (t, q), by the scales of the first state."""
        if self._rows is None:
            self._rows = UnitRows(self.system)
            self._rows.look(t, q)
            self._scales = column_scales(self.system, self._rows.C)
            self._rows.scales[:] = self._scales
        self._rows.look(t, q)
        return self._rows

    def _weakest(self, sample: _Sample) -> float:
        return float(sample.values[self._rank - 1]) if self._rank else np.inf

    def _apart(self, a: _Sample, b: _Sample) -> bool:
        """Whether the rank cannot have dropped between."""
        sigmas, D = self._weakest(a) + self._weakest(b), b.C - a.C
        return _size(D) < CERTAIN * sigmas or _bound(D) < STRAIGHT * sigmas

    def _go_through(self, times: Floats, q: Floats, v: Floats, a: Floats) -> None:
        begins = self._last is None
        if self._last is None:
            first = self._sample(times[0], q[0])
            self._rank = self._motion = _rank(first)
            self._last, self._start = (first, q[0], v[0]), first.t
        scaled = v / self._scales
        sizes = np.maximum.reduce(np.abs(scaled), axis=1), np.maximum.reduce(np.abs(a / self._scales), axis=1)
        last, q_last, v_last = self._last
        if not begins:  # else the first row is the last one that is known
            times, q, v = np.concatenate([[last.t], times]), np.concatenate([q_last[None], q]), np.concatenate([v_last[None], v])
            scaled = np.concatenate([v_last[None] / self._scales, scaled])
        largest = partial(_largest, self._largest, sizes, int(begins))
        speed = np.sqrt(np.add.reduce(scaled * scaled, axis=1))
        arc = np.zeros(len(times))
        np.cumsum(0.5 * (speed[1:] + speed[:-1]) * (times[1:] - times[:-1]), out=arc[1:])
        i, end = 0, len(times) - 1
        while i < end:
            reach = REACH * self._weakest(last) / self._rate if self._rate > 0.0 and not self._weak(last) else self._same
            reach = min(reach, self._farthest)
            j = min(max(int(np.searchsorted(arc, arc[i] + reach, "right")) - 1, i + 1), end)
            while True:
                sample = self._sample(times[j], q[j])
                certain = self._apart(last, sample) and _rank(sample) == self._rank
                if certain or j == i + 1:
                    break
                j = i + (j - i) // 2
            if arc[j] > arc[i]:
                rate = _bound(sample.C - last.C) / (arc[j] - arc[i])
                self._rate = max(rate, FORGETS * self._rate)
                same = rate == 0.0 and not self._weak(sample) and self._are_same((last.t, q[i]), (sample.t, q[j]))
                self._same = self._same + arc[j] - arc[i] if same else 0.0
            if j == i + 1 and self._at_rest(last, sample, (q[i], v[i]), (q[j], v[j]), largest(j)):
                break
            if certain:
                self._low = 0
            else:
                self._between(last, sample, (q[i], v[i]), (q[j], v[j]))
            if self._open and self._weakest(sample) > 10.0 * TOUCHING * sample.values[0]:
                self._open = False
            last, i = sample, j
        self._largest = largest(end)
        self._last = last, q[end], v[end]

    def _are_same(self, a: tuple[float, Floats], b: tuple[float, Floats]) -> bool:
        """Whether C is the same at two times and configurations, the lengths of its rows, too: those of an equation may come to vanish."""
        first = self._looked_at(*a).C.copy()
        return np.array_equal(first, self._looked_at(*b).C)

    def _weak(self, sample: _Sample) -> bool:
        """Whether the motion may be on a singular position, as far as positions are known."""
        return self._motion > 0 and bool(sample.values[self._motion - 1] <= LANDED * sample.values[0])

    def _at_rest(self, a: _Sample, b: _Sample, at_a: tuple[Floats, Floats], at_b: tuple[Floats, Floats], largest: Floats) -> bool:
        """Whether the motion is lost at the second of two neighbouring rows, or at the first, which it leaves with a higher rank."""
        rows = [(b, at_b)]
        if _rank(b) > self._motion:
            self._motion, rows = _rank(b), [(a, at_a), (b, at_b)]
        for sample, (q, v) in rows:
            if not (self._weak(sample) and sample.t < self.end):
                continue
            names = comes_to_rest(self.system, sample.t, q, v, self._motion, largest)
            if names:
                self.rest = Rest(sample.t, names)
                return True
        self._travelled = self._travelled + float(np.abs(at_b[1] / self._scales).max()) * (b.t - a.t) if self._weak(b) else 0.0
        if self._travelled > AWAY:
            self._motion = _rank(b)
        return False

    def _between(self, a: _Sample, b: _Sample, at_a: tuple[Floats, Floats], at_b: tuple[Floats, Floats]) -> None:
        """Neighbouring rows between which, or on the second of which, the rank may be another."""
        rank = _rank(b)
        if rank > self._rank:  # a row more: the rank was a singular position's, or that of a motion which has ended
            if a.t == self._start:
                self._record(a, self._rank, rank, rank, at_a[0])
            else:
                self._record(b, rank, self._rank, rank, at_b[0])
            self._rank, self._low, self._open = rank, 0, True
            return
        if rank < self._rank:
            self._low += 1
            self._record(b, rank, self._rank, self._rank, at_b[0])
            if self._low > 1:  # on two rows in succession: so it stays
                self.changes[-1] = RankChange(self._since, self._rank, rank, rank, 0.0, self.changes[-1].constraints)
                self._rank, self._low, self._open = rank, 0, False
            else:
                self._since = b.t
            return
        self._low = 0
        if self.system.failure is not None:  # a user's callable is not called where the march did not go
            return
        closest, q = self._closest(a, b, at_a, at_b)
        lowest = int(np.sum(closest.values > TOUCHING * closest.values[0]))
        if lowest < self._rank:
            self._record(closest, lowest, self._rank, self._rank, q)

    def _closest(self, a: _Sample, b: _Sample, at_a: tuple[Floats, Floats], at_b: tuple[Floats, Floats]) -> tuple[_Sample, Floats]:
        """The state of the motion between two rows at which the weakest singular value is smallest, as far as it matters."""
        system, span = self.system, b.t - a.t
        (q_a, v_a), (q_b, v_b) = at_a, at_b
        rate_a, rate_b = span * system.rates(a.t, q_a, v_a), span * system.rates(b.t, q_b, v_b)
        best, q_best = (a, q_a) if self._weakest(a) < self._weakest(b) else (b, q_b)
        intervals = [(a, b, False)]
        phi = np.zeros(system.n_holonomic)
        for halving in range(HALVINGS):
            if not intervals or self._weakest(best) < RANK_TOLERANCE:
                break
            least = [min(self._weakest(left), self._weakest(right)) for left, right, _ in intervals]
            left, right, vanishes = intervals.pop(least.index(min(least)))
            before, after = self._weakest(left), self._weakest(right)
            part = before / (before + after) if vanishes and halving % 4 else 0.5
            t = left.t + part * (right.t - left.t)
            if not left.t < t < right.t:
                t = 0.5 * (left.t + right.t)
            if not left.t < t < right.t:  # no time is between them
                continue
            x = (t - a.t) / span
            y = 1.0 - x
            q = (1.0 + 2.0 * x) * y * y * q_a + x * x * (3.0 - 2.0 * x) * q_b + x * y * (y * rate_a - x * rate_b)
            if system.n_c != system.n_v:
                q = system.move(q, np.zeros(system.n_v))  # quaternions to unit length
            middle = self._sample(t, q)
            if halving == 0:
                system.functions.residual(system.arrays, t, q, phi)
                norms = unit_rows(self._looked_at(t, q).C * self._scales)[1][: len(phi)]
                if np.abs(phi / norms).max(initial=0.0) > FAITHFUL:
                    self._unseen.append((a.t, b.t))
                    break
            if self._weakest(middle) < self._weakest(best):
                best, q_best = middle, q
            sides = _vanishing((left.t, before), (t, self._weakest(middle)), (right.t, after))
            halves = [(left, middle, sides[0]), (middle, right, sides[1])]
            intervals += [half for half in halves if not self._apart(half[0], half[1])]
        return best, q_best

    def _record(self, at: _Sample, rank: int, before: int, after: int, q: Floats) -> None:
        """A new change, or a closer approach in a passage that is not left yet."""
        r = max(before, after)
        value = float(at.values[r - 1] / max(at.values[0], 1e-300))
        if self._open and self.changes and after == before:
            if value >= self.changes[-1].singular_value:
                return
            self.changes.pop()
        U = np.linalg.svd(at.C, full_matrices=True)[0]
        part = np.abs(U[:, rank:r]).max(axis=1, initial=0.0) > TAKES_PART
        names = [name for name, takes in zip(self.system.rows, part, strict=True) if takes]
        self.changes.append(RankChange(at.t, before, rank, after, value, names))
        self._open = True


def _largest(before: Floats, sizes: tuple[Floats, Floats], first: int, j: int) -> Floats:
    """The largest speed and acceleration up to row j, of rows with these `sizes`, which begin with row 0 if `first`, else with row 1."""
    return np.fmax(before, [np.fmax.reduce(x[: j + first], initial=0.0) for x in sizes])


def _rank(sample: _Sample) -> int:
    return count_rank(sample.values)


def _size(D: Floats) -> float:
    """The root of the sum of the squares of the entries; `numpy.linalg.norm` takes three times as long."""
    entries = D.ravel()
    return sqrt(float(entries @ entries))


def _bound(D: Floats) -> float:
    """A bound of the largest singular value of D (m, n), which is less than its size by entries: the 8-norm of all of them."""
    K = D @ D.T
    return sqrt(sqrt(_size(K @ K)))


def _vanishing(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> tuple[bool, bool]:
    """On which side of the middle a singular value vanishes, if on one, of which (time, amount) are known: where its rates are then alike.

    It goes through zero there about straight, and only its amount is known.
    """
    (t_a, a), (t_m, m), (t_b, b) = left, middle, right
    first, second = t_m - t_a, t_b - t_m
    rates = [
        ((a + m) / first, abs(b - m) / second),
        (abs(m - a) / first, (m + b) / second),
        (abs(m - a) / first, abs(b - m) / second),
    ]
    likely = min(range(3), key=lambda k: abs(rates[k][0] - rates[k][1]))
    return likely == 0, likely == 1
