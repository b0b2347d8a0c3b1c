"""What touches planes: rolling disks and balls, blades, spheres in contact, each with the plane; where bodies meet by rigid contacts."""

from collections.abc import Sequence
from typing import Protocol

from mbsim.constraints._table import Meeting, RowConstraint
from mbsim.model.expressions.expression import Expression, evaluate
from mbsim.model.fields import Point
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Constraint, Force, Surface
from mbsim.model.names import GROUND
from mbsim.model.schema import Model
from mbsim.scene import heights


class Placing(Protocol):
    """What is asked of the reference configuration."""

    dimension: int
    ground: int

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]: ...

    def direction(self, body: int, vector: Sequence[float]) -> list[float]: ...


def contacts(model: Model, reference: Placing) -> list[Mapped]:
    """The contacts: the symbol of each, the body with the point (a disk's centre, a blade's touch), its axis and radius, and the plane."""
    found: list[Mapped] = []
    blocks: list[tuple[str, Constraint | Force]] = [*model.constraints.items(), *model.forces.items()]
    for name, block in blocks:
        touch = block.touches(reference.dimension)
        if touch is None:
            continue
        body, point = reference.place(*touch.at)
        found.append(
            {
                "name": name,
                "type": block.type,
                "symbol": block.SYMBOL,
                "body": -1 if body == reference.ground else body,
                "point": [*point],
                "axis": [*reference.direction(body, touch.axis)] if touch.axis else [],
                "radius": touch.radius,
                "plane": _plane(touch.plane, model, reference) if touch.plane is not None else {},
            }
        )
    return found


def _plane(plane: Surface, model: Model, reference: Placing) -> Mapped:
    """Where a plane is at the start; `moves`: by functions of time."""
    laws = [x for x in plane.through or () if isinstance(x, Expression)]
    values = {**model.parameters, "t": model.simulation.start}
    at = [evaluate(x, values) if isinstance(x, Expression) else x for x in plane.through] if plane.through is not None else None
    body, point = reference.place(Point(plane.body, None), at)
    index = -1 if body == reference.ground else body
    moves = plane.body == GROUND and any("t" in law.names for law in laws)
    found: Mapped = {"body": index, "point": [*point], "normal": [*reference.direction(body, plane.normal)], "moves": moves}
    if plane.height is not None:
        found["height"] = heights.describe(plane.height, model, reference.dimension == 2)
    return found


def meetings(model: Model, reference: Placing) -> list[Mapped]:
    """The rigid contacts of a model (`mbsim.scene.meetings`)."""
    found: list[Mapped] = []
    for name, block in model.constraints.items():
        if not isinstance(block, RowConstraint) or (made := block.meets(reference)) is None:
            continue
        places = made.first, made.second
        axes: list[Plain] = [[[*reference.direction(b, x)] for x in frame] for (b, _), frame in zip(places, made.frames, strict=True)]
        found.append(_plain(name, made, [-1 if b == reference.ground else b for b, _ in places], axes))
    return found


def _plain(name: str, made: Meeting, bodies: list[Plain], axes: list[Plain]) -> Mapped:
    return {
        "name": name,
        "kind": made.kind,
        "bodies": bodies,
        "points": [[*made.first[1]], [*made.second[1]]],
        "axes": axes,
        "radii": [*made.radii],
        "rows": [*made.rows],
        "numbers": {word: [*values] for word, values in made.numbers.items()},
    }
