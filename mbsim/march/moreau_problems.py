"""The problems of contact that steps of Moreau and Jean pose (`mbsim.march.moreau`), and what a step knows of the one before."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import jit
from mbsim.assembly.unilaterals import Unilateral
from mbsim.march.ending import Stopped
from mbsim.system.system import Floats
from mbsim.unilateral.gauss_seidel import relax
from mbsim.unilateral.impacts import POISSON_LAW
from mbsim.unilateral.natural_map import TOUCHES, WEAKEST
from mbsim.unilateral.newton import iterate
from mbsim.unilateral.problem import GOOD, REPORT_CONTACT, SOLVED, TOLERANCE, Load, Problem, Scratch, contacts, problem, scratch
from mbsim.unilateral.solution import AUTO, solve

STILL = 1e-10  # of the largest speed, or m/s or rad/s: what is slower does not move
FINE = 1e-9  # likewise, after one round
ROUNDS, HARD = 5, 4  # of Newton's steps and sweeps, quick ones one by one, and with a path from soft to rigid contacts
SWEEPS = (300, 600, 1200, 2400)  # with over-relaxation between the quick rounds: of a heap a sixth of the problems need them
UNSURE = 10.0  # times the residual: a slip that is smaller is none
MOST_KEPT = 100  # problems whose arrays are kept

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


class State(NamedTuple):
    """Where a march of steps is, and what the last step has left."""

    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    work: float  # J
    gap: Floats  # (n,) m or rad; infinite where there is no normal
    speed: Floats  # (N,) along all directions of contacts
    pressed: Flags  # (n,) whether it pressed in the last step, and stayed closed
    stuck: Flags  # (n,)
    impulse: Floats  # (N,) of the last step
    smooth: Floats  # (n_v,) mean acceleration of the last step; zero after an impact
    rate: Floats  # (n,) m/s or rad/s; of `gap`, that of a side beyond its ends, too
    height: Floats  # (n,) m or rad; as `gap`, of sides the heights above them
    edge: Floats  # (n,) m, how far what touches a side is from where that ends, below zero beyond it; infinite where there is no end
    edge_rate: Floats  # (n,) m/s


class Solver(NamedTuple):
    """The arrays of a problem, and the calls that solve it: the same for all contacts that are as many and of such kinds."""

    first: Places  # (k + 1,) where the rows of each contact begin
    normals: Flags  # (k,) whether each has a normal
    tangents: Flags  # (k,) whether it has tangents
    across: Floats  # (N,) 1 of tangential rows, 0 of normal ones
    given: Problem
    work: Scratch
    units: Floats  # (N,) of each row: a link, m, or 1 rad; given and work are in these
    quickly: Callable[[], int]
    relaxed: Sequence[Callable[[], int]]
    harder: Callable[[], int]
    fully: Callable[[], int]

    def scale(self) -> None:
        """Scale the rows, as `mbsim.unilateral.natural_map.scale_rows` does."""
        d, first, scale = np.diagonal(self.given.D), self.first, self.work.scale
        largest = max(float(d.max(initial=0.0)), 1e-300)
        answers = np.where(d > WEAKEST * largest, d, largest)
        most = np.maximum.reduceat(np.where(self.across > 0.0, d, 0.0), first[:-1])
        most = np.repeat(np.where(most > WEAKEST * largest, most, largest), np.diff(first))
        scale[:] = 1.0 / np.where(self.across > 0.0, most, answers)

    def slips(self) -> Flags:
        """(k,) which of them slip at the solution that was found."""
        work = self.work
        along = np.sqrt(np.add.reduceat((work.w * work.scale * self.across) ** 2, self.first[:-1]))
        found: Flags = self.tangents & (along > self.still)
        return found

    @property
    def unsure(self) -> float:
        """An impulse, times the unit of its row, that is not more than this may be none."""
        return UNSURE * float(self.work.residual[0])

    @property
    def still(self) -> float:
        """A velocity, in the unit of its row and times its scale, that is not more than this is none."""
        return max(TOUCHES * float(self.work.residual[1]), self.unsure)

    def solve(self, patient: bool) -> float:
        """Find the impulses in `work.p`, of which the start is there; returns the residual, of the largest one.

        What a few rounds of Newton's method do not find takes a hundred times as long, if it is found at all: that is for the `patient`.
        """
        self.scale()
        before = np.inf
        for k in range(ROUNDS):
            if self.quickly() == SOLVED:
                return 0.0
            if self._left <= FINE or (self._left <= GOOD and self._left > 0.5 * before):
                return self._left
            before = self._left
            if k < len(self.relaxed):
                self.relaxed[k]()
        for further in (self.harder, self.fully)[: 1 + patient]:
            if self._left > GOOD:
                further()
        return self._left

    @property
    def _left(self) -> float:
        return float(self.work.residual[0]) / max(float(self.work.residual[1]), 1e-300)


class Kept(NamedTuple):
    """Contacts that take part together, and what solves their problem. Others may share that: it knows the last one."""

    taking: Places
    rows: Places  # their directions
    loaded: list[int]  # those whose friction reactions load
    turns: Flags  # (N,) whether each row is one of angles
    solver: Solver


class Problems:
    """Those of the contacts of a system."""

    def __init__(self, each: Sequence[Unilateral], normal: Places, tangents: Places, first: Places, rows: Sequence[str], law: str) -> None:
        """`normal` (n,) 1 where there is a normal row, `tangents` (n,), `first` (n + 1,) where those of each begin; `rows` of C.

        `law` of impacts, as of `mbsim.unilateral.impacts`.
        """
        self.coarse = 0  # whose residual was more than round-off
        self._by_impulses = law == POISSON_LAW
        self._each, self._normal, self._tangents, self._first = each, normal, tangents, first
        self._friction, self._static = np.array([one.friction for one in each]), np.array([one.static for one in each])
        self._fixed, self._fixed_static = np.array([one.fixed for one in each]), np.array([one.fixed_static for one in each])
        self._restitution = np.array([one.restitution for one in each], float)
        self._closing_speed = np.array([one.closing_speed for one in each], float)
        loaded = [i for i, one in enumerate(each) if one.groups]
        weights = {name: k for k, name in enumerate(rows)}
        self._weights = {i: [_weights_of(group.components, weights) for group in each[i].groups] for i in loaded}
        more = np.array([any(group.holds != group.slips for group in one.groups) for one in each], bool)
        self._breaks = more | (self._static != self._friction) | (self._fixed_static != self._fixed)  # what holds is more than what slips
        self._turns = np.array([one.turns for one in each], bool)
        self._kept = dict[bytes, Kept]()
        self._solvers = dict[tuple[bytes, bytes, tuple[tuple[int, int], ...]], Solver]()

    def solve(
        self, which: Kept, D: Floats, ahead: Floats, response: Floats, free: Floats, state: State, h: float, t: float, link: float,
        patient: bool,
    ) -> tuple[Floats, Flags]:  # fmt: skip
        """The impulses (N,) and which of the contacts that take part slip; `patient` as of `Kept.solve`. Raises Stopped.

        `free` are the impulses of the constraints without those of contacts, `response` what unit ones add to them. With the length `link`,
        m, as the unit of lengths, rows of lengths and of angles respond alike: else one that hardly does may count as one that does not.
        """
        solver, taking = which.solver, which.taking
        given, work, first = solver.given, solver.work, solver.first
        if not (np.isfinite(ahead).all() and np.isfinite(D).all()):
            bad = np.flatnonzero(~np.isfinite(np.append(ahead + D.sum(axis=1), 0.0)))
            name = self._each[int(taking[np.searchsorted(first, bad[0], "right") - 1])].name
            raise Stopped(f"the speeds of '{name}' are not finite: it touches where its normal or its tangents are not known", t)
        units = solver.units
        units[:] = np.where(which.turns, 1.0, link)
        rebounds = self._rebounds(taking, state)
        given.D[...], given.b[:] = D / np.outer(units, units), ahead
        if not self._by_impulses:
            given.b[first[:-1][solver.normals]] -= rebounds[solver.normals]
        given.b[:] /= units
        along = units[first[:-1]]  # of each contact
        squares = np.add.reduceat(np.append(state.speed[which.rows] ** 2, 0.0), first[:-1]) if len(taking) else np.zeros(0)
        squares -= np.where(solver.normals, state.speed[which.rows[first[:-1]]] ** 2, 0.0)
        still = STILL * max(1.0, float(np.abs(state.v).max(initial=0.0)))
        rests = state.stuck[taking] | (squares <= still * still)
        work.p[:] = state.impulse[which.rows] * units
        while True:
            given.friction[:] = np.where(rests, self._static[taking], self._friction[taking])
            given.fixed[:] = h * along * np.where(rests, self._fixed_static[taking], self._fixed[taking])
            self._load(which, rests, free, response)
            self._require(which, which.solver.solve(patient), t)
            slips = which.solver.slips()
            broken = rests & slips & self._breaks[taking]
            if not broken.any():
                break
            rests &= ~broken
        p = work.p.copy()
        if self._by_impulses and rebounds.any():
            given_back = self._given_back(which, p, state)
            if given_back.any():
                p += self._restitution_of(which, p, given_back, response, t, patient)
                slips = which.solver.slips()
        return p / units, slips

    def _load(self, which: Kept, rests: Flags, free: Floats, response: Floats) -> None:
        """Give the problem what reactions load frictions, of which those that rest hold more."""
        given, units = which.solver.given, which.solver.units
        along, g, c = units[which.solver.first[:-1]], 0, 0
        for k in which.loaded:
            i = int(which.taking[k])
            for group, weights in zip(self._each[i].groups, self._weights[i], strict=True):
                given.factor[g] = along[k] * (group.holds if rests[k] else group.slips)
                given.free[c : c + len(weights)] = weights @ free
                given.response[c : c + len(weights)] = weights @ response / units
                g, c = g + 1, c + len(weights)

    def _require(self, which: Kept, left: float, t: float) -> None:
        """Raise Stopped where a problem was not solved: `left` is its residual."""
        if not left <= GOOD:
            name = self._each[int(which.taking[int(which.solver.work.report[REPORT_CONTACT])])].name
            raise Stopped(f"the impulses of a step could not be found at '{name}': they are {left:.2g} of the largest one off", t)
        self.coarse += left > TOLERANCE

    def _given_back(self, which: Kept, p: Floats, state: State) -> Floats:
        """The normal impulses (N,) that contacts give back of compression, where p acted, by Poisson's law: of what an impact has added.

        What would part slower than its `closing_speed` gives none.
        """
        solver, taking = which.solver, which.taking
        at = solver.first[:-1]
        before = np.where(state.pressed[taking], state.impulse[which.rows[at]] * solver.units[at], 0.0)
        added = np.where(solver.normals, self._restitution[taking] * np.maximum(p[at] - before, 0.0), 0.0)
        parts = added * np.diagonal(solver.given.D)[at] * solver.units[at] > self._closing_speed[taking]
        found = np.zeros(len(p))
        found[at[parts]] = added[parts]
        return found

    def _restitution_of(self, which: Kept, p: Floats, back: Floats, response: Floats, t: float, patient: bool) -> Floats:
        """The impulses (N,) of restitution after those of compression p: what contacts give `back`, and more where they would close."""
        given, work, taking, at = which.solver.given, which.solver.work, which.taking, which.solver.first[:-1]
        given.b[:] += given.D @ (p + back)
        given.friction[:] = self._friction[taking]
        given.fixed[:] = np.where(which.solver.normals, self._friction[taking] * back[at], 0.0)
        self._load(which, np.zeros(len(taking), bool), response @ (back / which.solver.units), response)
        work.p[:] = 0.0
        self._require(which, which.solver.solve(patient), t)
        found: Floats = back + work.p
        return found

    def kept(self, taking: Places) -> Kept:
        """Some contacts, and what solves their problem."""
        key = taking.tobytes()
        if (known := self._kept.get(key)) is not None:
            return known
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        normal, tangents = self._normal[taking], self._tangents[taking]
        loaded = [k for k, i in enumerate(taking.tolist()) if i in self._weights]
        alike = normal.tobytes(), tangents.tobytes(), tuple((k, int(taking[k])) for k in loaded)
        solver = self._solvers.get(alike)
        if solver is None:
            if len(self._solvers) >= MOST_KEPT:
                self._solvers.clear()
            loads = [len(weights) for k in loaded for weights in self._weights[int(taking[k])]]
            owners = [k for k in loaded for _ in self._weights[int(taking[k])]]
            solver = self._solvers[alike] = _solver(normal, tangents, owners, loads)
        sizes = normal + tangents
        rows = np.repeat(self._first[taking] - solver.first[:-1], sizes) + np.arange(solver.first[-1])
        found = self._kept[key] = Kept(taking, rows, loaded, np.repeat(self._turns[taking], sizes), solver)
        return found

    def _rebounds(self, taking: Places, state: State) -> Floats:
        """The speed (k,) with which each contact is to part, m/s or rad/s."""
        before = np.where(self._normal[taking] == 1, state.speed[self._first[taking]], 0.0)
        rebounds = -self._restitution[taking] * np.minimum(before, 0.0)
        rebounds[state.pressed[taking] | (rebounds <= self._closing_speed[taking])] = 0.0
        return rebounds


def _solver(normal: Places, tangents: Places, owners: Sequence[int], components: Sequence[int]) -> Solver:
    """For contacts with these numbers of rows (k,); `owners` of groups of reactions that load friction, with so many `components`."""
    of = contacts(normal, tangents)
    first, n = of.first, int(of.first[-1])
    loads = [Load(k, 1.0, np.zeros(count), np.zeros((count, n))) for k, count in zip(owners, components, strict=True)]
    of = of._replace(friction=np.zeros(len(normal)), fixed=np.zeros(len(normal)))
    given = problem(np.zeros((n, n)), np.zeros(n), of, loads=loads)
    work, normals, across = scratch(given), normal == 1, np.ones(n)
    across[first[:-1][normals]] = 0.0
    relaxed = [jit.bound(relax, given, work, sweeps) for sweeps in SWEEPS]
    harder, fully = jit.bound(iterate, given, work, HARD), jit.bound(solve, given, work, AUTO, 0)
    return Solver(first, normals, tangents > 0, across, given, work, np.ones(n), jit.bound(iterate, given, work, 1), relaxed, harder, fully)


def _weights_of(components: Sequence[Mapping[str, float]], rows: Mapping[str, int]) -> Floats:
    out = np.zeros((len(components), len(rows)))
    for c, each in enumerate(components):
        for name, weight in each.items():
            if name in rows:  # a joint that has been unlocked has no reaction, and does not rub
                out[c, rows[name]] = weight
    return out
