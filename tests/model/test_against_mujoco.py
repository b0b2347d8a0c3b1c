"""Limits and dry friction of an imported MJCF model as rigid ones, against MuJoCo's soft ones; of the extra `bench`.

MuJoCo's limits are springs with dampers. Damped above the critical ratio they do not rebound, and the shorter the time in which they take
the speed, the nearer the motion is to the rigid one without restitution.
"""

from pathlib import Path

import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.importers.formats import conversion
from mbsim.importers.robot_model import Options

mujoco = pytest.importorskip("mujoco")

STEP, SAMPLE, END = 1e-4, 0.01, 0.8  # s
JOINT = (
    '<joint name="{}" axis="0 1 0" limited="true" range="{}" frictionloss="{}" solreflimit="{} 20" solreffriction="0.0002 1" '
    'solimplimit="0.99 0.9999 0.0001" solimpfriction="0.99 0.9999 0.001"/>'
)


def arm(constant: float) -> str:
    """Two rods under gravity; `constant` (s) is the time in which a limit takes the speed."""
    first = JOINT.format("j", "-0.4 0.9", 0.3, constant) + '<geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/>'
    second = JOINT.format("k", "-1.2 1.2", 0.05, constant) + '<geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/>'
    bodies = f'<body name="a" pos="0 0 1">{first}<body name="b" pos="0.5 0 0">{second}</body></body>'
    option = f'<compiler angle="radian"/><option timestep="{STEP}" integrator="RK4" iterations="200" tolerance="1e-14"/>'
    return f"<mujoco>{option}<worldbody>{bodies}</worldbody></mujoco>"


def soft(constant: float) -> np.ndarray:
    """(k, 2) rad: the angles by MuJoCo."""
    model = mujoco.MjModel.from_xml_string(arm(constant))
    state, found = mujoco.MjData(model), []
    for _ in range(round(END / SAMPLE) + 1):
        found.append(state.qpos.copy())
        for _ in range(round(SAMPLE / STEP)):
            mujoco.mj_step(model, state)
    return np.array(found)


def test_two_rods_fall_upon_their_limits(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(arm(1e-3))
    text = conversion(path, Options(rigid=True), tmp_path).text
    result = mbsim.simulate(mbsim.load_model(text, simulation={"end": END, "output_step": SAMPLE}))
    times = np.arange(round(END / SAMPLE) + 1) * SAMPLE
    rigid = np.array([np.interp(times, result.time, result.select("q", f"{name}.angle")) for name in ("j", "k")]).T
    hit = next(line["time"] for line in result.events if line["do"] == "impact")
    assert 0.3 < hit < 0.35
    before = times < hit
    close(soft(1e-3)[before], rigid[before], atol=4e-5)  # friction alone, which is soft in MuJoCo where the speed turns
    close(soft(1e-3)[times < 0.27], rigid[times < 0.27], atol=1e-9)  # before it turns
    apart = [float(np.abs(soft(constant) - rigid).max()) for constant in (2e-3, 1e-3, 5e-4, 2e-4)]
    for longer, shorter, ratio in zip(apart, apart[1:], (2.0, 2.0, 2.5), strict=False):
        assert longer / shorter == pytest.approx(ratio, rel=0.1)  # of the first order in the constant
    assert apart[-1] < 2.5e-3
