"""A bushing that is turned beyond its range: whatever the method and the integrator, the run ends with its name."""

from pathlib import Path

import pytest

import mbsim

MODEL = Path(__file__).parents[1] / "failing" / "bushing_beyond_its_range.yaml"


@pytest.mark.parametrize("method", ["nullspace", "svd", "lagrange", "baumgarte"])
@pytest.mark.parametrize("settings", [{"integrator": "dop853"}, {"integrator": "rk4", "step": 1e-3}], ids=["dop853", "rk4"])
def test_the_force_is_named(method: str, settings: dict[str, object]) -> None:
    """They blamed the mass matrix or a row: under error control the last step ends a hair's breadth before the range does."""
    with pytest.raises(mbsim.SimulationError, match=r"the bushing f2 is turned by more than 0\.95 pi") as error:
        mbsim.simulate(MODEL, method=method, rtol=1e-9 if settings["integrator"] == "dop853" else None, **settings)
    assert error.value.time == pytest.approx(0.09728, abs=1e-3)
