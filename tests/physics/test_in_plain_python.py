"""The tests of tests/plain: equilibria, modes and their commands, of models whose kernels would compile for minutes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAIN = Path(__file__).parents[1] / "plain"


@pytest.mark.parametrize("name", sorted(path.name for path in PLAIN.glob("test_*.py")))
def test_in_plain_python(name: str) -> None:
    paths = os.pathsep.join([str(PLAIN.parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": paths}
    for key in [key for key in environment if key.startswith(("PYTEST_", "COV_"))]:
        del environment[key]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-o",
        "addopts=",
        str(PLAIN / name),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=PLAIN.parents[1], check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout and "skipped" not in done.stdout
