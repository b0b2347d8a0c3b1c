"""Adams and BDF formulas with error control and automatic switching between nonstiff and stiff motion, by SciPy.

LSODA of ODEPACK (Petzold 1983): Adams of orders 1 to 12, BDF of orders 1 to 5. Its memory cannot be reached from outside,
so it continues from its own state between two projections: `_scipy`.
"""

from mbsim.integrators import _scipy

ORDER = 12
SCRATCH = 0  # rows as long as z that a march needs
OPTIONS = {
    "rtol": {"help": "relative tolerance of the error of a step", "default": 1e-6, "above": 3e-14},
    "atol": {"help": "absolute tolerance of the error of a step, in the units of each state", "default": 1e-8, "above": 0.0},
    "max_step": {"help": "longest step in s; no limit when not given", "default": None, "above": 0.0},
    "first_step": {"help": "first step in s; chosen from the tolerance when not given", "default": None, "above": 0.0},
}


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import LSODA

    return _scipy.March(LSODA)
