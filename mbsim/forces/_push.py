"""An effort along a joint's coordinate that a run gives: of a friction that slips, and units by which it asks what they do."""

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.expressions.expression import parse

PUSH = "push"  # the number that it is


class Push(BodyForce):
    """On the second body along the coordinate, and against it on the first: N m about the axis of an angle, N along a displacement."""

    joint: str
    coordinate: str

    def loads(self, geometry: Geometry) -> list[Load]:
        law, constants = geometry.law([parse(geometry.number(PUSH, 0.0))])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]


def push_name(name: str) -> str:
    """What laws call the effort of a Push of this name."""
    return f"{name}.{PUSH}"
