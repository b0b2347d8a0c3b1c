"""The same mechanism in other units: models with lengths, masses and times a thousandth and a thousand times as large move in the same way.

    python scripts/attack/units.py                    # the shipped models but the stiff ones, and 200 random ones, by the default method
    python scripts/attack/units.py --quick            # 13 random ones
    python scripts/attack/units.py --first 1000       # the 200 random ones alone, with other seeds
    python scripts/attack/units.py --method all       # the shipped ones by each method (or --method cfa, ...)
    python scripts/attack/units.py --control          # with error control in place of equal steps
    python scripts/attack/units.py --base 1024        # another factor; with powers of two nothing is rounded, and nothing may differ
    python scripts/attack/units.py --journal FILE     # go on where an earlier run ended

Each model (`rescaled.py`) is run with equal steps in its own units, and with each of length, mass and time scaled by 1e-3 and 1e3, the
times in the settings with it. All numbers of the results, times the units, have to be the same to TOLERANCE of the largest of their kind.
A motion that multiplies round-off may differ by more, and so may one in which round-off decides between equally large pivots: runs whose
units differ by round-off show by how much, and GROWN times that is allowed. With error control the absolute tolerance of speeds is per
second: there the unit of time is left alone.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parent))
import families
from rescaled import UNITS, powers, rescaled

import mbsim
from mbsim import registry
from mbsim.model.load import load

MODELS = Path(__file__).parents[2] / "models"
FULL, QUICK = 200, 13
TOLERANCE = 1e-9  # of the largest number of its kind
HELD = 1e-13  # links, rad, of the constraints
STEPS = 300
RTOL = 1e-9
GROWN = 100.0  # times what a change of the units by round-off makes
ROUNDED = (1.0 + 1e-15, 1.0 + 1e-14, 1.0 - 1e-14, 1.0 + 3e-14, 1.0 - 3e-14, 1.0 - 1e-15)  # such changes; mostly the first will do
SCALE = 1e3
STIFF = ("flyball_governor", "porter_governor")  # explicit steps of this size do not integrate them
RECORDED = {
    "body_position": "m", "body_orientation": "", "body_velocity": "m s-1", "body_angular_velocity": "s-1", "joint_force": "N",
    "joint_torque": "N m", "energy_kinetic": "J", "energy_potential": "J", "energy_work": "J",
}  # fmt: skip
Floats = np.ndarray
Values = dict[str, Floats]


class Finding(NamedTuple):
    """What a model in its own units and in others came to."""

    name: str
    method: str
    verdict: str
    detail: str


def shipped() -> Iterator[tuple[str, dict[str, Any]]]:
    """The shipped models, in other units."""
    for path in sorted(MODELS.glob("*.yaml")):
        made = rescaled(load(path, registry).document.data)
        yield path.stem, made


def ordinary() -> Iterator[tuple[str, dict[str, Any]]]:
    """Those but the stiff ones."""
    return ((name, block) for name, block in shipped() if name not in STIFF)


def drawn(count: int, first: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Random mechanisms of about a metre and a kilogram, in absolute and joint coordinates by turns."""
    names = list(families.FAMILIES)
    for k in range(count):
        family, seed = names[k % len(names)], first + k // len(names)
        made = families.mechanism(family, seed)
        turn = families.placed(family, seed)["turn"]
        block = made.block("absolute" if seed % 2 == 0 else "joint", 1.0, 1.0, turn, 0.5)
        block["simulation"] = {"end": 0.3, "step": 1e-3}
        yield f"{family} {seed}", rescaled(yaml.safe_load(yaml.dump(block)))


def size(unit: str, scale: Mapping[str, float]) -> float:
    """A unit in multiples of the first one."""
    return float(np.prod([scale.get(name, 1.0) ** power for name, power in powers(unit).items()]))


def run(block: Mapping[str, Any], scale: Mapping[str, float], given: Mapping[str, Any]) -> tuple[Values, str]:
    """The numbers of a run in other units, in the first ones again, by kind; and why it stopped, if it did."""
    text = yaml.dump(dict(block), sort_keys=False)
    made = mbsim.assemble(load(text, registry, file=str(MODELS / "model.yaml"), parameters={f"unit_{n}": x for n, x in scale.items()}))
    settings, stop = dict(given), ""
    for key in ("step", "output_step", "end"):
        if key in settings:
            settings[key] *= scale.get("s", 1.0)
    try:
        result = mbsim.simulate(made, **settings)
    except mbsim.SimulationError as error:
        if error.result is None:
            return {}, str(error)
        result, stop = error.result, str(error)
    found = {}
    for name, units, rate in (("q", made.system.coordinate_units, ""), ("v", made.system.speed_units, " s-1")):
        for unit in dict.fromkeys(units):
            columns = [i for i, other in enumerate(units) if other == unit]
            known = unit if unit != "1" else rate.strip()  # own coordinates are numbers, their speeds numbers per second
            found[f"{name} {known}"] = result[name][:, columns] / size(known if known != "1" else "", scale)
    names = set(result.names())
    for name, unit in RECORDED.items():
        if name in names:
            found[name] = result[name] / size(unit, scale)
            if name.startswith("joint_"):
                found[name] = found[name][:, result["joint_reaction_unique"] > 0]
    return {name: values for name, values in found.items() if values.size}, stop


def apart(first: Values, second: Values) -> tuple[float, str]:
    """The largest difference, of the largest number of its kind, and what it is of."""
    worst, of = 0.0, ""
    energy = max((float(np.abs(x).max()) for name, x in first.items() if name.startswith("energy")), default=0.0)
    for name, values in first.items():
        other = second[name]
        if other.shape != values.shape:
            return np.inf, f"{name}: {len(values)} and {len(other)} rows"
        largest = energy if name.startswith("energy") else float(np.abs(values).max())
        if name == "joint_torque" and "joint_force" in first:  # forces about the arms of the mechanism
            largest = max(largest, float(np.abs(first["joint_force"]).max()) * float(np.abs(first["body_position"]).max()))
        off = float(np.abs(values - other).max())
        off = off / largest if largest > 0.0 else off
        if not off <= worst:
            worst, of = off, name
    return worst, of


def judge(name: str, block: Mapping[str, Any], method: str = "auto", base: float = SCALE, control: bool = False) -> Finding:
    """Run a model in its own units and in others. `control`: with error control."""
    about = load(yaml.dump(dict(block), sort_keys=False), registry, file=str(MODELS / "model.yaml")).simulation
    step = about.step or (about.end - about.start) / 1000
    given = {"method": method, "end": min(about.end, about.start + STEPS * step), "drift_tolerance": HELD}
    word = method.partition("(")[0]
    owns = word != "auto" and registry.declaration("methods", word, "OWNS_STEP", False)
    given |= {"output_step": step, "rtol": RTOL} if control else {"step": step}
    if not owns:
        given["integrator"] = "dop853" if control else "rk4"
    try:
        first, stop = run(block, {}, given)
    except ValueError as error:
        return Finding(name, method, "refused", str(error))
    if not first:
        return Finding(name, method, "stopped", stop)

    def grown(scale: float) -> float:
        return apart(first, run(block, dict.fromkeys(UNITS, scale), given)[0])[0]

    amplified = grown(ROUNDED[0])
    worst, detail = 0.0, ""
    for unit in UNITS[:2] if control else UNITS:
        for scale in (1.0 / base, base):
            values, other = run(block, {unit: scale}, given)
            off, of = apart(first, values)
            if bool(stop) != bool(other):
                off, of = np.inf, other or stop
            if not off <= worst:
                worst, detail = off, f"{off:.1e} ({amplified:.0e}) with {unit} {scale:g}: {of}"
    for scale in ROUNDED[1:]:
        if not worst <= max(TOLERANCE, GROWN * amplified):
            amplified = max(amplified, grown(scale))
            detail = f"{detail.partition('(')[0]}({amplified:.0e}){detail.partition(')')[2]}"
    return Finding(name, method, "right" if worst <= max(TOLERANCE, GROWN * amplified) else "wrong", detail)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} random mechanisms")
    parser.add_argument("--method", default="auto", help="in place of the default; `all`: each, of the shipped models")
    parser.add_argument("--control", action="store_true", help="with error control in place of equal steps")
    parser.add_argument("--base", type=float, default=SCALE, help="units are scaled by this and its inverse")
    parser.add_argument("--first", type=int, metavar="SEED", help="the random ones alone, from this seed on")
    parser.add_argument("--journal", type=Path, help="where findings are kept; what is in it is not run again")
    given = parser.parse_args()
    each = given.method == "all"
    methods = registry.names("methods") if each else [given.method]
    random = drawn(QUICK if given.quick else FULL, given.first or 0)
    alone = given.quick or given.first is not None
    models = random if alone else ordinary() if each else chain(ordinary(), random)
    known = {}
    if given.journal is not None and given.journal.exists():
        known = {tuple(line[:2]): Finding(*line) for line in map(json.loads, given.journal.read_text().splitlines())}
    counted: Counter[str] = Counter()
    began = time.monotonic()
    for name, block in models:
        for method in methods:
            finding = known.get((name, method)) or judge(name, block, method, given.base, given.control)
            counted[finding.verdict] += 1
            if finding.verdict == "wrong" or not each:
                print(*finding, flush=True)
            if given.journal is not None and (name, method) not in known:
                with given.journal.open("a") as file:
                    file.write(json.dumps(finding) + "\n")
    print(f"{counted.total()} models in {time.monotonic() - began:.0f} s: {dict(counted)}")
    return 1 if counted["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
