"""URDF robots as models: against Pinocchio, and what is refused."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import close

import mbsim
from mbsim.cli import main
from mbsim.urdf import UrdfError, convert


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


MIMIC, ZERO, NAN = '<mimic joint="k"/>', '<axis xyz="0 0 0"/>', '<origin xyz="0 nan 0"/>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
HINGE = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'
TWO = f'<link name="a"/><link name="b">{MASS}</link>'
WRONG = {
    f'<!DOCTYPE x [<!ENTITY e "x">]><robot name="r">{TWO}</robot>': "entities are not allowed",
    "<robot": "not XML",
    "<sdf/>": "expected <robot>",
    f'<robot name="r">{TWO}{HINGE.format("j", "revolute", "a", "b", MIMIC)}</robot>': "joint 'j': mimic",
    f'<robot name="r">{TWO}{HINGE.format("j", "screw", "a", "b", "")}</robot>': "unknown type 'screw'",
    f'<robot name="r">{TWO}{HINGE.format("j", "revolute", "a", "c", "")}</robot>': "unknown link 'c'",
    f'<robot name="r">{TWO}</robot>': "expected one root link",
    f'<robot name="r"><link name="a"/><link name="m"/><link name="b">{MASS}</link>{HINGE.format("j", "revolute", "a", "m", "")}'
    f'{HINGE.format("k", "revolute", "m", "b", "")}</robot>': "link 'm': has no mass",
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
    assert "left out, without mass: tool" in written and "# lower -2, upper 2" in written
    made = mbsim.assemble(mbsim.load_model(out))
    assert made.system.coordinates == ["j.angle"] and made.system.bodies == ["b_1"]
