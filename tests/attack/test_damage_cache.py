"""Damaged files of the cache: a few of the trials that `scripts/attack/damage_cache.py` makes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mbsim

ROOT = Path(__file__).parents[2]


@pytest.mark.slow  # it compiles a model from nothing; tests/jit/test_kept_kernels.py loses and damages files in every run
def test_damaged_files_do_no_harm(tmp_path: Path) -> None:
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    script = ROOT / "scripts" / "attack" / "damage_cache.py"
    variables = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, script, "--quick"], capture_output=True, text=True, check=False, env=variables, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 runs right" in done.stdout
    assert list(tmp_path.iterdir()) == []
