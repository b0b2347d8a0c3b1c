"""Cables and lines of elastic parts as solids: straight parts, and the circles of the ground that cables run about."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mbsim.scene import meshes
from mbsim.scene.parts import Colour, Edge, Part, Strand
from mbsim.scene.read import GROUND, Scene
from mbsim.scene.turns import frame

ROPE: Colour = (152, 112, 62)
WIRE: Colour = (86, 140, 191)
THICK = 0.3  # radius of a cable in half widths of a link


class CableSolids(NamedTuple):
    """Those of a scene."""

    circles: list[Part]
    strands: list[Strand | Edge]


def cable_solids(scene: Scene, u: float, height: Callable[[int], float], earth: Colour) -> CableSolids:
    """`u`: half the width of a link, m; `height`: z of a body's plates in the plane; `earth`: the colour of the ground."""
    found = CableSolids([], [])
    mesh = meshes.cylinder(THICK * u, 0.0, 1.0, 10)
    for part in scene.elastic:
        found.strands.extend(Edge(f"elastic/{part.name}", part, n, mesh, WIRE, True) for n in range(len(part.lines)))
    for cable in scene.cables:
        z = max(height(bend.at.body) for bend in cable.bends) if scene.planar else 0.0
        found.strands.extend(Strand(f"cable/{cable.name}", cable, n, mesh, ROPE, z) for n in range(len(cable.bends) - 1))
        for bend in cable.bends:
            if bend.radius != 0.0 and bend.at.body == GROUND:
                at = bend.at.point + np.array([0.0, 0.0, z])
                wheel = meshes.cylinder(abs(bend.radius), -0.4 * u, 0.4 * u, 48).moved(at, frame(bend.axis))
                found.circles.append(Part(f"ground/{cable.name}", GROUND, wheel, earth))
    return found
