"""Gears and racks: C, eta against differences in every kind of coordinates, any number of turns, and loops closed by every joint."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import body_block, close, joint_block
from test_constraint_derivatives import check, check_at

import mbsim

AXES = {"wheel": [0.36, 0.48, 0.8], "planet": [0.0, 0.6, 0.8], "slide": [0.8, -0.6, 0.0]}


def geared(dimension: int, **rest: Any) -> dict[str, Any]:
    """A wheel on the ground, a planet and a slide on the wheel: the gears' joints share bodies."""
    bodies = {f"b{k}": body_block(dimension, k) for k in range(3)}
    joints: dict[str, Any] = {
        "wheel": {"type": "revolute", "bodies": ["ground", "b0"], "at": [0.1] * dimension},
        "planet": {"type": "revolute", "bodies": ["b1", "b0"], "at": [0.4] * dimension},
        "slide": {"type": "prismatic", "bodies": ["b0", "b2"], "at": [0.7] * dimension},
    }
    for name, joint in joints.items():
        if dimension == 3 or name == "slide":
            joint["axis"] = AXES[name][:dimension]
    joints["mesh"] = {"type": "gear", "joints": ["wheel", "planet"], "teeth": [20, 48]}
    joints["rack"] = {"type": "rack_and_pinion", "joints": ["planet", "slide"], "radius": -0.3}
    return {"name": "geared", "dimension": dimension, "bodies": bodies, "joints": joints, "simulation": {"end": 1}} | rest


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_rows_are_derivatives(dimension: int) -> None:
    check(geared(dimension))


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("cut", [None, "wheel", "planet", "slide"])
def test_rows_are_derivatives_in_joint_coordinates(dimension: int, cut: str | None) -> None:
    """Of coordinates of the tree, and of a joint that is cut, whose angle is one between bodies."""
    source = geared(dimension, coordinates="joint")
    if cut is not None:
        source["joints"][cut]["cut"] = True
    made = mbsim.assemble(mechanisms.model(source))
    assert made.system.cuts == ([cut] if cut else [])
    rng = np.random.default_rng(5)
    for _ in range(4):
        check_at(made.system, *mechanisms.random_state(made.system, made.q, rng, 0.4))


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("cut", [None, "wheel", "planet", "slide"])
def test_joint_coordinates_give_the_same_motion_and_reactions(dimension: int, cut: str | None) -> None:
    gravity = {"gravity": [0.3, -9.81, 0.5][:dimension]}
    source = geared(dimension, **gravity)
    bodies = mbsim.simulate(mechanisms.model(source), method="lagrange", end=0.3, step=1e-3, output_step=0.1)
    if cut is not None:
        source["joints"][cut]["cut"] = True
    tree = mbsim.simulate(mechanisms.model(source | {"coordinates": "joint"}), method="svd", end=0.3, step=1e-3, output_step=0.1)
    assert np.abs(bodies["body_velocity"][-1]).max() > 0.3
    for name in ("body_position", "joint_force", "joint_torque"):
        close(tree[name], bodies[name], atol=1e-7 * max(1.0, np.abs(bodies[name]).max()))
    for name in ("mesh", "rack"):
        close(tree.select("multiplier", name), bodies.select("multiplier", name), atol=1e-7 * np.abs(bodies["multiplier"]).max())


@pytest.mark.parametrize("pair", [["b0", "b1"], ["b1", "b0"]], ids=["forth", "back"])
@pytest.mark.parametrize("tie", ["gear", "gears", pytest.param("speeds", marks=pytest.mark.slow)])
def test_angles_of_a_universal_joint(tie: str, pair: list[str]) -> None:
    """Geared to another joint's, to each other's or coupled by their speeds: rows and motion as in joint coordinates."""
    source: dict[str, Any] = {
        "gravity": [0.3, -9.81, 0.5],
        "bodies": {f"b{k}": body_block(3, k) for k in range(2)},
        "joints": {
            "wheel": joint_block("revolute", 3, bodies=["ground", "b0"], at=[0.1, 0.2, 0.3]),
            "cross": joint_block("universal", 3, bodies=pair, at=[0.25, 0.15, -0.3]),
        },
        "simulation": {"end": 0.4, "step": 1e-3, "output_step": 0.1},
    }
    ties = {"mesh": {"type": "gear", "joints": ["wheel", "cross"], "coordinates": ["angle", "angle2"], "ratio": -1.5}}
    if tie == "gears":
        ties["other"] = {"type": "gear", "joints": ["cross", "wheel"], "coordinates": ["angle1", "angle"], "ratio": 2}
    if tie == "speeds":
        terms = {"der(cross.angle1)": 1, "der(cross.angle2)": -2, "der(wheel.angle)": 0.5}
        source["constraints"] = {"cage": {"type": "speed_coupling", "terms": terms, "value": "0.3*t"}}
    else:
        source["joints"] |= ties
    check(source)
    precise = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
    bodies, tree = (mbsim.simulate(mechanisms.model(source | {"coordinates": c}), **precise) for c in ("absolute", "joint"))
    assert np.abs(bodies["body_velocity"][-1]).max() > 0.1
    for name in ("body_position", "joint_force", "joint_torque"):
        close(tree[name], bodies[name], atol=1e-8 * max(1.0, np.abs(bodies[name]).max()))
    for name in source.get("constraints", ties):
        close(tree.select("multiplier", name), bodies.select("multiplier", name), atol=1e-7 * np.abs(bodies["multiplier"]).max())


@pytest.mark.parametrize(("word", "dimension"), [(word, d) for word, d in mechanisms.joint_dimensions() if word != "free"])
def test_every_joint_closes_a_loop(word: str, dimension: int) -> None:
    """In absolute and in joint coordinates: motion, and reactions where they are unique."""
    source = trees.random_tree(3, 3, dimension, words=["revolute" if dimension == 2 else "spherical", "universal"][: dimension - 1])
    source["forces"].pop("spring")
    at = [0.4, 0.3, 0.2][:dimension]
    source["joints"]["loop"] = joint_block(word, dimension, bodies=["b2", "b0"], at=at, cut=True)
    source["bodies"]["b3"] = body_block(dimension, 2)  # so that something moves whatever the loop leaves free
    source["joints"]["end"] = joint_block("revolute", dimension, bodies=["b2", "b3"], at=at)
    runs = {}
    for coordinates in ("absolute", "joint"):
        made = mbsim.assemble(mechanisms.model(source | {"coordinates": coordinates}))
        runs[coordinates] = mbsim.simulate(made, method="lagrange", end=0.2, step=1e-3, output_step=0.1)
    bodies, tree = runs["absolute"], runs["joint"]
    assert made.system.cuts == ["loop"]
    assert np.abs(bodies["body_velocity"][-1]).max() > 0.3
    for variable in ("body_position", "body_velocity"):
        close(tree[variable], bodies[variable], atol=1e-7)
    unique = bodies["joint_reaction_unique"]
    for variable in ("joint_force", "joint_torque"):
        close(tree[variable][:, unique], bodies[variable][:, unique], atol=1e-6 * max(1.0, np.abs(bodies[variable]).max()))
    close(bodies["energy_balance"], 0.0, atol=1e-6)


@pytest.mark.parametrize("method", mechanisms.METHODS)
def test_every_method(method: str) -> None:
    """Accelerations and multipliers of a spatial model with a screw, a rod, a constant velocity joint, gears and an equation."""
    source = geared(3, gravity=[0.3, -9.81, 0.5])
    source["bodies"]["b3"], source["bodies"]["b4"] = body_block(3, 3), body_block(3, 4)
    source["joints"]["cv"] = joint_block("constant_velocity", 3, bodies=["b2", "b3"], at=[0.5, 0.1, 0.2]) | {"axes": [[1, 0, 0], [1, 1, 0]]}
    source["joints"]["screw"] = joint_block("helical", 3, bodies=["b3", "b4"], at=[0.8, 0.1, 0.2])
    source["joints"]["rod"] = joint_block("distance", 3, bodies=["b4", "ground"], at=[0.9, 0.1, 0.2])
    source["constraints"] = {"e": {"type": "holonomic", "equation": "b3.x - b4.z - 1.9 + 0.4*(b2.y + 0.1) - 0.1*b4.y + 0.6"}}
    made = mbsim.assemble(mechanisms.model(source))
    t, q, v = mechanisms.consistent_state(made.system, made.q, np.random.default_rng(2))
    a, lam = mechanisms.augmented_solution(made.system, t, q, v)
    found_a, found_lam = mechanisms.evaluate(made.system, method, t, q, v)
    close(found_a, a, atol=1e-8 * np.abs(a).max())
    close(found_lam, lam, atol=1e-8 * np.abs(lam).max())
