"""The `steady` block: what it turns into, the line that each mistake gives, and that it fits the schema."""

import mechanisms
import pytest
import yaml

import mbsim
from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

JOINTS = """coordinates: joint
parameters: {w: 3}
bodies: {rod: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}}
simulation: {end: 1}
"""
SPACE = "parameters: {w: 3}\nbodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}\nsimulation: {end: 1}\n"
OWN = "coordinates: [x]\nparameters: {w: 3}\nenergy: {kinetic: der(x)^2/2}\nsimulation: {end: 1}\n"


def problems(text: str) -> list[str]:
    try:
        load(text, registry, file="m.yaml")
    except ModelError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize(
    ("head", "block", "expected"),
    [
        (JOINTS, "steady: {der(pin.angle): 2*w}", {"der(pin.angle)": 6.0}),
        (SPACE, "steady: {wheel.omega.y: w, der(wheel.x): -1}", {"wheel.omega.y": 3.0, "der(wheel.x)": -1.0}),
        (OWN, "steady: {der(x): 2}", {"der(x)": 2.0}),
        (OWN, "steady:", {}),
        (OWN, "", {}),
    ],
)
def test_what_is_read(head: str, block: str, expected: dict[str, float]) -> None:
    assert load(head + block, registry, file="m.yaml").steady == expected
    mechanisms.schema().validate(yaml.safe_load(head + block))


@pytest.mark.parametrize(
    ("head", "block", "expected"),
    [
        (JOINTS, "steady: {pin.angle: 1}", "m.yaml:6:10: steady.pin.angle: 'pin.angle' is no speed; its speed is der(pin.angle)"),
        (JOINTS, "steady: {der(pn.angle): 1}",
         "m.yaml:6:10: steady.der(pn.angle): unknown speed 'der(pn.angle)'; did you mean 'der(pin.angle)'?"),
        (SPACE, "steady: {wheel.omga.y: 1}",
         "m.yaml:4:10: steady.wheel.omga.y: unknown speed 'wheel.omga.y'; did you mean 'wheel.omega.y'?"),
        (SPACE, "steady: {wheel.omega.y: v}", "m.yaml:4:25: steady.wheel.omega.y: unknown name 'v'; allowed: w"),
        (SPACE, "steady: {wheel.omega.y: [1]}", "m.yaml:4:25: steady.wheel.omega.y: expected a number or an expression (got [1])"),
        (SPACE, "steady: 3", "m.yaml:4:9: steady: expected a mapping of names (got 3)"),
    ],
)  # fmt: skip
def test_mistakes(head: str, block: str, expected: str) -> None:
    assert problems(head + block) == [expected]


def test_a_speed_that_joint_coordinates_do_not_have() -> None:
    model = load(JOINTS + "steady: {rod.omega.z: 1}", registry, file="m.yaml")
    with pytest.raises(ModelError) as error:
        mbsim.assemble(model)
    assert str(error.value) == "m.yaml:6:23: steady.rod.omega.z: unknown speed 'rod.omega.z'; allowed: der(pin.angle)"
