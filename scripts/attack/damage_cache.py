"""Damages files of the cache, one at a time or two against each other, and runs a model after each.

A run must end with exit code 0 and the numbers of the sound cache, without a traceback; what was damaged must have been made anew or not
have been needed. Exits with 1 where one did not.

    python scripts/attack/damage_cache.py            450 trials: every kind of file, every way to damage it (about 15 minutes)
    python scripts/attack/damage_cache.py --quick    8 trials
"""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

import mbsim
from mbsim.jit import CACHE_FOLDER

# One body in the plane and a force with an equation: a kernel of each kind, and generated code, in a fifth of a second.
MODEL = """
name: damaged
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces: {pull: {type: force, body: rod, at: [1, 0], value: ["0.5*sin(3*t)", "0.1*t^2"]}}
simulation: {end: 0.05, step: 0.001}
"""
FULL, QUICK = 450, 8
TIMEOUT = 300.0  # s
VARIABLES = ("q", "v", "acceleration", "multiplier", "energy_kinetic", "energy_potential")
SMALL = 4  # files of a kind, the smallest, that the quick trials damage: what is damaged is compiled again

Damage = Callable[[Path, Path, random.Random], None]


def flip(path: Path, other: Path, rng: random.Random) -> None:
    """One to eight bits."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 1, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def truncate(path: Path, other: Path, rng: random.Random) -> None:
    """Cut off somewhere."""
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


def lengthen(path: Path, other: Path, rng: random.Random) -> None:
    """With more behind it."""
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.randrange(1, 5000)))


def zero(path: Path, other: Path, rng: random.Random) -> None:
    """A stretch of zeros, as a file system leaves that lost a block."""
    data = bytearray(path.read_bytes())
    begin = rng.randrange(len(data))
    end = min(len(data), begin + rng.choice([1, 16, 512, 4096, len(data)]))
    data[begin:end] = bytes(end - begin)
    path.write_bytes(data)


def empty(path: Path, other: Path, rng: random.Random) -> None:
    """Of no bytes."""
    path.write_bytes(b"")


def noise(path: Path, other: Path, rng: random.Random) -> None:
    """Random bytes, behind a sound header or without it."""
    data = path.read_bytes()
    kept = rng.choice([0, data.index(b"\n") + 1])
    path.write_bytes(data[:kept] + rng.randbytes(len(data) - kept))


def swap(path: Path, other: Path, rng: random.Random) -> None:
    """Two files, each in the other's place."""
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)


def folder(path: Path, other: Path, rng: random.Random) -> None:
    """A folder, with something in it."""
    path.unlink()
    path.mkdir()
    (path / "x").write_bytes(b"x")


def pipe(path: Path, other: Path, rng: random.Random) -> None:
    """A pipe that nobody writes into."""
    path.unlink()
    os.mkfifo(path)


def link(path: Path, other: Path, rng: random.Random) -> None:
    """A link: to another file, or to nothing."""
    path.unlink()
    path.symlink_to(rng.choice([other, path.with_name("nothing")]))


def missing(path: Path, other: Path, rng: random.Random) -> None:
    """Gone."""
    path.unlink()


DAMAGES: tuple[Damage, ...] = (flip, truncate, lengthen, zero, empty, noise, swap, folder, pipe, link, missing)


def run(where: Path, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The model in a process of its own."""
    paths = [str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", "mbsim", "run", "damaged.yaml"],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "MBSIM_CACHE_DIR": str(cache)} | environment,
    )


def numbers(where: Path) -> dict[str, np.ndarray]:
    """What the run found."""
    with h5py.File(where / "damaged.h5") as file:
        return {name: file[name][()] for name in VARIABLES}


def verdict(done: subprocess.CompletedProcess[str], where: Path, sound: dict[str, np.ndarray]) -> str:
    """Empty where all is well."""
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    if "Traceback" in done.stderr:
        return "traceback"
    if done.returncode != 0:
        return f"exit code {done.returncode}"
    found = numbers(where)
    return "" if all(np.array_equal(found[name], sound[name]) for name in VARIABLES) else "wrong numbers"


def prepare(where: Path, sound: Path, full: bool) -> dict[str, np.ndarray]:
    """A cache with what the model needs, files of every kind, and the numbers of a run with it.

    It is made of the cache at hand, so that as little as possible is compiled. What a run uses of it is told by the time of use that
    the run notes, where the last was long ago.
    """
    (where / "damaged.yaml").write_text(MODEL, encoding="utf-8")
    situations: list[dict[str, str]] = [{}, {"MBSIM_NO_IMAGES": "1"}] if full else [{}]
    for environment in situations:
        checked(run(where, CACHE_FOLDER.parent, **environment))
    shutil.copytree(CACHE_FOLDER, sound / CACHE_FOLDER.name, ignore=shutil.ignore_patterns("*.part"), copy_function=copied_if_there)
    for path in CACHE_FOLDER.parent.glob("mbsim-*.digest"):
        shutil.copy(path, sound)
    copied = [path for path in sound.rglob("*") if path.is_file()]
    for path in copied:
        os.utime(path, (0, 0))
    for environment in situations:
        checked(run(where, sound, **environment))  # the model, as it was kept
        for model in sound.rglob("*.model"):
            if model.stat().st_mtime > 0:
                model.unlink()
        checked(run(where, sound, **environment))  # all that reading and assembling it takes
    # Python's source of generated code, and what links kernels, are read only where something else is missing.
    used = {path for path in sound.rglob("*") if path.stat().st_mtime > 0}
    for path in copied:
        if not used & {path, path.with_suffix({".py": ".code", ".numba": ".image"}.get(path.suffix, path.suffix))}:
            path.unlink(missing_ok=True)
    checked(run(where, sound))
    return numbers(where)


def copied_if_there(source: str, target: str) -> None:
    """Other processes may be at work in the cache at hand."""
    with suppress(FileNotFoundError):
        shutil.copy(source, target)


def checked(done: subprocess.CompletedProcess[str]) -> None:
    """Before anything is damaged all must be well."""
    if done.returncode != 0:
        raise SystemExit(f"the sound cache fails: {done.stderr}")


class Trial(NamedTuple):
    """One damaged file."""

    damage: Damage
    path: Path
    removed: tuple[Path, ...]  # so that the file is looked at
    environment: dict[str, str]


def trials(sound: Path, count: int, full: bool, rng: random.Random) -> list[Trial]:
    """All kinds of files in turn, and all damages in turn."""
    kinds: dict[str, list[Path]] = collections.defaultdict(list)
    for path in sorted((path for path in sound.rglob("*") if path.is_file()), key=lambda path: (path.stat().st_size, path)):
        kinds[path.suffix].append(path)
    (model,) = kinds[".model"]
    found = []
    names = sorted(kinds)
    for i in range(count):
        kind = names[i % len(names)]
        path = rng.choice(kinds[kind] if full else kinds[kind][:SMALL])
        removed: tuple[Path, ...] = ()
        environment: dict[str, str] = {}
        if kind == ".numba":
            if full and (rng.random() < 0.5 or not path.with_suffix(".image").exists()):
                environment = {"MBSIM_NO_IMAGES": "1"}
            else:  # from which the image is made
                removed = (path.with_suffix(".image"),)
        elif kind == ".py":
            removed = (path.with_suffix(".code"),)
        if kind not in (".model", ".digest") and rng.random() < 0.5:
            removed += (model,)
        found.append(Trial(DAMAGES[(i // len(names) + i) % len(DAMAGES)], path, removed, environment))
    return found


def attack(count: int, full: bool, seed: int = 1) -> dict[str, int]:
    """How many trials ended in which way; '' is well. Prints each that did not, and the sum."""
    rng = random.Random(seed)
    outcomes: dict[str, int] = collections.Counter()
    kinds: dict[str, int] = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        where, sound = Path(temporary), Path(temporary) / "sound"
        sound.mkdir(mode=0o700)
        expected = prepare(where, sound, full)
        for trial in trials(sound, count, full, rng):
            cache = where / "cache"
            shutil.copytree(sound, cache)
            target = cache / trial.path.relative_to(sound)
            others = [other for other in cache.rglob(f"*{target.suffix}") if other != target]
            trial.damage(target, rng.choice(sorted(others) or sorted(cache.rglob("*.image"))), rng)
            for path in trial.removed:
                (cache / path.relative_to(sound)).unlink(missing_ok=True)
            (where / "damaged.h5").unlink(missing_ok=True)
            try:
                outcome = verdict(run(where, cache, **trial.environment), where, expected)
            except subprocess.TimeoutExpired:
                outcome = "no end"
            outcomes[outcome] += 1
            kinds[target.suffix] += 1
            if outcome:
                print(f"{trial.damage.__name__} {target.relative_to(cache)} {trial.environment or ''}: {outcome}", flush=True)
            shutil.rmtree(cache)
    print(f"{count} damaged files ({', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}): {outcomes['']} runs right")
    for outcome, n in sorted(outcomes.items()):
        if outcome:
            print(f"  {n} {outcome}")
    return dict(outcomes)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} trials instead of {FULL}")
    parser.add_argument("--trials", type=int, help="as many as this")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    outcomes = attack(given.trials or (QUICK if given.quick else FULL), not given.quick, given.seed)
    raise SystemExit(1 if outcomes.keys() - {""} else 0)


if __name__ == "__main__":
    main()
