"""One step of Moreau and Jean through stops, contacts and dry friction: no event is located, all that touches is solved together.

Over a step h from (q, v) to (q', v'), with theta = 1/2:

    q_m = q (+) h/2 v
    M (v' - v) = h h_m + C' (h lam) + W p,    C v' at the end of the step,     all terms at q_m
    w' = w + h w_dot + D p,    D = W' K^-1 W,    w_dot along the motion without contact forces
    0 <= w'_N + e w_N  with  0 <= p_N,  one of them zero;  p_T in Coulomb's disk against w'_T
    q' = q_m (+) h/2 v'

w are the velocities of gaps and slips, p impulses. A contact takes part whose gap is closed at q_m, and one that has pressed in the step
before and would be closed at the end of the step. It rebounds by Newton's law with its speed at the start of the step. One that has pressed
before, or closes slower than its `closing_speed`, does not rebound. By Poisson's law the step is the compression, without rebounds; then
each contact gives back e times what an impact has added to its impulse, and more where it would close, in a second problem of impulses
alone (Anitescu and Potra 1997). The gaps of what stays closed, and the constraints, are corrected
after the step, in the metric of M. Forces are explicit, at a speed that is predicted for the middle of the step from the step before.

The order is one: an impact happens at some time of its step. On smooth motions, and while contacts neither come nor go, it is two.

The work W takes the power of forces, p times the mean velocity of its row, and what the correction of gaps changes the energy by.

Sources: Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; Jean, The non-smooth contact dynamics method, CMAME
177, 1999; Acary, Projected event-capturing time-stepping schemes for nonsmooth mechanical systems, CMAME 256, 2013.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mbsim import contracts, jit
from mbsim.assembly.unilaterals import Look, Unilateral, Unilaterals, tangent_rows
from mbsim.integrators import _moreau as served
from mbsim.march.asked import TANGENTS, clear_numbers
from mbsim.march.constrained import Constrained, SingularMass
from mbsim.march.contact_modes import Mode
from mbsim.march.ending import Stopped, join_names
from mbsim.march.entering import Corners, Sides
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import link_of
from mbsim.march.moreau_problems import Flags, Places, Problems, State
from mbsim.system.system import Floats, System
from mbsim.unilateral.answer import answer
from mbsim.unilateral.impacts import NEWTON_LAW
from mbsim.unilateral.problem import contacts

TOUCHES = 1e-9  # m or rad, or of the bound: what is nearer is closed
CORRECTIONS = 20  # by factors of the middle of the step
DEPTH = 2.0  # times what a step leads a corner along by the speed at its start: it is no deeper in a solid
THROUGH = 0.25  # of what is solid: no step leads deeper. From half on the nearest way out is on the other side
GAIN = 1e-6  # of the work of impulses without signs: as well as these are known, which grows by more
NEARBY = 1e-6  # of the bodies' lengths, or rad: gaps that are looked at where bodies are moved out of each other
MET, LEFT = 1e-14, 1e-9  # of the scales of rows: residuals of constraints that are round-off, and that may be left
CORRECTED = 1e-13  # of the bodies' lengths, or rad: a gap that is so near to zero is left


class Step(NamedTuple):
    """A step."""

    after: State
    v_dot: Floats  # (n_v,) its mean acceleration
    lam: Floats  # (m,) mean multipliers of the constraints
    force: Floats  # (N,) mean forces along the directions of contacts
    modes: list[Mode]
    hits: Flags  # (n,) whether an impact of it has happened
    gained: float  # J, that its impacts have gained by Newton's law; 0 where they have lost some


@dataclass
class Moreau:
    """Steps of one system: `base` without what contacts hold, `full` with all their rows."""

    base: Formulation
    full: System
    found: Unilaterals
    lines: Mapping[tuple[int, Look], int]  # of Work.events
    absent: frozenset[int] = frozenset()  # stops and frictions of joints that are open
    law: str = NEWTON_LAW  # of impacts

    def __post_init__(self) -> None:
        each, system, rows = self.found.each, self.base.system, {name: k for k, name in enumerate(self.full.rows)}
        self.first = np.concatenate([[0], np.cumsum([len(one.pushes) for one in each])]).astype(np.int64)
        self._normal = np.array([bool(one.normal) for one in each], np.int64)
        self._tangents = np.array([one.tangents for one in each], np.int64)
        self._gaps = np.array([self.lines[i, Look.GAP] if one.normal else 0 for i, one in enumerate(each)], np.int64)
        speeds, places, signs = [], [], []
        for i, one in enumerate(each):
            looks = ((Look.SPEED,) if one.normal else ()) + TANGENTS[: one.tangents]
            speeds += [self.lines[i, look] for look in looks]
            places += ([rows[one.normal]] if one.normal else []) + ([rows[name] for name in tangent_rows(one)] if one.tangent else [])
            signs += [one.sign] * bool(one.normal) + [1.0] * one.tangents
        self._speeds, self.places, self.signs = np.array(speeds, np.int64), np.array(places, np.int64), np.array(signs)
        self._lengths = np.array([one.near for one in each])
        self._near = TOUCHES * self._lengths
        self._widths = np.array([one.width or np.inf for one in each], float)
        self._closing_speed = np.array([one.closing_speed for one in each], float)
        self._idle = [Mode.OPEN if one.normal else Mode.IDLE for one in each]
        self._there = np.array([i not in self.absent for i in range(len(each))], bool)
        self._sides, self._corners = Sides(self.found, self.lines), Corners(self.found, self.base.system, self.full)
        self._problems = Problems(each, self._normal, self._tangents, self.first, system.rows, self.law)
        n, m = system.n_v, system.n_rows
        self._C, self._xi, self._M, self._h, self._eta = np.zeros((m, n)), np.zeros(m), np.zeros((n, n)), np.zeros(n), np.zeros(m)
        self._reach = np.zeros(len(each))  # m or rad: how far a step leads a contact along
        self._power, self._rates, self._phi, self._energy = np.zeros(1), np.zeros(system.n_q), np.zeros(system.n_holonomic), np.zeros(3)
        self._q, self._v, self._v_dot, self._d = np.zeros(system.n_q), np.zeros(n), np.zeros(n), np.zeros(n)
        self._W, self._out, self._asked = np.zeros((self.full.n_rows, n)), np.zeros((system.n_events, contracts.EVENTS)), np.zeros(2)
        self._serve = jit.bound(
            served.serve, system.functions, system.arrays, self.full.functions, self.full.arrays, self._asked, self._q, self._v,
            self._v_dot, self._d, self._rates, np.zeros(m), self._M, self._h, self._eta, self._power, self._C, self._xi, self._W,
            np.zeros(self.full.n_rows), self._out, self._phi, self._energy,
        )  # fmt: skip

    @property
    def coarse(self) -> int:
        """Problems whose residual was more than round-off."""
        return self._problems.coarse

    @property
    def each(self) -> tuple[Unilateral, ...]:
        """All contacts."""
        return self.found.each

    def begin(self, t: float, q: Floats, v: Floats, work: float) -> State:
        """From a state on, of which nothing is known."""
        system = self.base.system
        clear_numbers(self.found, system.arrays.parameters)
        self.base.work.slipping[:, contracts.SLIP_PLACE] = -1.0
        count = min(len(system.arrays.parameters), len(self.full.arrays.parameters))
        self.full.arrays.parameters[:count] = system.arrays.parameters[:count]
        none = np.zeros(len(self.each), bool)
        self._q[:], self._v[:], self._v_dot[:] = q, v, 0.0
        self._sides.begin()
        gap, speed, _ = self._look(t)
        left = none, none, np.zeros(len(self.places)), np.zeros(system.n_v)
        return State(q.copy(), v.copy(), work, gap, speed, *left, self._rate(), self._sides.height.copy(), *self._edge())

    def _do(self, what: float, t: float) -> None:
        """Ask the kernel, at the q and v that are in its arrays."""
        self._asked[:] = what, t
        self._serve()

    def _look(self, t: float) -> tuple[Floats, Floats, Floats]:
        """At q, v and v_dot: gaps (n,), and speeds and accelerations (N,) along all directions."""
        self._do(served.LOOK, t)
        out = self._out
        gap = np.where(self._normal == 1, out[self._gaps, contracts.EVENT_VALUE], np.inf)
        self._sides.set_gaps(gap, out, TOUCHES)
        return gap, out[self._speeds, contracts.EVENT_VALUE], out[self._speeds, contracts.EVENT_RATE]

    def _rate(self) -> Floats:
        """Of gaps (n,), at the last look."""
        return np.where(self._normal == 1, self._out[self._gaps, contracts.EVENT_RATE], 0.0)

    def _edge(self) -> tuple[Floats, Floats]:
        """Of State, at the last look."""
        edge, rate, lines = np.full(len(self.each), np.inf), np.zeros(len(self.each)), self._sides.edges
        edge[self._sides.each] = self._out[lines, contracts.EVENT_VALUE]
        rate[self._sides.each] = self._out[lines, contracts.EVENT_RATE]
        return edge, rate

    def passing(self, h: float, state: State) -> int:
        """A contact that may close within a step of h (s) and come too deep into what is solid; -1 where there is none."""
        deep = self._there & (-h * state.rate >= state.gap + THROUGH * self._widths) & (state.rate < 0.0)
        if deep.any() and np.isfinite(state.edge[deep]).any():
            deep &= self._nearest(h, state) <= -THROUGH * self._widths
        return int(np.argmax(deep)) if deep.any() else -1

    def _nearest(self, h: float, state: State) -> Floats:
        """The least gaps (n,) within a step of h (s), of a straight motion: of what comes over a side they shrink only until it does.

        Along such a motion a gap is convex, so it is least at the end of the step, or where the end of the side is passed.
        """
        edge, turns = state.edge, state.edge_rate
        rate = state.rate + np.where(edge < 0.0, 2.0 * turns, 0.0)  # of the height
        passes = np.where((edge < 0.0) & (turns * h > -edge), -edge / np.where(turns > 0.0, turns, 1.0), h)
        least = np.full(len(edge), np.inf)
        for s in (passes, h):
            beyond = 2.0 * np.maximum(0.0, -np.where(np.isfinite(edge), edge + s * turns, 0.0))
            np.minimum(least, state.height + s * rate + beyond, out=least)
        return np.where(np.isfinite(state.gap), least, np.inf)

    def _move(self, d: Floats) -> None:
        """q <- q (+) d."""
        self._d[:] = d
        self._do(served.MOVE, 0.0)

    def step(self, t: float, h: float, state: State, patient: bool = True) -> Step:
        """A step of h (s) from t; `patient` as of `mbsim.march.moreau_problems.Kept.solve`. Raises Stopped."""
        speeds = np.sqrt(np.add.reduceat(np.append(state.speed**2, 0.0), self.first[:-1])) if len(self.each) else np.zeros(0)
        self._reach = DEPTH * h * speeds
        self._corners.set_depths(self._reach)
        self._sides.begin(state.gap, state.height)
        try:
            return self._step(t, h, state, patient)
        finally:
            self._corners.set_depths(np.zeros(len(self.each)))

    def _step(self, t: float, h: float, state: State, patient: bool) -> Step:
        n_c, n_x, middle, q, v = self.base.system.n_c, self.base.system.n_x, t + 0.5 * h, self._q, self._v
        q[:], v[:] = state.q, state.v
        if n_x:
            self._do(served.RATES, t)
        self._move(0.5 * h * state.v)
        v += 0.5 * h * state.smooth  # what it will be in the middle, if nothing happens
        if n_x:
            q[n_c:] += 0.5 * h * self._rates[n_c:]
        self._do(served.EVALUATE, middle)
        self.base.work.counts[contracts.COUNT_EVALUATIONS] += 1
        try:
            held = Constrained(self._M, self._C)
        except SingularMass:
            raise Stopped("steps need a mass or an inertia along every speed: the mass matrix is singular", t) from None
        v_dot, lam = held.free(self._h, self._eta)
        self._v_dot[:] = v_dot
        gap, _, acceleration = self._look(middle)
        rates = self._rates[n_c:].copy()
        ahead = state.speed + h * acceleration  # along all directions, without contact forces
        taking = self._taking(gap, ahead, state, h)
        impulse, modes = np.zeros(len(self.places)), self._idle.copy()
        hits, pressed, stuck = (np.zeros(len(self.each), bool) for _ in range(3))
        after, closed, done, gained = state.v + h * v_dot, None, 0.0, 0.0
        if len(taking):
            which = self._problems.kept(taking)
            rows, solver = which.rows, which.solver
            at_normals, normals = solver.first[:-1][solver.normals], taking[solver.normals]
            self._do(served.WAYS, middle)
            W = (self._W[self.places[rows]] * self.signs[rows, None]).T
            D, moves, response = held.responses(W)
            p, slips = self._problems.solve(which, D, ahead[rows], response, lam * h, state, h, t, link_of(self.base.work), patient)
            impulse[rows] = p
            lam = lam + response @ p / h
            after = after + moves @ p
            mean_speed = W.T @ (0.5 * (state.v + after))
            done = float(p @ mean_speed)
            gained = done if done > GAIN * float(np.abs(p) @ np.abs(mean_speed)) else 0.0
            pushes = (p * solver.units)[at_normals] > solver.unsure
            hits[normals] = pushes & ~state.pressed[normals] & (state.speed[self.first[normals]] < -self._closing_speed[normals])
            stays = pushes & (((ahead[rows] + D @ p) / solver.units * solver.work.scale)[at_normals] <= solver.still)
            pressed[normals] = stays
            closed = moves.T[at_normals[stays]], D[np.ix_(at_normals[stays], at_normals[stays])], normals[stays]
            for k, i in enumerate(taking.tolist()):
                if self._normal[i] and not pressed[i]:
                    continue  # open, or it has just rebounded
                modes[i] = Mode.SLIPS if slips[k] else Mode.STICKS if self._tangents[i] else Mode.CLOSED
                stuck[i] = modes[i] == Mode.STICKS
        self._move(0.5 * h * after)
        if n_x:
            q[n_c:] = state.q[n_c:] + h * rates
        done += h * (float(self._power[0]) - float(lam @ self._xi))
        end = t + h
        v[:] = after
        if closed is not None:
            done += self._close(end, *closed)
        self._project(end, held)
        gap, speed, _ = self._look(end)
        mean = (v - state.v) / h
        smooth = np.zeros(len(v)) if hits.any() else mean
        left = pressed, stuck, impulse, smooth, self._rate(), self._sides.height.copy(), *self._edge()
        new = State(q.copy(), v.copy(), state.work + done, gap, speed, *left)
        return Step(new, mean, lam, impulse / h, modes, hits, gained if hits.any() else 0.0)

    def watched(self, t: float, state: State) -> Floats:
        """All events at a state, in the first two columns of lines of Work.events. What they read of efforts is zero."""
        self._q[:], self._v[:], self._v_dot[:] = state.q, state.v, state.smooth
        self._do(served.LOOK, t)
        return self._out

    def cleared(self, t: float, q: Floats, v: Floats) -> Floats:
        """q, moved the least so that nothing is inside of anything. Raises Stopped."""
        self._q[:], self._v[:], self._v_dot[:] = q, v, 0.0
        for _ in range(CORRECTIONS):
            gap = np.where(self._there, self._look(t)[0], np.inf)
            inside = np.flatnonzero(gap < -self._near)
            if not len(inside):
                return self._q.copy()
            near = np.flatnonzero(gap <= np.maximum(NEARBY * self._lengths, -2.0 * float(gap.min())))
            self._do(served.EVALUATE, t)
            self._do(served.WAYS, t)
            W = (self._W[self.places[self.first[near]]] * self.signs[self.first[near], None]).T
            D, moves, _ = Constrained(self._M, self._C).responses(W)
            p = answer(D, gap[near], contacts(np.ones(len(near), int)), every=False).p
            self._move(moves @ p)
        names = join_names([self.each[i].name for i in inside])
        raise Stopped(f"the bodies of {names} are inside each other after steps, by {-float(gap.min()):.3g}", t)

    def _taking(self, gap: Floats, ahead: Floats, state: State, h: float) -> Places:
        """The contacts that take part: what is closed in the middle of the step, or pressed before and would be closed at its end."""
        normals = np.where(self._normal == 1, self.first[:-1], 0)
        closed = gap <= self._near
        if state.pressed.any():
            closed |= state.pressed & (state.gap + 0.5 * h * (state.speed + ahead)[normals] <= self._near)
        taking = np.flatnonzero(self._there & (closed | (self._normal == 0)))
        if len(self._sides.each) and len(taking):
            speeds = {int(i): float(ahead[self.first[i]]) if self._normal[i] else 0.0 for i in taking}
            kept = self.found.at_corners([i for i in taking.tolist() if self._normal[i]], speeds, self._sides.height)
            taking = np.array(sorted([*kept, *(i for i in taking.tolist() if not self._normal[i])]), np.int64)
        return taking

    def _close(self, t: float, moves: Floats, D: Floats, which: Places) -> float:
        """Move q so that what stays closed is closed; returns what that changes the energy by, J.

        A gap that is farther open than the step has led is none any more: its place has come to an end in the step.
        """
        self._look(t)
        there = self._sides.height[which] <= self._reach[which] + NEARBY * self._lengths[which]
        moves, D, which = moves[there], D[np.ix_(there, there)], which[there]
        gap = self._sides.height[which]
        if not np.any(np.abs(gap) > CORRECTED * self._lengths[which]):
            return 0.0
        before = self._balance(t)
        self._move(moves.T @ np.linalg.lstsq(D, -gap, rcond=1e-10)[0])
        return self._balance(t) - before

    def _balance(self, t: float) -> float:
        """The energy that balances, less the work, J; 0 where the system has none."""
        if not self.base.system.has_energy:
            return 0.0
        self._do(served.ENERGY, t)
        return float(self._energy[2])

    def _project(self, t: float, held: Constrained) -> None:
        """Move q and v onto the constraints, with factors of the middle of the step. Raises Stopped."""
        system = self.base.system
        if not system.n_rows:
            if system.n_c != system.n_v:  # quaternions back to unit length
                self._move(np.zeros(system.n_v))
            return
        off, n_holonomic, last, size = np.zeros(system.n_rows), system.n_holonomic, np.inf, 0.0
        scales = self.base.work.row_scales
        for _ in range(CORRECTIONS if n_holonomic else 0):
            self._do(served.RESIDUAL, t)
            size = float((np.abs(self._phi) / scales[:n_holonomic]).max())
            if size <= MET or (size < LEFT and size > 0.5 * last):
                break
            last, off[:n_holonomic] = size, -self._phi
            self._move(held.shortest(off))
        if not size <= LEFT:
            worst = system.rows[int(np.argmax(np.abs(self._phi) / scales[:n_holonomic]))]
            raise Stopped(f"the constraint {worst} is not met after a step: take a shorter `step`", t)
        self._do(served.CONSTRAIN, t)
        v, last = self._v, np.inf
        terms = (np.abs(self._C) @ np.abs(v) + np.abs(self._xi)) / scales
        for _ in range(CORRECTIONS):
            off = self._C @ v + self._xi
            size = float((np.abs(off) / scales).max())
            if size <= MET * terms.max() or size > 0.5 * last:
                break
            last = size
            v += held.shortest(-off)
