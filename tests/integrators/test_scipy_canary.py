"""The canary: what `bdf`, `radau` and `lsoda` rely on in SciPy beyond its documented face, and what a run is where SciPy has changed it."""

from typing import Any

import mechanisms
import pytest
import scipy.integrate
from mechanisms import close

import mbsim
from mbsim.integrators import _scipy_canary as canary
from mbsim.integrators import bdf, lsoda, radau

TRIALS = {
    "BDF solves": (canary.solves, scipy.integrate.BDF, ()),
    "BDF moves": (canary.moves, scipy.integrate.BDF, (bdf.take_over,)),
    "Radau solves": (canary.solves, scipy.integrate.Radau, ()),
    "Radau moves": (canary.moves, scipy.integrate.Radau, (radau.take_over,)),
    "LSODA moves": (canary.moves, lsoda.bounded(scipy.integrate.LSODA), (lsoda.take_over,)),
    "BDF settles": (canary.settles, scipy.integrate.BDF, (bdf.settle,)),
    "Radau settles": (canary.settles, scipy.integrate.Radau, (radau.settle,)),
}


class KeepsItsMatrices(scipy.integrate.BDF):
    """Factors with its own function, whatever is put in its place."""

    lu = property(lambda self: self.__dict__["own"], lambda self, given: self.__dict__.setdefault("own", given))


class KeepsItsState(scipy.integrate.BDF):
    """Goes on from where it ended a step, whatever was done to it since."""

    def step(self) -> Any:
        if "own" in self.__dict__:
            self.y, self.D = self.own
        said = super().step()
        self.own = self.y.copy(), self.D.copy()
        return said


class HidesItsFactors(scipy.integrate.BDF):
    """Has factors only while it steps."""

    hidden: Any = None

    def step(self) -> Any:
        self.LU = self.hidden
        said = super().step()
        self.hidden = self.__dict__.pop("LU")
        return said


class HidesItsMemory(scipy.integrate.LSODA):
    """Has the memory of ODEPACK only while it steps and interpolates."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.hidden = self.__dict__.pop("_lsoda_solver")

    def _step_impl(self) -> Any:
        self._lsoda_solver = self.hidden
        said = super()._step_impl()
        del self._lsoda_solver
        return said

    def _dense_output_impl(self) -> Any:
        self._lsoda_solver = self.hidden
        said = super()._dense_output_impl()
        del self._lsoda_solver
        return said


CHANGED = {
    KeepsItsMatrices: ("bdf", canary.solves),
    KeepsItsState: ("bdf", canary.moves),
    HidesItsFactors: ("bdf", canary.settles),
    HidesItsMemory: ("lsoda", canary.moves),
}


@pytest.mark.parametrize("name", TRIALS)
def test_the_scipy_at_hand_does_what_mbsim_relies_on(name: str) -> None:
    trial, solver, more = TRIALS[name]
    assert trial(solver, *more), f"SciPy {scipy.__version__} has changed: see _scipy_canary.py and _pencils.py"


def test_the_scipy_at_hand_is_known() -> None:
    assert canary.is_known(), f"the trials above pass? then add the series of SciPy {scipy.__version__} to _scipy_canary.KNOWN"


@pytest.mark.parametrize("solver", [scipy.integrate.BDF, scipy.integrate.Radau, lsoda.bounded(scipy.integrate.LSODA)])
def test_an_end_that_is_not_moved_is_noticed(solver: Any) -> None:
    assert not canary.moves(solver, lambda solver, change: None)


def test_a_bound_that_is_not_heeded_is_noticed() -> None:
    assert not canary.passes(canary.moves, scipy.integrate.LSODA, lsoda.take_over), "SciPy tells ODEPACK of a moved bound: drop `bounded`"


@pytest.mark.parametrize(("solver", "settle"), [(scipy.integrate.BDF, bdf.settle), (scipy.integrate.Radau, radau.settle)])
def test_changes_that_are_not_settled_by_a_step_are_noticed(solver: Any, settle: Any) -> None:
    assert not canary.settles(solver, lambda solver, change: change)
    assert not canary.settles(solver, lambda solver, change: settle(solver, settle(solver, change)))


@pytest.mark.parametrize("changed", CHANGED)
def test_a_run_is_right_where_scipy_has_changed(changed: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """What SciPy does not heed any more is left out, and one line says so."""
    settings: dict[str, Any] = {"end": 0.3, "rtol": 1e-6, "atol": 1e-8, "output_step": 0.1}
    expected = mbsim.simulate(mechanisms.shipped("pendulum"), integrator="dop853", **settings)
    integrator, trial = CHANGED[changed]
    monkeypatch.setattr(scipy.integrate, changed.__base__.__name__, changed)
    monkeypatch.setattr(canary, "is_known", lambda: False)
    monkeypatch.setattr(lsoda, "is_known", lambda: False)
    canary.passes.cache_clear()
    result = mbsim.simulate(mechanisms.shipped("pendulum"), integrator=integrator, **settings)
    close(result["q"], expected["q"], atol=1e-4)
    (line,) = (record.message for record in caplog.records if "SciPy" in record.message)
    assert line.startswith(f"{changed.__name__} of SciPy {scipy.__version__} {canary.LOST[trial][0]}")
