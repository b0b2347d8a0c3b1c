"""Beams that begin or end at nodes of other beams: in any order, clamped there, and what is said of those that wait for each other."""

import pytest

import mbsim
from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

GIVEN = "stiffness: {EA: 1.0e+6, GA: 1.0e+6, EI: 1}, mass: {line: 1}, clamped: [start]"
LOAD = "forces: {f: {type: force, body: b.end, value: [0, 0.5]}}\nsimulation: {end: 1}\n"


def text(*beams: str) -> str:
    return "\n".join(["dimension: 2", "beams:", *(f"  {beam}" for beam in beams), LOAD])


def problems(source: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        load(source, registry, file="model.yaml")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("end", ["a.end", "a.node(4)", "a.at(1)", "a_end"])
def test_two_beams_end_to_end_are_one(end: str) -> None:
    """Also where the second one stands first in the file."""
    second = f"b: {{from: {end}, to: [1, 0], elements: 4, {GIVEN}}}"
    first = f"a: {{from: [0, 0], to: [0.5, 0], elements: 4, {GIVEN}}}"
    made = mbsim.assemble(load(text(second, first), registry, file="m.yaml"))
    assert made.system.bodies[:5] == ["b_start", "b_1", "b_2", "b_3", "b_end"]
    whole = f"b: {{from: [0, 0], to: [1, 0], elements: 8, {GIVEN}}}"
    two, one = (mbsim.equilibrium(source).to_dict()["q"]["b_end.y"] for source in (text(second, first), text(whole)))
    assert two == pytest.approx(one, rel=1e-9) and one > 0.1


def test_beams_that_wait_for_each_other_are_named() -> None:
    found = problems(
        text(f"a: {{from: [0, 0], to: b.start, elements: 4, {GIVEN}}}", f"b: {{from: a.end, to: [1, 0], elements: 4, {GIVEN}}}")
    )
    assert found == [
        "model.yaml:3:3: beams.a: where it is follows from b, and that from it: give places (x, y ...)",
        "model.yaml:4:3: beams.b: where it is follows from a, and that from it: give places (x, y ...)",
    ]


def test_a_node_that_there_is_not_is_said_at_its_place() -> None:
    found = problems(
        text(f"a: {{from: [0, 0], to: [1, 0], elements: 4, {GIVEN}}}", f"b: {{from: a.node(7), to: [2, 0], elements: 4, {GIVEN}}}")
    )
    assert found == ["model.yaml:4:13: beams.b.from: the beam a has the nodes 0 to 4 (got 7)"]
