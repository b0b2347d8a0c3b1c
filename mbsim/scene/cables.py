"""The cables of a model: the points and circles that each runs along."""

from collections.abc import Sequence
from typing import Protocol

from mbsim.model.fields import Point
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Constraint, Force
from mbsim.model.schema import Model


class Placing(Protocol):
    """What is asked of the reference configuration."""

    ground: int

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]: ...

    def direction(self, body: int, vector: Sequence[float]) -> list[float]: ...


def cables(model: Model, reference: Placing) -> list[Mapped]:
    """Each cable with its stations: body, point, axis and radius of a circle, below zero where the cable runs about it clockwise."""
    found: list[Mapped] = []
    blocks: list[tuple[str, Constraint | Force]] = [*model.constraints.items(), *model.forces.items()]
    for name, block in blocks:
        stations: list[Plain] = []
        for bend in block.runs():
            body, point = reference.place(*bend.at)
            axis = reference.direction(body, bend.axis or [0.0, 0.0, 1.0])
            place: list[Plain] = [-1 if body == reference.ground else body, [*point]]
            stations.append({"at": place, "axis": [*axis], "radius": bend.radius, "lifts": bend.lifts, "turns": bend.turns})
        if stations:
            found.append({"name": name, "stations": stations})
    return found
