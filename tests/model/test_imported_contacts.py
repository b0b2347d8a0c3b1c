"""Contacts of imported robots: what touches what, in which blocks, what is named as not taken, and where the model starts."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import yaml
from click.testing import CliRunner
from mechanisms import close
from mjcf_texts import mjcf

import mbsim
from mbsim.assembly.contact_pairs import MOST_CORNERS
from mbsim.cli import main
from mbsim.importers.collision_hulls import FEW, convex
from mbsim.importers.formats import conversion
from mbsim.importers.robot_contacts import groups
from mbsim.importers.robot_model import ALL, FLOOR, MANY_CONTACTS, Conversion, Options
from mbsim.importers.robot_start import gaps
from mbsim.importers.urdf_elements import RobotError

PLANE = '<geom name="floor" type="plane" size="1 1 1"/>'
MASS = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


def made(folder: Path, text: str, contacts: str | None = ALL, name: str = "robot.xml", **options: Any) -> Conversion:
    (folder / name).write_text(text)
    return conversion(folder / name, Options(contacts=contacts, **options), folder)


def blocks(found: Conversion) -> dict[str, Any]:
    contacts: dict[str, Any] = yaml.safe_load(found.text).get("contacts", {})
    return contacts


def free(name: str, geoms: str, place: str = "0 0 1") -> str:
    return f'<body name="{name}" pos="{place}"><freejoint name="{name}_free"/>{MASS}{geoms}</body>'


BALL = '<geom name="{}" type="sphere" size="0.1" {}/>'


def test_bodies_that_touch_alike_are_one_block(tmp_path: Path) -> None:
    bodies = "".join(free(name, BALL.format(name, ""), f"{k} 0 1") for k, name in enumerate("abc"))
    found = blocks(made(tmp_path, mjcf(PLANE + bodies)))
    assert found["floor"] == {"bodies": ["a", "b", "c", "ground"], "plane": {"normal": [0, 0, 1]}, "friction": 1.0}
    assert found["solids"] == {"between": ["a", "b", "c"], "friction": 1.0}
    assert blocks(made(tmp_path, mjcf(PLANE + bodies), FLOOR)).keys() == {"floor"}
    assert blocks(made(tmp_path, mjcf(PLANE + bodies), None)) == {}


def test_what_differs_within_a_body_has_a_name(tmp_path: Path) -> None:
    """The foot has another friction, and the drawn box touches nothing."""
    leg = (
        '<geom type="box" size=".1 .1 .1" contype="0" conaffinity="0" group="2"/><geom name="shin" type="capsule" size=".02 .1" group="3"/>'
        + BALL.format("foot", 'group="3" condim="4" priority="1" friction="0.7 0.02" pos="0 0 -0.15"')
    )
    found = made(tmp_path, mjcf(PLANE + free("leg", leg)))
    assert blocks(found)["floor"] == {"bodies": ["leg.shin", "ground"], "plane": {"normal": [0, 0, 1]}, "friction": 1.0}
    assert blocks(found)["floor2"] == {
        "bodies": ["leg.foot", "ground"], "plane": {"normal": [0, 0, 1]}, "friction": 0.7, "drilling_resistance": 0.02,
    }  # fmt: skip
    shapes = yaml.safe_load(found.text)["bodies"]["leg"]["shape"]
    assert [(shape["type"], shape.get("role"), shape.get("name")) for shape in shapes] == [
        ("box", "visual", None), ("capsule", "collision", "shin"), ("sphere", "collision", "foot"),
    ]  # fmt: skip
    assembly = mbsim.assemble(mbsim.load_model(found.text))
    close(gaps(assembly, assembly.q)["floor2"], 0.75, atol=1e-12)


def test_links_that_follow_each_other_are_left_out_of_a_group(tmp_path: Path) -> None:
    def link(k: int) -> str:
        joint = f'<joint name="j{k}" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0.05 0 0 0.2"/>'
        return f'<body name="l{k}" pos="0 0 0.25">{joint}{link(k + 1) if k < 4 else ""}</body>'

    (block,) = blocks(made(tmp_path, mjcf(link(0)))).values()
    assert block["between"] == [f"l{k}" for k in range(5)]
    assert [tuple(pair) for pair in block["without"]] == [(f"l{k}", f"l{k + 1}") for k in range(4)]


@pytest.mark.parametrize("seed", range(30))
def test_groups_have_each_pair_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"b{k // 2}.s{k}" if k % 3 else f"c{k}" for k in range(9)]
    pairs = [
        tuple(sorted(pair)) for pair in combinations(names, 2)
        if rng.random() < rng.choice([0.2, 0.5, 0.9]) and pair[0].partition(".")[0] != pair[1].partition(".")[0]
    ]  # fmt: skip
    found = []
    for members, apart in groups(pairs, {name: k for k, name in enumerate(names)}):
        assert len({member.partition(".")[0] for member in members}) == len(members)
        found += [pair for pair in map(tuple, map(sorted, combinations(members, 2))) if pair not in apart]
    assert sorted(found) == sorted(pairs)


def test_what_is_not_taken_is_named(tmp_path: Path) -> None:
    geoms = '<geom name="egg" type="ellipsoid" size=".1 .2 .1" margin="0.01" pos="3 0 0"/>'
    geoms += '<geom name="brick" type="box" size=".1 .1 .1" condim="6" solref="0.01 1"/>'
    found = made(tmp_path, mjcf(PLANE + free("a", geoms)))
    notes = "\n".join(found.notes)
    assert "what touches nothing: geom 'egg': a geom of type ellipsoid is no shape of a model" in notes
    assert "torsional and rolling friction are not taken of geom 'floor' and geom 'brick'" in notes
    assert "margin, solref of geoms are not taken" in notes
    assert all(f"# {note}" in found.text for note in found.notes)
    assert set(blocks(found)) == {"floor"}


def test_two_cylinders_touch_as_they_are(tmp_path: Path) -> None:
    cans = (free(name, f'<geom name="can_{name}" type="cylinder" size=".1 .1"/>', f"0 {y} 3") for name, y in (("b", 0), ("c", 3)))
    found = made(tmp_path, mjcf(PLANE + "".join(cans)))
    assert set(blocks(found)) == {"floor", "b_c"}
    shapes = [shape["type"] for body in yaml.safe_load(found.text)["bodies"].values() for shape in body["shape"]]
    assert shapes == ["cylinder", "cylinder"]


@pytest.mark.parametrize("angle", [1.2, 0.0], ids=["tilted", "upright"])
def test_a_cylinder_stays_one(angle: float, tmp_path: Path) -> None:
    can = free("can", f'<geom name="can" type="cylinder" size=".1 .05" euler="{angle} 0 0"/>')
    found = made(tmp_path, mjcf(PLANE + can + free("ball", BALL.format("ball", ""), "0 0 2")))
    (shape,) = yaml.safe_load(found.text)["bodies"]["can"]["shape"]
    assert shape["type"] == "cylinder" and "prism" not in "".join(found.notes)


def test_what_floats_is_lifted_out_of_the_floor(tmp_path: Path) -> None:
    """0.03 m of a slope of 30 degrees: by that over the cosine, along the vertical."""
    slope = '<geom name="slope" type="plane" size="1 1 1" euler="0 0.5235987755982988 0"/>'
    found = made(tmp_path, mjcf(slope + free("a", BALL.format("g", ""), "0 0 0.08")))
    start = yaml.safe_load(found.text)["initial"]
    assert start.keys() == {"a_free.z"}
    close(start["a_free.z"], 0.1 / np.cos(np.pi / 6), atol=1e-6)
    assert "a_free starts 0.0355 m higher: what it carries was inside of what is fixed" in found.notes
    assembly = mbsim.assemble(mbsim.load_model(found.text))
    assert min(gaps(assembly, assembly.q).values()) > -1e-6


def test_what_is_inside_of_each_other_does_not_touch(tmp_path: Path) -> None:
    bodies = (
        free("a", BALL.format("one", "")) + free("b", BALL.format("two", ""), "0.15 0 1") + free("c", BALL.format("three", ""), "1 0 1")
    )
    found = made(tmp_path, mjcf(bodies))
    assert "contacts are not taken of geom 'one' and geom 'two': they are inside each other where the model starts" in found.notes
    (block,) = blocks(found).values()
    assert sorted(block["between"]) == ["a", "b", "c"] and block["without"] == [["a", "b"]]


def test_a_mesh_touches_by_few_corners(tmp_path: Path) -> None:
    trimesh.creation.icosphere(subdivisions=3, radius=0.1).export(tmp_path / "ball.stl")
    trimesh.creation.box((0.2, 0.2, 0.2)).export(tmp_path / "box.stl")
    asset = '<asset><mesh name="ball" file="ball.stl"/><mesh name="box" file="box.stl"/></asset>'
    bodies = free("a", '<geom type="mesh" mesh="ball"/>') + free("b", '<geom type="mesh" mesh="box"/>', "1 0 1")
    found = made(tmp_path, mjcf(PLANE + bodies, asset), FLOOR)
    a, b = (yaml.safe_load(found.text)["bodies"][name]["shape"] for name in "ab")
    assert [(shape["type"], shape.get("role")) for shape in a] == [("mesh", "visual"), ("convex", "collision")]
    assert len(a[1]["vertices"]) == FEW
    close(np.linalg.norm(a[1]["vertices"], axis=1), 0.1, atol=1e-7)
    assert [shape["type"] for shape in b] == ["mesh"]
    assert any(f"{FEW} of the 642 corners of its convex hull are taken" in note for note in found.notes)


def test_few_corners_of_a_hull() -> None:
    """All of a small one; of a large one what is missing is as deep as is said."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    assert convex(points[:MOST_CORNERS]).is_whole
    hull = convex(points)
    corners = np.array(yaml.safe_load(f"{{{hull.keys}}}")["vertices"])
    faces = trimesh.convex.convex_hull(corners)
    outside = max(float((faces.face_normals @ p - np.einsum("ij,ij->i", faces.face_normals, faces.triangles[:, 0])).max()) for p in points)
    assert f"up to {1e3 * outside:.2g} mm outside" in hull.said
    with pytest.raises(ValueError, match="its points have no volume"):
        convex(points * [1.0, 1.0, 0.0])


ARM = """<robot name="arm">
 <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
 {links}
</robot>"""
LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
 <collision name="rod"><origin xyz="0 0 0.2"/><geometry><capsule radius="0.03" length="0.3"/></geometry></collision></link>
 <joint name="{0}_joint" type="revolute"><parent link="{1}"/><child link="{0}"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/></joint>"""
URDF = ARM.format(links=LINK.format("upper", "base") + LINK.format("lower", "upper") + LINK.format("hand", "lower"))


def test_links_of_a_urdf(tmp_path: Path) -> None:
    """The floor at the origin of the root; links that a joint connects do not touch."""
    found = made(tmp_path, URDF, ALL, "arm.urdf")
    assert blocks(found)["floor"]["bodies"] == ["upper", "lower", "hand", "ground"]
    assert blocks(found)["floor"]["plane"] == {"normal": [0, 0, 1]}
    pairs = blocks(found)["solids"]
    assert pairs["between"] == ["upper", "lower", "hand", "ground"]
    assert sorted(map(sorted, pairs["without"])) == [["ground", "upper"], ["hand", "lower"], ["lower", "upper"]]
    assert yaml.safe_load(found.text)["parameters"] == {"contact_friction": 0.8}
    assert {block["friction"] for block in blocks(found).values()} == {"contact_friction"}
    at_floor = blocks(made(tmp_path, URDF, FLOOR, "arm.urdf", floor=-0.5, mu=0.3))
    assert at_floor["floor"]["plane"]["through"] == [0, 0, -0.5]
    assert at_floor["solids"]["between"] == ["lower", "ground"] or "ground" in at_floor["solids"]["between"]


def test_a_floor_below_a_urdf_that_floats(tmp_path: Path) -> None:
    """At its lowest point: the base's box, 0.05 m below the origin."""
    base = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial><collision>'
    found = made(tmp_path, URDF.replace("<collision>", base, 1), FLOOR, "arm.urdf", floating=True)
    assert blocks(found)["floor"]["bodies"] == ["base", "upper", "lower", "hand", "ground"]
    assert blocks(found)["floor"]["plane"]["through"] == [0, 0, -0.05]
    assert any("the floor is at z = -0.05 m, the lowest point of the robot" in note for note in found.notes)
    assert "initial" not in yaml.safe_load(found.text)


def test_a_floor_below_an_mjcf_without_one(tmp_path: Path) -> None:
    """Its friction is that of a geom by default, unless the other's is larger; what touches nothing does not touch it."""
    bodies = free("a", BALL.format("a", 'friction="1.5"')) + free("b", BALL.format("b", 'contype="0" conaffinity="0"'), "1 0 1")
    found = blocks(made(tmp_path, mjcf(bodies), FLOOR, floor=-1.0))
    assert found == {"floor": {"bodies": ["a", "ground"], "plane": {"normal": [0, 0, 1], "through": [0, 0, -1]}, "friction": 1.5}}


def test_many_contacts_are_gone_through_by_steps(tmp_path: Path) -> None:
    box = '<geom type="box" size=".1 .1 .1"/>'
    found = made(tmp_path, mjcf(free("a", box) + free("b", box, "1 0 1") + free("c", box, "2 0 1")))
    assert yaml.safe_load(found.text)["simulation"]["impacts"] == "steps"
    assert any(f"with {3 * 52} contacts the run goes through them by steps" in note for note in found.notes) and MANY_CONTACTS < 3 * 52
    assert "impacts" not in yaml.safe_load(made(tmp_path, mjcf(free("a", box) + free("b", box, "1 0 1"))).text)["simulation"]


PAIR = '<contact><pair geom1="{}" geom2="{}" {}/></contact>'
TWO = free("a", BALL.format("one", "")) + free("b", BALL.format("two", ""), "1 0 1")
FAULTS = [
    (mjcf(TWO).replace("</mujoco>", PAIR.format("one", "three", "") + "</mujoco>"),
     "the contact pair of one and three: there is no geom 'three'"),
    (mjcf(TWO).replace("</mujoco>", PAIR.format("one", "one", "") + "</mujoco>"),
     "the contact pair of one and one: a geom does not touch itself"),
    (mjcf(TWO).replace("</mujoco>", PAIR.format("one", "two", 'friction="-1 -1"') + "</mujoco>"),
     "a friction must not be negative (got -1)"),
    (mjcf(TWO).replace("</mujoco>", '<contact><exclude body1="a" body2="c"/></contact></mujoco>'),
     "the contact exclusion of a and c: there is no body 'c'"),
    (mjcf(free("a", BALL.format("one", 'condim="2"'))), "geom 'one': condim: expected 1, 3, 4, 6 (got 2)"),
    (mjcf(free("a", BALL.format("one", 'contype="0.5"'))), "geom 'one': contype: expected a whole number (got 0.5)"),
    (mjcf(free("a", BALL.format("one", 'friction="-0.1"'))), "geom 'one': a friction must not be negative (got -0.1)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[message[:50] for _, message in FAULTS])
def test_wrong_contacts(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RobotError) as caught:
        made(tmp_path, text)
    assert message in str(caught.value)


OPTIONS = [
    (["--floor", "0"], "--floor goes with --contacts"),
    (["--mu", "0.5"], "--mu goes with --contacts"),
    (["--contacts", "some"], "'some' is not one of 'floor', 'all'"),
    (["--contacts", "all", "--mu", "-1"], "-1.0 is not in the range x>=0"),
    (["--contacts", "all", "--floor", "nan"], "nan is not a finite number"),
    (["--contacts", "all", "--mu", "0.5"], "--mu is for URDF; geoms of MJCF have a friction of their own"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS)
def test_wrong_options(options: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "robot.xml").write_text(mjcf(TWO))
    found = CliRunner().invoke(main, ["import", str(tmp_path / "robot.xml"), "-o", str(tmp_path / "m.yaml"), *options])
    assert found.exit_code == 2 and message in found.output
    assert not (tmp_path / "m.yaml").exists()


WRONG = """<mujoco>
<option gravity="0 0" wind="x 0 0"><flag gravity="enable"/></option>
<worldbody><body name="b"><joint name="j"/><geom name="g" size="0.1" condim="2"/><geom name="h" size="0.1" friction="-1"/></body>
</worldbody>
<contact><pair geom1="g" geom2="k"/><pair geom1="g" geom2="g"/><exclude body1="b" body2="c"/></contact>
<actuator><motor name="m" joint="j"/></actuator>
<keyframe><key name="up" qpos="0 1" qvel="x" ctrl="1 2"/></keyframe>
</mujoco>"""


def test_all_mistakes_of_options_keyframes_and_contacts_are_told(tmp_path: Path) -> None:
    """The first one ended the import."""
    path = tmp_path / "robot.xml"
    path.write_text(WRONG)
    result = CliRunner().invoke(main, ["import", str(path), "--contacts", "all"])
    assert result.exit_code == 2
    told = result.output.removeprefix("Error: ").splitlines()
    wanted = (
        "<option>: gravity: expected 3 finite numbers",
        "<option>: wind:",
        "keyframe 'up': qpos: expected 1 numbers (got 2)",
        "keyframe 'up': qvel:",
        "keyframe 'up': ctrl: expected 1 numbers (got 2)",
        "condim: expected 1, 3, 4, 6 (got 2)",
        "a friction must not be negative (got -1)",
        "the contact pair of g and k: there is no geom 'k'",
        "the contact pair of g and g: a geom does not touch itself",
        "the contact exclusion of b and c: there is no body 'c'",
    )
    assert len(told) == len(wanted), told
    for line, part in zip(told, wanted, strict=True):
        assert part in line
