"""Rows of C that may touch more than two bodies, for the elimination of implicit steps: those of couplings and of equations of the user's.

Such a row is a group of its own. It is eliminated after all bodies on the ways from its ends to the body that the ends have in common:
while that body rests the bodies after it can still follow the row. A coupling ends at the bodies of its two relative coordinates. An
equation is about coordinates of bodies, so that it also ends at the ground.
"""

from typing import NamedTuple

from mbsim.elements.kinds import acts_on
from mbsim.system.law_reads import Curvature, curvatures, equation_columns
from mbsim.system.system import System


class WideRows(NamedTuple):
    """Which these are, and what a step takes of their tangents."""

    ends: dict[int, list[int]]  # row -> bodies; n_b: the ground
    ties: list[tuple[int, int, int]]  # of couplings: relative coordinate, index in Arrays.primitives, whether it is their second one
    curvatures: list[Curvature]  # of equations


def wide_rows(system: System) -> WideRows | None:
    """Those of a system of bodies in absolute coordinates; None where a row is neither."""
    arrays, n_b, b = system.arrays, len(system.bodies), 3 if system.dimension == 2 else 6
    ends: dict[int, list[int]] = {}
    ties = []
    for e, (kind, row, *_) in enumerate(arrays.primitives):
        if acts_on("rows", kind) != "bodies":
            tied = [int(k) for k in arrays.geometry[e, :2]]
            ends[int(row)] = sorted({int(body) for k in tied for body in arrays.relative[k, 1:3]})
            ties += [(k, e, side) for side, k in enumerate(tied)]
    curved = curvatures(system)
    for row, columns in equation_columns(system).items():
        moved = [along for r, speed, along in curved if r == row and speed < 0]
        ends[row] = sorted({j // b for j in [*columns, *moved]} | {n_b})
    unknown = {row for row in range(system.n_rows) if arrays.row_bodies[row, 0] < 0} ^ ends.keys()
    return None if unknown else WideRows(dict(sorted(ends.items())), sorted(ties), curved)
