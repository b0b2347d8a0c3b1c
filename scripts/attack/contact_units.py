"""The same contacts in other units: rigid models with lengths, masses and times far smaller and larger move in the same way.

    python scripts/attack/contact_units.py                  # all models, by events and by steps
    python scripts/attack/contact_units.py --impacts events # by events alone
    python scripts/attack/contact_units.py crank winch      # these alone
    python scripts/attack/contact_units.py --scales 1e-3    # with these factors of a unit alone

Each model below (`rescaled.py` writes it with units) is run in its own units, and with each of length and mass, and by steps of time, too,
multiplied by SCALES. Three things have to be the same: whether the run ends, which events there are in which order, and all numbers of the
states, times their units, to TOLERANCE of the largest of their kind. An impact is found to some 1e-10 s and multiplies differences, so
TOLERANCE is that of a motion through ten of them; LOOSE has others.
"""

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parent))
from rescaled import UNITS, powers, rescaled

import mbsim
from mbsim import registry
from mbsim.model.load import load

SCALES = (1e-5, 1e-3, 1e3, 1e5)
STILL = 1e-9  # m or rad, and a second: what is less is round-off
TOLERANCE = 1e-5  # of the largest number of its kind
RTOL = 1e-9
ROWS, SAME = 50, 1e-9  # of the length of the run: times that are one

BOX = """
name: a box is thrown, slides, tips and comes to rest
dimension: 2
gravity: [0, -9.81]
bodies:
  box: {mass: 2, inertia: 0.05, position: [0, 0.5], angle: 0.3, velocity: [1.5, 0], shape: {type: box, size: [0.4, 0.2, 0.2]}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 1]}, friction: 0.3, restitution: 0.2, closing_speed: 1e-3}}
simulation: {end: 1.2, step: 1e-3}
"""

SPATIAL = """
name: a box in space slides on a slope and leans on a wall
gravity: [0, 0, -9.81]
bodies:
  box: {mass: 2, inertia: [0.03, 0.04, 0.05], position: [0, 0, 0.12], velocity: [2, 0.5, 0], angular_velocity: [0, 0, 3],
        shape: {type: box, size: [0.4, 0.3, 0.2]}}
contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 0, 1]}, friction: 0.3, closing_speed: 1e-3}}
simulation: {end: 0.5, step: 1e-3}
"""

CRANK = """
name: a slider-crank with friction in all joints
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.1, 0], angular_velocity: 6}
  rod: {mass: 1, inertia: 0.03, position: [0.45, 0]}
  slider: {mass: 2, inertia: 0.01, position: [0.7, 0]}
joints:
  A: {type: revolute, bodies: [ground, crank], at: [0, 0], friction: {coefficient: 0.2, radius: 0.02}}
  B: {type: revolute, bodies: [crank, rod], at: [0.2, 0], friction: {torque: 0.05}}
  C: {type: revolute, bodies: [rod, slider], at: [0.7, 0]}
  D: {type: prismatic, bodies: [ground, slider], at: [0.7, 0], axis: [1, 0], friction: {force: 1.5}}
simulation: {end: 3, step: 1e-3}
"""

STILL_CRANK = """
name: a slider-crank that starts from rest at a dead point, with friction of the slide
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.1, 0]}
  rod: {mass: 1, inertia: 0.03, position: [0.45, 0]}
  slider: {mass: 2, inertia: 0.01, position: [0.7, 0]}
joints:
  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  B: {type: revolute, bodies: [crank, rod], at: [0.2, 0]}
  C: {type: revolute, bodies: [rod, slider], at: [0.7, 0]}
  D: {type: prismatic, bodies: [ground, slider], at: [0.7, 0], axis: [1, 0], friction: {force: 1.5}}
simulation: {end: 2, step: 1e-3}
"""

WINCH = """
name: a load on a drum with friction, which a stop of the drum catches, and a brake block that slides
dimension: 2
gravity: [0, -9.81]
bodies:
  drum: {mass: 3, inertia: 0.02, position: [0, 2], angular_velocity: 2}
  load: {mass: 2, inertia: 0.01, position: [0.1, 1]}
  cart: {mass: 1, inertia: 0.01, position: [1, 0], velocity: [1, 0]}
joints:
  axle: {type: revolute, bodies: [ground, drum], at: [0, 2], friction: {torque: 0.5},
         stops: {upper: 1.5, lower: -5, restitution: 0.3, closing_speed: 1e-3}}
  guide: {type: prismatic, bodies: [ground, load], at: [0.1, 1], axis: [0, 1]}
  rail: {type: prismatic, bodies: [ground, cart], at: [1, 0], axis: [1, 0], friction: {coefficient: 0.1, length: 0.2},
         stops: {upper: 0.3, restitution: 0.5, closing_speed: 1e-3}}
  rope: {type: rack_and_pinion, joints: [axle, guide], radius: 0.1}
forces:
  spring: {type: translational_spring_damper, joint: rail, stiffness: 40, damping: 0.1}
simulation: {end: 2, step: 1e-3}
"""

PILE = """
name: three disks fall into a trough
dimension: 2
gravity: [0, -9.81]
parameters: {c: 0.70710678118654752}
bodies:
  a: {mass: 1, inertia: 0.005, position: [-0.05, 0.3], shape: {type: cylinder, radius: 0.1, length: 0.02}}
  b: {mass: 2, inertia: 0.01, position: [0.03, 0.55], shape: {type: cylinder, radius: 0.1, length: 0.02}}
  d: {mass: 1, inertia: 0.005, position: [-0.12, 0.8], shape: {type: cylinder, radius: 0.1, length: 0.02}}
contacts:
  each: {between: [a, b, d], friction: 0.2, closing_speed: 1e-3}
  left: {bodies: [a, b, d, ground], plane: {normal: [c, c]}, friction: 0.4, closing_speed: 1e-3}
  right: {bodies: [a, b, d, ground], plane: {normal: [-c, c]}, friction: 0.4, closing_speed: 1e-3}
simulation: {end: 0.8, step: 1e-3}
"""

DOMINOES = """
name: three dominoes
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 0.5, inertia: 0.002, position: [0, 0.1], angular_velocity: -2, shape: {type: box, size: [0.03, 0.2, 0.05]}}
  b: {mass: 0.5, inertia: 0.002, position: [0.08, 0.1], shape: {type: box, size: [0.03, 0.2, 0.05]}}
  c: {mass: 0.5, inertia: 0.002, position: [0.16, 0.1], shape: {type: box, size: [0.03, 0.2, 0.05]}}
contacts:
  floor: {bodies: [a, b, c, ground], plane: {normal: [0, 1]}, friction: 0.6, closing_speed: 1e-3}
  each: {between: [a, b, c], without: [[a, c]], friction: 0.2, closing_speed: 1e-3}
simulation: {end: 0.4, step: 1e-3}
"""

TABLE = """
name: a table on four legs slides until it rests
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 8, inertia: [0.4, 0.5, 0.6], position: [0, 0, 0.5], velocity: [1, 0.2, 0], angular_velocity: [0, 0, 0.5],
          points: {a: [0.4, 0.3, 0], b: [-0.4, 0.3, 0], c: [0.4, -0.3, 0], d: [-0.4, -0.3, 0]}}
contacts:
  floor: {bodies: [table, ground], points: [a, b, c, d], plane: {normal: [0, 0, 1]}, friction: 0.3, closing_speed: 1e-3}
simulation: {end: 0.6, step: 1e-3}
"""

MODELS = {
    "box": BOX, "spatial": SPATIAL, "crank": CRANK, "still_crank": STILL_CRANK, "winch": WINCH, "pile": PILE, "dominoes": DOMINOES,
    "table": TABLE,
}  # fmt: skip
LOOSE = {  # by model and impacts
    ("pile", "steps"): 2e-2,  # what is closed in a step is told by 1e-9 of a length that is a metre up to there: that decides ties
}


class Run(NamedTuple):
    """What a run came to, in the first units."""

    states: dict[str, np.ndarray]  # by unit, (rows, columns)
    events: list[tuple[str, str]]  # name and what it did
    times: np.ndarray  # of these
    stop: str


class Finding(NamedTuple):
    """What a model in its own units and in others came to."""

    name: str
    impacts: str
    verdict: str
    detail: str


def size(unit: str, scale: Mapping[str, float]) -> float:
    """A unit in multiples of the first one."""
    return float(np.prod([scale.get(name, 1.0) ** power for name, power in powers(unit).items()]))


def run(block: Mapping[str, Any], scale: Mapping[str, float], impacts: str) -> Run:
    """A run in other units, its numbers in the first ones again."""
    given = {f"unit_{name}": x for name, x in scale.items()}
    model = load(yaml.dump(dict(block), sort_keys=False), registry, file="model.yaml", parameters=given)
    about, second, stop = model.simulation, scale.get("s", 1.0), ""
    made = mbsim.assemble(model)
    settings: dict[str, Any] = {"impacts": impacts, "end": about.end, "output_step": about.end / ROWS}
    settings |= {"rtol": RTOL, "integrator": "dop853"} if impacts == "events" else {"step": about.step}
    try:
        result = mbsim.simulate(made, **settings)
    except mbsim.SimulationError as error:
        if error.result is None:
            return Run({}, [], np.zeros(0), str(error))
        result, stop = error.result, str(error)
    states: dict[str, np.ndarray] = {}
    asked = about.end / ROWS * np.arange(ROWS + 1)  # an event has rows of its own; of those of one time the last one counts
    rows = np.searchsorted(result["time"], asked[asked <= result["time"][-1] * (1.0 + SAME)] + SAME * about.end, side="right") - 1
    for name, units, rate in (("q", made.system.coordinate_units, ""), ("v", made.system.speed_units, " s-1")):
        for unit in dict.fromkeys(units):
            columns = [i for i, other in enumerate(units[: result[name].shape[1]]) if other == unit]  # else states, which have no unit
            if not columns:
                continue
            known = unit if unit != "1" else rate.strip()
            states[f"{name} {known}"] = result[name][rows][:, columns] / size(known if known != "1" else "", scale)
    lines = [line for line in result.events if line["do"] != "record"]
    return Run(states, [(str(line["event"]), str(line["do"])) for line in lines], np.array([line["time"] for line in lines]) / second, stop)


def apart(first: Run, second: Run) -> tuple[float, str]:
    """The largest difference of states, of the largest of their kind, and what it is of; infinite where the runs are of another kind."""
    if bool(first.stop) != bool(second.stop):
        return np.inf, second.stop or f"ends, where the other stops: {first.stop}"
    worst, of = 0.0, ""
    for name, values in first.states.items():
        other = second.states[name]
        if other.shape != values.shape:
            return np.inf, f"{name}: {len(values)} and {len(other)} rows"
        largest = max(float(np.abs(values).max()), STILL)
        off = float(np.abs(values - other).max()) / largest
        if not off <= worst:
            worst, of = off, name
    if first.events != second.events:
        k = next((k for k, (a, b) in enumerate(zip(first.events, second.events, strict=False)) if a != b), -1)
        shown = [lines[k] if 0 <= k < len(lines) else "none" for lines in (first.events, second.events)]
        of += f"; events {len(first.events)} and {len(second.events)}, the first that differs {shown[0]} and {shown[1]}"
    return worst, of


def judge(name: str, impacts: str, scales: tuple[float, ...] = SCALES, units: tuple[str, ...] = UNITS) -> list[Finding]:
    """Run a model in its own units and in others."""
    block, found = rescaled(yaml.safe_load(MODELS[name])), []
    first = run(block, {}, impacts)
    if first.stop:
        return [Finding(name, impacts, "stopped", first.stop)]
    for unit in units:
        if unit == "s" and impacts == "events":  # absolute tolerances of speeds are per second
            continue
        for scale in scales:
            began = time.monotonic()
            off, of = apart(first, run(block, {unit: scale}, impacts))
            right = off <= LOOSE.get((name, impacts), TOLERANCE)
            detail = f"{off:.1e} with {unit} {scale:g}: {of} ({time.monotonic() - began:.1f} s)"
            found.append(Finding(name, impacts, "right" if right else "wrong", detail))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="models; default: all", metavar="MODEL")
    parser.add_argument("--impacts", choices=("events", "steps"), help="default: both")
    parser.add_argument("--scales", type=float, nargs="+", default=list(SCALES), help="factors of a unit")
    given = parser.parse_args()
    wrong = 0
    for name in given.names or MODELS:
        for impacts in (given.impacts,) if given.impacts else ("events", "steps"):
            for finding in judge(name, impacts, tuple(given.scales)):
                wrong += finding.verdict != "right"
                print(*finding, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
