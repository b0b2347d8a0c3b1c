"""The motions that joints in joint coordinates are tables of, and constants that leaves and kernels share. Plain data: no Numba here."""

from typing import NamedTuple

FLAT = 5e-3  # sine of the angle between axis and normal below which a disk lies flat and has no one lowest point: its rows are NaN
# What a solid is that a ball touches; and directions in its axes along none of a box: its tangents are Y turned as A is onto a normal.
RIM_ON_FACES, RIM_ON_LINE, RIM_ON_DISC, RIM_ON_RIM = 0.0, 1.0, 2.0, 3.0  # what the rim of a cylinder touches
STANDS = 1e-4  # sine of the angle between an end of a cylinder and a face below which it stands on points of its rim
CORNERS = 8  # these points
SOLID_BOX, SOLID_CYLINDER, SOLID_HULL = 0.0, 1.0, 2.0
SOLID_A, SOLID_Y = (2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0), (3.0 / 7.0, -6.0 / 7.0, 2.0 / 7.0)
WELD, REVOLUTE, PRISMATIC, HELICAL, BALL, FREE = 0, 1, 2, 3, 4, 5  # motions of a tree's node against its parent: 0, 1, 1, 1, 3, 6 speeds


class Motion(NamedTuple):
    """One line of what a joint leaves free in joint coordinates; the second body moves against the first along them, in this order."""

    kind: int  # REVOLUTE, PRISMATIC, HELICAL about or along `axis`; BALL, FREE and WELD need none
    axis: str = "z"
    frame: int = 0  # whose axis: 0 the joint frame of the first body, 1 of the second
    name: str = ""  # of the coordinate


def turning(name: str, axis: str = "z", frame: int = 0) -> Motion:
    """A rotation about an axis, rad."""
    return Motion(REVOLUTE, axis, frame, name)


def sliding(name: str, axis: str = "z", frame: int = 0) -> Motion:
    """A translation along an axis, m."""
    return Motion(PRISMATIC, axis, frame, name)
