"""Where a cylinder touches another solid in space, and where a rim touches a plane.

A cylinder is two rims, a line with its radius about it, and two ends. A rim that lies flat has no lowest point: there an end stands on
points of its rim, which are corners.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import cos, pi, sin
from typing import NamedTuple

from mbsim.assembly.contact_sites import Site
from mbsim.assembly.rim_sites import RimSite, disc, faces, line
from mbsim.assembly.solid_sites import MOST_PAIRS, Rod, Side, edges_of_boxes, edges_of_hulls, global_axis, on_solid
from mbsim.constraints._table import Axes
from mbsim.kernels.primitives import CORNERS, RIM_ON_DISC, RIM_ON_FACES, RIM_ON_LINE, RIM_ON_RIM, SOLID_BOX

DEEPEST = 0.5  # of the width of what is touched: what is deeper in it has not come through the face, and its gap is open again
EVEN = 1e-6  # of a length or a radius: what is equal but for this is


class Rim(NamedTuple):
    """A circle of a body: its centre and the axis that points out of the cylinder, both (3,) in body axes from the centre of mass."""

    at: list[float]
    axis: list[float]


def points_of_rim(at: Sequence[float], axis: Sequence[float], radius: float) -> list[list[float]]:
    """(3,) each: on what an end stands."""
    x, y, _ = _across(axis)
    angles = [2.0 * pi * (m + 0.5) / CORNERS for m in range(CORNERS)]
    return [[o + radius * (cos(w) * a + sin(w) * b) for o, a, b in zip(at, x, y, strict=True)] for w in angles]


def on_plane(site: Site, axis: list[float]) -> RimSite:
    """Of a rim with the plane of a site, whose ball is where the rim is; its axis is global at the start."""
    return RimSite(
        site.name, site.dimension, site.first, site.through, site.at, site.second, site.centre, site.radius, None, site.axes, site.rough,
        site.drawn_at, disk=axis, touched=faces(site.radius, [(0.0, 0.0, 1.0, 0.0)]), endless=True,
    )  # fmt: skip


def touching(one: Side, other: Side, rough: bool) -> Iterator[Site]:
    """The contacts of two shapes, of which one is a cylinder at least. Raises ValueError where these are too many."""
    if one.solid.is_round and other.solid.is_round:
        yield from _with_cylinder(one, other, rough)
        return
    cylinder, solid = (one, other) if one.solid.is_round else (other, one)
    if solid.solid.is_ball:
        yield on_solid(cylinder, solid, solid.solid.at, rough)
    elif solid.solid.hull is None and len(solid.solid.thick) == 1:
        yield from _with_capsule(cylinder, solid, rough)
    else:
        yield from _with_polyhedron(cylinder, solid, solid._replace(solid=solid.solid.as_hull()), one is cylinder, rough)


def _with_capsule(cylinder: Side, capsule: Side, rough: bool) -> Iterator[Site]:
    for end in capsule.solid.corners():
        yield on_solid(cylinder, capsule, end, rough)
    width = min(cylinder.solid.width, 2.0 * capsule.solid.radius)
    yield from (replace(site, width=min(site.width, width)) for site in edges_of_boxes(_barrel(cylinder), capsule, rough))
    for rod in capsule.solid.rods():
        yield from _rims_on_line(cylinder, capsule, rod, capsule.solid.radius, width, rough)


def _with_polyhedron(cylinder: Side, given: Side, polyhedron: Side, is_first: bool, rough: bool) -> Iterator[Site]:
    """`given` is the polyhedron as it was drawn, a box perhaps."""
    hull = polyhedron.solid.hull
    assert hull is not None
    if (count := 5 * len(hull.edges)) > MOST_PAIRS:
        raise ValueError(
            f"{polyhedron.body} has {len(hull.edges)} edges: {count} pairs with the barrel and the rims of {cylinder.body}, and at most "
            f"{MOST_PAIRS} are taken; give simpler shapes"
        )
    width = min(cylinder.solid.width, polyhedron.solid.width)
    planes = [(*n, h) for n, h in zip(hull.normals.tolist(), hull.heights.tolist(), strict=True)]
    rims = []
    for rim in _rims(cylinder):
        made = _site(polyhedron, polyhedron.solid.at, polyhedron.drawn, cylinder, rim, width, rough)
        rims.append(replace(made, kind=RIM_ON_FACES, touched=faces(made.radius, planes)))
    yield from rims
    for rim, end in zip(_rims(cylinder), rims, strict=True):
        for point in points_of_rim(rim.at, rim.axis, cylinder.solid.half[0]):
            yield replace(on_solid(given, cylinder, point, rough), width=width, still=True, end=end)
    for corner in polyhedron.solid.corners():
        yield replace(on_solid(cylinder, polyhedron, corner, rough), width=width, still=True)
    pair = (_barrel(cylinder), polyhedron) if is_first else (polyhedron, _barrel(cylinder))
    yield from (replace(site, width=min(site.width, width)) for site in edges_of_hulls(*pair, rough))
    for rod in polyhedron.solid.rods():
        yield from _rims_on_line(cylinder, polyhedron, rod, 0.0, width, rough)


def _with_cylinder(one: Side, other: Side, rough: bool) -> Iterator[Site]:
    """Barrels that cross, rims on barrels, rims and points of them on ends, rims on rims.

    Where both cylinders are as long, or as wide, what touches is at the ends of both. There that of the first one counts.
    """
    width = min(one.solid.width, other.solid.width)
    yield from (replace(site, width=min(site.width, width)) for site in edges_of_boxes(_barrel(one), _barrel(other), rough))
    pairs = ((one, other, 1.0 + EVEN), (other, one, 1.0 - EVEN))
    for cylinder, touched, wider in pairs:
        solid = touched.solid
        rod = Rod(solid.at, solid.axes, wider * solid.half[2], (0.0,) * 6)
        yield from _rims_on_line(cylinder, touched, rod, solid.half[0], width, rough)
    for cylinder, touched, wider in pairs:
        yield from _on_ends(cylinder, touched, wider * touched.solid.half[0], width, rough)
    for first, second in product(_rims(one), _rims(other)):
        axes = _across(global_axis(one, first.axis))
        for which in (1.0, -1.0):
            made = _site(one, first.at, axes, other, second, width, rough)
            yield replace(made, kind=RIM_ON_RIM, touched=(one.solid.half[0], which))


def _on_ends(cylinder: Side, touched: Side, bound: float, width: float, rough: bool) -> Iterator[RimSite]:
    """The rims of a cylinder, and the points on which it stands, on the ends of another one, up to a radius."""
    half = touched.solid.half[2]
    for rim, way in product(_rims(cylinder), (-1.0, 1.0)):
        made = _site(touched, touched.solid.at, touched.drawn, cylinder, rim, width, rough)
        end = replace(made, kind=RIM_ON_DISC, touched=disc(made.radius, way, half, bound, rim.at))
        yield end
        for point in points_of_rim(rim.at, rim.axis, made.radius):
            yield replace(end, centre=point, radius=0.0, touched=disc(0.0, way, half, bound, rim.at), still=True, end=end)


def _across(axis: Sequence[float]) -> Axes:
    """Two axes across one, and it."""
    k = min(range(3), key=lambda c: abs(axis[c]))
    x = [float(c == k) - axis[k] * axis[c] for c in range(3)]
    length = sum(a * a for a in x) ** 0.5
    x = [a / length for a in x]
    return [x, [axis[c - 2] * x[c - 1] - axis[c - 1] * x[c - 2] for c in range(3)], [*axis]]


def _rims(cylinder: Side) -> list[Rim]:
    solid = cylinder.solid
    return [Rim(solid.placed([0.0, 0.0, s * solid.half[2]]), [s * a for a in solid.axes[2]]) for s in (-1.0, 1.0)]


def _barrel(cylinder: Side) -> Side:
    """The line in the middle of a cylinder with its radius about it."""
    solid = cylinder.solid
    return cylinder._replace(solid=solid._replace(half=(0.0, 0.0, solid.half[2]), radius=solid.half[0], form=SOLID_BOX))


def _rims_on_line(cylinder: Side, other: Side, rod: Rod, radius: float, width: float, rough: bool) -> Iterator[RimSite]:
    drawn = [global_axis(other, axis) for axis in rod.axes]
    for rim in _rims(cylinder):
        for which in (1.0, -1.0):
            made = _site(other, rod.at, drawn, cylinder, rim, width, rough)
            yield replace(made, kind=RIM_ON_LINE, touched=line(radius, rod.half, which, rod.cone))


def _site(first: Side, at: list[float], axes: Axes, cylinder: Side, rim: Rim, width: float, rough: bool) -> RimSite:
    return RimSite(
        "", 3, first.body, None, at, cylinder.body, rim.at, cylinder.solid.half[0], None, axes, rough, [0.0] * 3,
        disk=global_axis(cylinder, rim.axis), width=DEEPEST * width, depth=DEEPEST * width,
    )  # fmt: skip
