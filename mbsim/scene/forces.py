"""Where the forces of a model act: the two ends of a spring, the joint of a torque, the point of a force."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from mbsim.model.expressions import Expression, evaluate
from mbsim.model.fields import Point
from mbsim.model.names import GROUND
from mbsim.model.points import drawn, ends
from mbsim.model.schema import Model

if TYPE_CHECKING:
    from mbsim.forces.point_gravity import PointGravity


class Placing(Protocol):
    """What is asked of the reference configuration."""

    ground: int

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]: ...


End = tuple[int, list[float]]  # body index, -1 for the ground, and a point (3,) in its axes
Ends = Callable[[Any, Placing], list[End]]


def forces(model: Model, reference: Placing) -> list[dict[str, Any]]:
    """Each force with its kind and its ends on bodies, or the joint that it acts in."""
    found = []
    for name, force in model.acting().items():
        said: dict[str, Any] = {"name": name, "type": force.type, "ends": [], "joint": ""}
        said["ends"] = [[-1 if body == reference.ground else body, at] for body, at in ENDS.get(force.type, _none)(force, reference)]
        values = {key: getattr(force, key) for key in type(force).model_fields}
        said["joint"] = values.get("joint") or ""
        said["direction"] = _direction(values, model) if force.type == "force" else []
        said |= {key: values[key] for key in ("stiffness", "damping", "free_length") if isinstance(values.get(key), float)}
        found.append(said)
    return found


def _direction(values: dict[str, Any], model: Model) -> list[float]:
    """The direction of a force in global axes, as far as the file tells: a component that varies counts as 1, one that is zero as 0."""
    laws: list[Expression] = values["value"]
    known = [evaluate(law, model.parameters) if law.names <= model.parameters.keys() else None for law in laws]
    if values["axes"] != "global":
        return []
    if all(value is not None for value in known):
        return [*(value or 0.0 for value in known), 0.0][:3]
    return [*(1.0 if value is None else 0.0 for value in known), 0.0][:3]


def _none(force: Any, reference: Placing) -> list[End]:
    return []


def _between(force: Any, reference: Placing) -> list[End]:
    placed = drawn(force)
    return [reference.place(Point(body, None), at) for body, at in placed] or [reference.place(point, None) for point in ends(force)]


def _at_point(force: Any, reference: Placing) -> list[End]:
    return [reference.place(force.body, force.at)]


def _on_body(force: Any, reference: Placing) -> list[End]:
    return [reference.place(Point(force.body, None), None)]


def _attraction(force: "PointGravity", reference: Placing) -> list[End]:
    centre = reference.place(force.centre or Point(GROUND, None), force.at)
    return [reference.place(Point(force.body, None), None), centre]


ENDS: dict[str, Ends] = {
    "spring_damper": _between,
    "bushing": _between,
    "force": _at_point,
    "drag": _at_point,
    "torque": _on_body,
    "point_gravity": _attraction,
}
