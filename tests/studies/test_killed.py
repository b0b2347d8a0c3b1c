"""A study that is killed by kill -9 at random moments, as a user's process, and ends as if it had not been (slow); Ctrl-C; a full disk."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

import mbsim

STUDY = """\
model: double_pendulum
vary:
  m2: {from: 0.5, to: 2.0, count: 40}
  l1: {normal: {mean: 1.0, std: 0.01}}
sampling: {type: sobol, count: 16, seed: 1}
simulation: {end: 0.2}
outputs: {last: final(theta1)}
"""
KILLS = 50


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", "mbsim", "study", "s.yaml", "-o", "s.h5", "-j", "2", *words]
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def content(path: Path) -> dict[str, bytes]:
    with h5py.File(path, "r") as file:
        return {name: np.asarray(file[name][()]).tobytes() for name in file}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.yaml").write_text(STUDY)
    return tmp_path


@pytest.mark.slow
def test_killed_at_random_moments(folder: Path) -> None:
    began = time.monotonic()
    assert started(folder).wait() == 0
    whole, took = content(folder / "s.h5"), time.monotonic() - began
    draw, killed = random.Random(3), 0
    while killed < KILLS:
        for path in folder.glob("s.h5*"):
            path.unlink()
        resume = False
        while not (folder / "s.h5").exists():
            process = started(folder, *["--resume"] * resume)
            try:
                assert process.wait(timeout=draw.uniform(0.2, 1.0) * took) == 0
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            resume = True
        assert content(folder / "s.h5") == whole
        assert [path.name for path in folder.glob("s.h5*")] == ["s.h5"]


@pytest.mark.slow
def test_interrupted(folder: Path) -> None:
    (folder / "s.yaml").write_text(STUDY.replace("end: 0.2", "end: 10"))  # it must not end before
    process = started(folder)
    while not (folder / "s.h5.part").exists():
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and "Traceback" not in said
    assert "interrupted; what was done is in s.h5.part, and --resume goes on" in said
    assert started(folder, "--resume").wait() == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/shm").is_dir() or os.geteuid() != 0, reason="needs a small file system, which root can mount")
def test_a_disk_that_fills(folder: Path) -> None:
    small = folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(small)], check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (small / "s.yaml").write_text(STUDY.replace("count: 16", "count: 4096"))
        process = started(small)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 1 and "cannot write the study" in said and "Traceback" not in said
    finally:
        subprocess.run(["umount", str(small)], check=False)
