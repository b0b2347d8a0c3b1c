"""Kills studies by SIGKILL at random times, and lets them go on by `resume` until they end.

Each study is killed until one of its processes reaches the end. The file must then hold what the file of an undisturbed study holds, byte
by byte in every data set, and nothing else may lie about. Exits with 1 otherwise.

    python scripts/attack/kill_studies.py            200 kills (some minutes)
    python scripts/attack/kill_studies.py --quick    4 kills
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

import mbsim.studies.sampled.run
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.run import run_study
from mbsim.studies.sampled.study import Study

MODEL = Path(__file__).parents[2] / "models" / "double_pendulum.yaml"
FULL, QUICK = 200, 4
BATCH = 0.01  # s of a worker between two writings, a thirtieth of what a study takes otherwise


def study(runs: int) -> Study:
    """Half a grid, half samples, with kept histories."""
    vary = {"m2": {"from": 0.5, "to": 2.0, "count": runs // 16}, "l1": {"normal": {"mean": 1.0, "std": 0.01}}}
    sampling = {"type": "sobol", "count": 16, "seed": 1}
    return prepare(MODEL, vary, {"last": "final(theta1)"}, sampling=sampling, simulation={"end": 0.05}, keep=["theta2"], every=10)


def run(made: Study, path: Path, resume: bool) -> None:
    """A study with two threads, which writes often."""
    at = make_pool(2, "threads")
    with mock.patch.object(mbsim.studies.sampled.run, "BATCH", BATCH):
        run_study(made, path, at, resume=resume)
    at.close()


def killed(made: Study, path: Path, resume: bool, delay: float) -> bool:
    """Run it in a process of its own, which is killed after `delay` s; whether it had not ended before. Raises RuntimeError if it fails."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(made, path, resume)
            code = 0
        finally:
            os._exit(code)
    signal.sigtimedwait({signal.SIGCHLD}, delay)  # not longer than it runs
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    signal.sigtimedwait({signal.SIGCHLD}, 0.0)  # that of its end, if nobody waited for it
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"a study that was resumed ended with {os.WEXITSTATUS(status)}")
    return not os.WIFEXITED(status)


def content(path: Path) -> dict[str, bytes]:
    """The bytes of every data set."""
    with h5py.File(path, "r") as file:
        return {name: np.asarray(file[name][()]).tobytes() for name in file}


def attack(kills: int, runs: int, seed: int) -> tuple[int, int, list[str]]:
    """The kills that were made, of how many studies, and what is wrong."""
    draw, made, wrong = random.Random(seed), study(runs), list[str]()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    folder = Path(tempfile.mkdtemp(prefix="mbsim-kill-"))
    try:
        began = time.perf_counter()
        killed(made, folder / "whole.h5", False, 3600.0)
        took, whole = time.perf_counter() - began, content(folder / "whole.h5")
        count = studies = 0
        while count < kills:
            place_ = folder / str(studies)
            place_.mkdir()
            path, resume = place_ / "x.h5", False
            while not path.exists():
                count += killed(made, path, resume, draw.uniform(0.1, 1.3) * took)
                resume = True
            if content(path) != whole:
                wrong.append(f"study {studies}: its file has another content")
            if odd := sorted(found.name for found in place_.iterdir() if found != path):
                wrong.append(f"study {studies}: debris: {odd}")
            studies += 1
    finally:
        shutil.rmtree(folder)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    return count, studies, wrong


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} kills")
    parser.add_argument("--kills", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    kills = given.kills or (QUICK if given.quick else FULL)
    count, studies, wrong = attack(kills, 320 if given.quick else 1600, given.seed)
    print("\n".join(wrong))
    print(f"{count} kills of {studies} studies: {len(wrong)} ended with another file")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
