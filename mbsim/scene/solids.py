"""The solids of a scene: meshes that move with a body, and those that reach from a point of one body to a point of another.

In a planar mechanism links are plates, each in one of a few layers, so that none hides in another.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.scene import meshes
from mbsim.scene.cable_solids import cable_solids
from mbsim.scene.figures import BLOCK, BLOCKS, Ball, Block, Box, Disk, Figure, Plate, Rod, figures, rails, slide_axis, turn_axis
from mbsim.scene.hinges import with_hinges_beside
from mbsim.scene.meshes import Mesh
from mbsim.scene.motion import Motion
from mbsim.scene.parts import PALE, Colour, Part, Piece, Stretch
from mbsim.scene.read import GROUND, Beam, End, Floats, Force, Joint, Scene, SceneError
from mbsim.scene.shapes import colour_of, solid
from mbsim.scene.sizes import Sizes, sizes
from mbsim.scene.surfaces import surfaces
from mbsim.scene.turns import frame

log = logging.getLogger("mbsim")
# Of the bodies in turn; readers who see few colours tell them apart.
COLOURS: tuple[Colour, ...] = (
    (86, 140, 191), (222, 134, 76), (80, 170, 140), (196, 136, 172), (122, 186, 226), (222, 172, 76), (140, 148, 160),
)  # fmt: skip
STEEL, DARK, EARTH, SPRING, BRASS, MUSCLE = (90, 99, 110), (52, 61, 71), (150, 158, 168), (70, 80, 92), (190, 160, 90), (178, 76, 72)
CORNERS_OF_ARM = 3  # a spatial body with three points is a wishbone of rods, which hides nothing; one with more is a plate
SPOKES = 10
THIN = 0.8  # half widths of a link: the least thickness of a beam
ALONG_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # turns z into x, and x, y into y, z
LAYER = 1.35  # distance of two layers, and thickness of a link 1.2, in half widths of a link


@dataclass(frozen=True, eq=False)
class Solids:
    """All of a scene."""

    parts: list[Part]
    stretches: list[Piece]
    size: Sizes
    layers: list[float]  # z of each body's plates, m; zero in space


def layers(scene: Scene) -> list[int]:
    """A layer for each planar body, another one for bodies that share a joint."""
    found: list[int] = []
    for b in range(len(scene.bodies)):
        beside = {end.body for joint in scene.joints for end in joint.ends if b in (joint.ends[0].body, joint.ends[1].body)}
        taken = {found[other] for other in beside if 0 <= other < b}
        found.append(next(k for k in range(len(scene.bodies) + 1) if k not in taken))
    return found


def solids(scene: Scene, poses: Motion, folder: Path = Path()) -> Solids:
    """All solids; `poses` say how far blocks and wheels go, `folder` is where files of meshes are."""
    return _Maker(scene, poses, folder).all()


class _Maker:
    def __init__(self, scene: Scene, poses: Motion, folder: Path) -> None:
        scene = with_hinges_beside(scene)
        self.scene, self.poses, self.folder = scene, poses, folder
        self.size = sizes(scene, poses)
        self.u = self.size.link
        step = LAYER * self.u
        self.z = [step * k for k in layers(scene)] if scene.planar else [0.0] * len(scene.bodies)
        self.parts: list[Part] = []
        self.stretches: list[Piece] = []

    def all(self) -> Solids:
        scene = self.scene
        for b, found in enumerate(figures(scene, self.size)):
            colour = COLOURS[b % len(COLOURS)]
            given = self._given(scene.bodies[b].shape, self._height(b), scene.bodies[b].name)
            for mesh, own in given:
                self._add(f"body/{scene.bodies[b].name}", b, mesh, own or colour)
            for figure in found if not given else ():
                for mesh, tone in self._figure(b, figure, colour):
                    self._add(f"body/{scene.bodies[b].name}", b, mesh, tone)
        for beam in scene.beams:
            self._beam(beam)
        for mesh, own in self._given(scene.ground_shape, 0.0, "ground"):
            self._add("ground/shape", GROUND, mesh, own or EARTH)
        for joint in scene.joints:
            self._joint(joint)
        for rail in rails(scene, self.size, self.poses):
            self._rail(next(one for one in scene.joints if one.name == rail.joint), rail.body, rail.ends, rail.across)
        for force in scene.forces:
            self._force(force)
        for gear, circle in ((one, each) for one in scene.gears for each in one.circles):
            self._circle(gear.name, gear.symbol, circle.at, circle.axis, circle.radius)
        planes, cables = surfaces(scene, self.poses, self.u, max(self.z, default=0.0)), cable_solids(scene, self.u, self._height, EARTH)
        self.parts += [*planes.fixed, *cables.circles]
        self.stretches += [*planes.lifted, *cables.strands]
        return Solids(self.parts, self.stretches, self.size, self.z)

    def _given(self, shapes: list[dict[str, Any]], z: float, name: str) -> list[tuple[Mesh, Colour | None]]:
        """The given shapes of a body and their own colours.

        None where one cannot be made: then the body is drawn as if nothing were given.
        """
        try:
            return [(solid(shape, self.folder, 1.2 * self.u).moved(np.array([0.0, 0.0, z])), colour_of(shape)) for shape in shapes]
        except SceneError as error:
            log.warning("%s: %s; it is drawn without its shape", name, error)
            return []

    def _add(self, name: str, body: int, mesh: Mesh, colour: Colour) -> None:
        self.parts.append(Part(name, body, mesh, colour))

    def _height(self, body: int) -> float:
        """z of the middle of a body's plates; of the ground just below the first layer."""
        return self.z[body] if body >= 0 else 0.0

    # bodies

    def _figure(self, b: int, figure: Figure, colour: Colour) -> Iterator[tuple[Mesh, Colour]]:
        u, z, half = self.u, self._height(b), 0.6 * self.u
        if isinstance(figure, Rod):
            a, c = figure.ends
            if self.scene.planar:
                yield meshes.prism(_stadium(a[:2], c[:2], 0.95 * u), z - half, z + half), colour
            else:
                yield meshes.between(a, c, meshes.capsule(0.8 * u, 0.0, float(np.linalg.norm(c - a)), 16)), colour
        elif isinstance(figure, Plate) and len(figure.corners) == CORNERS_OF_ARM and not self.scene.planar:
            for a, c in zip(figure.corners, np.roll(figure.corners, -1, axis=0), strict=True):
                yield meshes.between(a, c, meshes.capsule(0.65 * u, 0.0, float(np.linalg.norm(c - a)), 16)), colour
        elif isinstance(figure, Plate):
            yield self._plate(figure.corners, z), colour
        elif isinstance(figure, Disk):
            yield from self._disk(figure, z, colour)
        elif isinstance(figure, Ball):
            yield from _ball(figure, z, colour, figure.radius > 3.2 * u)
        elif isinstance(figure, Box):
            yield meshes.box(figure.edges).moved(figure.centre, figure.axes), colour
        else:
            yield self._block(figure, z), colour

    def _plate(self, corners: Floats, z: float) -> Mesh:
        u = self.u
        if self.scene.planar:
            return meshes.prism(_round_ends(corners[:, :2], 0.95 * u), z - 0.6 * u, z + 0.6 * u)
        axes = frame(np.linalg.svd(corners - corners.mean(axis=0))[2][2])
        flat = (corners - corners[0]) @ axes
        return meshes.prism(_round_ends(flat[:, :2], 0.8 * u), -0.5 * u, 0.5 * u).moved(corners[0], axes)

    def _disk(self, figure: Disk, z: float, colour: Colour) -> Iterator[tuple[Mesh, Colour]]:
        half = 0.6 * self.u if self.scene.planar else float(np.clip(0.06 * figure.radius, 0.3 * self.u, 1.2 * self.u))
        centre, turn = figure.centre + [0.0, 0.0, z], frame(figure.axis)
        if figure.spokes:
            yield from _spoked(figure.radius, half, colour, centre, turn)
            return
        if figure.toothed:
            yield meshes.gear(figure.radius, 0.9 * self.u, -half, half).moved(centre, turn), colour
        else:
            yield meshes.cylinder(figure.radius, -half, half, 48).moved(centre, turn), colour
        mark = meshes.box(np.array([0.62 * figure.radius, 0.1 * figure.radius, 2.12 * half]))  # so that its turning is seen
        yield mark.moved(centre + turn[:, 0] * 0.55 * figure.radius, turn), PALE

    def _block(self, figure: Block, z: float) -> Mesh:
        u = self.u
        deep = 1.3 if self.scene.planar else 2.9
        if figure.round:
            turn = np.array([figure.axes[:, 1], figure.axes[:, 2], figure.axes[:, 0]]).T
            return meshes.cylinder(1.5 * u, -BLOCK * u, BLOCK * u).moved(figure.centre + [0.0, 0.0, z], turn)
        return meshes.box(np.array([2.0 * BLOCK, 2.9, deep]) * u).moved(figure.centre + [0.0, 0.0, z], figure.axes)

    def _beam(self, beam: Beam) -> None:
        """Each node carries half of the elements beside it. A section that would not be seen is drawn larger."""
        places = np.array([self.scene.bodies[b].position for b in beam.nodes])
        halves = 0.5 * np.linalg.norm(np.diff(places, axis=0), axis=1)
        outline = beam.outline[0] * max(1.0, THIN * self.u / float(np.ptp(beam.outline[0], axis=0).max()))
        z = max(self._height(b) for b in beam.nodes)
        if self.scene.planar:
            half = max(float(np.abs(outline[:, 0]).max()), 0.5 * THIN * self.u)
            outline = np.array([[half, 0.6 * self.u], [-half, 0.6 * self.u], [-half, -0.6 * self.u], [half, -0.6 * self.u]])
        for k, b in enumerate(beam.nodes):
            low = -halves[k - 1] if k > 0 else 0.0
            high = halves[k] if k < len(halves) else 0.0
            mesh = meshes.prism(outline, low, high).moved(np.array([0.0, 0.0, z]), ALONG_X)
            self._add(f"beam/{beam.name}", b, mesh, COLOURS[beam.nodes[0] % len(COLOURS)])

    # joints

    def _joint(self, joint: Joint) -> None:
        u, name = self.u, f"joint/{joint.name}"
        first, second = joint.ends
        holder = first if first.body != GROUND else second
        side = joint.ends.index(holder)
        if joint.symbol == "rod":
            self.stretches.append(Stretch(name, self._flat(joint.ends), meshes.cylinder(0.35 * u, 0.0, 1.0, 12), STEEL, True))
            return
        if joint.symbol in ("", *BLOCKS):
            return
        if self.scene.planar:
            z = [self._height(end.body) for end in joint.ends if end.body != GROUND]
            low = min(z) - 0.85 * u if GROUND not in (first.body, second.body) else -1.6 * u
            mesh = meshes.cylinder(0.62 * u, low, max(z) + 0.85 * u).moved(holder.point)
            self._add(name, holder.body, mesh, DARK)
        else:
            self._spatial_joint(joint, name, holder, side)
        if GROUND in (first.body, second.body) and not joint.slides:
            ground = first if first.body == GROUND else second
            self._support(name, ground.point)

    def _spatial_joint(self, joint: Joint, name: str, holder: End, side: int) -> None:
        u, axis = self.u, turn_axis(joint, side)
        if joint.symbol == "hinge":
            self._add(name, holder.body, meshes.cylinder(1.05 * u, -1.7 * u, 1.7 * u).moved(holder.point, frame(axis)), DARK)
        elif joint.symbol == "cross":
            for k, end in enumerate(joint.ends):
                turn = frame(turn_axis(joint, k))
                self._add(name, end.body, meshes.cylinder(0.55 * u, -1.9 * u, 1.9 * u, 16).moved(end.point, turn), DARK)
        elif joint.symbol == "ball":
            self._add(name, holder.body, meshes.sphere(1.35 * u, 20).moved(holder.point), DARK)
        elif joint.symbol == "pin":
            pin = joint.ends[1]
            self._add(name, pin.body, meshes.cylinder(0.8 * u, -1.9 * u, 1.9 * u).moved(pin.point, frame(joint.axes[1][2])), DARK)
        elif joint.symbol == "weld":
            self._add(name, holder.body, meshes.box(np.full(3, 2.0 * u)).moved(holder.point), DARK)
        else:
            self._add(name, joint.ends[1].body, meshes.sphere(1.1 * u, 6).moved(joint.ends[1].point), BRASS)

    def _support(self, name: str, at: Floats) -> None:
        """Below a joint on the ground: a bracket, behind a planar mechanism, and a foot."""
        u, up = self.u, self.scene.up
        if self.scene.planar:
            x = np.array([up[1], -up[0]])
            corners = np.array([at[:2] + 1.0 * u * up[:2] + 0.8 * u * s * x for s in (1, -1)])
            foot = np.array([at[:2] - 2.9 * u * up[:2] + 1.9 * u * s * x for s in (-1, 1)])
            outline = np.vstack([corners, foot])
            self._add(f"ground/{name}", GROUND, meshes.prism(outline, -1.7 * u, -0.7 * u), EARTH)
            base = meshes.box(np.array([5.4, 0.6, 2.6]) * u)
            turn = np.array([[*x, 0.0], up, [0.0, 0.0, 1.0]]).T
            self._add(f"ground/{name}", GROUND, base.moved(np.array([*(at - 3.2 * u * up)[:2], -0.9 * u]), turn), EARTH)
            return
        turn = frame(up)
        cone = meshes.lathe(np.array([[0.0, -3.3 * u], [2.1 * u, -3.3 * u], [0.8 * u, -0.4 * u], [0.0, -0.4 * u]]))
        plate = meshes.box(np.array([5.6, 5.6, 0.5]) * u).moved(np.array([0.0, 0.0, -3.5 * u]))
        self._add(f"ground/{name}", GROUND, meshes.join(cone, plate).moved(at, turn), EARTH)

    def _rail(self, joint: Joint, body: int, ends: Floats, across: Floats) -> None:
        u, length = self.u, float(np.linalg.norm(ends[1] - ends[0]))
        if length < 1e-9:
            return
        axis = (ends[1] - ends[0]) / length
        colour = EARTH if body == GROUND else STEEL
        name = f"{'ground' if body == GROUND else 'joint'}/{joint.name}"
        if self.scene.planar:
            moving = joint.ends[0].body if joint.ends[1].body == body else joint.ends[1].body
            z = self._height(moving if body == GROUND else body)
            turn = np.array([axis, np.cross([0.0, 0.0, 1.0], axis), [0.0, 0.0, 1.0]]).T
            below = across if across @ self.scene.up < -1e-9 else -across
            if body == GROUND and joint.symbol in BLOCKS:
                bar = meshes.box(np.array([length, 0.7 * u, 2.4 * u])).moved(ends.mean(axis=0) + 1.8 * u * below + [0.0, 0.0, z], turn)
                self._add(name, body, bar, colour)
            else:
                bar = meshes.box(np.array([length, 0.8 * u, 0.9 * u])).moved(ends.mean(axis=0) + [0.0, 0.0, z - 0.2 * u], turn)
                self._add(name, body, bar, colour)
            return
        self._add(name, body, meshes.between(ends[0], ends[1], meshes.capsule(0.55 * u, 0.0, length, 12)), colour)
        if body == GROUND:
            for end in ends:
                self._add(name, body, meshes.box(np.array([2.6, 2.6, 0.6]) * u).moved(end, frame(axis)), colour)

    # forces, gears, planes

    def _flat(self, ends: tuple[End, End]) -> tuple[End, End]:
        """Ends in one layer of a planar mechanism."""
        z = max(self._height(end.body) for end in ends)
        return End(ends[0].body, ends[0].point + [0.0, 0.0, z]), End(ends[1].body, ends[1].point + [0.0, 0.0, z])

    def _force(self, force: Force) -> None:
        u, name = self.u, f"force/{force.name}"
        if force.symbol == "mount" and force.ends:
            end = force.ends[0]
            self._add(name, end.body, meshes.sphere(1.5 * u, 12).moved(end.point + [0.0, 0.0, self._height(end.body)]), STEEL)
        elif force.symbol == "spring" and len(force.ends) == 2:
            ends = self._flat((force.ends[0], force.ends[1]))
            lengths = np.linalg.norm(self.poses.place(ends[1]) - self.poses.place(ends[0]), axis=1)
            length = float(lengths[0])
            stiff = force.stiffness > 0.0 or force.damping == 0.0
            if length <= 2.0 * u:
                return
            if force.law:
                self.stretches.append(Stretch(name, ends, meshes.spindle(1.3 * u, 0.3 * u), MUSCLE, True))
            elif stiff:
                turns = int(np.clip(length / (2.4 * u), 5, 12))
                self.stretches.append(Stretch(name, ends, meshes.coil(1.15 * u, 0.22 * u, length, turns), SPRING, True))
            if force.damping > 0.0:
                tube, rod = 0.5 * u if stiff else 0.85 * u, 0.25 * u if stiff else 0.4 * u
                # The rod goes from end to end, so that neither leaves its point when the damper is long; the tube is never longer.
                tubular = min(0.5 * length, 0.9 * float(lengths.min()))
                self.stretches.append(Stretch(name, ends, meshes.cylinder(rod, 0.0, 1.0, 12), EARTH, True))
                self.stretches.append(Stretch(name, ends, meshes.cylinder(tube, 0.0, tubular, 16), STEEL, False))
            for end, given in zip(ends, force.ends, strict=True):
                if end.body != GROUND:
                    self._eye(name, given, float(end.point[2] - given.point[2]))
                else:
                    other = next(one for one in ends if one is not end)
                    turn = frame(self.poses.place(other)[0] - end.point)
                    self._add(f"ground/{name}", GROUND, meshes.box(np.array([3.4, 3.4, 0.6]) * u).moved(end.point, turn), EARTH)

    def _eye(self, name: str, end: End, z: float) -> None:
        """Where a spring is fastened to a body; of a planar one a pin up to the layer `z` of the spring."""
        if self.scene.planar:
            mesh = meshes.cylinder(0.5 * self.u, self._height(end.body) - 0.85 * self.u, z + 0.85 * self.u)
        else:
            mesh = meshes.sphere(0.8 * self.u, 16)
        self._add(name, end.body, mesh.moved(end.point), DARK)

    def _circle(self, name: str, symbol: str, at: End, axis: Floats, radius: float) -> None:
        u = self.u
        if at.body == GROUND:
            mesh = meshes.annulus(radius, radius + 1.6 * u, -0.7 * u, 0.7 * u).moved(
                at.point + [0.0, 0.0, self._ring_height(name)], frame(axis)
            )
            self._add(f"ground/{name}", GROUND, mesh, EARTH)
        elif symbol == "rack":
            mesh = meshes.cylinder(radius, -0.3 * u, 0.3 * u, 48).moved(
                at.point + [0.0, 0.0, -1.2 * u if self.scene.planar else 0.0], frame(axis)
            )
            self._add(f"joint/{name}", at.body, mesh, PALE)
            self._rack(name, at)

    def _ring_height(self, name: str) -> float:
        gear = next(one for one in self.scene.gears if one.name == name)
        inside = [circle.at.body for circle in gear.circles if circle.at.body >= 0]
        return self._height(inside[0]) if inside else 0.0

    def _rack(self, name: str, at: End) -> None:
        """Add what slides along the pinion's circle: a rack, or a rope."""
        gear = next(one for one in self.scene.gears if one.name == name)
        joint = self.scene.joint(gear.joints[1])
        if joint is None or not joint.is_slide:
            return
        k = 1 if joint.ends[1].body != GROUND else 0
        slider, rail = joint.ends[k], joint.ends[1 - k]
        if rail.body != GROUND:
            return
        axis = slide_axis(joint, 1 - k)
        centre = self.poses.place(at)[0]
        foot = rail.point + axis * float((centre - rail.point) @ axis)
        mesh = meshes.cylinder(0.3 * self.u, 0.0, 1.0, 10)
        self.stretches.append(Stretch(f"joint/{name}", (End(GROUND, foot), slider), mesh, STEEL, True))


def _ball(figure: Ball, z: float, colour: Colour, marked: bool) -> Iterator[tuple[Mesh, Colour]]:
    """A sphere; a large one in two tones, so that its turning is seen."""
    mesh = meshes.sphere(figure.radius, 32).moved(figure.centre + [0.0, 0.0, z])
    if not marked:
        yield mesh, colour
        return
    middles = mesh.vertices[mesh.faces].mean(axis=1) - figure.centre
    pale = np.prod(np.where(middles > 0.0, 1.0, -1.0), axis=1) > 0.0
    yield Mesh(mesh.vertices, mesh.faces[~pale]), colour
    yield Mesh(mesh.vertices, mesh.faces[pale]), PALE


def _spoked(radius: float, half: float, colour: Colour, centre: Floats, turn: Floats) -> Iterator[tuple[Mesh, Colour]]:
    """A wheel that touches at its radius, with a tyre, a rim and spokes; one of them is pale, so that its turning is seen."""
    tyre = min(0.6 * half + 0.02 * radius, 0.07 * radius)
    yield meshes.torus(radius - tyre, tyre).moved(centre, turn), DARK
    yield meshes.annulus(radius - 2.9 * tyre, radius - 1.7 * tyre, -0.8 * tyre, 0.8 * tyre).moved(centre, turn), colour
    yield meshes.cylinder(0.12 * radius, -1.2 * half, 1.2 * half).moved(centre, turn), colour
    for k, way in enumerate(meshes.ring(radius - 2.0 * tyre, SPOKES)):
        end = np.array([*way, 0.0])
        spoke = meshes.between(
            np.zeros(3), end, meshes.cylinder(0.022 * radius if k else 0.04 * radius, 0.0, float(np.linalg.norm(end)), 10)
        )
        yield spoke.moved(centre, turn), PALE if k == 0 else colour


def _stadium(a: Floats, b: Floats, radius: float) -> Floats:
    """The outline (k, 2) of a link, counterclockwise."""
    turn = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
    arcs = [(b, np.linspace(turn - np.pi / 2, turn + np.pi / 2, 13)), (a, np.linspace(turn + np.pi / 2, turn + 1.5 * np.pi, 13))]
    return np.concatenate([centre + radius * np.column_stack([np.cos(angle), np.sin(angle)]) for centre, angle in arcs])


def _round_ends(corners: Floats, radius: float) -> Floats:
    """The outline (k, 2) of a plate: its corners, in order, with round ends."""
    middle = corners.mean(axis=0)
    area = np.sum(corners[:, 0] * np.roll(corners[:, 1], -1) - np.roll(corners[:, 0], -1) * corners[:, 1])
    ordered = corners if area > 0.0 else corners[::-1]
    found = []
    for i, corner in enumerate(ordered):
        before, after = corner - ordered[i - 1], ordered[(i + 1) % len(ordered)] - corner
        start = float(np.arctan2(-before[0], before[1]))
        stop = float(np.arctan2(-after[0], after[1]))
        angles = np.linspace(start, start + (stop - start) % (2.0 * np.pi), 7)
        found.append(corner + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    outline = np.concatenate(found)
    return outline if np.isfinite(outline).all() else middle + meshes.ring(radius)
