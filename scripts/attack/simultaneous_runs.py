"""Starts several runs to one output at the same time, each of a model with another parameter, and looks at what is there in the end.

The file must be whole and that of one run which said so by exit code 0; every other run must have ended with 0 too, before that one began,
or with 2 and the words that another run is writing the file. Nothing else may lie about. Exits with 1 otherwise.

    python scripts/attack/simultaneous_runs.py            60 rounds of 6 runs (about 3 minutes)
    python scripts/attack/simultaneous_runs.py --quick    3 rounds of 6 runs
"""

import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from mbsim.cli import main as command_line
from mbsim.results import open_result

MODEL = """
name: simultaneous
dimension: 2
gravity: [0, -9.81]
parameters: {runner: -1}
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: END, step: 0.001}
"""
FULL, QUICK, RUNS = 60, 3, 6
ENDS = (0.05, 0.3, 1.0)  # s: runs that are over before others begin, and such that are not
BUSY = "another run is writing it"


def start(model: Path, output: Path, runner: int, gate: tuple[int, int]) -> int:
    """A child that waits until the parent closes the gate, a pipe, and runs then. It answers with its exit code, and 100 more if it says
    that another run writes the file."""
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        os.close(gate[1])
        os.read(gate[0], 1)
        arguments = ["-q", "run", str(model), "-o", str(output), "--set", f"runner={runner}"]
        done = CliRunner().invoke(command_line, arguments, prog_name="mbsim")
        code = done.exit_code + 100 * (BUSY in done.stderr)
    finally:
        os._exit(code)


def simultaneous(model: Path, output: Path) -> tuple[list[int], str]:
    """The exit codes of one round, and what is wrong with it."""
    gate = os.pipe()
    children = [start(model, output, runner, gate) for runner in range(RUNS)]
    for end in gate:
        os.close(end)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    if odd := sorted({path.name for path in output.parent.iterdir()} - {output.name}):
        return codes, f"debris: {odd}"
    if set(codes) - {0, 102} or 0 not in codes:
        return codes, f"exit codes {codes}"
    with open_result(output) as result:
        winner = int(result.parameters["runner"])
        if result.attributes["status"] != "complete" or len(result.time) < 10 or codes[winner] != 0:
            return codes, f"the file is of run {winner}, which ended with {codes[winner]}, and is {result.attributes['status']}"
    return codes, ""


def attack(rounds: int, seed: int) -> tuple[collections.Counter[str], list[str]]:
    """The rounds; how often how many runs went through, and what is wrong."""
    rng, counts, wrong = random.Random(seed), collections.Counter[str](), list[str]()
    folder = Path(tempfile.mkdtemp(prefix="mbsim-simultaneous-"))
    try:
        models = []
        for end in ENDS:
            models.append(folder / f"model-{end}.yaml")
            models[-1].write_text(MODEL.replace("END", str(end)), encoding="utf-8")
            warm = CliRunner().invoke(command_line, ["-q", "run", str(models[-1]), "-o", str(folder / "warm.h5")])
            assert warm.exit_code == 0, warm.output
        for number in range(rounds):
            place = folder / str(number)
            place.mkdir()
            output = place / "x.h5"
            if rng.random() < 0.5:
                shutil.copy(folder / "warm.h5", output)
            codes, complaint = simultaneous(models[number % len(models)], output)
            counts[f"{codes.count(0)} of {RUNS} done, {codes.count(102)} refused"] += 1
            if complaint:
                wrong.append(f"round {number}: {complaint}")
            shutil.rmtree(place)
    finally:
        shutil.rmtree(folder)
    return counts, wrong


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} rounds")
    parser.add_argument("--trials", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rounds = given.trials or (QUICK if given.quick else FULL)
    counts, wrong = attack(rounds, given.seed)
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    print("\n".join(wrong))
    print(f"{rounds} rounds of {RUNS} simultaneous runs: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
