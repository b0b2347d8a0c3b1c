"""Adams and BDF formulas with error control and automatic switching between nonstiff and stiff motion, by SciPy.

LSODA of ODEPACK (Petzold 1983): Adams of orders 1 to 12, BDF of orders 1 to 5. Its history is the Nordsieck array in `rwork`, from which
SciPy interpolates too: the state, and h^j / j! times its derivatives. Marching: `_scipy`.
"""

from functools import cache

from mbsim.integrators import _scipy
from mbsim.integrators._scipy import OPTIONS
from mbsim.integrators._scipy_canary import is_known, moves, passes

__all__ = ["OPTIONS", "marcher"]

STIFF = True  # implicit: it is for stiff forces
ORDER = 12
LOCATES = True  # ends steps where laws change (`_located`)
SCRATCH = 0  # rows as long as z that a march needs
HISTORY = 20  # where the Nordsieck array begins in the real work array of ODEPACK


def take_over(solver, change):
    """Move the motion that the Nordsieck array describes by `change`: its first column is the state, the others are rates of it."""
    solver.y = solver.y + change
    solver._lsoda_solver._y = solver.y.copy()
    solver._lsoda_solver._integrator.rwork[HISTORY : HISTORY + solver.n] += change


@cache
def bounded(solver):
    """A class of this solver that heeds a bound of the time that is moved after it was made."""

    class Bounded(solver):  # type: ignore[valid-type, misc]
        """The solver, which tells ODEPACK its bound before each step."""

        def _step_impl(self):
            self._lsoda_solver._integrator.rwork[0] = self.t_bound
            return super()._step_impl()

    Bounded.__name__ = solver.__name__  # messages name what the user knows
    return Bounded


def marcher():
    """A march from one state on, of the contract MARCH: by SciPy's own solver, never moved, where its memory is not what it was."""
    from scipy.integrate import LSODA

    if is_known() or passes(moves, bounded(LSODA), take_over):
        return _scipy.March(bounded(LSODA), take_over)
    return _scipy.March(LSODA)
