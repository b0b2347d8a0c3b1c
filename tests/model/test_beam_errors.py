"""The block `beams`: what is wrong is said at its place, names of nodes, and what a beam is made of."""

from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim import registry
from mbsim.march.settings import resolve
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

STEEL = "section: {rectangle: [0.02, 0.04]}, material: {E: 2e11, nu: 0.3, density: 7800}"
GIVEN = "stiffness: {EA: 1e6, GA: 1e5, EI: 10}, mass: {line: 1}"
BODY = "bodies:\n  mast: {mass: 1, inertia: 1, points: {top: [0, 1]}}\n"


def text(beam: str, more: str = "", dimension: int = 2) -> str:
    return f"dimension: {dimension}\nbeams:\n  boom: {{{beam}}}\n{more}simulation: {{end: 1}}\n"


def problems(source: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        mbsim.assemble(load(source, registry, file="model.yaml"))
    return [str(problem) for problem in caught.value.problems]


AT = "from: [0, 0], to: [1, 0], elements: 4, "
BAD = {
    "no ends": (f"elements: 4, {GIVEN}", "3:9: beams.boom: give either 'from' and 'to', or 'points'"),
    "both": (f"from: [0, 0], to: [1, 0], points: [[0, 0], [1, 0]], elements: 4, {GIVEN}", "give either 'from' and 'to', or 'points'"),
    "one end": (f"from: [0, 0], elements: 4, {GIVEN}", "missing key 'to' (it goes with 'from')"),
    "no elements": (f"from: [0, 0], to: [1, 0], {GIVEN}", "missing key 'elements'"),
    "half an element": (f"from: [0, 0], to: [1, 0], elements: 2.5, {GIVEN}", "elements: expected a whole number from 1 to 10000 (got 2.5)"),
    "too many": (f"from: [0, 0], to: [1, 0], elements: 1e6, {GIVEN}", "expected a whole number from 1 to 10000 (got 1e+06)"),
    "no length": (f"from: [0, 0], to: [0, 0], elements: 4, {GIVEN}", "a beam needs a length: its ends are in one place"),
    "points that coincide": (f"points: [[0, 0], [1, 0], [1, 0]], elements: 4, {GIVEN}", "the points 1 and 2 coincide"),
    "turns too far": (f"points: [[0, 0], [1, 1], [2, 0]], elements: 1, {GIVEN}", "more than a quarter turn: give more `elements`"),
    "no stiffness": (AT + "mass: {line: 1}", "what is its stiffness?"),
    "no mass": (AT + "stiffness: {EA: 1, GA: 1, EI: 1}", "what is its mass?"),
    "no density": (AT + "section: {circle: 1}, material: {E: 1}", "give the 'density' of the material"),
    "wrong key": (AT + f"clampd: [start], {GIVEN}", "unknown key 'clampd'; did you mean 'clamped'?"),
    "wrong end": (AT + f"clamped: [middle], {GIVEN}", "unknown value 'middle'"),
    "end twice": (AT + f"clamped: [end, end], {GIVEN}", "an end is named twice"),
    "unknown body": (f"from: mats.top, to: [1, 0], elements: 4, {GIVEN}", "unknown body 'mats'"),
    "unknown point": (f"from: ground.A, to: [1, 0], elements: 4, {GIVEN}", "unknown point 'A' of ground"),
    "negative": (AT + "stiffness: {EA: -1, GA: 1, EI: 1}, mass: {line: 1}", "stiffness.EA: must be greater than 0 (got -1)"),
    "twist in the plane": (AT + "stiffness: {EA: 1, GA: 1, EI: 1, GJ: 1}, mass: {line: 1}", "a beam in the plane is not twisted"),
    "up in the plane": (AT + f"up: [0, 1], {GIVEN}", "up: in the plane the section's z is out of it"),
    "offset": (AT + f"offset: [1, 2], {GIVEN}", "offset: expected one number, along y"),
    "two sections": (
        AT + "section: {circle: 1, rectangle: [1, 1]}, material: {E: 1, density: 1}",
        "give one of rectangle, circle, tube, I, area (got rectangle, circle)",
    ),
    "a tube inside out": (
        AT + "section: {tube: [1, 2]}, material: {E: 1, density: 1}",
        "the outer radius must be greater than the inner one",
    ),
    "a web too thick": (
        AT + "section: {I: [1, 2, 0.1, 1]}, material: {E: 1, density: 1}",
        "needs height > 2 flange and width > web",
    ),
    "area alone": (AT + "section: {area: 1}, material: {E: 1, density: 1}", "`area` and `moments` go together"),
    "nu": (AT + "section: {circle: 1}, material: {E: 1, nu: 0.6, density: 1}", "nu: must be greater than -1"),
    "nu and G": (AT + "section: {circle: 1}, material: {E: 1, nu: 0.3, G: 1, density: 1}", "give either 'nu' or 'G'"),
    "damping": (AT + f"damping: {{stiffness: -1}}, {GIVEN}", "must not be negative (got -1)"),
    "not a word": (f"from: [0, 0], to: [1, 0], elements: four, {GIVEN}", "unknown name 'four'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said(case: str) -> None:
    beam, said = BAD[case]
    found = problems(text(beam))
    assert any(said in one for one in found), found
    assert all(one.startswith("model.yaml:3:") for one in found)


def test_everything_is_said_at_once() -> None:
    beam = "from: [0, 0], to: [1, 0, 0], elements: 0, cable: yes please, section: {circle: -1}, material: {E: none, density: 1}"
    found = problems(text(beam))
    assert len(found) >= 5, found


SPATIAL = {
    "up along it": ("up: [1, 0, 0]", "the section's z cannot point along the beam"),
    "no torsion": ("stiffness: {EA: 1, GA: 1, EI: 1}, mass: {line: 1}", "missing key 'GJ'"),
    "one inertia": ("stiffness: {EA: 1, GA: 1, EI: 1, GJ: 1}, mass: {line: 1, inertia: 2}", "expected 3 numbers, about x, y, z"),
    "offset": ("offset: 3", "offset: expected 2 numbers [y, z] (got 3"),
}


@pytest.mark.parametrize("case", SPATIAL)
def test_what_is_wrong_in_space_is_said(case: str) -> None:
    beam, said = SPATIAL[case]
    given = "" if "stiffness" in beam else f", {STEEL}"
    assert any(said in one for one in problems(text(f"from: [0, 0, 0], to: [1, 0, 0], elements: 4, {beam}{given}", dimension=3)))


GOOD = AT + f"{GIVEN}"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("forces:\n  f: {type: force, body: boom, value: [0, 1]}\n", "5:26: forces.f.body: the beam 'boom' is many bodies, its nodes"),
        ("forces:\n  f: {type: force, body: boom.tip, value: [0, 1]}\n", "5:26: forces.f.body: 'boom.tip' is no part of the beam boom"),
        ("forces:\n  f: {type: force, body: boom.node(7), value: [0, 1]}\n", "the beam boom has the nodes 0 to 4 (got 7)"),
        ("forces:\n  f: {type: force, body: boom.at(2), value: [0, 1]}\n", "expected a number from 0, the start, to 1, the end (got 2)"),
        (
            "forces:\n  f: {type: force, body: boom.at(0.3), value: [0, 1]}\n",
            "no node at 0.3: there are nodes at boom.at(0.25) and boom.at(0.5), and with 10 elements there is one",
        ),
        ("measures:\n  m: 2*boom.end.x + boom.middle.x\n", "5:21: measures.m: 'boom.middle' is no part"),
        ("measures:\n  m: boom.start.x + nothing\n", "5:21: measures.m: unknown name 'nothing'"),
        ("measures:\n  m: 2*beam_force.bom[0].x + beam_force.boom[1].x\n", "5:19: measures.m: unknown beam 'bom'; did you mean 'boom'?"),
        ("measures:\n  m: beam_force.boom[1].q\n", "unknown name 'beam_force.boom[1].q'"),
        ("bodies:\n  boom_2: {mass: 1, inertia: 1}\n", "3:3: beams.boom: its node 'boom_2' has a name that bodies have"),
        ("bodies:\n  boom: {mass: 1, inertia: 1}\n", "3:3: beams.boom: the name 'boom' is already used in bodies"),
        ("coordinates: joint\n", "2:1: beams: beams need absolute coordinates"),
        ("joints:\n  j: {type: revolute, bodies: [boom.end, whel], at: [1, 0]}\n", "unknown body 'whel'"),
    ],
)
def test_wrong_names_of_nodes(more: str, said: str) -> None:
    found = problems(text(GOOD, more))
    assert len(found) == 1 and said in found[0]


def test_a_beam_needs_no_other_body_and_not_the_users_own_coordinates() -> None:
    mbsim.assemble(load(text(GOOD), registry, file="m"))
    source = "coordinates: [x]\nenergy: {kinetic: der(x)^2}\nbeams: {b: {elements: 1}}\nsimulation: {end: 1}\n"
    assert any("a model with a list of 'coordinates' has no 'beams'" in one for one in problems(source))


def test_a_wrong_body_is_reported_once() -> None:
    body = "bodies:\n  mast: {mass: 1, inertia: 1, points: {top: [0, oops]}}\n"
    found = problems(text(f"from: mast.top, to: [1, 0], elements: 4, clamped: [start], {GIVEN}", body))
    assert len(found) == 1 and "oops" in found[0]


def load_model(beam: str, more: str = "", dimension: int = 2) -> Any:
    return load(text(beam, more, dimension), registry, file="m")


def test_nodes_are_bodies_by_every_name() -> None:
    """start, end, node(k), node[k] and at(s) in lists, keys and expressions."""
    more = (
        "joints:\n  a: {type: revolute, bodies: [ground, boom.start], at: [0, 0]}\n"
        "  b: {type: revolute, bodies: ['boom.node[4]', ground], at: [1, 0]}\n"
        "forces:\n  f: {type: force, body: boom.at(0.5), value: [0, 'boom.node(1).x + boom.end.y - boom.at(0.75).angle']}\n"
        "initial: {boom.at(1).velocity: [0, 0]}\n"
    )
    model = load_model(GOOD, more)
    assert list(model.bodies) == ["boom_start", "boom_1", "boom_2", "boom_3", "boom_end"]
    assert model.joints["a"].second == "boom_start" and model.joints["b"].first == "boom_end"
    assert model.forces["f"].body.body == "boom_2"
    assert model.forces["f"].value[1].names == {"boom_1.x", "boom_end.y", "boom_3.angle"}
    assert model.initial.values == {"boom_end.velocity": [0.0, 0.0]}


def test_ends_are_points_of_bodies_or_places() -> None:
    body = "bodies:\n  mast: {mass: 1, inertia: 1, position: [1, 2], angle: pi/2, points: {top: [1, 0]}}\n"
    model = load_model(f"from: mast.top, to: [1, 5], elements: 2, clamped: [start, end], {GIVEN}", body)
    assert np.allclose(model.bodies["boom_start"].position, [1, 3]) and np.allclose(model.bodies["boom_1"].position, [1, 4])
    assert model.joints["boom_clamp_start"].first == "mast" and model.joints["boom_clamp_end"].first == "ground"


def test_masses_are_those_of_the_line() -> None:
    """The sum of masses, and of their moments, is that of a rod; each end has half of an element."""
    model = load_model(f"from: [0, 0, 0], to: [0, 0, 3], elements: 6, {STEEL}", dimension=3)
    masses = np.array([body.mass for body in model.bodies.values()])
    assert np.isclose(masses.sum(), 7800 * 0.02 * 0.04 * 3) and np.isclose(masses[0], masses[1] / 2)
    inertia = np.array(model.bodies["boom_2"].inertia_matrix)
    assert np.allclose(np.diag(inertia) / (7800 * 0.5), [0.02 * 0.04 * (0.02**2 + 0.04**2) / 12, 0.02 * 0.04**3 / 12, 0.04 * 0.02**3 / 12])


def test_a_curve_has_equal_elements_and_axes_without_twist() -> None:
    """A quarter circle through a few points: lengths, tangents and the axis that `up` names."""
    turns = np.linspace(0, np.pi / 2, 9)
    points = [[float(np.sin(a)), float(1 - np.cos(a)), 0.0] for a in turns]
    model = load_model(f"points: {points}, elements: 10, up: [0, 0, 1], {STEEL}", dimension=3)
    beam = model.beams["boom"]
    data = np.array(beam.element_data(3))
    assert np.allclose(data[:, -1], np.pi / 20, rtol=1e-4)
    assert np.allclose(data[:, 36:39], [[np.pi / 20, 0, 0]] * 10, atol=2e-4) and np.allclose(
        data[:, 39:42], [[0, 0, np.pi / 20]] * 10, atol=2e-3
    )


@pytest.mark.parametrize(
    ("section", "area", "moments", "torsion"),
    [
        ("rectangle: [2, 4]", 8, (2 * 64 / 12, 4 * 8 / 12), 0.228685 * 2**3 * 4),  # Timoshenko, Goodier, table 7: b/a = 2
        ("circle: 2", 4 * np.pi, (4 * np.pi, 4 * np.pi), 8 * np.pi),
        ("tube: [2, 1]", 3 * np.pi, (15 * np.pi / 4, 15 * np.pi / 4), 15 * np.pi / 2),
        ("I: [4, 6, 1, 0.5]", 10, (4 * 216 / 12 - 3.5 * 64 / 12, 2 * 64 / 12 + 4 * 0.125 / 12), (8 + 4 * 0.125) / 3),
        ("area: 3, moments: [1, 2], torsion: 4", 3, (1, 2), 4),
    ],
)  # fmt: skip
def test_numbers_of_sections(section: str, area: float, moments: Any, torsion: float) -> None:
    beam = f"from: [0, 0, 0], to: [1, 0, 0], elements: 1, section: {{{section}}}, material: {{E: 1, G: 1, density: 1}}"
    found = load_model(beam, dimension=3).beams["boom"].section.numbers()
    assert np.isclose(found.area, area) and np.allclose(found.moments, moments) and np.isclose(found.torsion, torsion, rtol=2e-3)
    assert found.outline


def test_parameters_set_the_number_of_elements() -> None:
    source = "parameters: {n: 3}\n" + text(
        f"from: [0, 0], to: [1, 0], elements: n, {GIVEN}", "forces: {f: {type: force, body: boom.end, value: [0, 1]}}\n"
    )
    assert len(load(source, registry, file="m").bodies) == 4
    assert len(load(source, registry, file="m", parameters={"n": 7}).bodies) == 8


def test_options_are_those_of_the_integrator_that_beams_have() -> None:
    """`auto` is `radau` there, with its option `order`; where a step is given it is `rk4`, which has none."""
    source = text(f"from: [0, 0], to: [1, 0], elements: 4, {GIVEN}")
    found = load(source, registry, file="m", simulation={"order": "5"})
    settings = resolve(found.simulation, mbsim.assemble(found).system)
    assert (settings.integrator, settings.options["order"]) == ("radau", "5")
    for more in ({"step": "1e-3"}, {"integrator": "dop853"}):
        with pytest.raises(ModelError, match="'order' is an option of the integrator 'radau'"):
            load(source, registry, file="m", simulation={"order": "5", **more})


def test_nodes_of_a_beam_that_is_not_read_are_not_wrong() -> None:
    """Nor is what is recorded of its elements."""
    more = (
        "joints: {a: {type: revolute, bodies: [boom.start, boom.end], at: [0, 0]}}\n"
        'forces: {f: {type: force, body: boom.at(0.3), value: [0, 1]}}\nmeasures: {m: "beam_moment.boom[7].z + boom.end.x"}\n'
    )
    found = problems(text(f"points: [[0, 0], [1, 0]], elements: 2.5, {GIVEN}", more))
    assert found == ["model.yaml:3:46: beams.boom.elements: expected a whole number from 1 to 10000 (got 2.5)"]
