"""Reading a large model takes time in proportion to its size, and places are right at its end."""

import time

import pytest

from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

SMALL, LARGE = 200, 1600
SLOWER = 2.5  # a reading whose time grows as the square of the size takes LARGE / SMALL = 8 times longer for each element

KINDS = {
    "bodies": "{{mass: m, inertia: 0.1, position: [{k}, 0], points: {{P: [0.5, 0]}}}}",
    "joints": "{{type: revolute, bodies: [{before}, b{k}], at: [{k}, 0]}}",
    "forces": "{{type: joint_torque, joint: j{k}, value: -0.1*der(j{k}.angle) + x{k}}}",
    "states": "{{rate: -x{k}}}",
    "drivers": "{{joint: j{k}, angle: t}}",
    "constraints": "{{type: speed_coupling, terms: {{der(b{k}.x): 1, der(b{k}.y): 1}}}}",
    "measures": "distance(b{k}.P, ground) + b{k}.x",
}
NAMES = {"bodies": "b", "joints": "j", "forces": "f", "states": "x", "drivers": "d", "constraints": "c", "measures": "m"}


def chain(n, coordinates="absolute", sections=tuple(KINDS)):
    """A chain of n bodies with n blocks in every section."""
    lines = ["dimension: 2", f"coordinates: {coordinates}", "parameters: {m: 1}"]
    for section in sections:
        lines.append(f"{section}:")
        for k in range(n):
            block = KINDS[section].format(k=k, before="ground" if k == 0 else f"b{k - 1}")
            lines.append(f"  {NAMES[section]}{k}: {block}")
    names = [f"{'b' if coordinates == 'absolute' else 'j'}{k}.angle" for k in range(n)]
    lines += ["initial:", *(f"  {name}: 0.1" for name in names), f"  fix: [{', '.join(names)}]", "simulation: {end: 1}", ""]
    return "\n".join(lines)


def seconds(text, wrong=False):
    """Of the processor, the least of three readings."""
    found = []
    for _ in range(3):
        begin = time.process_time()
        if wrong:
            with pytest.raises(ModelError):
                load(text, registry, file="m.yaml")
        else:
            load(text, registry, file="m.yaml")
        found.append(time.process_time() - begin)
    return min(found)


@pytest.mark.slow  # it measures times
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_an_element_of_a_large_model_is_read_as_fast_as_one_of_a_small_model(coordinates):
    small, large = (seconds(chain(n, coordinates)) / n for n in (SMALL, LARGE))
    assert large < SLOWER * small


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong"), [("-0.1*der(j", "-0.1*der(h"), ("der(b", "der(B"), ("bodies: [b", "bodies: [B")])
def test_errors_of_a_large_model_are_found_as_fast(right, wrong):
    small, large = (seconds(chain(n).replace(right, wrong), wrong=True) / n for n in (SMALL, LARGE))
    assert large < SLOWER * small


def test_thousands_of_bodies_are_read_and_errors_at_their_end_have_their_place():
    n = 2_500
    text = chain(n, sections=("bodies", "joints"))
    model = load(text, registry, file="m.yaml")
    assert len(model.bodies) == len(model.joints) == n
    assert model.bodies[f"b{n - 1}"].position == [n - 1, 0.0]
    wrong = text.replace(f"bodies: [b{n - 2}, b{n - 1}]", f"bodies: [b{n - 2}, b{n}]").replace(
        f"b{n - 1}: {{mass: m", f"b{n - 1}: {{mass: M"
    )
    with pytest.raises(ModelError) as caught:
        load(wrong, registry, file="m.yaml")
    places = [(problem.line, problem.column, problem.path) for problem in caught.value.problems]
    assert places == [(4 + n, 17, f"bodies.b{n - 1}.mass"), (5 + 2 * n, 43, f"joints.j{n - 1}.bodies[1]")]
