"""The forms of the equations that ida solves, and what is said where it cannot."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim


@pytest.mark.parametrize("form", ["auto", "index2", "index1", "ode"])
@pytest.mark.parametrize(("name", "end"), [("pendulum", 0.3), ("rolling_disk", 0.3), ("spatial_slider_crank", 0.1)])
def test_forms(name: str, end: float, form: str) -> None:
    """Planar, nonholonomic with a rheonomic row, spatial: the motion, the work and the reactions."""
    pytest.importorskip("sksundae")
    made = mbsim.assemble(mechanisms.shipped(name))
    settings: dict[str, Any] = {"method": "lagrange", "end": end, "output_step": 0.02}
    found = mbsim.simulate(made, integrator="ida", form=form, rtol=1e-8, atol=1e-8, **settings)
    truth = mbsim.simulate(made, integrator="dop853", rtol=1e-12, atol=1e-12, **settings)
    for variable in ("q", "v", "multiplier", "energy_work"):
        close(found[variable], truth[variable], atol=1e-4 * max(1.0, np.abs(truth[variable]).max()))
    assert found["residual_position"].max() <= 1e-8


def test_redundant_rows_are_left_out() -> None:
    pytest.importorskip("sksundae")
    settings: dict[str, Any] = {"method": "lagrange", "integrator": "ida", "end": 0.5, "output_step": 0.1}
    one, three = (mbsim.simulate(mechanisms.model(mechanisms.parallel_pendulum(3, copies)), **settings) for copies in (1, 3))
    close(three["q"], one["q"], atol=1e-4)


@pytest.mark.parametrize("span", [5e-14, 2e-14, 5e-16, 1e-17, 4e-18])
def test_a_span_that_is_hardly_longer_than_the_spacing_of_numbers_takes_one_step(span: float) -> None:
    """As where an event is located next to a sample: a thousandth of it, with which IDA begins, does not change the time."""
    ida = pytest.importorskip("mbsim.integrators.ida")
    settings = np.zeros(ida.FORM + 1)
    march = SimpleNamespace(held=(SimpleNamespace(rhs=len), None, None, SimpleNamespace(settings=settings, lam=np.zeros(0))))
    begin, start = 0.03, np.array([1.0])
    solver = ida.Solver(march, lambda t, z: -3e3 * z, begin, start, begin + span, None, 1e-8, 1e-9, np.inf)
    solver.step()
    assert (solver.t, solver.status) == (begin + span, "finished")
    close(solver.y, start * (1.0 - 3e3 * (solver.t - begin)), atol=1e-12)
    close(solver.dense_output()(begin), start, atol=1e-12)


@pytest.mark.parametrize("form", ["index1", "index2"])
def test_forms_of_another_method_are_refused(form: str) -> None:
    pytest.importorskip("sksundae")
    with pytest.raises(ValueError, match=f"the form '{form}' of ida is that of the method lagrange"):
        mbsim.simulate(mechanisms.shipped("pendulum"), method="svd", integrator="ida", form=form)


def test_missing_package_is_named() -> None:
    """As a ValueError in Python and with exit code 2 on the command line."""
    code = "import sys; sys.modules['sksundae'] = sys.modules['sksundae.ida'] = None; from mbsim.cli import main; main()"
    model = str(mechanisms.MODELS / "pendulum.yaml")
    done = subprocess.run(
        [sys.executable, "-c", code, "run", model, "--integrator", "ida", "-o", "x.h5"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "pip install 'mbsim[ida]'" in done.stderr, done.stderr
