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
    "LSODA moves": (canary.moves, scipy.integrate.LSODA, (lsoda.take_over,)),
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


CHANGED = {KeepsItsMatrices: canary.solves, KeepsItsState: canary.moves}


@pytest.mark.parametrize("name", TRIALS)
def test_the_scipy_at_hand_does_what_mbsim_relies_on(name: str) -> None:
    trial, solver, more = TRIALS[name]
    assert trial(solver, *more), f"SciPy {scipy.__version__} has changed: see _scipy_canary.py and _pencils.py"


def test_the_scipy_at_hand_is_known() -> None:
    assert canary.is_known(), f"the trials above pass? then add the series of SciPy {scipy.__version__} to _scipy_canary.KNOWN"


@pytest.mark.parametrize("solver", [scipy.integrate.BDF, scipy.integrate.Radau, scipy.integrate.LSODA])
def test_an_end_that_is_not_moved_is_noticed(solver: Any) -> None:
    assert not canary.moves(solver, lambda solver, change: None)


@pytest.mark.parametrize("changed", CHANGED)
def test_a_run_is_right_where_scipy_has_changed(changed: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """What SciPy does not heed any more is left out, and one line says so."""
    settings: dict[str, Any] = {"end": 0.3, "rtol": 1e-6, "atol": 1e-8, "output_step": 0.1}
    expected = mbsim.simulate(mechanisms.shipped("pendulum"), integrator="dop853", **settings)
    monkeypatch.setattr(scipy.integrate, "BDF", changed)
    monkeypatch.setattr(canary, "is_known", lambda: False)
    canary.passes.cache_clear()
    (lost,) = (part is None for part in canary.try_replacing(changed, bdf.take_over) if part is None)
    result = mbsim.simulate(mechanisms.shipped("pendulum"), integrator="bdf", **settings)
    close(result["q"], expected["q"], atol=1e-4)
    (line,) = (record.message for record in caplog.records if "SciPy" in record.message)
    assert lost and line.startswith(f"{changed.__name__} of SciPy {scipy.__version__} {canary.LOST[CHANGED[changed]][0]}")
