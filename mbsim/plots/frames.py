"""Pictures of the solids without a browser: shaded triangles, seen without perspective, the nearest at each pixel."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from mbsim.plots.fonts import file_for
from mbsim.plots.raster import Triangles, Whole, expand, paint
from mbsim.scene.camera import Camera
from mbsim.scene.meshes import Mesh
from mbsim.scene.motion import Motion, goes_far
from mbsim.scene.parts import Lifted, place
from mbsim.scene.read import Floats
from mbsim.scene.solids import Solids
from mbsim.scene.traces import Trace
from mbsim.scene.turns import matrices

LIGHT = np.array([-0.35, 0.55, 0.76])  # towards the light: right, up, to the viewer
AMBIENT = 0.5
PAPER, INK, EVENT = (255, 255, 255), (28, 39, 51), (190, 60, 40)
MARGIN = 0.07
FINE = 2  # lines and dots are drawn that much larger, and averaged
DOT = 4.0  # pixels: the radius of a point that is traced
LETTERS, SMALLEST = 14, 9  # pixels: of a title, and as small as one becomes before it is cut
CREASE = np.cos(np.radians(40.0))  # faces whose normals differ by less are one round surface


class Facets(NamedTuple):
    """The triangles that move together."""

    vertices: Floats  # (v, 3)
    faces: Whole  # (n, 3)
    normals: Floats  # (n, 3, 3) at the corners, outwards
    tones: Floats  # (n, 3)
    surface: Whole  # (n,) faces of one number have no edge between them


@dataclass(frozen=True, eq=False)
class Stage:
    """What all frames of a moving picture share: which solids, from where, and what lies within the frame."""

    solids: Solids
    camera: Camera
    size: tuple[int, int]  # pixels
    centre: Floats  # (2,) m; of a picture that follows from the middle of the bodies on
    scale: float  # pixels per m
    bodies: dict[int, Facets]  # of each body, -1 is the ground
    pieces: tuple[Facets, ...]  # of what stretches
    follows: bool = False  # a mechanism that goes far, such as a bicycle
    traces: tuple[Trace, ...] = ()

    def middle(self, pose: Motion) -> Floats:
        """(2,) what is in the middle of the picture of a pose."""
        return self.centre + _middles(pose, self.camera)[0] if self.follows else self.centre


def stage(solids: Solids, poses: Motion, camera: Camera, size: tuple[int, int], traces: Sequence[Trace] = ()) -> Stage:
    """The frame that holds the whole motion, and the ways of points."""
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    middles = _middles(poses, camera)
    follows = goes_far(poses, solids.size.extent)
    corners: dict[int, list[Floats]] = {}
    for part in solids.parts:
        if not follows or part.body >= 0:
            corners.setdefault(part.body, []).append(_corners(part.mesh))
    some = np.unique(np.linspace(0, len(poses.times) - 1, 200).astype(int))
    for body, grids in corners.items():
        points = np.concatenate(grids)
        where = np.einsum("tij,nj->tni", matrices(poses.quaternion[some, body]), points) + poses.position[some, body][:, None]
        seen = (camera.project(where)[..., :2] - (middles[some][:, None] if follows else 0.0)).reshape(-1, 2)
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    for piece in solids.stretches:
        if isinstance(piece, Lifted) and not follows:
            seen = camera.project(_corners(piece.mesh) + place(piece, poses)[0][some][:, None])[..., :2].reshape(-1, 2)
            low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    for trace in traces if not follows else ():
        seen = camera.project(np.concatenate([trace.path, trace.wanted]))[:, :2]
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    wide, tall = np.maximum(high - low, 1e-9 * max(float(max(high - low)), 1e-300))
    scale = (1.0 - 2.0 * MARGIN) * min(size[0] / wide, (size[1] - 26) / tall)
    found = facets([(part.mesh, part.colour, part.body) for part in solids.parts])
    pieces = list(facets([(piece.mesh, piece.colour, n) for n, piece in enumerate(solids.stretches)]).values())
    first = 1 + max((int(part.surface.max(initial=-1)) for part in found.values()), default=-1)
    pieces = [part._replace(surface=part.surface + first) for part in pieces]
    return Stage(solids, camera, size, (low + high) / 2.0, float(scale), found, tuple(pieces), follows, tuple(traces))


def _corners(mesh: Mesh) -> Floats:
    """(8, 3) of the box around a mesh."""
    v = mesh.vertices
    return np.stack(np.meshgrid(*np.stack([v.min(axis=0), v.max(axis=0)], axis=1), indexing="ij"), axis=-1).reshape(-1, 3)


def _middles(poses: Motion, camera: Camera) -> Floats:
    """(k, 2) the middle of the bodies' centres of mass in the picture."""
    return camera.project(poses.position[:, :-1].mean(axis=1))[:, :2]


def facets(of: Sequence[tuple[Mesh, tuple[int, int, int], int]]) -> dict[int, Facets]:
    """The triangles of meshes, with their colours, by the number of what they move with."""
    found: dict[int, list[Facets]] = {}
    count = 0
    for mesh, colour, key in of:
        normals, surface = _smooth(mesh)
        tones = np.tile(np.array(colour, float), (len(mesh.faces), 1))
        found.setdefault(key, []).append(Facets(mesh.vertices, mesh.faces, normals, tones, surface + count))
        count += int(surface.max(initial=-1)) + 1
    return {key: _join(parts) for key, parts in found.items()}


def _join(parts: list[Facets]) -> Facets:
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = np.concatenate([part.faces + n for part, n in zip(parts, first, strict=False)])
    vertices, _, normals, tones, surface = (np.concatenate(field) for field in zip(*parts, strict=True))
    return Facets(vertices, faces, normals, tones, surface)


def _smooth(mesh: Mesh) -> tuple[Floats, Whole]:
    """Normals (n, 3, 3) at the corners of faces, even where faces meet at less than the crease, and the surface (n,) of each face."""
    corners = mesh.vertices[mesh.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(across, axis=1, keepdims=True)
    flat = across / np.where(size > 0.0, size, 1.0)
    n = len(mesh.faces)
    order = np.argsort(mesh.faces.ravel(), kind="stable")  # corners, those at one vertex beside each other
    _, first, at, count = np.unique(mesh.faces.ravel()[order], return_index=True, return_inverse=True, return_counts=True)
    mine, other = expand(first[at], first[at] + count[at] - 1)
    corner, face = order[mine], order[other] // 3
    round_ = (flat[corner // 3] * flat[face]).sum(axis=1) > CREASE
    corner, face = corner[round_], face[round_]
    normals = np.stack([np.bincount(corner, across[face, k], 3 * n) for k in range(3)], axis=1)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0.0, normals / np.where(length > 0.0, length, 1.0), np.repeat(flat, 3, axis=0))
    smooth = np.asarray(normals, float).reshape(n, 3, 3)
    return smooth, _connected(corner // 3, face, n)


def _connected(first: Whole, second: Whole, count: int) -> Whole:
    """The number (count,) of the group that each belongs to, where pairs, given both ways, are in one group."""
    label = np.arange(count)
    while True:
        least = label.copy()
        np.minimum.at(least, first, label[second])
        least = least[least]
        if np.array_equal(least, label):
            return label
        label = least


def _fitting(text: str, width: int) -> tuple[str, ImageFont.FreeTypeFont]:
    """A text of one line and its font, smaller where it is wider than a picture (pixels), and cut where it is much wider."""
    file = file_for(text)
    for size in range(LETTERS, SMALLEST - 1, -1):
        font = ImageFont.truetype(file, size)
        if font.getlength(text) <= width:
            return text, font
    kept = next((n for n in range(len(text), 0, -1) if font.getlength(f"{text[:n]}...") <= width), 0)
    return f"{text[:kept]}...", font


def frame(of: Stage, poses: Motion, k: int, title: str = "", event: str = "") -> Image.Image:
    """The picture of one pose; `event` stands below it."""
    pose = poses.at(k)
    centre, down = of.middle(pose), 13.0 if title else 0.0
    wide, tall = of.size

    def on_paper(points: Floats) -> Floats:
        """Points (..., 3) in pixels: right, down, and the depth."""
        seen = of.camera.project(points)
        x, y = (seen[..., 0] - centre[0]) * of.scale + wide / 2.0, tall / 2.0 + down - (seen[..., 1] - centre[1]) * of.scale
        return np.stack([x, y, seen[..., 2] * of.scale], axis=-1)

    towards = np.array(LIGHT / np.linalg.norm(LIGHT)) @ np.array([of.camera.right, of.camera.up, of.camera.back])
    R = pose.rotation[0]
    every = []
    for body, part in of.bodies.items():
        places = on_paper(part.vertices @ R[body].T + pose.position[0, body])
        every.append(_facing(part, places, part.normals @ (towards @ R[body])))
    for piece, part in zip(of.solids.stretches, of.pieces, strict=True):
        position, quaternion, scale = place(piece, pose)
        turn = matrices(quaternion[0])
        normals = part.normals / scale[0]
        light = normals @ (towards @ turn) / np.maximum(np.linalg.norm(normals, axis=-1), 1e-300)
        every.append(_facing(part, on_paper((part.vertices * scale[0]) @ turn.T + position[0]), light))
    found = Triangles(*(np.concatenate(field) for field in zip(*every, strict=True)))
    picture = Image.fromarray(paint(found, wide, tall, PAPER))
    if of.traces:
        ways = [(on_paper(trace.path), on_paper(trace.wanted), on_paper(pose.place(trace.end))[0]) for trace in of.traces]
        picture = _with_traces(picture, of, ways)
    if event:
        font = ImageFont.truetype(file_for(event), LETTERS)
        ImageDraw.Draw(picture).text((10, tall - 10), event, fill=EVENT, font=font, anchor="ls")
    if title:
        words, font = _fitting(title, wide - 20)
        ImageDraw.Draw(picture).text((10, 7), words, fill=INK, font=font)
    return picture


def _facing(part: Facets, places: Floats, light: Floats) -> Triangles:
    """The triangles that face the viewer; `light` is the cosine (n, 3) between the normals and the light."""
    corners = places[part.faces]
    ab, ac = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    facing = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0] < 0.0  # y is downwards
    bright = 1.12 * (AMBIENT + (1.0 - AMBIENT) * np.maximum(light[facing], 0.0))
    return Triangles(corners[facing], part.tones[facing], bright, part.surface[facing])


def _with_traces(picture: Image.Image, of: Stage, ways: list[tuple[Floats, Floats, Floats]]) -> Image.Image:
    """The ways of points over a picture, rings where these were to go through, and the points where they are now."""
    over = Image.new("RGBA", (of.size[0] * FINE, of.size[1] * FINE))
    pen = ImageDraw.Draw(over)
    for trace, (path, wanted, now) in zip(of.traces, ways, strict=True):
        for x, y in wanted[:, :2] * FINE:
            pen.ellipse([x - DOT * FINE, y - DOT * FINE, x + DOT * FINE, y + DOT * FINE], outline=(*trace.colour, 255), width=FINE)
        x, y = now[:2] * FINE
        pen.line([(float(a), float(b)) for a, b in path[:, :2] * FINE], fill=(*trace.colour, 255), width=round(1.4 * FINE), joint="curve")
        pen.ellipse([x - DOT * FINE, y - DOT * FINE, x + DOT * FINE, y + DOT * FINE], fill=(*trace.colour, 255))
    mixed = Image.alpha_composite(picture.convert("RGBA"), over.resize(of.size, Image.Resampling.BOX))
    return mixed.convert("RGB")
