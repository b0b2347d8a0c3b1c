"""What valid blocks turn into: numbers, vectors, orientations, inertias, start values, names."""

import itertools
import math
import random

import pytest

from mbsim.model.fields import Point
from mbsim.model.rotations import principal_moments, quaternion_from_axis, quaternion_from_matrix

SPACE = "dimension: 3\nparameters: {a: 2}\nbodies:\n  rod: {mass: a^2, inertia: [1, 1, 1]%s}\nsimulation: {end: 1}\n"
PLANE = "dimension: 2\nbodies:\n  rod: {mass: 1, inertia: 1%s}\nsimulation: {end: 1}\n"


def test_defaults(load_text):
    model = load_text(SPACE % "")
    rod = model.bodies["rod"]
    assert (model.name, model.gravity, model.coordinates, model.energy) == ("m", [0.0, 0.0, 0.0], None, None)
    assert (rod.mass, rod.position, rod.quaternion, rod.velocity, rod.angular_velocity) == (
        4.0,
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        None,
        None,
    )
    simulation = model.simulation
    assert (simulation.start, simulation.step, simulation.output_step, simulation.drift_tolerance) == (0.0, None, None, 1e-10)
    assert (simulation.method, simulation.integrator, simulation.drift) == ("auto", "auto", "auto")
    assert (model.initial.values, model.initial.fix, model.joints, model.forces) == ({}, [], {}, {})


def test_a_planar_body(load_text):
    rod = load_text(PLANE % ", angle: deg(90), position: [1, 2], angular_velocity: 3, points: {A: [1, 0]}").bodies["rod"]
    assert rod.inertia_matrix == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert rod.quaternion == pytest.approx([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
    assert (rod.angle, rod.position, rod.angular_velocity, rod.points) == (math.pi / 2, [1.0, 2.0], [0.0, 0.0, 3.0], {"A": [1.0, 0.0]})


HALF = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("text", "quaternion"),
    [
        ("{axis: [2, 0, 0], angle: deg(90)}", [HALF, HALF, 0, 0]),
        ("{axis: [0, 0, 1e-200], angle: pi}", [0, 0, 0, 1]),
        ("{quaternion: [2, 0, 0, 2]}", [HALF, 0, 0, HALF]),
        ("{x_axis: [0, 3, 0], y_axis: [-1, 5, 0]}", [HALF, 0, 0, HALF]),
        ("{matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}", [HALF, 0, 0, HALF]),
        ("{matrix: [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]}", [0, 0, 0, 1]),
    ],
)
def test_orientations(text, quaternion, load_text):
    got = load_text(SPACE % f", orientation: {text}").bodies["rod"].quaternion
    assert got == pytest.approx(quaternion, abs=1e-15)
    assert math.hypot(*got) == pytest.approx(1.0, abs=1e-15)


def _matrix(q):
    w, x, y, z = q
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def test_quaternions_of_matrices_at_random_and_at_half_turns():
    generator = random.Random(1)
    for case in range(200):
        axis = [generator.gauss(0, 1) for _ in range(3)]
        wanted = quaternion_from_axis(axis, math.pi * (1 if case < 50 else generator.uniform(-1, 1)))
        got = quaternion_from_matrix(_matrix(wanted))
        sign = math.copysign(1.0, sum(a * b for a, b in zip(got, wanted, strict=True)))
        assert [sign * part for part in got] == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("[1, 2, 3]", [[1, 0, 0], [0, 2, 0], [0, 0, 3]]),  # a plate: the triangle inequality with equality
        ("[0.1, 0.2, 0.1 + 0.2]", [[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.1 + 0.2]]),  # the same with round-off
        ("[3, 3, 4, 0.5, 0.25, -1]", [[3, 0.5, 0.25], [0.5, 3, -1], [0.25, -1, 4]]),
        ("[[3, 0.5, 0.25], [0.5, 3, -1], [0.25, -1, 4]]", [[3, 0.5, 0.25], [0.5, 3, -1], [0.25, -1, 4]]),
    ],
)
def test_inertias(text, matrix, load_text):
    assert load_text((SPACE % "").replace("[1, 1, 1]", text)).bodies["rod"].inertia_matrix == matrix


def test_principal_moments_of_a_turned_body():
    generator = random.Random(2)
    for _ in range(100):
        moments = sorted(generator.choice([generator.uniform(1, 2), 1.0]) for _ in range(3))
        r = _matrix(quaternion_from_axis([generator.gauss(0, 1) for _ in range(3)], generator.uniform(-3, 3)))
        turned = [[sum(r[i][k] * moments[k] * r[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
        assert principal_moments(turned) == pytest.approx(moments, rel=1e-13)


def test_joints_name_their_bodies(load_text):
    text = (
        PLANE % ", points: {A: [1, 0]}"
        + "joints:\n  A: {type: revolute, points: [ground, rod.A]}\n  B: {type: prismatic, bodies: [rod, ground], at: [0, 0], axis: [3, 4]}"
    )
    joints = load_text(text).joints
    assert (joints["A"].first, joints["A"].second, joints["A"].points) == ("ground", "rod", [Point("ground", None), Point("rod", "A")])
    assert (joints["B"].first, joints["B"].second, joints["B"].axis) == ("rod", "ground", [0.6, 0.8])


def test_a_leaf_may_ask_for_the_dimension(problems):
    text = SPACE % "" + "joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0, 0]}}"
    assert problems(text) == ["m.yaml:6:13: joints.A: a spatial revolute joint needs an 'axis'"]


def test_laws_keep_their_text_and_names(load_text):
    model = load_text(
        PLANE % "" + "parameters: {k: 3}\nforces: {f: {type: push, body: rod.A, value: [-k*rod.x, 3]}}".replace("rod.A", "rod")
    )
    law = model.forces["f"].value[0]
    assert (str(law), law.names) == ("-k*rod.x", {"k", "rod.x"})


def test_parameters_in_any_order_and_along_long_chains(load_text):
    names = [f"p{i}" for i in range(3000)]
    chain = ", ".join(f"{a}: {b} + 1" for a, b in itertools.pairwise(names))
    model = load_text(PLANE % "" + f"parameters: {{{chain}, {names[-1]}: 1}}")
    assert model.parameters["p0"] == 3000.0
    assert list(model.parameters) == names


@pytest.mark.parametrize("step", [1, 7])
def test_a_long_cycle_of_parameters_is_one_problem(step, problems):
    names = [f"p{i}" for i in range(500)]
    block = ", ".join(f"{name}: {names[(i + step) % 500]}" for i, name in enumerate(names))
    assert len(problems(PLANE % "" + f"parameters: {{{block}}}")) == 1


STATES = {
    2: ["rod.x", "rod.y", "rod.angle", "der(rod.x)", "der(rod.y)", "der(rod.angle)", "t"],
    3: ["rod.x", "rod.z", "der(rod.z)", "rod.qw", "rod.qx", "rod.qy", "rod.qz", "rod.omega.x", "rod.omega.y", "rod.omega.z"],
}


@pytest.mark.parametrize(("dimension", "name"), [(dimension, name) for dimension, names in STATES.items() for name in names])
def test_states_that_laws_may_use(dimension, name, load_text):
    text = (PLANE if dimension == 2 else SPACE) % "" + f"constraints: {{c: {{type: holonomic, equation: 2*{name}}}}}"
    assert load_text(text).constraints["c"].equation.names == {name}


def test_initial_values(load_text):
    model = load_text(
        SPACE % ""
        + "initial: {rod.position: [a, 0, 1], der(rod.x): 3, rod.angular_velocity: [1, 2, 3], fix: [rod.orientation, rod.position]}"
    )
    assert model.initial.values == {"rod.position": [2.0, 0.0, 1.0], "der(rod.x)": 3.0, "rod.angular_velocity": [1.0, 2.0, 3.0]}
    assert model.initial.fix == ["rod.orientation", "rod.position"]
    planar = load_text(PLANE % "" + "initial: {rod.angular_velocity: 3, rod.velocity: [1, 2], rod.angle: deg(180)}")
    assert planar.initial.values == {"rod.angular_velocity": 3.0, "rod.velocity": [1.0, 2.0], "rod.angle": math.pi}


def test_empty_sections_are_absent_ones(load_text):
    model = load_text(PLANE % "" + "joints:\nforces: {}\ninitial:\nparameters:\ngravity:\nenergy:\n")
    assert (model.joints, model.forces, model.parameters, model.gravity) == ({}, {}, {}, [0.0, 0.0])
