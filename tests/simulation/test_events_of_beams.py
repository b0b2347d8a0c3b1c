"""Events that watch what the elements of beams carry."""

from typing import Any

import numpy as np
import pytest

import mbsim

AT = {"root": "beam_moment.boom[0].z", "across": "beam_force.boom[2].y", "along": "beam_force.boom[1].x"}


def falling(dimension: int, **more: Any) -> dict[str, Any]:
    rest = [0] * (dimension - 2)
    boom = {"from": [0, 0, *rest], "to": [1, 0, *rest], "elements": 4, "clamped": ["start"], "damping": {"stiffness": 1e-3}}
    boom |= {"section": {"rectangle": [0.02, 0.03]}, "material": {"E": 7e8, "nu": 0.33, "density": 2700}}
    block = {"dimension": dimension, "gravity": [0, -9.81, *rest], "beams": {"boom": boom}, "measures": dict(AT)}
    return block | {"simulation": {"end": 0.2, "output_step": 0.001}} | more


@pytest.mark.parametrize("dimension", [2, 3])
def test_an_event_watches_what_an_element_carries(dimension: int) -> None:
    """With the share of damping, as it is recorded; all in one run, which compiles once."""
    recorded = mbsim.simulate(falling(dimension))
    levels = {}
    for name in AT:
        values = np.asarray(recorded[name])
        levels[name] = 0.5 * float(values[np.abs(values).argmax()])
    events = {f"at_{name}": {"when": f"{AT[name]} - ({level!r})", "do": "record"} for name, level in levels.items()}
    result = mbsim.simulate(falling(dimension, events=events))
    times = {str(event["event"]): float(event["time"]) for event in reversed(result.events)}
    assert times.keys() == events.keys()
    for name, level in levels.items():
        values, t = np.asarray(recorded[name]), times[f"at_{name}"]
        k = int(np.searchsorted(recorded.time, t))
        near = np.polyfit(recorded.time[k - 3 : k + 3] - t, values[k - 3 : k + 3], 5)
        assert near[-1] == pytest.approx(level, abs=2e-5 * abs(level))


def test_a_run_ends_there_at_once() -> None:
    stop = {"snap": {"when": f"{AT['root']} + 4", "do": "stop"}}
    result = mbsim.simulate(falling(2, events=stop))
    assert result["root"][-1] == pytest.approx(-4.0, abs=1e-9) and result.time[-1] < 0.2


def test_a_rope_breaks_under_its_tension() -> None:
    """A weight that hangs on it is let go, and pulled more and more."""
    rope = {"from": [0, 0], "to": [0, -1], "elements": 1, "stiffness": {"EA": 1e5, "GA": 1e5, "EI": 1}, "cable": True}
    block: dict[str, Any] = {"dimension": 2, "gravity": [0, -9.81]}
    block["beams"] = {"rope": rope | {"mass": {"line": 1e-3, "inertia": 1e-6}, "damping": {"stiffness": 1e-3}}}
    block["bodies"] = {"bob": {"mass": 1, "inertia": 1, "position": [0, -1]}}
    block["joints"] = {
        "top": {"type": "revolute", "bodies": ["ground", "rope.start"], "at": [0, 0]},
        "hook": {"type": "revolute", "bodies": ["rope.end", "bob"], "at": [0, -1]},
    }
    block["forces"] = {"pull": {"type": "force", "body": "bob", "value": [0, "-10*t"]}}
    block["events"] = {"snap": {"when": "beam_force.rope[0].x - 1.5*9.81", "once": True, "do": {"unlock": "top"}}}
    block["measures"] = {"tension": "beam_force.rope[0].x"}
    result = mbsim.simulate(block | {"simulation": {"end": 0.6, "output_step": 0.01, "integrator": "radau"}})
    assert [event["do"] for event in result.events] == ["unlock"]
    breaks = float(result.events[0]["time"])
    assert 0.0 < breaks < 0.5
    assert np.asarray(result["tension"])[result.time < breaks].max(initial=0.0) < 1.5 * 9.81
    assert result["bob.y"][-1] < -1.0 - 0.25 * 9.81 * (result.time[-1] - breaks) ** 2  # it falls


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("beam_moment.boom[4].z - 1", r"events.snap.when: the beam boom has the elements 0 to 3 \(got 4\)"),
        ("beam_moment.boom.e4.z - 1", r"'beam_moment.boom\[4\].z' cannot be watched: boom has the elements 0 to 3"),
        ("beam_moment.mast.e0.z - 1", "there is no beam 'mast'"),
        ("beam_strain.boom[0].x - 1", "measures read it"),
    ],
)
def test_what_cannot_be_watched_is_refused_at_its_place(when: str, said: str) -> None:
    with pytest.raises(mbsim.ModelError, match=said):
        mbsim.simulate(falling(2, events={"snap": {"when": when, "do": "record"}}))
