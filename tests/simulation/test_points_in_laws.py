"""Names of points in laws of forces, controllers, events and equations: their places and velocities, in both coordinates."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.model.file.errors import ModelError

LAWS = """
name: laws at points
dimension: 2
gravity: [0, -9.81]
parameters: {k: 300, c: 4, out: 0.5}
bodies:
  rod: {mass: 2, inertia: 0.17, position: [0.5, 0], points: {tip: [out, 0], mid: [0.1, 0.05]}}
  bob: {mass: 1, inertia: 0.02, position: [1.2, 0.1], points: {P: [0.1, 0.02]}}
joints:
  hinge: {type: revolute, bodies: [ground, rod], at: [0, 0]}
  link: {type: revolute, bodies: [rod, bob], at: [1, 0]}
forces:
  up: {type: force, body: rod, at: [1, 0], value: [0, "-k*(rod.tip.y + 0.3) - c*der(rod.tip.y)"]}
  side: {type: joint_torque, joint: link, value: -20*(bob.P.x - 1)*rod.mid.y}
events:
  low: {when: rod.tip.y + 0.35, direction: down}
  far: {when: der(bob.P.x) - 0.5, direction: up}
measures: {height: rod.tip.y}
simulation: {end: 1, rtol: 1e-10, atol: 1e-11}
"""
BY_HAND = {
    "der(rod.tip.y)": "(der(rod.y) + out*cos(rod.angle)*der(rod.angle))",
    "rod.tip.y": "(rod.y + out*sin(rod.angle))",
    "der(bob.P.x)": "(der(bob.x) - der(bob.angle)*(0.1*sin(bob.angle) + 0.02*cos(bob.angle)))",
    "bob.P.x": "(bob.x + 0.1*cos(bob.angle) - 0.02*sin(bob.angle))",
    "rod.mid.y": "(rod.y + 0.1*sin(rod.angle) + 0.05*cos(rod.angle))",
}
ON_CURVE = """
name: a point on a curve
dimension: 2
gravity: [0, -9.81]
parameters: {high: 0.1}
bodies:
  rod: {mass: 2, inertia: 0.17, position: [0.5, 0], points: {B: [0.5, high]}}
  cart: {mass: 1, inertia: 0.1, position: [0, 0], velocity: [1, 0]}
joints:
  guide: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  hinge: {type: revolute, bodies: [cart, rod], at: [0, 0]}
constraints:
  curve: {type: holonomic, equation: rod.B.y - high - 0.2*(rod.B.x - 1)^2}
measures: {off: rod.B.y - high - 0.2*(rod.B.x - 1)^2}
simulation: {end: 1, rtol: 1e-10, atol: 1e-11}
"""
ON_BOWL = """
name: a point on a bowl, another on a blade
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  top:
    mass: 2
    inertia: [0.1, 0.2, 0.15]
    position: [0.3, 0, 1]
    orientation: {axis: [1, 2, 2], angle: 0.4}
    angular_velocity: [1, 2, 3]
    points: {A: [0.2, 0.1, -0.3], C: [-0.1, 0.2, 0.3]}
constraints:
  bowl: {type: holonomic, equation: top.A.z - 0.3*(top.A.x^2 + top.A.y^2) - 0.6}
  blade: {type: nonholonomic, equation: der(top.C.x) - 0.5*der(top.C.y)}
measures:
  off: top.A.z - 0.3*(top.A.x^2 + top.A.y^2) - 0.6
  slip: top.C.velocity.x - 0.5*top.C.velocity.y
simulation: {end: 1, rtol: 1e-10, atol: 1e-11}
"""


def in_joint_coordinates(text: str) -> str:
    return text.replace("dimension:", "coordinates: joint\ndimension:")


def by_hand(text: str) -> str:
    head, measures, rest = text.partition("measures:")
    for name, written in BY_HAND.items():
        head = head.replace(name, written)
    return head + measures + rest


@pytest.mark.parametrize("method", ["svd", "cfa", "lagrange", "generalized_alpha"])
def test_laws_read_points(method: str) -> None:
    """As written out by hand: in absolute coordinates the same numbers, in joint coordinates those of the same motion."""
    settings = {"method": method} | ({"rtol": 1e-9} if method == "generalized_alpha" else {})
    hand, points = (mbsim.simulate(mechanisms.model(text), **settings) for text in (by_hand(LAWS), LAWS))
    joint = mbsim.simulate(mechanisms.model(in_joint_coordinates(LAWS)))
    close(points["q"][-1], hand["q"][-1], atol=1e-10)
    close(joint["body_position"][-1], hand["body_position"][-1], atol=1e-6 if method == "generalized_alpha" else 1e-8)
    for result in (points, joint):
        assert [e["event"] for e in result.events] == [e["event"] for e in hand.events] and len(hand.events) >= 4
        close([e["time"] for e in result.events], [e["time"] for e in hand.events], atol=2e-6 if method == "generalized_alpha" else 1e-8)
        assert np.abs(result["energy_balance"]).max() < (1e-3 if method == "generalized_alpha" else 1e-6)


def test_tangents_go_through_points() -> None:
    """Modes about the equilibrium: as written out by hand, and in both coordinates."""
    head, _, rest = LAWS.partition("events:")
    text = head.replace("-20*(bob.P.x - 1)*rod.mid.y", "-20*(bob.P.x - 1)") + rest[rest.index("measures:") :]
    found = [np.sort_complex(mbsim.modes(mechanisms.model(x)).eigenvalues) for x in (by_hand(text), text, in_joint_coordinates(text))]
    assert np.abs(found[0]).max() > 5.0
    for one in found[1:]:
        close(one, found[0], atol=1e-6)


def test_centres_of_mass_in_joint_coordinates() -> None:
    """Where bodies have no states of their own: a spring to the ground by its law."""
    law = "forces:\n  pull: {type: joint_torque, joint: hinge, value: -30*bob.y - 2*der(bob.y)}\n"
    head, _, rest = LAWS.partition("forces:")
    text = head + law + "measures: {b: bob.y}\nsimulation" + rest.partition("simulation")[2]
    absolute, joint = (mbsim.simulate(mechanisms.model(x)) for x in (text, in_joint_coordinates(text)))
    close(joint["body_position"][-1], absolute["body_position"][-1], atol=1e-8)
    assert abs(absolute["b"][-1] - absolute["b"][0]) > 0.1


@pytest.mark.parametrize("method", ["svd", "lagrange", "generalized_alpha", "riemann"])
@pytest.mark.parametrize(("text", "zeros"), [(ON_CURVE, ["off"]), (ON_BOWL, ["off", "slip"])], ids=["plane", "space"])
def test_equations_hold_points(method: str, text: str, zeros: list[str]) -> None:
    settings = {"rtol": 1e-9} if method == "generalized_alpha" else {}
    result = mbsim.simulate(mechanisms.model(text), method=method, **settings)
    for name in zeros:
        assert np.abs(result[name]).max() < 1e-9
    assert np.abs(result["energy_balance"]).max() < 1e-5
    assert np.abs(result["body_position"][-1] - result["body_position"][0]).max() > 0.05


def test_another_point_needs_no_other_code() -> None:
    """Where the point is on its body is a number of the system, not of its equations."""
    made = [mbsim.assemble(mbsim.load_model(mechanisms.model(ON_CURVE), {"high": high})) for high in (0.1, 0.2)]
    first, second = (one.system for one in made)
    assert first.functions.constraints is second.functions.constraints
    close(second.arrays.parameters - first.arrays.parameters, [0.1, 0.0, 0.1], atol=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rod.B.y - high -", "rod.Q.y - high -", "unknown name 'rod.Q.y'; did you mean 'rod.B.y'"),
        ("rod.B.y - high -", "der(rod.B.y) -", "a holonomic equation must not contain der"),
        ("dimension:", "coordinates: joint\ndimension:", "unknown name 'rod.B.y'"),
        ("rod.B.y - high -", "rod.B.z -", "unknown name 'rod.B.z'"),
    ],
)
def test_what_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mbsim.simulate(mechanisms.model(ON_CURVE.replace(old, new, 1)))
