"""What a start gives by name stays, and the rest follows; of what contradicts the constraints, what is given changes least."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.assembly import assemble_system
from mbsim.assembly.models import begin
from mbsim.studies.runner.fast_start import FastStart, PlainStart

FOUR_BAR = (mechanisms.MODELS / "four_bar.yaml").read_text()
HINGED = {
    "name": "hinged", "dimension": 3, "bodies": {"a": {"mass": 2, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 1]}},
    "joints": {"j": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 3, 4]}}, "simulation": {"end": 1},
}  # fmt: skip
ROD = """
name: rod
dimension: 2
bodies: {rod: {mass: 1, inertia: 1/12, position: [0, -0.5]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
initial: {}
simulation: {end: 1}
"""
LOOP = """
name: parallelogram
coordinates: joint
dimension: 2
bodies:
  one: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  two: {mass: 1, inertia: 0.1, position: [1, 0.5]}
  bar: {mass: 9, inertia: 1, position: [0.5, 1]}
joints:
  a: {type: revolute, bodies: [ground, one], at: [0, 0]}
  b: {type: revolute, bodies: [ground, two], at: [1, 0]}
  c: {type: revolute, bodies: [one, bar], at: [0, 1]}
  d: {type: revolute, bodies: [two, bar], at: [1, 1], cut: true}
initial: {der(a.angle): 3}
simulation: {end: 1}
"""
OWN = """
name: bead on a parabola
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: 9.81*y}
constraints: {curve: {type: holonomic, equation: y - x^2}}
initial: {x: 0.5, der(x): 2}
simulation: {end: 1}
"""


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (ROD.replace("{}", "{rod.angular_velocity: 2}"), {"der(rod.angle)": 2.0, "der(rod.x)": 1.0, "der(rod.y)": 0.0}),
        (ROD.replace("{}", "{rod.velocity: [1, 0]}"), {"der(rod.angle)": 2.0, "der(rod.x)": 1.0}),
        (ROD.replace("position", "angular_velocity: 2, position"), {"der(rod.angle)": 2.0, "der(rod.x)": 1.0}),
        (FOUR_BAR.replace(", fix: [crank.angular_velocity]", ""), {"der(crank.angle)": 8.0}),
        (LOOP, {"der(a.angle)": 3.0, "der(b.angle)": 3.0, "der(c.angle)": -3.0}),
        (OWN, {"der(x)": 2.0, "der(y)": 2.0}),
        ({**HINGED, "initial": {"a.angular_velocity": [0, 1.5, 2.0]}}, {"a.omega.x": 0.0, "a.omega.y": 1.5, "a.omega.z": 2.0}),
    ],
)  # fmt: skip
def test_speeds_that_are_given_stay_and_the_rest_follows(model: Any, expected: dict[str, float]) -> None:
    made = mbsim.assemble(mechanisms.model(model))
    system = made.system
    close(system.C(0.0, made.q) @ made.v + system.xi(0.0, made.q), 0.0, atol=1e-12)
    for name, speed in expected.items():
        assert made.v[system.speeds.index(name)] == pytest.approx(speed, abs=1e-12), name
    assert not any("forbid speeds" in note for note in made.notes)


def test_of_speeds_that_contradict_the_constraints_those_given_change_least() -> None:
    """The spin [0, 0, 5] of a round body on a tilted axis loses what is across the axis; its centre of mass follows."""
    made = mbsim.assemble(mechanisms.model({**HINGED, "initial": {"a.angular_velocity": [0, 0, 5]}}))
    omega = 4.0 * np.array([0.0, 0.6, 0.8])
    close(made.v, np.concatenate([np.cross(omega, [0, 0, 1]), omega]), atol=1e-12)
    assert any("forbid speeds that were given; assembly changed a.omega.z 5 -> 3.2" in note for note in made.notes), made.notes


def test_where_all_speeds_are_given_all_change() -> None:
    given = {"a.velocity": [0.3, 0, 0], "a.angular_velocity": [0, 0, 5]}
    made = mbsim.assemble(mechanisms.model({**HINGED, "initial": given}))
    close(made.v, assemble_system(made.system, 0.0, made.q, [0.3, 0, 0, 0, 0, 5]).v, atol=1e-12)
    assert abs(made.v[0] - 0.3) > 0.2


def test_a_driver_wins_over_a_speed_that_is_given() -> None:
    text = ROD.replace("{}", "{rod.angular_velocity: 2}").replace("simulation", "drivers: {motor: {joint: pin, angle: 3*t}}\nsimulation")
    made = mbsim.assemble(mechanisms.model(text))
    close(made.v, [1.5, 0.0, 3.0], atol=1e-12)


@pytest.mark.parametrize("key", ["rod.angle: 0.5", "rod.position: [0.3, -0.4]", "rod.x: 0.3"])
def test_positions_that_are_given_stay_and_the_rest_follows(key: str) -> None:
    made = mbsim.assemble(mechanisms.model(ROD.replace("{}", f"{{{key}}}")))
    angle = 0.5 if "angle" in key else np.arcsin(0.6)
    close(made.q, [0.5 * np.sin(angle), -0.5 * np.cos(angle), angle], atol=1e-11)


def test_a_crank_that_is_turned_takes_the_mechanism_along() -> None:
    held = FOUR_BAR.replace("initial: {", "initial: {crank.angle: 1.3, ").replace("fix: [", "fix: [crank.angle, ")
    named = FOUR_BAR.replace("initial: {", "initial: {crank.angle: 1.3, ").replace(", fix: [crank.angular_velocity]", "")
    one, other = (mbsim.assemble(mechanisms.model(text)) for text in (held, named))
    assert one.q.tolist() == other.q.tolist() and one.v.tolist() == other.v.tolist()


def test_positions_that_contradict_each_other_all_change() -> None:
    text = FOUR_BAR.replace("initial: {", "initial: {crank.angle: 1.5, rocker.angle: 1.2, ")
    made = mbsim.assemble(mechanisms.model(text))
    given = mbsim.assemble(mechanisms.model(FOUR_BAR)).q
    for name, value in {"crank.angle": 1.5, "rocker.angle": 1.2}.items():
        given[made.system.coordinates.index(name)] = value
    close(made.q, assemble_system(made.system, 0.0, given, np.zeros(made.system.n_v)).q, atol=1e-9)


def test_a_study_starts_as_a_run_does() -> None:
    """Also where what is given cannot stay: by the quick start, the plain one, and a run by itself."""
    two = FOUR_BAR.replace("initial: {", "initial: {rocker.angular_velocity: 1, ").replace(", fix: [crank.angular_velocity]", "")
    for text in (FOUR_BAR.replace(", fix: [crank.angular_velocity]", ""), two, ROD.replace("{}", "{rod.angle: 0.5, rod.velocity: [1, 1]}")):
        model = mechanisms.model(text)
        made = mbsim.assemble(model)
        given = begin(model)[0].given(made.system)
        for way in (FastStart, PlainStart):
            q, v = way(made.system, 0.0)(given)
            close(q, made.q, atol=1e-14)
            close(v, made.v, atol=1e-13)
