"""Contacts of imported MJCF models against MuJoCo: which geoms touch, with which friction, how far they are apart; of the extra `bench`.

MuJoCo's contacts are springs with dampers. The shorter the time in which they take the speed, the nearer the motion is to the rigid one.
"""

from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import mbsim
from mbsim.assembly.assembled import Assembly
from mbsim.importers.formats import conversion, read
from mbsim.importers.robot_model import ALL, Options
from mbsim.importers.robot_start import gaps

mujoco = pytest.importorskip("mujoco")

GEOM = 5  # mjOBJ_GEOM
FAR = 10.0  # m


def attributes(rng: np.random.Generator) -> str:
    """Of a geom, at random; large enough that all overlap."""
    given = [f'contype="{rng.integers(0, 4)}" conaffinity="{rng.integers(0, 4)}"'] * bool(rng.random() < 0.6)
    given += [f'priority="{rng.integers(0, 2)}"'] * bool(rng.random() < 0.4)
    given += [f'condim="{rng.choice([1, 3, 4, 6])}"'] * bool(rng.random() < 0.7)
    given += [f'friction="{" ".join(f"{x:.3f}" for x in rng.uniform(0.1, 1, rng.integers(1, 4)))}"'] * bool(rng.random() < 0.7)
    return " ".join(given)


def tree(rng: np.random.Generator) -> tuple[str, int]:
    """A random tree of bodies with balls, with excluded bodies and pairs; and how many geoms it has."""
    parents = [int(rng.integers(-1, k)) for k in range(8)]
    joints = ['<joint axis="0 1 0"/>', "", "<freejoint/>", '<joint type="slide"/><joint axis="1 0 0"/>']
    count = 0

    def geom() -> str:
        nonlocal count
        count += 1
        return f'<geom name="g{count - 1}" type="sphere" size="1" {attributes(rng)}/>'

    def body(k: int) -> str:
        joint = joints[int(rng.integers(0, 4 if parents[k] < 0 else 2))]
        inside = "".join(geom() for _ in range(rng.integers(1, 3)))
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return f'<body name="b{k}">{joint}{mass}{inside}{"".join(body(c) for c in range(8) if parents[c] == k)}</body>'

    inside = geom() + "".join(body(k) for k in range(8) if parents[k] < 0)
    names = rng.choice(8, 4, replace=False)
    apart = "".join(f'<exclude body1="b{a}" body2="{"world" if k else f"b{b}"}"/>' for k, (a, b) in enumerate(names.reshape(2, 2)))
    a, b = rng.choice(count, 2, replace=False)
    pair = f'<pair geom1="g{a}" geom2="g{b}" condim="{rng.choice([1, 3, 4, 6])}" friction="0.5 0.5 0.01 0.02 0.02"/>'
    parent = '<option><flag filterparent="disable"/></option>' if rng.random() < 0.3 else ""
    return f"<mujoco>{parent}<worldbody>{inside}</worldbody><contact>{apart}{pair}</contact></mujoco>", count


@pytest.mark.parametrize("seed", range(20))
def test_the_same_geoms_touch_with_the_same_friction(seed: int, tmp_path: Path) -> None:
    text, count = tree(np.random.default_rng(seed))
    (tmp_path / "m.xml").write_text(text)
    robot = read(tmp_path / "m.xml", tmp_path, Options(contacts=ALL))
    mine = {}
    for pair, grip in robot.grips.items():
        names = frozenset(robot.colliders[k].label for k in pair)
        mine[names] = [float(x) for x in (grip.friction, grip.drilling, grip.rolling)]
    model = mujoco.MjModel.from_xml_string(text)
    state = mujoco.MjData(model)
    mujoco.mj_forward(model, state)
    its = {}
    for contact in state.contact:
        kinds = {1: 0, 3: 1, 4: 2, 6: 3}[contact.dim]
        friction = contact.friction[[0, 2, 3]] * (np.arange(3) < kinds)
        its[frozenset(model.geom(k).name for k in contact.geom)] = friction.tolist()
    weld = model.body_weldid[model.geom_bodyid]
    its = {names: friction for names, friction in its.items() if len({weld[model.geom(name).id] for name in names}) > 1}
    mine = {names: friction for names, friction in mine.items() if len({weld[model.geom(name).id] for name in names}) > 1}
    assert count > 8 and len(mine) > 3
    assert mine.keys() == its.keys()
    for names, friction in mine.items():
        assert friction == pytest.approx(its[names], abs=1e-12)


SHAPES = {
    "sphere": 'type="sphere" size="0.1"',
    "capsule": 'type="capsule" size="0.05 0.15"',
    "box": 'type="box" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "mesh": 'type="mesh" mesh="stone"',
}
STONE = [[0.15, 0.02, -0.08], [-0.1, 0.12, -0.07], [-0.09, -0.13, -0.05], [0.02, 0.01, 0.17], [0.05, -0.1, 0.06]]
KNOWN = [*combinations_with_replacement(("sphere", "capsule", "box", "mesh"), 2), ("cylinder", "sphere")]


def two(pair: tuple[str, str], folder: Path) -> tuple[Any, Any, Assembly]:
    """Two free bodies over a slope: MuJoCo's model and state, and the imported model."""
    trimesh.convex.convex_hull(np.array(STONE)).export(folder / "stone.stl")
    turned = 'pos="0.02 -0.03 0.04" euler="20 30 40"'
    bodies = "".join(
        f'<body name="b{k}" pos="{k} 0 1"><freejoint name="j{k}"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        f'<geom name="g{k}" {SHAPES[shape]} {turned}/></body>'
        for k, shape in enumerate(pair)
    )
    floor = '<geom name="f" type="plane" size="1 1 1" pos="0.1 0.2 -0.3" euler="10 20 0"/>'
    text = f'<mujoco><asset><mesh name="stone" file="stone.stl"/></asset><worldbody>{floor}{bodies}</worldbody></mujoco>'
    (folder / "m.xml").write_text(text)
    model = mujoco.MjModel.from_xml_path(str(folder / "m.xml"))
    model.opt.ccd_tolerance, model.opt.ccd_iterations = 1e-14, 500
    (folder / "m.yaml").write_text(conversion(folder / "m.xml", Options(contacts=ALL), folder).text)
    return model, mujoco.MjData(model), mbsim.assemble(mbsim.load_model(folder / "m.yaml"))


def distance(model: Any, state: Any, one: str, other: str) -> float:
    """m, by MuJoCo."""
    points = np.zeros(6)
    found = mujoco.mj_geomDistance(model, state, *(mujoco.mj_name2id(model, GEOM, name) for name in (one, other)), FAR, points)
    return float(found)


def nearest(made: Assembly, q: np.ndarray, block: str) -> float:
    """m: the least gap of the contacts of a block that are not beyond an edge."""
    values = gaps(made, q)
    relative, system = made.system.relative, made.system
    own = {name: gap for name, gap in values.items() if name == block or name.startswith(f"{block}_")}
    inside = [gap for name, gap in own.items() if f"{name}.beyond" not in relative or
              system.arrays.relative_values[relative[f"{name}.beyond"], 0] < 0.0]  # fmt: skip
    return min(inside, default=np.inf)


@pytest.mark.parametrize("pair", KNOWN, ids=" on ".join)
def test_gaps_are_the_distances(pair: tuple[str, str], tmp_path: Path) -> None:
    """To planes anywhere; of two bodies where they nearly touch, so that the nearest points are on a face and a corner, or on two edges."""
    model, state, made = two(pair, tmp_path)
    rng, compared = np.random.default_rng(1), 0
    close = 2e-8 if "mesh" in pair else 1e-9  # MuJoCo keeps vertices about their centre in single precision
    for _ in range(15):
        q = np.zeros(14)
        for k in range(2):
            x = rng.normal(size=4)
            q[7 * k : 7 * k + 7] = [*rng.uniform(-0.1, 0.1, 3) + [0, 0, 1.5], *x / np.linalg.norm(x)]
        away = rng.normal(size=3)
        away /= np.linalg.norm(away)
        low, high, middle = 0.0, 2.0, q[7:10].copy()
        for _ in range(60):  # until they are 1e-5 to 2e-3 m apart
            far = 0.5 * (low + high)
            q[7:10] = middle + far * away
            state.qpos[:] = q
            mujoco.mj_forward(model, state)
            apart = distance(model, state, "g0", "g1")
            if 1e-5 < apart < 2e-3:
                break
            low, high = (far, high) if apart < 1e-5 else (low, far)
        else:
            continue  # its distance of two polyhedra jumps at some attitudes
        for k in range(2):
            assert nearest(made, q, f"f_b{k}") == pytest.approx(distance(model, state, "f", f"g{k}"), abs=close)
        assert nearest(made, q, "b0_b1") == pytest.approx(apart, abs=close)
        compared += 1
    assert compared >= (12 if pair == ("mesh", "mesh") else 15)
