"""What a form of the linear system brings: the equations M a = h + C' lam and C a + eta = 0 of bodies, or of trees in joint coordinates."""

from typing import NamedTuple

from mbsim.jit import Compiled


class Equations(NamedTuple):
    """The helpers of a form that need no work arrays of a method."""

    react: Compiled  # (arrays, table, C, v, a, lam, x, force, out): force (n,) += C' lam - M a and what the speeds add; out (m,) = C x
    begin: Compiled  # (arrays, table, S): the blocks S hold M, and zeros
    place: Compiled  # (arrays, table, C, dropped, S): C, -C' and joints beside what stands there; a row with dropped[r] = 1 is left out
    pose: Compiled  # (arrays, table, q, v): the coordinates and speeds by which the tangent goes, at the last evaluation
