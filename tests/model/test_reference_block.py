"""The `reference` block: what it turns into, and the exact line that each mistake gives."""

import mechanisms
import pytest
import yaml

from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

PLANE = """dimension: 2
parameters: {a: 2}
bodies: {rod: {mass: 1, inertia: 1}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
drivers: {motor: {joint: pin, angle: t}}
simulation: {start: 1, end: 3}
reference:
"""
SPACE = "dimension: 3\nbodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\nsimulation: {end: 1}\nreference:\n"
OWN = """coordinates: [x]
energy: {kinetic: der(x)^2/2}
constraints: {c: {type: holonomic, equation: x - t}}
simulation: {end: 1}
reference:
"""
VALUE = "{time: 2, of: rod.x, value: 1, tolerance: 1e-3}"


def problems(text, **overrides):
    try:
        load(text, registry, file="m.yaml", **overrides)
    except ModelError as error:
        return str(error).splitlines()
    return []


def block(values, source='"a book, table 2"'):
    return f"  source: {source}\n  values:\n" + "".join(f"    - {value}\n" for value in values)


def test_a_block():
    text = PLANE + block(["{time: a/2 + 1, of: joint_force.pin.x, value: a^3, tolerance: a*1e-3}", VALUE])
    found = load(text, registry, file="m.yaml").reference
    assert found.source == "a book, table 2"
    first = found.values[0]
    assert (first.time, first.of, first.value, first.tolerance) == (2.0, "joint_force.pin.x", 8.0, 2e-3)
    mechanisms.schema().validate(yaml.safe_load(text.replace("1e-3", "0.001")))


def test_without_a_block():
    assert load(PLANE.replace("reference:\n", ""), registry, file="m.yaml").reference is None


@pytest.mark.parametrize(
    ("head", "names"),
    [
        (
            PLANE,
            ["rod.x", "rod.angle", "der(rod.y)", "der(der(rod.angle))", "joint_torque_local.pin.z", "driver_effort.motor", "energy_work"],
        ),
        (SPACE, ["rod.z", "rod.qw", "rod.omega.x", "der(rod.omega.y)", "der(der(rod.z))", "energy_balance"]),
        (OWN, ["x", "der(x)", "der(der(x))", "multiplier.c", "energy_kinetic"]),
    ],
)
def test_what_a_value_may_be_of(head, names):
    time = 2 if head is PLANE else 1
    assert problems(head + block([f"{{time: {time}, of: {name}, value: 1, tolerance: 1}}" for name in names])) == []


MISTAKES = [
    (block([VALUE], "3"), ["m.yaml:8:11: reference.source: expected text (got 3)"]),
    (
        block([VALUE], '""'),
        ["m.yaml:8:11: reference.source: expected one line of text: the publication, and the table or figure in it"],
    ),
    (
        "  values: []\n",
        ["m.yaml:7:1: reference: missing key 'source'", "m.yaml:8:11: reference.values: expected at least 1 items (got 0: [])"],
    ),
    ("  source: x\n", ["m.yaml:7:1: reference: missing key 'values'"]),
    (
        "  source: x\n  valeus: []\n",
        ["m.yaml:7:1: reference: missing key 'values'", "m.yaml:9:3: reference.valeus: unknown key 'valeus'; did you mean 'values'?"],
    ),
    ("  [1]\n", ["m.yaml:8:3: reference: expected a mapping (keys and values) (got [1])"]),
    (block(["{time: 2, of: rod.x, value: 1}"]), ["m.yaml:10:7: reference.values[0]: missing key 'tolerance'"]),
    (
        block(["{time: 2, of: rod.x, value: 1, tolerance: 0}"]),
        ["m.yaml:10:49: reference.values[0].tolerance: must be greater than 0 (got 0)"],
    ),
    (block(["{time: 2, of: rod.x, value: b, tolerance: 1}"]), ["m.yaml:10:35: reference.values[0].value: unknown name 'b'; allowed: a"]),
    (
        block(["{time: 2, of: rod.xx, value: 1, tolerance: 1}"]),
        ["m.yaml:10:21: reference.values[0].of: unknown name 'rod.xx'; did you mean 'rod.x'?"],
    ),
    (
        block(["{time: 2, of: joint_force.pim.x, value: 1, tolerance: 1}"]),
        ["m.yaml:10:21: reference.values[0].of: unknown name 'joint_force.pim.x'; did you mean 'joint_force.pin.x'?"],
    ),
    (
        block(["{time: 0.5, of: rod.x, value: 1, tolerance: 1}", "{time: 4, of: rod.x, value: 1, tolerance: 1}"]),
        [
            "m.yaml:10:14: reference.values[0].time: the run goes from 1 s to 3 s (got 0.5)",
            "m.yaml:11:14: reference.values[1].time: the run goes from 1 s to 3 s (got 4)",
        ],
    ),
    (
        "  source: x\n  borders: [{parameter: b, between: [0, 2], value: 1, tolerance: 1, becomes: stable}]\n",
        ["m.yaml:9:25: reference.borders[0].parameter: unknown parameter 'b'; allowed: a"],
    ),
    (
        "  source: x\n  borders: [{parameter: a, between: [2, 3], value: 1, tolerance: 1, becomes: stable}]\n",
        ["m.yaml:9:13: reference.borders[0]: the value must lie inside 'between' (got 1, 2 to 3)"],
    ),
    (
        "  source: x\n  equilibrium: [{of: rod.angle, value: 0, tolerance: 1, stable: 3}]\n",
        ["m.yaml:9:65: reference.equilibrium[0].stable: expected true or false (got 3)"],
    ),
    (block([VALUE, VALUE]), ["m.yaml:11:21: reference.values[1].of: 'rod.x' at 2 s is already given"]),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(text, expected):
    assert problems(PLANE + text) == expected


def test_an_end_given_on_the_command_line_may_leave_values_out():
    assert problems(PLANE + block([VALUE]), simulation={"end": 1.5}) == []


def test_a_wrong_simulation_block_is_reported_once():
    assert problems(PLANE.replace("end: 3", "edn: 3") + block([VALUE])) == [
        "m.yaml:6:1: simulation: missing key 'end'",
        "m.yaml:6:24: simulation.edn: unknown key 'edn'; did you mean 'end'?",
    ]
