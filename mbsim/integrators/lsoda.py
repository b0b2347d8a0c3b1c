"""Adams and BDF formulas with control of the error that change over as the motion becomes stiff or ceases to be, by SciPy.

LSODA of ODEPACK (Petzold 1983): Adams of orders 1 to 12, BDF of orders 1 to 5. Its memory cannot be reached from outside, so
that it carries on from its own state between two projections: `_scipy`.
"""

from mbsim.integrators import _scipy
from mbsim.integrators._scipy import OPTIONS

__all__ = ["OPTIONS", "marcher"]

ORDER = 12
SCRATCH = 0  # rows as long as z that a march needs


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import LSODA

    return _scipy.March(LSODA)
