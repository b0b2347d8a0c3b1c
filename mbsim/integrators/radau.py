"""The implicit Runge-Kutta methods Radau IIA of orders 5 and 9 with error control (Hairer & Wanner 1996, section IV.8).

For stiff motions, and where `bdf` loses stability: weakly damped fast oscillations. L-stable; three or five coupled stages a step, whose
order is 3 or 5 in what is stiff. Compiled: stages `_stages`, marching `_implicit`. `solver: scipy` is the method of order 5 of SciPy
(`_scipy`), which also takes the steps where its Jacobian is chosen.
"""

from functools import partial

from mbsim.integrators import _scipy
from mbsim.integrators._scipy_canary import try_replacing

__all__ = ["OPTIONS", "marcher"]

OPTIONS = {  # the first ones as those of `_scipy`
    "rtol": {"help": "relative tolerance of the error of a step", "default": 1e-6, "above": 3e-14},
    "atol": {
        "help": "absolute tolerance of the error of a step: rad, links of the mechanism, and these per s",
        "default": 1e-8,
        "above": 0.0,
    },
    "max_step": {"help": "longest step in s; no limit when not given", "default": None, "above": 0.0},
    "first_step": {"help": "first step in s; chosen from the tolerance when not given", "default": None, "above": 0.0},
    "jacobian": {
        "help": "how SciPy's solver finds its Jacobian: by differences, exactly by the tangents of the equations, or, with auto, by blocks "
        "of bodies where there are many, else by differences",
        "default": "auto",
        "choices": ("differences", "tangents", "auto"),
    },
    "order": {
        "help": "order of the formula: 5 with three stages, 9 with five, or, with auto, 9 where rtol is 1e-5 or less",
        "default": "auto",
        "choices": ("5", "9", "auto"),
    },
    "solver": {"help": "whose steps: compiled ones, or those of SciPy", "default": "compiled", "choices": ("compiled", "scipy")},
}
HIGH_FROM = 1e-5  # rtol from which order 9 is the faster one: docs/benchmarks-stages.md
STIFF = True  # implicit: it is for stiff forces
ORDER = 5
LOCATES = True  # ends steps where laws change
OF_STEPS = True  # rows have the accelerations of their steps, not those of their state
SCRATCH = 6  # rows as long as z that a march needs
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
    """A march from one state on by SciPy, of the contract MARCH."""
    from scipy.integrate import Radau

    return _scipy.March(Radau, *try_replacing(Radau, take_over, settle))


def staged(system, options, independent=False, blocks=None):
    """A march from one state on by compiled steps with these options.

    `independent`: the method has speeds of its own; `blocks` (modes) -> pencil, kernels, unknowns; dense matrices without.
    """
    from mbsim.integrators import _dense, _implicit
    from mbsim.integrators._staged import dense_pencil, stages_of

    order = ("9" if options["rtol"] <= HIGH_FROM else "5") if options["order"] == "auto" else options["order"]
    s = (int(order) + 1) // 2
    modes, states = (s + 1) // 2, system.n_q if independent else system.n_x
    if blocks is None:
        pencil, kernels, unknowns = dense_pencil(system, modes, independent), _dense, system.n_v + states
    else:
        pencil, kernels, unknowns = blocks(modes)
    return partial(_implicit.march, stages_of(system, s, pencil, kernels, unknowns, states))
