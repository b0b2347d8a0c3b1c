"""scripts/attack/random_events.py: a few models here, 200 as `slow`; and its oracle against a closed form."""

from typing import Any

import numpy as np
import pytest
import random_events as attack

SETTINGS: dict[str, Any] = {"method": "auto", "integrator": "auto"}


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_random_events_happen_when_scipy_has_them(seed: int) -> None:
    assert attack.verdict(seed, SETTINGS) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_many_do(seed: int) -> None:
    found = attack.verdict(seed, SETTINGS)
    assert found == "right" or found.startswith("left out"), found


def test_the_oracle_turns_an_oscillator_back_where_it_should() -> None:
    """x = cos(2 t) is thrown back with half of its speed at 0.5, first at pi / 6."""
    event = {"a": np.ones(1), "b": np.zeros(1), "c": 0.0, "d": -0.5, "kind": "back", "at": 0, "direction": "down", "by": 0.5}
    model = {
        "n": 1, "K": np.full((1, 1), 4.0), "damping": np.zeros(1), "drive": 0.0, "rate": 1.0, "q": np.ones(1), "v": np.zeros(1),
        "events": [event],
    }  # fmt: skip
    found, _, left_out = attack.oracle(model)
    assert left_out in ("", "too many")
    assert found[0][0] == pytest.approx(np.pi / 6.0, abs=1e-10)
    # it flies on the ellipse of 1/2 and sin(pi/3)/2, until it is at 0.5 again
    assert found[1][0] - found[0][0] == pytest.approx(np.arctan2(np.sin(np.pi / 3.0) / 2.0, 0.5), abs=1e-9)
