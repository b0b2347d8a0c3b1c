"""The `measures` block: what may be named, and the exact line that each mistake gives."""

import mechanisms
import pytest
import yaml

from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load
from mbsim.model.names import RESULT_NAMES

PLANE = """dimension: 2
parameters: {a: 2}
tables: {curve: {points: [[0, 0], [1, 1]]}}
bodies: {rod: {mass: 1, inertia: 1, points: {B: [1, 0]}}, cart: {mass: 1, inertia: 1}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}, rail: {type: prismatic, points: [ground, cart], axis: [1, 0]}}
drivers: {motor: {joint: pin, angle: t}}
constraints: {c: {type: holonomic, equation: cart.x - t}}
simulation: {end: 1}
measures:
"""
SPACE = """bodies: {rod: {mass: 1, inertia: [1, 1, 1], points: {B: [1, 0, 0]}}}
joints: {tube: {type: cylindrical, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}}
simulation: {end: 1}
measures:
"""
TREE = """dimension: 2
coordinates: joint
bodies: {rod: {mass: 1, inertia: 1, points: {B: [1, 0]}}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: 1}
measures:
"""
OWN = "coordinates: [x]\nenergy: {kinetic: der(x)^2/2}\nsimulation: {end: 1}\nmeasures:\n"


def problems(text, **overrides):
    try:
        load(text, registry, file="m.yaml", **overrides)
    except ModelError as error:
        return str(error).splitlines()
    return []


def test_a_block():
    text = (
        PLANE
        + '  gap: {value: "distance(rod.B, ground) - 0.1*a", unit: m}\n  swing: pin.angle\n  twice: {value: 2*gap, unit: 1}\n  one: 1\n'
    )
    found = load(text, registry, file="m.yaml").measures
    assert [(m.name, m.value.text, m.unit) for m in found.values()] == [
        ("gap", "distance(rod.B, ground) - 0.1*a", "m"),
        ("swing", "pin.angle", None),
        ("twice", "2*gap", "1"),
        ("one", "1.0", None),
    ]
    mechanisms.schema().validate(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("head", "names"),
    [
        (PLANE, "t a rod.x rod.angle der(rod.y) der(der(rod.angle)) rod.velocity.x rod.angular_velocity rod.B.x der(rod.B.y)"),
        (PLANE, "rod.B.velocity.y pin.angle der(pin.angle) rail.displacement der(rail.displacement) curve(t)^2 energy(rod)"),
        (PLANE, "joint_force.pin.x joint_torque_local.rail.z driver_effort.motor multiplier.c multiplier.motor energy_work"),
        (PLANE, "kinetic_energy(rod) potential_energy(cart) angle(rod,ground) angle(rod.B,ground,cart) distance(rod,rod.B)"),
        (
            SPACE,
            "rod.z rod.qw rod.omega.x der(rod.omega.y) rod.angular_velocity.z der(der(rod.z)) rod.B.z tube.angle der(tube.displacement)",
        ),
        (TREE, "pin.angle der(pin.angle) der(der(pin.angle)) rod.x der(rod.x) rod.angle rod.B.velocity.x joint_force.pin.y"),
        (OWN, "t x der(x) der(der(x)) energy_kinetic sqrt(x^2) if_else(t<1,x,-x)"),
    ],
)
def test_what_may_be_named(head, names):
    values = names.split()
    assert problems(head + "".join(f'  m{k}: "{value}"\n' for k, value in enumerate(values))) == []


MISTAKES = [
    ("  m: [1]\n", ["m.yaml:10:6: measures.m: expected a number or an expression (got [1])"]),
    ("  m: {unit: m}\n", ["m.yaml:10:3: measures.m: missing key 'value'"]),
    ("  m: {value: t, units: m}\n", ["m.yaml:10:17: measures.m.units: unknown key 'units'; did you mean 'unit'?"]),
    ("  m: {value: t, unit: 1.5}\n", ["m.yaml:10:23: measures.m.unit: expected a unit such as m or rad s-1, or 1 (got 1.5)"]),
    ('  m: {value: t, unit: " "}\n', ["m.yaml:10:23: measures.m.unit: expected a unit such as m or rad s-1, or 1 (got ' ')"]),
    ("  m: 1 + rod.xx\n", ["m.yaml:10:10: measures.m: unknown name 'rod.xx'; did you mean 'rod.x'?"]),
    ("  m: {value: 1 + rod.C.x}\n", ["m.yaml:10:18: measures.m.value: unknown name 'rod.C.x'; did you mean 'rod.B.x'?"]),
    ('  m: "distance(rod.C, ground)"\n', ["m.yaml:10:16: measures.m: unknown point 'rod.C'; did you mean 'rod.B'?"]),
    ('  m: "distance(rod, grond)"\n', ["m.yaml:10:21: measures.m: unknown point 'grond'; did you mean 'ground'?"]),
    ('  m: "angle(rod.B, ground)"\n', ["m.yaml:10:13: measures.m: unknown body 'rod.B'; did you mean 'rod'?"]),
    ("  m: momentum(all).x\n", ["m.yaml:10:15: measures.m: unknown body 'all'; allowed: cart, mechanism, rod"]),
    ("  m: energy(ground)\n", ["m.yaml:10:13: measures.m: unknown body 'ground'; did you mean 'rod'?"]),
    ("  m: energy(2*rod)\n", ["m.yaml:10:14: measures.m: energy takes the names of a body"]),
    ("  m: distance(rod)\n", ["m.yaml:10:6: measures.m: distance takes 2 arguments (point, point) (got 1)"]),
    ("  m: angle(rod)\n", ["m.yaml:10:6: measures.m: angle takes 2 arguments (body, body) or 3 (point, vertex, point) (got 1)"]),
    ("  m: energi(rod)\n", ["m.yaml:10:6: measures.m: unknown function 'energi'; did you mean 'energy'?"]),
    (
        "  m: der(der(der(rod.x)))\n",
        ["m.yaml:10:6: measures.m: der takes the name of one coordinate or body state, for example der(theta)"],
    ),
    ("  m: der(pin.angel)\n", ["m.yaml:10:6: measures.m: unknown name 'der(pin.angel)'; did you mean 'der(pin.angle)'?"]),
    ("  m: joint_force.pim.x\n", ["m.yaml:10:6: measures.m: unknown name 'joint_force.pim.x'; did you mean 'joint_force.pin.x'?"]),
    ("  m: curve(t) + 1/0\n", ["m.yaml:10:18: measures.m: division by zero"]),
    ("  m: 2*n\n  n: t\n", ["m.yaml:10:8: measures.m: the measure 'n' is not above this one"]),
    ("  m: 2*m\n", ["m.yaml:10:8: measures.m: the measure 'm' is not above this one"]),
    ("  m: 2*x\n  n: 2*m\n", ["m.yaml:10:8: measures.m: unknown name 'x'"]),
    ("  t: 1\n", ["m.yaml:10:3: measures.t: 't' cannot be a name: it is the time in expressions"]),
    ("  sin: 1\n", ["m.yaml:10:3: measures.sin: 'sin' cannot be a name: it is a function in expressions"]),
    ("  energy_kinetic: 1\n", ["m.yaml:10:3: measures.energy_kinetic: the name 'energy_kinetic' is already used in the result file"]),
    *(
        (f"  {name}: 1\n", [f"m.yaml:10:3: measures.{name}: the name '{name}' is already used in {section}"])
        for name, section in [("a", "parameters"), ("curve", "tables"), ("rod", "bodies"), ("pin", "joints"), ("motor", "drivers")]
    ),
    ("  c: 1\n", ["m.yaml:10:3: measures.c: the name 'c' is already used in constraints"]),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(text, expected):
    assert problems(PLANE + text) == expected


def test_functions_of_bodies_are_refused_elsewhere_and_without_bodies():
    assert problems(OWN + "  m: energy(x)\n") == ["m.yaml:5:6: measures.m: energy is of bodies; this model has none"]
    text = PLANE.replace("cart.x - t", "cart.x - kinetic_energy(rod)").replace("measures:\n", "")
    assert problems(text)[0].startswith("m.yaml:7:55: constraints.c.equation: 'kinetic_energy' is a function of measures only")


def test_a_measure_of_a_wrong_table_or_parameter_is_not_blamed():
    text = (PLANE + "  m: curve(a)\n  n: m + a\n").replace("{a: 2}", "{a: 1/0}").replace("[[0, 0], [1, 1]]", "[[0, 0]]")
    assert problems(text) == [
        "m.yaml:2:18: parameters.a: division by zero",
        "m.yaml:3:26: tables.curve.points: a table needs 2 points or more (got 1)",
    ]


def test_a_table_of_the_time_must_cover_the_run():
    assert problems(PLANE + "  m: curve(t)\n", simulation={"end": 2}) == [
        "m.yaml:10:6: measures.m: the table 'curve' covers 0 to 1 s, the run goes from 0 s to 2 s"
    ]


def test_a_published_value_may_be_of_a_measure():
    reference = "reference: {source: x, values: [{time: 1, of: %s, value: 1, tolerance: 1}]}\n"
    assert problems(PLANE + "  gap: rod.x\n" + reference % "gap") == []
    assert problems(PLANE + "  gap: rod.x\n" + reference % "gab") == [
        "m.yaml:11:47: reference.values[0].of: unknown name 'gab'; did you mean 'gap'?"
    ]


def test_the_names_of_the_result_file_are_those_of_its_schema():
    """A variable that the result file gets must not be a measure's name any more."""
    from mbsim.results.schema import LABEL_UNITS, SERIES, ControllerLabels, ForceLabels, Layout

    labels = Layout("", *([["x"]] * 11), forces=ForceLabels(*([["x"]] * 7)), controllers=ControllerLabels(["x"], ["x"])).labels()
    assert {*SERIES, *LABEL_UNITS.values(), *labels, "model_yaml", "parameters", "tables"} <= RESULT_NAMES
