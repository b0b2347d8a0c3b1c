"""What measures read of a model, as plain data: so a model that an earlier run kept has it without its blocks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from mbsim.kernels.primitives import Motion
from mbsim.kernels.rotations import matrices
from mbsim.model.names import GROUND
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model

T = TypeVar("T")


class BodyFacts(NamedTuple):
    """Of a body, or of the ground, as the file draws it."""

    mass: float  # kg
    inertia: Floats  # (3, 3) kg m^2 about the centre of mass, body axes
    position: Floats  # (3,) m, of the centre of mass, global
    rotation: Floats  # (3, 3) body to global
    angle: float  # rad, of a planar body
    points: dict[str, Floats]  # (3,) m, body axes, from the centre of mass
    carries_modes: bool = False  # whether it stands for modal coordinates of an elastic part, and is nowhere


class Side(NamedTuple):
    """A joint on one of its bodies."""

    body: str
    point: Floats  # (3,) body axes
    frame: Floats  # (3, 3) columns: the joint's x, y, z axes in body axes


class Relative(NamedTuple):
    """A turn or a slide that a joint leaves free: of the second side against the first."""

    motion: Motion
    first: Side
    second: Side


@dataclass(frozen=True)
class Facts:
    """Of a model. A body and a joint of a model are described when they are asked for, and all of them by `plain`."""

    dimension: int
    gravity: Floats  # (3,) m/s^2
    parameters: Mapping[str, float]
    leads_rate: Mapping[str, bool]  # of each controller
    bodies: Mapping[str, BodyFacts]  # the ground among them
    joints: Mapping[str, Mapping[str, Relative]]  # by the name of the coordinate: angle, displacement ...

    @classmethod
    def of(cls, model: "Model") -> "Facts":
        """Those of a checked model."""
        dimension = model.dimension or 3
        bodies = _Asked([GROUND, *model.bodies], lambda name: _body(model, name))
        joints = _Asked(model.joints, lambda name: _relative(model.joints[name], dimension, bodies))
        rates = {name: block.leads_rate for name, block in model.controllers.items()}
        return cls(dimension, _three(model.gravity), model.parameters, rates, bodies, joints)

    def plain(self) -> "Facts":
        """With dictionaries."""
        return replace(self, parameters=dict(self.parameters), bodies=dict(self.bodies), joints=dict(self.joints))


class _Asked(Mapping[str, T]):
    """Values that are made when they are asked for, once."""

    def __init__(self, names: Iterable[str], make: Callable[[str], T]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _three(values: Iterable[float]) -> Floats:
    return np.array([*values, 0.0, 0.0, 0.0][:3], float)


def _body(model: "Model", name: str) -> BodyFacts:
    if name == GROUND:
        points = {point: _three(place) for point, place in model.ground.points.items()}
        return BodyFacts(0.0, np.zeros((3, 3)), np.zeros(3), np.eye(3), 0.0, points)
    block, carries = model.bodies[name], False
    if model.elastic:
        from mbsim.model.elastic_block import carriers

        carries = name in carriers(model.elastic)
    return BodyFacts(
        block.mass, np.array(block.inertia_matrix, float), _three(block.position), matrices(np.array(block.quaternion)), block.angle or 0.0,
        {point: _three(place) for point, place in block.points.items()}, carries,
    )  # fmt: skip


def _relative(joint: Any, dimension: int, bodies: Mapping[str, BodyFacts]) -> dict[str, Relative]:
    """What poses tell of a joint. An angle that is not measured in this dimension is not there."""
    if not joint.measured(dimension):
        return {}
    return {m.name: Relative(m, *_sides(joint, m.name, dimension, bodies)) for m in joint.relative_motions(dimension)}


def _sides(joint: Any, motion: str, dimension: int, bodies: Mapping[str, BodyFacts]) -> list[Side]:
    """The joint on its two bodies, from the drawing: first where the motion is measured from."""
    frames, back = joint.seat(motion, dimension)
    sides = []
    for k, axes in zip((1, 0) if back else (0, 1), frames, strict=True):
        name = (joint.first, joint.second)[k]
        body = bodies[name]
        if joint.points is None:
            s = body.rotation.T @ (_three(joint.at) - body.position)
        else:  # without a name it is the centre of mass, of the ground the origin
            s = body.points.get(joint.points[k].point, np.zeros(3))
        sides.append(Side(name, s, body.rotation.T @ np.array(axes).T))
    return sides
