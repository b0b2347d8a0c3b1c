"""The `let` block, distances and angles in laws, rates of expressions, momenta: against measures, differences and closed forms."""

import numpy as np
import pytest

import mbsim
from mbsim.model.expressions.expression import Vocabulary, evaluate, parse
from mbsim.model.file.errors import ModelError

PLANE = """
name: two rods, pulled by a law of the distance
dimension: 2
gravity: [0, -9.81]
parameters: {k: 30, l0: 0.8}
let:
  pull: k*stretch
  stretch: gap - l0
  gap: distance(b.T, ground.W)
  opening: angle(a.T, ground.O, b.T)
  slow: a.O.x + 0*t
ground: {points: {O: [0, 0], W: [1.5, 0.2]}}
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {O: [-0.5, 0], T: [0.5, 0]}}
  b: {mass: 1, inertia: 0.1, position: [1, -0.5], angle: -pi/2, points: {O: [-0.5, 0], T: [0.5, 0]}}
joints:
  A: {type: revolute, points: [ground.O, a.O]}
  B: {type: revolute, points: [a.T, b.O]}
forces:
  spring: {type: force, body: b.T, value: ["pull*(ground.W.x - b.T.x)/gap", "pull*(ground.W.y - b.T.y)/gap"]}
  damper: {type: force, body: a, value: ["-0.1*der(gap)", "-0.1*der(opening) + slow"]}
events:
  near: {when: gap - 0.9}
measures:
  g: gap
  gm: distance(b.T, ground.W)
  gr: der(gap)
  o: opening
  om: angle(a.T, ground.O, b.T)
  orate: der(opening)
simulation: {end: 0.5, step: 0.001}
"""
PULL = "spring: {type: spring_damper, points: [b.T, ground.W], stiffness: k, free_length: l0}"


def test_names_and_distances_mean_in_laws_what_they_mean_in_measures() -> None:
    found = mbsim.simulate(mbsim.load_model(PLANE))
    np.testing.assert_allclose(found["g"], found["gm"], atol=1e-13)
    np.testing.assert_allclose(found["o"], found["om"], atol=1e-13)
    for value, rate in (("g", "gr"), ("o", "orate")):
        smooth = found[value][1:-1] > 0.05  # an angle of three points turns round at 0
        np.testing.assert_allclose(np.gradient(found[value], found.time)[1:-1][smooth], found[rate][1:-1][smooth], atol=2e-3)
    assert found.events[0]["event"] == "near"
    assert np.interp(found.events[0]["time"], found.time, found["g"]) == pytest.approx(0.9, abs=1e-5)


def test_a_law_of_a_distance_is_the_spring() -> None:
    written = PLANE.replace("-0.1*der(gap)", "0").replace("-0.1*der(opening) + slow", "0")
    start, end = written.index("  spring: {"), written.index("  damper: {")
    first, second = (mbsim.simulate(mbsim.load_model(text)) for text in (written, f"{written[:start]}  {PULL}\n{written[end:]}"))
    np.testing.assert_allclose(first["q"], second["q"], atol=1e-10)


def test_joint_coordinates_know_places_too() -> None:
    first, second = (mbsim.simulate(mbsim.load_model(PLANE + more)) for more in ("", "coordinates: joint\n"))
    for name in ("g", "gr", "o", "orate"):
        np.testing.assert_allclose(first[name], second[name], atol=1e-7)


def test_constraints_hold_a_distance_and_parameters_of_names_vary() -> None:
    text = PLANE.replace("forces:", "constraints: {rope: {type: holonomic, equation: stretch - 0.2}}\nforces:")
    text = text.replace("l0: 0.8", "l0: sqrt(0.25 + 1.44) - 0.2")
    found = mbsim.simulate(mbsim.load_model(text))
    np.testing.assert_allclose(found["g"], 1.3, atol=1e-9)
    stiff = mbsim.simulate(mbsim.load_model(PLANE), parameters={"k": 60})
    assert abs(stiff["g"][-1] - mbsim.simulate(mbsim.load_model(PLANE))["g"][-1]) > 1e-3


def test_outputs_of_results_and_studies_know_the_names() -> None:
    found = mbsim.simulate(mbsim.load_model(PLANE))
    for functional, wanted in (
        ("final(gap)", found["g"][-1]),
        ("max(pull)", 30 * (found["g"].max() - 0.8)),
        ("final(der(gap))", found["gr"][-1]),
    ):
        assert found.evaluate(functional) == pytest.approx(wanted, rel=1e-12)
    runner = mbsim.Runner(mbsim.load_model(PLANE), ["k"], {"far": "max(pull)", "last": "final(der(stretch))"})
    first, second = (runner.run([k]).values for k in (30.0, 60.0))
    other = mbsim.simulate(mbsim.load_model(PLANE), parameters={"k": 60})
    np.testing.assert_allclose(first, [30 * (found["g"].max() - 0.8), found["gr"][-1]], rtol=1e-9)
    np.testing.assert_allclose(second, [60 * (other["g"].max() - 0.8), other["gr"][-1]], rtol=1e-9)


SPACE = """
name: two bodies that tumble, tied by a spring
dimension: 3
gravity: [0, 0, 0]
ground: {points: {W: [0.3, 0.1, -0.2]}}
let: {turned: "angle(p, q)", d: "distance(p.A, q.B)", corner: "angle(p.A, ground.W, q)"}
bodies:
  p:
    mass: 2
    inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03]
    position: [0, 0, 0]
    angular_velocity: [1, 3, -0.4]
    velocity: [0.3, 0, 0.1]
    points: {A: [0.5, 0.1, 0]}
  q: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1, 0, 0.3], angular_velocity: [0, -1, 2], points: {B: [0.5, 0.1, -0.3]}}
forces: {s: {type: spring_damper, points: [p.A, q.B], stiffness: 20, free_length: 0.4}}
measures:
  a: turned
  am: angle(p, q)
  ar: der(angle(p, q))
  dd: d
  dr: der(d)
  drr: der(der(d))
  c: corner
  cm: angle(p.A, ground.W, q)
  cr: der(corner)
  vA: p.A.velocity.y
  aA: p.A.acceleration.y
  aAA: der(der(p.A.y))
  w: p.angular_velocity.z
  al: p.angular_acceleration.z
  P: momentum(mechanism).x
  L: angular_momentum(mechanism).x
  LW: "angular_momentum(mechanism, ground.W).z"
  Lp: "angular_momentum(p, ground.W).y"
  Lq: "angular_momentum(q, ground.W).y"
  Ly: "angular_momentum(mechanism, ground.W).y"
  cx: centre_of_mass(mechanism).x
  yr: der(yaw(p))
  yw: yaw(p)
simulation: {end: 0.4, step: 0.0005}
"""


def test_rates_momenta_and_accelerations_in_space() -> None:
    found = mbsim.simulate(mbsim.load_model(SPACE))
    for value, rate in (("a", "ar"), ("dd", "dr"), ("dr", "drr"), ("c", "cr"), ("vA", "aA"), ("vA", "aAA"), ("w", "al"), ("yw", "yr")):
        scale = np.nanmax(np.abs(found[rate]))  # at the start the axes coincide, where an angle has no rate
        np.testing.assert_allclose(np.gradient(found[value], found.time)[1:-1], found[rate][1:-1], atol=2e-3 * scale)
    np.testing.assert_allclose(found["a"], found["am"], atol=1e-12)
    np.testing.assert_allclose(found["c"], found["cm"], atol=1e-12)
    for kept in ("P", "L", "LW"):  # no force from outside
        assert np.ptp(found[kept]) < 1e-9
    assert found["P"][0] == pytest.approx(2 * 0.3)
    np.testing.assert_allclose(found["Lp"] + found["Lq"], found["Ly"], atol=1e-12)
    np.testing.assert_allclose(found["cx"], 1 / 3 + 0.2 * found.time, atol=1e-12)
    assert found.units("LW") == "kg m2 s-1"
    assert found.evaluate("final(distance(p.A, q.B))") == pytest.approx(found["dd"][-1], abs=1e-12)


def test_an_expression_is_its_text_with_the_names_written_out() -> None:
    named = {"u": parse("x + 1")}
    found = parse("u^2*der(u*k)", words=Vocabulary(named=named, constants=["k"]))
    again = parse(found.text, words=Vocabulary(constants=["k"]))
    values = {"x": 2.0, "der(x)": 5.0, "k": 3.0}
    assert evaluate(found, values) == evaluate(again, values) == pytest.approx(9 * 15)
    assert found.key != parse("u^2*der(u*k)", words=Vocabulary(constants=["k"])).key


WRONG = """
name: wrong
dimension: 2
let:
  a: b + 1
  b: 2*c
  c: a
  d: foo + rod.x
  e: joint_force.J.x
  f: e*2 + d
  t: 4
  g: [1]
  h: distance(rod.P, ground)
  m: energy(rod)
bodies: {rod: {mass: 1, inertia: 1}}
joints: {J: {type: revolute, bodies: [ground, rod], at: [1, 0]}}
forces: {F: {type: force, body: rod, value: [e, d]}, G: {type: force, body: rod, value: [a, der(h)]}}
measures: {x: f + e, y: momentum(rod), z: momentum(rod).w, w: "momentum(tod).x", u: "der(energy(rod))"}
simulation: {end: 1}
"""


def test_what_is_wrong_is_said_once_and_at_its_place() -> None:
    with pytest.raises(ModelError) as caught:
        mbsim.load_model(WRONG)
    assert [(one.path, one.message) for one in caught.value.problems] == [
        ("let.c", "names of `let` stand for each other in a circle: a -> b -> c -> a"),
        ("let.d", "unknown name 'foo'"),
        ("let.t", "'t' cannot be a name: it is the time in expressions"),
        ("let.g", "expected an expression (got [1])"),
        ("let.h", "unknown name 'rod.P.y'; did you mean 'rod.y'?"),
        ("let.m", "'energy' is a function of measures only"),
        ("forces.F.value[0]", "'e' reads joint_force.J.x, which is not known here"),
        ("measures.y", "momentum is a vector; write momentum(rod).x, .y or .z"),
        ("measures.z", "momentum is a vector; write momentum(rod).x, .y or .z"),
        ("measures.w", "unknown body 'tod'; did you mean 'rod'?"),
        ("measures.u", "the rate of energy is not known"),
    ]
