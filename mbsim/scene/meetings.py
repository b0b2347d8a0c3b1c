"""Where bodies touch each other by rigid contacts, as plain data that the result keeps. `nearest.py` finds the places in a pose.

kind: `plane` (of the first body, across its z axis; the second has a ball, or with a radius of 0 a point), `rim` (the same of a circle
about the second body's z axis), `round` (two balls; radii from the first centre towards the second, and back), `solid` (a ball or a point
on a solid of the first body: `form` and `half` are as `mbsim/kernels/spatial_solids.py` has them) and `edges` (of two boxes: `half`,
`its_half`, and `edge`, which one of each; `cones` of edges of polyhedra, which are boxes without thickness). `rim_on_faces` is a rim on a
polyhedron (`faces`: of each its normal and its height), `rim_on_line` on an edge or a capsule (`line`: half its length, which of two
places, the cone of the edge), `rim_on_rim` on the rim of another cylinder (`which` of two places, 1 or -1). Axes are rows x, y, z.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.kernels.primitives import SOLID_BOX, SOLID_CYLINDER, SOLID_HULL

Floats = NDArray[np.float64]
KINDS = ("plane", "rim", "round", "solid", "edges", "rim_on_faces", "rim_on_line", "rim_on_rim")
LONGEST = 1e15  # m


class Meeting(NamedTuple):
    """A place where two bodies may touch, and how their forces there are recorded."""

    name: str
    kind: str
    bodies: tuple[int, int]
    points: tuple[Floats, Floats]  # (3,) each
    axes: tuple[Floats, Floats]  # (3, 3) each
    radii: tuple[float, float]  # m
    rows: list[str]  # of the normal force and along the tangents
    numbers: Mapping[str, Floats]


def read_meetings(data: dict[str, Any], bodies: int) -> list[Meeting]:
    """The same of the scene of a result. Raises ValueError, TypeError or KeyError where it is damaged."""
    return [_read(given, bodies) for given in (data["meetings"] if "meetings" in data else _earlier(data["contacts"]))]


def _earlier(contacts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of a result of an earlier version, which knew planes alone."""
    found = []
    for given in contacts:
        plane, rows = given["plane"], given.get("rows")
        if rows and plane:
            x, y = [*plane.get("tangents", ()), [0.0] * 3, [0.0] * 3][:2]
            axes = [[x, y, plane["normal"]], [[0.0] * 3, [0.0] * 3, given["axis"] or [0.0] * 3]]
            kind, bodies = "rim" if given["axis"] else "plane", [plane["body"], given["body"]]
            points, radii = [plane["point"], given["point"]], [0.0, given["radius"]]
            found.append({"name": given["name"], "kind": kind, "bodies": bodies, "points": points, "axes": axes, "radii": radii,
                          "rows": rows, "numbers": {}})  # fmt: skip
    return found


def _read(given: dict[str, Any], count: int) -> Meeting:
    name, kind, rows = given["name"], given["kind"], given["rows"]
    (i, j), radii = given["bodies"], np.array(given["radii"], float).reshape(2)
    points, axes = np.array(given["points"], float).reshape(2, 3), np.array(given["axes"], float).reshape(2, 3, 3)
    numbers = {str(word): np.array(values, float).reshape(-1) for word, values in given["numbers"].items()}
    words = [name, *rows]
    if not all(isinstance(word, str) and word.isprintable() for word in words) or kind not in KINDS or not rows:
        raise ValueError("a meeting has no name, or is of no kind")
    if not all(isinstance(b, int) and not isinstance(b, bool) and -1 <= b < count for b in (i, j)):
        raise ValueError("a meeting names a body that is not there")
    if not all((np.abs(x) < LONGEST).all() for x in (radii, points, axes, *numbers.values())):
        raise ValueError("a number of a meeting is too large")
    sizes = {"solid": {"half": 3, "sharp": 1}, "edges": {"half": 3, "its_half": 3, "edge": 4}}.get(kind, {})
    if any(len(numbers.get(word, ())) != size for word, size in sizes.items()) or not _complete(kind, numbers):
        raise ValueError("a number of a meeting is missing, or means nothing")
    return Meeting(name, kind, (i, j), (points[0], points[1]), (axes[0], axes[1]), (float(radii[0]), float(radii[1])), rows, numbers)


def _complete(kind: str, numbers: Mapping[str, Floats]) -> bool:
    """Whether the numbers of a solid or of edges, of which there may be more or fewer, are all there."""
    if kind == "edges":
        cones, edge = numbers.get("cones", np.zeros(0)), numbers["edge"]
        return len(cones) == (13 if len(cones) and cones[0] else 1) and all(x in (0.0, 1.0, 2.0) for x in edge[:2])
    if kind == "rim_on_faces":
        faces = numbers.get("faces", np.zeros(0))
        return len(faces) >= 4 and len(faces) % 4 == 0
    if kind == "rim_on_line":
        return len(numbers.get("line", ())) == 8
    if kind == "rim_on_rim":
        return len(numbers.get("which", ())) == 1 and abs(numbers["which"][0]) == 1.0
    if kind == "solid":
        form = numbers.get("form", np.zeros(0))
        if not len(form) or form[0] != SOLID_HULL:
            return len(form) == 1 and form[0] in (SOLID_BOX, SOLID_CYLINDER)
        return len(form) > 4 and form[1] >= 4.0 and form[2] >= 0.0 and len(form) == 4 + 4 * form[1] + 7 * form[2]
    return True
