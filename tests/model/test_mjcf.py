"""MJCF (MuJoCo) robots as models: masses, frames, forces and starts against closed forms and MuJoCo, and what is refused."""

import logging
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import close
from mjcf_texts import HINGE, ROD, imported, mjcf

import mbsim
from mbsim.cli import main
from mbsim.importers.formats import conversion
from mbsim.importers.robot_model import Options
from mbsim.importers.urdf_elements import RobotError


def notes(tmp_path: Path, text: str) -> str:
    (tmp_path / "robot.xml").write_text(text)
    return "\n".join(conversion(tmp_path / "robot.xml", Options(), tmp_path).notes)


def test_a_pendulum_of_geoms(tmp_path: Path) -> None:
    """Mass, centre and inertia of a capsule of 1000 kg/m^3; gravity of the file; armature, damping and a spring with its rest angle."""
    joint = '<joint name="j" axis="0 1 0" ref="0.3" armature="0.2" damping="0.4" stiffness="5" springref="0.5"/>'
    source = imported(tmp_path, mjcf(f'<body name="rod" pos="0 0 1">{joint}{ROD}</body>', '<option gravity="0 0 -3"/>'))
    r, l = 0.02, 0.5
    tube, ball = 1000 * np.pi * r**2 * l, 1000 * 4 / 3 * np.pi * r**3
    mass = tube + ball
    about = tube * (3 * r**2 + l**2) / 12 + ball * (0.4 * r**2 + 0.375 * l * r + 0.25 * l**2) + mass * (l / 2) ** 2
    system = (made := mbsim.assemble(mechanisms.model(source))).system
    M = system.M(0.0, made.q)[0, 0]
    close(M, about + 0.2, atol=1e-12)
    assert source["joints"]["j"]["rotor_inertia"] == 0.2
    x, speed = 0.4, 0.7
    h = system.terms(0.0, [x], [speed])[1][0]
    close(h, -mass * 3 * l / 2 * np.sin(x) - 5 * (x - 0.2) - 0.4 * speed, atol=1e-12)


TURNED = {
    "quat": 'quat="0.8 0 0.6 0"',
    "axisangle": f'axisangle="0 2 0 {2 * np.arccos(0.8)}"',
    "xyaxes": 'xyaxes="0.28 0 -0.96 0 1 0"',
    "zaxis": 'zaxis="0.96 0 0.28"',
    "euler": f'euler="0 {2 * np.arccos(0.8)} 0"',
}


@pytest.mark.parametrize("form", TURNED)
def test_every_form_of_an_orientation(form: str, tmp_path: Path) -> None:
    body = f'<body name="rod" {TURNED[form]}>{HINGE}<inertial pos="0.1 0.2 0.3" mass="1" diaginertia="1 1.1 1.2"/></body>'
    rod = imported(tmp_path, mjcf(body))["bodies"]["rod"]
    close(rod["position"], [0.1 * 0.28 + 0.3 * 0.96, 0.2, -0.1 * 0.96 + 0.3 * 0.28], atol=1e-15)
    close(rod["orientation"]["quaternion"], [0.8, 0, 0.6, 0], atol=1e-15)


@pytest.mark.parametrize(("order", "expected"), [("xyz", [0, 0, 1]), ("zyx", [0, 1, 0]), ("XYZ", [0, 1, 0])])
def test_order_of_euler_angles(order: str, expected: list[float], tmp_path: Path) -> None:
    """In degrees, of lower case about axes that turn too: where the centre of mass on the body's x axis comes to."""
    body = f'<body name="rod" euler="90 0 90">{HINGE}<inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/></body>'
    text = f'<mujoco><compiler eulerseq="{order}"/><worldbody>{body}</worldbody></mujoco>'
    close(imported(tmp_path, text)["bodies"]["rod"]["position"], expected, atol=1e-15)


def test_classes_of_defaults(tmp_path: Path) -> None:
    """A class has what its parent has; the element, then its class, then the childclass around it say a key."""
    classes = """<default><joint damping="1" armature="0.1"/><default class="a"><joint damping="2"/>
      <default class="b"><joint stiffness="3"/></default></default></default>"""
    rod = '<body name="{0}"{1}><joint name="j{0}"{2}/><geom size="0.1" pos="0.2 0 0"/></body>'
    bodies = "".join(
        [rod.format("p", "", ""), rod.format("q", ' childclass="a"', ""), rod.format("r", ' childclass="a"', ' class="b"'),
         rod.format("s", ' childclass="b"', ' damping="7" class="main"')]
    )  # fmt: skip
    source = imported(tmp_path, mjcf(bodies, classes))
    assert {name: force.get("viscous") for name, force in source["forces"].items() if "damping" in name} == {
        "jp_damping": 1.0, "jq_damping": 2.0, "jr_damping": 2.0, "js_damping": 7.0,
    }  # fmt: skip
    assert [name for name in source["forces"] if name.endswith("spring")] == ["jr_spring"]
    assert {joint["rotor_inertia"] for joint in source["joints"].values()} == {0.1}


def test_several_joints_in_one_body(tmp_path: Path) -> None:
    """Two slides and a hinge beside the body's origin: where a point is after all three, the hinge last."""
    joints = (
        '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><joint name="j" axis="0 1 0" pos="0.3 0 0"/>'
    )
    source = imported(tmp_path, mjcf(f'<body name="cart" pos="0 0 1">{joints}<geom type="box" size=".1 .2 .3" pos="1 0 0"/></body>'))
    assert source["joints"]["j"]["at"] == [0.3, 0, 1]
    system = mbsim.assemble(mechanisms.model(source)).system
    place = mbsim.forward_kinematics(system, 0.0, [0.5, 0.25, np.pi / 2])["cart"]["position"]
    close(place, [0.3 + 0.5, 0, 1 + 0.25 - 0.7], atol=1e-14)


def test_frames_and_a_fixed_body(tmp_path: Path) -> None:
    """Elements in a <frame> are those of the body, moved; a body without a joint is fixed; a body of the world is scenery."""
    tip = '<body name="tip" pos="2 0 0"><geom size=".1"/></body>'
    inner = f'<frame pos="0 0 -1" axisangle="0 0 1 {np.pi / 2}"><geom size="0.1" pos="1 0 0"/>{tip}</frame>'
    text = mjcf(f'<body name="wall" pos="5 0 0"><geom type="box" size="1 1 1"/></body><body name="rod">{HINGE}{inner}</body>')
    source = imported(tmp_path, text)
    assert list(source["bodies"]) == ["rod", "tip"] and source["joints"]["tip_fixed"]["type"] == "fixed"
    close(source["bodies"]["rod"]["position"], [0, 1, -1], atol=1e-15)
    close(source["bodies"]["tip"]["position"], [0, 2, -1], atol=1e-15)
    assert source["ground"]["shape"][0]["size"] == [2, 2, 2]


FORE = f'<body name="fore" pos="0 0 -0.5"><joint name="k" type="slide" axis="0 0 1" ref="0.1"/>{ROD}</body>'
ARM = f'<body name="arm">{HINGE}{ROD}{FORE}</body>'
ACTUATORS = {  # the effort on the joint at angle or displacement 0.2, rate -0.5, control 0.7
    '<motor joint="j" gear="3"/>': 3 * 0.7,
    '<motor joint="j" ctrlrange="-0.5 0.5"/>': 0.5,
    '<position joint="j" kp="10" kv="2"/>': 10 * (0.7 - 0.2) - 2 * -0.5,
    '<position joint="k" kp="10" gear="2"/>': 2 * 10 * (0.7 - 2 * 0.3),
    '<position joint="j" kp="10" forcerange="-1 3"/>': 3.0,
    '<velocity joint="j" kv="4"/>': 4 * (0.7 + 0.5),
    '<damper joint="j" kv="4"/>': -4 * 0.7 * -0.5,
    '<general joint="j" gainprm="5" biastype="affine" biasprm="1 2 3"/>': 5 * 0.7 + 1 + 2 * 0.2 + 3 * -0.5,
    '<general joint="j" gaintype="affine" gainprm="5 1 2"/>': (5 + 0.2 - 1) * 0.7,
    '<general joint="k" gear="-2" gainprm="5" biastype="affine" biasprm="1 -2 -3"/>': -2 * (5 * 0.7 + 1 - 2 * -0.6 - 3 * 1.0),
    '<general joint="k" gainprm="8" biastype="affine" biasprm="0 -4 0" forcerange="-9 1"/>': 1.0,
    '<velocity joint="j" gear="-2" kv="4" ctrlrange="-0.5 0.5" forcerange="-1 9"/>': -2 * -1.0,
}
CONTROLLERS = ("<position", "<velocity", '"0 -4 0"', '"1 -2 -3"')


@pytest.mark.parametrize("actuator", ACTUATORS)
def test_actuators_are_laws(actuator: str, tmp_path: Path) -> None:
    source = imported(tmp_path, mjcf(ARM).replace("</mujoco>", f"<actuator>{actuator}</actuator></mujoco>"))
    assert source["parameters"] == {"ctrl_actuator_1": 0.0}
    coordinate = 1 if '"k"' in actuator else 0
    with_it = mbsim.assemble(mechanisms.model(source | {"parameters": {"ctrl_actuator_1": 0.7}})).system
    assert any(part in actuator for part in CONTROLLERS) == ("controllers" in source) != ("forces" in source)
    without = mbsim.assemble(mechanisms.model(source | {"forces": {}, "controllers": {}})).system
    efforts = with_it.terms(0.0, [0.2, 0.2], [-0.5, -0.5])[1] - without.terms(0.0, [0.2, 0.2], [-0.5, -0.5])[1]
    close(efforts[coordinate], ACTUATORS[actuator], atol=1e-12)
    close(efforts[1 - coordinate], 0.0, atol=1e-12)


def test_a_servo_motor_is_a_controller(tmp_path: Path) -> None:
    """Target in the model's coordinate, range of the control, the narrower limit of the effort; what has no controller is a force."""
    actuators = """<position name="servo" joint="k" kp="10" kv="2" gear="2" ctrlrange="-1 1" forcerange="-3 2"/>
      <velocity name="speed" joint="j" kv="4"/><position name="other" joint="j" kp="-1"/>"""
    limited = mjcf(ARM.replace('name="k"', 'name="k" actuatorfrcrange="-5 9"'))
    text = limited.replace("</mujoco>", f"<actuator>{actuators}</actuator></mujoco>")
    source = imported(tmp_path, text)
    assert source["controllers"] == {
        "speed": {"type": "pd", "joint": "j", "target_rate": "ctrl_speed", "kd": 4.0},
        "servo": {
            "type": "pd", "joint": "k", "target": "0.5*max(-1.0, min(1.0, ctrl_servo)) - 0.1", "kp": 40.0, "target_rate": "0",
            "kd": 8.0, "limit": [-5.0, 4.0],
        },
    }  # fmt: skip
    assert list(source["forces"]) == ["other"]
    many = text.replace("</actuator>", '<motor name="more" joint="k"/></actuator>')  # the sum of two is limited: forces
    source = imported(tmp_path, many)
    assert list(source["controllers"]) == ["speed"] and list(source["forces"]) == ["other", "k_actuators"]


def test_an_actuator_with_a_state_and_a_limited_joint(tmp_path: Path) -> None:
    """A filter is a state; the joint limits the sum of what its actuators exert; a keyframe gives both their starts."""
    actuators = '<general name="f" joint="j" dyntype="filter" dynprm="0.1" gainprm="8"/><motor name="m" joint="j"/>'
    key = '<key name="a"/><key name="b" qpos="0.3 0.4" qvel="1 2" act="0.5" ctrl="0.6 2"/>'
    text = mjcf(ARM.replace("/>", ' actuatorfrcrange="-3 3"/>', 1))
    text = text.replace("</mujoco>", f"<actuator>{actuators}</actuator><keyframe>{key}</keyframe></mujoco>")
    source = imported(tmp_path, text, Options(keyframe="b"))
    assert source["parameters"] == {"ctrl_f": 0.6, "ctrl_m": 2.0} and source["states"]["act_f"]["start"] == 0.5
    assert source["initial"] == {"j.angle": 0.3, "der(j.angle)": 1.0, "k.displacement": pytest.approx(0.3), "der(k.displacement)": 2.0}
    efforts = []
    for scale in (1.0, 0.1):  # beyond the limit, and within
        model = source | {"parameters": {"ctrl_f": 0.6, "ctrl_m": 2.0 * scale}}
        with_it, without = (mbsim.assemble(mechanisms.model(model | {"forces": forces})) for forces in (source["forces"], {}))
        q = [0.3, 0.3, 0.5 * scale]
        efforts.append(with_it.system.terms(0.0, q, [1, 2])[1][0] - without.system.terms(0.0, q, [1, 2])[1][0])
    close(efforts, [3.0, 8 * 0.05 + 0.2], atol=1e-12)


@pytest.mark.parametrize(
    ("actuators", "more", "effort"),
    [
        ('<motor joint="j" gear="50" ctrlrange="-1 0.4"/>', "", 50.0),
        ('<motor joint="j" gear="-20" ctrlrange="-1 2"/><motor joint="j" gear="3" ctrlrange="-1 1"/>', "", 43.0),
        ('<general joint="j" gainprm="100" gear="1.5" ctrlrange="-2 2"/>', "", 300.0),
        ('<motor joint="j" gear="400" ctrlrange="-9 9" forcerange="-0.2 0.1"/>', "", 80.0),
        ('<motor joint="j" gear="100" ctrlrange="-1 1"/>', ' actuatorfrcrange="-30 20"', 30.0),
        ('<position joint="j" kp="60" ctrlrange="-1 1"/>', "", 60.0 * 1.5),  # at the stop at -0.5 rad
        ('<general joint="j" dyntype="filter" dynprm="0.1" gainprm="8" gear="5" ctrlrange="-2 2"/>', "", 80.0),
        ('<general joint="j" dyntype="integrator" gainprm="8" gear="5" actrange="-3 1" ctrlrange="-9 9"/>', "", 120.0),
    ],
)
def test_stops_hold_what_actuators_exert(tmp_path: Path, actuators: str, more: str, effort: float) -> None:
    """The largest force of all actuators of a joint at its stop: gear times what control, force and joint allow."""
    joint = f'<joint name="j" axis="0 1 0" range="-0.5 0.4" armature="0.01"{more}/>'
    text = mjcf(f'<body name="rod">{joint}{ROD}</body>').replace("</mujoco>", f"<actuator>{actuators}</actuator></mujoco>")
    said = notes(tmp_path, text)
    source = imported(tmp_path, text, Options(limits=True))
    close(source["forces"]["j_limit"]["stiffness"] * np.deg2rad(1.0), effort, atol=1e-3 * effort)
    assert "no effort is known" not in said


@pytest.mark.parametrize("actuator", ["", '<motor joint="j" gear="50"/>', '<position joint="j" kp="60"/>', '<velocity joint="j" kv="2"/>'])
def test_actuators_without_a_range_have_no_known_effort(tmp_path: Path, actuator: str) -> None:
    text = mjcf(f'<body name="rod"><joint name="j" axis="0 1 0" range="-0.5 0.4"/>{ROD}</body>')
    (tmp_path / "robot.xml").write_text(text.replace("</mujoco>", f"<actuator>{actuator}</actuator></mujoco>"))
    assert any("no effort is known of j" in note for note in conversion(tmp_path / "robot.xml", Options(limits=True), tmp_path).notes)


def test_a_loop_and_couplings(tmp_path: Path) -> None:
    """A four-bar closed by a <connect>; a joint that follows another one by a polynomial; a fixed tendon with a spring."""
    bar = '<body name="{0}" pos="{1}"><joint name="j{0}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 {2}" size="0.01"/>{3}</body>'
    loop = bar.format("a", "0 0 0", "0 0 1", bar.format("b", "0 0 1", "2 0 0", "")) + bar.format("c", "2 0 0", "0 0 1", "")
    wheels = bar.format("d", "0 5 0", "1 0 0", "") + bar.format("e", "0 6 0", "1 0 0", "")
    ties = '<connect name="tie" body1="b" body2="c" anchor="2 0 0"/><joint name="cam" joint1="jd" joint2="je" polycoef="0.1 2 0.5 0 0"/>'
    tendon = '<fixed name="t" stiffness="7" springlength="0.2"><joint joint="jd" coef="2"/><joint joint="je" coef="-1"/></fixed>'
    text = mjcf(loop + wheels).replace("</mujoco>", f"<equality>{ties}</equality><tendon>{tendon}</tendon></mujoco>")
    source = imported(tmp_path, text)
    assert source["joints"]["tie"]["at"] == [2, 0, 1] and source["joints"]["tie"]["cut"]
    made = mbsim.assemble(mechanisms.model(source))
    d, e = (made.q[made.system.coordinates.index(f"j{name}.angle")] for name in "de")
    close(d, 0.1 + 2 * e + 0.5 * e**2, atol=1e-12)
    assert np.linalg.matrix_rank(made.system.C(made.start, made.q)) == 3  # two of the loop, one of the cam
    q, v = np.array([0.0, 0.0, 0.0, 0.3, 0.4]), np.zeros(5)
    bare = mbsim.assemble(mechanisms.model(source | {"forces": {}})).system
    pull = made.system.terms(0.0, q, v)[1] - bare.terms(0.0, q, v)[1]
    close(pull, -7 * (2 * 0.3 - 0.4 - 0.2) * np.array([0, 0, 0, 2, -1]), atol=1e-12)


def test_a_floating_body_and_a_ball_start_where_the_keyframe_says(tmp_path: Path) -> None:
    """The file gives the pose and speeds of the body's frame; the model those of the centre of mass in the axes of the inertia."""
    inertial = f'<inertial pos="0.1 0.2 0.3" mass="1" diaginertia="1 1.1 1.2" euler="{np.pi / 2} 0 0"/>'
    ball = f'<body name="ball" pos="0 0 1"><joint name="b" type="ball"/>{inertial}</body>'
    quarter = f"{np.sqrt(0.5)} 0 0 {np.sqrt(0.5)}"  # about z
    key = f'<key name="k" qpos="1 2 3 {quarter} {quarter}" qvel="4 5 6 0 0 1 0 0 2"/>'
    text = mjcf(f'<body name="base"><freejoint name="f"/>{inertial}{ball}</body>').replace(
        "</mujoco>", f"<keyframe>{key}</keyframe></mujoco>"
    )
    made = mbsim.assemble(mechanisms.model(imported(tmp_path, text)))
    poses = mbsim.forward_kinematics(made.system, 0.0, made.q, made.v)
    close(poses["base"]["position"], [1 - 0.2, 2 + 0.1, 3.3], atol=1e-14)
    close(poses["base"]["velocity"], [4 - 0.1, 5 - 0.2, 6], atol=1e-14)
    close(poses["base"]["angular_velocity"], [0, 0, 1], atol=1e-14)
    close(poses["ball"]["position"], [1 - 0.1, 2 - 0.2, 4.3], atol=1e-14)
    close(poses["ball"]["angular_velocity"], [0, 0, 3], atol=1e-14)


def test_includes_and_what_the_compiler_is_told(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "rod.xml").write_text(
        f'<mujocoinclude><body name="rod">{HINGE}{ROD}<include file="mass.xml"/></body></mujocoinclude>'
    )
    (tmp_path / "parts" / "mass.xml").write_text('<mujocoinclude><geom name="bob" size="0.05" mass="3" pos="0 0 -0.5"/></mujocoinclude>')
    around = '<compiler settotalmass="2" boundinertia="0.5"/>'
    rod = imported(tmp_path, mjcf('<include file="parts/rod.xml"/>', around))["bodies"]["rod"]
    close(rod["mass"], 2.0, atol=1e-12)
    assert len(rod["shape"]) == 2


def test_what_is_not_taken_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    joint = HINGE.replace("/>", ' frictionloss="2"/>')
    inside = f'<geom type="plane" size="1 1 1"/><body name="rod">{joint}{ROD}<site name="s"/></body>'
    more = """<contact><exclude body1="a" body2="b"/></contact><sensor/><tendon><spatial name="rope"><site site="s"/></spatial></tendon>
      <actuator><muscle name="m" joint="j"/><motor name="thrust" site="s"/></actuator><option density="1.2"/></mujoco>"""
    (tmp_path / "robot.xml").write_text(mjcf(inside).replace("</mujoco>", more))
    with caplog.at_level(logging.INFO, logger="mbsim"):
        result = CliRunner().invoke(main, ["import", str(tmp_path / "robot.xml"), "-o", str(tmp_path / "x.yaml")])
    assert result.exit_code == 0, result.output
    for said in (
        "a geom of type plane is no shape of a model: it is not drawn", "the pairs and exclusions of contacts are not taken",
        "sensors are not taken", "tendon 'rope' is not taken: it is spatial, not fixed", "contacts between geoms are not taken",
        "actuator 'm' is not taken: a muscle actuator", "actuator 'thrust' is not taken: it acts neither on a joint nor on a fixed tendon",
        "the forces of the medium (density 1.2) are not taken", "1 sites, cameras and lights are not taken",
        "the friction of joint j (2) is not taken",
    ):  # fmt: skip
        assert said in caplog.text
        assert said in (tmp_path / "x.yaml").read_text()


BODY = f'<body name="rod">{HINGE}{ROD}</body>'
WRONG = {
    f'<!DOCTYPE x [<!ENTITY e "x">]>{mjcf(BODY)}': "document types and entities are not allowed",
    "<mujoco>": "not XML",
    "<sdf/>": "expected <robot> (got <sdf>)",
    mjcf(BODY.replace("<joint", '<joint type="screw"')): "joint 'j': unknown type 'screw'; known are hinge, slide, ball, free",
    mjcf(BODY.replace('"0 1 0"', '"0 0 0"')): "joint 'j': the axis is zero",
    mjcf(BODY.replace('"0 1 0"', '"0 1"')): "joint 'j': axis: expected 3 finite numbers (got '0 1')",
    mjcf(BODY.replace('"0 1 0"', '"0 nan 0"')): "joint 'j': axis: expected 3 finite numbers",
    mjcf(BODY + BODY): "body 'rod': exists twice",
    mjcf(BODY.replace("<joint", '<joint class="soft"')): "<joint> 'j': unknown default class 'soft'",
    mjcf(BODY, '<default><default class="a"><default class="a"/></default></default>'): "the class 'a' exists already",
    mjcf(BODY, "<default><default/></default>"): "<default>: a class inside another one needs a name (class)",
    mjcf(BODY.replace("<joint", '<joint limited="maybe"')): "unknown limited 'maybe'; known are auto, true, false",
    mjcf(BODY.replace('size="0.02"', 'size="-1"')): "size: expected 2 numbers greater than 0",
    mjcf(BODY.replace('type="capsule"', 'type="mesh" mesh="no"')): "there is no mesh 'no'",
    mjcf(BODY.replace('type="capsule"', 'type="mesh" mesh="m"'), '<asset><mesh name="m" file="no.stl"/></asset>'): "no such file",
    mjcf(BODY.replace('type="capsule"', 'type="mesh" mesh="m"'), '<asset><mesh name="m" file="/etc/m.stl"/></asset>'): "is not relative",
    mjcf(BODY.replace('type="capsule"', 'type="mesh" mesh="m"'), '<asset><mesh name="m" file="../m.stl"/></asset>'): (
        "mesh 'm': '../m.stl' is not in the folder of the main file"
    ),
    mjcf('<include file="robot.xml"/>'): "<include>: robot.xml is included already: once is allowed, and no circle",
    mjcf('<include file="../x.xml"/>'): "<include>: '../x.xml' is not in the folder of the main file",
    mjcf('<include file="no.xml"/>'): "<include>: there is no file 'no.xml'",
    mjcf('<replicate count="2"/>' + BODY): "<replicate> makes bodies that are not in the file",
    mjcf(BODY).replace("</mujoco>", '<actuator><motor joint="no"/></actuator></mujoco>'): "actuator 'actuator_1': unknown joint 'no'",
    mjcf(BODY).replace("</mujoco>", '<equality><connect body1="no" anchor="0 0 0"/></equality></mujoco>'): "unknown body",
    mjcf(BODY).replace("</mujoco>", '<keyframe><key qpos="1 2"/></keyframe></mujoco>'): "keyframe '0': qpos: expected 1 numbers (got 2)",
    mjcf('<geom size="1"/>'): "robot: no link that moves has an inertia",
    mjcf(BODY.replace("<body", '<body quat="1 0 0 0" euler="0 0 1"')): "body 'rod': has several orientations: quat, euler",
    mjcf(BODY.replace("<body", '<body quat="0 0 0 0"')): "body 'rod': quat: ",
    '<mujoco><compiler angle="grad"/></mujoco>': "<compiler>: unknown angle 'grad'; known are degree, radian",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.raises(RobotError) as error:
        conversion(path, Options(), tmp_path)
    assert WRONG[text] in str(error.value)
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(tmp_path / "x.yaml")])
    assert result.exit_code == 2 and not (tmp_path / "x.yaml").exists()


def test_options_of_the_other_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="--floating is for URDF"):
        imported(tmp_path, mjcf(BODY), Options(floating=True))
    with pytest.raises(RobotError, match="only MJCF files have keyframes"):
        imported(tmp_path, '<robot name="r"/>', Options(keyframe="home"))
    with pytest.raises(RobotError, match="keyframe 'home': does not exist; the file has none"):
        imported(tmp_path, mjcf(BODY), Options(keyframe="home"))


@pytest.mark.parametrize("seed", range(2))
def test_random_trees_against_mujoco(seed: int, tmp_path: Path) -> None:
    """Mass matrix and forces of trees with every joint, orientation and geom at a random state; scripts/import_mjcf.py compares robots."""
    mujoco: Any = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)

    def triple() -> str:
        return " ".join(f"{x:.17g}" for x in rng.standard_normal(3))

    def body(k: int, inside: str) -> str:
        count = int(rng.integers(1, 4))
        kinds = ["hinge", "slide", "ball"][: 3 if count == 1 else 2]
        joints = "".join(
            f'<joint name="j{k}_{n}" type="{rng.choice(kinds)}" axis="{triple()}" pos="{triple()}" armature="0.4" damping="0.3"/>'
            for n in range(count)
        )
        shape = str(rng.choice(["sphere", "box", "ellipsoid", "cylinder", "capsule"]))
        geom = f'<geom type="{shape}" size="0.2 0.3 0.4" pos="{triple()}" euler="{triple()}"/>'
        return f'<body name="b{k}" pos="{triple()}" zaxis="{triple()}">{joints}{geom}<geom size="0.3"/>{inside}</body>'

    text = mjcf(body(0, body(1, body(2, "")) + body(3, body(4, ""))))
    made = mbsim.assemble(mechanisms.model(imported(tmp_path, text)))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    system = made.system
    single = [k for k in range(model.njnt) if model.jnt_type[k] != mujoco.mjtJoint.mjJNT_BALL]
    q, v, places = made.q.copy(), np.zeros(system.n_v), []
    for k in single:  # balls stay as they are drawn; that they are right is the script's part
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k)
        coordinate = next(x for x in system.coordinates if x.startswith(f"{name}."))
        places.append(system.speeds.index(f"der({coordinate})"))
        data.qpos[model.jnt_qposadr[k]] = q[system.coordinates.index(coordinate)] = rng.standard_normal()
        data.qvel[model.jnt_dofadr[k]] = v[places[-1]] = rng.standard_normal()
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    M, h = system.terms(0.0, q, v)[:2]
    dofs = model.jnt_dofadr[single]
    close(M[np.ix_(places, places)], mass[np.ix_(dofs, dofs)], atol=1e-11 * np.abs(mass).max())
    close(h[places], data.qfrc_smooth[dofs], atol=1e-11 * np.abs(h).max())


MISTAKES = """<mujoco>
<worldbody>
 <body name="a" pos="0 0 x"/>
 <body name="b">
  <joint name="j" type="hing"/>
  <geom name="g" type="sphere" size="-1"/>
  <body name="c" quat="0 0 0 0"/>
 </body>
</worldbody>
</mujoco>"""


def test_all_mistakes_are_told_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(MISTAKES)
    result = CliRunner().invoke(main, ["import", str(path)])
    lines = result.output.removeprefix("Error: ").splitlines()
    assert result.exit_code == 2
    assert [line.split(": ")[0] for line in lines] == [f"{path}:{place}" for place in ("3:2", "5:3", "6:3", "7:3")]
    path.write_text(
        mjcf(f'<body name="rod">{HINGE}{ROD}</body>', '<actuator><motor name="m" joint="n"/><motor name="k" joint="o"/></actuator>')
    )
    lines = CliRunner().invoke(main, ["import", str(path)]).output.splitlines()
    assert [line.rpartition("actuator ")[2] for line in lines] == ["'m': unknown joint 'n'", "'k': unknown joint 'o'"]
