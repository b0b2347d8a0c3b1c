"""The implicit Runge-Kutta method Radau IIA of order 5 with error control, by SciPy (Hairer & Wanner 1996, section IV.8).

For stiff motions, and where `bdf` loses stability: weakly damped fast oscillations. L-stable; three coupled stages a step.
Marching: `_scipy`.
"""

from mbsim.integrators import _scipy

ORDER = 5
SCRATCH = 0  # rows as long as z that a march needs
OPTIONS = {
    "rtol": {"help": "relative tolerance of the error of a step", "default": 1e-6, "above": 3e-14},
    "atol": {"help": "absolute tolerance of the error of a step, in the units of each state", "default": 1e-8, "above": 0.0},
    "max_step": {"help": "longest step in s; no limit when not given", "default": None, "above": 0.0},
    "first_step": {"help": "first step in s; chosen from the tolerance when not given", "default": None, "above": 0.0},
}


def take_over(solver, change):
    """Move the end of the last step, where the next begins, by `change`."""
    solver.y = solver.y + change
    solver.f = solver.fun(solver.t, solver.y)


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import Radau

    return _scipy.March(Radau, take_over)
