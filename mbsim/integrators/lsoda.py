"""Adams and BDF formulas with error control and automatic switching between nonstiff and stiff motion, by SciPy.

LSODA of ODEPACK (Petzold 1983): Adams of orders 1 to 12, BDF of orders 1 to 5. Its memory cannot be reached from outside,
so it continues from its own state between two projections: `_scipy`.
"""

from mbsim.integrators import _scipy
from mbsim.integrators._scipy import OPTIONS

__all__ = ["OPTIONS", "marcher"]

STIFF = True  # implicit: it is for stiff forces
ORDER = 12
LOCATES = True  # ends steps where laws change (`_located`)
SCRATCH = 0  # rows as long as z that a march needs


def marcher():
    """A march from one state on, of the contract MARCH."""
    from scipy.integrate import LSODA

    return _scipy.March(LSODA)
