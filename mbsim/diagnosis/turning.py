"""Steady motions in which bodies go on circles, in absolute coordinates: each body moves by a twist that is constant in space.

    p' = u + w x p,   p'' = w x p',   angular velocity R' w in the axes of the body, which is constant

Bodies that are carried along together have the same twist (w, u); those that stand still have none. Seen from axes that turn with w such
bodies rest, so a steady motion is an equilibrium there, with the centrifugal forces -M p'', and its small motions have constant
coefficients there.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbsim.system.system import Floats, System

ROUND = 1e-9  # of the largest: smaller differences of twists and accelerations are round-off


@dataclass(frozen=True)
class Turning:
    """The twists of the bodies of a system in absolute coordinates; planar bodies turn about z."""

    dimension: int
    turn: Floats  # (n_b, 3) w, rad/s, global
    shift: Floats  # (n_b, 3) u, m/s: the speed of the body's point that is at the origin

    @property
    def moving(self) -> NDArray[np.bool_]:
        """(n_b,) the bodies that move."""
        return np.asarray(self.turn.any(axis=1) | self.shift.any(axis=1))

    def speeds(self, q: Floats) -> Floats:
        """v (n_v,) at q."""
        found = np.zeros((len(self.turn), self._width))
        linear = self.shift + np.cross(self.turn, places(q, self.dimension, len(self.turn)))
        if self.dimension == 2:
            found[:, :2], found[:, 2] = linear[:, :2], self.turn[:, 2]
        else:
            found[:, :3], found[:, 3:] = linear, self._own(q)
        return found.ravel()

    def accelerations(self, q: Floats) -> Floats:
        """v_dot (n_v,) at q: those of points on circles."""
        found = np.zeros((len(self.turn), self._width))
        linear = self.shift + np.cross(self.turn, places(q, self.dimension, len(self.turn)))
        found[:, : self.dimension] = np.cross(self.turn, linear)[:, : self.dimension]
        return found.ravel()

    def rates(self, q: Floats) -> tuple[Floats, Floats]:
        """(n_v, n_v) each: the derivatives of speeds and of accelerations by displacements d."""
        k, n = self.dimension, self._width * len(self.turn)
        V, A = np.zeros((n, n)), np.zeros((n, n))
        own = self._own(q)
        for b, w in enumerate(self.turn):
            at = self._width * b
            X = skew(w)[:k, :k]
            V[at : at + k, at : at + k], A[at : at + k, at : at + k] = X, X @ X
            if k == 3:  # exp(-d) R' w
                V[at + 3 : at + 6, at + 3 : at + 6] = skew(own[b])
        return V, A

    def advanced(self, q: Floats, duration: float) -> Floats:
        """q (n_q,) moved along for so long, s."""
        found, count, k = q.copy(), len(self.turn), self.dimension
        p = places(q, k, count)
        own = self._own(q)
        for b in range(count):
            w, u = self.turn[b], self.shift[b]
            part = found[3 * b : 3 * b + 3] if k == 2 else found[7 * b : 7 * b + 7]
            part[:k] = (turned(w * duration) @ p[b] + _integral(w, duration) @ u)[:k]
            if k == 2:
                part[2] += w[2] * duration
            else:
                part[3:] = _product(part[3:], own[b] * duration)
        return found

    def groups(self) -> list[NDArray[np.int64]]:
        """The bodies that move, those with the same twist together."""
        return [np.flatnonzero(same) for same in _alike(np.hstack([self.turn, self.shift])) if self.moving[same].any()]

    def fastest(self) -> float:
        """The largest angular velocity, rad/s."""
        return float(np.linalg.norm(self.turn, axis=1).max(initial=0.0))

    def goes_on_circles(self, q: Floats) -> bool:
        """Whether a body has an acceleration."""
        w, u, r = (np.linalg.norm(x, axis=1) for x in (self.turn, self.shift, places(q, self.dimension, len(self.turn))))
        size = float((w * u + w**2 * r).max(initial=0.0))
        return float(np.abs(self.accelerations(q)).max(initial=0.0)) > ROUND * size

    def told(self, bodies: NDArray[np.int64]) -> str:
        """How bodies with the same twist move, in words."""
        w, u = self.turn[bodies[0]], self.shift[bodies[0]]
        turns, speed = "turn" if len(bodies) > 1 else "turns", float(np.linalg.norm(w))
        if speed == 0.0:
            return f"{'move' if len(bodies) > 1 else 'moves'} at {_listed(u[: self.dimension])} m/s"
        at = f"about the axis through {_listed((np.cross(w, u) / speed**2)[: self.dimension])}"
        if self.dimension == 2:
            return f"{turns} {at} at {w[2]:.6g} rad/s"
        return f"{turns} {at} along {_listed(w / speed)} at {speed:.6g} rad/s"

    @property
    def _width(self) -> int:
        return 3 if self.dimension == 2 else 6

    def _own(self, q: Floats) -> Floats:
        """(n_b, 3) the angular velocities in the axes of the bodies."""
        if self.dimension == 2:
            return self.turn
        return np.asarray(np.einsum("bji,bj->bi", axes_of(q, len(self.turn)), self.turn))


def _listed(x: Floats) -> str:
    """Numbers without what is round-off beside the largest, or beside 1."""
    clean = np.where(np.abs(x) <= ROUND * max(1.0, float(np.abs(x).max(initial=0.0))), 0.0, x)
    return f"[{', '.join(f'{one + 0.0:.6g}' for one in clean)}]"


def of_speeds(system: System, q: Floats, v: Floats) -> Turning:
    """The twists with which the bodies of a system move at (q, v)."""
    count, k = len(system.bodies), int(system.dimension or 3)
    rows = v[: (3 if k == 2 else 6) * count].reshape(count, -1)
    linear, turn = np.zeros((count, 3)), np.zeros((count, 3))
    linear[:, :k] = rows[:, :k]
    if k == 2:
        turn[:, 2] = rows[:, 2]
    else:
        turn = np.einsum("bij,bj->bi", axes_of(q, count), rows[:, 3:])
    return Turning(k, turn, linear - np.cross(turn, places(q, k, count)))


def has_bodies_alone(system: System) -> bool:
    """Whether the coordinates of a system are the poses of its bodies, and nothing else."""
    per = 3 if system.dimension == 2 else 6
    return bool(system.bodies) and not system.in_joint_coordinates and system.n_v == per * len(system.bodies)


def places(q: Floats, dimension: int, count: int) -> Floats:
    """(n_b, 3) centres of mass."""
    found = np.zeros((count, 3))
    width = 3 if dimension == 2 else 7
    found[:, :dimension] = q[: width * count].reshape(count, width)[:, :dimension]
    return found


def axes_of(q: Floats, count: int) -> Floats:
    """(n_b, 3, 3) columns: the axes of bodies in space."""
    from mbsim.kernels.rotations import matrices

    return np.asarray(matrices(q[: 7 * count].reshape(count, 7)[None, :, 3:])[0])


def skew(w: Floats) -> Floats:
    """(3, 3) w x."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def turned(angle: Floats) -> Floats:
    """(3, 3) the rotation by a vector, rad."""
    size = float(np.linalg.norm(angle))
    if size == 0.0:
        return np.eye(3)
    X = skew(angle / size)
    return np.asarray(np.eye(3) + np.sin(size) * X + 2.0 * np.sin(0.5 * size) ** 2 * X @ X)


def _integral(w: Floats, duration: float) -> Floats:
    """(3, 3) of the rotation by w t over t."""
    speed = float(np.linalg.norm(w))
    if speed * duration == 0.0:
        return duration * np.eye(3)
    X, angle = skew(w / speed), speed * duration
    return np.asarray(duration * np.eye(3) + (2.0 * np.sin(0.5 * angle) ** 2 * X + (angle - np.sin(angle)) * X @ X) / speed)


def _product(p: Floats, angle: Floats) -> Floats:
    """A unit quaternion (w, x, y, z) turned by a vector in its own axes, rad."""
    half = 0.5 * float(np.linalg.norm(angle))
    a, x = np.cos(half), 0.5 * np.sinc(half / np.pi) * angle
    return np.concatenate([[p[0] * a - p[1:] @ x], p[0] * x + a * p[1:] + np.cross(p[1:], x)])


def _alike(rows: Floats) -> list[NDArray[np.bool_]]:
    """Which rows are the same but for round-off, for each different one."""
    left, found = np.ones(len(rows), bool), []
    size = max(float(np.abs(rows).max(initial=0.0)), 1e-300)
    while left.any():
        same = left & (np.abs(rows - rows[int(np.argmax(left))]).max(axis=1) <= ROUND * size)
        found.append(same)
        left &= ~same
    return found
