"""Random mechanisms, by every method in both kinds of coordinates: right, or stopped with a name, or warned of; never silently wrong.

    python scripts/attack/random_mechanisms.py               # 3000 mechanisms, every method
    python scripts/attack/random_mechanisms.py --one-method  # 3000 mechanisms, each by one method, the next by the next
    python scripts/attack/random_mechanisms.py --quick       # one of each family

Each mechanism (families.py) is run for the time that a pendulum of its size takes for a radian. What has to hold:

- `freedoms`: absolute and joint coordinates count the same degrees of freedom;
- `wrong`: bodies are where the reference has them (lagrange with rk4 at half the step, absolute coordinates), to TOLERANCE of the
  mechanism's length or SAID times the error that the run or the reference estimates of itself, or the run stops and names a time and a
  row or body, or it warns; likewise the energy balance holds to ENERGY of the energy, or a note says by how much it does not. The
  reference itself is held against lagrange with dop853 at 1e-10;
- `undecided`, which is allowed: those two part at a singular position that they report, or with a warning;
- `error`: nothing else is raised;
- `slow`: no run takes longer than its bound.
"""

import argparse
import os
import pickle
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parent))
import families

import mbsim
from mbsim import formulations, registry
from mbsim.diagnosis.redundancy import redundancy
from mbsim.model.load import load

FULL, QUICK = 3000, len(families.FAMILIES)
BOUND = 120.0  # s for all runs of one mechanism, on a machine that does other things too
TOLERANCE = 1e-5  # of the mechanism's length, after 200 steps of methods of order 4
LOW_ORDER = 5e-3  # the same for methods of order 2, and baumgarte, whose constraints hold to the step's error only
SAID = 10.0  # times the error that a run estimates of itself: as much it may be off
ENERGY = 1e-3  # of the largest kinetic energy
SECOND_ORDER = ("baumgarte", "generalized_alpha", "rattle", "broyden")
METHODS = registry.names("methods")
OF_TREES = [name for name in METHODS if not formulations.fits(name, formulations.Traits(1, False, True))]
RIGHT, STOPPED, WARNED, FREEDOMS, WRONG, ERROR, SLOW = "right", "stopped", "warned", "freedoms", "wrong", "error", "slow"
UNDECIDED = "undecided"
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
GOOD = (RIGHT, STOPPED, WARNED, UNDECIDED)


class Finding(NamedTuple):
    """What one run came to; of a count of freedoms the method is empty."""

    family: str
    seed: int
    coordinates: str
    method: str
    verdict: str
    detail: str

    def __str__(self) -> str:
        return f"{self.verdict:9} {self.family} {self.seed} {self.coordinates} {self.method}: {self.detail}"


def judge(family: str, seed: int, methods: list[str], span: float = 1.0, twice: bool = True) -> Iterator[Finding]:
    """All findings of one mechanism, run for `span` times its own. The reference is computed `twice`, or only where a run is off it."""
    place = families.placed(family, seed)
    made = {}
    for coordinates in ("absolute", "joint"):
        block = families.mechanism(family, seed).block(coordinates, **place)
        block["simulation"]["end"] *= span
        try:
            made[coordinates] = mbsim.assemble(_model(block))
        except Exception as error:
            yield Finding(family, seed, coordinates, "", ERROR, f"{type(error).__name__}: {error}")
            return
    freedoms = {name: redundancy(a.system, 0.0, a.q).degrees_of_freedom for name, a in made.items()}
    verdict = RIGHT if freedoms["absolute"] == freedoms["joint"] else FREEDOMS
    yield Finding(family, seed, "both", "", verdict, f"{freedoms['absolute']} absolute, {freedoms['joint']} joint")
    step = made["absolute"].simulation.step
    reference, _ = _run(made["absolute"], "lagrange", "rk4", step=step / 2)
    doubt = None
    if twice and (doubt := _doubtful(family, seed, made["absolute"], reference, place["length"])):
        yield doubt
        return
    for coordinates, assembly in made.items():
        for method in methods:
            if not fits(method, coordinates, assembly.system.n_rows):
                continue  # refused with a sentence
            verdict, detail = _verdict(assembly, method, reference, place["length"])
            if verdict == WRONG and not twice:
                doubt = _doubtful(family, seed, made["absolute"], reference, place["length"])
            yield doubt or Finding(family, seed, coordinates, method, verdict, detail)


def _doubtful(family: str, seed: int, made: Any, reference: Any, length: float) -> Finding | None:
    """A finding where error control does not come to the reference."""
    other, _ = _run(made, "lagrange", "dop853", rtol=1e-10, atol=1e-12 * length)
    if (apart := _apart(other, reference) / length) <= max(TOLERANCE, _estimated(reference) / length):
        return None
    said = any(run.attributes.get("rank_changes") or run.attributes.get("warnings") for run in (reference, other))
    return Finding(family, seed, "absolute", "lagrange", UNDECIDED if said else WRONG, f"references are {apart:.1e} lengths apart")


def _model(block: dict[str, Any]) -> Any:
    return load(yaml.dump(block, sort_keys=False, Dumper=_DUMPER), registry, file="model.yaml")


def _run(made: Any, method: str, integrator: str | None = None, **options: Any) -> tuple[Any, str]:
    """A result as far as it goes, and why it stopped."""
    settings: dict[str, Any] = {"method": method, "output_step": 4.0 * made.simulation.step, "step": made.simulation.step, **options}
    if integrator is not None:
        settings["integrator"] = integrator
    try:
        return mbsim.simulate(made, **settings), ""
    except mbsim.SimulationError as error:
        return error.result, str(error)


def _apart(result: Any, reference: Any) -> float:
    """The largest distance in m between the places of a body in two results, over the times that both have."""
    at = np.isin(result.time, reference.time)
    same = np.isin(reference.time, result.time)
    return float(np.abs(result["body_position"][at] - reference["body_position"][same]).max(initial=0.0))


def _estimated(result: Any) -> float:
    """By how much (m) a run may be off, as it says itself."""
    return SAID * float(np.nan_to_num(result["error_estimate"]).max()) if "error_estimate" in result else 0.0


def _verdict(made: Any, method: str, reference: Any, length: float) -> tuple[str, str]:
    try:
        result, stop = _run(made, method)
    except Exception as error:
        return ERROR, f"{type(error).__name__}: {error}"
    apart = _apart(result, reference) / length
    energy = float(np.abs(result["energy_balance"]).max() / max(result["energy_kinetic"].max(), 1e-300))
    low = method in SECOND_ORDER
    allowed = max(LOW_ORDER if low else TOLERANCE, _estimated(result) / length, _estimated(reference) / length)
    if apart <= allowed and (low or energy <= ENERGY):
        return (STOPPED, stop) if stop else (RIGHT, f"{apart:.1e}")
    found = f"bodies are {apart:.1e} lengths off, energy {energy:.1e} of the kinetic"
    warnings = [*result.attributes.get("warnings", []), *(n for n in result.attributes.get("notes", []) if "energy balance" in n)]
    if warnings:
        return WARNED, f"{found}; {'; '.join(warnings)}"
    return (STOPPED if stop else WRONG), f"{found}{'; ' + stop if stop else ''}"


def fits(method: str, coordinates: str, rows: int) -> bool:
    """Whether a method is for these coordinates and so many constraint rows."""
    return not rows if method == "cfa" and coordinates == "joint" else coordinates == "joint" or method not in OF_TREES


def whose_turn(family: str, seed: int, methods: list[str]) -> str:
    """The method whose turn it is."""
    return methods[(seed + list(families.FAMILIES).index(family)) % len(methods)]


def bounded(family: str, seed: int, methods: list[str], span: float = 1.0, bound: float = BOUND) -> list[Finding]:
    """`judge` in a process of its own, which is ended after `bound` seconds."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(read)
        with os.fdopen(write, "wb") as pipe:
            for finding in judge(family, seed, methods, span):
                pickle.dump(finding, pipe)
                pipe.flush()
        os._exit(0)
    os.close(write)
    found: list[Finding] = []
    deadline = time.monotonic() + bound
    with os.fdopen(read, "rb") as pipe:
        data = b""
        while True:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                break
            piece = os.read(pipe.fileno(), 65536)
            if not piece:
                break
            data += piece
    _, status = os.waitpid(child, 0)
    found += _unpickled(data)
    if status:
        what = SLOW if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL else ERROR
        after = found[-1] if found else None
        found.append(Finding(family, seed, after.coordinates if after else "", "", what, f"process ended with {status}, after {after}"))
    return found


def _unpickled(data: bytes) -> list[Finding]:
    import io

    stream, found = io.BytesIO(data), []
    while True:
        try:
            found.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one mechanism of each family")
    parser.add_argument("--count", type=int, default=None, help=f"mechanisms; {FULL} if not given")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--families", default=",".join(families.FAMILIES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--one-method", action="store_true", help="run each mechanism by one of the methods, which take turns")
    parser.add_argument("--span", type=float, default=1.0, help="how long, in times of a pendulum for a radian")
    given = parser.parse_args()
    chosen = given.families.split(",")
    count = given.count or (QUICK if given.quick else FULL)
    methods = given.methods.split(",")
    for coordinates in ("absolute", "joint"):  # compiled before the clocks run
        for turn in (None, np.eye(3)):
            made = mbsim.assemble(_model(families.mechanism("four_bar", 0).block(coordinates, turn=turn)))
            for method in methods:
                if fits(method, coordinates, made.system.n_rows):
                    _run(made, method)
    verdicts: Counter[str] = Counter()
    by_method: dict[str, Counter[str]] = {}
    began, done = time.monotonic(), 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run that is ended says how far it came
    with suppress(KeyboardInterrupt):
        for i in range(count):
            family, seed = chosen[i % len(chosen)], given.first + i // len(chosen)
            for finding in bounded(family, seed, [whose_turn(family, seed, methods)] if given.one_method else methods, given.span):
                verdicts[finding.verdict] += 1
                by_method.setdefault(finding.method or "(freedoms)", Counter())[finding.verdict] += 1
                if finding.verdict not in GOOD:
                    print(finding, flush=True)
            done += 1
    print(f"{done} mechanisms, {sum(verdicts.values())} findings in {time.monotonic() - began:.0f} s: {dict(verdicts)}")
    for method, counted in sorted(by_method.items()):
        print(f"  {method:20} {dict(counted)}")
    return 0 if all(v in GOOD for v in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
