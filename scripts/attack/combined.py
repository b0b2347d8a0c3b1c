"""Random mechanisms with several features at once, by several ways that must agree: who is right alone may be wrong together.

    python scripts/attack/combined.py [--count 60] [--seed 0]

A mechanism (families.py) gets some of: a rope that is taut on one side only, an elastic cable through an eyelet, stops, dry friction, a
sampled controller, laws that switch, joints that lock and unlock, a driver that lets go. It is run in both kinds of coordinates, by
several methods and integrators, as a stepper, and by error control at two tolerances. The tighter run by `auto` in absolute coordinates is
the reference; where it differs from the looser one, the motion hangs on its last digits (`unsure`), and nothing is judged after that.
What has to hold:

- each way has the reference's places of bodies and its events, or it is refused before the run (`ModelError`) with a reason;
- the energy balance holds where error is controlled;
- nothing stops where the reference goes on, unless the message names a singular position (`singular`).
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parent))
import families
from drawn import rotation

import mbsim
from mbsim import formulations, registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load

ROWS = 40  # output rows of a run
TIGHT = {"rtol": 1e-11, "atol": 1e-12}
LOOSE = {"rtol": 1e-9, "atol": 1e-10}
AGREES = 2e-5  # m: what two ways may be apart under error control
COARSE = 5e-3  # m: a way with equal steps of order 2
SURE = 1e-6  # m, between the two references: beyond it the motion hangs on the last digits
ENERGY = 1e-5  # of the largest kinetic energy, at least of 1 J
Block = dict[str, Any]


class Way(NamedTuple):
    """A way to run a model."""

    coordinates: str
    settings: Block
    coarse: bool = False
    steps: bool = False  # as a stepper

    def __str__(self) -> str:
        words = [self.coordinates, *(str(x) for k, x in self.settings.items() if k in ("method", "integrator"))]
        return " ".join(words) + (" stepper" if self.steps else "")


WAYS = (
    Way("joint", LOOSE),
    Way("absolute", LOOSE, steps=True),
    Way("absolute", {"method": "lagrange", "integrator": "dop853", **LOOSE}),
    Way("absolute", {"method": "svd", "integrator": "rk45", **LOOSE}),
    Way("absolute", {"method": "cfa", "integrator": "dop853", **LOOSE}),
    Way("absolute", {"method": "nullspace", "integrator": "radau", **LOOSE}),
    Way("absolute", {"method": "riemann", "integrator": "dop853", **LOOSE}),
    Way("joint", {"method": "aba", "integrator": "dop853", **LOOSE}),
    Way("joint", {"method": "kane", "integrator": "rk45", **LOOSE}),
    Way("joint", {"method": "lagrange", "integrator": "radau", **LOOSE}),
    Way("absolute", {"method": "generalized_alpha", "step": 5e-4}, coarse=True),
    Way("joint", {"method": "generalized_alpha", "step": 5e-4}, coarse=True),
    Way("absolute", {"method": "cfa", "integrator": "rk4", "step": 5e-4}, coarse=True),
    Way("joint", {"method": "aba", "integrator": "rk4", "step": 5e-4}, coarse=True),
)


class Drawn:
    """A model block that gets features; `has` names them."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng([11, seed])
        self.family = str(rng.choice(list(families.FAMILIES)))
        made = families.mechanism(self.family, seed)
        turn = None if made.planar and rng.random() < 0.7 else rotation(rng)
        self.block: Block = made.block("absolute", turn=turn)
        self.flat = turn is None
        self.block.setdefault("forces", {})
        self.block["parameters"] = {}
        self.block["simulation"] = {"end": float(rng.uniform(0.5, 1.2))}
        self.has: list[str] = []
        self.end = self.block["simulation"]["end"]
        self.hinges = [n for n, j in self.block["joints"].items() if j["type"] == "revolute"]
        self.slides = [n for n, j in self.block["joints"].items() if j["type"] == "prismatic"]
        features = [self.rope, self.cable, self.stop, self.rub, self.control, self.switch, self.latch, self.weld, self.law]
        for feature in rng.permutation(np.array(features, object))[: int(rng.integers(2, 5))]:
            feature()

    def body(self) -> str:
        return str(self.rng.choice(list(self.block["bodies"])))

    def point(self, body: str) -> np.ndarray:
        return np.array(self.block["bodies"][body]["position"])

    def somewhere(self, size: float) -> np.ndarray:
        return self.rng.uniform(-size, size, 2 if self.flat else 3)

    def coordinate(self) -> tuple[str, str, str] | None:
        """A joint with one coordinate, the coordinate, and the kind of its spring."""
        of = [(n, "angle", "rotational") for n in self.hinges] + [(n, "displacement", "translational") for n in self.slides]
        return of[int(self.rng.integers(len(of)))] if of else None

    def rope(self) -> None:
        body = self.body()
        ends = [(self.point(body) + self.somewhere(1.0)).tolist(), self.point(body).tolist()]
        free = float(np.linalg.norm(np.subtract(*ends)) * self.rng.uniform(0.9, 1.2))
        k = float(self.rng.uniform(20.0, 300.0))
        rope = {"type": "spring_damper", "bodies": ["ground", body], "at": ends, "value": f"{k}*max(length - {free}, 0)"}
        self.block["forces"]["rope"] = rope
        self.has.append("rope")

    def cable(self) -> None:
        body, other = self.body(), self.body()
        ends = [self.point(body) + self.somewhere(0.8), self.point(body), self.point(other) + self.somewhere(0.8)]
        path = [{"point": "ground", "at": ends[0].tolist()}, {"point": body, "at": ends[1].tolist()},
                {"point": "ground" if self.rng.random() < 0.5 else other, "at": ends[2].tolist()}]  # fmt: skip
        drawn = float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum())
        spring = {
            "stiffness": float(self.rng.uniform(20.0, 200.0)),
            "damping": 0.5,
            "free_length": drawn * float(self.rng.uniform(0.85, 1.1)),
        }
        self.block["forces"]["cable"] = {"type": "pulley_cable", "path": path, **spring}
        self.has.append("cable")

    def stop(self) -> None:
        if (of := self.coordinate()) is None:
            return
        side, e = self.rng.uniform(0.03, 0.4, 2), float(self.rng.uniform(0.2, 0.7))
        self.block["joints"][of[0]]["stops"] = {"lower": -float(side[0]), "upper": float(side[1]), "restitution": e}
        self.has.append("stops")

    def rub(self) -> None:
        if (of := self.coordinate()) is None:
            return
        mu = float(self.rng.uniform(0.05, 0.3))
        given: Block = {"torque" if of[1] == "angle" else "force": float(self.rng.uniform(0.05, 1.0))}
        loaded: Block = {"coefficient": mu} | ({"radius": 0.05} if of[1] == "angle" else {})
        self.block["joints"][of[0]]["friction"] = given if self.rng.random() < 0.5 or not self.flat else loaded
        self.has.append("friction")

    def control(self) -> None:
        if (of := self.coordinate()) is None:
            return
        gains = {
            "kp": float(self.rng.uniform(5.0, 40.0)),
            "ki": float(self.rng.uniform(0.0, 20.0)),
            "kd": float(self.rng.uniform(0.5, 3.0)),
        }
        law = f"{float(self.rng.uniform(-0.3, 0.3))}*sin({float(self.rng.uniform(1.0, 6.0))}*t)"
        self.block.setdefault("controllers", {})["motor"] = {
            "type": "pid",
            "joint": of[0],
            "target": law,
            "sample": 0.02,
            "limit": 15,
            **gains,
        }
        if self.rng.random() < 0.3:
            del self.block["controllers"]["motor"]["sample"]
        self.has.append("pid")

    def when(self) -> str:
        """An expression that crosses zero, perhaps."""
        body = self.body()
        axis = int(self.rng.integers(2 if self.flat else 3))
        at = self.point(body)[axis] + self.rng.uniform(-0.15, 0.15)
        return f"{body}.{'xyz'[axis]} - ({float(at)})" if self.rng.random() < 0.6 else f"t - {float(self.rng.uniform(0.1, 0.9)) * self.end}"

    def event(self, name: str, what: Any) -> None:
        self.block.setdefault("events", {})[name] = {"when": self.when(), "do": what, "once": True}
        self.has.append(name)

    def switch(self) -> None:
        body = self.body()
        self.block["parameters"]["F"] = float(self.rng.uniform(-8.0, 8.0))
        value = ["F*cos(5*t)", "-F/2"] + ([] if self.flat else ["F/3"])
        self.block["forces"]["push"] = {"type": "force", "body": body, "value": value}
        self.event("turn", {"switch": {"F": "-0.7*F"}})

    def latch(self) -> None:
        """A joint's coordinate is locked at some moment, and perhaps let go."""
        body = self.body()
        pin = {
            "type": "spherical" if not self.flat else "revolute",
            "bodies": ["ground", body],
            "at": self.point(body).tolist(),
            "locked": False,
        }
        self.block["joints"]["latch"] = pin
        self.event("caught", {"lock": "latch"})
        if self.rng.random() < 0.5:
            self.block["events"]["caught"]["when"] = f"t - {0.3 * self.end}"
            self.block["events"]["freed"] = {"when": f"t - {0.6 * self.end}", "do": {"unlock": "latch"}, "once": True}

    def weld(self) -> None:
        """A joint opens."""
        name = str(self.rng.choice([n for n in self.block["joints"] if n != "latch"]))
        if {"stops", "friction"} & {*self.block["joints"][name]} or name == self.block.get("controllers", {}).get("motor", {}).get("joint"):
            return
        self.event("opened", {"unlock": name})

    def law(self) -> None:
        """A torque or force that has cases."""
        if (of := self.coordinate()) is None:
            return
        x = f"{of[0]}.{of[1]}"
        k = float(self.rng.uniform(1.0, 20.0))
        text = str(
            self.rng.choice([f"-{k}*{x}*abs({x})", f"if_else({x} > 0.05, -{k}*({x} - 0.05), 0)", f"-0.3*{k}*max(min(der({x}), 1), -1)"])
        )
        self.block["forces"]["law"] = {"type": "joint_torque", "joint": of[0], "value": text}
        self.has.append("law")


def model(block: Block, coordinates: str) -> Any:
    text = {**block, "coordinates": coordinates} if coordinates == "joint" else block
    return load(yaml.dump(text, sort_keys=False), registry, file="model.yaml")


def ran(block: Block, way: Way, end: float) -> tuple[np.ndarray, list[tuple[str, float]], float]:
    """Places of bodies at equal times (n, bodies, 3), the events, and the worst imbalance of energy over the largest kinetic energy."""
    made = mbsim.assemble(model(block, way.coordinates))
    times = np.linspace(0.0, end, ROWS + 1)
    if way.steps:
        sim, places = mbsim.Stepper(model(block, way.coordinates), end=end, **way.settings), []
        for _ in range(ROWS):
            sim.step(end / ROWS)
            places.append(sim.state.q)
        full = mbsim.simulate(made, end=end, output_step=end / ROWS, **way.settings)
        q = np.stack([full["q"][np.searchsorted(full.time, t - 1e-12)] for t in times[1:]])
        off = np.abs(np.array(places) - q[:, : len(places[0])]).max(axis=1)
        body = np.stack([full["body_position"][np.searchsorted(full.time, t - 1e-12)] for t in times])
        body[1:] += off[:, None, None]
        return body, told(sim.events), 0.0
    result = mbsim.simulate(made, end=end, output_step=end / ROWS, **way.settings)
    at = [int(np.searchsorted(result.time, t - 1e-12)) for t in times]
    kinetic = max(float(np.max(result["energy_kinetic"])), 1.0)
    balance = np.asarray(result["energy_balance"])
    return np.asarray(result["body_position"])[at], told(result.events), float(np.abs(balance - balance[0]).max()) / kinetic


def told(events: Any) -> list[tuple[str, float]]:
    """What happened when, without what only begins and ends to slip."""
    return [(str(e["event"]), float(e["time"])) for e in events if e["do"] in ("impact", "set", "switch", "lock", "unlock", "record")]


def stopped(error: mbsim.SimulationError) -> str:
    """The verdict on a run that stopped."""
    return "singular" if "singular position" in str(error) else "stopped"


def suits(way: Way) -> bool:
    """Whether the method of a way knows its coordinates."""
    method, traits = way.settings.get("method"), formulations.Traits(1, False, way.coordinates == "joint")
    return method is None or formulations.fits(str(method), traits)


def judge(seed: int) -> list[str]:
    """What is wrong, by way; begins with what the mechanism has."""
    drawn = Drawn(seed)
    head = f"{seed} {drawn.family} {'planar' if drawn.flat else 'spatial'} {' '.join(drawn.has)}"
    return [head, *compared(drawn.block, drawn.end, filter(suits, WAYS), TIGHT, LOOSE)]


def compared(block: Block, end: float, ways: Iterable[Way], tight: Block, loose: Block, short: float = 0.0) -> list[str]:
    """What is wrong with a model, by way. `tight` and `loose`: tolerances of the reference; `short` (s) as of `names_of`."""
    try:
        places, events, energy = ran(block, Way("absolute", tight), end)
        looser = ran(block, Way("absolute", loose), end)[0]
    except ModelError as error:
        return [f"refused: {str(error)[:300]}"]
    except mbsim.SimulationError as error:
        return [f"{stopped(error)}: reference: {str(error)[:300]}"]
    apart = np.abs(looser - places).reshape(len(places), -1).max(axis=1)
    sure = int(np.argmax(apart > SURE)) if (apart > SURE).any() else len(places)
    out = [] if sure == len(places) else [f"unsure: from row {sure}"]
    if energy > ENERGY and sure == len(places):
        out.append(f"wrong: reference: energy {energy:.1e}")
    for way in ways:
        try:
            other, happened, balance = ran(block, way, end)
        except (ModelError, ValueError) as error:
            out.append(f"refused: {way}: {str(error)[:200]}")
            continue
        except mbsim.SimulationError as error:
            if sure == len(places):
                out.append(f"{stopped(error)}: {way}: {str(error)[:300]}")
            continue
        except Exception as error:
            out.append(f"error: {way}: {type(error).__name__}: {str(error)[:300]}")
            continue
        off = np.abs(other - places).reshape(len(places), -1).max(axis=1)[:sure]
        allowed = COARSE if way.coarse else AGREES
        if (off > allowed).any():
            row = int(np.argmax(off > allowed))
            out.append(f"wrong: {way}: {off.max():.1e} m off, from row {row} on; events {happened[:6]}, reference {events[:6]}")
        elif sure == len(places) and not way.coarse:
            if names_of(happened, short) != names_of(events, short):
                out.append(f"wrong: {way}: events {happened[:8]}, reference {events[:8]}")
            if balance > ENERGY:
                out.append(f"wrong: {way}: energy {balance:.1e}")
    return out


def names_of(events: list[tuple[str, float]], short: float) -> list[str]:
    """What happened in turn, without what follows the same event within so short a time (s): the last bounces are round-off."""
    return [name for k, (name, at) in enumerate(events) if not (k and name == events[k - 1][0] and at - events[k - 1][1] < short)]


def main(judge: Callable[[int], list[str]] = judge, described: str | None = __doc__) -> None:
    parser = argparse.ArgumentParser(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found: Counter[str] = Counter()
    for seed in range(asked.seed, asked.seed + asked.count):
        head, *lines = judge(seed)
        for line in lines:
            print(f"{head}\n    {line}", flush=True)
        kinds = {line.partition(":")[0] for line in lines}
        found.update(kinds or {"right"})
    print(f"{asked.count} from seed {asked.seed}: " + ", ".join(f"{count} {word}" for word, count in found.most_common()))
    sys.exit(1 if {"wrong", "stopped", "error"} & {*found} else 0)


if __name__ == "__main__":
    main()
