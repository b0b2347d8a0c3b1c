"""Stacks that rest, of bodies that overlap or gape by next to nothing: none may stop, and none may move.

    python scripts/attack/small_overlaps.py              # 200 stacks, seeds 0 to 199
    python scripts/attack/small_overlaps.py --seed 300 --count 50
    python scripts/attack/small_overlaps.py --impacts steps  # by steps of 1 ms; `auto` as a run does by itself
    python scripts/attack/small_overlaps.py --show 317   # the model of this seed

A stack is boxes, plates or disks in the plane, boxes, cylinders, polyhedra or balls in space, on a floor, on each other and side by side.
Where two of them touch, they overlap by 1e-12 to 1e-6 m, or are as far apart; some are dropped from a few centimetres. A run that stops is
told, and so is one in which a body that has rested from the start is farther than MOVED from where it was.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np
import yaml

import mbsim

LEAST, MOST = -12.0, -6.0  # of overlaps, powers of ten, m
DEEPEST = 0.9e-6  # m: beyond 1e-6 of the smaller body's size a run refuses an overlap
MOVED = 1e-5  # m
KINDS = ("boxes", "plates", "disks", "beside", "corner", "space_boxes", "space_beside", "cylinders", "stones", "balls")


class Stack:
    """A model that grows."""

    def __init__(self, rng: np.random.Generator, kind: str) -> None:
        self.rng, self.kind, self.space = rng, kind, kind in ("space_boxes", "space_beside", "cylinders", "stones", "balls")
        self.bodies: dict[str, Any] = {}
        self.drops: set[str] = set()

    def small(self) -> float:
        """An overlap, or a gap below zero, m."""
        size = min(10.0 ** self.rng.uniform(LEAST, MOST), DEEPEST)
        return float(size if self.rng.random() < 0.8 else -min(size, 1e-9))

    def add(self, x: float, y: float, shape: dict[str, Any], size: float, drop: float = 0.0) -> None:
        """A body with its centre of mass above (x, 0)."""
        m = float(self.rng.uniform(0.5, 3.0))
        name = f"b{len(self.bodies)}"
        J = m * size * size / 6.0
        place = [x, 0.0, y + drop] if self.space else [x, y + drop]
        self.bodies[name] = {"mass": m, "inertia": [J, J, J] if self.space else J, "position": place, "shape": shape}
        if drop:
            self.drops.add(name)

    def model(self) -> dict[str, Any]:
        names, up = list(self.bodies), [0, 0, 1] if self.space else [0, 1]
        contacts: dict[str, Any] = {
            "floor": {"bodies": [*names, "ground"], "plane": {"normal": up}, "friction": 0.5, "closing_speed": 1e-2}
        }
        if len(names) > 1:
            contacts["pairs"] = {"between": names, "friction": 0.5, "closing_speed": 1e-2}
        gravity = [0, 0, -9.81] if self.space else [0, -9.81]
        return {
            "name": self.kind, "dimension": 3 if self.space else 2, "gravity": gravity, "bodies": self.bodies, "contacts": contacts,
            "simulation": {"end": 0.3, "impacts": "events"},
        }  # fmt: skip


def block(stack: Stack, w: float, h: float) -> dict[str, Any]:
    """A box, a plate or a stone that stands on its lower face, of the width w and the height h."""
    if stack.kind == "plates":
        top = float(stack.rng.uniform(0.5, 1.0)) * w
        return {"type": "plate", "polygon": [[-w / 2, -h / 2], [w / 2, -h / 2], [top / 2, h / 2], [-top / 2, h / 2]], "thickness": 0.1}
    if stack.kind == "stones":
        corners = [
            [i * w / 2 * (1 - 0.1 * (k + 1)), j * w / 2 * (1 - 0.1 * (k + 1)), k * h / 2] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)
        ]
        return {"type": "convex", "vertices": corners}
    if stack.kind == "cylinders":
        return {"type": "cylinder", "radius": w / 2, "length": h}
    return {"type": "box", "size": [w, w, h] if stack.space else [w, h, 0.1]}


def stack_of(seed: int) -> Stack:
    """The stack of a seed."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    stack = Stack(rng, kind)
    if kind in ("disks", "balls"):
        r, x = 0.1, 0.0
        for _ in range(int(rng.integers(2, 4))):
            stack.add(
                x,
                r - stack.small(),
                {"type": "cylinder", "radius": r, "length": 0.1} if kind == "disks" else {"type": "sphere", "radius": r},
                r,
            )
            x += 2 * r - stack.small()
    elif kind in ("beside", "space_beside"):
        x = 0.0
        for _ in range(int(rng.integers(2, 4))):
            w, h = (float(a) for a in rng.uniform(0.1, 0.6, 2))
            if rng.random() < 0.4:
                h = float(rng.choice([0.2, 0.4, 0.6]))
            stack.add(x + w / 2, h / 2 - stack.small(), block(stack, w, h), max(w, h), 0.05 if rng.random() < 0.2 else 0.0)
            x += w - stack.small()
    elif kind == "corner":  # a box lands with one corner on that of another one, and tips beside it
        stack.add(0.0, 0.5 - stack.small(), block(stack, 1.0, 1.0), 1.0)
        w, h, drop = float(rng.uniform(0.2, 0.8)), float(rng.uniform(0.2, 3.0)), float(rng.choice([0.0, 0.05, 0.3]))
        stack.add(0.5 + w / 2 - abs(stack.small()), 1.0 + h / 2 - (0.0 if drop else stack.small()), block(stack, w, h), max(w, h), drop)
        stack.drops.add("b1")
    else:
        y, w = 0.0, 0.6
        for k in range(int(rng.integers(2, 4))):
            w, h = float(w * rng.choice([1.0, 0.8, 0.6])), float(rng.uniform(0.1, 0.4))
            aside = float(rng.choice([0.0, 0.2])) * w * (k > 0 and kind != "plates")
            e = stack.small()
            stack.add(aside, y + h / 2 - e, block(stack, w, h), max(w, h), 0.03 if k > 1 and rng.random() < 0.3 else 0.0)
            y += h - e
    return stack


def judge(seed: int, impacts: str = "events") -> str:
    """What is wrong with the run of a seed; empty: nothing."""
    stack = stack_of(seed)
    settings: dict[str, Any] = {"impacts": impacts} | ({"step": 1e-3} if impacts == "steps" else {})
    try:
        result = mbsim.simulate(stack.model(), **settings)
    except mbsim.SimulationError as error:
        return f"stops: {error}"
    labels, q = list(result.labels("coordinate")), np.asarray(result["q"])
    for name, body in stack.bodies.items():
        if name in stack.drops or stack.drops:
            continue
        for axis, at in zip("xyz", body["position"], strict=False):
            if abs(q[-1, labels.index(f"{name}.{axis}")] - at) > MOVED:
                return f"moves: {name}.{axis} by {q[-1, labels.index(f'{name}.{axis}')] - at:.2g} m"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--impacts", choices=("events", "steps", "auto"), default="events")
    parser.add_argument("--show", type=int)
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.write(yaml.safe_dump(stack_of(options.show).model(), sort_keys=False))
        return
    wrong, begun = 0, time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        if why := judge(seed, options.impacts):
            wrong += 1
            print(f"{seed} {KINDS[seed % len(KINDS)]}: {why}", flush=True)
    print(f"{options.count} stacks, {wrong} wrong, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
