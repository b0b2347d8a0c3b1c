"""What a form of the equations brings to the step of `generalized_alpha` (`implicit/step.py`), and the work arrays of this."""

from typing import NamedTuple

from mbsim.jit import Compiled, indices, matrix, vector
from mbsim.jit.workspaces import Shape
from mbsim.methods._states import ARRAYS as STATE_ARRAYS


class Form(NamedTuple):
    """What a form of the equations brings to the step: helpers, and what is known of its matrix CONSTANT."""

    begin: Compiled  # (arrays, work, own): what is known once a start is
    choose_rows: Compiled  # (work, own): own.dropped, 1 where a row is left out as it depends on others
    place_states: Compiled  # (system, arrays, work, own, t, q, v, to_v): own.states into q, own.x_dot; whether they were found
    evaluate: Compiled  # (system, arrays, work, own, t, q, v, to_v): own.sides[:n], own.rates, phi; the relative miss of the states
    factor: Compiled  # (system, arrays, work, own, t, out, to_v, to_q): CONSTANT; OK, NO_CONVERGENCE where it is singular, or why not
    solve: Compiled  # (arrays, work, own): own.change = CONSTANT^-1 own.sides
    solve_rates: Compiled  # (arrays, work, own, to_v, v): own.change = what [M, -C'; C, 0] makes of [0; -(C v + xi) / to_v]; a code
    weigh: Compiled  # (arrays, work, own, v, e): own.sides[:n] = M e
    find_tangent: Compiled  # (form, own, system, arrays, work, t, dt, z, to_v, to_q, out): TANGENT; False where it is singular
    is_near: bool  # whether CONSTANT is near the tangent, so that all parts of a change shrink alike
    adds_up: bool  # whether displacements of bodies are sums of those of the coordinates
    has_tangent: bool  # whether there is the matrix TANGENT, too
    renewals: int  # times that CONSTANT is formed anew in a step before TANGENT is taken


CONSTANT, TANGENT = 0.0, 1.0
# at the last state; the step that `a` belongs to; how many states before the last are known; how far the last is from the one before, and
# this from the one before it; where displacements were the nearer prediction of the last step, what v_dot missed as one, else 0
POWER, LAST_STEP, HISTORY, SPACING, BEFORE_SPACING, MISSED = 0, 1, 2, 3, 4, 5
# CONSTANT or TANGENT; the step and the rank that TANGENT belongs to; the largest ratio of two changes since it was looked at
MATRIX, TANGENT_STEP, TANGENT_RANK, WORST = 6, 7, 8, 9
# the time at which the last step began, NaN where the state that it led to is kept; power and MISSED at its end
BEGUN, NEXT_POWER, NEXT_MISSED = 10, 11, 12
SOFTLY = 13  # 1 where the last step was one of the implicit Euler method
SAME_STEP = 1e-6  # relative difference of two steps up to which they count as equal


def step_arrays(extras: str, tangent: str = "n + m") -> dict[str, Shape]:
    """The work arrays of the step. `extras`: unknowns of the form beside v_dot and lam, states first; `tangent`: the size of TANGENT."""
    return STATE_ARRAYS | {
        "v_dot": vector("n"),  # at the last state
        "a": vector("n"),  # the method's own, there
        "memory": vector("14"),  # see POWER, MATRIX, BEGUN and SOFTLY
        "before_v_dot": vector("n"),  # at the state before the last
        "before_lam": vector("m"),
        "first_lam": vector("m"),  # at the last state
        "next_v_dot": vector("n"),  # that is looked for
        "next_lam": vector("m"),
        "states": vector("n_x"),
        "last_x_dot": vector("n_x"),  # at the last state
        "a_x": vector("n_x"),  # the method's own of the states, as `a` of the speeds
        "before_x_dot": vector("n_x"),
        "moved": vector("n"),  # displacement of the step
        "pace": vector("n"),  # displacement of the last step a second
        "before_pace": vector("n"),  # and of the one before
        "ahead": vector("n"),  # displacement and
        "ahead_v": vector("n"),  # speeds at the end of the step with v_dot = 0 there
        "sides": vector(f"n + m + {extras}"),  # right sides: h + C' lam - M v_dot, of the rows, of the extras
        "change": vector(f"n + m + {extras}"),  # solution: of v_dot, lam and the extras
        "rates": vector("m"),  # C v + xi
        "other": vector("n"),  # scratch
        "tangent": matrix(tangent, tangent),  # its factors
        "tangent_order": indices(tangent),
        "tangent_dropped": indices("m"),  # the rows that it was formed without
        "e_q": vector("n"),  # estimated errors: of q as a displacement
        "e_v": vector("n"),
        "e_x": vector("n_x"),
        "spare_x": vector("n_x"),
    }
