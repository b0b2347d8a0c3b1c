"""Equilibria and steady motions: Newton's method with the exact tangents, and relaxation where it does not lead anywhere.

    r = -h(q, v, x) - C' lam - E' mu = 0,   phi(q) = 0,   x_dot(q, v, x) = 0

v is zero; of a steady motion some speeds are given, E v = e, and v is the smallest that has them and meets the rows. A step solves

    [ K + D V   -C'  -E'  -h_x ] [d; dlam; dmu; dx] = -[r; phi; x_dot]
    [ C_h        0    0    0   ]
    [ x_d + x_v V  0  0   x_x  ]

with dv = V d from C dv + G d = 0, in scaled variables and by least squares: where rows depend on each other the multipliers are the
shortest, and a coordinate on which nothing depends stays. Newton's method is trusted while its steps contract and where it leads to a
stable equilibrium or to one close by. Else the mechanism relaxes: it creeps against artificial damping M / tau from the start downhill, in
steps whose tau grows as the forces balance, so that the last steps are Newton's (pseudo-transient continuation, Kelley & Keyes 1998).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.extent import extent
from mbsim.diagnosis.given_speeds import left_open, place, require_constant
from mbsim.diagnosis.inertia import massless
from mbsim.diagnosis.linearised import free_directions, linearise
from mbsim.diagnosis.redundancy import RANK_TOLERANCE
from mbsim.diagnosis.spectrum import spectrum
from mbsim.system.system import Floats, System
from mbsim.system.tangents import Tangents

ITERATIONS = 60  # of Newton's method
CREEPS = 1000  # steps of the relaxation
FAR = 100.0  # rad and sizes of the mechanism: what creeps farther comes to no rest
RANK = 1e-12  # of the largest singular value of the scaled equations: smaller ones are zero
CONTRACTION = 0.5  # of successive steps of Newton's method, else it is not trusted
REACHED = 1e-9  # of the forces at the start and of the reactions: a smaller residual is balance
ROUND_OFF = 1e-12  # of the largest stiffness times the size of the coordinates, likewise
CLOSE = 0.02  # rad and, of the size of the mechanism, m: an unstable equilibrium as close as this to the start is what was meant
STILL = 1e-9  # likewise: a shorter step is none
STRIDE = 0.2  # rad and, of the size of the mechanism, m: longest step
NO_EFFORT = 1e-6  # of the largest multiplier, and N or N m: an effort below keeps nothing
PROJECTIONS = 20  # Newton steps onto the constraints


class NoEquilibriumError(ValueError):
    """No equilibrium was found; `residual` is the best (N, N m) and `where` the name of its coordinate."""

    def __init__(self, residual: float, where: str, reason: str = "") -> None:
        self.residual, self.where = residual, where
        super().__init__(f"no equilibrium found from here: {reason or f'the best residual is {residual:.3g} in {where}'}")


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium or a steady motion. n speeds, m rows."""

    q: Floats  # (n_q,) the states included
    v: Floats  # (n,)
    lam: Floats  # (m,) zero of the rows that were left out
    efforts: dict[str, float]  # what keeps each given speed, N or N m
    residual: float  # the largest unbalanced force, N or N m
    where: str  # the speed that it belongs to
    growing: int  # eigenvalues with a positive real part
    steps: int  # of Newton's method and of the relaxation
    relaxed: str = ""  # why the mechanism was relaxed; empty where Newton's method led there

    @property
    def stable(self) -> bool:
        """Whether no small motion grows."""
        return self.growing == 0

    def needed(self) -> dict[str, float]:
        """The efforts (N, N m) of the given speeds that do not stay by themselves."""
        least = NO_EFFORT * max(1.0, float(np.abs(self.lam).max(initial=0.0)))
        return {name: effort for name, effort in self.efforts.items() if abs(effort) > least}


@dataclass
class _State:
    """A configuration, what acts there, and how large it is in scaled units."""

    q: Floats
    v: Floats
    lam: Floats  # of the kept rows
    mu: Floats  # of the given speeds
    r: Floats  # (n,)
    phi: Floats
    x_dot: Floats
    reactions: float  # the largest scaled reaction
    size: float = field(init=False)
    tangents: Tangents | None = None

    def __post_init__(self) -> None:
        parts = [self.r, self.phi, self.x_dot]
        self.size = float(max(np.abs(part).max(initial=0.0) for part in parts)) if all(np.isfinite(p).all() for p in parts) else np.inf


class Problem:
    """What is to be in balance: a system at one time, the rows that count, the speeds that are given."""

    def __init__(
        self,
        system: System,
        t: float,
        q: Floats,
        kept: NDArray[np.bool_] | None,
        steady: Mapping[str, float],
        held: Mapping[str, int],
    ) -> None:
        """Raises ValueError for names in `steady` that are no speeds, and for rows that forbid rest."""
        self.system, self.t = system, float(t)
        self.kept = np.ones(system.n_rows, bool) if kept is None else kept
        self.n_h = int(self.kept[: system.n_holonomic].sum())
        self.wanted = {place(system, name): float(value) for name, value in steady.items()}
        self.held = held
        self.moving = bool(steady or held)
        M = np.diag(system.M(t, q))
        self.w = 1.0 / np.sqrt(np.where(M > 0.0, M, 1.0))
        self.speeds = left_open(system.C(t, q)[self.kept] * self.w, self.wanted, self.w)
        self.E = np.eye(system.n_v)[self.speeds]
        self.given = np.array([self.wanted[k] for k in self.speeds], float)
        slides = np.array([unit.startswith("m") for unit in system.speed_units], bool)
        self.measure = np.where(slides, 1.0 / extent(system, t, q), 1.0)  # of displacements, in turns and sizes of the mechanism
        self.floor, self.stiffest = 0.0, 0.0

    def at(self, q: Floats) -> _State:
        """What acts at q."""
        system, kept = self.system, self.kept
        v = self._motion(q)
        _, h, C, *_ = system.terms(self.t, q, v)
        rows = np.vstack([C[kept], self.E]) * self.w
        size = np.linalg.norm(rows, axis=1)
        size[size == 0.0] = 1.0
        unit = rows / size[:, None]
        multipliers = np.linalg.lstsq(unit.T, -self.w * h, rcond=RANK_TOLERANCE)[0]
        r = -self.w * h - unit.T @ multipliers
        phi = system.phi(self.t, q)[kept[: system.n_holonomic]]
        reactions = float(np.abs(unit.T * multipliers).max(initial=0.0))
        multipliers = multipliers / size
        m = int(kept.sum())
        return _State(q, v, multipliers[:m], multipliers[m:], r, phi, system.rates(self.t, q, v)[system.n_c :], reactions)

    def _motion(self, q: Floats) -> Floats:
        """The smallest speeds (n,) with those given that meet the rows; zero where none are given."""
        if not self.moving:
            return np.zeros(self.system.n_v)
        _, _, C, xi, *_ = self.system.terms(self.t, q, np.zeros(self.system.n_v))
        rows = np.vstack([C[self.kept], self.E]) * self.w
        return np.asarray(self.w * np.linalg.lstsq(rows, np.concatenate([-xi[self.kept], self.given]), rcond=RANK_TOLERANCE)[0])

    def step(self, at: _State, damping: float = 0.0) -> tuple[Floats, Floats]:
        """Displacement (n,) and change of the states (n_x,) of Newton's method, with artificial damping times the mass."""
        system, w, kept = self.system, self.w, self.kept
        n, n_x, n_h, m = system.n_v, system.n_x, self.n_h, int(kept.sum()) + len(self.speeds)
        tangents = self.tangents(at)
        K, x_d = tangents.K, tangents.x_d
        C = np.vstack([tangents.C[kept], self.E])
        if self.moving:  # the speeds follow the configuration
            V = -w[:, None] * np.linalg.lstsq(C * w, np.vstack([tangents.G[kept], 0.0 * self.E]), rcond=RANK_TOLERANCE)[0]
            K, x_d = K + tangents.D @ V, x_d + tangents.x_v @ V
        scaled = K * np.outer(w, w)
        self.stiffest = kappa = max(float(np.abs(scaled).max(initial=0.0)), damping, 1e-12)
        if damping:
            scaled = scaled + damping * tangents.M * np.outer(w, w)
        rows = C * w
        size = np.linalg.norm(rows, axis=1)
        size[size == 0.0] = 1.0
        rows = rows / size[:, None]
        left = np.zeros((n + n_h + n_x, n + m + n_x))
        left[:n, :n], left[:n, n : n + m], left[:n, n + m :] = scaled, -kappa * rows.T, -w[:, None] * tangents.h_x
        left[n : n + n_h, :n] = kappa * rows[:n_h]
        left[n + n_h :, :n], left[n + n_h :, n + m :] = x_d * w, tangents.x_x
        right = -np.concatenate([at.r, kappa * at.phi / size[:n_h], at.x_dot])
        lengths = np.abs(left[n + n_h :]).max(axis=1, initial=0.0)
        lengths[lengths == 0.0] = 1.0
        left[n + n_h :] *= (kappa / lengths)[:, None]
        right[n + n_h :] *= kappa / lengths
        found = np.linalg.lstsq(left, right, rcond=RANK)[0]
        return w * found[:n], found[n + m :]

    def tangents(self, at: _State) -> Tangents:
        """Those of a state, which are found once."""
        if at.tangents is None:
            lam = np.zeros(self.system.n_rows)
            lam[self.kept] = at.lam
            at.tangents = self.system.tangents(self.t, at.q, at.v, None, lam)
        return at.tangents

    def moved(self, at: _State, d: Floats, dx: Floats) -> _State:
        """The state displaced, and put back on the constraints."""
        system = self.system
        q = system.move(at.q, d)
        q[system.n_c :] += dx
        for _ in range(PROJECTIONS if self.n_h else 0):
            phi = system.phi(self.t, q)[self.kept[: system.n_holonomic]]
            if np.abs(phi).max(initial=0.0) <= 1e-13 or not np.isfinite(phi).all():
                break
            rows = system.C(self.t, q)[self.kept][: self.n_h] * self.w
            q = system.move(q, -self.w * np.linalg.lstsq(rows, phi, rcond=RANK_TOLERANCE)[0])
        return self.at(q)

    def balanced(self, at: _State) -> bool:
        """Whether what is left is nothing, beside the forces that act or by round-off."""
        force = REACHED * max(self.floor, at.reactions) + ROUND_OFF * self.stiffest
        small = np.abs(at.phi).max(initial=0.0) <= 1e-9 and np.abs(at.x_dot).max(initial=0.0) <= 1e-8
        return bool(small and np.abs(at.r).max(initial=0.0) <= force)

    def length(self, d: Floats) -> float:
        """Of a displacement (n,), in turns (rad) and sizes of the mechanism."""
        return float(np.abs(self.measure * d).max(initial=0.0))

    def downhill(self, at: _State) -> float:
        """The damping from which on a step goes downhill: above what the stiffness has below zero, in 1/s^2."""
        tangents = self.tangents(at)
        Z, places = free_directions(self.system, tangents.C[self.kept][: self.n_h])
        if not Z.shape[1]:
            return 0.0
        try:
            L = np.linalg.cholesky(Z.T @ tangents.M @ Z)
        except np.linalg.LinAlgError:
            bare = [self.system.speeds[places[k]] for k in massless(Z.T @ tangents.M @ Z)] or self.system.speeds
            told = "how the mechanism moves to an equilibrium is not determined"
            raise ValueError(f"nothing has inertia in {', '.join(bare)}: {told}") from None
        K = np.linalg.solve(L, np.linalg.solve(L, (Z.T @ tangents.K @ Z).T).T)
        return max(0.0, -float(np.linalg.eigvalsh(0.5 * (K + K.T))[0]))


def equilibrium(
    system: System,
    t: float,
    q: Floats,
    kept: NDArray[np.bool_] | None = None,
    steady: Mapping[str, float] | None = None,
    held: Mapping[str, int] | None = None,
) -> Equilibrium:
    """The equilibrium that q (n_q,) leads to, or with `steady` (speed -> value) the steady motion; time is held at t.

    `kept` (m,) bool leaves rows out, those of drivers that are let go. `held`: given speeds that are rows of their own, by name; they are
    not there in the small motions by which stability is judged. Raises NoEquilibriumError where none is found, ValueError for
    wrong names and for rows that forbid rest.
    """
    problem = Problem(system, t, q, kept, dict(steady or {}), dict(held or {}))
    _require_rest(problem, q)
    start = problem.at(q)
    problem.floor = float(np.abs(problem.w * system.terms(t, q, start.v)[1]).max(initial=0.0))
    found, steps, way = _newton(problem, start)
    reason = "" if found is not None else "Newton's method does not contract from the start"
    growing = _growing(problem, found) if found is not None else 0
    if found is not None and growing and way > CLOSE:
        reason = "Newton's method leads to an unstable equilibrium"
    if reason:
        lower, more = _relaxed(problem, start)
        steps += more
        if lower is not None:
            found, growing = lower, _growing(problem, lower)
        elif found is not None:
            reason = ""
    if found is None:
        found, more = _damped(problem, start)
        steps += more
        growing = _growing(problem, found) if problem.balanced(found) else 0
    return _reported(problem, found, growing, steps, reason)


def _reported(problem: Problem, found: _State, growing: int, steps: int, reason: str) -> Equilibrium:
    system = problem.system
    forces = np.abs(found.r / problem.w)
    worst = int(np.argmax(forces)) if len(forces) else 0
    residual, where = (float(forces[worst]), system.speeds[worst]) if len(forces) else (0.0, "")
    if not problem.balanced(found):
        rates = np.abs(found.x_dot)
        if rates.max(initial=0.0) > 1e-8 and np.abs(found.r).max(initial=0.0) <= REACHED * max(problem.floor, found.reactions):
            state = system.states[int(np.argmax(rates))]
            raise NoEquilibriumError(residual, state, f"the state {state} keeps a rate of {rates.max():.3g}")
        raise NoEquilibriumError(residual, where)
    lam = np.zeros(system.n_rows)
    lam[problem.kept] = found.lam
    if problem.moving:
        require_constant(system, problem.t, found.q, found.v, problem.kept, problem.wanted)
    efforts = dict.fromkeys(problem.wanted, 0.0) | dict(zip(problem.speeds, found.mu.tolist(), strict=True))
    named = {system.speeds[k]: effort for k, effort in efforts.items()} | {name: float(lam[row]) for name, row in problem.held.items()}
    return Equilibrium(found.q, found.v, lam, named, residual, where, growing, steps, reason)


def _newton(problem: Problem, at: _State) -> tuple[_State | None, int, float]:
    """Where Newton's method contracts to, the number of steps, and how far it went."""
    before, way = np.inf, 0.0
    for k in range(ITERATIONS):
        d, dx = problem.step(at)
        size = float(np.linalg.norm(np.concatenate([problem.measure * d, dx])))
        if k == 0 and problem.balanced(at):  # the start itself
            before = max(size, 1e-3)
        if not np.isfinite(size) or size > CONTRACTION * before or (k == 0 and size > 1.0):
            return (at if problem.balanced(at) else None), k, way
        if size <= 1e-14:
            return (at if problem.balanced(at) else None), k, way
        way += problem.length(d)
        trial = problem.moved(at, d, dx)
        if problem.balanced(at) and trial.size >= at.size:  # round-off
            return at, k, way
        at, before = trial, size
    return (at if problem.balanced(at) else None), ITERATIONS, way


def _relaxed(problem: Problem, at: _State) -> tuple[_State | None, int]:
    """Where the mechanism creeps to, or None; and the number of steps."""
    rate, scale = 0.0, max(problem.length(problem.w * at.r) / STRIDE, 1e-300)  # 1/s^2: the forces alone make a stride with it
    way = 0.0
    for k in range(CREEPS):
        below = problem.downhill(at)
        rate = max(rate, 1.5 * below)
        for _ in range(60):
            d, dx = problem.step(at, rate)
            far = problem.length(d)
            if far <= STRIDE and (far > STILL or problem.balanced(at) or dx.any()):  # without stiffness a step leads nowhere, or far
                trial = problem.moved(at, d, dx)
                if np.isfinite(trial.size) and _lower(problem, at, trial):
                    break
            rate = max(4.0 * rate, scale)
        else:
            return None, k
        done = problem.balanced(trial) and far <= 1e-7
        at, way = trial, way + far
        if way > FAR:
            return None, k
        if done:
            return _finished(problem, at), k
        rate = 0.0 if rate < 1e-9 * problem.stiffest else 0.25 * rate
    return None, CREEPS


def _finished(problem: Problem, at: _State) -> _State:
    """A few plain steps of Newton's method, as long as they make the residual smaller."""
    for _ in range(5):
        trial = problem.moved(at, *problem.step(at))
        if not trial.size < at.size or problem.length(trial.r - at.r) > 1.0:
            break
        at = trial
    return at


def _lower(problem: Problem, at: _State, trial: _State) -> bool:
    """Whether a step went downhill, in potential energy or in the forces that are left."""
    system, none = problem.system, np.zeros(problem.system.n_v)
    if float(np.abs(trial.r).max(initial=0.0)) <= float(np.abs(at.r).max(initial=0.0)):
        return True
    if not system.has_energy or problem.moving:
        return float(np.abs(trial.r).max(initial=0.0)) <= 2.0 * float(np.abs(at.r).max(initial=0.0))
    return system.energy(problem.t, trial.q, none)[1] < system.energy(problem.t, at.q, none)[1]


def _damped(problem: Problem, at: _State) -> tuple[_State, int]:
    """Newton's method with steps that are halved until the residual shrinks: the last resort, and the best residual."""
    for k in range(ITERATIONS):
        d, dx = problem.step(at)
        part = min(1.0, STRIDE / max(problem.length(d), 1e-300))
        while part > 1e-6:
            trial = problem.moved(at, part * d, part * dx)
            if trial.size < (1.0 - 0.1 * part) * at.size:
                break
            part *= 0.5
        else:
            return at, k
        at = trial
    return at, ITERATIONS


def _growing(problem: Problem, at: _State) -> int:
    """How many eigenvalues of the small motions about a state have a positive real part."""
    lam = np.zeros(problem.system.n_rows)
    lam[problem.kept] = at.lam
    kept = problem.kept.copy()
    kept[list(problem.held.values())] = False
    linear = linearise(problem.system, problem.t, at.q, at.v, kept, np.zeros(problem.system.n_v), lam)
    return spectrum(linear.A, linear.scales, linear.displacements).growing


def _require_rest(problem: Problem, q: Floats) -> None:
    """Raise ValueError where rows at velocity level prescribe speeds, so that nothing can rest."""
    system = problem.system
    late = np.flatnonzero(problem.kept & (np.arange(system.n_rows) >= system.n_holonomic))
    if problem.moving or not len(late):
        return
    xi = system.xi(problem.t, q)
    moving = [system.rows[k] for k in late if abs(xi[k]) > 0.0]
    if moving:
        prescribe = "prescribes a speed" if len(moving) == 1 else "prescribe speeds"
        raise ValueError(f"{', '.join(moving)} {prescribe}, so that nothing can rest; ask for a steady motion, with its speeds given")
