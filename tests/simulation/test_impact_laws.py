"""The settings `impact_law` and `simultaneous`, against published and closed values."""

import re
from math import cos, radians, sin

import numpy as np
import pytest

import mbsim

CRADLE = """
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [-0.3, 0], velocity: [1, 0]}
  b: {mass: 1, inertia: 1, position: [0, 0]}
  c: {mass: 1, inertia: 1, position: [0.2, 0]}
  d: {mass: 1, inertia: 1, position: [0.4, 0]}
  f: {mass: 1, inertia: 1, position: [0.6, 0]}
contacts:
  ab: {between: [a, b], radius: 0.1, restitution: E}
  bc: {between: [b, c], radius: 0.1, restitution: E}
  cd: {between: [c, d], radius: 0.1, restitution: E}
  df: {between: [d, f], radius: 0.1, restitution: E}
simulation: {end: 0.15, simultaneous: S}
"""


@pytest.mark.parametrize(
    ("e", "simultaneous", "speeds"),
    [
        ("1", "true", [-0.6, 0.4, 0.4, 0.4, 0.4]),  # rigid bodies all at once: energy and momentum are kept
        ("1", "false", [0.0, 0.0, 0.0, 0.0, 1.0]),  # what one sees of a cradle
        ("0.9", "false", [0.0435, 0.0454, 0.0473, 0.0493, 0.8145]),  # docs/contact_laws.md
    ],
)
def test_balls_in_a_row(e, simultaneous, speeds):
    result = mbsim.simulate(CRADLE.replace("E}", f"{e}}}").replace("S}", f"{simultaneous}}}"))
    assert np.asarray(result["v"])[-1].reshape(5, 3)[:, 0] == pytest.approx(speeds, abs=1e-9 if e == "1" else 6e-5)


KANE = f"""
dimension: 2
parameters: {{mu: 0.5}}
bodies:
  upper: {{mass: 1, inertia: 1/12, position: [{0.5 * sin(radians(20))!r}, {-0.5 * cos(radians(20))!r}], angle: {radians(20)!r},
    velocity: [{-0.05 * cos(radians(20))!r}, {-0.05 * sin(radians(20))!r}], angular_velocity: -0.1}}
  lower: {{mass: 1, inertia: 1/12, angle: {radians(30)!r},
    position: [{sin(radians(20)) + 0.5 * sin(radians(30))!r}, {-cos(radians(20)) - 0.5 * cos(radians(30))!r}],
    velocity: [{-0.1 * cos(radians(20)) - 0.1 * cos(radians(30))!r}, {-0.1 * sin(radians(20)) - 0.1 * sin(radians(30))!r}],
    angular_velocity: -0.2, points: {{tip: [0, -0.5]}}}}
joints:
  hip: {{type: revolute, bodies: [ground, upper], at: [0, 0]}}
  knee: {{type: revolute, bodies: [upper, lower], at: [{sin(radians(20))!r}, {-cos(radians(20))!r}]}}
contacts:
  floor: {{bodies: [lower, ground], points: [tip], friction: mu, restitution: 0.5,
    plane: {{normal: [0, 1], through: [0, {-cos(radians(20)) - cos(radians(30))!r}]}}}}
simulation: {{end: 1e-6}}
"""


@pytest.mark.parametrize(
    ("mu", "law", "energy", "gains"),
    [(0.0, "newton", -6.6899, None), (0.0, "poisson", -6.6899, None), (0.5, "newton", 13.6190, True), (0.5, "poisson", -10.5506, None)],
)
def test_kanes_double_pendulum(mu, law, energy, gains):
    """Kane and Levinson, Dynamics, 1985, section 3.2: by Newton's law with friction the impact gains energy (mJ: docs/contact_laws.md)."""
    result = mbsim.simulate(KANE.replace("friction: mu", f"friction: {mu}"), impact_law=law)
    hit = next(line for line in result.events if line["do"] == "impact")
    assert 1e3 * hit["energy"] == pytest.approx(energy, abs=1e-4)
    assert hit.get("gains") == gains
    said = r"an impact gains energy \(0\.0136 J in all\), at t = 0 s of 'floor': Newton's law .*; `impact_law: poisson` gains none"
    told = [warning for warning in result.attributes["warnings"] if "gain" in warning]
    assert [bool(re.fullmatch(said, warning)) for warning in told] == [True] * bool(gains)


@pytest.mark.parametrize(("mu", "gains"), [(0.0, []), (0.5, [0.0136190])])
def test_kanes_double_pendulum_by_steps(mu, gains):
    result = mbsim.simulate(KANE.replace("friction: mu", f"friction: {mu}"), impacts="steps", step=1e-6)
    assert [line["energy"] for line in result.events if line.get("gains")] == pytest.approx(gains, abs=1e-6)
    assert sum("gains energy" in warning for warning in result.attributes["warnings"]) == len(gains)


@pytest.mark.parametrize(("mu", "lost"), [(0.0, 6.6899), (0.3, 9.6058), (0.5, 10.5506)])
def test_kanes_double_pendulum_by_steps_of_poissons_law(mu, lost):
    """The numbers of docs/contact_laws.md, in mJ, and the speeds behind the impact that is located."""
    source = KANE.replace("friction: mu", f"friction: {mu}")
    located, result = (mbsim.simulate(source, impact_law="poisson", **given) for given in ({}, {"impacts": "steps", "step": 1e-6}))
    assert np.ptp(np.asarray(result["energy_work"])) == pytest.approx(1e-3 * lost, abs=1e-7)
    assert np.asarray(result["v"])[-1] == pytest.approx(np.asarray(located["v"])[-1], abs=1e-6)
    assert not [warning for warning in result.attributes["warnings"] if "gain" in warning]


def test_steps_by_poissons_law_let_rest_what_rests():
    """A box bounces beside another one, which stays where it is although its contact has a restitution; all energy lost is in the work."""
    result = mbsim.simulate("""
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.01, position: [0, 1], velocity: [0.3, 0], angular_velocity: 1, shape: {type: box, size: [0.2, 0.1, 0.1]}}
  b: {mass: 1, inertia: 0.01, position: [3, 0.05], shape: {type: box, size: [0.2, 0.1, 0.1]}}
contacts:
  floor: {bodies: [a, b, ground], plane: {normal: [0, 1]}, friction: 0.3, restitution: 0.6, closing_speed: 1e-2}
simulation: {end: 1.5, impacts: steps, impact_law: poisson, step: 1e-3}
""")
    assert np.abs(np.asarray(result["v"])[:, 3:]).max() < 1e-12
    assert sum(line["do"] == "impact" for line in result.events) > 5
    assert np.ptp(np.asarray(result["energy_balance"])) < 1e-11 and np.diff(np.asarray(result["energy_work"])).max() < 1e-12


BOX = """
dimension: 2
gravity: [0, -9.81]
bodies: {box: {mass: 2, inertia: 0.05, position: [0, 0.6], points: {left: [-0.2, -0.1], right: [0.2, -0.1]}}}
contacts: {floor: {bodies: [box, ground], points: [left, right], plane: {normal: [0, 1]}, restitution: 0.5}}
simulation: {end: 0.4}
"""


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_box_that_falls_flat_rebounds_flat(law):
    result = mbsim.simulate(BOX, impact_law=law)
    hit = [line for line in result.events if line["do"] == "impact"][:2]
    fast = (2.0 * 9.81 * 0.5) ** 0.5
    assert [line["gap_speed"] for line in hit] == [pytest.approx([-fast, 0.5 * fast], abs=1e-9)] * 2
    assert [sum(line["impulses"].values()) for line in hit] == pytest.approx([1.5 * fast] * 2, abs=1e-9)  # half of 2 kg each
    assert abs(np.asarray(result["q"])[-1, 2]) < 1e-12


def test_a_word_that_is_no_law_is_refused():
    with pytest.raises(ValueError, match="unknown impact_law 'hertz'; allowed: newton, poisson"):
        mbsim.simulate(BOX, impact_law="hertz")
    with pytest.raises(ValueError, match="simultaneous must be true or false"):
        mbsim.simulate(BOX, simultaneous=2)


WEDGED = f"""
gravity: [0, 0, -9.81]
bodies:
  rod: {{mass: 1, inertia: [0.08, 0.08, 0.001], position: [{0.5 * sin(0.5)!r}, 0, {-0.5 * cos(0.5)!r}],
    orientation: {{axis: [0, 1, 0], angle: -0.5}}, points: {{tip: [0, 0, -0.5]}}}}
joints: {{pin: {{type: spherical, bodies: [ground, rod], at: [0, 0, 0]}}}}
contacts:
  floor: {{bodies: [rod, ground], points: [tip], restitution: 0.7, friction: MU,
    plane: {{normal: [0, 0, 1], through: [0, 0, {-cos(0.4)!r}]}}}}
simulation: {{end: 0.3}}
"""


def test_a_rod_in_space_that_wedges_does_not_rebound_by_newton_s_law():
    """Its tip goes down and inwards. Friction of more than tan(0.4) does not let it back: only Poisson's law has a speed, which is 0."""
    with pytest.raises(mbsim.SimulationError, match=r"no solution by Newton's law .* at 'floor': .* wedges, .*`impact_law: poisson`"):
        mbsim.simulate(WEDGED.replace("MU", "0.6"))
    result = mbsim.simulate(WEDGED.replace("MU", "0.6").replace("end: 0.3", "end: 0.3, impact_law: poisson"))
    assert result.events
    assert np.abs(np.asarray(result["v"])[-1]).max() < 1e-9
    free = mbsim.simulate(WEDGED.replace("MU", "0.3"))
    hit = next(line for line in free.events if line["do"] == "impact")
    assert hit["gap_speed"][1] == pytest.approx(-0.7 * hit["gap_speed"][0], rel=1e-9)


def test_an_impact_at_the_start_leaves_the_balance_of_energy_at_zero() -> None:
    """1 kg at 2 m/s that rebounds with half of it has lost 1.5 J before the first row."""
    found = mbsim.simulate("""
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {mass: 1, inertia: 0.01, position: [0, 0.1], velocity: [0, -2], shape: {type: cylinder, radius: 0.1, length: 0.1}}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, restitution: 0.5}}
simulation: {end: 0.01}
""")
    assert found["energy_work"][0] == pytest.approx(-1.5, rel=1e-12)
    assert np.abs(found["energy_balance"]).max() < 1e-12
    assert not found.attributes["warnings"]
