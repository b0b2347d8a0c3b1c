"""Whether a result in space obeys the laws of contact, row by row, by own kinematics and Newton's and Euler's equations.

Nothing that the run says of its contacts is believed. Of each row positions, speeds and accelerations are taken. What touches, opens, slips
and rests follows from them, and non-negative least squares say whether any forces that the laws allow make these accelerations: at rest
inside of Coulomb's cone, in slip against it, none where a contact opens. Two rows at one time are an impact, of which the same is asked
with impulses and Newton's law. Between rows positions and speeds must be the integrals of speeds and accelerations.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from contact_shapes import FAR, Pair, State, Touch, cross
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

GROUND = -1
FACETS = 32  # of the polygon about Coulomb's disk
SIDES = 12  # of that about the disk of the couple against rolling
TOUCHES, NEAR, INSIDE = 2e-10, 3e-8, 1e-7  # m: what touches, what may do so, and what is inside of each other
RESTS, SLIPS = 1e-8, 1e-5  # m/s or rad/s: what rests and what moves; between both any force of the cone is allowed
STILL = 1e-13  # m/s: while something is between this and RESTS, what is left of an earlier slip, directions turn within nanoseconds
AT_ONCE = 1e-7  # s: what is decided anew so soon is not judged
LEAVES = 1e-4  # m/s2 or rad/s2, or 1e-5 of the largest acceleration: what opens
BEGINS = 0.05  # m/s2: what begins to slip, in a direction that is known
FORCES = 1e-4  # of the largest force: how exactly forces make the accelerations
STEP = 1e-6  # s: of differences
KICKED = 3e-6  # N s: what a contact that leaves by less than 1e-6 m/s takes to stay closed
SAME = 1e-11  # s: rows at one time


class Joint(NamedTuple):
    """Body axes from the centres of mass."""

    kind: str  # revolute | spherical | prismatic
    first: int
    second: int
    on_first: np.ndarray
    on_second: np.ndarray
    axis: np.ndarray  # (3,) in the axes of the first body
    friction: float = 0.0  # N m, of a revolute joint


class Body(NamedTuple):
    mass: float
    inertia: np.ndarray  # (3,) about the body axes
    anchor: np.ndarray  # (3,) of a spring to the centre of mass
    spring: float  # N/m
    free: float  # m
    push: np.ndarray  # (3,) N: it is pushed by push sin(beat t)
    beat: float


@dataclass
class Mechanism:
    bodies: list[Body]
    pairs: list[Pair] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))

    def state(self, q: np.ndarray, v: np.ndarray) -> State:
        """Of coordinates (7 n,) and speeds (6 n,)."""
        n = len(self.bodies)
        q, v = q.reshape(n, 7), v.reshape(n, 6)
        R = Rotation.from_quat(q[:, [4, 5, 6, 3]]).as_matrix().reshape(n, 3, 3)
        still = np.zeros((1, 3))
        x, u = (np.concatenate([a, still]) for a in (q[:, :3], v[:, :3]))
        return State(x, np.concatenate([R, np.eye(3)[None]]), u, np.concatenate([np.einsum("nij,nj->ni", R, v[:, 3:]), still]))

    def moved(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, h: float) -> State:
        """The state a short time h later."""
        n = len(self.bodies)
        s, x, later = self.state(q, v), q.reshape(n, 7).copy(), v + h * a
        x[:, :3] += h * v.reshape(n, 6)[:, :3]
        turned = Rotation.from_rotvec(h * s.omega[:n]) * Rotation.from_matrix(s.R[:n])
        x[:, 3:] = turned.as_quat()[:, [3, 0, 1, 2]]
        return self.state(x.ravel(), later)

    def momentum(self, s: State, v: np.ndarray) -> np.ndarray:
        """Of all bodies (6 n,): m u, and I omega in global axes."""
        each = [(b.mass * w[:3], s.R[k] @ (b.inertia * w[3:])) for k, (b, w) in enumerate(zip(self.bodies, v.reshape(-1, 6), strict=True))]
        return np.concatenate([x for two in each for x in two])

    def missing(self, t: float, s: State, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The forces and moments (6 n,) that must act beside those that are known, so that bodies are accelerated by a."""
        found = self.momentum(s, a)
        for k, (b, w) in enumerate(zip(self.bodies, v.reshape(-1, 6), strict=True)):
            d = b.anchor - s.x[k]
            length = max(float(np.linalg.norm(d)), 1e-300)
            found[6 * k : 6 * k + 3] -= b.mass * self.gravity + b.spring * (length - b.free) * d / length + b.push * np.sin(b.beat * t)
            found[6 * k + 3 : 6 * k + 6] += s.R[k] @ cross(w[3:], b.inertia * w[3:])
        return found

    def force(self, s: State, first: int, second: int, point: np.ndarray, f: np.ndarray) -> np.ndarray:
        """What f (3,) at a point on the second body, and -f on the first, are to all bodies (6 n,)."""
        column = np.zeros(6 * len(self.bodies))
        for k, sign in ((first, -1.0), (second, 1.0)):
            if k != GROUND:
                column[6 * k : 6 * k + 3] += sign * f
                column[6 * k + 3 : 6 * k + 6] += sign * cross(point - s.x[k], f)
        return column

    def moment(self, first: int, second: int, m: np.ndarray) -> np.ndarray:
        column = np.zeros(6 * len(self.bodies))
        for k, sign in ((first, -1.0), (second, 1.0)):
            if k != GROUND:
                column[6 * k + 3 : 6 * k + 6] += sign * m
        return column

    def reactions(self, s: State) -> list[np.ndarray]:
        """Columns of what joints may transmit."""
        found = []
        for j in self.joints:
            axis = s.R[j.first] @ j.axis
            across = np.linalg.svd(axis[None])[2][1:]
            point = s.x[j.second] + s.R[j.second] @ j.on_second
            found += [self.force(s, j.first, j.second, point, f) for f in (across if j.kind == "prismatic" else np.eye(3))]
            moments: dict[str, Any] = {"revolute": across, "spherical": [], "prismatic": np.eye(3)}
            found += [self.moment(j.first, j.second, m) for m in moments[j.kind]]
        return found


def speed(s: State, pair: Pair, at: Touch) -> np.ndarray:
    """Of the second body against the first where they touch (3,)."""
    first, second = (s.u[k] + cross(s.omega[k], at.point - s.x[k]) for k in (pair.first, pair.second))
    return np.asarray(second - first)


def along_and_across(s: State, pair: Pair) -> tuple[float, np.ndarray]:
    """The normal speed of a pair, and how it slips (3,)."""
    at = pair.touch(s)
    w = speed(s, pair, at)
    return float(at.normal @ w), w - (at.normal @ w) * at.normal


def cone(n: np.ndarray, mu: float) -> list[np.ndarray]:
    if mu == 0.0:
        return [n]
    across = np.linalg.svd(n[None])[2][1:]
    angles = 2.0 * np.pi * np.arange(FACETS) / FACETS
    wide = mu / np.cos(np.pi / FACETS)
    return [n + wide * (np.cos(x) * across[0] + np.sin(x) * across[1]) for x in angles]


def ways(s: State, moved: tuple[State, State] | None, any_of_it: bool, pair: Pair) -> list[np.ndarray]:
    """The couples (3,) for a unit of normal force that resist rolling and drilling. `moved`: the states a moment sooner and later."""
    found, n = [np.zeros(3)], pair.touch(s).normal
    for drills, length in ((False, pair.law.rolling), (True, pair.law.drilling)):
        if length == 0.0:
            continue
        turns, begins = against(s, pair, drills), np.zeros(3)
        if moved is not None:
            begins = (against(moved[1], pair, drills) - against(moved[0], pair, drills)) / (2.0 * STEP)
        fast, sudden = float(np.linalg.norm(turns)), float(np.linalg.norm(begins))
        if fast > SLIPS:
            couples = [-length * turns / fast]
        elif sudden > BEGINS and fast <= RESTS and not any_of_it:
            couples = [-length * begins / sudden]
        elif drills:
            couples = [length * n, -length * n]
        else:
            wide, across = length / np.cos(np.pi / SIDES), np.linalg.svd(n[None])[2][1:]
            couples = [wide * (np.cos(x) * across[0] + np.sin(x) * across[1]) for x in 2.0 * np.pi * np.arange(SIDES) / SIDES]
        found = [a + b for a in found for b in couples]
    return found


def against(s: State, pair: Pair, drills: bool) -> np.ndarray:
    """The angular velocity of the second body against the first (3,), along the normal, or across it."""
    n, w = pair.touch(s).normal, s.omega[pair.second] - s.omega[pair.first]
    return np.asarray((n @ w) * n if drills else w - (n @ w) * n)


def left_over(wanted: np.ndarray, free: list[np.ndarray], pressing: list[np.ndarray], bounded: list[tuple[np.ndarray, float]]) -> float:
    """How far, in parts of `wanted`, columns (k,) of any sign, of no sign below zero, and of at most a size, are from making it."""
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    k = len(wanted)
    columns = [sign * c for c in free for sign in (1.0, -1.0)] + pressing
    A = np.array(columns).reshape(len(columns), k).T
    right = wanted / scale
    for column, most in bounded:  # most - x and most + x are not below zero
        size = max(most, 1e-12) / scale
        column = np.append(column, np.zeros(len(A) - k))[:, None]
        A = np.block([[A, column, -column, np.zeros((len(A), 1))], [np.zeros((1, A.shape[1])), 1.0, 1.0, 1.0]])
        right = np.append(right, size)
    return 0.0 if not k else float(nnls(A, right, maxiter=50 * max(A.shape))[1]) if A.shape[1] else float(np.abs(right).max())


def columns_of(m: Mechanism, s: State, pair: Pair, at: Touch, forces: list[np.ndarray], couples: list[np.ndarray]) -> list[np.ndarray]:
    """Each force of a contact with each couple."""
    moments = [m.moment(pair.first, pair.second, couple) for couple in couples]
    return [m.force(s, pair.first, pair.second, at.point, f) + moment for f in forces for moment in moments]


def turning(s: State, sooner: State, later: State, j: Joint) -> tuple[float, float, np.ndarray]:
    """How fast a revolute joint turns, how that grows, and its axis."""
    before, rate, after = (float((x.omega[j.second] - x.omega[j.first]) @ (x.R[j.first] @ j.axis)) for x in (sooner, s, later))
    return rate, (after - before) / (2.0 * STEP), s.R[j.first] @ j.axis


def audit_row(m: Mechanism, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> str:
    """What is wrong with the accelerations of a row; empty: nothing."""
    s, sooner, later = m.state(q, v), m.moved(q, v, a, -STEP), m.moved(q, v, a, STEP)
    pressing: list[np.ndarray] = []
    bounded, leaves = [], max(LEAVES, 1e-5 * float(np.abs(a).max(initial=0.0)))
    slow = [float(np.linalg.norm(along_and_across(s, pair)[1])) for pair in m.pairs if pair.touch(s).gap < TOUCHES]
    slow += [float(np.linalg.norm(against(s, pair, False))) for pair in m.pairs if pair.law.rolling and pair.touch(s).gap < TOUCHES]
    turns = any(STILL < x < RESTS for x in slow)
    for k, pair in enumerate(m.pairs):
        at = pair.touch(s)
        w = speed(s, pair, at)
        if at.gap < -INSIDE:
            return f"pair {k} is inside by {-at.gap:.1e}"
        wn = float(at.normal @ w)
        if at.gap > NEAR or wn > SLIPS:
            continue
        if wn < -SLIPS and at.gap > TOUCHES:
            continue
        if wn < -SLIPS:
            return f"pair {k} closes by {-wn:.1e} m/s and nothing happens"
        if pair.touch(later).gap >= FAR:  # an edge or a rim ends here
            continue
        two = [along_and_across(moved, pair) for moved in (sooner, later)]
        if pair.touch(sooner).gap >= FAR:  # or begins
            two[0] = 2.0 * wn - two[1][0], 2.0 * (w - wn * at.normal) - two[1][1]
        grows = (two[1][0] - two[0][0]) / (2.0 * STEP)
        jump, after = (two[1][0] - 2.0 * wn + two[0][0]) / STEP, (two[1][0] - wn) / STEP
        near = [along_and_across(m.moved(q, v, a, h), pair)[0] for h in (-0.1 * STEP, 0.1 * STEP)] if abs(jump) > leaves else [wn, wn]
        if abs(near[1] - 2.0 * wn + near[0]) > 0.05 * STEP * abs(jump):  # a ball comes to an edge or a corner: the normal turns from now on
            grows = after
        if grows > leaves:
            continue
        if grows < -leaves and at.gap < TOUCHES and wn < RESTS:
            return f"pair {k} is accelerated into by {-grows:.1e}"
        slip = w - wn * at.normal
        begins = (two[1][1] - two[0][1]) / (2.0 * STEP)
        fast, sudden = float(np.linalg.norm(slip)), float(np.linalg.norm(begins))
        if fast > SLIPS:
            directions = [at.normal - pair.law.friction * slip / fast]
        elif turns or fast > RESTS or pair.law.static == 0.0:
            directions = cone(at.normal, pair.law.static)
        elif sudden > BEGINS:
            directions = [at.normal - pair.law.friction * begins / sudden]
        else:
            directions = cone(at.normal, pair.law.static)
        pressing += columns_of(m, s, pair, at, directions, ways(s, (sooner, later), turns, pair))
    wanted = m.missing(t, s, v, a)
    for j in m.joints:
        if j.friction:
            rate, grows, axis = turning(s, sooner, later, j)
            if abs(rate) > RESTS or abs(grows) > leaves:
                wanted = wanted + m.moment(j.first, j.second, j.friction * np.sign(rate if abs(rate) > RESTS else grows) * axis)
            else:
                bounded.append((m.moment(j.first, j.second, axis), j.friction))
    off = left_over(wanted, m.reactions(s), pressing, bounded)
    return f"no forces make the accelerations: {off:.1e} off" if off > FORCES else ""


def audit_impact(m: Mechanism, q: np.ndarray, before: np.ndarray, after: np.ndarray) -> str:
    """What is wrong with an impact by Newton's law; empty: nothing."""
    one, two = m.state(q, before), m.state(q, after)
    pressing = []
    scale = max(1.0, float(np.abs(before).max()))
    for k, pair in enumerate(m.pairs):
        at = pair.touch(one)
        if at.gap > NEAR:
            continue
        w, w_after = speed(one, pair, at), speed(two, pair, at)
        wn, wn_after = float(at.normal @ w), float(at.normal @ w_after)
        rebound = max(0.0, -pair.law.restitution * wn)
        rebound = rebound if rebound > pair.law.closing else 0.0
        if wn_after < rebound - 1e-7 * scale and at.gap < TOUCHES:
            return f"pair {k} rebounds by {wn_after:.2e} m/s, not {rebound:.2e}"
        if wn_after > rebound + 1e-7 * scale:
            continue
        slip = w_after - wn_after * at.normal
        fast, mu = float(np.linalg.norm(slip)), pair.law.friction
        directions = [at.normal - mu * slip / fast] if fast > SLIPS and mu else cone(at.normal, mu)
        pressing += columns_of(m, one, pair, at, directions, ways(two, None, True, pair))
    off = left_over(m.momentum(one, after - before), m.reactions(one), pressing, [])
    return f"no impulses make the impact: {off:.1e} off" if off > KICKED else ""


def audit(m: Mechanism, result: Any) -> str:
    """The first thing in a result that is wrong, with its time; empty: nothing."""
    times, q, v, a = (np.asarray(result[name]) for name in ("time", "q", "v", "acceleration"))
    for k, t in enumerate(times):
        same = k + 1 < len(times) and times[k + 1] - t <= SAME
        if same:
            found = audit_impact(m, q[k], v[k], v[k + 1]) if np.abs(v[k + 1] - v[k]).max() > 1e-9 else ""
        else:
            soon = k + 1 < len(times) and times[k + 1] - t < AT_ONCE
            found = "" if soon else audit_row(m, t, q[k], v[k], a[k])
            if not found and k + 1 < len(times):
                found = audit_motion(q[k : k + 2], v[k : k + 2], a[k : k + 2], times[k + 1] - t)
        if found:
            return f"{found} at {t:.9f}"
    return ""


def audit_motion(q: np.ndarray, v: np.ndarray, a: np.ndarray, h: float) -> str:
    """Whether speeds and positions are integrals, to what the trapezoidal rule is known to be off."""
    change, off = float(np.abs(a[1] - a[0]).max()), float(np.abs(v[1] - v[0] - 0.5 * h * (a[0] + a[1])).max())
    if off > h * (change + float(np.abs(a).max())) + 1e-8:  # a slow slip may turn between them
        return f"speeds jump by {off:.1e} without an event"
    x, u = (z.reshape(len(z), -1, w)[:, :, :3] for z, w in ((q, 7), (v, 6)))
    off = float(np.abs(x[1] - x[0] - 0.5 * h * (u[0] + u[1])).max())
    return f"positions jump by {off:.1e}" if off > h * h * (change + float(np.abs(a).max())) + 1e-8 else ""
