"""Studies on a GPU, in Numba's simulator of CUDA: the rows are those of lanes, and what does not go there is refused with the reason."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from numba import config

from mbsim.cli import main
from mbsim.straight.forms import LanesError
from mbsim.studies.lanes import cuda
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.task import CUDA, DeviceError

MODELS = Path(__file__).resolve().parents[2] / "models"
OMEGA = {"omega": {"from": 7.0, "to": 9.0, "count": 4}}
# Rows of runs in the simulator and in lanes: of 20 steps, of a model with quaternions, with a table, and one run that leaves its lane.
ROWS = """
import sys
import numpy as np
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.on_gpu import OnGpu
from mbsim.studies.runner.runner import Runner

model, vary, low, high, step, method, gone = sys.argv[1:]
settings = {"end": 20 * float(step), "step": float(step), "integrator": "rk4", **({"method": method} if method else {})}
values = np.linspace(float(low), float(high), 8)[:, None]
gpu, lanes, plain = (Runner(model, [vary], {"last": "final(t)", "v": "final(energy_kinetic)"}, simulation=settings) for _ in range(3))
on_gpu, in_lanes = OnGpu(gpu, values, 8), InLanes(lanes, values, 10**6)
if gone != "-1":
    values[int(gone)] *= 20.0
for (mine, stayed, _), (rows, wanted, _) in zip(on_gpu.marched(values), in_lanes.marched(values), strict=True):
    assert stayed == wanted
    if stayed:
        scale = np.abs(rows).max(axis=0)
        assert (np.abs(mine - rows) <= 1e-12 * np.maximum(scale, scale.max())).all(), np.abs(mine - rows).max()
found, one_by_one = on_gpu.run_many(values), [plain.run(row) for row in values]
for mine, wanted in zip(found, one_by_one, strict=True):
    np.testing.assert_allclose(mine.values, wanted.values, rtol=1e-10)
left = [k for k, (_, stayed, _) in enumerate(on_gpu.marched(values)) if not stayed]
assert left == ([] if gone == "-1" else [int(gone)]), left
"""


def simulated(code: str, *arguments: str) -> None:
    """Run code where Numba simulates CUDA, which is decided when it is imported."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(
    ("model", "vary", "ends", "step", "method"),
    [
        ("pendulum", "l", ("0.9", "1.1"), "1e-3", ""),
        ("four_bar", "omega", ("7", "9"), "1e-3", "svd"),
        ("four_bar", "omega", ("7", "9"), "1e-3", "lagrange"),
        ("double_pendulum", "m2", ("0.5", "2"), "1e-3", ""),
        ("free_body", "bodies.body.angular_velocity[2]", ("0.7", "0.9"), "0.02", "cfa"),
        ("cam_follower", "bodies.follower.mass", ("0.4", "0.6"), "1e-3", "lagrange"),
    ],
)
def test_rows_are_those_of_lanes(model: str, vary: str, ends: tuple[str, str], step: str, method: str) -> None:
    simulated(ROWS, str(MODELS / f"{model}.yaml"), vary, *ends, step, method, "-1")


def test_a_run_that_leaves_is_marched_by_itself() -> None:
    simulated(ROWS, str(MODELS / "double_pendulum.yaml"), "initial.theta1", "6e3", "7e3", "1e-3", "", "5")


STUDY = """
import numpy as np
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.run import run_study
import pathlib, sys

made = prepare(sys.argv[1], {"omega": {"from": 7.0, "to": 9.0, "count": 21}}, {"x": "final(crank.angle)"}, simulation={"end": 0.01})
found = []
for device in ("cpu", "cuda"):
    study, path = made.on(device), pathlib.Path(sys.argv[2]) / f"{device}.h5"
    run_study(study, path, make_pool(1))
    found.append(study.batches.run(study.plan.values(0, 21)).outputs)
    assert study.batches.why_alone == "" or device == "cpu"
np.testing.assert_allclose(*found, rtol=1e-12)
assert made.task.key != made.on("cuda").task.key
"""


def test_a_study(tmp_path: Path) -> None:
    """More runs than a tile has, into a file."""
    simulated(STUDY, str(MODELS / "four_bar.yaml"), str(tmp_path))


FAILS = """
import sys
from click.testing import CliRunner
from numba.cuda.cudadrv.driver import CudaAPIError
from mbsim.cli import main
from mbsim.studies.lanes.cuda import CudaMarch

tiles, plain = [int(sys.argv[3])], CudaMarch._marched

def marched(self, slots):
    tiles[0] -= 1
    if tiles[0] < 0:
        raise CudaAPIError(2, "out of memory")
    return plain(self, slots)

CudaMarch._marched = marched
words = ["sweep", sys.argv[1], "--vary", "omega=7:9:4", "--output", "x=final(t)", "--end", "0.01", "--device", "cuda", "-o", sys.argv[2]]
done = CliRunner().invoke(main, words)
assert done.exit_code == int(sys.argv[4]) and "CUDA does not march it" in done.output and "out of memory" in done.output, done.output
"""


@pytest.mark.parametrize(("marches", "code"), [(0, 2), (1, 1)])
def test_what_cuda_fails_with_is_said(marches: int, code: int, tmp_path: Path) -> None:
    """Before the study, and in the middle of it."""
    simulated(FAILS, str(MODELS / "four_bar.yaml"), str(tmp_path / "x.h5"), str(marches), str(code))


def test_no_gpu_and_no_package_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if config.ENABLE_CUDASIM:
        pytest.skip("the simulator is on")
    monkeypatch.setattr(cuda.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LanesError, match=r"pip install 'mbsim\[cuda\]'"):
        cuda.find_cuda()
    monkeypatch.setattr(cuda.importlib.util, "find_spec", lambda name: object())
    from numba import cuda as of_numba

    if of_numba.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(LanesError, match="finds no GPU"):
        cuda.find_cuda()
    words = ["sweep", str(MODELS / "four_bar.yaml"), "--vary", "omega=7:9:4", "--output", "x=final(t)", "--device", "cuda"]
    done = CliRunner().invoke(main, [*words, "-o", str(tmp_path / "x.h5")])
    assert done.exit_code == 2
    assert "--device cuda: the study does not run by CUDA: CUDA finds no GPU here" in done.output


def test_what_a_gpu_does_not_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.studies.runner.on_gpu.find_cuda", lambda: None)
    outputs = {"x": "final(t)"}
    for simulation, alone, words in (
        ({"integrator": "dop853"}, False, "chooses its steps"),
        ({"integrator": "rk4", "step": 0.01, "output_step": 0.001}, False, "several output rows"),
        ({"method": "rattle", "step": 0.01}, False, "makes its own steps"),
        ({"method": "generalized_alpha", "step": 0.01}, False, "generalized_alpha makes its own steps; a GPU takes"),
        ({"stop": "t - 0.005"}, False, "stop expression"),
        ({}, True, "alone: true"),
    ):
        made = prepare(MODELS / "four_bar.yaml", OMEGA, outputs, simulation={"end": 0.01, **simulation}, alone=alone)
        with pytest.raises(DeviceError, match=words):
            made.on(CUDA)
    made = prepare(MODELS / "four_bar.yaml", OMEGA, {"x": "rocker.angle"}, analysis="equilibrium")
    with pytest.raises(DeviceError, match="runs are not marches"):
        made.on(CUDA)
    with pytest.raises(DeviceError, match="allowed: cpu, cuda"):
        prepare(MODELS / "four_bar.yaml", OMEGA, outputs).on("tpu")
    varied = prepare(MODELS / "four_bar.yaml", {"omega": {"from": 7.0, "to": 9.0}}, outputs, optimize={"minimize": "x"})
    with pytest.raises(DeviceError, match="grids and samples"):
        varied.on(CUDA)
