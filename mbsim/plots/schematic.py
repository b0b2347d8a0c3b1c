"""The schematic of a mechanism, as textbooks draw it: links, hinges, slides, springs, gears, wheels, hatched ground."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from mbsim.plots import elastic_lines, given, loads, symbols
from mbsim.plots.ground_heights import draw_height
from mbsim.plots.labels import LETTERS, Label, half_size, place_labels
from mbsim.plots.picture import Picture
from mbsim.plots.sheet import EDGES, FILLS, GROUND, INK, Sheet, round_about, rounded_hull, side, unit
from mbsim.plots.symbols import LEVELS, TURNING
from mbsim.scene.camera import Camera
from mbsim.scene.figures import (
    BLOCK,
    BLOCKS,
    Ball,
    Block,
    Box,
    Disk,
    Figure,
    Plate,
    Rail,
    Rod,
    figures,
    rails,
    slide_axis,
    turn_axis,
)
from mbsim.scene.hinges import with_hinges_beside
from mbsim.scene.motion import Motion, beam_curve
from mbsim.scene.parts import clearance
from mbsim.scene.read import GROUND as ON_GROUND
from mbsim.scene.read import Beam, Cable, Contact, End, Floats, Joint, Plane, Scene
from mbsim.scene.sizes import sizes
from mbsim.scene.spans import path, rim
from mbsim.scene.traces import Trace
from mbsim.scene.turns import frame

PLANE_REACH = 0.6  # of the mechanism's size: how much of a plane is drawn around it
BIG = 3.2  # of a ball's radius to the half width of a link, from which on it is a ball and no point mass
NAMED = 24  # joints; more have no names in the picture


@dataclass
class Schematic(Picture):
    """The schematic of a scene."""

    traced: list[Label] = field(default_factory=list)  # the names of points whose ways are drawn

    def draw(self) -> None:
        """All but the names."""
        found = figures(self.scene, self.size)
        for rail in rails(self.scene, self.size, self.poses):
            self._rail(rail)
        for n, contact in enumerate(self.scene.contacts):
            earlier = [one.plane for one in self.scene.contacts[:n] if one.plane is not None]
            if contact.plane is not None and not any(_one_plane(contact.plane, plane) for plane in earlier):
                self._plane(contact, contact.plane)
        for b, of_body in enumerate(found):
            for figure in of_body:
                self._figure(b, figure)
        for beam in self.scene.beams:
            self._beam(beam)
        elastic_lines.draw(self)
        self._gears()
        for cable in self.scene.cables:
            self._cable(cable)
        for joint in self.scene.joints:
            self._joint(joint)
        for force in self.scene.forces:
            loads.draw(self, force)
        for contact in self.scene.contacts:
            if contact.symbol == "blade" and contact.axis is not None:
                reach = 2.4 * self.size.link * contact.axis
                ends = [self.at(End(contact.at.body, contact.at.point + s * reach)) for s in (-1.0, 1.0)]
                self.sheet.line(np.array(ends), LEVELS["pin"], 3.0, INK)

    # bodies

    def _figure(self, b: int, figure: Figure) -> None:
        fill, edge, sheet = FILLS[b % len(FILLS)], EDGES[b % len(EDGES)], self.sheet
        if isinstance(figure, Rod):
            a, c = (self.at(End(b, end)) for end in figure.ends)
            if figure.radius > 0.0:
                deep = float(max(a[2], c[2]))
                sheet.area(rounded_hull(np.array([a, c]), figure.radius), LEVELS["mass"], fill, edge, 1.2, deep)
            else:
                symbols.link(sheet, a, c, fill, edge)
        elif isinstance(figure, Plate):
            corners = np.array([self.at(End(b, corner)) for corner in figure.corners])
            sheet.area(rounded_hull(corners, 0.85 * sheet.u), LEVELS["link"] - 0.2, fill, edge, 1.1, float(corners[:, 2].mean()))
        elif isinstance(figure, Disk):
            self._disk(b, figure, fill, edge)
        elif isinstance(figure, Ball):
            centre = self.at(End(b, figure.centre))
            if figure.radius < BIG * sheet.u:
                sheet.disk(centre, figure.radius, LEVELS["mass"], edge, INK, 0.8, float(centre[2]) + 2.5 * sheet.u)
            else:
                sheet.disk(centre, figure.radius, LEVELS["mass"], fill, edge, 1.2, float(centre[2]))
                self._great_circles(b, figure, edge)
        elif isinstance(figure, Box):
            self._box(b, figure, fill, edge)
        else:
            self._block(b, figure, fill, edge)

    def _disk(self, b: int, figure: Disk, fill: str, edge: str) -> None:
        axes = frame(figure.axis)
        rim = np.array([self.at(End(b, figure.centre + figure.radius * (axes[:, :2] @ p))) for p in round_about(64)])
        centre = self.at(End(b, figure.centre))
        level = LEVELS["link"] - 0.6
        if figure.spokes:
            self._spoked(rim, centre, level, edge)
            return
        self.sheet.area(rim, level, fill, edge, 1.4, float(centre[2]))
        for spoke in (0, 16, 32, 48):  # so that its turning is seen
            reach = rim[spoke] if spoke == 0 else centre + 0.22 * (rim[spoke] - centre)
            self.sheet.line(np.array([centre[:2], reach[:2]]), level + 0.05, 1.0, edge, depth=float(centre[2]) + 0.01 * self.sheet.u)

    def _spoked(self, rim: Floats, centre: Floats, level: float, edge: str) -> None:
        """A wheel of rim and spokes, which hides nothing; one spoke is thick, so that its turning is seen."""
        deep = float(centre[2])
        for share, width in ((1.0, 2.4), (0.93, 0.8), (0.1, 1.2)):
            circle = centre + share * (rim - centre)
            self.sheet.line(np.vstack([circle, circle[:1]])[:, :2], level, width, edge, depth=deep)
        for k in range(0, len(rim), 4):
            spoke = centre[:2] + np.outer([0.1, 0.93], rim[k, :2] - centre[:2])
            self.sheet.line(spoke, level + 0.05, 0.5 if k else 1.6, edge, depth=deep + 0.01 * self.sheet.u)

    def _great_circles(self, b: int, figure: Ball, edge: str) -> None:
        for k in range(3):
            axes = np.roll(np.eye(3), k, axis=1)
            ring = np.array([self.at(End(b, figure.centre + figure.radius * (axes[:, :2] @ p))) for p in round_about(64)])
            front = ring[:, 2] >= ring[:, 2].mean() - 1e-12
            start = int(np.flatnonzero(front & ~np.roll(front, 1))[0]) if not front.all() else 0
            ring, front = np.roll(ring, -start, axis=0), np.roll(front, -start)
            deep = float(ring[:, 2].max())
            self.sheet.line(ring[front][:, :2], LEVELS["mass"] + 0.1, 0.8, edge, depth=deep)

    def _box(self, b: int, figure: Box, fill: str, edge: str, nearer: float = 0.0) -> None:
        half = figure.axes * (figure.edges / 2.0)
        for k in range(3):
            out = self.way(b, figure.axes[:, k])
            sign = 1.0 if out[2] >= 0.0 else -1.0
            x, y = half[:, (k + 1) % 3], half[:, (k + 2) % 3]
            middle = figure.centre + sign * half[:, k]
            corners = np.array([self.at(End(b, middle + i * x + j * y)) for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
            deep = float(corners[:, 2].mean()) + nearer
            self.sheet.area(corners, LEVELS["link"] + 0.01 * k, _shade(fill, abs(float(out[2]))), edge, 1.0, deep)

    def _block(self, b: int, figure: Block, fill: str, edge: str) -> None:
        u = self.size.link
        edges = np.array([2.0 * BLOCK, 2.9, 2.9]) * u
        if self.scene.planar:
            half = figure.axes * (edges / 2.0)
            corners = [figure.centre + i * half[:, 0] + j * half[:, 1] for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
            self.sheet.area(np.array([self.at(End(b, corner))[:2] for corner in corners]), LEVELS["block"], fill, edge, 1.2)
            return
        self._box(b, Box(figure.centre, figure.axes, edges), fill, edge, 2.0 * u)

    def _beam(self, beam: Beam) -> None:
        """The curve through its nodes along their x axes: of each element a cubic."""
        colour = EDGES[beam.nodes[0] % len(EDGES)]
        for a, b in pairwise(beam.nodes):
            path = beam_curve(self.poses.at(self.k), a, b)
            seen = self.camera.project(path)
            self.sheet.line(seen[:, :2], LEVELS["link"], 3.0, colour, depth=float(seen[:, 2].mean()))

    def _cable(self, cable: Cable) -> None:
        """The line along its path, and the circles that no body has."""
        now = self.poses.at(self.k)
        for bend in cable.bends:
            if bend.radius != 0.0 and bend.at.body == ON_GROUND:
                seen = self.camera.project(rim(bend, now))
                self.sheet.area(seen, LEVELS["circle"], None, None)
                self.sheet.line(seen[:, :2], LEVELS["circle"], 1.3, GROUND, depth=float(seen[:, 2].mean()))
        seen = self.camera.project(path(cable, now))
        self.sheet.line(seen[:, :2], LEVELS["pin"] - 0.1, 1.6, INK, depth=float(seen[:, 2].max()))

    # rails, planes, gears

    def _rail(self, rail: Rail) -> None:
        joint = self.scene.joint(rail.joint)
        assert joint is not None
        ends = [self.at(End(rail.body, end)) for end in rail.ends]
        u, level = self.size.link, LEVELS["rail"]
        if rail.body != ON_GROUND or not self.scene.planar:
            width = 2.2 if rail.body == ON_GROUND else 1.6
            colour = INK if rail.body == ON_GROUND else EDGES[rail.body % len(EDGES)]
            level = level if rail.body == ON_GROUND else LEVELS["block"] - 0.5
            if rail.body != ON_GROUND and self.scene.planar:
                symbols.link(self.sheet, ends[0], ends[1], FILLS[rail.body % len(FILLS)], colour, 0.55)
                return
            for a, b in zip(np.linspace(ends[0], ends[1], 13)[:-1], np.linspace(ends[0], ends[1], 13)[1:], strict=True):
                self.sheet.line(np.array([a[:2], b[:2]]), level, width, colour, depth=float(a[2] + b[2]) / 2)
            if rail.body == ON_GROUND:
                for k in (0, 1):
                    symbols.wall(self.sheet, ends[k], (ends[1 - k] - ends[k])[:2], level)
            return
        across = self.camera.project(rail.across)[:2]
        across = across if across @ self.down > 1e-9 or (abs(across @ self.down) <= 1e-9 and across[0] > 0.0) else -across
        if joint.symbol in BLOCKS:
            shift = 1.45 * u * across
            symbols.ground_line(self.sheet, ends[0][:2] + shift, ends[1][:2] + shift, across, level)
        else:
            shift = 0.8 * u * across
            for s in (-1.0, 1.0):
                a, b = ends[0][:2] + s * shift, ends[1][:2] + s * shift
                self.sheet.line(np.array([a, b]), level, 1.2)
            symbols.hatching(self.sheet, ends[0][:2] + shift, ends[1][:2] + shift, across, level)

    def _plane(self, contact: Contact, plane: Plane) -> None:
        now = self.poses.at(self.k)
        normal = now.turn(plane.at.body, plane.normal)[0]
        # Where the body touched over the whole motion, seen from the plane's body now.
        R = self.poses.rotation[:, plane.at.body]
        same = [one for one in self.scene.contacts if one.plane is not None and _one_plane(one.plane, plane)]
        seen = np.concatenate(
            [np.einsum("tji,tj->ti", R, self.poses.place(one.at) - self.poses.position[:, plane.at.body]) for one in same]
        )
        base = plane.at.point
        if plane.moves:
            base = now.place(contact.at)[0] - clearance(contact, plane.normal, now)[0] * plane.normal
        here = np.array([R[self.k].T @ (now.place(one.at)[0] - now.position[0, plane.at.body]) for one in same])
        seen = seen[np.linalg.norm(seen - here.mean(axis=0), axis=1) <= PLANE_REACH * self.size.extent]
        touched = np.concatenate([here, seen])
        touched = touched - np.outer((touched - base) @ plane.normal, plane.normal)
        margin = max(1.2 * contact.radius, 5.0 * self.size.link)
        if plane.height is not None:
            draw_height(self.sheet, lambda p: self.at(End(ON_GROUND, p)), plane.height, np.concatenate([here, seen]), margin)
            return
        if self.scene.planar:
            tangent = np.array([-plane.normal[1], plane.normal[0], 0.0])
            reach = (touched - base) @ tangent
            ends = [self.at(End(plane.at.body, base + tangent * place)) for place in (reach.min() - margin, reach.max() + margin)]
            symbols.ground_line(self.sheet, ends[0], ends[1], -normal[:2], LEVELS["plane"])
            return
        axes = frame(plane.normal)
        flat = (touched - base) @ axes[:, :2]
        low, high = flat.min(axis=0) - margin, flat.max(axis=0) + margin
        around = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        corners = np.array([self.at(End(plane.at.body, base + axes[:, 0] * x + axes[:, 1] * y)) for x, y in around])
        below = -2.0 * self.size.extent if self.way(plane.at.body, plane.normal)[2] >= 0.0 else 2.0 * self.size.extent
        self.sheet.area(corners, LEVELS["plane"], "#f1f3f5", "#9aa5b1", 1.0, depth=below)

    def _gears(self) -> None:
        for gear in self.scene.gears:
            for circle in gear.circles:
                axes = frame(circle.axis)
                rim = np.array([self.at(End(circle.at.body, circle.at.point + circle.radius * (axes[:, :2] @ p))) for p in round_about(96)])
                colour = EDGES[circle.at.body % len(EDGES)] if circle.at.body >= 0 else INK
                self.sheet.area(rim, LEVELS["circle"], None, None)
                self.sheet.line(np.vstack([rim, rim[:1]])[:, :2], LEVELS["circle"], 1.3, colour, "-.", depth=float(rim[:, 2].mean()))
                if circle.at.body == ON_GROUND:
                    self._ring(rim)
                else:
                    centre = self.at(circle.at)
                    for spoke in (0, 32, 64):
                        self.sheet.line(np.array([centre[:2], rim[spoke][:2]]), LEVELS["circle"], 0.6, colour, "-", float(centre[2]))
            if gear.symbol == "rack" and gear.circles:
                self._rack(gear.joints[1], self.at(gear.circles[0].at))

    def _ring(self, rim: Floats) -> None:
        """The hatching around a gear that stands still, outside of it."""
        middle = rim[:, :2].mean(axis=0)
        for point in rim[::2, :2]:
            away = unit(point - middle)
            end = point + 0.95 * self.size.link * (away + 0.6 * side(away))
            self.sheet.line(np.array([point, end]), LEVELS["circle"] - 0.2, 0.7, GROUND, depth=float(rim[:, 2].mean()))

    def _rack(self, name: str, centre: Floats) -> None:
        """The rack, or the rope: from the pinion's circle to what slides."""
        joint = self.scene.joint(name)
        if joint is None or not joint.is_slide:
            return
        k = 1 if joint.ends[1].body != ON_GROUND else 0
        p, axis = self.at(joint.ends[k]), unit(self.way(joint.ends[k].body, slide_axis(joint, k))[:2])
        foot = p[:2] + axis * float((centre[:2] - p[:2]) @ axis)
        self.sheet.line(np.array([p[:2], foot]), LEVELS["circle"] + 0.1, 1.6, INK, depth=float(p[2]))

    # joints and forces

    def _joint(self, joint: Joint) -> None:
        sheet, points = self.sheet, [self.at(end) for end in joint.ends]
        at = points[1]
        grounded = next((k for k in (0, 1) if joint.ends[k].body == ON_GROUND), None)
        if joint.symbol == "rod":
            sheet.line(np.array([points[0][:2], points[1][:2]]), LEVELS["link"], 2.0, INK, depth=float(points[0][2] + points[1][2]) / 2)
            for point in points:
                symbols.pin(sheet, point, 0.5)
            if grounded is not None:
                symbols.support(sheet, points[grounded], self.down)
            return
        if grounded is not None and not joint.slides:
            if joint.symbol == "weld":
                symbols.wall(sheet, at, -self.down)
            else:
                symbols.support(sheet, points[grounded], self.down)
        axis = self.way(joint.ends[0].body, turn_axis(joint, 0))
        if joint.symbol == "hinge":
            if self.scene.planar:
                symbols.pin(sheet, at)
            else:
                symbols.barrel(sheet, at, axis)
        elif joint.symbol == "ball":
            symbols.ball_joint(sheet, at, self.down if grounded is None else -self.down)
        elif joint.symbol == "cross":
            symbols.cross_joint(sheet, at, (axis, self.way(joint.ends[1].body, turn_axis(joint, 1))))
        elif joint.symbol in ("bead", "pin"):
            slider = joint.ends[0] if joint.ends[1].body == ON_GROUND else joint.ends[1]
            symbols.pin(sheet, self.at(slider), 0.62)
        elif joint.symbol == "weld":
            symbols.weld(sheet, at)
        elif joint.symbol not in ("", "block"):
            symbols.draw_mark(sheet, at, symbols.LETTERS.get(joint.symbol, ""))
        if joint.name in self.scene.driven and joint.symbol in TURNING:
            symbols.turning(sheet, at)
        elif joint.name in self.scene.driven and joint.is_slide:
            along = unit(self.way(joint.ends[1].body, slide_axis(joint, 1))[:2])
            start = at[:2] + 1.9 * self.size.link * side(along) - 2.0 * self.size.link * along
            symbols.arrow(sheet, start, start + 4.0 * self.size.link * along, depth=float(at[2]) + 3 * self.size.link)

    def trace(self, trace: Trace) -> None:
        """The way of a point, and where it is now."""
        colour = "#" + "".join(f"{part:02x}" for part in trace.colour)
        self.sheet.line(self.camera.project(trace.path), LEVELS["plane"] + 0.2, 1.1, colour)
        for place in self.camera.project(trace.wanted):
            self.sheet.disk(place, 0.3 * self.size.link, LEVELS["pin"] + 0.9, "white", colour, depth=float(place[2]) + self.size.link)
        now = self.at(trace.end)
        self.sheet.disk(now, 0.45 * self.size.link, LEVELS["pin"] + 1.0, colour, None, depth=float(now[2]) + self.size.link)
        if "." in trace.name:  # bodies and joints have their names
            self.traced.append(Label(now[:2], trace.name))

    # words

    def names(self, point: float) -> None:
        """The names of joints and bodies; `point` is the size of a printer's point on the sheet, m."""
        found = figures(self.scene, self.size)
        lines = [(End(b, f.ends[0]), End(b, f.ends[1])) for b, of in enumerate(found) for f in of if isinstance(f, Rod)]
        lines += [(force.ends[0], force.ends[1]) for force in self.scene.forces if len(force.ends) == 2]
        busy = [at[:2] for a, b in lines for at in self._between(a, b)]
        labels = [Label(self.at(joint.ends[1])[:2], joint.name) for joint in self.scene.joints if joint.symbol]
        labels += [Label(self._middle(b, of), self.scene.bodies[b].name, True) for b, of in enumerate(found) if of]
        for beam in self.scene.beams:
            middle = End(beam.nodes[len(beam.nodes) // 2], np.zeros(3))
            labels.append(Label(self.at(middle)[:2], beam.name, True))
        labels += [Label(seen[len(seen) // 2, :2], cable.name, True) for cable, seen in self._cables()]
        labels += self.traced
        for label, at in place_labels(labels, busy, self.size.link, point):
            colour = "#5a6572" if label.body else INK
            half = 1.1 * half_size(label, point)  # the frame grows with the words, and the words in it
            self.sheet.points.append(np.array([at - half, at + half]))
            self.sheet.text(at, label.words, LETTERS[label.body], colour, style="italic" if label.body else "normal")

    def _cables(self) -> list[tuple[Cable, Floats]]:
        """The cables, and the first straight part of each in the picture: a point in its middle between two."""
        found = [(cable, path(cable, self.poses.at(self.k))[:2]) for cable in self.scene.cables]
        return [(cable, self.camera.project(np.array([a, 0.5 * (a + b), b]))) for cable, (a, b) in found]

    def _between(self, first: End, second: End) -> Floats:
        """Points (k, 3) along a line, so near that no word falls between."""
        a, b = self.at(first), self.at(second)
        return np.linspace(a, b, 2 + min(100, int(np.linalg.norm((b - a)[:2]) / (1.2 * self.size.link))))

    def _middle(self, b: int, found: list[Figure]) -> Floats:
        """(2,) where a body is, on the picture: of a link not its centre of mass, which may lie beside it."""
        points = [
            f.ends.mean(axis=0) if isinstance(f, Rod) else f.corners.mean(axis=0) if isinstance(f, Plate) else f.centre for f in found
        ]
        return self.at(End(b, np.mean(points, axis=0)))[:2]


def _one_plane(first: Plane, second: Plane) -> bool:
    """Whether two contacts are with one plane."""
    both = first.at.body == second.at.body and first.moves == second.moves
    return both and bool(np.allclose(first.normal, second.normal) and np.allclose(first.at.point, second.at.point))


def _shade(fill: str, light: float) -> str:
    """A tone, darker where a face is seen from the side."""
    parts = [int(fill[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(part * (0.82 + 0.18 * light)):02x}" for part in parts)


def draw(axes: Axes, scene: Scene, poses: Motion, k: int, camera: Camera, folder: Path = Path(), traces: Sequence[Trace] = ()) -> Schematic:
    """Draw the pose `k` of a motion, without names. `sheet.points` are what the picture has to show; `folder` is where meshes are."""
    scene = with_hinges_beside(scene)
    size = sizes(scene, poses)
    found = Schematic(Sheet(axes, size.link, scene.planar), scene, poses, k, camera, size)
    given.shapes(found, folder)
    found.draw()
    for trace in traces:
        found.trace(trace)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return found
