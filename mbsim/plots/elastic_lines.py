"""Elastic parts in a schematic: the lines between their nodes, where these are."""

from mbsim.plots.picture import Picture
from mbsim.plots.sheet import EDGES
from mbsim.plots.symbols import LEVELS

FINE = 60  # lines, from which on they are thin


def draw(picture: Picture) -> None:
    """All elastic parts."""
    now = picture.poses.at(picture.k)
    for part in picture.scene.elastic:
        seen = picture.camera.project(now.nodes(part)[0])
        width = 3.0 if len(part.lines) < FINE else 0.8
        for pair in part.lines:
            picture.sheet.line(seen[pair, :2], LEVELS["link"], width, EDGES[part.bodies[0] % len(EDGES)], depth=float(seen[pair, 2].mean()))
