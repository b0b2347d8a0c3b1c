"""How often a step is looked at for events, where efforts jump."""

import pytest

import mbsim
from mbsim.integrators import _pace, _seek

BALL = {
    "name": "a ball that a pulse lifts off a floor", "dimension": 2, "gravity": [0, -9.81],
    "bodies": {"ball": {"mass": 1, "inertia": 0.004, "position": [0, 0.1], "points": {"foot": [0, -0.1]}}},
    "contacts": {"floor": {"bodies": ["ball", "ground"], "points": ["foot"], "plane": {"normal": [0, 1]}}},
    "forces": {"lift": {"type": "force", "body": "ball", "value": [0, "30*pulse(t - 0.2, 1)"]}},
    "simulation": {"end": 0.3, "step": 0.05, "impacts": "events"},
}  # fmt: skip


def test_a_load_that_jumps_at_the_end_of_a_step_is_looked_at_so_often_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """The floor's load changes as much in any part that ends at the jump, so that parts were cut anew without an end."""
    looks: list[float] = []

    def next_look(low: float, after: float, parts: int, so_far: int) -> float:
        looks.append(low)
        assert len(looks) < 20 * _seek.MOST_PARTS
        return float(_pace.next_look(low, after, parts, so_far))

    monkeypatch.setattr(_seek, "next_look", next_look)
    result = mbsim.simulate(BALL)
    opened = [event["time"] for event in result.events if event["do"] == "open"]
    assert opened == [pytest.approx(0.2, abs=1e-12)] and looks
    assert result["ball.y"][-1] == pytest.approx(0.1 + 20.19 / 2 * 0.1**2, rel=1e-9)
