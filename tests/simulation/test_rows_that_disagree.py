"""Rows that depend on each other disagree by what they were met to before a lock. At tight tolerances no constraint is lost by that."""

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import contracts
from mbsim.march.formulation import formulate
from mbsim.march.precision import DISAGREE, Precision
from mbsim.march.settings import resolve

ATOL = 1e-12


def failed(of_asked: float, dependent: bool) -> tuple[Precision, np.ndarray]:
    """A run whose constraints could not be met, with residuals that are so many times what was asked; and its state."""
    made = mbsim.assemble(mechanisms.shipped("bricard"))
    settings = resolve(made.simulation, made.system, {"method": "svd", "integrator": "dop853", "atol": ATOL, "rtol": 1e-11})
    formulation = formulate(made.system, settings)
    precision, work, z = Precision(formulation, settings, made.q), formulation.work, np.zeros(formulation.size)
    formulation.configuration(z)[:] = made.q
    work.status[contracts.STATUS_CODE] = contracts.DRIFT_REMAINS
    work.status[contracts.STATUS_RANK] = made.system.n_rows - dependent
    work.phi[:] = of_asked * ATOL * work.row_scales[: len(work.phi)]
    return precision, z


def test_rows_that_depend_on_others_may_be_off_a_little_more() -> None:
    precision, z = failed(1.5, dependent=True)
    assert precision.loosens(0.0, z)
    assert precision._work.settings[contracts.SETTING_TOLERANCE] == pytest.approx(3.0 * ATOL)


@pytest.mark.parametrize(("of_asked", "dependent"), [(1.5, False), (1.5 * DISAGREE, True)])
def test_independent_rows_and_large_residuals_stop_the_run(of_asked: float, dependent: bool) -> None:
    precision, z = failed(of_asked, dependent)
    asked = precision._work.settings[contracts.SETTING_TOLERANCE]
    assert not precision.loosens(0.0, z)
    assert precision._work.settings[contracts.SETTING_TOLERANCE] == asked
