"""What each body looks like, recognised from what is fastened to it: links between joint points, blocks on rails, wheels, balls, boxes.

Figures are in the axes of their body. A schematic draws them as lines, a solid picture as solids.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mbsim.scene.motion import Motion
from mbsim.scene.read import GROUND, LONGEST, Contact, Floats, Joint, Scene
from mbsim.scene.shapes import DAMAGED, place
from mbsim.scene.sizes import Sizes, apart, attachments
from mbsim.scene.turns import frame

BLOCKS = ("block", "sleeve", "screw")  # symbols of slides whose moving part is a block; of the others it is a pin or a bead
POINT_MASS = 0.25  # radius of gyration over the distance to the joint, below which a pendulum has a bob
SHAPED = 0.5  # of the bodies of a mechanism: where more have shapes, those without are frames
RIM = 0.6  # of m r^2: a wheel with more inertia about its axis has a rim and spokes; a uniform disk has 0.5
ASIDE = 0.35  # of the distance of a spatial body's two points: a centre of mass that is farther from their line is drawn
BLOCK = 2.6  # half the length of a block, in half widths of a link
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Rod:
    """A link between two points, or a capsule about them."""

    ends: Floats  # (2, 3)
    radius: float = 0.0  # of a capsule, m; 0: of a link, which is as thick as all links


@dataclass(frozen=True, eq=False)
class Plate:
    """A link with three points or more in a plane; its corners in order."""

    corners: Floats  # (k, 3)


@dataclass(frozen=True, eq=False)
class Disk:
    """A wheel."""

    centre: Floats
    axis: Floats
    radius: float
    rolls: bool = False
    toothed: bool = False
    spokes: bool = False  # its mass is at its rim


@dataclass(frozen=True, eq=False)
class Ball:
    """A sphere; a point mass where it is small."""

    centre: Floats
    radius: float


@dataclass(frozen=True, eq=False)
class Box:
    """A cuboid: edges along the columns of `axes`."""

    centre: Floats
    axes: Floats  # (3, 3)
    edges: Floats  # (3,)


@dataclass(frozen=True, eq=False)
class Block:
    """The moving part of a slide, and how it lies: x along the slide, z out of a planar mechanism."""

    centre: Floats
    axes: Floats  # (3, 3) columns
    round: bool  # a sleeve on a shaft rather than a block on a rail


Figure = Rod | Plate | Disk | Ball | Box | Block


@dataclass(frozen=True, eq=False)
class Rail:
    """What a block slides on: from one point to another of the body that holds it."""

    joint: str
    body: int
    ends: Floats  # (2, 3)
    across: Floats  # (3,) to the side where the ground's hatching is


def slide_axis(joint: Joint, side: int) -> Floats:
    """The direction (3,) of a slide in the axes of its first (0) or second (1) body."""
    axis: Floats = joint.axes[side]["xyz".index(joint.slides)]
    return axis


def turn_axis(joint: Joint, side: int) -> Floats:
    """The axis (3,) that a joint turns about: z of its frame."""
    axis: Floats = joint.axes[side][2]
    return axis


def block_side(scene: Scene, joint: Joint) -> int:
    """Which body of a slide is the block: 0 or 1. The second, unless it is the ground, or the joint is at the centre of the first alone."""
    first, second = joint.ends
    if second.body == GROUND:
        return 0
    if first.body == GROUND:
        return 1
    central = [float(np.linalg.norm(end.point)) < 1e-9 for end in joint.ends]
    return 0 if central == [True, False] else 1


def figures(scene: Scene, size: Sizes) -> list[list[Figure]]:
    """The figures of each body. One with a given shape has them too: schematics draw these."""
    of_parts = {b for part in scene.elastic for b in part.bodies}
    return [[] if b in of_parts else _figures(scene, size, b) for b in range(len(scene.bodies))]


def outlines(of: list[Figure]) -> list[Floats]:
    """Lines (k, 3) that show where figures of a body are: along rods, around plates, disks, blocks and boxes."""
    found: list[Floats] = []
    for figure in of:
        if isinstance(figure, Rod):
            found.append(figure.ends)
        elif isinstance(figure, Plate):
            found.append(np.vstack([figure.corners, figure.corners[:1]]))
        elif isinstance(figure, Disk | Ball):
            turn = np.linspace(0.0, 2.0 * np.pi, 49)
            axes = frame(figure.axis if isinstance(figure, Disk) else Z)
            found.append(figure.centre + figure.radius * (np.outer(np.cos(turn), axes[:, 0]) + np.outer(np.sin(turn), axes[:, 1])))
        elif isinstance(figure, Box):
            half = figure.axes * (figure.edges / 2.0)
            square = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)], float)
            found += [figure.centre + square @ half[:, :2].T + s * half[:, 2] for s in (-1.0, 1.0)]
    return found


def rails(scene: Scene, size: Sizes, poses: Motion) -> list[Rail]:
    """The rails of all slides, as long as the motion needs."""
    found = []
    for joint in scene.joints:
        if not joint.is_slide:
            continue
        k = block_side(scene, joint)
        block, rail = joint.ends[k], joint.ends[1 - k]
        axis = slide_axis(joint, 1 - k)
        seen = np.einsum("tji,tj->ti", poses.rotation[:, rail.body], poses.place(block) - poses.position[:, rail.body])
        reach = (seen - rail.point) @ axis
        margin = (1.6 if joint.symbol in BLOCKS else 1.0) * BLOCK * size.link
        ends = np.array([rail.point + axis * (reach.min() - margin), rail.point + axis * (reach.max() + margin)])
        if joint.symbol == "bead" or (joint.symbol == "pin" and rail.body != GROUND):
            ends = np.array([rail.point + axis * min(reach.min() - margin, 0.0), rail.point + axis * max(reach.max() + margin, 0.0)])
        found.append(Rail(joint.name, rail.body, ends, joint.axes[1 - k][1 if scene.planar else 0]))
    return found


def _figures(scene: Scene, size: Sizes, b: int) -> list[Figure]:
    if (given := _given(scene, b)) and not _is_fastened(scene, b):
        return given
    found: list[Figure] = [*_wheels(scene, b), *_blocks(scene, b)]
    if any(b in beam.nodes for beam in scene.beams):
        return found
    centres = [figure.centre for figure in found if isinstance(figure, Disk | Ball | Block)]
    points = apart(attachments(scene, b, corners=not given), size.same)
    if found:
        away = [point for point in points if all(np.linalg.norm(point - centre) > 1.01 * size.same for centre in centres)]
        return [*found, *_between([centres[0], *away], scene.planar)] if away else found
    if len(points) > 1:
        thick = _thick(scene, b, points)
        return [thick] if thick is not None else [*_between(points, scene.planar), *_aside(scene, points, size)]
    return _single(scene, size, b, points)


def _given(scene: Scene, b: int) -> list[Figure]:
    """A spatial body as its boxes, balls and capsules, by which it touches others; empty where it has other shapes."""
    shapes = scene.bodies[b].shape
    if scene.planar or any(shape.get("type") not in ("box", "sphere", "capsule") for shape in shapes):
        return []
    try:
        found = [_of_shape(shape) for shape in shapes]
    except DAMAGED:
        return []
    return found


def _of_shape(shape: dict[str, Any]) -> Figure:
    """Of a box, a ball or a capsule."""
    centre, axes = place(shape)
    lengths = np.array(shape["size"] if shape["type"] == "box" else [shape["radius"], shape.get("length", 0.0)], float)
    if not (np.abs([*centre, *lengths]) <= LONGEST).all():
        raise ValueError("it is too large")
    if shape["type"] == "box":
        return Box(centre, axes, lengths.reshape(3))
    if shape["type"] == "sphere":
        return Ball(centre, float(lengths[0]))
    reach = 0.5 * lengths[1] * axes[:, 2]
    return Rod(np.array([centre - reach, centre + reach]), float(lengths[0]))


def _is_fastened(scene: Scene, b: int) -> bool:
    """Whether something is fastened to a body, which contacts are not."""
    ends = [end.body for joint in scene.joints if joint.symbol for end in joint.ends]
    ends += [end.body for force in scene.forces if len(force.ends) == 2 for end in force.ends]
    ends += [bend.at.body for cable in scene.cables for bend in cable.bends]
    return b in ends or any(b in beam.nodes for beam in scene.beams)


def _wheels(scene: Scene, b: int) -> list[Figure]:
    found: list[Figure] = []
    for contact in scene.contacts:
        if contact.at.body != b or contact.radius <= 0.0:
            continue
        if contact.symbol == "wheel" and contact.axis is not None:
            found.append(Disk(contact.at.point, contact.axis, contact.radius, rolls=True, spokes=_has_rim(scene, b, contact)))
        elif scene.planar:
            found.append(Disk(contact.at.point, Z, contact.radius, rolls=True, spokes=_has_rim(scene, b, contact)))
        else:
            found.append(Ball(contact.at.point, contact.radius))
    drums = {abs(w.radius): w for cable in scene.cables for w in cable.bends if w.at.body == b and w.radius != 0.0}
    found += [Disk(drums[R].at.point, drums[R].axis, R) for R in sorted(drums, reverse=True)]
    gears = [circle for gear in scene.gears if gear.symbol == "wheels" for circle in gear.circles if circle.at.body == b]
    if gears and not found:
        largest = max(gears, key=lambda circle: circle.radius)
        found.append(Disk(largest.at.point, largest.axis, largest.radius, toothed=True))
    return found


def _has_rim(scene: Scene, b: int, contact: Contact) -> bool:
    """Whether a wheel about its centre of mass has more inertia than a disk of its radius."""
    body, axis = scene.bodies[b], Z if contact.axis is None or scene.planar else contact.axis
    return bool(float(axis @ body.inertia @ axis) > RIM * body.mass * contact.radius**2 > 0.0)


def _aside(scene: Scene, points: list[Floats], size: Sizes) -> list[Figure]:
    """The centre of mass of a spatial body with two points, where it is far from their line: held by two rods more."""
    if scene.planar or len(points) != 2:
        return []
    way = points[1] - points[0]
    length = float(np.linalg.norm(way))
    off = points[0] - way * float(points[0] @ way) / length**2
    if np.linalg.norm(off) < ASIDE * length:
        return []
    return [*(Rod(np.array([point, np.zeros(3)])) for point in points), Ball(np.zeros(3), 2.2 * size.link)]


def _blocks(scene: Scene, b: int) -> list[Figure]:
    found: list[Figure] = []
    for joint in scene.joints:
        if joint.is_slide and joint.symbol in BLOCKS and joint.ends[k := block_side(scene, joint)].body == b:
            x = slide_axis(joint, k)
            z = Z if scene.planar else joint.axes[k][1]
            found.append(Block(joint.ends[k].point, np.array([x, np.cross(z, x), z]).T, joint.symbol != "block"))
    return found


def _between(points: list[Floats], planar: bool) -> list[Figure]:
    """A rod through points in a line, a plate over three or more in a plane, else rods from the first, or from the middle."""
    P = np.array(points)
    if len(P) < 2:
        return []
    i, j = max(combinations(range(len(P)), 2), key=lambda pair: float(np.linalg.norm(P[pair[0]] - P[pair[1]])))
    length = float(np.linalg.norm(P[j] - P[i]))
    along = (P[j] - P[i]) / length
    away = P - P[i] - np.outer((P - P[i]) @ along, along)
    if np.linalg.norm(away, axis=1).max() < 0.02 * length:
        return [Rod(np.array([P[i], P[j]]))]
    normal = np.linalg.svd(P - P.mean(axis=0))[2][2]
    if planar or np.abs((P - P.mean(axis=0)) @ normal).max() < 0.02 * length:
        return [Plate(hull(P, normal))]
    middle = P.mean(axis=0)
    return [Rod(np.array([middle, point])) for point in P]


def hull(points: Floats, normal: Floats) -> Floats:
    """The corners (k, 3) of the convex hull of points in a plane, in order around its normal."""
    x = points[np.linalg.norm(points - points[0], axis=1).argmax()] - points[0]
    x = x / np.linalg.norm(x)
    flat = np.column_stack([(points - points[0]) @ x, (points - points[0]) @ np.cross(normal, x)])
    order = np.lexsort((flat[:, 1], flat[:, 0]))

    def chain(indices: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[int]:
        kept: list[int] = []
        for i in indices.tolist():
            while len(kept) > 1 and _lies_left(flat[kept[-2]], flat[kept[-1]], flat[i]) <= 0.0:
                kept.pop()
            kept.append(i)
        return kept[:-1]

    corners: Floats = points[[*chain(order), *chain(order[::-1])]]
    return corners


def _lies_left(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def box_of(scene: Scene, b: int) -> Box | None:
    """The cuboid of equal density that has a spatial body's inertia; None where none has, or the body has no mass."""
    body = scene.bodies[b]
    moments, axes = np.linalg.eigh(body.inertia)
    if body.mass <= 0.0 or moments[2] <= 0.0:
        return None
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass
    axes = axes * np.sign(np.linalg.det(axes))
    edges = np.sqrt(np.maximum(squares, (0.02**2) * max(squares.max(), 0.0)))
    return Box(np.zeros(3), axes, edges) if edges.max() > 0.0 else None


def _thick(scene: Scene, b: int, points: list[Floats]) -> Box | None:
    """A cuboid in place of a rod: the heaviest of the spatial bodies, where it is as thick as the distance of its two points."""
    if scene.planar or len(points) != 2 or scene.bodies[b].mass < max(body.mass for body in scene.bodies):
        return None
    box = box_of(scene, b)
    length = float(np.linalg.norm(points[1] - points[0]))
    if box is None or length == 0.0:
        return None
    along = np.abs(box.axes.T @ (points[1] - points[0])) / length
    k = int(along.argmax())
    inside = all((np.abs(box.axes.T @ point) <= 0.62 * box.edges + 1e-9 * length).all() for point in points)
    return box if inside and np.delete(box.edges, k).min() > 0.3 * length and box.edges.max() < 2.0 * length else None


def _single(scene: Scene, size: Sizes, b: int, points: list[Floats]) -> list[Figure]:
    """The figure of a body with one point or none: a pendulum, a flywheel, a top, or a body that flies."""
    body = scene.bodies[b]
    radius = float(np.sqrt(max(body.inertia[2, 2], 0.0) / body.mass)) if body.mass > 0.0 else 0.0
    point = points[0] if points else np.zeros(3)
    d = float(np.linalg.norm(point))
    if scene.planar:
        if d <= size.same:
            return [Disk(np.zeros(3), Z, float(np.clip(np.sqrt(2.0) * radius, 2.0 * size.link, 0.5 * size.extent)))]
        return _pendulum(point, d, radius, size, Disk(np.zeros(3), Z, min(np.sqrt(2.0) * radius, 0.6 * d)))
    if _is_frame(scene, b):
        return [Ball(np.zeros(3), 0.6 * size.link)]
    box = None if body.shape else box_of(scene, b)  # a given shape shows how large it is
    if box is None:
        ball = Ball(np.zeros(3), 2.0 * size.link)
        return [ball] if d <= size.same else [Rod(np.array([point, np.zeros(3)])), ball]
    box = Box(box.centre, box.axes, box.edges * min(1.0, (2.0 * d if d > size.same else size.extent) / box.edges.max()))
    wheel = _wheel(body.inertia, body.mass)
    if d <= size.same:
        return [box if wheel is None else Disk(np.zeros(3), wheel[0], min(wheel[1], 0.5 * size.extent))]
    across = point / d
    about = max(float(across @ body.inertia @ across), 0.0) / body.mass  # about the line to the joint
    radius = float(np.sqrt(max(np.trace(body.inertia) / body.mass - about, 0.0) / 2.0))
    if np.sqrt(about) > 0.5 * radius and radius > POINT_MASS * d:
        if wheel is not None and abs(float(wheel[0] @ across)) > 0.99:
            return [Rod(np.array([point, np.zeros(3)])), Disk(np.zeros(3), across, min(wheel[1], 0.6 * d))]
        return [Rod(np.array([point, np.zeros(3)])), box]
    return _pendulum(point, d, radius, size, box)


def _is_frame(scene: Scene, b: int) -> bool:
    """Whether a body is rather a frame, as of a sensor: the others have shapes, it has none, and its inertia is often made up."""
    others = [bool(body.shape) for k, body in enumerate(scene.bodies) if k != b]
    return not scene.bodies[b].shape and sum(others) > SHAPED * len(others)


def _wheel(inertia: Floats, mass: float) -> tuple[Floats, float] | None:
    """Axis and radius of a body with two equal moments of inertia that is no rod along the third."""
    moments, axes = np.linalg.eigh(inertia)
    for one, k, m in ((0, 1, 2), (2, 0, 1)):
        equal, sphere = np.isclose(moments[k], moments[m], rtol=1e-6), np.isclose(moments[0], moments[2], rtol=1e-6)
        if equal and not sphere and moments[one] > 0.2 * moments[k]:
            return axes[:, one], float(np.sqrt(2.0 * moments[one] / mass))
    return None


def _pendulum(point: Floats, d: float, radius: float, size: Sizes, body: Figure) -> list[Figure]:
    """A rod from the joint's point through the centre of mass; with a bob where the mass is in one place."""
    if radius < POINT_MASS * d:
        return [Rod(np.array([point, np.zeros(3)])), Ball(np.zeros(3), 2.2 * size.link)]
    if np.sqrt(3.0) * radius <= 1.3 * d:
        return [Rod(np.array([point, -point / d * np.sqrt(3.0) * radius]))]
    return [Rod(np.array([point, np.zeros(3)])), body]
