"""Pictures of the solids without a browser: shaded triangles, seen without perspective, the nearest at each pixel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from mbsim.plots.fonts import file_for
from mbsim.scene.camera import Camera
from mbsim.scene.meshes import Mesh
from mbsim.scene.motion import Motion, goes_far
from mbsim.scene.parts import Lifted, place
from mbsim.scene.read import Floats
from mbsim.scene.solids import Solids
from mbsim.scene.traces import Trace
from mbsim.scene.turns import matrices

Whole = NDArray[np.int64]
FINER = 2  # pixels are drawn that much smaller, and averaged
LIGHT = np.array([-0.35, 0.55, 0.76])  # towards the light: right, up, to the viewer
AMBIENT = 0.5
PAPER, INK = (255, 255, 255), (28, 39, 51)
MARGIN = 0.07
DOT = 4.0  # pixels: the radius of a point that is traced


@dataclass(frozen=True, eq=False)
class Stage:
    """What all frames of a moving picture share: which solids, from where, and what lies within the frame."""

    solids: Solids
    camera: Camera
    size: tuple[int, int]  # pixels
    centre: Floats  # (2,) m; of a picture that follows from the middle of the bodies on
    scale: float  # pixels per m
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
        seen = camera.project(trace.path)[:, :2]
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    wide, tall = np.maximum(high - low, 1e-9 * max(float(max(high - low)), 1e-300))
    scale = (1.0 - 2.0 * MARGIN) * min(size[0] / wide, (size[1] - 26) / tall)
    return Stage(solids, camera, size, (low + high) / 2.0, float(scale), follows, tuple(traces))


def _corners(mesh: Mesh) -> Floats:
    """(8, 3) of the box around a mesh."""
    v = mesh.vertices
    return np.stack(np.meshgrid(*np.stack([v.min(axis=0), v.max(axis=0)], axis=1), indexing="ij"), axis=-1).reshape(-1, 3)


def _middles(poses: Motion, camera: Camera) -> Floats:
    """(k, 2) the middle of the bodies' centres of mass in the picture."""
    return camera.project(poses.position[:, :-1].mean(axis=1))[:, :2]


def frame(of: Stage, poses: Motion, k: int, title: str = "") -> Image.Image:
    """The picture of one pose."""
    triangles, colours = _triangles(of, poses.at(k))
    centre = of.middle(poses.at(k))
    wide, tall = of.size[0] * FINER, of.size[1] * FINER
    down = 13.0 * FINER if title else 0.0
    x = (triangles[..., 0] - centre[0]) * of.scale * FINER + wide / 2.0
    y = tall / 2.0 + down - (triangles[..., 1] - centre[1]) * of.scale * FINER
    pixels = np.full((tall * wide, 3), 255, np.uint8)
    at, which = _visible(np.stack([x, y, triangles[..., 2]], axis=-1), wide, tall)
    pixels[at] = colours[which]
    drawn = Image.fromarray(pixels.reshape(tall, wide, 3))

    def on_paper(points: Floats) -> list[tuple[float, float]]:
        seen = of.camera.project(points)
        across = (seen[:, 0] - centre[0]) * of.scale * FINER + wide / 2.0
        return list(zip(across, tall / 2.0 + down - (seen[:, 1] - centre[1]) * of.scale * FINER, strict=True))

    for trace in of.traces:
        pen, (at_x, at_y) = ImageDraw.Draw(drawn), on_paper(poses.at(k).place(trace.end))[0]
        pen.line(on_paper(trace.path), fill=trace.colour, width=round(1.4 * FINER), joint="curve")
        pen.ellipse([at_x - DOT * FINER, at_y - DOT * FINER, at_x + DOT * FINER, at_y + DOT * FINER], fill=trace.colour)
    picture = drawn.resize(of.size, Image.Resampling.BOX)
    if title:
        ImageDraw.Draw(picture).text((10, 7), title, fill=INK, font=ImageFont.truetype(file_for(title), 14))
    return picture


def _visible(corners: Floats, wide: int, tall: int) -> tuple[Whole, Whole]:
    """Pixels and the triangle (n, 3: right, down, depth) that is nearest there.

    A triangle is cut into rows of pixels, each row into pixels; then the farthest are taken first, so that the nearest stay.
    """
    low = np.clip(np.ceil(corners[..., 1].min(axis=1) - 0.5), 0, tall).astype(np.int64)
    high = np.clip(np.floor(corners[..., 1].max(axis=1) - 0.5), -1, tall - 1).astype(np.int64)
    of, y = _expand(low, high)
    middle = y + 0.5
    left, right = np.zeros(len(of)), np.full(len(of), float(wide - 1))
    for i in range(3):
        a, b = corners[of, i], corners[of, (i + 1) % 3]
        # Inside of an edge for corners counterclockwise to the eye; y is downwards here.
        A, rest = b[:, 1] - a[:, 1], (b[:, 0] - a[:, 0]) * (a[:, 1] - middle)
        edge = a[:, 0] + np.divide((b[:, 0] - a[:, 0]) * (middle - a[:, 1]), A, out=np.zeros(len(of)), where=A != 0.0) - 0.5
        right = np.where(A < 0.0, np.minimum(right, edge), right)
        left = np.where(A > 0.0, np.maximum(left, edge), left)
        right = np.where((A == 0.0) & (rest < 0.0), -1.0, right)
    row, x = _expand(np.ceil(left).astype(np.int64), np.floor(right).astype(np.int64))
    which, down = of[row], y[row]
    a, ab, ac = corners[which, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(ab, ac)
    slope = normal[:, :2] / np.where(normal[:, 2:] == 0.0, 1.0, normal[:, 2:])
    depth = a[:, 2] - slope[which, 0] * (x + 0.5 - a[:, 0]) - slope[which, 1] * (down + 0.5 - a[:, 1])
    order = np.argsort(depth, kind="stable")
    return (down * wide + x)[order], which[order]


def _expand(first: Whole, last: Whole) -> tuple[Whole, Whole]:
    """The numbers in ranges of whole numbers, both ends within: the index of the range of each number, and the numbers."""
    counts = np.maximum(last - first + 1, 0)
    of = np.repeat(np.arange(len(first)), counts)
    return of, first[of] + np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)


def _triangles(of: Stage, pose: Motion) -> tuple[Floats, NDArray[np.uint8]]:
    """Those that face the viewer: corners (n, 3, 3) as right, up and depth, and colours (n, 3)."""
    corners, tones = [], []
    R = pose.rotation[0]
    for part in of.solids.parts:
        vertices = part.mesh.vertices @ R[part.body].T + pose.position[0, part.body]
        corners.append(of.camera.project(vertices)[part.mesh.faces])
        tones.append(np.tile(part.colour, (len(part.mesh.faces), 1)))
    for stretch in of.solids.stretches:
        position, quaternion, scale = place(stretch, pose)
        vertices = (stretch.mesh.vertices * scale[0]) @ matrices(quaternion[0]).T + position[0]
        corners.append(of.camera.project(vertices)[stretch.mesh.faces])
        tones.append(np.tile(stretch.colour, (len(stretch.mesh.faces), 1)))
    every, colours = np.concatenate(corners), np.concatenate(tones)
    normals = np.cross(every[:, 1] - every[:, 0], every[:, 2] - every[:, 0])
    size = np.linalg.norm(normals, axis=1)
    facing = normals[:, 2] > 1e-9 * np.maximum(size, 1e-300)
    normals = normals[facing] / size[facing, None]
    light = AMBIENT + (1.0 - AMBIENT) * np.maximum(normals @ (LIGHT / np.linalg.norm(LIGHT)), 0.0)
    return every[facing], np.clip(colours[facing] * light[:, None] * 1.12, 0, 255).astype(np.uint8)
