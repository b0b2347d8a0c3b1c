"""What a model may be given as in Python, and errors that are sentences."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim

DATA: dict[str, Any] = {
    "name": "swing", "dimension": 2, "gravity": (0, np.float64(-9.81)),
    "bodies": {"rod": {"mass": np.float64(1.5), "inertia": 0.1, "position": np.array([0.5, 0.0])}},
    "joints": {"pin": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
    "simulation": {"end": 1},
}  # fmt: skip


def test_paths_names_texts_and_data(tmp_path: Path) -> None:
    of_data = mbsim.load_model(DATA)
    assert of_data.bodies["rod"].mass == 1.5 and of_data.gravity == [0.0, -9.81]
    (tmp_path / "swing.yaml").write_text(of_data.text)
    assert mbsim.load_model(of_data.text).bodies == of_data.bodies
    assert mbsim.load_model(tmp_path / "swing.yaml").bodies == mbsim.load_model(str(tmp_path / "swing.yaml")).bodies == of_data.bodies
    assert mbsim.load_model("pendulum").text == (mechanisms.MODELS / "pendulum.yaml").read_text()
    assert mbsim.load_model(DATA, simulation={"end": 2}).simulation.end == 2.0


def ring() -> dict[str, Any]:
    """A model with a body that contains the model."""
    made: dict[str, Any] = {"bodies": {"a": {"mass": 1}}}
    made["bodies"]["a"]["points"] = made
    return made


def nest(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(depth):
        made = {"bodies": made}
    return made


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (3, "a dictionary (got int)"),
        (ring(), "bodies.a.points: a dict that contains itself"),
        (nest(5000), "...: blocks are nested more than 100 deep"),
        (
            {"bodies": {"a": {"points": [1, {2}]}}},
            "bodies.a.points[1]: a model consists of numbers, texts, lists",
        ),
        ("pendulm", "did you mean 'pendulum'?"),
        ({"simulation": {"end": 1}, "bodies": 3, "dimension": 2}, "bodies: expected a mapping"),
    ],
)
def test_wrong_sources(source: Any, said: str) -> None:
    with pytest.raises((TypeError, FileNotFoundError, mbsim.ModelError)) as error:
        mbsim.load_model(source)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"step": "fast"}, "step must be a number (got 'fast')"),
        ({"end": True}, "end must be a number (got True)"),
        ({"integrator": len}, "integrator must be a name, as `mbsim run --help` lists them (got <built-in function len>)"),
        ({"method": 3, "integrator": None}, "method must be a name"),
    ],
)
def test_wrong_settings_are_sentences(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        mbsim.simulate("pendulum", **settings)
    assert said in str(error.value)
