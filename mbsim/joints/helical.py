"""Helical joint (screw): the second body turns about `axis` and advances along it by `pitch` for each radian.

In absolute coordinates an angle is known up to full turns; so is the advance up to whole threads 2 pi pitch, which makes the row right for
any number of turns.
"""

from pydantic import Field

from mbsim.elements.primitives import HELICAL, Motion, Primitive, in_plane, perpendicular, screw, sliding, turn, turning
from mbsim.joints._table import AxisJoint, MotorJoint
from mbsim.model.fields import Number


class Helical(MotorJoint, AxisJoint):
    """A screw and its nut. Coordinate: `angle`; the `displacement` can be driven in its place."""

    pitch: Number = Field(description="advance along the axis per radian, m/rad; positive: right-handed")
    SYMBOL = "screw"
    NO_PLAY = (
        "a helical joint has one coordinate, and a screw with play has two: use a cylindrical joint and a rack_and_pinion "
        "of its angle and its displacement (joints: [screw, screw], radius: the pitch) with the backlash"
    )
    ROWS = {3: [in_plane("x"), in_plane("y"), perpendicular("x", "z"), perpendicular("y", "z"), screw(0.0)]}
    DRIVES = {"angle": {3: turn()}, "displacement": {3: in_plane("z")}}
    MOTIONS = {3: [Motion(HELICAL, name="angle")]}
    NEEDS_AXIS = (3,)

    @classmethod
    def relative_motions(cls, dimension: int) -> list[Motion]:
        """Poses tell both."""
        return [turning("angle"), sliding("displacement")] if dimension in cls.ROWS else []

    @classmethod
    def bounded(cls, dimension: int) -> list[str]:
        """Of both, the one that joint coordinates know, too."""
        return ["angle"] if dimension in cls.ROWS else []

    def rows(self, dimension: int) -> list[Primitive]:
        return [*self.ROWS[dimension][:-1], screw(self.pitch)]

    def advance(self) -> float:
        return self.pitch
