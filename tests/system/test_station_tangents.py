"""Tangents of an elastic part with stations: against differences, and the blocks of them that implicit steps take."""

from pathlib import Path
from typing import Any

from elastic_matrices import beam, write
from test_block_tangents import check
from test_tangents import RELATIVE, worst

import mbsim


def source(folder: Path) -> dict[str, Any]:
    part = {"matrices": write(folder / "arm.h5", *beam(2, 3)), "stations": 2}
    joints = {"pin": {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0], "axis": [0, 0, 1]}}
    return {"name": "arm", "elastic": {"arm": part}, "joints": joints, "simulation": {"end": 1}}


def test_tangents_are_differences(tmp_path: Path) -> None:
    found = worst(source(tmp_path))
    assert max(found.values()) < RELATIVE, found


def test_blocks_are_those_of_the_whole(tmp_path: Path) -> None:
    check(mbsim.assemble(source(tmp_path)))
