"""The same as a `coupling`, of what may become dependent on other rows: the length of a cable."""

from mbsim.elements.rows.coupling import phi

__all__ = ["phi"]
DIMENSIONS = (2, 3)
ON = "relative"
