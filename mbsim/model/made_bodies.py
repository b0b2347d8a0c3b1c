"""Bodies that sections other than `bodies` make: the nodes of beams, and the frames of elastic parts."""

from pathlib import Path
from typing import NamedTuple

from mbsim.model import beam_block, elastic_block
from mbsim.model.beams import Beam
from mbsim.model.elastic import Elastic
from mbsim.model.elastic_block import held_elsewhere
from mbsim.model.fields import Context
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.report import Report
from mbsim.model.schema import Body, Ground

__all__ = ["Made", "Named", "held_elsewhere", "named"]


class Made(NamedTuple):
    """What is made of the sections of a model."""

    beams: dict[str, Beam]
    elastic: dict[str, Elastic]
    bodies: dict[str, Body]


class Named(NamedTuple):
    """The data of a file with the names of made bodies in it."""

    data: Mapped
    beams: beam_block.Named
    parts: elastic_block.Parts

    def bodies(self) -> dict[str, Plain]:
        """The names of all bodies, with the blocks of those that are given, and the interfaces of parts as points of their frames."""
        found = self.beams.bodies() | {body: None for made in self.parts.bodies.values() for body in made}
        return found | {name: {"points": dict.fromkeys(frames)} for name, frames in self.parts.frames.items()}

    def read(self, context: Context, solid: dict[str, Body], ground: Ground, report: Report) -> Made:
        """The blocks, and all bodies: those given, and those that are made."""
        parts, frames = elastic_block.read_parts(self.parts, context, report)
        placed = beam_block.Placed({**solid, **frames}, ground)
        beams, nodes = beam_block.read_beams(self.beams, context, placed, report)
        return Made(beams, parts, {**solid, **nodes, **frames})


def named(data: Mapped, context: Context, report: Report) -> Named:
    """The data with bodies in place of what stands for them."""
    parts = elastic_block.named(data, context, Path(report.document.file).parent, report)
    beams = beam_block.named(parts.data, context, report)
    return Named(beams.data, beams, parts)
