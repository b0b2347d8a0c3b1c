"""MJCF files that attach others: the same model as of a file in which everything is written out, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from mjcf_texts import mjcf

from mbsim.importers.formats import conversion
from mbsim.importers.robot_model import Options
from mbsim.importers.urdf_elements import RobotError

ARM = """<mujoco model="arm"><compiler angle="degree" eulerseq="zyx" meshdir="shapes"/>
<asset><mesh file="plate.stl"/></asset>
<default><joint damping="0.3" armature="0.01"/><geom density="500"/><position kp="7"/>
  <default class="thin"><joint axis="1 0 0" stiffness="2" springref="20"/><geom size="0.03"/></default></default>
<worldbody>
  <body name="other" pos="3 0 0"><joint name="o" axis="0 1 0"/><geom type="sphere" size=".1"/></body>
  <body name="base" pos="0.1 0.2 0.3" euler="10 20 30" childclass="thin">
    <joint name="a" axis="0 1 0" pos="0.01 0 0" ref="15" range="-30 40"/>
    <geom type="capsule" fromto="0 0 0 .3 .1 0"/><geom type="mesh" mesh="plate" mass="0"/>
    <frame pos="0 0 0.1" axisangle="0 0 1 25"><body name="hand" pos=".3 0 .1">
      <joint name="b"/><joint name="c" type="slide" axis="0 0 1" ref="0.1"/><geom type="sphere" pos="0 0 .2"/></body></frame>
  </body>
</worldbody>
<tendon>
  <fixed name="t" stiffness="5" damping="0.2"><joint joint="a" coef="0.5"/><joint joint="c" coef="-2"/></fixed>
  <fixed name="u" stiffness="5"><joint joint="o" coef="0.5"/><joint joint="c" coef="-2"/></fixed>
</tendon>
<equality><joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/><joint joint1="o" joint2="a" polycoef="0 3 0 0 0"/></equality>
<actuator><motor name="m" joint="a" gear="3"/><position name="p" joint="c" ctrlrange="-1 1"/><motor name="n" joint="o"/>
  <motor name="v" tendon="t" gear="2"/></actuator>
<keyframe><key name="k" qpos="1 2 3 4"/></keyframe>
</mujoco>"""
TRUNK = """<body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .3"/>{}
  <body name="head" pos="0 0 .5"><joint name="neck" axis="0 0 1"/><geom type="sphere" size=".1"/></body></body>"""
# Of the same file without <attach>: angles in rad, no defaults; MuJoCo gives the same masses and accelerations of both.
WRITTEN = """<frame {place}><body name="{x}base" pos="0.1 0.2 0.3" quat="{base}">
  <joint name="{x}a" axis="0 1 0" pos="0.01 0 0" ref="{ref}" range="{range}" damping=".3" armature=".01" stiffness="2" springref="{rest}"/>
  <geom type="capsule" fromto="0 0 0 .3 .1 0" size=".03" density="500"/><geom type="mesh" mesh="plate" mass="0"/>
  <frame pos="0 0 0.1" axisangle="0 0 1 {turn}"><body name="{x}hand" pos=".3 0 .1">
    <joint name="{x}b" axis="1 0 0" damping=".3" armature=".01" stiffness="2" springref="{rest}"/>
    <joint name="{x}c" type="slide" axis="0 0 1" ref="0.1" damping=".3" armature=".01" stiffness="2" springref="20"/>
    <geom type="sphere" pos="0 0 .2" size=".03" density="500"/></body></frame>
</body></frame>"""
ACTING = """
<tendon><fixed name="{x}t" stiffness="5" damping="0.2"><joint joint="{x}a" coef="0.5"/><joint joint="{x}c" coef="-2"/></fixed></tendon>
<equality><joint joint1="{x}b" joint2="{x}a" polycoef="0 2 0 0 0"/></equality>
<actuator><motor name="{x}m" joint="{x}a" gear="3"/><position name="{x}p" joint="{x}c" kp="7" ctrlrange="-1 1"/>
  <motor name="{x}v" tendon="{x}t" gear="2"/></actuator>"""
PLACES = {"l_": 'pos=".2 0 .3" euler="0.1 0.2 0.3"', "r_": ""}
# An own default that would add damping to every joint of the arms, if it were taken for theirs.
DEFAULT = '<default><joint stiffness="4"/></default>'


def put(folder: Path, text: str) -> None:
    (folder / "parts" / "shapes").mkdir(parents=True)
    (folder / "parts" / "arm.xml").write_text(text)
    facets = np.zeros(4, [("normal", "<3f4"), ("corners", "<9f4"), ("rest", "<u2")])
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], float)
    facets["corners"] = [corners[list(face)].ravel() for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    (folder / "parts" / "shapes" / "plate.stl").write_bytes(bytes(80) + np.uint32(4).tobytes() + facets.tobytes())


def read(folder: Path, text: str) -> tuple[Any, list[str]]:
    (folder / "robot.xml").write_text(text)
    found = conversion(folder / "robot.xml", Options(), folder)
    return yaml.safe_load(found.text), list(found.notes)


def same(first: Any, second: Any) -> None:
    """Plain data with the same keys, whose numbers are the same to round-off."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            same(first[key], second[key])
    elif isinstance(first, list):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            same(one, other)
    elif isinstance(first, float):
        assert first == pytest.approx(second, rel=1e-12, abs=1e-12)
    else:
        assert first == second


def test_a_body_attached_twice(tmp_path: Path) -> None:
    put(tmp_path, ARM)
    model = '<asset><model name="arm" file="parts/arm.xml"/></asset>'
    attached = "".join(f'<frame {place}><attach model="arm" body="base" prefix="{x}"/></frame>' for x, place in PLACES.items())
    robot, notes = read(tmp_path, mjcf(TRUNK.format(attached), DEFAULT + model))
    half = np.radians([10, 20, 30]) / 2
    (cx, cy, cz), (sx, sy, sz) = np.cos(half), np.sin(half)
    # Turns about z by 10, then y by 20, then x by 30 degrees.
    base = [cx * cy * cz + sx * sy * sz, cx * cy * sz - sx * sy * cz, cx * sy * cz + sx * cy * sz, sx * cy * cz - cx * sy * sz]
    words = {"base": " ".join(map(repr, map(float, base))), "ref": repr(float(np.radians(15))), "rest": repr(float(np.radians(20)))}
    words |= {"range": " ".join(repr(float(x)) for x in np.radians([-30, 40])), "turn": repr(float(np.radians(25)))}
    bodies = "".join(WRITTEN.format(x=x, place=place, **words) for x, place in PLACES.items())
    neck = TRUNK.replace('axis="0 0 1"', 'axis="0 0 1" stiffness="4"').format(bodies)
    text = mjcf(neck, '<asset><mesh name="plate" file="parts/shapes/plate.stl"/></asset>')
    whole = text.replace("</mujoco>", "".join(ACTING.format(x=x) for x in PLACES) + "</mujoco>")
    expected, _ = read(tmp_path, whole)
    same(robot, expected)
    assert [note for note in notes if "keyframes" in note] == ["<attach> of 'arm': its keyframes are not taken"] * 2
    assert {"l_base", "l_hand", "r_base", "r_hand"} <= robot["bodies"].keys() and "l_other" not in robot["bodies"]


def test_a_whole_world_through_two_files(tmp_path: Path) -> None:
    """The file between has other units; nothing comes of it but what it attaches."""
    put(tmp_path, ARM)
    (tmp_path / "between.xml").write_text(
        '<mujoco><compiler angle="radian"/><asset><model name="a" file="parts/arm.xml"/></asset>'
        '<worldbody><frame pos="1 0 0"><attach model="a" prefix="x_"/></frame></worldbody></mujoco>'
    )
    model = '<asset><model name="b" file="between.xml"/></asset>'
    robot, _ = read(tmp_path, mjcf('<attach model="b" prefix="y_"/>', model))
    assert set(robot["bodies"]) >= {"y_x_other", "y_x_base", "y_x_hand"}
    (tmp_path / "flat.xml").write_text(ARM)
    flat = mjcf('<frame pos="1 0 0"><attach model="c" prefix="y_x_"/></frame>', '<asset><model name="c" file="parts/arm.xml"/></asset>')
    same(robot, read(tmp_path, flat)[0])


WRONG = {
    '<attach model="b" prefix="x_"/>': "<attach> of 'b': there is no such <model> among the assets; they are arm",
    '<attach model="arm" body="elbow" prefix="x_"/>': "<attach> of 'arm': it has no body 'elbow'",
}


@pytest.mark.parametrize("attach", WRONG)
def test_refused(attach: str, tmp_path: Path) -> None:
    put(tmp_path, ARM)
    with pytest.raises(RobotError) as error:
        read(tmp_path, mjcf(attach, '<asset><model name="arm" file="parts/arm.xml"/></asset>'))
    assert WRONG[attach] in str(error.value)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("no.xml", "<model>: there is no file 'no.xml' beside the file that attaches it"),
        ("/etc/arm.xml", "<model>: there is no file '/etc/arm.xml' beside"),
        ("robot.xml", "robot.xml is attached inside itself"),
        ("parts/arm.xml", "its compiler's boundmass is not that of the file that attaches it, which is not read"),
    ],
)
def test_files_that_are_refused(file: str, said: str, tmp_path: Path) -> None:
    put(tmp_path, ARM.replace("<compiler ", '<compiler boundmass="1" '))
    with pytest.raises(RobotError, match=said):
        read(tmp_path, mjcf('<attach model="arm" prefix="x_"/>', f'<asset><model name="arm" file="{file}"/></asset>'))
