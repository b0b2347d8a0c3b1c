"""Damages result files, makes hostile ones, and reads each by `mbsim info`, `plot`, `draw`, `view -o` and `open_result`.

Every reading must end with its numbers or with one line and exit code 2 (ResultError in Python): no traceback, no crash, no more than a
few seconds or a few hundred megabytes; and where bytes were damaged, the numbers that are read must be those that were written. Every file
is read in a process of its own. Exits with 1 otherwise.

    python scripts/attack/damage_results.py            1,250 files (about 15 minutes)
    python scripts/attack/damage_results.py --quick    16 files
"""

import argparse
import collections
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from click.testing import CliRunner
from damages import BYTES, HOSTILE, repaint, sound

from mbsim.cli import main as command_line
from mbsim.results import ResultError, open_result

FULL, QUICK = 1250, 16
SECONDS = 60  # of processor time for a file
MEGABYTES = 400  # that reading may take, where the file has one
PLOTTED = 10  # one file of so many is plotted and drawn, which takes most of the time
PAGES = 100  # one of so many is made a page of


class How(NamedTuple):
    """By what a file is read, besides `info` and Python."""

    plotted: bool
    drawn: bool  # by `draw`, and by `view` as a picture and as solids
    page: bool


def errors(stderr: str) -> str:
    """What is said without the warnings of shapes whose file is not there."""
    return re.sub(r"^(?!Error|Usage).*(is not there|drawn without|has no file).*\n?", "", stderr, flags=re.MULTILINE)


def read(path: Path, how: "How", whole: dict[str, np.ndarray] | None) -> str:
    """Read in every way; what was found. Raises what must not be raised."""
    codes = []
    commands = [["info", str(path)], ["info", "--json", str(path)]]
    commands += [["plot", str(path), "-o", str(path.with_suffix(".svg")), "--force"]] if how.plotted else []
    commands += [["draw", str(path), "-o", str(path.with_suffix(".svg")), "--force"]] if how.drawn else []
    suffixes = [*([".png", ".glb"] if how.drawn else []), *([".html"] if how.page else [])]
    commands += [["view", str(path), "-o", str(path.with_suffix(suffix)), "--force"] for suffix in suffixes]
    for command in commands:
        done = CliRunner().invoke(command_line, command, prog_name="mbsim")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        if done.exit_code not in (0, 2) or (done.exit_code == 2) != bool(errors(done.stderr)):
            raise AssertionError(f"{command[0]}: exit code {done.exit_code}: {done.stderr[:200]}")
        if command[0] in ("draw", "view") and done.exit_code == 2 and (len(done.stderr.splitlines()) > 1 or str(path) not in done.stderr):
            raise AssertionError(f"{command[0]}: its message is not one line that names the file: {done.stderr[:300]}")
        codes.append(done.exit_code)
    try:
        with open_result(path) as result:
            found = {name: result[name] for name in result.names()}
    except ResultError:
        return "refused"
    if how.drawn and whole is not None and set(found) == set(whole) and any(codes[2:]):
        raise AssertionError(f"all numbers are read, and it is not drawn: {codes}")
    if codes[0] != 0 or codes[1] != 0:
        raise AssertionError(f"read in Python, and by `mbsim info` not: {codes}")
    if whole is not None:
        for name, values in found.items():
            if not np.array_equal(values, whole[name][: len(values)]):
                raise AssertionError(f"{name} is not what was written")
    return "read" if whole is None or set(found) == set(whole) else "read in part"


def trial(path: Path, how: "How", whole: dict[str, np.ndarray] | None) -> tuple[str, str]:
    """Read in a child, and watch it: what was found, and what is wrong."""
    answer, said = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answer)
        words = "nothing"
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            words = read(path, how, whole)
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            if grown > MEGABYTES:
                words = f"!it took {grown:.0f} MB"
        except BaseException as error:  # whatever it is, it is what we look for
            words = f"!{type(error).__name__}: {str(error)[:300]}"
        finally:
            os.write(said, words.encode())
            os._exit(0)
    os.close(said)
    with os.fdopen(answer, "rb") as pipe:
        words = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        slow = number in (signal.SIGXCPU, signal.SIGKILL)
        return ("endless", f"not finished after {SECONDS} s") if slow else ("crash", f"ended by {signal.Signals(number).name}")
    return ("wrong", words[1:]) if words.startswith("!") else (words, "")


def attack(trials: int, seed: int, keep: Path | None = None) -> tuple[collections.Counter[str], list[str]]:
    """Damage and read; how many found what, and what is wrong. Files that are read wrongly are copied to `keep`."""
    rng, counts, wrong = random.Random(seed), collections.Counter[str](), list[str]()
    folder = Path(tempfile.mkdtemp(prefix="mbsim-damage-"))
    try:
        good = folder / "good.h5"
        sound(good)
        with open_result(good) as result:
            whole = {name: result[name] for name in result.names()}
        read(good, How(True, True, False), whole)  # so that no child has to import what reads, draws and plots
        assert trial(good, How(True, True, True), whole) == ("read", ""), "the sound file is not read"
        for number in range(trials):
            path = folder / f"{number}.h5"
            shutil.copy(good, path)
            kinds = BYTES if number % 2 else HOSTILE
            damage = kinds[number // 2 % len(kinds)]
            damage(path, rng)
            how = How(number % PLOTTED == 0, number % PLOTTED == 0 or damage is repaint, number % PAGES == 0)
            what, complaint = trial(path, how, whole if kinds is BYTES else None)
            counts[f"{damage.__name__}: {what}"] += 1
            if complaint:
                wrong.append(f"file {number}, {damage.__name__}: {complaint}")
                if keep is not None:
                    keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, keep)
            path.unlink()
    finally:
        shutil.rmtree(folder)
    return counts, wrong


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} files")
    parser.add_argument("--trials", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="A folder for the files that are read wrongly.")
    given = parser.parse_args()
    trials = given.trials or (QUICK if given.quick else FULL)
    counts, wrong = attack(trials, given.seed, given.keep)
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    print("\n".join(wrong))
    print(f"{trials} damaged results: {len(wrong)} read wrongly")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
