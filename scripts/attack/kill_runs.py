"""Kills runs by SIGKILL at random times and reads what they leave.

Half of the trials are runs of a model, with chunks of a few rows so that they write all the time; half do nothing but write. Every row that
was acknowledged (the recorder's `append` returned) must be in the part file, every row that is there must be the one
that an undisturbed run writes, in all variables; an older result must be as it was; nothing else may lie about. Exits with 1 otherwise.

    python scripts/attack/kill_runs.py            500 kills (about 5 minutes)
    python scripts/attack/kill_runs.py --quick    16 kills
"""

import argparse
import collections
import mmap
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import numpy as np
from click.testing import CliRunner

import mbsim
import mbsim.march.output_times
from mbsim import registry
from mbsim.assembly import Assembly, assemble
from mbsim.cli import main as command_line
from mbsim.model.load import load
from mbsim.results import FileRecorder, Layout, Result, open_result

# One body in the plane: quick to compile, all kinds of variables.
MODEL = """
name: killed
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: 1.5, step: 0.001}
"""
FULL, QUICK = 500, 16
CHUNK_ROWS = 40  # of a run here: it writes as often
WRITTEN = ("time", "q", "v", "joint_force", "energy_balance")  # by the trials that only write
APPENDED, APPENDS = 300, 25
WAYS = ("run", "write")

Acknowledge = Callable[[int], None]


def reference(made: Assembly) -> Result:
    """The undisturbed run."""
    return mbsim.simulate(made)


def run(made: Assembly, path: Path, acknowledge: Acknowledge) -> None:
    """A run; what its recorder has appended is acknowledged, but for a first row, which waits for those that follow."""
    append, kept = FileRecorder.append, [0]

    def appended(recorder: FileRecorder, chunk: Mapping[str, np.ndarray]) -> None:
        append(recorder, chunk)
        kept[0] += len(chunk["time"])
        acknowledge(kept[0] if kept[0] > 1 else 0)

    with mock.patch.object(FileRecorder, "append", appended):
        mbsim.simulate(made, output=path)


def write(whole: Result, path: Path, acknowledge: Acknowledge) -> None:
    """The same rows again and again, with nothing between."""
    static = {name: whole[name] for name in ("joint_reaction_unique", "multiplier_unique")}
    arrays = {name: whole[name] for name in WRITTEN}
    layout: Layout = whole.layout()
    recorder = FileRecorder(path, layout, whole.model_yaml, whole.parameters, {"method": "svd"}, static)
    count = len(whole.time)
    for k in range(APPENDS):
        rows = np.arange(k * APPENDED, (k + 1) * APPENDED) % count
        recorder.append({name: values[rows] for name, values in arrays.items()})
        acknowledge((k + 1) * APPENDED)
    recorder.close("complete", {"counts": {}})


def trial(way: str, made: Assembly, whole: Result, folder: Path, delay: float, old: bytes | None) -> tuple[str, str]:
    """What was found, and what is wrong with it: nothing if it is empty."""
    path = folder / "x.h5"
    if old is not None:
        path.write_bytes(old)
    told = mmap.mmap(-1, 8)

    def acknowledge(rows: int) -> None:
        told[:] = struct.pack("<Q", rows)

    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(made, path, acknowledge) if way == "run" else write(whole, path, acknowledge)
            code = 0
        finally:
            os._exit(code)
    signal.sigtimedwait({signal.SIGCHLD}, delay)  # not longer than it runs
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    signal.sigtimedwait({signal.SIGCHLD}, 0.0)  # that of its end, if nobody waited for it
    (rows,) = struct.unpack("<Q", told[:])
    if os.WIFEXITED(status):
        return "ended before", "" if os.WEXITSTATUS(status) == 0 and not (folder / "x.h5.part").exists() else f"it failed: {status}"
    return judge(way, whole, path, rows, old)


def judge(way: str, whole: Result, path: Path, rows: int, old: bytes | None) -> tuple[str, str]:
    """Read what a killed run left."""
    part = path.with_name("x.h5.part")
    if odd := sorted({found.name for found in path.parent.iterdir()} - {path.name, part.name}):
        return "debris", f"debris: {odd}"
    if not part.exists() and path.exists() and path.read_bytes() != old:
        part = path  # killed between its rename and its end
    elif old is not None and path.read_bytes() != old:
        return "old result", "the old result was changed"
    elif old is None and path.exists():
        return "half", "a result has its name and its part file, too"
    if not part.exists():
        return "nothing yet", f"{rows} rows are lost" * bool(rows)
    try:
        with open_result(part) as found:
            return same(way, found, whole, rows)
    except ValueError as error:
        info = CliRunner().invoke(command_line, ["info", str(part)])
        if rows or info.exit_code != 2:
            return "unreadable", f"{rows} rows are lost: {error}"
        return "begun", ""


def same(way: str, found: Result, whole: Result, rows: int) -> tuple[str, str]:
    """Compare with the undisturbed run."""
    count = len(found.time)
    if count < rows:
        return "rows lost", f"{count} of {rows} rows"
    index = np.arange(count) % len(whole.time) if way == "write" else np.arange(count)
    for name in found.names():
        expected = whole[name]
        if found.dimensions(name)[0] == "time":
            expected = expected[index]
        if not np.array_equal(found[name], expected, equal_nan=True):
            return "wrong rows", f"{name} differs in {count} rows"
    return f"{'running' if found.attributes['status'] == 'running' else 'ended'}, rows {'read' if count else 'none'}", ""


def attack(trials: int, seed: int) -> tuple[collections.Counter[str], list[str]]:
    """The kills; how many found what, and what is wrong."""
    rng, counts, wrong = random.Random(seed), collections.Counter[str](), list[str]()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    folder = Path(tempfile.mkdtemp(prefix="mbsim-kill-"))
    try:
        made = assemble(load(MODEL, registry, file="killed.yaml"))
        mbsim.march.output_times.CHUNK_ROWS = CHUNK_ROWS
        whole = reference(made)
        durations = {}
        old = b""
        for way in WAYS:  # how long an undisturbed one takes, in this process
            tick = time.perf_counter()
            run(made, folder / "old.h5", lambda rows: None) if way == "run" else write(whole, folder / "old.h5", lambda rows: None)
            durations[way] = time.perf_counter() - tick
            old = old or (folder / "old.h5").read_bytes()  # of a run, whose wall time no other file has
        for number in range(trials):
            way = WAYS[number % len(WAYS)]
            place = folder / str(number)
            place.mkdir()
            delay = rng.uniform(0.0, 1.5 * durations[way])  # a child is slower at first
            what, complaint = trial(way, made, whole, place, delay, old if rng.random() < 0.5 else None)
            counts[f"{way}: {what}"] += 1
            if complaint:
                wrong.append(f"trial {number}, {way} killed after {delay:.4f} s: {complaint}")
            shutil.rmtree(place)
    finally:
        shutil.rmtree(folder)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    return counts, wrong


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} kills")
    parser.add_argument("--trials", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    trials = given.trials or (QUICK if given.quick else FULL)
    counts, wrong = attack(trials, given.seed)
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    print("\n".join(wrong))
    print(f"{trials} kills: {len(wrong)} lost or changed anything")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
