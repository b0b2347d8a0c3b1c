"""What is not in balance at a configuration, and the step that would bring it there.

    r = -h(q, v, x) - C' lam - E' mu = 0,   phi(q) = 0,   x_dot(q, v, x) = 0

v is zero; of a steady motion some speeds are given, E v = e, and v is the smallest that has them and meets the rows. A step solves

    [ K + D V   -C'  -E'  -h_x ] [d; dlam; dmu; dx] = -[r; phi; x_dot]
    [ C_h        0    0    0   ]
    [ x_d + x_v V  0  0   x_x  ]

with dv = V d from C dv + G d = 0. Bodies that go on circles (`turning`) have speeds and accelerations a that follow from the
configuration: r = M a - h - C' lam - E' mu, and K is that of r. All is in scaled variables and by least squares: where rows depend on
each other the multipliers are the shortest, and a coordinate on which nothing depends stays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lapack, null_space

from mbsim.diagnosis.even import LOOKS, NEARBY, Even
from mbsim.diagnosis.extent import extent
from mbsim.diagnosis.given_speeds import left_open, place
from mbsim.diagnosis.held import tangents_of
from mbsim.diagnosis.inertia import massless
from mbsim.diagnosis.linearised import free_directions
from mbsim.diagnosis.turning import Turning
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.kernels.ranks import ROUND_OFF as OF_A_PIVOT
from mbsim.system.system import Floats, System
from mbsim.system.tangents import Tangents, symmetric

RANK = 10.0 * OF_A_PIVOT  # of the largest singular value of the scaled equations: smaller ones are zero
SURE = 1e-10  # estimate of the smallest over the largest: above it no singular value is zero
REACHED = 1e-9  # of the forces at the start and of the reactions: a smaller residual is balance
ROUND_OFF = 1e-12  # of `Problem.stiffness`, likewise
HIDDEN = 1e-3  # of the forces at the start: what is left and is more is told
NOISE = 1e-14  # of `Problem.stiffness`: smaller forces at the start are none
PROJECTIONS = 20  # Newton steps onto the constraints


@dataclass
class State:
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
    free: tuple[Floats, Floats, Floats] | None = None  # `Problem.free_stiffness`

    def __post_init__(self) -> None:
        parts = [self.r, self.phi, self.x_dot]
        self.size = float(max(np.abs(part).max(initial=0.0) for part in parts)) if all(np.isfinite(p).all() for p in parts) else np.inf


class Equations(NamedTuple):
    """left (n + n_h + n_x, n + m + n_x) [d / w; multipliers; dx] = -factors [r; phi; x_dot]; n_h holonomic rows."""

    left: Floats
    factors: Floats


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
        self.turning: Turning | None = None  # of a steady motion on circles
        self.moving = bool(steady or held)
        M = np.diag(system.M(t, q))
        self.w = 1.0 / np.sqrt(np.where(M > 0.0, M, 1.0))
        self.speeds = left_open(system.C(t, q)[self.kept] * self.w, self.wanted, self.w)
        self.E = np.eye(system.n_v)[self.speeds]
        self.given = np.array([self.wanted[k] for k in self.speeds], float)
        self.sliding = np.array([unit.startswith("m") for unit in system.speed_units], bool)  # (n,) displacements in m
        self.measure = np.where(self.sliding, 1.0 / extent(system, t, q), 1.0)  # of displacements, in turns and sizes of the mechanism
        self.endless = False  # whether a way downhill led far, while the forces stayed as they were
        self.floor, self.stiffest = 0.0, 0.0
        self.stiffness = np.zeros(system.n_v)  # along each displacement: scaled forces, by one of a radian or the mechanism's size
        self._rng = np.random.default_rng(0)

    def at(self, q: Floats) -> State:
        """What acts at q."""
        system, kept = self.system, self.kept
        v = self.motion(q)
        M, h, C, *_ = system.terms(self.t, q, v)
        if self.turning is not None:
            h = h - symmetric(M) @ self.turning.accelerations(q)
        if not (np.isfinite(h).all() and np.isfinite(C).all()):  # a wheel that lies flat
            nowhere = np.full(system.n_v, np.inf)
            return State(q, v, np.zeros(int(kept.sum())), np.zeros(len(self.speeds)), nowhere, np.zeros(0), np.zeros(0), np.inf)
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
        return State(q, v, multipliers[:m], multipliers[m:], r, phi, system.rates(self.t, q, v)[system.n_c :], reactions)

    def motion(self, q: Floats) -> Floats:
        """The smallest speeds (n,) with those given that meet the rows, or those on circles; zero where none are given."""
        if self.turning is not None:
            return self.turning.speeds(q)
        if not self.moving:
            return np.zeros(self.system.n_v)
        _, _, C, xi, *_ = self.system.terms(self.t, q, np.zeros(self.system.n_v))
        rows = np.vstack([C[self.kept], self.E]) * self.w
        return np.asarray(self.w * np.linalg.lstsq(rows, np.concatenate([-xi[self.kept], self.given]), rcond=RANK_TOLERANCE)[0])

    def step(self, at: State, damping: float = 0.0, dampers: float = 0.0, push: Floats | None = None) -> tuple[Floats, Floats]:
        """Displacement (n,) and change of the states (n_x,) of Newton's method.

        With artificial `damping` (1/s^2) times the mass, `dampers` (1/s) times those of the model, and a scaled force `push` (n,).
        """
        left, factors = self.equations(at, damping, dampers)
        right = -factors * np.concatenate([at.r if push is None else at.r - push, at.phi, at.x_dot])
        found = solved(left, right, lambda: self.scatter(at, left, damping, dampers))
        return self.w * found[: self.system.n_v], found[left.shape[1] - self.system.n_x :]

    def equations(self, at: State, damping: float = 0.0, dampers: float = 0.0) -> Equations:
        """The scaled equations of a step; see `step`."""
        system, w, kept = self.system, self.w, self.kept
        n, n_x, n_h, m = system.n_v, system.n_x, self.n_h, int(kept.sum()) + len(self.speeds)
        tangents = self.tangents(at)
        K, x_d = self._following(at)
        C = np.vstack([tangents.C[kept], self.E])
        if dampers:
            K = K + dampers * tangents.D
        scaled = K * np.outer(w, w)
        self.stiffness = np.maximum(np.abs(K * np.outer(w, 1.0 / self.measure)).max(axis=1, initial=0.0), damping / (w * self.measure))
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
        lengths = np.abs(left[n + n_h :]).max(axis=1, initial=0.0)
        lengths[lengths == 0.0] = 1.0
        left[n + n_h :] *= (kappa / lengths)[:, None]
        return Equations(left, np.concatenate([np.ones(n), kappa / size[:n_h], kappa / lengths]))

    def _following(self, at: State) -> tuple[Floats, Floats]:
        """K (n, n) and x_d (n_x, n), where speeds and accelerations follow the configuration."""
        tangents, w = self.tangents(at), self.w
        if self.turning is not None:
            V, A = self.turning.rates(at.q)
            return tangents.K + tangents.D @ V + tangents.M @ A, tangents.x_d + tangents.x_v @ V
        if not self.moving:
            return tangents.K, tangents.x_d
        C = np.vstack([tangents.C[self.kept], self.E])
        V = -w[:, None] * np.linalg.lstsq(C * w, np.vstack([tangents.G[self.kept], 0.0 * self.E]), rcond=RANK_TOLERANCE)[0]
        return tangents.K + tangents.D @ V, tangents.x_d + tangents.x_v @ V

    def scatter(self, at: State, left: Floats, damping: float = 0.0, dampers: float = 0.0) -> Floats:
        """How far the entries of `left`, the scaled equations there, are from what they are told to be: by round-off, here and in q."""
        found = np.zeros_like(left)
        stiffness, stiffest = self.stiffness, self.stiffest
        for _ in range(LOOKS):
            d, change = (NEARBY * self._rng.uniform(-1.0, 1.0, count) for count in (self.system.n_v, len(at.lam)))
            beside = replace(at, q=self.system.move(at.q, d / self.measure), lam=at.lam * (1.0 + change), tangents=None, free=None)
            found = np.maximum(found, np.abs(self.equations(beside, damping, dampers).left - left))
        self.stiffness, self.stiffest = stiffness, stiffest
        return found

    def usable(self, at: State) -> bool:
        """Whether forces and tangents at a state are numbers."""
        return bool(np.isfinite(at.size) and all(np.isfinite(part).all() for part in self.tangents(at)[:-1]))

    def tangents(self, at: State) -> Tangents:
        """Those of a state, which are found once."""
        if at.tangents is None:
            lam = np.zeros(self.system.n_rows)
            lam[self.kept] = at.lam
            a = None if self.turning is None else self.turning.accelerations(at.q)
            at.tangents = tangents_of(self.system, self.t, at.q, at.v, a, lam)
        return at.tangents

    def moved(self, at: State, d: Floats, dx: Floats) -> State:
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

    def balanced(self, at: State) -> bool:
        """Whether what is left is nothing, beside the forces that act or by round-off."""
        small = np.abs(at.phi).max(initial=0.0) <= 1e-9 and np.abs(at.x_dot).max(initial=0.0) <= 1e-8
        return bool(small and (np.abs(at.r) <= self._nothing(at)).all())

    def _nothing(self, at: State) -> Floats:
        """(n,) the scaled forces that count as none."""
        return REACHED * max(self.floor, at.reactions) + ROUND_OFF * self.stiffness

    def hides(self, at: State) -> bool:
        """Whether what counts as round-off is a large part of the forces that acted at the start: soft parts may be out of balance."""
        acts = self.floor > NOISE * float(self.stiffness.max(initial=0.0))
        return acts and float(np.abs(at.r).max(initial=0.0)) > HIDDEN * max(self.floor, at.reactions)

    def left(self, at: State) -> float:
        """The size of what is left, where forces count as much less as more of them is round-off."""
        nothing = self._nothing(at)
        forces = np.abs(at.r) * (nothing.min(initial=np.inf) / np.maximum(nothing, 1e-300))
        return float(max(np.abs(part).max(initial=0.0) for part in (forces, at.phi, at.x_dot))) if np.isfinite(at.size) else np.inf

    def length(self, d: Floats) -> float:
        """Of a displacement (n,), in turns (rad) and sizes of the mechanism."""
        return float(np.abs(self.measure * d).max(initial=0.0))

    def slides(self, d: Floats) -> bool:
        """Whether a displacement (n,) is farther in what slides than in what turns, each in its measure."""
        far = np.abs(self.measure * d)
        return float(far[self.sliding].max(initial=0.0)) > float(far[~self.sliding].max(initial=0.0))

    def free_stiffness(self, at: State) -> tuple[Floats, Floats, Floats]:
        """Scaled stiffness and mass matrix (f, f) along what the holonomic rows leave free, and the displacements (n, f) of these."""
        if at.free is None:
            tangents, scale = self.tangents(at), np.outer(self.w, self.w)
            K = tangents.K if self.turning is None else self._following(at)[0]
            rows, K, M = tangents.C[self.kept][: self.n_h] * self.w, K * scale, tangents.M * scale
            if len(rows):
                Z = null_space(rows, rcond=RANK_TOLERANCE)
                at.free = Z.T @ K @ Z, Z.T @ M @ Z, self.w[:, None] * Z
            else:
                at.free = K, M, np.diag(self.w)
        return at.free

    def downhill(self, at: State) -> float:
        """The damping from which on a step goes downhill: above what the stiffness has below zero, in 1/s^2."""
        K, M, _ = self.free_stiffness(at)
        if not K.size:
            return 0.0
        try:
            np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            tangents = self.tangents(at)
            Z, places = free_directions(self.system, tangents.C[self.kept][: self.n_h])
            bare = [self.system.speeds[places[k]] for k in massless(Z.T @ tangents.M @ Z)] or self.system.speeds
            told = "how the mechanism moves to an equilibrium is not determined"
            raise ValueError(f"nothing has inertia in {', '.join(bare)}: {told}") from None
        K = 0.5 * (K + K.T)
        try:
            np.linalg.cholesky(K)
        except np.linalg.LinAlgError:
            return max(0.0, -float(eigh(K, M, eigvals_only=True, subset_by_index=[0, 0])[0]))
        return 0.0


def solved(left: Floats, right: Floats, scatter: Callable[[], Floats]) -> Floats:
    """The shortest x with the least |left x - right|; by elimination where it is plainly the only one, in a tenth of the time.

    `scatter` gives by how much entries of `left` are off. What is small beside the largest entry may be so because it is soft beside what
    is stiff. Where it is not round-off it counts.
    """
    if left.shape[0] == left.shape[1] and left.size:
        factors, order, failed = lapack.dgetrf(left)
        if not failed and lapack.dgecon(factors, np.abs(left).sum(axis=0).max())[0] > SURE:
            return np.asarray(lapack.dgetrs(factors, order, right)[0])
    found, _, rank, _ = np.linalg.lstsq(left, right, rcond=RANK)
    if rank < min(left.shape):
        even = Even.of(left, scatter())
        if even.rank > rank:
            found = even.solved(right)
    return np.asarray(found)
