"""URDF robots as models: against Pinocchio, and what is refused."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import close
from urdf_parts import BASE, HINGE, I1, I2, I3, joint, link

import mbsim
from mbsim.cli import main
from mbsim.importers.urdf import UrdfError, convert


def robot(seed: int, n: int) -> str:
    """A random tree of hinges, slides and welds."""
    rng = np.random.default_rng(seed)

    def triple(scale: float = 1.0) -> str:
        return " ".join(f"{x:.17g}" for x in scale * rng.standard_normal(3))

    lines = ['<?xml version="1.0"?>', '<robot name="random">', '<link name="base"/>']
    for k in range(n):
        moments = rng.uniform(0.2, 0.3, 3)
        products = rng.uniform(-0.03, 0.03, 3)
        keys = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (*moments, *products), strict=True)
        tensor = " ".join(f'{key}="{value:.17g}"' for key, value in keys)
        lines.append(
            f'<link name="l{k}"><inertial><origin xyz="{triple()}" rpy="{triple()}"/><mass value="{rng.uniform(0.5, 2):.17g}"/>'
            f"<inertia {tensor}/></inertial></link>"
        )
        parent = "base" if k == 0 else f"l{rng.integers(max(0, k - 3), k)}"
        kind = "revolute" if k == 0 else str(rng.choice(["revolute", "continuous", "prismatic", "fixed"]))
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        lines.append(
            f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/><origin xyz="{triple()}" rpy="{triple()}"/>'
            f'<axis xyz="{axis[0]:.17g} {axis[1]:.17g} {axis[2]:.17g}"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    return "\n".join([*lines, "</robot>"])


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_against_pinocchio(seed: int, floating: bool, tmp_path: Path) -> None:
    """Mass matrix, bias and accelerations of imported robots to 1e-10."""
    pin: Any = pytest.importorskip("pinocchio")
    text = robot(seed, 8)
    if floating:
        body = '<inertial><mass value="3"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/></inertial>'
        text = text.replace('<link name="base"/>', f'<link name="base">{body}</link>')
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    made = mbsim.assemble(mechanisms.model(convert(path, floating)))
    system = made.system
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
    data = model.createData()
    rng = np.random.default_rng(seed)
    q, v = system.move(made.q, rng.standard_normal(system.n_v)), rng.standard_normal(system.n_v)
    joints = {name.rpartition(".")[0]: k for k, name in enumerate(system.coordinates) if name.startswith("j")}
    q_pin, v_pin, order = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv, int)
    basis = np.eye(system.n_v)
    for k in range(1, model.njoints):
        name = model.names[k]
        if name in joints:
            at = joints[name] - (system.n_q - system.n_v)
            order[model.joints[k].idx_v] = at
            v_pin[model.joints[k].idx_v] = v[at]
            x = q[joints[name]]
            q_pin[model.joints[k].idx_q : model.joints[k].idx_q + model.joints[k].nq] = (
                [np.cos(x), np.sin(x)] if model.joints[k].nq == 2 else x
            )
    if floating:  # Pinocchio: quaternion (x, y, z, w), linear velocity in body axes
        from mbsim.kernels.rotations import matrices

        R = matrices(q[3:7])
        q_pin[:3], q_pin[3:7] = q[:3], np.roll(q[3:7], -1)
        basis[:3, :3] = R
        order[:6] = range(6)
        v_pin[:3], v_pin[3:6] = R.T @ v[:3], v[3:6]
    B = basis[:, order]  # our speeds = B times Pinocchio's
    M, h, *_ = system.terms(0.0, q, v)
    mass = np.array(pin.crba(model, data, q_pin))
    mass = np.triu(mass) + np.triu(mass, 1).T
    close(B.T @ M @ B, mass, atol=1e-10 * np.abs(mass).max())
    a = np.linalg.solve(M, h)
    expected = pin.aba(model, data, q_pin, v_pin, np.zeros(model.nv))
    found = a.copy()
    if floating:
        found[:3] = R.T @ a[:3] - np.cross(v[3:6], R.T @ v[:3])  # rate of the components in body axes
    close(found[order] if not floating else np.concatenate([found[:6], found[order[6:]]]), expected, atol=1e-10 * np.abs(expected).max())
    if not floating:
        bias = pin.nonLinearEffects(model, data, q_pin, v_pin)
        close(-h[order], bias, atol=1e-10 * np.abs(bias).max())


SELF, ZERO, NAN = '<mimic joint="j"/>', '<axis xyz="0 0 0"/>', '<origin xyz="0 nan 0"/>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TWO = f'<link name="a"/><link name="b">{MASS}</link>'
WRONG = {
    f'<!DOCTYPE x [<!ENTITY e "x">]><robot name="r">{TWO}</robot>': "entities are not allowed",
    "<robot": "not XML",
    "<sdf/>": "expected <robot>",
    f'<robot name="r">{TWO}{HINGE.format("j", "revolute", "a", "b", SELF)}</robot>': "the joints j follow each other in a circle",
    f'<robot name="r">{TWO}{HINGE.format("j", "screw", "a", "b", "")}</robot>': "unknown type 'screw'",
    f'<robot name="r">{TWO}{HINGE.format("j", "revolute", "a", "c", "")}</robot>': "unknown link 'c'",
    f'<robot name="r">{TWO}</robot>': "expected one root link",
    f'<robot name="r"><link name="a"/><link name="m"/><link name="b">{MASS}</link>{HINGE.format("j", "revolute", "a", "m", "")}'
    f'{HINGE.format("k", "revolute", "m", "b", "")}</robot>': "nothing with mass or inertia moves with der(j.angle), der(k.angle)",
    f'<robot name="r">{TWO}{HINGE.format("j", "revolute", "a", "b", ZERO)}</robot>': "the axis is zero",
    f'<robot name="r">{TWO}{HINGE.format("j", "revolute", "a", "b", NAN)}</robot>': "3 finite numbers",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(UrdfError) as error:
        convert(path)
    assert WRONG[text] in str(error.value)
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(tmp_path / "x.yaml")])
    assert result.exit_code == 2 and not (tmp_path / "x.yaml").exists()


def test_command_and_massless_links(tmp_path: Path) -> None:
    """A tool frame is left out, a mounting plate without mass becomes part of what it is fixed to, limits are comments."""
    text = (
        f'<robot name="arm 1"><link name="world"/><link name="plate"/><link name="b-1">{MASS}</link><link name="tool"/>'
        + HINGE.format("mount", "fixed", "world", "plate", '<origin xyz="0 0 1"/>')
        + HINGE.format("j", "revolute", "plate", "b-1", '<axis xyz="0 0 1"/><limit lower="-2" upper="2"/>')
        + HINGE.format("t", "fixed", "b-1", "tool", "")
        + "</robot>"
    )
    path, out = tmp_path / "arm.urdf", tmp_path / "arm.yaml"
    path.write_text(text)
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(out)])
    assert result.exit_code == 0, result.output
    written = out.read_text()
    assert "ground: {points: {plate: [0.0, 0.0, 1.0]}}" in written and "# lower -2, upper 2" in written
    assert "points: {tool: [" in written
    made = mbsim.assemble(mbsim.load_model(out))
    assert made.system.coordinates == ["j.angle"] and made.system.bodies == ["b_1"]


# What stands behind the base; the links without mass have inertia, some of them between joints that move.
MASSLESS = {
    "on a hinge": link("a", 0.0, I1, "1 2 3", "0.1 0.2 0.3") + link("b", 2.0, I2, "0.3 0 0.1") + joint("j1", "revolute", "base", "a")
    + joint("j2", "continuous", "a", "b"),
    "at the end of a chain": link("a", 2.0, I2, "0.3 0 0.1") + link("b", 0.0, I1, "0 0 0", "1 0 0") + joint("j1", "revolute", "base", "a")
    + joint("j2", "revolute", "a", "b"),
    "fixed to a body": link("a", 2.0, I2, "0.3 0 0.1") + link("b", 0.0, I1, "5 6 7", "1 0 0") + joint("j1", "revolute", "base", "a")
    + joint("f", "fixed", "a", "b"),
    "before the body it is fixed to": link("a", 0.0, I1, "1 1 1", "0 1 0") + link("b", 2.0, I2, "0.3 0 0.1")
    + joint("j1", "revolute", "base", "a") + joint("f", "fixed", "a", "b"),
    "behind frames": link("f1", 0.0) + link("a", 2.0, I2, "0.3 0 0.1") + link("f2", 0.0) + link("b", 0.0, I3) + link("c", 1.0, I1)
    + joint("j1", "prismatic", "base", "f1") + joint("f", "fixed", "f1", "a") + joint("g", "fixed", "a", "f2")
    + joint("h", "fixed", "f2", "b") + joint("j2", "revolute", "b", "c"),
    "point masses": link("p", 0.5) + link("a", 2.0, I2, "0.3 0 0.1") + link("r", 0.7, "", "0.1 0.2 0")
    + joint("j1", "revolute", "base", "p") + joint("f", "fixed", "p", "a") + joint("g", "fixed", "a", "r"),
    "point masses only": link("p", 0.5, "", "1 0 0") + link("r", 0.7, "", "0 1 0") + link("s", 0.2, "", "0 0 1")
    + joint("j1", "revolute", "base", "p") + joint("f", "fixed", "p", "r") + joint("g", "fixed", "p", "s"),
    "fixed to the base": link("b", 0.0, I1, "0 0 0", "1 0 0") + link("a", 2.0, I2) + joint("f", "fixed", "base", "b")
    + joint("j1", "revolute", "b", "a"),
    "two bodies in a group": link("a", 2.0, I2) + link("b", 1.0, I1, "0 1 0") + link("c", 0.0, I3) + link("d", 0.4, I3)
    + joint("j1", "revolute", "base", "a") + joint("f", "fixed", "a", "b") + joint("g", "fixed", "b", "c") + joint("h", "fixed", "c", "d"),
}  # fmt: skip


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("case", MASSLESS)
def test_inertia_without_mass_is_kept(case: str, floating: bool, tmp_path: Path) -> None:
    """Accelerations at random states are Pinocchio's to 1e-9, with the damping of the joints."""
    pin: Any = pytest.importorskip("pinocchio")
    from mbsim.kernels.rotations import matrices

    text = f'<robot name="r">{BASE}{MASSLESS[case]}</robot>'.replace('<axis xyz="0.36', '<dynamics damping="0.25"/><axis xyz="0.36')
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    made = mbsim.assemble(mechanisms.model(convert(path, floating)))
    system = made.system
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromXML(text, *root)
    data = model.createData()
    places = {
        k: next(i for i, name in enumerate(system.coordinates) if name.rpartition(".")[0] == model.names[k])
        for k in range(1 + floating, model.njoints)
    }
    assert len(places) == system.n_v - 6 * floating
    for seed in range(3):
        rng = np.random.default_rng(seed)
        q, v = system.move(made.q, rng.standard_normal(system.n_v)), rng.standard_normal(system.n_v)
        q_pin, v_pin, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for k, i in places.items():
            at, of = model.joints[k], i - (system.n_q - system.n_v)
            q_pin[at.idx_q : at.idx_q + at.nq] = [np.cos(q[i]), np.sin(q[i])] if at.nq == 2 else q[i]
            v_pin[at.idx_v], tau[at.idx_v] = v[of], -0.25 * v[of]
        M, h, *_ = system.terms(0.0, q, v)
        a = np.linalg.solve(M, h)
        if floating:  # Pinocchio: the root link's frame in place of the body's, components in its axes
            R = matrices(q[3:7]) @ matrices(made.q[3:7]).T
            arm, w = R @ made.q[:3], matrices(q[3:7]) @ v[3:6]
            quaternion = pin.Quaternion(R)
            q_pin[:7] = [*(q[:3] - arm), quaternion.x, quaternion.y, quaternion.z, quaternion.w]
            v_pin[:3], v_pin[3:6] = R.T @ (v[:3] - np.cross(w, arm)), R.T @ w
        expected = pin.aba(model, data, q_pin, v_pin, tau)
        scale = np.abs(expected).max()
        for k, i in places.items():
            close(a[i - (system.n_q - system.n_v)], expected[model.joints[k].idx_v], atol=1e-9 * scale)
        if floating:
            turning = matrices(q[3:7]) @ a[3:6]
            close(R @ expected[3:6], turning, atol=1e-9 * scale)
            moving = a[:3] - np.cross(turning, arm) - np.cross(w, np.cross(w, arm))
            close(R @ (expected[:3] + np.cross(v_pin[3:6], v_pin[:3])), moving, atol=1e-9 * scale)


REFUSED = {
    "no links": ("", "has no links"),
    "negative mass": (BASE + link("a", -1.0, I1) + joint("j", "revolute", "base", "a"), "link 'a': a mass must not be negative"),
    "a slide without mass": (BASE + link("a", 0.0, I1) + joint("j", "prismatic", "base", "a"), "moves with der(j.displacement)"),
    "a point mass on its hinge": (BASE + link("a", 1.0) + joint("j", "revolute", "base", "a"), "moves with der(j.angle)"),
    "a joint that mimics one of several coordinates": (
        BASE + link("a", 1.0, I1) + link("b", 1.0, I1) + joint("j", "planar", "base", "a")
        + joint("k", "revolute", "a", "b", '<mimic joint="j"/>'), "mimics 'j', which has several coordinates"
    ),
    "negative damping": (
        BASE + link("a", 1.0, I1) + joint("j", "revolute", "base", "a", '<dynamics damping="-1"/>'), "joint 'j': a damping must not be"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_not_run_is_refused(case: str, tmp_path: Path) -> None:
    """With the names of URDF elements, and nothing is written."""
    inner, message = REFUSED[case]
    path, out = tmp_path / "robot.urdf", tmp_path / "x.yaml"
    path.write_text(f'<robot name="r">{inner}</robot>')
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(out)])
    assert result.exit_code == 2 and not out.exists()
    assert message in result.output


def test_what_is_not_taken_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Friction, damping of a joint with several coordinates and links without mass: on stderr and in the file."""
    text = (
        BASE + link("a", 1.0, I1) + link("b", 1.0, I2) + link("tool", 0.0) + link("c", 0.0, I3)
        + joint("j", "revolute", "base", "a", '<dynamics damping="0.5" friction="2"/>')
        + joint("k", "planar", "a", "b", '<dynamics damping="3"/>') + joint("t", "fixed", "b", "tool") + joint("u", "fixed", "b", "c")
    )  # fmt: skip
    path, out = tmp_path / "robot.urdf", tmp_path / "x.yaml"
    path.write_text(f'<robot name="r">{text}</robot>')
    with caplog.at_level("INFO", logger="mbsim"):
        assert CliRunner().invoke(main, ["import", str(path), "-o", str(out)]).exit_code == 0
    written = out.read_text()
    assert "j_damping: {type: joint_friction, joint: j, viscous: 0.5}" in written
    for note in (
        "the friction of joint j (2) is not taken",
        "the damping of joint k (3) is not taken: it has several coordinates",
        "the mass and inertia of c are part of the body b",
    ):
        assert note in written
        assert any(note in record.getMessage() for record in caplog.records)
    assert "points: {tool: [" in written  # a frame without mass


def test_prefixes_that_are_not_declared(tmp_path: Path) -> None:
    """Elements of ROS with a prefix, which the parser of URDF does not know as a namespace."""
    inner = BASE + link("a", 1.0, I1) + joint("j", "revolute", "base", "a") + '<gazebo><x:plugin x:name="p"/></gazebo>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{inner}</robot>')
    assert mbsim.assemble(mechanisms.model(convert(path))).system.speeds == ["der(j.angle)"]


def test_every_mistake_is_told_with_its_place(tmp_path: Path) -> None:
    """Line and column are those of the element that is named, of the second one where it exists twice."""
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r">\n'
        '  <link name="a"/> <link name="odd name"><inertial><mass value="-1"/></inertial></link>\n'
        '  <link name="a"/>\n'
        '  <joint name="odd joint" type="revolut"/>\n'
        '  <joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>\n'
        "</robot>\n"
    )
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(tmp_path / "x.yaml")])
    assert result.exit_code == 2
    assert result.output.removeprefix("Error: ").splitlines() == [
        f"{path}:2:20: link 'odd name': a mass must not be negative (got -1)",
        f"{path}:3:3: link 'a': exists twice",
        f"{path}:4:3: joint 'odd joint': unknown type 'revolut'; known are revolute, continuous, prismatic, fixed, floating, planar",
        f"{path}:5:3: joint 'k': unknown link 'c'",
    ]
    path.write_text("<robot>\n  <link\n")
    result = CliRunner().invoke(main, ["import", str(path), "-o", str(tmp_path / "x.yaml")])
    assert result.output.startswith(f"Error: {path}:2:3: not XML: ")
