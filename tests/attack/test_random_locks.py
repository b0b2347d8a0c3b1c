"""scripts/attack/random_locks.py: a few mechanisms here, 200 as `slow`; and its oracle against a closed form."""

import numpy as np
import pytest
import random_locks as attack

TIGHT = {"rtol": 1e-10, "atol": 1e-11}


@pytest.mark.parametrize("seed", [10, 13, 27, 183, 2103, 2398])
def test_random_mechanisms_lock_as_the_oracle_does(seed: int) -> None:
    """Among them events that change nothing or follow an impact at once, rows that say the same, an event behind a step that is refused."""
    assert attack.judge(seed, dict(TIGHT), attack.AGREES) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3000, 3200))
def test_two_hundred_random_mechanisms(seed: int) -> None:
    verdict = attack.judge(seed, dict(TIGHT), attack.AGREES)
    assert verdict in ("right", "unsure")


def test_the_oracle_catches_a_rod() -> None:
    """A free body that is pinned keeps its angular momentum about the pin."""
    m = attack.drawn(0) | {
        "n": 1,
        "joints": [{"name": "j0", "kind": "revolute", "bodies": (-1, 0), "at": np.array([0.3, 0.0]), "closed": False}],
        "events": [{"name": "e0", "joint": "j0", "act": "lock", "watched": "time", "of": 0, "value": 0.2, "direction": "any"}],
        "q": np.zeros((1, 3)), "v": np.array([[1.0, 3.0, 2.0]]), "mass": np.array([2.0]), "inertia": np.array([0.5]), "spring": np.zeros(1),
    }  # fmt: skip
    ((name, t, gained),), _ = attack.own_motion(m)
    x, v = np.array([0.2, 0.6 - 0.5 * 9.81 * 0.04]), np.array([1.0, 3.0 - 9.81 * 0.2])
    s = x - np.array([0.3, 0.0])
    J = 0.5 + 2.0 * s @ s
    w = (0.5 * 2.0 + 2.0 * (s[0] * v[1] - s[1] * v[0])) / J
    assert name == "e0" and t == pytest.approx(0.2, abs=1e-10)
    assert gained == pytest.approx(0.5 * J * w * w - 0.5 * 0.5 * 4.0 - 0.5 * 2.0 * v @ v, abs=1e-8)
