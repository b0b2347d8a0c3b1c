"""A leaf under another word is drawn, and diagnosed, as the built-in one: rooms ask the leaf, not its word."""

import json
from collections.abc import Callable
from typing import Any

import matplotlib
import mechanisms
import numpy as np
import pytest
from matplotlib.figure import Figure
from mechanisms import body_block, joint_block

import mbsim
from mbsim import registry
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.cli.check import examine
from mbsim.diagnosis.freer import _components
from mbsim.model.symbols import FORCES
from mbsim.plots.loads import AT_ENDS, IN_JOINT
from mbsim.plots.schematic import draw
from mbsim.scene.camera import camera
from mbsim.scene.describe import describe
from mbsim.scene.motion import find_drawn
from mbsim.scene.parts import place
from mbsim.scene.read import Scene, parse
from mbsim.scene.solids import solids

DIMENSIONS = (2, 3)
HINGE, RAIL = {2: {}, 3: {"axis": [0, 0, 1]}}, {2: {"axis": [1, 0]}, 3: {"axis": [1, 0, 0]}}


def source(dimension: int) -> dict[str, Any]:
    """Every joint of a dimension, a hinge and a slide with all that acts in joints, everything that acts or rolls on bodies, gears."""
    d = slice(0, dimension)
    words = [word for word, n in mechanisms.joint_dimensions() if n == dimension]
    bodies = {f"b{k}": body_block(dimension, k) for k in range(len(words) + 2)}
    joints: dict[str, Any] = {}
    for k, word in enumerate(words):
        joints[f"j_{word}"] = joint_block(word, dimension, bodies=["ground", f"b{k}"], at=[0.2 * k, 0.1 * k, 0.1][d])
    pinion, slider = list(bodies)[-2:]
    joints["turns"] = {"type": "revolute", "bodies": ["ground", pinion], "at": [0.0, 3.0, 0.0][d], **HINGE[dimension]}
    joints["runs"] = {"type": "prismatic", "bodies": ["ground", slider], "at": [1.0, 3.0, 0.0][d], **RAIL[dimension]}
    joints["rack"] = {"type": "rack_and_pinion", "joints": ["turns", "runs"], "radius": 0.1}
    joints["wheels"] = {"type": "gear", "joints": ["j_revolute", "turns"], "ratio": -2}
    between = {"bodies": ["ground", "b1"]}
    stop = {"upper": 3, "stiffness": 5}
    forces: dict[str, Any] = {
        "spring": {"type": "spring_damper", **between, "at": [[1, 1, 0][d], [2, 0, 0][d]], "stiffness": 3, "damping": 1},
        "mount": {"type": "bushing", **between, "at": [1, 0, 0][d], "stiffness": [3] * (3 if dimension == 2 else 6)},
        "sun": {"type": "point_gravity", "body": "b0", "mu": 3},
        "twist": {"type": "torque", "body": "b0", "value": 1 if dimension == 2 else [0, 0, 1]},
        "push": {"type": "force", "body": "b0", "value": [1, 2, 0][d]},
        "air": {"type": "drag", "body": "b0", "linear": 1},
        "floor": {"type": "contact", "body": "b0", "radius": 0.3, "normal": [0, 1, 0][d], "stiffness": 3},
        "coil": {"type": "rotational_spring_damper", "joint": "turns", "stiffness": 3},
        "guide": {"type": "translational_spring_damper", "joint": "runs", "stiffness": 3},
        "motor": {"type": "joint_torque", "joint": "turns", "value": 2},
        "brake": {"type": "joint_friction", "joint": "turns", "viscous": 1},
        "pads": {"type": "bristle_friction", "joint": "runs", "coulomb": 1, "stiffness": 3},
        "stops": {"type": "joint_limit", "joint": "runs", **stop},
        "turn_stops": {"type": "joint_limit", "joint": "turns", **stop},
    }
    rolling: dict[str, Any] = {
        "disk": {"type": "rolling_disk", "center": "b1", "radius": 0.4},
        "blade": {"type": "knife_edge", "point": "b2"},
    }
    rolling["blade"]["along"] = [0.6, 0.8, 0.0][d]
    if dimension == 3:
        rolling["disk"]["axis"] = [0.6, 0.8, 0.0]
        rolling["ball"] = {"type": "rolling_ball", "center": "b3", "radius": 0.2}
    controllers = {"servo": {"type": "pd", "joint": "turns", "target": 0, "kp": 1}}
    sections = {"bodies": bodies, "joints": joints, "forces": forces, "constraints": rolling, "controllers": controllers}
    drivers = {"drive": {"joint": "turns", "angle": "t"}}
    return {"name": "all", "dimension": dimension, **sections, "drivers": drivers, "simulation": {"end": 1}}


@pytest.fixture
def as_twins(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A function that gives every leaf of a model another word."""
    monkeypatch.setattr(registry, "_registered", {})

    def renamed(source: dict[str, Any]) -> dict[str, Any]:
        found = json.loads(json.dumps(source))
        for kind in ("joints", "constraints", "forces", "controllers"):
            for block in found.get(kind, {}).values():
                word = block["type"]
                if not registry.knows(kind, f"twin_{word}"):
                    mbsim.register(kind, f"twin_{word}", type("Twin", (registry.leaf(kind, word),), {"__module__": __name__}))
                block["type"] = f"twin_{word}"
        return found

    return renamed


def scene_text(source: dict[str, Any]) -> str:
    model = mechanisms.model(source)
    return describe(model, ReferenceConfiguration(model))


def assert_drawn_alike(first: Scene, second: Scene) -> None:
    """Lines and areas of the schematic, and solids with their places."""
    pictures, made = [], []
    for scene in (first, second):
        poses = find_drawn(scene)
        axes = Figure().add_axes((0, 0, 1, 1))
        draw(axes, scene, poses, 0, camera(scene)).names(0.01)
        shapes = [artist.get_path().vertices for artist in axes.get_children() if isinstance(artist, matplotlib.patches.Patch)]
        pictures.append([*shapes, *(line.get_xydata() for line in axes.lines)])
        found = solids(scene, poses)
        parts = [(part.name, part.body, part.colour, part.mesh.vertices) for part in found.parts]
        made.append([*parts, *((x.name, 0, x.colour, np.hstack(place(x, poses))) for x in found.stretches)])
    assert len(pictures[0]) == len(pictures[1]) > 100
    assert all(np.array_equal(a, b) for a, b in zip(*pictures, strict=True))
    assert len(made[0]) == len(made[1]) > 30
    assert all(a[:3] == b[:3] and np.array_equal(a[3], b[3]) for a, b in zip(*made, strict=True))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_twins_look_alike(dimension: int, as_twins: Any) -> None:
    own = scene_text(source(dimension))
    twin = scene_text(as_twins(source(dimension)))
    assert twin.count('"type":"twin_') == own.count('"symbol"') > 25
    assert twin.replace("twin_", "") == own
    assert_drawn_alike(parse(own), parse(twin))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_results_of_earlier_versions_are_drawn_by_their_words(dimension: int) -> None:
    """They do not hold what leaves say of themselves."""
    own = scene_text(source(dimension))
    older = json.loads(own)
    for section in ("joints", "gears", "forces", "contacts"):
        for entry in older[section]:
            for key in {"symbol", "slides", "loaded"} & entry.keys():
                del entry[key]
    assert_drawn_alike(parse(own), parse(json.dumps(older)))
    before, after = parse(json.dumps(older)), parse(own)
    assert [force.loaded for force in before.forces] == [force.loaded for force in after.forces]
    older["joints"][0]["type"] = older["forces"][0]["type"] = "of_a_package_that_is_not_here"
    unknown = parse(json.dumps(older))
    assert (unknown.joints[0].symbol, unknown.joints[0].slides) == ("mark", "")
    assert_drawn_alike(unknown, unknown)


def test_every_symbol_of_a_force_is_drawn() -> None:
    assert AT_ENDS.keys() | IN_JOINT.keys() == FORCES.keys() - {""}


def hinges(word: str) -> dict[str, Any]:
    """A rod on two hinges in one line: one would do."""
    joints = {k: {"type": word, "bodies": ["ground", "rod"], "at": [0, 0, z], "axis": [0, 0, 1]} for k, z in (("A", 0.0), ("B", 1.0))}
    body = {"mass": 1, "inertia": [0.1, 0.2, 0.3], "position": [0.5, 0, 0]}
    return {"name": "hinged twice", "dimension": 3, "bodies": {"rod": body}, "joints": joints, "simulation": {"end": 1}}


def test_twins_are_diagnosed_alike(as_twins: Any) -> None:
    """Freer joints in their place, which rows depend on each other, what a run would be."""
    facts = []
    for made in (hinges("revolute"), as_twins(hinges("revolute"))):
        model = mechanisms.model(made)
        facts.append(examine(mbsim.assemble(model), {name: joint.type for name, joint in model.joints.items()}))
    assert facts[0]["freer_joints"][0]["choices"]
    assert json.loads(json.dumps(facts[1]).replace("twin_", "")) == json.loads(json.dumps(facts[0]))


def test_twins_record_the_same(as_twins: Any) -> None:
    """A hinge, a slide and a spring: states, reactions, forces, energies, labels and units."""
    made = {
        "name": "slider and arm",
        "dimension": 2,
        "bodies": {"arm": body_block(2, 0), "ram": body_block(2, 1)},
        "joints": {
            "O": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]},
            "guide": {"type": "prismatic", "bodies": ["ground", "ram"], "at": [1, 0], "axis": [1, 0]},
        },
        "forces": {"s": {"type": "spring_damper", "bodies": ["arm", "ram"], "at": [[0.4, 0.3], [1, 0]], "stiffness": 30, "damping": 1}},
        "simulation": {"end": 0.05},
    }
    own, twin = (mbsim.simulate(mechanisms.model(one)) for one in (made, as_twins(made)))
    variables = [name for name in own if own[name].dtype.kind == "f"]
    assert {"joint_force", "force_effort", "force_vector", "energy_balance"} <= {*variables}
    for name in variables:
        assert np.array_equal(own[name], twin[name], equal_nan=True), name
    for dimension in ("joint", "force_element", "force_with_length", "force_on_body", "coordinate"):
        assert own.labels(dimension) == twin.labels(dimension)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_twins_rub_alike(dimension: int, as_twins: Any) -> None:
    """Friction by a coefficient is loaded by the same rows, also of a slide that bears on two points."""
    pin = {"type": "revolute", "bodies": ["ground", "b0"], "at": [0, 0, 0][:dimension], **HINGE[dimension]}
    rail = {"type": "prismatic", "bodies": ["ground", "b1"], "at": [1, 0, 0][:dimension], **RAIL[dimension]}
    pin["friction"] = {"coefficient": 0.3, "radius": 0.02}
    rail["friction"] = {"coefficient": 0.2, **({"length": 0.1} if dimension == 2 else {})}
    bodies = {name: body_block(dimension, k) for k, name in enumerate(("b0", "b1"))}
    made = {"name": "rubs", "dimension": dimension, "bodies": bodies, "joints": {"O": pin, "guide": rail}, "simulation": {"end": 1}}
    loads = []
    for one in (made, as_twins(made)):
        found = mbsim.assemble(mechanisms.model(one)).unilaterals
        assert found is not None
        loads.append([each.groups for each in found.each])
    assert loads[0] == loads[1] and [len(groups) for groups in loads[0]] == [1, 2 if dimension == 2 else 1]


def test_friction_by_a_coefficient_needs_one_coordinate() -> None:
    sleeve = joint_block("cylindrical", 3, bodies=["ground", "b0"], at=[0, 0, 0])
    sleeve["friction"] = {"coefficient": 0.1, "coordinate": "displacement"}
    made = {"name": "x", "bodies": {"b0": body_block(3, 0)}, "joints": {"J": sleeve}, "simulation": {"end": 1}}
    with pytest.raises(
        mbsim.ModelError, match="joints with one coordinate, such as revolute and prismatic, not of a cylindrical one; give 'force'"
    ):
        mbsim.assemble(mechanisms.model(made))


@pytest.mark.parametrize(("word", "dimension"), mechanisms.joint_dimensions())
def test_rows_transmit_what_the_leaf_says(word: str, dimension: int) -> None:
    """The span of a joint's rows is that of the components of force and torque that its leaf names."""
    leaf = registry.leaf("joints", word)
    transmits = leaf.transmission(dimension)
    if transmits is None:
        assert word in ("helical", "constant_velocity", "distance")
        return
    held = {f"f{axis}" for axis in "xyz"[:dimension]} - {f"f{axis}" for axis in leaf.slides(dimension)}
    assert held == {c for c in transmits if c[0] == "f"}
    joint = joint_block(word, dimension, bodies=["ground", "b0"], at=[0.3, -0.2, 0.1][:dimension])
    bodies = {"b0": body_block(dimension, 0)}
    made = mbsim.assemble(
        mechanisms.model({"name": "x", "dimension": dimension, "bodies": bodies, "joints": {"J": joint}, "simulation": {"end": 1}})
    )
    C = made.system.C(0.0, made.q)
    assert len(C) == len(transmits)
    if transmits and "axes" not in joint:  # else the frames do not coincide
        components = _components(made.system, made.system.joints[0], made.q)
        both = np.vstack([C, *(components[c] for c in transmits)])
        assert np.linalg.matrix_rank(both, tol=1e-9) == np.linalg.matrix_rank(C, tol=1e-9) == len(transmits)
