"""Implicit steps of trees in joint coordinates with constraint rows, by blocks of their bodies and joints, against dense matrices."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.formulations import choose
from mbsim.methods.implicit import alpha_loops
from mbsim.system.structure import body_table, row_speeds

STIFF = {"stiffness": 1e4, "damping": 10.0}
SPRING = "{type: spring_damper, bodies: [b1, b6], at: [[1.0, -0.4], [4.4, -0.3]], stiffness: 1e6, damping: 100}"
MORE = {
    "nothing": "",
    "driver": "drivers: {d: {joint: j1, angle: 0.1*t^2}}",
    "driver of a speed": "drivers: {d: {joint: j1, speed: 0.1*t}}",
    "gear": "joints: {g: {type: gear, joints: [j2, j5], ratio: 2}}",
    "holonomic": "constraints: {e: {type: holonomic, equation: j2.angle*j5.angle + j6.angle - j3.angle}}",
    "nonholonomic": "constraints: {e: {type: nonholonomic, equation: der(j2.angle)*cos(j5.angle) - der(j6.angle) - 0.01*t}}",
    "spring between bodies": f"forces: {{x: {SPRING}}}",
    "laws of the state": "forces: {m: {type: joint_torque, joint: j0, value: -1e5*(j1.angle + j0.angle)}}",
    "states": "states: {x: {start: 0.5, rate: -20*x - der(j0.angle)}}\nforces: {m: {type: joint_torque, joint: j0, value: 50*x}}",
}


def pin(first: str, second: str, at: np.ndarray) -> dict[str, Any]:
    return {"type": "revolute", "bodies": [first, second], "at": [float(x) for x in at]}


def zigzag(links: int, ties: int = 1, more: str = "", coordinates: str = "joint") -> Assembly:
    """A planar chain of links that `ties` further pins hold to the ground, with stiff springs in all of its joints."""
    points = [np.array([0.7 * k, -0.7 * (k % 2)]) for k in range(links + 1)]
    bodies, joints = {}, {}
    for k in range(links):
        along, centre = points[k + 1] - points[k], 0.5 * (points[k] + points[k + 1])
        place = {"position": [float(x) for x in centre], "angle": float(np.arctan2(along[1], along[0]))}
        bodies[f"b{k}"] = {"mass": 1.0, "inertia": float(along @ along / 12.0), **place}
        joints[f"j{k}"] = pin("ground" if k == 0 else f"b{k - 1}", f"b{k}", points[k])
    for k in range(ties):
        end = links * (k + 1) // ties
        joints[f"tie{k}"] = pin("ground", f"b{end - 1}", points[end]) | {"cut": True}
    forces = {f"s_{name}": {"type": "rotational_spring_damper", "joint": name, **STIFF} for name in joints}
    source: dict[str, Any] = {"dimension": 2, "gravity": [0.0, -9.81], "bodies": bodies, "joints": joints, "forces": forces}
    for key, block in (yaml.safe_load(more) or {}).items():
        source.setdefault(key, {}).update(block)
    return assembled(source, coordinates)


def spatial(links: int, twice: bool = False, coordinates: str = "joint") -> Assembly:
    """A chain of joints of all kinds that a ball joint ties to the ground, or two at the same point, of which one is redundant."""
    rng = np.random.default_rng(1)
    points = [np.array([0.7 * k, -0.5 * (k % 2), 0.2 * (k % 3)]) for k in range(links + 1)]
    kinds = ("revolute", "universal", "spherical", "prismatic", "cylindrical", "revolute")
    bodies, joints, forces = {}, {}, {}
    for k in range(links):
        axis, kind = rng.normal(size=3), kinds[k % len(kinds)]
        axis /= np.linalg.norm(axis)
        other = np.cross(axis, [0.3, 0.2, 1.0])
        turned = {"universal": {"axes": [axis.tolist(), (other / np.linalg.norm(other)).tolist()]}, "spherical": {}}
        bodies[f"b{k}"] = {"mass": 1.0, "inertia": [0.1, 0.08, 0.09], "position": (0.5 * (points[k] + points[k + 1])).tolist()}
        joints[f"j{k}"] = pin("ground" if k == 0 else f"b{k - 1}", f"b{k}", points[k]) | {"type": kind}
        joints[f"j{k}"] |= turned.get(kind, {"axis": axis.tolist()})
        if kind in ("revolute", "prismatic"):
            word = "rotational" if kind == "revolute" else "translational"
            forces[f"s{k}"] = {"type": f"{word}_spring_damper", "joint": f"j{k}", **STIFF}
    for name in ("tie", "again")[: 1 + twice]:
        joints[name] = pin("ground", f"b{links - 1}", points[links]) | {"type": "spherical", "cut": True}
    ends = [points[1].tolist(), points[links - 2].tolist()]
    forces["across"] = {"type": "spring_damper", "bodies": ["b1", f"b{links - 2}"], "at": ends, "stiffness": 1e5, "damping": 10.0}
    return assembled({"gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, "forces": forces}, coordinates)


def assembled(source: dict[str, Any], coordinates: str = "joint") -> Assembly:
    rest = {"coordinates": coordinates, "simulation": {"end": 0.1, "step": 1e-3}}
    return mbsim.assemble(mechanisms.model(yaml.safe_dump(source | rest)))


def run(made: Assembly, monkeypatch: pytest.MonkeyPatch, dense: bool, **words: Any) -> Any:
    with monkeypatch.context() as patch:
        if dense:
            declared = registry.declaration
            patch.setattr(registry, "declaration", lambda *given: None if "KERNELS" in given else declared(*given))
        return mbsim.simulate(made, **words)


def compared(made: Assembly, monkeypatch: pytest.MonkeyPatch, **words: Any) -> dict[str, int]:
    """The counts of a run by blocks, which ends where the run with dense matrices does."""
    assert choose(made.system, "generalized_alpha").module() is alpha_loops
    quick, plain = run(made, monkeypatch, False, **words), run(made, monkeypatch, True, **words)
    for name in ("q", "v"):
        assert np.abs(quick[name][-1] - plain[name][-1]).max() < (1e-8 if name == "q" else 1e-6), name
    return dict(quick.attributes["counts"])


@pytest.mark.parametrize("more", MORE)
def test_rows_of_every_kind(more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = compared(zigzag(8, 1, MORE[more]), monkeypatch, method="generalized_alpha", end=0.004)
    assert counts["iterations"] <= 4 * counts["steps"]


@pytest.mark.parametrize("words", [{"method": "generalized_alpha(index=3)"}, {"method": "generalized_alpha", "rtol": 1e-4, "atol": 1e-6}],
                         ids=["index 3", "error control"])  # fmt: skip
@pytest.mark.parametrize("twice", [False, True], ids=["independent", "redundant"])
def test_joints_of_every_kind(words: dict[str, Any], twice: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = compared(spatial(9, twice), monkeypatch, end=0.003, **words)
    assert counts["iterations"] <= 3 * (counts["steps"] + counts["rejected"])


def test_the_elimination_is_linear() -> None:
    """Numbers in the blocks of longer and longer chains: one loop over all of the chain, and as many short ones as it has links."""
    for ties in (lambda links: 1, lambda links: links // 4):
        places = [body_table(zigzag(links, ties(links)).system).places for links in (12, 20, 28)]
        assert places[2] - places[1] <= 1.1 * (places[1] - places[0])


def test_which_speeds_rows_over_joints_are_about() -> None:
    assert row_speeds(zigzag(8, 1, MORE["gear"]).system) == {2: [2, 5]}
    assert row_speeds(zigzag(8, 1, MORE["driver"]).system) == {2: [1]}
    assert row_speeds(zigzag(8, 1, MORE["holonomic"]).system) == {2: [2, 3, 5, 6]}
    cut = zigzag(8, 1, "joints: {g: {type: gear, joints: [j2, tie0], ratio: 2}}").system
    assert row_speeds(cut) == {2: list(range(8))}


def test_small_loops_keep_the_dense_kernels() -> None:
    assert choose(zigzag(7).system, "generalized_alpha").file == "generalized_alpha"


def test_a_start_on_a_singular_position() -> None:
    """Four parallel-crank linkages side by side that start flat and turn: the start beside it is that of `lagrange`."""
    bodies = {f"r{k}": {"mass": 1, "inertia": 0.1, "position": [k + 0.5, 0]} for k in range(5)}
    bodies |= {f"c{k}": {"mass": 1, "inertia": 0.1, "position": [k + 1.5, 0]} for k in range(4)}
    ends = {f"a{k}": ("ground", f"r{k}", k) for k in range(5)}
    for k in range(4):
        ends |= {f"b{k}": (f"r{k}", f"c{k}", k + 1), f"d{k}": (f"c{k}", f"r{k + 1}", k + 2)}
    joints = {name: {"type": "revolute", "bodies": [first, second], "at": [x, 0]} for name, (first, second, x) in ends.items()}
    initial = {f"der(a{k}.angle)": 1 for k in range(5)} | {f"der(b{k}.angle)": -1 for k in range(4)}
    source = {"dimension": 2, "coordinates": "joint", "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "initial": initial}
    made = mbsim.assemble(mechanisms.model(yaml.safe_dump(source | {"simulation": {"end": 0.03, "step": 3e-3}})))
    assert choose(made.system, "generalized_alpha").module() is alpha_loops
    found, plain = mbsim.simulate(made, method="generalized_alpha"), mbsim.simulate(made, method="lagrange")
    assert found.attributes["rank_changes"][0]["rank"] == 4
    assert np.abs(found["q"][-1] - plain["q"][-1]).max() < 1e-6
