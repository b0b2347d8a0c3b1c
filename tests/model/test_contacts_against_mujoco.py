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
KNOWN = list(combinations_with_replacement(SHAPES, 2))


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
            continue  # they are apart from the outset, or its distance of two polyhedra jumps
        for k in range(2):
            assert nearest(made, q, f"f_b{k}") == pytest.approx(distance(model, state, "f", f"g{k}"), abs=close)
        assert nearest(made, q, "b0_b1") == pytest.approx(apart, abs=close)
        compared += 1
    assert compared >= 12


SAMPLE = 0.02  # s
SOFT = (
    '<option timestep="{step}" cone="elliptic" impratio="100" integrator="implicitfast"/><default><geom solref="{constant} 1"/></default>'
)


def both(text: str, end: float, constant: float, folder: Path) -> tuple[Any, np.ndarray]:
    """The imported model's result, and MuJoCo's qpos (k, n) with springs that take the speed in `constant` (s), both each SAMPLE."""
    step = min(1e-3, 0.2 * constant)
    text = text.replace("<mujoco>", "<mujoco>" + SOFT.format(step=step, constant=constant))
    (folder / "m.xml").write_text(text)
    (folder / "m.yaml").write_text(conversion(folder / "m.xml", Options(contacts=ALL), folder).text)
    result = mbsim.simulate(mbsim.load_model(folder / "m.yaml", simulation={"end": end, "output_step": SAMPLE}))
    model = mujoco.MjModel.from_xml_path(str(folder / "m.xml"))
    state, rows = mujoco.MjData(model), []
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, state, 0)
    for _ in range(round(end / SAMPLE) + 1):
        rows.append(state.qpos.copy())
        for _ in range(round(SAMPLE / step)):
            mujoco.mj_step(model, state)
    return result, np.array(rows)


def at_rows(result: Any, *names: str) -> np.ndarray:
    """(k, n) of coordinates at each SAMPLE."""
    times = np.arange(round(float(result.time[-1]) / SAMPLE) + 1) * SAMPLE
    return np.array([np.interp(times, result.time, result.select("q", name)) for name in names]).T


def test_a_crate_slides_down_a_slope(tmp_path: Path) -> None:
    """The larger friction of the two, 0.3: g (sin a - 0.3 cos a) t^2 / 2 in closed form, and 0.2 % of that by MuJoCo."""
    crate = '<geom type="box" size=".1 .15 .05" pos="0 0 0.05" mass="2" friction="0.3"/>'
    slope = '<geom name="slope" type="plane" size="0 0 1" euler="0 25 0" friction="0.2"/>'
    body = f'<body name="crate" euler="0 25 0"><freejoint name="c"/>{crate}</body>'
    result, soft = both(f"<mujoco><worldbody>{slope}{body}</worldbody></mujoco>", 1.0, 0.002, tmp_path)
    place = at_rows(result, "c.x", "c.z")
    a = np.radians(25.0)
    way = float(np.linalg.norm(place[-1] - place[0]))
    assert way == pytest.approx(0.5 * 9.81 * (np.sin(a) - 0.3 * np.cos(a)), abs=1e-6)
    assert float(np.linalg.norm(soft[-1, [0, 2]] - soft[0, [0, 2]])) == pytest.approx(way, rel=2e-3)


def test_a_post_falls_over_to_the_side_to_which_it_leans(tmp_path: Path) -> None:
    """On its lower edge and then along the floor; where it lies is a centimetre from where it lies by MuJoCo."""
    post = '<geom type="box" size=".05 .1 .4" mass="3" friction="0.9"/>'
    body = f'<body name="post" pos="0 0 0.41" euler="0 12 0"><freejoint name="p"/>{post}</body>'
    floor = '<geom name="floor" type="plane" size="0 0 1"/>'
    result, soft = both(f"<mujoco><worldbody>{floor}{body}</worldbody></mujoco>", 1.5, 0.004, tmp_path)
    found = at_rows(result, "p.x", "p.y", "p.z")
    assert found[-1, 0] > 0.3 and soft[-1, 0] > 0.3
    assert found[-1, 2] == pytest.approx(0.05, abs=1e-9) and soft[-1, 2] == pytest.approx(0.05, abs=1e-3)
    assert np.abs(found[-1] - soft[-1, :3]).max() < 0.02
    assert carried(result, "floor_") == pytest.approx(3 * 9.81, rel=1e-9)


def carried(result: Any, begins: str) -> float:
    """N: the normal forces at the end of the contacts whose names begin so."""
    rows = [name for name in result.labels("constraint") if name.startswith(begins) and not any(x in name for x in ("stick", "ling"))]
    forces = [result.select("multiplier", name)[-1] for name in rows]
    return float(np.nansum(forces))


def leg(name: str, x: float, y: float) -> str:
    """A thigh with a calf, whose foot has a friction of its own."""
    foot = '<geom type="sphere" size="0.02" pos="0 0 -0.18" condim="6" priority="1" friction="0.8 0.02 0.001" group="3"/>'
    calf = f'<joint name="{name}_knee" axis="0 1 0" damping="0.5"/><inertial pos="0 0 -.08" mass=".2" diaginertia=".001 .001 .0001"/>{foot}'
    shown = '<geom type="capsule" fromto="0 0 0 0 0 -.18" size=".012" contype="0" conaffinity="0"/>'
    thigh = f'<joint name="{name}_hip" axis="0 1 0" damping="0.5"/><inertial pos="0 0 -.09" mass=".6" diaginertia=".003 .003 .0003"/>'
    shin = '<geom type="capsule" fromto="0 0 -.03 0 0 -.15" size=".02"/>'
    return f'<body name="{name}" pos="{x} {y} 0">{thigh}{shin}<body name="{name}_calf" pos="0 0 -.18">{calf}{shown}</body></body>'


@pytest.mark.slow
def test_a_quadruped_lands_on_its_feet(tmp_path: Path) -> None:
    """Held by servo motors it stands as high as by MuJoCo, and its feet carry its weight."""
    legs = {name: leg(name, x, y) for name, x, y in (("FL", 0.18, 0.1), ("FR", 0.18, -0.1), ("RL", -0.18, 0.1), ("RR", -0.18, -0.1))}
    trunk = '<freejoint name="root"/><inertial pos="0 0 0" mass="6" diaginertia=".03 .06 .07"/><geom type="box" size=".19 .07 .045"/>'
    motors = "".join(f'<position joint="{name}_{joint}" kp="60" kv="2"/>' for name in legs for joint in ("hip", "knee"))
    home = f'<key qpos="0 0 0.35 1 0 0 0 {"0.5 -1 " * 4}" ctrl="{"0.5 -1 " * 4}"/>'
    world = f'<geom name="floor" type="plane" size="0 0 1"/><body name="trunk" pos="0 0 .36">{trunk}{"".join(legs.values())}</body>'
    text = (
        f'<mujoco><compiler angle="radian"/><worldbody>{world}</worldbody><actuator>{motors}</actuator><keyframe>{home}</keyframe></mujoco>'
    )
    result, soft = both(text, 1.0, 0.004, tmp_path)
    height = at_rows(result, "root.z")[:, 0]
    assert height[-1] == pytest.approx(soft[-1, 2], abs=1e-3)
    assert np.abs(height - soft[:, 2]).max() < 5e-3
    assert carried(result, "floor") == pytest.approx((6 + 4 * 0.8) * 9.81, rel=1e-3)


@pytest.mark.slow
def test_a_gripper_lifts_a_cube_off_a_table(tmp_path: Path) -> None:
    """Two pads, a cube between them and a ball that falls beside; all are solids of which each may touch each."""
    pad = '<geom type="box" size=".01 .02 .06" mass=".1" friction="0.9"/>'
    fingers = "".join(
        f'<body name="{name}" pos="{x} 0 -.08"><joint name="{name}" type="slide" axis="{axis} 0 0" damping="1"/>{pad}</body>'
        for name, x, axis in (("left", -0.06, 1), ("right", 0.06, -1))
    )
    palm = (
        f'<joint name="lift" type="slide" axis="0 0 1" damping="5"/><geom type="box" size=".08 .03 .02" pos="0 0 .03" mass=".5"/>{fingers}'
    )
    table = '<geom type="box" size=".4 .4 .05" pos="0 0 -.05" friction="0.6"/>'
    cube = '<body name="cube" pos=".005 0 .131"><freejoint name="cube"/><geom type="box" size=".025 .025 .03" mass=".2"/></body>'
    ball = '<body name="ball" pos=".2 .1 .06"><freejoint name="ball"/><geom type="sphere" size=".03" mass=".1"/></body>'
    motors = '<motor joint="left"/><motor joint="right"/><position joint="lift" kp="400" kv="40"/>'
    start = '<key qpos="0 0 0 .005 0 .131 1 0 0 0 .2 .1 .06 1 0 0 0" ctrl="8 8 .05"/>'
    world = f'{table}<body name="palm" pos="0 0 .25">{palm}</body>{cube}{ball}'
    text = f"<mujoco><worldbody>{world}</worldbody><actuator>{motors}</actuator><keyframe>{start}</keyframe></mujoco>"
    result, soft = both(text, 0.6, 0.004, tmp_path)
    found = at_rows(result, "lift.displacement", "cube.x", "cube.z", "ball.z")[-1]
    assert found == pytest.approx(soft[-1, [0, 3, 5, 12]], abs=1e-3)
    assert found[2] > 0.15  # 0.02 m higher than it was
