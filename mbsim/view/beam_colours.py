"""Beams in the colours of what they carry: each node has that of the elements beside it."""

from collections.abc import Callable

import numpy as np
import viser

from mbsim.results.read import Result
from mbsim.scene.motion import Motion
from mbsim.scene.parts import Colour
from mbsim.scene.read import Floats, Scene
from mbsim.view.stage import Stage

NOTHING = "(their own)"
# What is coloured: the variable, the columns whose length it is, and the unit.
QUANTITIES = {
    "bending moment": ("beam_moment", (1, 2), "N m"),
    "torsional moment": ("beam_moment", (0,), "N m"),
    "normal force": ("beam_force", (0,), "N"),
    "shear force": ("beam_force", (1, 2), "N"),
}
SCALE: tuple[Colour, ...] = ((38, 70, 140), (42, 140, 150), (120, 190, 90), (245, 200, 60), (200, 50, 40))  # from nothing to most


def colour_at(share: float) -> Colour:
    """That of a share of the largest value, from 0 to 1."""
    at = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    k = min(int(at), len(SCALE) - 2)
    red, green, blue = (round(a + (at - k) * (b - a)) for a, b in zip(SCALE[k], SCALE[k + 1], strict=True))
    return red, green, blue


def of_nodes(scene: Scene, result: Result, quantity: str) -> dict[int, Floats]:
    """(rows,) of each body that is a node of a beam: the mean size of the quantity in the elements beside it."""
    name, columns, _ = QUANTITIES[quantity]
    size = np.linalg.norm(result[name][:, :, list(columns)], axis=2)
    labels, found = list(result.labels("beam_element")), dict[int, Floats]()
    for beam in scene.beams:
        own = size[:, [k for k, label in enumerate(labels) if label.rpartition("[")[0] == beam.name]]
        for k, body in enumerate(beam.nodes):
            found[body] = own[:, max(k - 1, 0) : k + 1].mean(axis=1)
    return found


class BeamColours:
    """The choice of what beams are coloured by, and the colours."""

    def __init__(self, server: viser.ViserServer, stage: Stage, poses: Motion, result: Result, changed: Callable[[], None]) -> None:
        """`changed` is called after a choice, so that the present pose is shown again."""
        self._stage, self._poses, self._result = stage, poses, result
        shown = set(map(id, stage.nodes["beam"]))
        self._meshes = {b: [node for node in nodes if id(node) in shown] for b, nodes in stage.meshes.items()}
        self._own = {b: [node.color for node in nodes] for b, nodes in self._meshes.items()}
        self._values: dict[int, Floats] = {}
        self._most = 0.0
        names = [name for name in QUANTITIES if not (stage.scene.planar and name == "torsional moment")]
        self.choice = server.gui.add_dropdown("beams by", [NOTHING, *names])
        self.words = server.gui.add_markdown("", visible=False)
        self.choice.on_update(lambda _: self._choose(changed))

    def _choose(self, changed: Callable[[], None]) -> None:
        quantity = str(self.choice.value)
        self.words.visible = quantity != NOTHING
        if quantity == NOTHING:
            self._values = {}
            for b, nodes in self._meshes.items():
                for node, colour in zip(nodes, self._own[b], strict=True):
                    node.color = colour
        else:
            self._values = of_nodes(self._stage.scene, self._result, quantity)
            self._most = max((float(np.nanmax(values)) for values in self._values.values()), default=0.0)
            boxes = "".join(f"<span style='color:rgb{colour}'>■</span>" for colour in SCALE)
            self.words.content = f"{boxes} 0 to {self._most:.4g} {QUANTITIES[quantity][2]}"
        changed()

    def show(self, k: int) -> None:
        """Colour the beams of one pose."""
        row = int(self._poses.rows[k])
        for b, values in self._values.items():
            colour = colour_at(float(values[row]) / self._most if self._most > 0.0 else 0.0)
            for node in self._meshes.get(b, ()):
                if node.color != colour:
                    node.color = colour
