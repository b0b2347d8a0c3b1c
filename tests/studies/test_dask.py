"""Studies on a Dask cluster of this machine (slow): the same numbers, workers that are killed, a scheduler that goes or is not there."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import mbsim
from mbsim.studies.engine.pool import PoolError, make_pool
from mbsim.studies.sampled import run as running
from mbsim.studies.sampled.read import read_study

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
RUNS = 240
STUDY = f"""\
model: double_pendulum
vary: {{m2: {{from: 0.5, to: 2.0, count: {RUNS // 4}}}, l1: {{normal: {{mean: 1.0, std: 0.01}}}}}}
sampling: {{type: sobol, count: 4, seed: 1}}
simulation: {{end: 0.2}}
outputs: {{last: final(theta1)}}
keep: {{variables: [theta2], every: 20}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started import this tree's mbsim."""
    paths = os.pathsep.join(filter(None, [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYTHONPATH", paths)


def content(path: Path) -> dict[str, bytes]:
    import h5py
    import numpy as np

    with h5py.File(path, "r") as found:
        return {name: np.asarray(found[name][()]).tobytes() for name in found}


def whole(file: Path) -> dict[str, bytes]:
    """What one thread of this process makes of the study."""
    path = file.with_name("whole.h5")
    running.run_study(read_study(file), path, make_pool(1))
    return content(path)


@pytest.fixture
def cluster(folder: None) -> Iterator[object]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as found:
        yield found


def test_the_same_numbers(file: Path, cluster: object) -> None:
    at = make_pool(1, dask=cluster.scheduler_address)  # type: ignore[attr-defined]
    assert at.workers == 2
    running.run_study(read_study(file), file.with_name("s.h5"), at)
    at.close()
    assert content(file.with_name("s.h5")) == whole(file)


def test_a_worker_that_is_killed_loses_nothing(file: Path, cluster: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client

    monkeypatch.setattr(running, "BATCH", 0.0)  # a run at a time
    at = make_pool(1, dask=cluster.scheduler_address)  # type: ignore[attr-defined]
    with Client(cluster) as client:
        workers = client.run(os.getpid)
    killed: list[int] = []

    def say(progress: running.Progress) -> None:
        if progress.done >= RUNS // 2 and not killed:
            killed.extend(list(workers.values())[:1])
            os.kill(killed[0], signal.SIGKILL)

    progress = running.run_study(read_study(file), file.with_name("s.h5"), at, say=say)
    at.close()
    assert killed and progress.done == RUNS and not progress.failed
    assert content(file.with_name("s.h5")) == whole(file)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until_it_listens(port: int, patience: float = 120.0) -> None:
    """A machine that does other things starts a process late."""
    end = time.monotonic() + patience
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < end, "the scheduler does not start"
        time.sleep(0.1)


def test_a_scheduler_that_goes(file: Path, folder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study ends with a message, and goes on elsewhere."""
    monkeypatch.setattr(running, "BATCH", 0.0)
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"]
    scheduler = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"],
                              stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        until_it_listens(port)
        at = make_pool(1, dask=address)

        def say(progress: running.Progress) -> None:
            if progress.done == RUNS // 2:
                scheduler.kill()

        path = file.with_name("s.h5")
        with pytest.raises(PoolError, match="scheduler"):
            running.run_study(read_study(file), path, at, say=say)
        at.close(at_once=True)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert running.run_study(read_study(file), path, make_pool(1), resume=True).resumed >= RUNS // 2
    assert content(path) == whole(file)


def test_a_scheduler_that_is_not_there(file: Path) -> None:
    with pytest.raises(PoolError, match="no scheduler answers there"):
        make_pool(1, dask=f"tcp://127.0.0.1:{free_port()}")
