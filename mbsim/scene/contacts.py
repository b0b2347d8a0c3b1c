"""What touches planes: rolling disks and balls, blades, spheres in contact, each with the plane."""

from collections.abc import Sequence
from typing import Any, Protocol

from mbsim.constraints._table import Plane
from mbsim.model.expressions import Expression, evaluate
from mbsim.model.fields import Point
from mbsim.model.leaves import Constraint, Force
from mbsim.model.names import GROUND
from mbsim.model.schema import Model


class Placing(Protocol):
    """What is asked of the reference configuration."""

    dimension: int
    ground: int

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]: ...

    def direction(self, body: int, vector: Sequence[float]) -> list[float]: ...


def contacts(model: Model, reference: Placing) -> list[dict[str, Any]]:
    """Of each contact its kind, the body with the point (a disk's centre, a blade's touch), its axis and radius, and the plane."""
    found = []
    blocks: dict[str, Constraint | Force] = {**model.constraints, **model.forces}
    for name, block in blocks.items():
        if block.type not in POINTS:
            continue
        values: dict[str, Any] = {key: getattr(block, key) for key in type(block).model_fields}
        body, point = reference.place(values[POINTS[block.type]], values.get("at"))
        direction = values.get("axis") or values.get("along") or ([0.0, 0.0, 1.0] if block.type == "rolling_disk" else None)
        found.append(
            {
                "name": name,
                "type": block.type,
                "body": -1 if body == reference.ground else body,
                "point": point,
                "axis": reference.direction(body, direction) if direction else [],
                "radius": values.get("radius", 0.0),
                "plane": _surface(values, model, reference) if block.type == "contact" else _plane(values.get("plane"), model, reference),
            }
        )
    return found


POINTS = {"rolling_disk": "center", "rolling_ball": "center", "knife_edge": "point", "contact": "body"}  # the key of the point


def _surface(values: dict[str, Any], model: Model, reference: Placing) -> dict[str, Any]:
    """The plane of a contact force."""
    body, point = reference.place(Point(values["plane"], None), values["through"])
    return _placed(reference, body, point, values["normal"], False)


def _plane(plane: Plane | None, model: Model, reference: Placing) -> dict[str, Any]:
    """The plane of a rolling constraint; `moves`: by functions of time."""
    if plane is None and reference.dimension == 2:  # a blade on the plane of drawing
        return {}
    plane = plane or Plane()
    laws: list[Expression] = plane.point or []
    at = [evaluate(law, {**model.parameters, "t": model.simulation.start}) for law in laws] or [0.0] * reference.dimension
    body, point = reference.place(Point(plane.body, None), at)
    moves = plane.body == GROUND and any("t" in law.names for law in laws)
    return _placed(reference, body, point, plane.axes(reference.dimension)[2], moves)


def _placed(reference: Placing, body: int, point: list[float], normal: Sequence[float], moves: bool) -> dict[str, Any]:
    index = -1 if body == reference.ground else body
    return {"body": index, "point": point, "normal": reference.direction(body, normal), "moves": moves}
