"""Bad files and the exact lines they give: place, path, what is wrong, what was got, what is allowed."""

import pytest

from mbsim.model.file.errors import ModelError, Problem, did_you_mean
from mbsim.model.load import load

BODY = "dimension: 2\nbodies:\n  rod: {mass: 1, inertia: 1}\nsimulation: {end: 1}\n"  # 4 lines
SPACE = "dimension: 3\nbodies:\n  rod: {mass: 1, inertia: [1, 1, 1]%s}\nsimulation: {end: 1}\n"
OWN = "coordinates: [x]\nenergy: {kinetic: der(x)^2/2}\nsimulation: {end: 1}\n"  # 3 lines

SECTIONS = [
    ("[1, 2]", ["m.yaml:1:1: expected a mapping with the keys of a model (got [1, 2])"]),
    ("simulation: {end: 1}", ["m.yaml:1:1: missing key 'bodies' (or 'coordinates' with a list, and 'energy')"]),
    ("dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}", ["m.yaml:1:1: simulation: missing key 'end'"]),
    (BODY + "gravty: 1", ["m.yaml:5:1: gravty: unknown key 'gravty'; did you mean 'gravity'?"]),
    (BODY + "gravity: [0, 0, 1]", ["m.yaml:5:10: gravity: expected 2 numbers, one per dimension (dimension: 2) (got 3: [0, 0, 1])"]),
    (BODY + "gravity: 9.81", ["m.yaml:5:10: gravity: expected a list of 2 numbers (got 9.81)"]),
    (BODY + "gravity: [0, true]", ["m.yaml:5:14: gravity[1]: expected a number or an expression (got true)"]),
    (
        BODY + "gravity: [.nan, -.inf]",
        ["m.yaml:5:11: gravity[0]: the number is not finite", "m.yaml:5:17: gravity[1]: the number is not finite"],
    ),
    (BODY + "gravity: [0, 2*1/0]", ["m.yaml:5:17: gravity[1]: division by zero"]),
    (BODY + "name: 3", ["m.yaml:5:7: name: expected text (got 3); quote it"]),
    (BODY + 'name: "\\0"', ["m.yaml:5:7: name: expected one line of text without control characters (got '\\x00')"]),
    (
        "dimension: 2\nbodis: {a: 1}\njoints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}}\nsimulation: {end: 1}",
        [
            "m.yaml:1:1: missing key 'bodies' (or 'coordinates' with a list, and 'energy')",
            "m.yaml:2:1: bodis: unknown key 'bodis'; did you mean 'bodies'?",
        ],
    ),
    (BODY + "joints: 3", ["m.yaml:5:9: joints: expected a mapping of names (got 3)"]),
    (BODY + "energy: {kinetic: 1}", ["m.yaml:5:1: energy: 'energy' belongs to a model with a list of 'coordinates'; bodies have theirs"]),
    (BODY.replace("2", "4", 1) + "gravity: [0, 1]", ["m.yaml:1:12: dimension: expected 2 or 3 (got 4)"]),
    (
        BODY[13:] + "gravity: [0, 1]",
        ["m.yaml:1:1: missing key 'dimension' (gravity has 2 numbers; without 'dimension: 2' bodies are spatial)"],
    ),
    (
        "coordinates: absolut\n" + BODY,
        ["m.yaml:1:14: coordinates: expected a list of names, 'absolute' or 'joint' (got 'absolut'); did you mean 'absolute'?"],
    ),
    (
        OWN + "gravity: [0, 1]\nbodies: {a: 1}",
        [
            "m.yaml:4:1: gravity: a model with a list of 'coordinates' has no 'gravity'; put it into energy.potential",
            "m.yaml:5:1: bodies: a model with a list of 'coordinates' has no 'bodies'",
        ],
    ),
    (
        "coordinates: [x, x, t, 3, y]\nparameters: {y: 1}\nsimulation: {end: 1}",
        [
            "m.yaml:1:1: missing key 'energy' (a model with a list of 'coordinates' needs energy.kinetic)",
            "m.yaml:1:18: coordinates[1]: the coordinate 'x' is listed twice",
            "m.yaml:1:21: coordinates[2]: 't' cannot be a name: it is the time in expressions",
            "m.yaml:1:24: coordinates[3]: expected a name (got 3)",
            "m.yaml:1:27: coordinates[4]: the name 'y' is already used in parameters",
        ],
    ),
    (
        BODY.replace("{end: 1}", "{end: -1, step: 0, method: sdv, integrator: rk5, drift: ful, steps: 1}"),
        [
            "m.yaml:4:29: simulation.step: must be greater than 0 (got 0)",
            "m.yaml:4:40: simulation.method: unknown method 'sdv'; did you mean 'svd'?",
            "m.yaml:4:57: simulation.integrator: unknown integrator 'rk5'; did you mean 'rk4'?",
            "m.yaml:4:69: simulation.drift: unknown value 'ful'; did you mean 'full'?",
            "m.yaml:4:74: simulation.steps: unknown key 'steps'; did you mean 'step'?",
        ],
    ),
    (BODY.replace("end: 1", "end: 1, start: 2"), ["m.yaml:4:13: simulation: end must be later than start (got end 1, start 2)"]),
]

PARAMETERS = [
    (
        "{a: b, b: c, c: a, d: a + 1}",
        ["m.yaml:5:17: parameters.a: these parameters depend on each other: a -> b -> c -> a (also at 5:20, 5:26)"],
    ),
    ("{a: a}", ["m.yaml:5:17: parameters.a: these parameters depend on each other: a -> a"]),
    ("{e: 1/0, f: e}", ["m.yaml:5:18: parameters.e: division by zero"]),
    ("{mass: 1, b: 2*mas}", ["m.yaml:5:28: parameters.b: unknown name 'mas'; did you mean 'mass'?"]),
    ("{g: [1]}", ["m.yaml:5:17: parameters.g: expected a number or an expression (got [1])"]),
    ("{g: }", ["m.yaml:5:17: parameters.g: expected a number or an expression (got nothing)"]),
    ("{h: true}", ["m.yaml:5:17: parameters.h: expected a number or an expression (got true)"]),
    ("{t: 1}", ["m.yaml:5:14: parameters.t: 't' cannot be a name: it is the time in expressions"]),
    ("{sin: 1}", ["m.yaml:5:14: parameters.sin: 'sin' cannot be a name: it is a function in expressions"]),
    ("{ground: 1}", ["m.yaml:5:14: parameters.ground: 'ground' cannot be a name: it is reserved"]),
    ("{_x: 1}", ["m.yaml:5:14: parameters._x: '_x' cannot be a name: use letters, digits and '_', a letter first, 200 at most"]),
    ("{2x: 1}", ["m.yaml:5:14: parameters.2x: '2x' cannot be a name: use letters, digits and '_', a letter first, 200 at most"]),
]

BODIES = [
    (", mas: 3", ["m.yaml:3:38: bodies.rod.mas: unknown key 'mas'; did you mean 'mass'?"]),
    (", angle: 1", ["m.yaml:3:8: bodies.rod: a spatial body has 'orientation', not 'angle'"]),
    (
        ", points: {A: [1], B c: [0, 0, 0], C: [0, x, 0]}",
        [
            "m.yaml:3:50: bodies.rod.points.A: expected 3 numbers, one per dimension (dimension: 3) (got 1: [1])",
            "m.yaml:3:55: bodies.rod.points.B c: 'B c' cannot be a name: use letters, digits and '_', a letter first, 200 at most",
            "m.yaml:3:78: bodies.rod.points.C[1]: unknown name 'x'",
        ],
    ),
    (
        ", orientation: {axis: [1, 0, 0]}",
        ["m.yaml:3:51: bodies.rod.orientation: give exactly one of {axis, angle}, {quaternion}, {x_axis, y_axis} or {matrix} (got {axis})"],
    ),
    (
        ", orientation: {axis: [0, 0, 0], angl: 1}",
        [
            "m.yaml:3:58: bodies.rod.orientation.axis: a direction must not be the zero vector",
            "m.yaml:3:69: bodies.rod.orientation.angl: unknown key 'angl'; did you mean 'angle'?",
        ],
    ),
    (
        ", orientation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}",
        ["m.yaml:3:51: bodies.rod.orientation: the matrix is a reflection (its determinant is -1), not a rotation"],
    ),
    (
        ", orientation: {matrix: [[1, 0, 0], [0, 1, 0.1], [0, 0, 1]]}",
        ["m.yaml:3:51: bodies.rod.orientation: a rotation matrix has perpendicular columns of length 1"],
    ),
    (
        ", orientation: {matrix: [[1, 0], [0, 1]]}",
        ["m.yaml:3:60: bodies.rod.orientation.matrix: expected 3 rows of 3 numbers (got [[1, 0], [0, 1]])"],
    ),
    (
        ", orientation: {x_axis: [1, 0, 0], y_axis: [-2, 0, 0]}",
        ["m.yaml:3:51: bodies.rod.orientation: x_axis and y_axis must not be parallel"],
    ),
    (
        ", orientation: {quaternion: [1, 0, 0]}",
        ["m.yaml:3:64: bodies.rod.orientation.quaternion: expected 4 numbers [w, x, y, z] (got [1, 0, 0])"],
    ),
    (", orientation: 3", ["m.yaml:3:51: bodies.rod.orientation: expected a mapping (keys and values) (got 3)"]),
    (
        ", velocity: 1, angular_velocity: [1, x, 2]",
        [
            "m.yaml:3:48: bodies.rod.velocity: expected a list of 3 numbers (got 1)",
            "m.yaml:3:73: bodies.rod.angular_velocity[1]: unknown name 'x'",
        ],
    ),
]

INERTIAS = [
    ("1", "expected [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or a 3x3 matrix (got 1)"),
    ("[1, 1]", "expected [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or a 3x3 matrix (got [1, 1])"),
    ("[1, 1, 3]", "no body has this inertia: the largest moment exceeds the sum of the other two (principal moments 1, 1, 3)"),
    (
        "[1, 1, 2.0000001]",
        "no body has this inertia: the largest moment exceeds the sum of the other two (principal moments 1, 1, 2.0000001)",
    ),
    ("[1, 1, 0]", "no body has this inertia: it is not positive definite (principal moments 0, 1, 1)"),
    ("[1, 1, 1, 2, 0, 0]", "no body has this inertia: it is not positive definite (principal moments -1, 1, 3)"),
    ("[[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]", "an inertia matrix is symmetric"),
]

JOINTS = [
    ("type: revolut", ["m.yaml:6:13: joints.A.type: unknown joint 'revolut'; did you mean 'revolute'?"]),
    ("bodies: [ground, rod]", ["m.yaml:6:3: joints.A: missing key 'type'; allowed: prismatic, revolute"]),
    ("type: 3", ["m.yaml:6:13: joints.A.type: expected a kind of joint (got 3); allowed: prismatic, revolute"]),
    ("type: revolute", ["m.yaml:6:6: joints.A: where is the joint? give 'bodies' and 'at', or 'points'"]),
    ("type: revolute, bodies: [ground, rod]", ["m.yaml:6:6: joints.A: missing key 'at' (it goes with 'bodies')"]),
    ("type: revolute, at: [0, 0]", ["m.yaml:6:6: joints.A: missing key 'bodies' (it goes with 'at')"]),
    ("type: revolute, points: [rod, ground], at: [0, 0]", ["m.yaml:6:6: joints.A: give either 'points', or 'bodies' and 'at', not both"]),
    ("type: revolute, bodies: [rod, rod], at: [0, 0]", ["m.yaml:6:6: joints.A: a joint needs two different bodies (got 'rod' twice)"]),
    ("type: revolute, bodies: [ground, rodd], at: [0, 0]", ["m.yaml:6:40: joints.A.bodies[1]: unknown body 'rodd'; did you mean 'rod'?"]),
    ("type: revolute, bodies: [ground, 3], at: [0, 0]", ["m.yaml:6:40: joints.A.bodies[1]: expected the name of a body (got 3)"]),
    ("type: revolute, bodies: [rod], at: [0, 0]", ["m.yaml:6:31: joints.A.bodies: expected at least 2 items (got 1: ['rod'])"]),
    ("type: revolute, points: [rod.A, ground]", ["m.yaml:6:32: joints.A.points[0]: unknown point 'A' of rod; rod has no named points"]),
    ("type: prismatic, bodies: [ground, rod], at: [0, 0]", ["m.yaml:6:3: joints.A: missing key 'axis'"]),
    (
        "type: prismatic, bodies: [ground, rod], at: [0, 0], axis: [0, 0]",
        ["m.yaml:6:65: joints.A.axis: a direction must not be the zero vector"],
    ),
    (
        "type: revolute, bodies: [ground, rod], at: [0, 0], axes: [0, 0]",
        ["m.yaml:6:58: joints.A.axes: unknown key 'axes'; did you mean 'axis'?"],
    ),
]

LAWS = [
    ("forces: {f: {type: push, body: rod, value: [rod.xx, der(rod.y)]}}",
     ["m.yaml:5:45: forces.f.value[0]: unknown name 'rod.xx'; did you mean 'rod.x'?"]),
    ("forces: {f: {type: push, body: rod, value: 1}}", ["m.yaml:5:44: forces.f.value: expected a list of 2 expressions (got 1)"]),
    ("forces: {f: {type: spring_damper, bodies: [ground, rod], at: [[0, 0], [1]]}}", [
        "m.yaml:5:71: forces.f.at[1]: expected 2 numbers, one per dimension (dimension: 2) (got 1: [1])"
    ]),
    ("forces: {f: {type: spring_damper, bodies: [ground, rod], at: [[0, 0], [1, 0]], stiffness: k}}", [
        "m.yaml:5:91: forces.f.stiffness: unknown name 'k'"  # one line, although the field is a union
    ]),
    ("drivers: {m: {joint: O, angle: t}}", ["m.yaml:5:22: drivers.m.joint: unknown joint 'O'"]),
    ("constraints: {c: {type: holonomic, equation: rod.x - max(1, t)}}", [
        "m.yaml:5:57: constraints.c.equation: '(' is never closed (inside { } or [ ], quote an expression that has a comma)",
        "m.yaml:5:61: constraints.c.t): unknown key 't)'; allowed: equation, locked, type",
    ]),
    ("constraints:\n  c:\n    type: holonomic\n    equation: >\n      rod.x\n      + rod.z\n", [
        "m.yaml:10:9: constraints.c.equation: unknown name 'rod.z'; did you mean 'rod.y'?"
    ]),
    ("initial: {rod.position: [1], rod.x: 2, rod.z: 1, fix: rod.x}", [
        "m.yaml:5:25: initial.rod.position: expected a list of 2 numbers (got [1])",
        "m.yaml:5:30: initial.rod.x: already given by 'rod.position'",
        "m.yaml:5:40: initial.rod.z: unknown name 'rod.z'; did you mean 'rod.y'?",
        "m.yaml:5:55: initial.fix: expected a list of names (got 'rod.x')",
    ]),
    ("initial: {rod.orientation: 1, rod.angle: [1], fix: [rod.angle, rod.angle, 3, rod.orientation]}", [
        "m.yaml:5:11: initial.rod.orientation: unknown name 'rod.orientation'; an orientation is given at its body",
        "m.yaml:5:42: initial.rod.angle: expected a number or an expression (got [1])",
        "m.yaml:5:64: initial.fix[1]: 'rod.angle' is listed twice",
        "m.yaml:5:75: initial.fix[2]: expected a name (got 3)",
        "m.yaml:5:78: initial.fix[3]: unknown name 'rod.orientation'; did you mean 'rod.position'?",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), SECTIONS)
def test_sections(text, lines, problems):
    assert problems(text) == lines


@pytest.mark.parametrize(("text", "lines"), PARAMETERS)
def test_parameters(text, lines, problems):
    assert problems(BODY + "parameters: " + text) == lines


@pytest.mark.parametrize(("text", "lines"), BODIES)
def test_bodies(text, lines, problems):
    assert problems(SPACE % text) == lines


@pytest.mark.parametrize(("text", "message"), INERTIAS)
def test_inertias(text, message, problems):
    assert problems(SPACE.replace("[1, 1, 1]", text) % "") == [f"m.yaml:3:27: bodies.rod.inertia: {message}"]


@pytest.mark.parametrize(("text", "lines"), JOINTS)
def test_joints(text, lines, problems):
    assert problems(BODY + "joints:\n  A: {" + text + "}") == lines


@pytest.mark.parametrize(("text", "lines"), LAWS)
def test_laws_and_start_values(text, lines, problems):
    assert problems(BODY + text) == lines


def test_drivers(problems):
    text = BODY + "joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}\ndrivers:\n"
    text += "  a: {joint: O, angle: rod.angle}\n  b: {joint: O}\n  c: {joint: O, angle: t}\n"
    text += "  d: {joint: O, angle: 2*t}\n  O: {joint: O, displacement: t}\n"
    assert problems(text) == [
        "m.yaml:7:24: drivers.a.angle: unknown name 'rod.angle'; allowed: t",
        "m.yaml:8:6: drivers.b: give exactly one of 'angle', 'displacement', 'length', 'speed' and 'value'",
        "m.yaml:10:14: drivers.d.joint: the joint 'O' is already driven by 'c'",
        "m.yaml:11:3: drivers.O: the name 'O' is already used in joints",
    ]


def test_a_wrong_block_does_not_hide_the_others(problems):
    text = "dimension: 2\nbodies:\n  a: {mass: 0, inertia: 1}\n  b: 3\n"
    text += "joints:\n  A: {type: x}\n  B: {type: revolute, points: [a, c]}\nsimulation: {}\nx: 1\nx: 2\n"
    assert problems(text) == [
        "m.yaml:3:13: bodies.a.mass: must be greater than 0 (got 0); only with `coordinates: joint` may a body have inertia and no mass",
        "m.yaml:4:6: bodies.b: expected a mapping (keys and values) (got 3)",
        "m.yaml:6:13: joints.A.type: unknown joint 'x'; allowed: prismatic, revolute",
        "m.yaml:7:35: joints.B.points[1]: unknown body 'c'; allowed: a, b, ground",
        "m.yaml:8:1: simulation: missing key 'end'",
        "m.yaml:9:1: x: unknown key 'x'; allowed: beams, bodies, constraints, contacts, controllers, coordinates, "
        "dimension, drivers, elastic, energy, events, "
        "forces, "
        "gravity, ground, initial, joints, let, measures, name, parameters, reference, simulation, states, steady, tables",
        "m.yaml:10:1: duplicate key 'x' (first at 9:1)",
    ]


OVERRIDES = [
    ({"parameters": {"mm": 1}}, ["given parameters: unknown parameter 'mm'; did you mean 'm'?"]),
    ({"parameters": {"m": "1/0"}}, ["given parameters: parameters.m: division by zero"]),
    ({"parameters": {"m": True}}, ["given parameters: parameters.m: expected a number or an expression (got true)"]),
    ({"parameters": {"m": "-1"}}, ["m.yaml:3:15: bodies.rod.mass: must be greater than 0 (got -1)"]),
    ({"simulation": {"method": "x", "nd": 3}}, [
        "given settings: simulation.method: unknown method 'x'; allowed: auto, lagrange, leap, svd",
        "given settings: simulation.nd: unknown key 'nd'; did you mean 'end'?",
    ]),
    ({"simulation": {"end": "-1"}}, ["given settings: simulation: end must be later than start (got end -1, start 0)"]),
]  # fmt: skip


@pytest.mark.parametrize(("overrides", "lines"), OVERRIDES)
def test_overrides(overrides, lines, problems):
    assert problems(BODY.replace("mass: 1", "mass: m") + "parameters: {m: 2}", **overrides) == lines


def test_overrides_replace_values_before_they_are_used(load_text):
    model = load_text(
        BODY.replace("mass: 1", "mass: m") + "parameters: {m: 2*n, n: 2}", parameters={"n": "1 + 2"}, simulation={"end": "2*n", "step": 0.5}
    )
    assert (model.parameters, model.bodies["rod"].mass) == ({"m": 6.0, "n": 3.0}, 6.0)
    assert (model.simulation.end, model.simulation.step) == (6.0, 0.5)


def test_files_that_cannot_be_read(tmp_path, catalogue):
    for path, reason in [
        (tmp_path / "none.yaml", "cannot read the file: no such file or directory"),
        (tmp_path, "cannot read the file: is a directory"),
        ("a\0b", "cannot read the file: embedded null byte"),
    ]:
        with pytest.raises(ModelError) as caught:
            load(path, catalogue)
        assert str(caught.value) == f"{path}: {reason}"


def test_problems_print_and_sort_by_place():
    later, earlier = Problem("m", 3, 1, "a", "x"), Problem("m", 2, 9, "", "y")
    assert str(ModelError([later, earlier, later])) == "m:2:9: y\nm:3:1: a: x"


def test_did_you_mean():
    assert did_you_mean("revolut", ["revolute", "fixed"]) == "; did you mean 'revolute'?"
    assert did_you_mean("SVD", ["svd", "lagrange"]) == "; did you mean 'svd'?"
    assert did_you_mean("zzz", ["b", "a"]) == "; allowed: a, b"
    assert did_you_mean("zzz", ["b", "g:" + 3000 * "- "]) == "; allowed: b"  # the other cannot be a name
    assert did_you_mean("zzz", [100 * c for c in "abcdefghijk"]) == ""
    assert did_you_mean("zzz", [f"name{i}" for i in range(99)]) == ""
    assert did_you_mean("z" * 10**6, ["zz" * 10]) == "; allowed: " + "zz" * 10
    assert did_you_mean("body77.positon", [f"body{i}.position" for i in range(5000)]) != ""


def test_a_problem_found_later_has_its_place(load_text):
    model = load_text(BODY + "joints:\n  A: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n")
    assert str(model.problem("joints.A.at[1]", "cannot be assembled")) == "m.yaml:6:54: joints.A.at[1]: cannot be assembled"
    assert str(model.problem(("joints", "A"), "is redundant")) == "m.yaml:6:6: joints.A: is redundant"
    assert str(model.problem("initial", "is missing")) == "m.yaml:1:1: initial: is missing"
    assert str(model.problem("", "all wrong")) == "m.yaml:1:1: all wrong"
