"""Texts of MJCF files for tests, and the models that come of them."""

from pathlib import Path
from typing import Any

import yaml

from mbsim.importers.formats import conversion
from mbsim.importers.robot_model import Options

ROD = '<geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02"/>'
HINGE = '<joint name="j" axis="0 1 0"/>'


def mjcf(inside: str, around: str = "") -> str:
    return f'<mujoco model="m"><compiler angle="radian"/>{around}<worldbody>{inside}</worldbody></mujoco>'


def imported(tmp_path: Path, text: str, options: Options = Options()) -> dict[str, Any]:  # noqa: B008 (it is frozen)
    """The model of a file."""
    (tmp_path / "robot.xml").write_text(text)
    found: dict[str, Any] = yaml.safe_load(conversion(tmp_path / "robot.xml", options, tmp_path).text)
    return found
