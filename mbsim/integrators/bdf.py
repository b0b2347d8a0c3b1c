"""Backward differentiation formulas of orders 1 to 5 with error control, by SciPy (quasi-constant steps; Shampine & Reichelt 1997).

For stiff motions: the requested accuracy bounds the step, not the stiffest spring. Marching: `_scipy`.
"""

from mbsim.integrators import _scipy
from mbsim.integrators._scipy import OPTIONS
from mbsim.integrators._scipy_canary import try_replacing

__all__ = ["OPTIONS", "marcher"]

STIFF = True  # implicit: it is for stiff forces
ORDER = 5
LOCATES = True  # ends steps where laws change (`_located`)
OF_STEPS = True  # rows have the accelerations of their steps, not those of their state
SCRATCH = 0  # rows as long as z that a march needs


def take_over(solver, change):
    """Move the motion that the backward differences D describe by `change`: D[0] = y_n changes, the others are differences of it.

    Moving y_n alone, by `change` in all D[j], would put a kink into the history. If corrections are rare the kink is as large as the
    tolerance, and the solver fails at tolerances below `drift_tolerance`.
    """
    solver.y = solver.y + change
    solver.D[0] += change


def settle(solver, change):
    """What is left of `change` after a step of the solver's size: (I - c J)^-1 change, with the factors that the next step takes."""
    if solver.LU is None:
        solver.LU = solver.lu(solver.I - solver.h_abs / solver.alpha[solver.order] * solver.J)
    return solver.solve_lu(solver.LU, change.copy())  # SciPy writes over what it is given


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import BDF

    return _scipy.March(BDF, *try_replacing(BDF, take_over, settle), mean=True)
