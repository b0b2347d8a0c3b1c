"""fastload in its box: a Numba that it was not made for is tried in another process, and does all itself where the trial fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mbsim
from mbsim import jit
from mbsim.jit.fastload import trial

pytestmark = pytest.mark.skipif(not jit.COMPILES, reason="nothing is loaded without a compiler")

PROGRAM = """
import logging
logging.basicConfig(format="said: %(message)s")
from mbsim.jit import A1, f8, kernel
from mbsim.jit.fastload import trial
trial.TESTED = ()
{change}
import numpy as np

@kernel(f8(A1))
def largest(x):
    found = x[0]
    for i in range(x.shape[0]):
        found = max(found, x[i])
    return found

print(largest(np.array([1.0, 3.0, 2.0])), type(largest._code).__name__)
"""
CHANGES = {
    "nothing": "",
    "a name has gone": 'trial.CHILD = "from numba.core.codegen import CPUCodegen as C; del C._module_pass_manager; " + trial.CHILD',
    "another meaning": 'trial.CHILD = "from mbsim.jit.fastload import image; image.load = lambda found: 1 / 0; " + trial.CHILD',
    "a crash": 'trial.CHILD = "import os; os.abort()"',
}
REASONS = {"a name has gone": "AttributeError: ", "another meaning": "ZeroDivisionError: ", "a crash": "the trial ended with exit code -6"}


def run(change: str, cache: Path) -> tuple[str, list[str]]:
    """What a program prints under such a Numba, and what it says."""
    paths = os.pathsep.join([str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "MBSIM_CACHE_DIR": str(cache), "MBSIM_FASTLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(change=CHANGES[change])], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), [line for line in done.stderr.splitlines() if line.startswith("said:")]


def test_the_numba_at_hand_was_tested() -> None:
    assert trial.reason() == "", f"the tests of jit pass? then add the series of Numba {trial.NUMBA_VERSION} to trial.TESTED"


def test_the_trial_succeeds_here() -> None:
    assert trial.tried() == ""


def test_a_numba_that_works_is_used(tmp_path: Path) -> None:
    """The trial is made once: what it found is kept."""
    printed, said = run("nothing", tmp_path)
    assert printed == "3.0 FastCode" and said == []
    (kept,) = tmp_path.rglob(trial.NAME)
    assert kept.stat().st_size < 100


@pytest.mark.parametrize("change", REASONS)
def test_a_numba_that_has_changed_does_all_itself(change: str, tmp_path: Path) -> None:
    printed, said = run(change, tmp_path)
    assert printed == "3.0 StockCode" and len(said) == 1
    assert f"Numba {trial.NUMBA_VERSION} compiles and loads all kernels itself" in said[0] and REASONS[change] in said[0]
