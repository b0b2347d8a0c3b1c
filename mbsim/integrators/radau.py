"""The implicit Runge-Kutta method Radau IIA of order 5 with error control, by SciPy (Hairer & Wanner 1996, section IV.8).

For stiff motions, and where `bdf` loses stability: weakly damped fast oscillations. L-stable; three coupled stages a step.
Marching: `_scipy`.
"""

from mbsim.integrators import _scipy
from mbsim.integrators._scipy import OPTIONS
from mbsim.integrators._scipy_canary import try_replacing

__all__ = ["OPTIONS", "marcher"]

STIFF = True  # implicit: it is for stiff forces
ORDER = 5
LOCATES = True  # ends steps where laws change (`_located`)
SCRATCH = 0  # rows as long as z that a march needs
REAL_POLE = 3.0 + 3.0 ** (2.0 / 3.0) - 3.0 ** (1.0 / 3.0)  # the real eigenvalue of the inverse of the table of the formula


def take_over(solver, change):
    """Move the end of the last step, where the next begins, by `change`."""
    solver.y = solver.y + change
    solver.f = solver.fun(solver.t, solver.y)


def settle(solver, change):
    """What is left of `change` after a step of the solver's size: (x I - J)^-1 x change, with the real factors of a step."""
    x = REAL_POLE / solver.h_abs
    if solver.LU_real is None:  # the next step makes both factors where one of them is not there
        solver.LU_real, solver.LU_complex = solver.lu(x * solver.I - solver.J), None
    return solver.solve_lu(solver.LU_real, x * change)


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import Radau

    return _scipy.March(Radau, *try_replacing(Radau, take_over), settle=settle)
