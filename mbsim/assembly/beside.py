"""Joints, springs and bushings that numbers in `at` put beside the named point of a body that is likely meant.

Numbers in `at` are a place of the drawing. On a body that is drawn roughly this place is not the point that the file names, so that the
mechanism is another one, though it assembles and runs.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from mbsim.assembly.moved import share
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.model.fields import Point
from mbsim.model.names import GROUND
from mbsim.model.points import find_drawn
from mbsim.model.schema import Model

ROUNDED = 1e-3  # of the mechanism's size: a place that is nearer to a point is that point
SAME_PLACE, NAMESAKE = 0.1, 0.3  # likewise: farther away another place is meant, also where the point has the joint's name


def beside(model: Model, size: float, moved: Collection[str]) -> Iterator[str]:
    """A sentence on each. `size` of the mechanism (m), 0 where it has none; `moved` are the bodies that assembly moved."""
    if not size > 0.0:
        return
    reference = ReferenceConfiguration(model)
    blocks: dict[tuple[str, str], Any] = {("joints", name): block for name, block in model.joints.items()}
    blocks |= {("forces", name): block for name, block in model.forces.items()}
    used = {point for block in blocks.values() for point in getattr(block, "points", None) or ()}
    for path, block in blocks.items():
        places = find_drawn(block)
        for k, (body, at) in enumerate(places):
            point, apart = nearest(reference, body, at)
            if point is None or apart <= ROUNDED * size:
                continue
            namesake = point.point == path[1]
            if apart < (NAMESAKE if namesake else SAME_PLACE) * size and (namesake or (body in moved and point not in used)):
                yield _sentence(model, path, (body, at), point, apart / size, apart, body in moved) + _instead(
                    reference, path[1], places, k, size
                )


def nearest(reference: ReferenceConfiguration, body: str, at: Sequence[float]) -> tuple[Point | None, float]:
    """The named point of a body that is drawn nearest to a place (global, m), and how far that is, m; None on the ground."""
    place = np.array(reference.locate(Point(body, None), at))
    points = [Point(body, name) for name in (() if body == GROUND else reference.model.bodies[body].points)]
    found = [(float(np.linalg.norm(np.array(reference.locate(point, None)) - place)), point) for point in points]
    return min(found)[::-1] if found else (None, np.inf)


def _sentence(
    model: Model, path: tuple[str, str], drawn_at: tuple[str, list[float]], point: Point, part: float, apart: float, moved: bool
) -> str:
    (section, name), (body, at) = path, drawn_at
    line = model.document.line((*path, "at"))
    return (
        f"{section.removesuffix('s')} {name}{line} is {apart:.3g} m, {share(part)}, from the point "
        f"{point.body}.{point.point}: `at` puts it where the drawing of {body} has {_show_place(at)}"
        + f", and assembly moves {body}"
        * moved
    )


def _instead(reference: ReferenceConfiguration, name: str, places: list[tuple[str, list[float]]], k: int, size: float) -> str:
    """What puts it on the points."""
    names, ground = [], ""
    for body, at in places:
        point, apart = nearest(reference, body, at)
        names.append(point.point if point is not None and point.point is not None and apart < NAMESAKE * size else name)
        if body == GROUND:
            ground = f" with `ground: {{points: {{{name}: {_show_place(at)}}}}}`"
    pair = f"`bodies: [{', '.join(body for body, _ in places)}], points: [{', '.join(names)}]`"
    return f". If that point is meant, name it: {pair}{ground}"


def _show_place(at: Sequence[float]) -> str:
    return f"[{', '.join(f'{x:.6g}' for x in at)}]"
