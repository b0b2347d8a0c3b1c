"""Where the nodes of a beam are, how their axes lie, and what their bodies weigh."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.kernels import screws
from mbsim.model.beams import ALONG, Beam

Floats = NDArray[np.float64]
_GAUSS = np.polynomial.legendre.leggauss(8)
_PARTS = 16  # of the way between two points, over each of which a length is integrated
_TURNS = 40  # Newton iterations for a place on the curve


class Layout(NamedTuple):
    """The nodes and elements of a beam as it is drawn."""

    places: Floats  # (n + 1, 3) m, global
    axes: Floats  # (n + 1, 3, 3) in columns: x along the beam, y and z of the section
    angles: Floats  # (n + 1,) rad, of the axes in the plane, continuous
    screws: Floats  # (n, 6), in the plane (n, 3): of each element, from one frame to the next
    lengths: Floats  # (n,) m


def lay_out(beam: Beam, dimension: int, first: Floats, last: Floats) -> Layout:
    """The nodes of a beam between two places (3,), which a beam with `points` does not need. Raises ValueError."""
    points = np.array([first, last]) if beam.points is None else np.array([[*point, 0.0][:3] for point in beam.points])
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if gaps.min() <= 1e-12 * max(1.0, float(np.abs(points).max())):
        k = int(gaps.argmin())
        raise ValueError("a beam needs a length: its ends are in one place" if len(points) == 2 else f"the points {k} and {k + 1} coincide")
    line, tangents = _straight(points, beam.elements) if len(points) == 2 else _curved(points, gaps, beam.elements)
    angles = np.unwrap(np.arctan2(tangents[:, 1], tangents[:, 0]))
    axes = _about_z(angles) if dimension == 2 else _carried(line, tangents, beam.up)
    if beam.offset is not None:
        line = line + axes @ np.array([0.0, *(beam.offset if isinstance(beam.offset, list) else [beam.offset, 0.0])])
    if dimension == 2:
        x, y, _ = np.diff(line, axis=0).T
        between = screws.planar_log(x, y, np.diff(angles), angles[:-1])
        turns, lengths = np.abs(between[:, 2]), np.linalg.norm(between[:, :2], axis=1)
    else:
        between = screws.log(line[:-1], axes[:-1], line[1:], axes[1:])
        turns, lengths = np.linalg.norm(between[:, 3:], axis=1), np.linalg.norm(between[:, :3], axis=1)
    if turns.max() > 0.5 * np.pi:
        raise ValueError(
            f"element {int(turns.argmax())} would turn by {turns.max():.3g} rad, more than a quarter turn: give more `elements`"
        )
    return Layout(line, axes, angles, between, lengths)


def node_masses(beam: Beam, layout: Layout) -> tuple[Floats, Floats]:
    """(n + 1,) kg and (n + 1, 3) kg m^2 about the axes of each node: half of each element beside it."""
    line, inertia = beam.line()
    halves = 0.5 * layout.lengths
    share = np.concatenate([halves, [0.0]]) + np.concatenate([[0.0], halves])
    return line * share, np.outer(share, inertia)


def _straight(points: Floats, elements: int) -> tuple[Floats, Floats]:
    along = np.linspace(0.0, 1.0, elements + 1)[:, None]
    way = points[1] - points[0]
    return points[0] + along * way, np.tile(way / np.linalg.norm(way), (elements + 1, 1))


def _curved(points: Floats, gaps: Floats, elements: int) -> tuple[Floats, Floats]:
    """Places at equal lengths along the cubic spline through points, over the length of its polygon, and its directions there."""
    from scipy.interpolate import CubicSpline

    knots = np.concatenate([[0.0], np.cumsum(gaps)])
    curve = CubicSpline(knots, points)
    slope = curve.derivative()
    grid = np.concatenate([np.linspace(a, b, _PARTS, endpoint=False) for a, b in pairwise(knots)] + [knots[-1:]])

    def length(a: Floats, b: Floats) -> Floats:
        x = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * _GAUSS[0]
        return np.asarray(0.5 * (b - a) * (np.linalg.norm(slope(x), axis=-1) @ _GAUSS[1]))

    reached = np.concatenate([[0.0], np.cumsum(length(grid[:-1], grid[1:]))])
    wanted = np.linspace(0.0, reached[-1], elements + 1)
    part = np.clip(np.searchsorted(reached, wanted, side="right") - 1, 0, len(grid) - 2)
    at = grid[part] + (wanted - reached[part]) / (reached[part + 1] - reached[part]) * (grid[part + 1] - grid[part])
    for _ in range(_TURNS):
        off = reached[part] + length(grid[part], at) - wanted
        at = at - off / np.linalg.norm(slope(at), axis=-1)
        if np.abs(off).max() < 1e-14 * reached[-1]:
            break
    directions = slope(at)
    return curve(at), directions / np.linalg.norm(directions, axis=-1)[:, None]


def _about_z(angles: Floats) -> Floats:
    axes = np.zeros((len(angles), 3, 3))
    axes[:, 0, 0] = axes[:, 1, 1] = np.cos(angles)
    axes[:, 1, 0] = np.sin(angles)
    axes[:, 0, 1], axes[:, 2, 2] = -axes[:, 1, 0], 1.0
    return axes


def _carried(places: Floats, tangents: Floats, up: list[float] | None) -> Floats:
    """Axes that are carried along without twist, from z near `up` at the start on: W. Wang and others, Computation of rotation minimizing
    frames, ACM Trans. Graph. 27 (2008), double reflection. Raises ValueError."""
    x = tangents[0]
    wanted = np.array([0.0, 0.0, 1.0] if up is None else up)
    if np.linalg.norm(np.cross(x, wanted)) < ALONG:
        if up is not None:
            raise ValueError("up: the section's z cannot point along the beam")
        wanted = np.array([0.0, 1.0, 0.0])
    z = wanted - (wanted @ x) * x
    z /= np.linalg.norm(z)
    axes = np.zeros((len(places), 3, 3))
    axes[0] = np.array([x, np.cross(z, x), z]).T
    for k in range(1, len(places)):
        step = places[k] - places[k - 1]
        square = float(step @ step)
        reflected, turned = z - 2.0 / square * (step @ z) * step, x - 2.0 / square * (step @ x) * step
        x = tangents[k]
        other = x - turned
        size = float(other @ other)
        z = reflected if size == 0.0 else reflected - 2.0 / size * (other @ reflected) * other
        z -= (z @ x) * x
        z /= np.linalg.norm(z)
        axes[k] = np.array([x, np.cross(z, x), z]).T
    return axes
