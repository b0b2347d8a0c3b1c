"""Given shapes in a schematic: pale areas with the edges that are seen, below the symbols."""

import logging
from itertools import pairwise
from pathlib import Path as Folder
from typing import Any

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from mbsim.plots.picture import Picture
from mbsim.plots.sheet import EDGES, FILLS, GROUND, PAPER
from mbsim.plots.symbols import LEVELS
from mbsim.scene.meshes import Mesh, join
from mbsim.scene.outline import Outline, outline
from mbsim.scene.read import GROUND as ON_GROUND
from mbsim.scene.read import Floats, SceneError
from mbsim.scene.shapes import solid

log = logging.getLogger("mbsim")
LEVEL = LEVELS["plane"] + 0.4
PALE, FAINT = 0.5, 0.35  # how much paper is in the tones of areas and of edges
EARTH = "#e8ebee"


def shapes(picture: Picture, folder: Folder) -> None:
    """Draw the shapes that the model gives; files of meshes are in `folder`."""
    owners, meshes = [], []
    given = [(b, body.name, body.shape) for b, body in enumerate(picture.scene.bodies)]
    for b, name, of_body in [(ON_GROUND, "ground", picture.scene.ground_shape), *given]:
        try:
            made = [solid(shape, folder, 1.2 * picture.size.link) for shape in of_body]
        except SceneError as error:
            log.warning("%s: %s; it is drawn without its shape", name, error)
            continue
        if made:
            owners.append(b)
            meshes.append(_project(picture, b, join(*made)))
    found = outline(meshes)
    if found is None:
        return
    deep = min(float(mesh.vertices[:, 2].min()) for mesh in meshes if len(mesh.vertices))
    for n, b in enumerate(owners):
        fill, edge = (FILLS[b % len(FILLS)], EDGES[b % len(EDGES)]) if b != ON_GROUND else (EARTH, GROUND)
        order = picture.sheet.order(LEVEL, deep)
        _area(picture, found, n, _mix(fill, PALE), order)
        _lines(picture, found.lines[n], _mix(edge, FAINT), order + 1e-3)


def _project(picture: Picture, b: int, mesh: Mesh) -> Mesh:
    """A mesh in the axes of a body, projected."""
    now = picture.poses.at(picture.k)
    if b == ON_GROUND:
        return Mesh(picture.camera.project(mesh.vertices), mesh.faces)
    return Mesh(picture.camera.project(mesh.vertices @ now.rotation[0, b].T + now.position[0, b]), mesh.faces)


def _area(picture: Picture, found: Outline, n: int, fill: str, order: float) -> None:
    """Where a mesh is in front."""
    from contourpy import FillType, contour_generator

    mine = (found.owner == n).astype(float)
    rows, columns = np.flatnonzero(mine.any(axis=1)), np.flatnonzero(mine.any(axis=0))
    if not len(rows):
        return
    top, left = rows[0] - 1, columns[0] - 1  # the raster has a margin
    part = mine[top : rows[-1] + 2, left : columns[-1] + 2]
    places = np.arange(part.shape[1]) + left + 0.5, np.arange(part.shape[0]) + top + 0.5
    filled: Any = contour_generator(*places, part, fill_type=FillType.OuterOffset).filled(0.5, 2.0)
    polygons, offsets = filled
    for points, ends in zip(polygons, offsets, strict=True):
        rings = [_simple(points[a:b]) for a, b in pairwise(ends.tolist())]
        at = np.concatenate([found.corner + found.cell * ring for ring in rings])
        codes = np.concatenate([[Path.MOVETO, *[Path.LINETO] * (len(ring) - 2), Path.CLOSEPOLY] for ring in rings])
        patch = PathPatch(Path(at, codes), facecolor=fill, edgecolor="none", lw=0.0, zorder=order)
        picture.sheet.axes.add_patch(patch)
        picture.sheet.points.append(np.array([at.min(axis=0), at.max(axis=0)]))


def _simple(ring: Floats) -> Floats:
    """A closed line (k, 2) along cells without the corners between which it goes straight on, its last point the first."""
    steps = np.diff(ring, axis=0)
    turned = np.abs(steps[:, 0] * np.roll(steps[:, 1], 1) - steps[:, 1] * np.roll(steps[:, 0], 1)) > 1e-9
    kept: Floats = ring[:-1][turned]
    return np.vstack([kept, kept[:1]]) if len(kept) > 2 else ring


def _lines(picture: Picture, lines: list[Floats], colour: str, order: float) -> None:
    """Lines (k, 2) as one path."""
    if not lines:
        return
    codes = np.concatenate([[Path.MOVETO, *[Path.LINETO] * (len(line) - 1)] for line in lines])
    at = np.concatenate(lines)
    patch = PathPatch(Path(at, codes), facecolor="none", edgecolor=colour, lw=0.6, zorder=order, joinstyle="round", capstyle="round")
    picture.sheet.axes.add_patch(patch)
    picture.sheet.points.append(np.array([at.min(axis=0), at.max(axis=0)]))


def _mix(tone: str, paper: float) -> str:
    """A tone with some of the paper's."""
    parts = [(int(tone[i : i + 2], 16), int(PAPER[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round((1.0 - paper) * a + paper * b):02x}" for a, b in parts)
