"""Elastic parts in the colours of their stresses: each line has that of the point of stress that is nearest to its middle."""

from collections.abc import Callable

import numpy as np
import viser

from mbsim.results.read import Result
from mbsim.scene.elastic import Elastic
from mbsim.scene.motion import Motion
from mbsim.scene.parts import Edge
from mbsim.scene.read import Floats
from mbsim.view.beam_colours import NOTHING, SCALE, colour_at
from mbsim.view.stage import Stage

STRESS = "von Mises stress"


def nearest(part: Elastic, line: int) -> int:
    """The number of the point of stress that is nearest to the middle of a line."""
    middle = part.nodes[part.lines[line]].mean(axis=0)
    return int(np.linalg.norm(part.spots - middle, axis=1).argmin())


def coloured(parts: list[Elastic]) -> list[Elastic]:
    """Those parts of which it is known where their stresses are."""
    return [part for part in parts if len(part.spots)]


class StressColours:
    """The choice of what elastic parts are coloured by, and the colours."""

    def __init__(self, server: viser.ViserServer, stage: Stage, poses: Motion, result: Result, changed: Callable[[], None]) -> None:
        """`changed` is called after a choice, so that the present pose is shown again."""
        self._poses = poses
        values, labels = result["elastic_mises"], list(result.labels("stress_point"))
        self._most = float(np.nanmax(values, initial=0.0))
        self._lines: list[tuple[viser.SceneNodeHandle, Floats]] = []  # with the stress (rows,)
        for piece, node in zip(stage.solids.stretches, stage.stretches, strict=True):
            if isinstance(piece, Edge) and len(piece.part.spots):
                label = f"{piece.part.name}.{piece.part.points[nearest(piece.part, piece.number)]}"
                self._lines.append((node, values[:, labels.index(label)]))
        self._own = [node.color for node, _ in self._lines]
        self.choice = server.gui.add_dropdown("elastic parts by", [NOTHING, STRESS])
        boxes = "".join(f"<span style='color:rgb{colour}'>■</span>" for colour in SCALE)
        self.words = server.gui.add_markdown(f"{boxes} 0 to {self._most:.4g} Pa", visible=False)
        self.choice.on_update(lambda _: self._choose(changed))

    def _choose(self, changed: Callable[[], None]) -> None:
        self.words.visible = self.choice.value != NOTHING
        if self.choice.value == NOTHING:
            for (node, _), colour in zip(self._lines, self._own, strict=True):
                node.color = colour
        changed()

    def show(self, k: int) -> None:
        """Colour the parts of one pose."""
        if self.choice.value == NOTHING:
            return
        row = int(self._poses.rows[k])
        for node, values in self._lines:
            colour = colour_at(float(values[row]) / self._most if self._most > 0.0 else 0.0)
            if node.color != colour:
                node.color = colour
