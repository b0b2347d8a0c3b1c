"""Which names a model in joint coordinates has is known where it is read: what is suggested exists."""

import re

import mechanisms
import pytest

import mbsim
from mbsim.model.catalogue import joint_states
from mbsim.model.file.shipped import shipped
from mbsim.model.spanning import Edge, absent_states, spanning

SHIPPED = [name for name, path in shipped().items() if re.search(r"^coordinates: joint\b", path.read_text(), re.MULTILINE)]
LOOP = """
dimension: 2
coordinates: joint
bodies:
  a: {mass: 1, inertia: 1, position: [0.5, 0]}
  b: {mass: 1, inertia: 1, position: [1.5, 0]}
  loose: {mass: 1, inertia: 1, position: [5, 0]}
  tied: {mass: 1, inertia: 1, position: [6, 0]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0]}
  q: {type: revolute, bodies: [a, b], at: [1, 0]}
  r: {type: revolute, bodies: [ground, b], at: [1.5, 0.5]}
  s: {type: prismatic, bodies: [tied, loose], at: [5, 0], axis: [1, 0]}
  rope: {type: distance, bodies: [ground, loose], at: [[5, 2], [5, 0]]}
simulation: {end: 1}
"""


def states_told(model: mbsim.model.schema.Model) -> set[str]:  # type: ignore[name-defined]
    dimension = model.dimension or 3
    leaves = {name: type(joint) for name, joint in model.joints.items()}
    every = set(joint_states(leaves, model.bodies, dimension))
    return every - absent_states(model.joints, model.couplings, model.bodies, dimension)


@pytest.mark.parametrize("name", SHIPPED)
def test_states_of_shipped_trees(name: str) -> None:
    model = mechanisms.shipped(name)
    system = mbsim.assemble(model).system
    assert states_told(model) == {*system.coordinates, *system.speeds} - set(system.states)


@pytest.mark.parametrize("cut", ["", "p", "q", "r"])
def test_states_of_a_loop_and_of_bodies_that_float(cut: str) -> None:
    model = mechanisms.model(LOOP.replace(f"  {cut}: {{type: revolute,", f"  {cut}: {{type: revolute, cut: true,") if cut else LOOP)
    system = mbsim.assemble(model).system
    assert states_told(model) == {*system.coordinates, *system.speeds}
    assert "loose.angle" in system.coordinates and f"{cut or 'r'}.angle" not in system.coordinates


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("initial: {p.angl: 1}", "initial.p.angl: unknown name 'p.angl'; did you mean 'p.angle'?"),
        ("initial: {r.angl: 1}", "initial.r.angl: unknown name 'r.angl'; did you mean '"),
        ("initial: {b.x: 1}", "initial.b.x: b.x is no coordinate or speed of this tree; it has: "),
        ("initial: {b.k: 1}", "such as p.angle, der(p.angle), q.angle, der(q.angle)"),
        ("measures: {m: b.anglee}", "measures.m: unknown name 'b.anglee'"),
        ("forces: {f: {type: torque, body: b, value: b.anglee}}", "forces.f.value: unknown name 'b.anglee'"),
        # A law of a force may read the angle of a joint that is cut.
        ("forces: {f: {type: torque, body: b, value: r.anglee}}", "unknown name 'r.anglee'; did you mean 'r.angle'?"),
    ],
)
def test_what_is_suggested_exists(block: str, said: str) -> None:
    with pytest.raises(mbsim.ModelError) as error:
        mbsim.assemble(mbsim.load_model(f"{LOOP}{block}\n"))
    assert said in str(error.value)
    assert not re.search(r"(mean|allowed:).*\b(b\.(x|y|angle)\b|tied\.(x|y|angle)\b)", str(error.value))
    assert "measures" in block or "forces" in block or not re.search(r"(mean|allowed:).*\br\.angle\b", str(error.value))


def test_spanning_takes_few_freedoms_first() -> None:
    edges = [
        Edge("a", 0, 1, 3, False, False),
        Edge("b", 1, 2, 1, False, False),
        Edge("c", 0, 2, 1, False, True),
        Edge("d", 0, 2, 0, True, True),
    ]
    assert spanning(edges) == (["c", "b"], ["a", "d"])
