"""Where the rim of a cylinder is nearest to the faces of a polyhedron, to a line or to another rim, at every pose.

The formulas are those of `mbsim/kernels/spatial_rim_faces.py`, `spatial_rim_lines.py` and `spatial_rim_rims.py` in arrays over poses.
"""

import numpy as np

from mbsim.kernels.primitives import CORNERS, FLAT, SOLID_A, SOLID_Y, STANDS
from mbsim.scene.meetings import Meeting
from mbsim.scene.motion import Motion
from mbsim.scene.places import EVEN, Place, turned, unit
from mbsim.scene.read import End, Floats

STEPS = 80  # of Newton
ACROSS = 1e-6  # as of the kernel: of what the line has across the axis of the rim
FARTHEST = 1e12
TINY = 1e-300
TURNS, LONGEST = 12, 0.3  # of Newton on two rims; rad of one step


def on_faces(one: Meeting, poses: Motion, planar: bool) -> Place:
    """The lowest point of a rim above the face that it is on."""
    axes = np.stack([poses.turn(one.bodies[0], axis) for axis in one.axes[0]], axis=1)  # (k, 3, 3) rows
    centre, axis, R = poses.place(End(one.bodies[1], one.points[1])), poses.turn(one.bodies[1], one.axes[1][2]), one.radii[1]
    faces = one.numbers["faces"].reshape(-1, 4)
    p = np.einsum("kij,kj->ki", axes, centre - poses.place(End(one.bodies[0], one.points[0])))
    b = np.einsum("kij,kj->ki", axes, axis)
    sines = np.linalg.norm(np.cross(b[:, None], faces[None, :, :3]), axis=2)
    heights = p @ faces[:, :3].T - faces[:, 3] - R * sines
    local = faces[np.argmin(np.abs(heights), axis=1), :3]
    A, Y = (np.broadcast_to(np.array(way), local.shape) for way in (SOLID_A, SOLID_Y))
    n, e = (np.einsum("kij,ki->kj", axes, each) for each in (local, turned(A, Y, local)))
    return Place(centre + foot(n, axis, R), n, [e, np.cross(n, e)])


def foot(n: Floats, axis: Floats, R: float) -> Floats:
    """(k, 3) from the centre of a rim to where it touches a plane; it rounds off where the rim lies nearly flat."""
    c, s = _dot(n, axis), np.linalg.norm(np.cross(n, axis), axis=1, keepdims=True)
    u, size = np.maximum((FLAT - s) / (FLAT - STANDS), 0.0), R * (1.0 - np.cos(np.pi / CORNERS)) * STANDS
    sigma, slope = R * s - size * u**3, R + 3.0 * size / (FLAT - STANDS) * u * u
    return np.asarray((sigma * s + slope * c * c) * unit(c * axis - n) + c * (s * slope - sigma) * axis)


def on_line(one: Meeting, poses: Motion, planar: bool) -> Place:
    """One of the places of a rim that are nearest to a line."""
    (S, R), (_, which, *cone) = one.radii, one.numbers["line"]
    middle, centre = (poses.place(End(body, point)) for body, point in zip(one.bodies, one.points, strict=True))
    a, b = poses.turn(one.bodies[0], one.axes[0][2]), poses.turn(one.bodies[1], one.axes[1][2])
    e = _nearest(R, float(which), a, b, centre - middle)
    d = centre + R * e - middle
    away = d - _dot(d, a) * a
    if S > 0.0:
        n = unit(away)
    else:
        n = unit(np.cross(a, np.cross(b, e)))
        out = poses.turn(one.bodies[0], np.array(cone[:3]) + np.array(cone[3:]))
        n = np.where(_dot(n, out - e - b) >= 0.0, n, -n)
    return Place(centre + R * e, n, [a, np.cross(n, a)])


def _nearest(R: float, which: float, a: Floats, b: Floats, d: Floats) -> Floats:
    """(k, 3) e."""
    across = a - _dot(a, b) * b
    slanted = np.linalg.norm(across, axis=1, keepdims=True) > ACROSS
    m = unit(np.where(slanted, across, _dot(d, b) * b - d))
    lost = ~m.any(axis=1)
    m[lost] = unit(np.cross(b, np.where(np.abs(b[:, :1]) < 0.6, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])))[lost]
    y, on = np.cross(b, m), _dot(a, m)
    U, side, K = _dot(d, a) * on - _dot(d, m), _dot(d, y), R * on * on
    U = np.where(slanted, U, np.abs(U))
    V = np.abs(side)
    within = (np.abs(U) < K) & (np.abs(U) ** (2.0 / 3.0) + V ** (2.0 / 3.0) < K ** (2.0 / 3.0))
    way = np.where(within, which, np.where(U >= 0.0, 1.0, -1.0))
    T = np.zeros_like(V)
    for _ in range(STEPS):
        root = np.sqrt(1.0 + T * T)
        T = np.minimum(T + (V - way * U * T - K * T / root) / np.maximum(way * U + K / root**3, TINY), FARTHEST)
    cosine = 1.0 / np.sqrt(1.0 + T * T)
    return np.asarray(way * cosine * m - np.where(side > 0.0, 1.0, -1.0) * T * cosine * y)


def on_rim(one: Meeting, poses: Motion, planar: bool) -> Place:
    """One of the places of two rims that are nearest to each other."""
    (S, R), k = one.radii, float(one.numbers["which"][0])
    first, second = (poses.place(End(body, point)) for body, point in zip(one.bodies, one.points, strict=True))
    a, b = (poses.turn(body, axes[2]) for body, axes in zip(one.bodies, one.axes, strict=True))
    d, u = second - first, np.cross(a, b)
    length = np.maximum(np.linalg.norm(u, axis=1, keepdims=True), ACROSS)
    u = u / length
    e = _cut(_dot(d, b) / length / S, k, np.cross(u, a), u)
    f = _cut(_dot(d, a) / length / R, -k, np.cross(u, b), u)
    for _ in range(TURNS):
        t, s, way = np.cross(a, e), np.cross(b, f), d + R * f - S * e
        p, q, on = _dot(way, t), _dot(way, s), _dot(t, s)
        pp, pq, qp, qq = -S - _dot(way, e), R * on, -S * on, R - _dot(way, f)
        whole = pp * qq - pq * qp
        whole = np.where(np.abs(whole) > EVEN * R * S, whole, -EVEN * R * S)
        v, w = (np.clip(x / whole, -LONGEST, LONGEST) for x in (pq * q - qq * p, qp * p - pp * q))
        e, f = np.cos(v) * e + np.sin(v) * t, np.cos(w) * f + np.sin(w) * s
    t, s = np.cross(a, e), np.cross(b, f)
    n = unit(np.cross(t, s))
    n = np.where(_dot(n, a + e - b - f) >= 0.0, n, -n)
    return Place(second + R * f, n, [t, np.cross(n, t)])


def _cut(height: Floats, along: float, m: Floats, u: Floats) -> Floats:
    """(k, 3) to where a circle is cut by a line that is `height` radii from its centre along m."""
    x = np.clip(height, -1.0, 1.0)
    return np.asarray(x * m + along * np.sqrt(1.0 - x * x) * u)


def _dot(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.sum(x * y, axis=1, keepdims=True))
