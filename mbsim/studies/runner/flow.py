"""The derivatives of a motion by what varies, along one march: s = dz/dp of z = [q; v; work].

With E of `mbsim.system.variations` the equations that every row satisfies give

    M a' - C' lam' = -(E_q q' + E_v v' + E_p),  C a' = ...,  q' dot = ...        or        s_dot = A(t) s + b(t)

where A and b are exact. Steps of s are those of `linear_steps`, made shorter until their error is below a tolerance; where a law changes, s
jumps (`crossings`). z_dot satisfies the same equation with b = dz_dot/dt at a fixed state. So each step is also taken from z_dot, and its
end compared with what the march has there: a force that jumps without a switching function is found so, and refused.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mbsim.diagnosis.redundancy import independent_rows
from mbsim.studies.runner.crossings import Cut, Flags, FlowError, Varied
from mbsim.studies.runner.event_crossings import EventCrossings
from mbsim.studies.runner.found import Found, Row
from mbsim.studies.runner.linear_steps import QUARTERS, Scales, parts, steps
from mbsim.studies.runner.phases import Phases
from mbsim.studies.runner.resets import Resets
from mbsim.studies.runner.trajectory import HeadwayError
from mbsim.system.system import Floats

WINDOW = 50  # output times whose equations are held at once
STEPS = 200  # of a window, at first
OFTEN = 3
PASSES = 60  # of making the steps of a window shorter
SHORTEST = 1e-10  # of the run: a step of s
GROWTH = 4.0  # of the steps from one window to the next
FAR = 100.0  # times the defect that is allowed: then a step is divided further
FEW = 8  # steps of a window that has been divided often
BEYOND = 1e-3  # of a step
BEFORE_DUE = 2.5e-10  # of a step: how long before a delayed action rows end
MOST = 2000  # crossings
ROUNDINGS = 64.0 * float(np.finfo(float).eps)  # of the terms of a sum: what a step leaves where they cancel
ROUGH = 1e-9  # likewise, where derivatives of the numbers of a system are those of close differences (`resets.CLOSE`)
BESIDE, BESIDE_ROWS = 1e-7, 1e-3  # of the run, and of the time between rows: how far before and after a jump rows are kept at most
AGREE = 1e-4  # of the terms of a row that follows from others: what they may leave of it


@dataclass
class _Now:
    """Where the march is."""

    t: float
    row: Floats
    s: Floats  # (n_s, n_p)
    sides: Floats  # of all switches


@dataclass
class _Stretch:
    """A part of the march without a crossing: the ends of its steps, and the rows at their quarters."""

    edges: Floats
    grid: Floats
    rows: Floats
    on: Flags  # which numbers of switches are on a level, at each row
    sides: Floats  # after the last row
    cut: Cut | None = None  # what ends it
    after: tuple[float, Floats, Floats] | None = None  # time, row and sides after the crossing


@dataclass
class _Equations:
    """Of the rows of a stretch."""

    by_state: Floats  # (k, n + m + n_s, n_s) d[a; lam; z_dot]/dz
    by_others: Floats  # (k, n + m + n_s, 1 + n_p) by t and by what varies
    rates: Floats  # (k, n_s) z_dot
    rest: Floats  # (k, r, n_s + 1 + n_p) what these leave of the rows of C a + eta that follow from others
    terms: Floats  # likewise: the size of the terms that cancel there


class Flow:
    """The march of motions of one system with their derivatives."""

    def __init__(self, phases: Phases, resets: Resets, tolerance: float, defect: float) -> None:
        """`tolerance` of a step of s, of its largest size; `defect` of a step from z_dot, of the largest rates."""
        self._phases, self._resets, self._tolerance, self._defect = phases, resets, tolerance, defect
        self._n_s = phases.first.system.n_q + phases.first.system.n_v + 1

    def __call__(self, times: Floats, q: Floats, v: Floats, varied: Varied) -> Found:
        """The derivatives at output times, from the start (q, v) at the first. Raises FlowError and MarchError."""
        self._varied, self._found, self._times = varied, Found(), times
        found = self._found
        self._scales, self._span = Scales(varied.sizes, self._n_s, float(times[-1] - times[0])), float(times[-1] - times[0])
        self._phases.first.march.hold(q)
        self._resets.begin(self._phases, len(varied.sizes))
        found.events = self._resets.now.table
        self._take(EventCrossings(self._phases.first, self._resets), float(times[0]), q)
        now = _Now(float(times[0]), self._march.state(float(times[0]), q, v, 0.0), varied.start.copy(), np.zeros(0))
        self._keep_state(now)
        if len(self._crossings):
            now.t, now.row, now.sides = self._crossings.begin(now.t, now.row, now.s, float(times[1] - times[0]), float(times[-1]), varied)
        done, length, crossed = 0, np.inf, 0
        while done < len(times) - 1:
            ahead = times[done + 1 : done + 1 + WINDOW]
            done, length, cut = self._window(now, ahead, length, done)
            if found.stopped:
                return found
            if cut is None:
                continue
            crossed += 1
            if crossed > MOST:
                raise FlowError(f"laws change more than {MOST} times; the last one is {self._crossings.name(cut.which)}, t = {now.t:.9g} s")
            while done < len(times) - 1 and times[done + 1] <= now.t:
                done += 1
                if done == len(times) - 1 and found.jumped == cut.at and found.knots[-1][1].any():
                    raise FlowError(f"{self._crossings.name(cut.which)} is crossed at the end of the run: derivatives are of one side only")
                self._keep_state(now)
        return found

    def _take(self, crossings: EventCrossings, t: float, q: Floats) -> None:
        """Go on with a system from the configuration q at t."""
        phase = crossings.phase
        self._crossings, self._phase, self._system, self._march, self._variations = (
            crossings,
            phase,
            phase.system,
            phase.march,
            phase.variations,
        )
        self._size = self._system.n_v + self._system.n_rows
        self._redundant = len(independent_rows(self._system, t, q)) < self._system.n_rows
        self._found.parts.append(self._resets.ahead)

    def _window(self, now: _Now, ahead: Floats, length: float, done: int) -> tuple[int, float, Cut | None]:
        """March to the last of the output times ahead, or over the first crossing.

        Returns the last output time that is kept, the length of the last steps, and the crossing.
        """
        due = self._resets.next_due()
        edges, until = _until(_divide(np.array([now.t, *ahead]), length), due)
        for k in range(PASSES):
            try:
                stretch = self._stretch(now, edges)
            except HeadwayError:
                if len(edges) == 2:
                    raise
                edges = edges[: max(2, len(edges) // 8)]
                continue
            if not isinstance(stretch, _Stretch):  # a number may have turned at its level between these rows
                edges = stretch
                continue
            equations = self._equations(stretch.grid, stretch.rows)
            s, wanted = self._propagated(now, stretch, equations)
            if (wanted <= 1).all():
                break
            lengths = np.diff(stretch.edges)
            small = (wanted > 1) & (lengths < SHORTEST * self._span)
            if small.any():
                at = stretch.edges[np.flatnonzero(small)[0]]
                raise FlowError(f"rates jump, or change too quickly, at t = {at:.9g} s, where no law is known to change")
            inner = [np.linspace(a, b, c + 1)[:-1] for (a, b), c in zip(pairwise(stretch.edges), wanted, strict=True)]
            rest = edges[edges > stretch.edges[-1]] if stretch.cut is not None else []
            edges = np.concatenate([*inner, stretch.edges[-1:] if stretch.cut is None else [], rest])
            edges = edges if k < OFTEN else edges[: max(FEW, len(edges) // 2)]
        else:
            raise FlowError(f"the derivatives are not resolved after t = {now.t:.9g} s")
        for j, at in enumerate(stretch.edges[1:], 1):
            if at == self._times[done + 1 : done + 2]:
                done += 1
                self._keep(float(at), stretch.rows[QUARTERS * j], equations, QUARTERS * j, s[j])
        if stretch.on.size:
            self._crossings.stay(stretch.grid, stretch.rows, s[-1], stretch.on, self._varied)
        now.t, now.row, now.s, now.sides = float(stretch.edges[-1]), stretch.rows[-1], s[-1], stretch.sides
        cut, after = stretch.cut, stretch.after
        if cut is None and now.t == until:
            cut, after = self._crossings.due(due, now.row, now.t, float(np.diff(stretch.grid)[-1]), now.sides)
        elif cut is None and now.t > until:
            raise FlowError(f"a law or an event is at its level where a delayed event acts, at t = {due:.9g} s")
        if cut is not None:
            self._pass(now, cut, after)
        return done, GROWTH * float(np.median(np.diff(stretch.edges))), cut

    def _pass(self, now: _Now, cut: Cut, after: tuple[float, Floats, Floats] | None) -> None:
        """From shortly before a crossing, or before delayed actions, to shortly after it; without an `after` nothing changes there."""
        crossings, varied = self._crossings, self._varied
        s = self._carried(now.t, now.row, now.s, cut.at - now.t)
        if crossings.ends(cut, now.sides):
            self._end(now, cut, s)
            return
        through = None
        if cut.acting:
            through, moved = crossings.reset(cut, now.t, now.row, s, varied)
            s_after, self._found.jumped = through.s, cut.at
        elif after is None:
            return
        else:
            s_after, found = crossings.jump(cut, (now.t, after[0]), (now.row, after[1]), s, varied)
            if found is not None:
                self._found.jumped = cut.at
            moved_or_none = found if found is not None else crossings.bent(cut, now.t, now.row, s, varied)
            crossings.note(cut, now.sides, moved_or_none)
            if moved_or_none is None:
                now.t, now.row, now.sides = after
                now.s = self._carried(now.t, now.row, s_after, now.t - cut.at)
                return
            moved = moved_or_none
        assert after is not None
        self._found.knots.append((cut.at, moved))
        self._keep_beside(now, cut, -1.0)
        if through is not None:
            crossings.note(cut, now.sides, moved)
            if through.ahead is not None:
                crossings, self._varied = crossings.go_on(through.ahead, varied)
                self._take(crossings, after[0], after[1][: self._system.n_q])
            crossings.commit(through.switched, self._varied)
        now.t, now.row, now.sides = after
        now.s = self._carried(now.t, now.row, s_after, now.t - cut.at)
        self._keep_beside(now, cut, 1.0)

    def _end(self, now: _Now, cut: Cut, s: Floats) -> None:
        """Make the crossing of the stop expression the last row, from a row shortly before it; s (n_s, n_p) at the crossing."""
        f = self._phase.z_dot(now.t, now.row)
        moved = self._crossings.moved(cut, now.t, now.row, f, s, self._varied) if cut.moved is None else cut.moved
        self._found.knots.append((cut.at, moved))
        self._crossings.note(cut, now.sides, moved)
        self._found.drop(cut.at - SHORTEST * self._span)
        self._found.stopped = True
        self._keep_state(_Now(cut.at, self._row(now, cut.at), s, now.sides))

    def _keep_beside(self, now: _Now, cut: Cut, sign: float) -> None:
        """Keep a row shortly before or after a crossing, from one that is nearer: a nearer one changes sides by what derivatives leave out.

        Both are equally far from it, so that the mean of what jumps is that of the time between them.
        """
        if sign < 0.0:
            apart = min(BESIDE * self._span, BESIDE_ROWS * cut.quarter)
            self._found.drop(cut.at - apart)
            self._apart = min(apart, 0.25 * (cut.at - self._found.kept[-1].time), 0.25 * float(self._times[-1] - cut.at))
        t = cut.at + sign * self._apart
        self._keep_state(_Now(t, self._row(now, t), self._carried(now.t, now.row, now.s, t - now.t), now.sides))

    def _row(self, now: _Now, t: float) -> Floats:
        """The row a very short time earlier or later."""
        n_q, z = self._system.n_q, np.append(now.row[: self._n_s - 1], now.row[-1])
        z += (t - now.t) * self._phase.z_dot(now.t, now.row)
        return self._march.state(t, z[:n_q], z[n_q:-1], float(z[-1]))

    def _stretch(self, now: _Now, edges: Floats) -> _Stretch | Floats:
        """The march over these steps, up to its first crossing; or other steps to be tried instead."""
        grid = _quarters(edges)
        rows = self._march.march(grid, now.row)
        if not len(self._crossings):
            return _Stretch(edges, grid, rows, np.zeros((0, 0), bool), now.sides)
        sides, values, on = self._crossings.sides(now.sides, grid, rows)
        changes = np.flatnonzero((np.isfinite(sides[1:]) & np.isfinite(sides[:-1]) & (sides[1:] != sides[:-1])).any(axis=1))
        last = int(changes[0]) if len(changes) else len(grid) - 1
        turned = self._crossings.turn(grid[: last + 1], rows[: last + 1], sides[: last + 1], values[: last + 1]) if last else None
        if turned is not None:
            return np.unique(np.concatenate([edges, np.linspace(grid[turned], grid[turned + 1], 3)]))
        if not len(changes) and (on[-1] & ~on[-2]).any():  # it ends on a level: a little further on it is told on which side
            return np.append(edges, edges[-1] + BEYOND * (edges[-1] - edges[-2]))
        if not len(changes):
            return _Stretch(edges, grid, rows, on, sides[-1])
        cut = self._crossings.first(grid, rows, sides, values, on, last)
        cut, before, row, after, past, reached = self._crossings.states(cut, sides[last])
        if before <= now.t:
            raise FlowError(f"{self._crossings.name(cut.which)} changes again at once after t = {now.t:.9g} s")
        kept = edges[edges < before]
        if len(kept) > 1 and before - kept[-1] < 1e-3 * (kept[-1] - kept[-2]) and kept[-1] not in self._times:
            kept = kept[:-1]
        edges = np.append(kept, before)
        grid = _quarters(edges)
        rows = self._march.march(grid, now.row)
        rows[-1] = row
        return _Stretch(edges, grid, rows, on[:0], sides[last], cut, (after, past, reached))

    def _equations(self, grid: Floats, rows: Floats) -> _Equations:
        system, at = self._system, self._variations.at(grid, rows, self._varied.changes)
        n, m, n_q = system.n_v, system.n_rows, system.n_q
        both = np.concatenate([at.by_state, np.zeros((*at.by_state.shape[:2], 1)), at.by_others], axis=2)
        solved = np.zeros((len(rows), n + m, both.shape[2]))  # [a'; lam']; lam' of rows that follow from others is zero
        kept, others = self._independent(grid, rows)
        sizes = np.zeros((len(rows), n, both.shape[2]))  # of the terms of a', where rows follow from others
        try:
            left = at.left[:, kept[:, None], kept]
            solved[:, kept] = -np.linalg.solve(left, both[:, kept])
            if len(others):  # a' may be a small difference of what loads and reactions do
                sizes = np.abs(np.linalg.inv(left)[:, :n]) @ (np.abs(left) @ np.abs(solved[:, kept]) + np.abs(both[:, kept]))
        except np.linalg.LinAlgError:
            raise FlowError(f"constraints depend on each other between t = {grid[0]:.9g} and {grid[-1]:.9g} s") from None
        work = both[:, -1:] - np.einsum("kr,krp->kp", at.xi, solved[:, n:])[:, None] if m else both[:, -1:]
        whole = np.concatenate([solved, both[:, n + m : n + m + n_q], solved[:, :n], work], axis=1)
        rates = np.concatenate([at.E[:, n + m : n + m + n_q], rows[:, n_q + n : n_q + 2 * n], at.E[:, -1:]], axis=1)
        rest = both[:, others] + at.left[:, others, :n] @ solved[:, :n]
        arms = np.abs(at.left[:, others, :n]).max(axis=2, keepdims=True, initial=0.0)
        terms = np.abs(both[:, others]) + arms * sizes.sum(axis=1, keepdims=True)
        return _Equations(whole[:, :, : self._n_s], whole[:, :, self._n_s :], rates, rest, terms)

    def _independent(self, grid: Floats, rows: Floats) -> tuple[np.ndarray, np.ndarray]:
        """Which of [a; lam], and of the equations [M a - h - C' lam; C a + eta], stand for all of these rows; and the others."""
        n, m = self._system.n_v, self._system.n_rows
        if not self._redundant:
            return np.arange(n + m), np.zeros(0, int)
        middle = len(rows) // 2
        kept = independent_rows(self._system, float(grid[middle]), rows[middle, : self._system.n_q])
        return np.concatenate([np.arange(n), n + kept]), n + np.setdiff1d(np.arange(m), kept)

    def _propagated(self, now: _Now, stretch: _Stretch, equations: _Equations) -> tuple[Floats, np.ndarray]:
        """s at the ends of all steps, and into how many parts each is to be divided."""
        of = steps(stretch.grid, equations.by_state[:, self._size :], equations.by_others[:, self._size :])
        s = np.zeros((len(of.E) + 1, *now.s.shape))
        s[0] = now.s
        for j in range(len(of.E)):
            s[j + 1] = of.E[j] @ s[j] + of.r[j, :, 1:]
        rates = equations.rates[::QUARTERS]
        ends = np.einsum("kij,kj->ki", of.E, rates[:-1]) + of.r[:, :, 0]
        z = np.concatenate([stretch.rows[:, : self._n_s - 1], stretch.rows[:, -1:]], axis=1)
        self._scales.look(z, s)
        size, of_rates = np.abs(of.E), self._scales.of_rates(equations.rates)
        rounding = ROUNDINGS * (size @ np.abs(s[:-1]) + np.abs(of.r[:, :, 1:]))
        error = ((np.abs(of.F @ s[:-1] + of.f[:, :, 1:]) - rounding) / self._scales.of_s()).max(axis=(1, 2), initial=0.0)
        rounding = ROUNDINGS * (np.einsum("kij,kj->ki", size, np.abs(rates[:-1])) + np.abs(of.r[:, :, 0]))
        defect = ((np.abs(ends - rates[1:]) - rounding) / of_rates).max(axis=1)
        if not (np.isfinite(error).all() and np.isfinite(defect).all()):
            raise FlowError(f"derivatives of the equations are not finite after t = {now.t:.9g} s")
        if equations.rest.shape[1]:
            self._require_agreement(now.t, s, equations.rest[::QUARTERS], equations.terms[::QUARTERS])
        return s, np.maximum(parts(error, self._tolerance), np.where(defect > self._defect, np.where(defect > FAR * self._defect, 8, 2), 1))

    def _require_agreement(self, t: float, s: Floats, rest: Floats, terms: Floats) -> None:
        """Raise FlowError where rows that follow from others do not when p changes: rest (k, r, n_s + 1 + n_p) at s (k, n_s, n_p)."""

        def along(by: Floats, s: Floats) -> Floats:
            return np.asarray(by[:, :, : self._n_s] @ s + by[:, :, self._n_s + 1 :])

        left = ROUGH if self._resets.ahead.numbers else ROUNDINGS
        size, rounding = (along(np.abs(by), np.abs(s)).max(axis=(0, 1), initial=0.0) for by in (rest, terms))
        if (np.abs(along(rest, s)).max(axis=(0, 1), initial=0.0) > AGREE * size + left * rounding).any():
            raise FlowError(f"redundant rows contradict each other as what varies does, after t = {t:.9g} s")

    def _carried(self, t: float, row: Floats, s: Floats, h: float) -> Floats:
        """s a very short time h later, by its rate at a row."""
        at = self._equations(np.array([t]), row[None])
        return np.asarray(s + h * (at.by_state[0, self._size :] @ s + at.by_others[0, self._size :, 1:]))

    def _keep_state(self, now: _Now) -> None:
        self._keep(now.t, now.row, self._equations(np.array([now.t]), now.row[None]), 0, now.s)

    def _keep(self, t: float, row: Floats, equations: _Equations, i: int, s: Floats) -> None:
        """Keep a row and its derivatives, of row i of the equations; not one before those that are there."""
        kept, n_z, size = self._found.kept, self._n_s - 1, self._size
        if kept and t <= kept[-1].time:
            return
        rate, by_state, by_others = equations.rates[i], equations.by_state[i, :size], equations.by_others[i, :size]
        moved = np.concatenate([s[:n_z], by_state @ s + by_others[:, 1:], s[-1:]])
        wide, part = self._phase.wide, len(self._found.parts) - 1
        kept.append(Row(t, wide(row), wide(moved), wide(np.concatenate([rate[:n_z], by_state @ rate + by_others[:, 0], rate[-1:]])), part))


def _divide(edges: Floats, length: float) -> Floats:
    """Ends of the first STEPS steps no longer than `length`, among them all `edges` up to there."""
    found = [edges[:1]]
    left = STEPS
    for a, b in pairwise(edges):
        pieces = max(1, int(np.ceil((b - a) / length - 1e-9)))
        taken = min(pieces, left)
        found.append(a + (b - a) / pieces * np.arange(1, taken + 1))
        if taken == pieces:
            found[-1][-1] = b
        left -= taken
        if not left:
            break
    return np.concatenate(found)


def _until(edges: Floats, due: float) -> tuple[Floats, float]:
    """These ends of steps, the last of them shortly before a time that is due, if it is among them; and this time, or infinity."""
    if due >= edges[-1]:
        return edges, np.inf
    k = int(np.searchsorted(edges, due))
    width = BEFORE_DUE * (edges[k] - edges[k - 1])
    before = max(due - max(width, 64.0 * float(np.spacing(abs(due)))), 0.5 * (edges[0] + due))
    kept = edges[edges < before]
    if len(kept) > 1 and before - kept[-1] < 1e-3 * (kept[-1] - kept[-2]):
        kept = kept[:-1]
    return np.append(kept, before), before


def _quarters(edges: Floats) -> Floats:
    inner = [edges[:-1] + k / QUARTERS * np.diff(edges) for k in range(QUARTERS)]
    return np.append(np.column_stack(inner).reshape(-1), edges[-1])
