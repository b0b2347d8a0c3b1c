"""Point on a plane: a point of the second body stays in a plane of the first; the body turns freely. Three dimensions only."""

from mbsim.elements.primitives import in_plane
from mbsim.joints._table import AxisJoint


class PointOnPlane(AxisJoint):
    """The foot of a body on a smooth table that holds it from both sides; `axis` is the normal, `x` and `y` are measured in the plane."""

    SUGGESTED = "rare"
    INSTEAD = {2: "point_on_line"}
    ROWS = {3: [in_plane("z")]}
    DRIVES = {"x": {3: in_plane("x")}, "y": {3: in_plane("y")}}
    NEEDS_AXIS = (3,)
