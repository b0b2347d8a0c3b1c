"""Numbers varied by a `Runner` against the same numbers written into the file: each variable of the result, value by value.

    python scripts/attack/changed_numbers.py                    # three numbers of each shipped model
    python scripts/attack/changed_numbers.py --count 20 four_bar heavy_top
    python scripts/attack/changed_numbers.py --seed 5

Numbers of all blocks but `simulation`, `reference` and `name` are changed by up to TENTH of themselves, one or two at a time; each model is
run for a part of its time. The same runner takes all of a model's numbers, one after the other, so that what one run leaves in its arrays
shows in the next. A finding is a run that fails where the file does not, or the reverse, and a value that differs by more than APART of the
largest of its variable. Numbers that no runner varies (`PathError`) are counted.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

import mbsim
from mbsim.model.targets import PathError

MODELS = Path(__file__).parents[2] / "models"
TENTH = 0.1
APART = 1e-9
LEFT_OUT = ("simulation", "reference", "name", "dimension", "tables")
COMPARED = ("q", "v", "body_position", "joint_force", "multiplier", "energy_kinetic", "energy_balance")
PART = 0.05  # of the time of a model
Key = tuple[Any, ...]


class Finding(NamedTuple):
    """What a change came to: right, refused or what is wrong."""

    word: str
    said: str = ""


def numbers(data: Any, at: Key = ()) -> Iterator[tuple[Key, float]]:
    """The numbers of a file, with the keys and indices that lead to each; zeros have no tenth."""
    if isinstance(data, dict | list):
        for key, item in data.items() if isinstance(data, dict) else enumerate(data):
            if at or key not in LEFT_OUT:
                yield from numbers(item, (*at, key))
    elif isinstance(data, int | float) and not isinstance(data, bool) and data != 0 and math.isfinite(data):
        yield at, float(data)


def path_of(key: Key) -> str:
    """As a study writes it."""
    if key[0] == "parameters":
        return str(key[1])
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".")


def written(data: Any, changes: dict[Key, float]) -> Any:
    """The data with other numbers."""

    def of(item: Any, at: Key) -> Any:
        if isinstance(item, dict):
            return {key: of(value, (*at, key)) for key, value in item.items()}
        if isinstance(item, list):
            return [of(value, (*at, k)) for k, value in enumerate(item)]
        return changes.get(at, item)

    return of(data, ())


def span_of(model: Path) -> dict[str, Any]:
    """The end that both run to."""
    block = mbsim.load_model(model).simulation
    return {"end": block.start + PART * (block.end - block.start)}


def compare(runner: Any, values: list[float], changed: Path, span: dict[str, Any]) -> Finding:
    """The runner with these numbers against a run of the file that has them."""
    outcome = runner.run(values)
    try:
        expected = mbsim.simulate(changed, **span)
    except (mbsim.ModelError, mbsim.SimulationError) as error:
        return Finding("right" if outcome.failed else "failed", "" if outcome.failed else f"the file fails alone: {error}")
    if outcome.failed:
        return Finding("failed", f"the runner fails alone: {outcome.reason}")
    found, times = runner.result, np.asarray(expected.time)
    place = np.searchsorted(found.time, times - 1e-12 * max(1.0, float(times[-1])))  # a runner may keep rows between those of a run
    if place[-1] >= len(found.time) or not np.allclose(np.asarray(found.time)[place], times, rtol=0, atol=1e-9):
        return Finding("wrong", f"the {len(found.time)} rows have not the times of the {len(times)} of the file")
    for name in COMPARED:
        if name not in expected.names() or name not in found.names():
            continue
        a, b = np.asarray(found[name], float)[place], np.asarray(expected[name], float)
        if a.shape != b.shape:
            return Finding("wrong", f"{name} has the shape {a.shape}, and {b.shape} of the file")
        scale = float(np.nanmax(np.abs(expected["energy_kinetic" if name == "energy_balance" else name]), initial=1e-6))
        apart = float(np.nanmax(np.abs(a - b), initial=0.0))
        if (np.isnan(a) != np.isnan(b)).any() or apart > APART * scale:
            return Finding("wrong", f"{name} is off by {apart:.3g} of {scale:.3g}")
    return Finding("right")


def judge(name: str, count: int, rng: np.random.Generator, folder: Path) -> Iterator[tuple[str, Finding]]:
    """The findings of one shipped model, with what was changed. Files are written beside those that the model reads."""
    path = MODELS / f"{name}.yaml"
    data, span = yaml.safe_load(path.read_text(encoding="utf-8")), span_of(path)
    data.pop("reference", None)  # its times may be beyond another end
    known = list(numbers(data))
    for _ in range(count):
        picked = [known[int(k)] for k in rng.choice(len(known), min(int(rng.integers(1, 3)), len(known)), replace=False)]
        keys = [key for key, _ in picked]
        said = ", ".join(map(path_of, keys))
        try:
            runner = mbsim.Runner(path, vary=list(map(path_of, keys)), outputs={"t": "final(t)"}, **span)
        except (PathError, mbsim.ModelError, ValueError) as error:
            yield said, Finding("refused", str(error))
            continue
        for _ in range(2):
            values = [value * (1.0 + float(rng.uniform(-TENTH, TENTH))) for _, value in picked]
            changed = folder / f"{name}.yaml"
            changed.write_text(yaml.safe_dump(written(data, dict(zip(keys, values, strict=True))), sort_keys=False), encoding="utf-8")
            yield f"{said} = {values}", compare(runner, values, changed, span)


def main() -> int:
    import shutil
    import tempfile

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("models", nargs="*", help="shipped models; all of them when none is named")
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng, counts = np.random.default_rng(given.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as made:
        for table in MODELS.glob("*.csv"):
            shutil.copy(table, made)
        for name in given.models or sorted(path.stem for path in MODELS.glob("*.yaml")):
            for said, finding in judge(name, given.count, rng, Path(made)):
                counts[finding.word] += 1
                if finding.word not in ("right", "refused"):
                    print(f"{name}: {said}: {finding.word}: {finding.said}", flush=True)
    print(", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    return int(bool(set(counts) - {"right", "refused"}))


if __name__ == "__main__":
    sys.exit(main())
