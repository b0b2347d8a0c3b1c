"""Damaged results: a few of the trials that `scripts/attack/damage_results.py` makes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mbsim

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the trials are made in forked processes")
def test_damage_results(tmp_path: Path) -> None:
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    script = ROOT / "scripts" / "attack" / "damage_results.py"
    variables = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, script, "--quick"], capture_output=True, text=True, check=False, env=variables, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ": 0 read wrongly" in done.stdout
    assert list(tmp_path.iterdir()) == []
