"""The implicit Runge-Kutta method Radau IIA of order 5 with error control, by SciPy (Hairer & Wanner 1996, section IV.8).

For stiff motions, and where `bdf` loses stability: weakly damped fast oscillations. L-stable; three coupled stages a step.
Marching: `_scipy`.
"""

from mbsim.integrators import _scipy
from mbsim.integrators._scipy import OPTIONS
from mbsim.integrators._scipy_canary import replaced

__all__ = ["OPTIONS", "marcher"]

STIFF = True  # implicit: it is for stiff forces
ORDER = 5
LOCATES = True  # ends steps where laws change (`_located`)
SCRATCH = 0  # rows as long as z that a march needs


def take_over(solver, change):
    """Move the end of the last step, where the next begins, by `change`."""
    solver.y = solver.y + change
    solver.f = solver.fun(solver.t, solver.y)


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import Radau

    return _scipy.March(Radau, *replaced(Radau, take_over))
