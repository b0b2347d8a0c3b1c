"""Planar bodies, joints, and what touches and rubs, written down without mbsim: rows, what they change of themselves, forces.

A body has three coordinates: its centre (m) and its angle (rad), zero at the start.
"""

from typing import Any, NamedTuple

import numpy as np
from random_stops import complex_turn, perp

GROUND = -1


class Body(NamedTuple):
    mass: float
    inertia: float
    centre: np.ndarray  # (2,) at the start, m
    anchor: np.ndarray  # (2,) of its spring
    spring: float  # N/m
    push: float  # N: a force along x of this size, with `beat` (rad/s)
    beat: float


class Joint(NamedTuple):
    """A pin, or a slide along `angle` (rad, in the first body)."""

    first: int
    second: int
    at: np.ndarray  # (2,) global at the start
    slides: bool
    angle: float


class Rub(NamedTuple):
    """What may touch and rub: a contact of a disk or point with the line of another body, of two disks, or the friction of a joint."""

    name: str
    joint: int  # -1: it is a contact
    first: int  # the body with the line, or with the first disk
    second: int
    centre: np.ndarray  # (2,) of the disk or the point on the second body, global at the start
    radius: float
    through: np.ndarray  # (2,) of the line; of two disks the centre of the first
    normal: float  # angle of the line's normal, rad; NaN: two disks
    other: float  # radius of the first disk
    friction: float
    static: float
    restitution: float
    closing: float
    fixed: float  # friction of a joint that nothing loads, N or N m
    fixed_static: float
    arm: float  # radius of a pin, m
    length: float  # of a slide; 0: none


class Mechanism:
    """All bodies, joints and rubs, with what acts."""

    def __init__(self, bodies: list[Body], joints: list[Joint], rubs: list[Rub], gravity: np.ndarray, free: float) -> None:
        self.bodies, self.joints, self.rubs, self.gravity, self.free = bodies, joints, rubs, gravity, free
        self.n = 3 * len(bodies)
        self.inverse = np.array([1.0 / x for b in bodies for x in (b.mass, b.mass, b.inertia)])
        self.start = np.array([x for b in bodies for x in (*b.centre, 0.0)])

    def point(self, Q: np.ndarray, body: int, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A point of a body, global at the start `at`, and its derivative by the coordinates (2, n)."""
        along = np.zeros((2, self.n), Q.dtype)
        if body == GROUND:
            return at.astype(Q.dtype), along
        here = Q[3 * body : 3 * body + 3]
        arm = complex_turn(here[2]) @ (at - self.bodies[body].centre)
        along[:, 3 * body : 3 * body + 2] = np.eye(2)
        along[:, 3 * body + 2] = perp(arm)
        return here[:2] + arm, along

    def turned(self, Q: np.ndarray, body: int) -> tuple[Any, np.ndarray]:
        """The angle of a body and its derivative."""
        along = np.zeros(self.n, Q.dtype)
        if body == GROUND:
            return 0.0, along
        along[3 * body + 2] = 1.0
        return Q[3 * body + 2], along

    def rows(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows of the joints (2 each, n), of the normals (n_r, n; zero of a joint's friction) and tangents (n_r, n), and gaps (n_r,)."""
        C, N, T = (np.zeros((k, self.n), Q.dtype) for k in (2 * len(self.joints), len(self.rubs), len(self.rubs)))
        gap, along = np.full(len(self.rubs), np.nan), []
        for k, joint in enumerate(self.joints):
            (p, dp), (r, dr) = self.point(Q, joint.first, joint.at), self.point(Q, joint.second, joint.at)
            (_, da), (_, db) = self.turned(Q, joint.first), self.turned(Q, joint.second)
            if not joint.slides:
                C[2 * k : 2 * k + 2] = dr - dp
                along.append(db - da)
                continue
            u = complex_turn(joint.angle + self.turned(Q, joint.first)[0]) @ np.array([1.0, 0.0])
            C[2 * k] = perp(u) @ (dr - dp) - (u @ (r - p)) * da
            C[2 * k + 1] = db - da
            along.append(u @ (dr - dp) + (perp(u) @ (r - p)) * da)
        for i, rub in enumerate(self.rubs):
            if rub.joint >= 0:
                T[i] = along[rub.joint]
                continue
            (p, dp), (r, dr) = self.point(Q, rub.first, rub.through), self.point(Q, rub.second, rub.centre)
            (angle, da), (_, db) = self.turned(Q, rub.first), self.turned(Q, rub.second)
            if np.isnan(rub.normal):
                apart = r - p
                length = np.sqrt(apart @ apart)
                N[i] = apart @ (dr - dp) / length
                gap[i] = (length - rub.radius - rub.other).real
                continue
            n = complex_turn(rub.normal + angle) @ np.array([1.0, 0.0])
            N[i] = n @ (dr - dp) - (perp(n) @ (p - r)) * da
            foot = r - rub.radius * n
            T[i] = perp(n) @ (dr - dp) - rub.radius * db - (perp(n) @ perp(foot - p)) * da
            gap[i] = (n @ (r - p)).real - rub.radius
        return C, N, T, gap

    def biases(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """What rows change of themselves, by a complex step that has no round-off."""
        return tuple((row @ v).imag / 1e-30 for row in self.rows(q + 1e-30j * v)[:3])

    def loads(self, t: float, q: np.ndarray) -> np.ndarray:
        """Gravity, springs and pushes (n,)."""
        f = np.zeros(self.n)
        for k, b in enumerate(self.bodies):
            along = q[3 * k : 3 * k + 2] - b.anchor
            f[3 * k : 3 * k + 2] = b.mass * self.gravity - b.spring * along * (1.0 - self.free / np.linalg.norm(along))
            f[3 * k] += b.push * np.sin(b.beat * t)
        return f

    def reactions(self, rub: Rub) -> tuple[tuple[float, np.ndarray], ...]:
        """The groups that load the friction of a joint: a factor, and weights (k, rows of joints)."""
        W = np.zeros((2, 2 * len(self.joints)))
        place = 2 * rub.joint
        if not self.joints[rub.joint].slides:
            W[0, place] = W[1, place + 1] = 1.0
            return ((rub.arm, W),)
        if not rub.length:
            W[0, place] = 1.0
            return ((1.0, W[:1]),)
        W[:, place] = 0.5
        W[:, place + 1] = 1.0 / rub.length, -1.0 / rub.length
        return ((1.0, W[:1]), (1.0, W[1:]))
