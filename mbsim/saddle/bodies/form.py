"""The linear system of bodies in absolute coordinates: [M, -C'; C, 0] over the speeds of the bodies, with a row and column for each law."""

from mbsim.jit import helper
from mbsim.kernels.linalg import clear
from mbsim.saddle.bodies.factor import add_masses, add_reactions, place_rows, subtract_inertia
from mbsim.saddle.bodies.wide_rows import place_wide, rate_wide, react_wide
from mbsim.saddle.form import Equations
from mbsim.saddle.lines import speeds_of_body


@helper
def react(arrays, table, C, v, a, lam, x, force, out):
    """force (n,) += C' lam - M a; out (m,) = C x."""
    add_reactions(arrays, table, lam, x, force, out)
    react_wide(table, C, lam, force)
    rate_wide(table, C, x, out)
    subtract_inertia(arrays, arrays.jacobian.shape[1] == 6, a, force)


@helper
def begin(arrays, table, S):
    clear(S)
    add_masses(arrays, table, 1.0, S)


@helper
def place(arrays, table, C, dropped, S):
    """C and -C', and ones on the diagonal of states and laws."""
    place_rows(arrays, table, dropped, S)
    place_wide(table, C, speeds_of_body(table), dropped, S)


@helper
def pose(arrays, table, q, v):
    """Nothing: they are those of the state."""


BODIES = Equations(react, begin, place, pose)
