"""The same as a `coupling`, of a free body that an elastic part carries along: an interface, or what carries modal coordinates.

Its rows are as many as they leave free speeds of the second body of their first relative coordinate, and in these they are regular: they
are independent of all rows that close no loop.
"""

from mbsim.elements.rows.coupling import phi

__all__ = ["phi"]
DIMENSIONS = (2, 3)
ON = "relative"
