"""Fixed joint: the second body keeps the place and attitude it has on the first as the file draws them."""

from mbsim.elements.primitives import angle, perpendicular, point
from mbsim.joints._table import TableJoint


class Fixed(TableJoint):
    """A weld."""

    SYMBOL = "weld"
    MOTIONS = {2: [], 3: []}
    ROWS = {2: [point(), angle()], 3: [point(), perpendicular("x", "z"), perpendicular("y", "z"), perpendicular("x", "y")]}
