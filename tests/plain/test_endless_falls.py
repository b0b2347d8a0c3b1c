"""What falls or is turned for ever has no equilibrium, and what falls far may have one."""

from typing import Any

import mechanisms
import pytest

import mbsim
from mbsim.analyses.static import balance, facts
from mbsim.diagnosis.equilibrium import NoEquilibriumError
from mbsim.diagnosis.unbalanced import Problem

G = 9.81


def found(source: Any) -> dict[str, Any]:
    return facts(balance(mbsim.assemble(mechanisms.model(source))))


def test_a_body_that_falls_has_no_equilibrium() -> None:
    source = {"name": "falls", "dimension": 2, "gravity": [0, -G], "bodies": {"b": {"mass": 2, "inertia": 1}}, "simulation": {"end": 1}}
    with pytest.raises(
        NoEquilibriumError, match=r"^no equilibrium found from here: nothing stops the motion of der\(b\.y\), in which 19\.6 stays unb"
    ):
        found(source)


def test_what_falls_far_comes_to_rest_on_what_is_there() -> None:
    """Steps of a fall get longer; a spring that begins 40 m below is met all the same."""
    source = {
        "name": "falls far", "dimension": 2, "gravity": [0, -G], "bodies": {"b": {"mass": 2, "inertia": 1}},
        "forces": {"net": {"type": "force", "body": "b", "value": [0, "max(0, -3*(b.y + 40))"]}}, "simulation": {"end": 1},
    }  # fmt: skip
    assert found(source)["q"]["b.y"] == pytest.approx(-40.0 - 2.0 * G / 3.0)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_rotor_that_is_driven_has_no_equilibrium(coordinates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once around it is where it was. It took 500 steps downhill, and as many of a damped run."""
    steps: list[int] = []
    monkeypatch.setattr(Problem, "downhill", lambda self, at, of=Problem.downhill: steps.append(1) or of(self, at))
    source = {
        "name": "rotor", "dimension": 2, "coordinates": coordinates, "bodies": {"b": {"mass": 2, "inertia": 1, "position": [1, 0]}},
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}},
        "forces": {"motor": {"type": "torque", "body": "b", "value": 3}}, "simulation": {"end": 1},
    }  # fmt: skip
    with pytest.raises(NoEquilibriumError, match="nothing stops the motion of"):
        found(source)
    assert 30 < len(steps) < 300


def test_a_step_that_the_constraints_undo_is_none() -> None:
    """A table on a column, with a wheel: round-off of forces without stiffness led nowhere, a thousand times."""
    source = {
        "name": "lift", "dimension": 2, "gravity": [0, -G],
        "bodies": {"table": {"mass": 50, "inertia": 4, "position": [0, 1]}, "wheel": {"mass": 2, "inertia": 0.05, "position": [0.5, 1]}},
        "joints": {
            "column": {"type": "prismatic", "bodies": ["ground", "table"], "at": [0, 1], "axis": [0, 1]},
            "axle": {"type": "revolute", "bodies": ["table", "wheel"], "at": [0.5, 1]},
        },
        "simulation": {"end": 1},
    }  # fmt: skip
    with pytest.raises(NoEquilibriumError, match=r"nothing stops the motion of der\(table\.y\), in which 490 "):
        found(source)
