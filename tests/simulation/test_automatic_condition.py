"""`auto` looks at the condition of what a method factors."""

from pathlib import Path

import numpy as np
import pytest

import mbsim

MODEL = Path(__file__).parents[1] / "failing" / "trailer_without_inertia.yaml"


@pytest.mark.parametrize("inertia", [1e-14, 1e-11])
def test_a_mass_matrix_that_is_next_to_singular(inertia: float) -> None:
    """The constraint holds the direction without inertia, and N' M N is as good as any; `lagrange` stopped, or lost seven digits."""
    result = mbsim.simulate(MODEL, parameters={"J": inertia})
    assert result.attributes["method"] == "svd" and "next to singular" in result.attributes["choices"]["method"]
    assert np.abs(result["residual_acceleration"]).max() < 1e-12
    assert np.abs(result["energy_balance"]).max() < 1e-7


def test_elsewhere_it_stays_with_what_is_faster() -> None:
    result = mbsim.simulate(MODEL, parameters={"J": 0.1}, end=0.1)
    assert result.attributes["method"] == "lagrange"


def test_what_the_user_asks_for_is_used() -> None:
    assert mbsim.simulate(MODEL, parameters={"J": 1e-6}, end=0.1, method="lagrange").attributes["method"] == "lagrange"
