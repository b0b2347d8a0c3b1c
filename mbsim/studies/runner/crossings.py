"""Where a motion crosses a switching function, located with the march itself, and what its derivatives by p do there (the saltation):

    s+ = s- + (f- - f+) dt*/dp,    dt*/dp = -(g_z s- + g_p)/(g_z f- + g_t)      f = z_dot,  g(t, z, p) = 0 at t*

Hiskens & Pai, IEEE Trans. CAS I 47 (2000) 204. A crossing without speed, one that turns back at once, and a motion that stays on g = 0 have
no such derivative: FlowError names the law.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mbsim.contracts import Arrays
from mbsim.studies.runner.phases import Phase
from mbsim.system.system import Floats

SURFACE = 1e-13  # of 1, or of the largest value: nearer to its level a number is on it
NEARLY_TURNS = 0.02  # of its values at two rows: where a number turns so near to its level between them, it is looked at more closely
TOUCH = 1e-7  # of the largest value: a number that turns so near to its level touches it
SLOW = 1e-6  # of its change over the rows beside: a slower crossing is none
TOGETHER = 1e-6  # of the time between rows, and of its change: how closely the times of crossings at once have to change alike
STILL = 1e-9  # a number that changes by less, when what varies does by its size, does not
JUMPS, ROUND = 1e-7, 1e-3  # of a rate: smaller differences across a crossing are round-off; ROUND of the largest rate too
IMPACT = 1e-5  # of the largest rate: what rates jump by with a speed that a motion from rest gets between rows; less is round-off
BRACKET, WIDER, WIDTHS = 1e-9, 30.0, 4  # of the time between rows: how far before and after a crossing rates are taken; then wider ones
DIFFERENCE, SMALL = 1e-4, 1e-7  # of the state: differences of switching functions, which are smooth, and of rates beside a surface
WEIGHTS = ((1, 8.0 / 12.0), (2, -1.0 / 12.0))  # of central differences of order 4
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
ROUNDING = 16.0 * float(np.finfo(float).eps)  # m, rad, and of a coordinate
LEAVING = np.array([1.0 / 1024.0, 1.0 / 128.0, 1.0 / 16.0, 0.5, 4.0, 32.0])  # of the time between rows: when a start may have left a level
INSIDE = np.linspace(0.0, 1.0, 17)[1:-1]


class FlowError(ValueError):
    """A motion whose derivatives do not exist, or are not found."""


@dataclass(frozen=True)
class Varied:
    """What varies: how the arrays and the start do, and how large it is. n_p numbers."""

    changes: list[Arrays]  # n_p twins
    start: Floats  # (n_s, n_p) of z = [q; v; work]
    sizes: Floats  # (n_p,)
    shift: Callable[[int, float], None]  # puts number k changed by so much into the arrays; 0: as they were


class Cut(NamedTuple):
    """A crossing: before and after it the rates are taken at `width` from it."""

    at: float
    before: float  # a row that is surely before it,
    row: Floats  # which it is
    quarter: float  # s: between rows there
    which: list[int]  # the switches that are crossed
    acting: list[int] = []  # the events that change the motion there, together
    moved: Floats | None = None  # (n_p,) by what varies, of a time that is known before: of a delayed action
    carried: list[int] = []  # the events that those carry over zero


class Crossings:
    """The crossings of one motion. A side of a number is between which of its levels it is (`Switches.sides`)."""

    def __init__(self, phase: Phase, step: float = 0.0) -> None:
        """`step`: the time between output rows, s; `begin` learns it."""
        self.phase, self._step = phase, step
        self._round: Floats | float = 0.0
        self._system, self._march, self._variations, self._switches = phase.system, phase.march, phase.variations, phase.switches

    def __len__(self) -> int:
        return len(self._switches)

    def name(self, which: list[int]) -> str:
        """For messages."""
        return " and ".join(f"'{self._switches.switches[k].name}'" for k in which) or "a delayed event"

    def ends(self, cut: Cut, sides: Floats) -> bool:
        """Whether the run ends at a crossing, before which the sides are these."""
        return self._switches.stop in cut.which

    def values(self, times: Floats, rows: Floats) -> Floats:
        """The numbers (k, n_switches) of all switches at rows."""
        return self._switches.values(times, rows)

    def begin(self, t: float, row: Floats, s: Floats, h: float, end: float, varied: Varied) -> tuple[float, Floats, Floats]:
        """The time, the row and the sides at the start; where it is on a level, those after it, as soon as they are more than round-off.

        Raises FlowError where rates jump there, at what p moves, or would with the speed of a motion that p moves off.
        """
        self._step = h
        self._round = self._round_off(t, row)
        times = np.array([t, t + bracket(t, h), *(t + np.minimum(h * LEAVING, 0.5 * (end - t)))])
        rows = self._march.march(times, row)
        values = self.values(times, rows)
        stays = self._on(values)
        on, left = stays[0], 2 + np.argmin(stays[2:], axis=0)  # of a number that stays on its level the first row after the start
        for k in np.flatnonzero(on):
            self._require_no_jump(int(k), t, row, s, varied, False)
            self._require_no_impact(int(k), t, row, s, h, varied)
        sides = self._switches.sides(values)
        first = int(on.any())
        return float(times[first]), rows[first], np.asarray(np.where(on, sides[left, np.arange(len(on))], sides[0]))

    def _round_off(self, t: float, row: Floats) -> Floats:
        """(n,) what round-off of coordinates, and of terms as large, leaves of the numbers at a row."""
        n_q = self._system.n_q
        moved = np.tile(row, (1 + n_q, 1))
        moved[np.arange(1, 1 + n_q), np.arange(n_q)] += ROUNDING * np.maximum(1.0, np.abs(row[:n_q]))
        values = self.values(np.full(1 + n_q, t), moved)
        with np.errstate(invalid="ignore"):
            found: Floats = np.nan_to_num(np.abs(values[1:] - values[0]).sum(axis=0))
        return found

    def sides(self, before: Floats, times: Floats, rows: Floats) -> tuple[Floats, Floats, Flags]:
        """The sides (k, n) at rows, values, and which of these are on a level: there the side is still that of the row before."""
        values = self.values(times, rows)
        on, sides = self._on(values), self._switches.sides(values)
        sides[0] = before
        for i in range(1, len(sides)):
            sides[i] = np.where(on[i], sides[i - 1], sides[i])
        return sides, values, on

    def stay(self, times: Floats, rows: Floats, s: Floats, on: Flags, varied: Varied) -> None:
        """Raise FlowError for a motion that stays on a level at these rows, s (n_s, n_p) at the last, and would leave it when p changes."""
        for k in np.flatnonzero(on.all(axis=0)):
            self._require_no_jump(int(k), float(times[-1]), rows[-1], s, varied, True)

    def turn(self, times: Floats, rows: Floats, sides: Floats, values: Floats) -> int | None:
        """A row after which a number may turn at its level and back: to be looked at with rows that are closer. Raises FlowError."""
        h = np.diff(times)
        rates = self._rates(times, rows, h)
        with np.errstate(invalid="ignore"):
            for k in range(len(self._switches)):
                s, d = values[:, k], rates[:, k]
                level = self._levels(values)[:-1, k]
                a, b, da, db = s[:-1] - level, s[1:] - level, d[:-1] * h, d[1:] * h
                same = sides[1:, k] == sides[:-1, k]
                largest = float(np.nanmax(np.abs(a), initial=0.0))
                for i in np.flatnonzero(same & (a * da < 0.0) & (b * db > 0.0) & (a * b > 0.0)):
                    x, y = INSIDE, 1.0 - INSIDE
                    inside = (a[i] * (1 + 2 * x) + da[i] * x) * y * y + (b[i] * (1 + 2 * y) - db[i] * y) * x * x
                    ends = max(abs(a[i]), abs(b[i]))
                    if (inside * np.sign(a[i])).min() < NEARLY_TURNS * ends:
                        if ends < TOUCH * largest:
                            raise FlowError(f"{self.name([k])} is touched and not crossed at t = {times[i]:.9g} s: no derivative exists")
                        return int(i)
        return None

    def first(self, times: Floats, rows: Floats, sides: Floats, values: Floats, on: Flags, i: int) -> Cut:
        """The first crossing, between rows i and i + 1. Raises FlowError and MarchError."""
        from scipy.optimize import brentq  # a fifth of a second to import, and few runs need it

        changed = np.flatnonzero((sides[i + 1] != sides[i]) & np.isfinite(sides[i]) & np.isfinite(sides[i + 1]))
        found: list[tuple[float, int]] = []
        base = min(int(np.flatnonzero(~on[: i + 1, k])[-1]) if (~on[: i + 1, k]).any() else 0 for k in changed)
        begin, row, end = float(times[base]), rows[base], float(times[i + 1])
        seen: dict[float, Floats] = {begin: values[base], end: values[i + 1]}

        def look(t: float) -> Floats:
            if t not in seen:
                at = np.array([begin, t])
                seen[t] = self.values(at, self._march.march(at, row))[1]
            return seen[t]

        for k in changed:
            level = self._crossed(int(k), float(values[base, k]), float(values[i + 1, k]))
            ends = [look(t)[k] - level for t in (begin, end)]
            if ends[0] * ends[1] >= 0.0:  # it is on the level at one of them
                found.append((begin if abs(ends[0]) < abs(ends[1]) else end, int(k)))
                continue
            close = 1e-15 * max(abs(end), 1e-3)
            found.append((float(brentq(lambda t, k=k, level=level: look(t)[k] - level, begin, end, xtol=close, rtol=1e-15)), int(k)))
        at, quarter = min(found)[0], float(times[i + 1] - times[i])
        return Cut(at, begin, row, quarter, [k for t, k in found if t - at <= 4.0 * bracket(at, quarter)])

    def states(self, cut: Cut, sides: Floats) -> tuple[Cut, float, Floats, float, Floats, Floats]:
        """The crossing with all numbers that take part, rows shortly before and after it, their times, and the sides after it.

        Raises FlowError and MarchError.
        """
        width = bracket(cut.at, cut.quarter)
        for _ in range(WIDTHS):
            before, after = max(cut.at - width, cut.before), cut.at + width
            times = np.array([cut.before, before])
            row = self._march.march(times, cut.row)[1] if before > cut.before else cut.row
            past = self._past(before, row, after)
            values = self.values(np.array([before, after]), np.stack([row, past]))
            reached = self._switches.sides(values)
            if all(reached[0, k] == sides[k] and reached[1, k] != sides[k] for k in cut.which):
                on = self._on(values)
                moved = np.isfinite(reached).all(axis=0) & (reached[0] != reached[1]) & ~on.any(axis=0)
                moved[cut.which] = True
                all_of_them = cut._replace(which=np.flatnonzero(moved).tolist())
                return all_of_them, before, row, after, past, np.where(on[1] & ~moved, sides, reached[1])
            width *= WIDER
        raise FlowError(f"{self.name(cut.which)} is touched, or crossed and crossed back, at t = {cut.at:.9g} s: no derivative exists")

    def jump(
        self, cut: Cut, times: tuple[float, float], rows: tuple[Floats, Floats], s: Floats, varied: Varied
    ) -> tuple[Floats, Floats | None]:
        """s after a crossing, and dt*/dp (n_p,) where rates jump there. `times` and `rows` shortly before and after. Raises FlowError."""
        f = [self.phase.z_dot(t, row) for t, row in zip(times, rows, strict=True)]
        off = f[0] - f[1]
        sizes = np.maximum(np.abs(f[0]), np.abs(f[1]))
        if (np.abs(off) <= JUMPS * (sizes + ROUND * sizes.max())).all():
            return s, None
        for k in cut.which:
            before, after = (self._along(k, t, row, rates) for t, row, rates in zip(times, rows, f, strict=True))
            if before * after <= 0.0:
                raise FlowError(f"the motion does not leave {self.name([k])} after t = {cut.at:.9g} s: the law changes again at once")
        moved = self.moved(cut, times[0], rows[0], f[0], s, varied)
        return s + np.outer(off, moved), moved

    def bent(self, cut: Cut, t: float, row: Floats, s: Floats, varied: Varied) -> Floats | None:
        """dt*/dp (n_p,) of a crossing at which rates do not jump, though their slopes may; None where it has no such derivative."""
        try:
            return self.moved(cut, t, row, self.phase.z_dot(t, row), s, varied)
        except FlowError:
            return None

    def moved(self, cut: Cut, t: float, row: Floats, f: Floats, s: Floats, varied: Varied) -> Floats:
        """dt*/dp (n_p,) of a crossing, from a row shortly before it with z_dot = f. Raises FlowError."""
        found = []
        values = self.values(np.array([cut.before, t]), np.stack([cut.row, row]))
        for k in cut.which:
            rate, way = self._along(k, t, row, f), abs(values[0, k] - self._switches.nearest(k, float(values[1, k])))
            if abs(rate) * cut.quarter <= SLOW * way or rate == 0.0:
                raise FlowError(f"{self.name([k])} is crossed without speed at t = {cut.at:.9g} s: no derivative exists")
            found.append(-np.array([self._by(k, t, row, s[:, j], j, varied) for j in range(len(varied.sizes))]) / rate)
        apart = np.abs(np.array(found) - found[0]).max(axis=0) * varied.sizes
        if (apart > TOGETHER * (cut.quarter + np.abs(found[0]) * varied.sizes)).any():
            raise FlowError(f"{self.name(cut.which)} change together at t = {cut.at:.9g} s: derivatives depend on which goes first")
        return found[0]

    def _past(self, before: float, row: Floats, after: float) -> Floats:
        """The row shortly after a crossing: from that before it by the mean of the rates of both sides."""
        n_q, n = self._system.n_q, self._system.n_v
        z, f = np.concatenate([row[: n_q + n], row[-1:]]), self.phase.z_dot(before, row)
        past, mean = row, f
        for _ in range(2):
            at = z + (after - before) * mean
            past = self._march.state(after, at[:n_q], at[n_q : n_q + n], float(at[-1]))
            mean = 0.5 * (f + self.phase.z_dot(after, past))
        return past

    def _on(self, values: Floats) -> Flags:
        """Which values are on a level."""
        with np.errstate(invalid="ignore"):
            finite = np.where(np.isfinite(values), np.abs(values), 0.0)
            least = np.maximum(SURFACE * np.maximum(1.0, finite.max(axis=0, initial=0.0)), self._round)
            return np.asarray(np.abs(values - self._levels(values)) <= least)

    def _levels(self, values: Floats) -> Floats:
        """The level that is nearest to each value."""
        found = np.empty_like(values)
        for k, switch in enumerate(self._switches.switches):
            levels, s = np.array(switch.levels), np.where(np.isfinite(values[:, k]), values[:, k], 0.0)
            turns = np.floor((s - levels[0]) / switch.period) * switch.period if switch.period else np.zeros(len(s))
            found[:, k] = levels[np.argmin(np.abs(levels[:, None] + turns - s), axis=0)] + turns
        return found

    def _crossed(self, k: int, a: float, b: float) -> float:
        """The level that is crossed first on the way from a to b."""
        switch = self._switches.switches[k]
        if len(switch.levels) == 1 and not switch.period:
            return switch.levels[0]
        levels = [x + turn * switch.period for x in switch.levels for turn in _turns(switch.levels[0], switch.period, a, b)]
        between = [x for x in levels if min(a, b) <= x <= max(a, b)]
        return min(between, key=lambda x: abs(x - a)) if between else self._switches.nearest(k, b)

    def _rates(self, times: Floats, rows: Floats, h: Floats) -> Floats:
        """The rates of all numbers along the motion, at rows; to see where they turn."""
        n, m, n_q = self._system.n_v, self._system.n_rows, self._system.n_q
        E, _, _ = self._variations.terms(times, rows)
        step = 1e-3 * float(h.min())
        ends = []
        for sign in (1.0, -1.0):
            moved = rows.copy()
            moved[:, :n_q] += sign * step * E[:, n + m : n + m + n_q]
            moved[:, n_q : n_q + n] += sign * step * rows[:, n_q + n : n_q + 2 * n]
            ends.append(self.values(times + sign * step, moved))
        with np.errstate(invalid="ignore"):
            return np.asarray((ends[0] - ends[1]) / (2.0 * step))

    def _along(self, k: int, t: float, row: Floats, z: Floats) -> float:
        """The rate of number k along the motion, with z (n_s,) that of the state."""
        size = max(1.0, float(np.abs(row[: len(z) - 1]).max(initial=0.0)))
        step = min(DIFFERENCE * size / max(float(np.abs(z).max()), 1e-300), 0.1 * self._step)
        found = 0.0
        for place, weight in WEIGHTS:
            for sign in (1.0, -1.0):
                moved, by = row.copy(), sign * place * step
                moved[: len(z) - 1] += by * z[:-1]
                found += sign * weight / step * self.values(np.array([t + by]), moved[None])[0, k]
        return float(found)

    def _by(self, k: int, t: float, row: Floats, s: Floats, j: int, varied: Varied) -> float:
        """The derivative of number k by p_j, with s (n_s,) that of the state."""
        size = max(1.0, float(np.abs(row[: len(s) - 1]).max(initial=0.0)))
        step = DIFFERENCE / max(float(np.abs(s).max()) / size, 1.0 / varied.sizes[j])
        found = 0.0
        for place, weight in WEIGHTS:
            for sign in (1.0, -1.0):
                moved, by = row.copy(), sign * place * step
                moved[: len(s) - 1] += by * s[:-1]
                varied.shift(j, by)
                found += sign * weight / step * self.values(np.array([t]), moved[None])[0, k]
        varied.shift(j, 0.0)
        return float(found)

    def _require_no_jump(self, k: int, t: float, row: Floats, s: Floats, varied: Varied, kinks: bool) -> None:
        """Raise FlowError where p moves number k off its level, and rates, or with `kinks` their slopes, are not the same on both sides."""
        n_q, n = self._system.n_q, self._system.n_v
        middle = self.phase.z_dot(t, row)
        for j in range(len(varied.sizes)):
            size = max(1.0, float(np.abs(row[: n_q + n]).max(initial=0.0)))
            step = SMALL / max(float(np.abs(s[:, j]).max()) / size, 1.0 / varied.sizes[j])
            if abs(self._by(k, t, row, s[:, j], j, varied)) * varied.sizes[j] <= STILL:
                continue
            ends = []
            for sign in (1.0, -1.0):
                moved = row[: n_q + n] + sign * step * s[:-1, j]
                varied.shift(j, sign * step)
                ends.append(self.phase.z_dot(t, self._march.state(t, moved[:n_q], moved[n_q:], float(row[-1]))))
            varied.shift(j, 0.0)
            scale, off = float(np.abs(middle).max()), float(np.abs(ends[0] - ends[1]).max())
            bent = float(np.abs(ends[0] + ends[1] - 2.0 * middle).max())
            if off > 1e3 * SMALL * max(scale, 1e-300) or (kinks and bent > 1e-3 * off + 1e-13 * scale):
                raise FlowError(f"the motion is on {self.name([k])} at t = {t:.9g} s, where derivatives are of one side only")

    def _require_no_impact(self, k: int, t: float, row: Floats, s: Floats, h: float, varied: Varied) -> None:
        """Raise FlowError where the motion begins on a level, p moves it off, and rates jump there with the speed that it gets within h.

        A cable with damping that is drawn at its free length: a start that is slack by d meets the level with a speed like the root of d,
        at which the force jumps, for a time like that root. That changes the motion by as much as d, and on the slack side only.
        """
        n_q, n = self._system.n_q, self._system.n_v
        begun = self.phase.z_dot(t, row)
        faster = row.copy()
        faster[n_q : n_q + n] += h * begun[n_q : n_q + n]
        largest = float(np.abs(begun).max())
        for j in range(len(varied.sizes)):
            if abs(self._by(k, t, row, s[:, j], j, varied)) * varied.sizes[j] <= STILL:
                continue
            apart = self._apart(t, faster, s, j, varied) - self._apart(t, row, s, j, varied)
            if float(np.abs(apart).max()) > IMPACT * largest:
                raise FlowError(f"the motion begins on {self.name([k])} at t = {t:.9g} s, where derivatives are of one side only")

    def _apart(self, t: float, row: Floats, s: Floats, j: int, varied: Varied) -> Floats:
        """By how much the rates of [q; v] differ on both sides of a row, between which p_j is changed a little."""
        n_q, n = self._system.n_q, self._system.n_v
        size = max(1.0, float(np.abs(row[: n_q + n]).max(initial=0.0)))
        step, ends = SMALL / max(float(np.abs(s[:, j]).max()) / size, 1.0 / varied.sizes[j]), []
        for sign in (1.0, -1.0):
            moved = row[: n_q + n] + sign * step * s[:-1, j]
            varied.shift(j, sign * step)
            ends.append(self.phase.z_dot(t, self._march.state(t, moved[:n_q], moved[n_q:], float(row[-1])))[: n_q + n])
        varied.shift(j, 0.0)
        return ends[0] - ends[1]


def bracket(at: float, quarter: float) -> float:
    return max(BRACKET * quarter, 64.0 * float(np.spacing(max(abs(at), 1e-6))))


def _turns(first: float, period: float, a: float, b: float) -> list[int]:
    if not period:
        return [0]
    low, high = (int(np.floor((x - first) / period)) for x in (min(a, b), max(a, b)))
    return list(range(low - 1, high + 2))
