"""Where the forces of a model act: the two ends of a spring, the joint of a torque, the point of a force."""

from collections.abc import Sequence
from typing import Protocol

from mbsim.model.expressions.expression import Expression, evaluate
from mbsim.model.fields import Point
from mbsim.model.file.plain import Mapped
from mbsim.model.schema import Model


class Placing(Protocol):
    """What is asked of the reference configuration."""

    ground: int

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]: ...


def forces(model: Model, reference: Placing) -> list[Mapped]:
    """Each force with its symbol and its ends on bodies, or the joint that it acts in."""
    found = []
    for name, force in model.acting().items():
        said: Mapped = {"name": name, "type": force.type, "symbol": force.SYMBOL, "loaded": force.LOADED}
        placed = [reference.place(*where) for where in force.acts_at()]
        said["ends"] = [[-1 if body == reference.ground else body, [*at]] for body, at in placed]
        values = {key: getattr(force, key) for key in type(force).model_fields}
        said["joint"] = values.get("joint") or ""
        said["direction"] = [*_direction(force.pushes_along(), model)]
        said |= {key: values[key] for key in ("stiffness", "damping", "free_length") if isinstance(values.get(key), float)}
        if len(placed) > 1 and values.get("value") is not None:
            said["law"] = True
        found.append(said)
    return found


def _direction(laws: Sequence[Expression], model: Model) -> list[float]:
    """A vector in global axes, as far as the file tells: a component that varies counts as 1, one that is zero as 0."""
    known = [evaluate(law, model.parameters) if law.names <= model.parameters.keys() else None for law in laws]
    if not known:
        return []
    if all(value is not None for value in known):
        return [*(value or 0.0 for value in known), 0.0][:3]
    return [*(1.0 if value is None else 0.0 for value in known), 0.0][:3]
