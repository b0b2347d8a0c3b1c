"""Random mechanisms of bodies and beams with several features at once, by several ways that must agree.

    python scripts/attack/combined_beams.py [--count 60] [--seed 0]

A hub turns by itself, by a driver or by a controller, or there is none; one or two soft beams, straight or curved, in the plane or in
space, lead to a body that is fixed, hinged or not there. Beside them are some of: a contact with the ground, stops, dry friction, a spring,
a cable over a pulley, a rope whose law has cases, a force that an event switches, a joint that locks and opens, a state, a rod to the
ground. It is run by error control at two tolerances, by other methods and integrators, as a stepper, and by equal steps. The tighter run
by `auto` is the reference; where it differs from the looser one, the motion hangs on its last digits (`unsure`). What has to hold is what
`combined.py` says.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from combined import Block, Way, compared, main

TIGHT = {"rtol": 1e-9, "atol": 1e-10}
LOOSE = {"rtol": 1e-8, "atol": 1e-9}
SHORT = 1e-3  # s: bounces of a body that comes to rest follow each other so soon
WAYS = (
    Way("absolute", {}, coarse=True),
    Way("absolute", LOOSE, steps=True),
    Way("absolute", {"method": "lagrange", "integrator": "radau", **LOOSE}),
    Way("absolute", {"method": "svd", "integrator": "bdf", **LOOSE}),
    Way("absolute", {"method": "cfa", "integrator": "bdf", **LOOSE}),
    Way("absolute", {"method": "nullspace", "integrator": "ida", **LOOSE}),
    Way("absolute", {"method": "generalized_alpha", "rtol": 1e-5, "atol": 1e-6}, coarse=True),
    Way("absolute", {"method": "generalized_alpha", "step": 2e-4}, coarse=True),
)


class Drawn:
    """A model block; `has` names its features."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng([17, seed])
        self.flat = bool(rng.random() < 0.6)
        self.n = 2 if self.flat else 3
        self.has: list[str] = []
        self.end = float(rng.uniform(0.2, 0.6))
        down = [0.0, -9.81] if self.flat else [0.0, 0.0, -9.81]
        self.block: Block = {"name": f"beams {seed}", "dimension": self.n, "gravity": down, "parameters": {}, "bodies": {}, "joints": {}}
        self.block |= {"forces": {}, "beams": {}, "simulation": {"end": self.end}}
        self.root = self.hub() if rng.random() < 0.7 else self.place([0.0, 0.0])
        self.tip = self.place([float(rng.uniform(0.7, 1.3)), float(rng.uniform(-0.2, 0.4))])
        self.beam("arm", self.root, self.tip)
        self.load()
        features = [
            self.contact,
            self.stop,
            self.rub,
            self.spring,
            self.cable,
            self.rope,
            self.switch,
            self.latch,
            self.lag,
            self.rod,
            self.two,
        ]
        for feature in rng.permutation(np.array(features, object))[: int(rng.integers(1, 4))]:
            feature()

    def place(self, flat: list[float]) -> list[float]:
        """A place; in space the plane of the motion is that of x and z, and it is a little off."""
        return flat if self.flat else [flat[0], float(self.rng.uniform(-0.05, 0.05)), flat[1]]

    def body(self, mass: float, at: list[float]) -> Block:
        inertia = 0.4 * mass * 0.05**2
        return {"mass": mass, "inertia": inertia if self.flat else [inertia, 1.2 * inertia, 0.9 * inertia], "position": at}

    def hub(self) -> str:
        at = self.place([0.0, 0.0])
        self.block["bodies"]["hub"] = self.body(float(self.rng.uniform(1.0, 5.0)), at) | {"points": {"rim": [0.1] + [0.0] * (self.n - 1)}}
        axis: Block = {} if self.flat else {"axis": [0.0, 1.0, 0.0]}
        self.block["joints"]["axle"] = {"type": "revolute", "bodies": ["ground", "hub"], "at": at, **axis}
        kind, w = str(self.rng.choice(["free", "driver", "pid", "sampled"])), float(self.rng.uniform(2.0, 8.0))
        if kind == "driver":
            self.block["drivers"] = {"motor": {"coordinate": "axle.angle", "value": f"0.3*(1 - cos({w}*t))"}}
        elif kind != "free":
            gains = {"kp": float(self.rng.uniform(20.0, 100.0)), "kd": float(self.rng.uniform(1.0, 5.0)), "ki": 5.0}
            more = {"sample": 0.01} if kind == "sampled" else {}
            self.block["controllers"] = {"motor": {"type": "pid", "joint": "axle", "target": f"0.2*sin({w}*t)", **gains, **more}}
        self.has.append(f"hub {kind}")
        return "hub.rim"

    def beam(self, name: str, start: str | list[float], end: list[float]) -> None:
        EI = float(10.0 ** self.rng.uniform(0.3, 1.5))
        stiffness: Block = {"EA": 300.0 * EI, "GA": 120.0 * EI, "EI": EI} | ({} if self.flat else {"GJ": 0.8 * EI})
        line = float(self.rng.uniform(0.2, 1.0))
        inertia = 1e-3 * line
        damping = float(self.rng.choice([0.0, 1e-3, 1e-2]))
        made: Block = {"elements": int(self.rng.integers(2, 6)), "stiffness": stiffness, "clamped": ["start"]}
        made["mass"] = {"line": line, "inertia": inertia if self.flat else [2 * inertia, inertia, inertia]}
        if damping:
            made["damping"] = {"stiffness": damping}
        if isinstance(start, list) and self.rng.random() < 0.4:
            middle = [0.5 * (a + b) for a, b in zip(start, end, strict=True)]
            middle[-1] += 0.1
            made["points"] = [start, middle, end]
            self.has.append("curved")
        else:
            made |= {"from": start, "to": end}
        self.block["beams"][name] = made
        self.has.append(f"beam({damping:g})")

    def load(self) -> None:
        kind = str(self.rng.choice(["fixed", "revolute", "none"]))
        if kind == "none":
            return
        self.block["bodies"]["load"] = self.body(float(self.rng.uniform(0.2, 2.0)), self.tip)
        self.block["bodies"]["load"]["shape"] = {"type": "cylinder" if self.flat else "sphere", "radius": 0.08} | (
            {"length": 0.1} if self.flat else {}
        )
        axis: Block = {} if self.flat or kind == "fixed" else {"axis": [0.0, 1.0, 0.0]}
        self.block["joints"]["hook"] = {"type": kind, "bodies": ["arm.end", "load"], "at": self.tip, **axis}
        self.has.append(f"load {kind}")

    def last(self) -> str:
        return "load" if "load" in self.block["bodies"] else "arm.end"

    def contact(self) -> None:
        if "load" not in self.block["bodies"]:
            return
        normal = [0.0] * (self.n - 1) + [1.0]
        low = [0.0] * (self.n - 1) + [self.tip[-1] - 0.08 - float(self.rng.uniform(0.01, 0.2))]
        e, mu = float(self.rng.uniform(0.0, 0.7)), float(self.rng.choice([0.0, 0.3]))
        self.block["contacts"] = {"floor": {"bodies": ["load", "ground"], "plane": {"normal": normal, "through": low}, "restitution": e}}
        if mu:
            self.block["contacts"]["floor"]["friction"] = mu
        self.has.append(f"contact({mu:g})")

    def stop(self) -> None:
        if "axle" in self.block["joints"] and "drivers" not in self.block:
            side = [float(x) for x in self.rng.uniform(0.02, 0.3, 2)]
            self.block["joints"]["axle"]["stops"] = {"lower": -side[0], "upper": side[1], "restitution": float(self.rng.uniform(0.0, 0.6))}
            self.has.append("stops")

    def rub(self) -> None:
        name = "axle" if "axle" in self.block["joints"] and "drivers" not in self.block else "hook"
        if self.block["joints"].get(name, {}).get("type") == "revolute":
            self.block["joints"][name]["friction"] = {"torque": float(self.rng.uniform(0.05, 1.0))}
            self.has.append(f"friction {name}")

    def spring(self) -> None:
        at = [self.place([self.tip[0], self.tip[-1] + 0.5]), self.tip]
        k = float(self.rng.uniform(10.0, 200.0))
        self.block["forces"]["spring"] = {
            "type": "spring_damper",
            "bodies": ["ground", self.last()],
            "at": at,
            "stiffness": k,
            "damping": 0.5,
        }
        self.has.append("spring")

    def cable(self) -> None:
        centre, end = self.place([self.tip[0] + 0.4, self.tip[-1] + 0.6]), self.place([self.tip[0] + 0.9, self.tip[-1] - 0.2])
        pulley: Block = {"center": "ground", "at": centre, "radius": 0.05, "wraps": "clockwise"} | (
            {} if self.flat else {"axis": [0.0, -1.0, 0.0]}
        )
        path: list[Any] = [{"point": self.last(), "at": self.tip}, pulley, {"point": "ground", "at": end}]
        spring = {"stiffness": float(self.rng.uniform(20.0, 200.0)), "damping": 0.5}
        if not self.flat:
            path[1] = {"point": "ground", "at": centre}
        self.block["forces"]["line"] = {"type": "pulley_cable", "path": path, **spring}
        self.has.append("cable")

    def rope(self) -> None:
        at = [self.place([self.tip[0], self.tip[-1] + 0.4]), self.tip]
        free, k = 0.4 * float(self.rng.uniform(0.95, 1.2)), float(self.rng.uniform(50.0, 500.0))
        law = f"{k}*max(length - {free}, 0)"
        self.block["forces"]["rope"] = {"type": "spring_damper", "bodies": ["ground", self.last()], "at": at, "value": law}
        self.has.append("rope")

    def switch(self) -> None:
        self.block["parameters"]["F"] = float(self.rng.uniform(-8.0, 8.0))
        value = ["F", "-F/2"] + ([] if self.flat else ["F/3"])
        self.block["forces"]["push"] = {"type": "force", "body": self.last(), "value": value}
        up = "y" if self.flat else "z"
        when = f"t - {0.4 * self.end}" if self.rng.random() < 0.5 else f"{self.last()}.{up} - ({self.tip[-1] - 0.05})"
        self.block.setdefault("events", {})["turn"] = {"when": when, "do": {"switch": {"F": "-0.7*F"}}, "once": True}
        self.has.append("switch")

    def latch(self) -> None:
        if self.block["joints"].get("hook", {}).get("type") != "revolute" or "friction" in self.block["joints"]["hook"]:
            return
        events = self.block.setdefault("events", {})
        self.block["joints"]["latch"] = {"type": "fixed", "bodies": ["arm.end", "load"], "at": self.tip, "locked": False}
        events["caught"] = {"when": f"t - {0.3 * self.end}", "do": {"lock": "latch"}, "once": True}
        if self.rng.random() < 0.5:
            events["freed"] = {"when": f"t - {0.6 * self.end}", "do": {"unlock": "latch"}, "once": True}
        self.has.append("latch")

    def lag(self) -> None:
        up = "y" if self.flat else "z"
        self.block["states"] = {"s": {"rate": f"10*({self.last()}.{up} - s)", "start": self.tip[-1]}}
        value = [0.0] * (self.n - 1) + [f"-30*(s - ({self.tip[-1]}))"]
        self.block["forces"]["follow"] = {"type": "force", "body": self.last(), "value": value}
        self.has.append("state")

    def rod(self) -> None:
        at = [self.place([self.tip[0] + 0.5, self.tip[-1] + 0.1]), self.tip]
        self.block["joints"]["rod"] = {"type": "distance", "bodies": ["ground", self.last()], "at": at}
        self.has.append("rod")

    def two(self) -> None:
        foot = self.place([self.tip[0] + 0.3, self.tip[-1] - 0.8])
        self.beam("leg", foot, self.tip)
        kind = "revolute" if self.flat else "spherical"
        self.block["joints"]["knee"] = {"type": kind, "bodies": ["leg.end", "arm.end"], "at": self.tip}
        self.has.append("leg")


def judge(seed: int) -> list[str]:
    """What is wrong, by way; begins with what the mechanism has."""
    drawn = Drawn(seed)
    head = f"{seed} {'planar' if drawn.flat else 'spatial'} {', '.join(drawn.has)}"
    return [head, *compared(drawn.block, drawn.end, WAYS, TIGHT, LOOSE, SHORT)]


if __name__ == "__main__":
    main(judge, __doc__)
