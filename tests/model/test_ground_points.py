"""Points of the ground, and the ways to name the two points of a joint, a spring or a bushing: what they mean, and what is refused."""

import mechanisms
import numpy as np
import pytest
import yaml

import mbsim
from mbsim import registry
from mbsim.model.fields import Point
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load
from mbsim.observe.facts import Facts
from mbsim.observe.quantities import Quantities, Rows

FOUR_BAR = """dimension: 2
parameters: {d: 0.3}
ground: {points: {C: [d, 0], F: [2*d, 0.5]}}
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 0.05], angle: deg(90), points: {A: [0.05, 0], O: [-0.05, 0]}}
  coupler: {mass: 1, inertia: 0.1, position: [0.16, 0.15], angle: deg(20), points: {A: [-0.15, 0], B: [0.15, 0]}}
  rocker: {mass: 1, inertia: 0.1, position: [0.31, 0.11], angle: deg(80), points: {C: [-0.1, 0], B: [0.1, 0]}}
simulation: {end: 1}
joints:
  O: {type: revolute, points: [ground, crank.O]}
  A: {type: revolute, bodies: [crank, coupler], points: [A, A]}
  B: {type: revolute, at: [coupler.B, rocker.B]}
  C: %s
"""
FORMS = [
    "{type: revolute, points: [ground.C, rocker.C]}",
    "{type: revolute, bodies: [ground, rocker], points: [C, C]}",
    "{type: revolute, bodies: [ground, rocker], points: [ground.C, rocker.C]}",
    "{type: revolute, at: [ground.C, rocker.C]}",
    "{type: revolute, bodies: [ground, rocker], at: [ground.C, rocker.C]}",
]


def read(text):
    return load(text, registry, file="m.yaml")


def problems(text):
    with pytest.raises(ModelError) as caught:
        read(text)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_mechanism(form):
    model = read(FOUR_BAR % form)
    assert model.ground.points == {"C": [0.3, 0.0], "F": [0.6, 0.5]}
    assert model.joints["C"].points == [Point("ground", "C"), Point("rocker", "C")]
    mechanisms.schema().validate(yaml.safe_load(model.text))
    made = mbsim.assemble(model)
    x, y, angle = made.q[6:9]
    assert [x - 0.1 * np.cos(angle), y - 0.1 * np.sin(angle)] == pytest.approx([0.3, 0.0], abs=1e-12)


def test_points_move_with_parameters():
    assert load(FOUR_BAR % FORMS[0], registry, file="m.yaml", parameters={"d": 0.4}).ground.points["F"] == [0.8, 0.5]


def test_the_centre_of_mass_by_the_name_of_its_body():
    text = FOUR_BAR % "{type: distance, bodies: [ground, rocker], points: [C, rocker]}"
    assert read(text).joints["C"].points == [Point("ground", "C"), Point("rocker", None)]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_springs_bushings_rods_drivers_and_contacts(dimension, coordinates):
    """What is between `ground.P` and `b.Q` is what numbers in `at` give where the points are drawn."""
    planar = dimension == 2
    p, q = ("[1, 2]", "[3, 2.5]") if planar else ("[1, 2, 0.5]", "[3, 2.5, 0]")
    local, position = ("[1, 0.5]", "[2, 2]") if planar else ("[1, 0.5, 0]", "[2, 2, 0]")
    inertia, diagonal = ("1", "[1, 2, 3]") if planar else ("[1, 1, 1]", "[1, 2, 3, 4, 5, 6]")
    text = f"""dimension: {dimension}
coordinates: {coordinates}
ground: {{points: {{P: {p}}}}}
bodies: {{b: {{mass: 1, inertia: {inertia}, position: {position}, points: {{Q: {local}}}}}}}
simulation: {{end: 1}}
"""
    named = "bodies: [ground, b], points: [P, Q]"
    both = "at: [ground.P, b.Q]"
    placed = f"bodies: [ground, b], at: [{p}, {q}]"

    def system(spring, pulled, rod):
        return mbsim.assemble(
            read(f"{text}forces:\n  s: {{type: spring_damper, {spring}, stiffness: 3, free_length: 1}}\n  c: {pulled}\n{rod}")
        ).system

    rod = "joints: {{r: {{type: distance, {}}}}}\n"
    pulled = "{type: point_gravity, body: b, centre: ground.P, mu: 2}"
    fixed = f"{{type: point_gravity, body: b, at: {p}, mu: 2}}"
    wanted = system(placed, fixed, rod.format(placed))
    for form in (named, both):
        got = system(form, pulled, rod.format(form))
        assert got.arrays.load_data == pytest.approx(wanted.arrays.load_data)
        assert got.arrays.geometry == pytest.approx(wanted.arrays.geometry)
    bushing = f"forces: {{{{m: {{{{type: bushing, {{}}, stiffness: {diagonal}}}}}}}}}\n"
    by_name, by_names = (mbsim.assemble(read(text + bushing.format(form))).system.arrays.load_data for form in (named, both))
    assert by_name == pytest.approx(by_names) and by_name[0, : len(eval(p))] == pytest.approx(eval(p))
    driver = "drivers: {d: {points: [ground.P, b.Q], length: 2.5}}\n"
    made = mbsim.assemble(read(text + driver))
    assert np.abs(made.system.phi(made.start, made.q)).max() < 1e-12


def test_measures_of_points_of_the_ground():
    text = FOUR_BAR % FORMS[0] + (
        "measures: {l: 'distance(ground.F, rocker.B)', a: 'angle(rocker.B, ground.C, ground)', x: ground.F.x, s: ground.C.velocity.y}\n"
    )
    model = read(text)
    made = mbsim.assemble(model)
    quantities = Quantities(Facts.of(model), made.system)
    x, y, angle = made.q[6:9]
    B = np.array([x + 0.1 * np.cos(angle), y + 0.1 * np.sin(angle)])
    pose = {
        "time": np.zeros(1), "body_position": np.array([[[*b[:2], 0.0] for b in made.q.reshape(3, 3)]]),
        "body_orientation": np.array([[[np.cos(b[2] / 2), 0.0, 0.0, np.sin(b[2] / 2)] for b in made.q.reshape(3, 3)]]),
        "body_velocity": np.zeros((1, 3, 3)), "body_angular_velocity": np.zeros((1, 3, 3)),
    }  # fmt: skip
    rows = Rows(pose, {})
    assert quantities.function("distance", ["ground.F", "rocker.B"]).of(rows) == pytest.approx(np.hypot(*(B - [0.6, 0.5])))
    assert quantities.function("angle", ["rocker.B", "ground.C", "ground"]).of(rows) == pytest.approx(np.pi - np.arctan2(B[1], B[0] - 0.3))
    found, rate = quantities.find("ground.F.x"), quantities.find("ground.C.velocity.y")
    assert (found.units, found.of(rows)) == ("m", pytest.approx([0.6])) and rate.of(rows) == [0.0]
    assert quantities.find("ground.F.z") is None and quantities.find("ground.x") is None


ERRORS = [
    ("{type: revolute, points: [ground.D, rocker.C]}",
     ["13:32: joints.C.points[0]: unknown point 'D' of ground; allowed: C, F"]),
    ("{type: revolute, bodies: [ground, rocker], points: [C, A]}",
     ["13:61: joints.C.points[1]: unknown point 'A' of rocker; allowed: B, C"]),
    (
        "{type: revolute, at: [ground.c, rocker.X]}",
        [
            "13:28: joints.C.at[0]: unknown point 'c' of ground; did you mean 'C'?",
            "13:38: joints.C.at[1]: unknown point 'X' of rocker; allowed: B, C",
        ],
    ),
    (
        "{type: revolute, bodies: [ground, rocker], at: [ground.C, crank.A]}",
        ["13:64: joints.C.at[1]: expected a point of rocker, as `bodies` says (got one of crank)"],
    ),
    ("{type: revolute, at: [ground.C, rocker.C, crank.A]}",
     ["13:27: joints.C.at: expected at most 2 items (got 3: ['ground.C', 'rocker.C', 'crank.A'])"]),
    ("{type: revolute, at: [rocker.B, rocker.C]}",
     ["13:6: joints.C: a joint needs two different bodies (got 'rocker' twice)"]),
    ("{type: revolute, at: [ground.C, rocker.C], points: [ground.C, rocker.C]}",
     ["13:6: joints.C: give either 'points', or 'bodies' and 'at', not both"]),
    ("{type: revolute, bodies: [grund, rocker], points: [C, C]}",
     ["13:32: joints.C.bodies[0]: unknown body 'grund'; did you mean 'ground'?"]),
    ("{type: distance, bodies: [ground, rocker], at: [[1, 2], rocker.C]}",
     ["13:62: joints.C.at[1]: expected a list of 2 numbers (got 'rocker.C')"]),
]  # fmt: skip


@pytest.mark.parametrize(("form", "lines"), ERRORS)
def test_mistakes(form, lines):
    assert problems(FOUR_BAR % form) == [f"m.yaml:{line}" for line in lines]


@pytest.mark.parametrize(
    ("ground", "line"),
    [
        ("{points: {C: [1]}}", "m.yaml:3:22: ground.points.C: expected 2 numbers, one per dimension (dimension: 2) (got 1: [1])"),
        ("{points: {C: [e, 0]}}", "m.yaml:3:23: ground.points.C[0]: unknown name 'e'; allowed: d"),
        ("{points: {t-1: [0, 0]}}", "m.yaml:3:19: ground.points.t-1: 't-1' cannot be a name"),
        ("{point: {C: [0, 0]}}", "m.yaml:3:10: ground.point: unknown key 'point'; did you mean 'points'?"),
        ("[1, 2]", "m.yaml:3:9: ground: expected a mapping (keys and values) (got [1, 2])"),
        (
            "",
            "m.yaml:13:32: joints.C.points[0]: unknown point 'C' of ground; ground has no named points; give them as `ground: ",
        ),
    ],
)
def test_mistakes_in_the_block(ground, line):
    text = FOUR_BAR.replace("{points: {C: [d, 0], F: [2*d, 0.5]}}", ground) % FORMS[0]
    found = [problem for problem in problems(text) if line in problem]
    assert found, problems(text)


def test_a_model_in_own_coordinates_has_none():
    text = "coordinates: [x]\nenergy: {kinetic: der(x)^2/2}\nground: {points: {C: [0, 0]}}\nsimulation: {end: 1}\n"
    assert problems(text) == ["m.yaml:3:1: ground: a model with a list of 'coordinates' has no 'ground'"]
