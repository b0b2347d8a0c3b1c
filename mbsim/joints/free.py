"""Free joint: no rows. In joint coordinates the body's own pose and velocity are the coordinates and speeds, as in absolute ones."""

from mbsim.joints._table import TableJoint


class Free(TableJoint):
    """No joint at all, but a name for the coordinates of a floating base. Place: none is needed, `bodies` is enough."""

    SYMBOL = ""
    NEEDS_PLACE = False
    ROWS = {2: [], 3: []}
    MOTIONS = {2: [], 3: []}
    FLOATING = True
