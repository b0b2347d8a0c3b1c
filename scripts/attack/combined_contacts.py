"""Random mechanisms with contacts beside other features, by several ways that must agree.

    python scripts/attack/combined_contacts.py [--count 60] [--seed 0]

A mechanism of `combined.py` gets one or two contacts: a body on a plane of the ground, or two bodies on each other, with friction or
without, that open and close. Joints that an event opens may have stops and friction, and an event may set a speed. It is run by the ways of
`combined.py`, and what has to hold is what that says.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import combined

Block = dict[str, Any]
SHORT = 2e-3  # s: as of `names_of`


class Touching(combined.Drawn):
    """One that has contacts."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rng = np.random.default_rng([12, seed])
        for feature in (self.touch, self.clash)[:: 1 if self.rng.random() < 0.6 else -1][: int(self.rng.integers(1, 3))]:
            feature()
        if self.rng.random() < 0.4:
            self.loosen()
        if self.rng.random() < 0.25:
            self.kick()

    def surface(self) -> Block:
        """What a contact has beside its place."""
        made: Block = {"restitution": float(self.rng.uniform(0.0, 0.7))}
        if self.rng.random() < 0.6:
            made["friction"] = float(self.rng.uniform(0.05, 0.5))
            if self.rng.random() < 0.3:
                made["static"] = made["friction"] * float(self.rng.uniform(1.0, 1.5))
        return made

    def touch(self) -> None:
        body, radius = self.body(), float(self.rng.uniform(0.02, 0.08))
        normal = self.somewhere(1.0)
        normal /= np.linalg.norm(normal)
        through = self.point(body) - normal * (radius + float(self.rng.uniform(0.005, 0.15)))
        face = {"normal": normal.tolist(), "through": through.tolist()}
        self.block.setdefault("contacts", {})["floor"] = {"bodies": [body, "ground"], "radius": radius, "plane": face, **self.surface()}
        self.has.append("floor")

    def clash(self) -> None:
        names = list(self.block["bodies"])
        if len(names) < 2:
            return
        body, other = (str(name) for name in self.rng.choice(names, 2, replace=False))
        apart = float(np.linalg.norm(self.point(body) - self.point(other)))
        if apart < 0.05:
            return
        part = float(self.rng.uniform(0.3, 0.48)) * apart
        ball = {"at": self.point(other).tolist(), "radius": part}
        self.block.setdefault("contacts", {})["clash"] = {"bodies": [body, other], "radius": part, "ball": ball, **self.surface()}
        self.has.append("clash")

    def loosen(self) -> None:
        name = str(self.rng.choice([n for n in self.block["joints"] if n != "latch"]))
        if name != self.block.get("controllers", {}).get("motor", {}).get("joint") and "opened" not in self.has:
            self.event("opened", {"unlock": name})

    def kick(self) -> None:
        body = self.body()
        axis = "xyz"[int(self.rng.integers(2 if self.flat else 3))]
        self.event("kick", {"set": {f"der({body}.{axis})": float(self.rng.uniform(-1.0, 1.0))}})


def judge(seed: int) -> list[str]:
    """What is wrong, by way; begins with what the mechanism has."""
    drawn = Touching(seed)
    head = f"{seed} {drawn.family} {'planar' if drawn.flat else 'spatial'} {' '.join(drawn.has)}"
    return [head, *combined.compared(drawn.block, drawn.end, filter(combined.suits, combined.WAYS), combined.TIGHT, combined.LOOSE, SHORT)]


if __name__ == "__main__":
    combined.main(judge, __doc__)
