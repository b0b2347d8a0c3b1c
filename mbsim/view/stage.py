"""A scene on a page: a node for each body that moves, meshes below it, springs that stretch, and what can be shown besides."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import viser

from mbsim.scene.camera import PRESETS, Camera, camera
from mbsim.scene.meshes import Mesh, join
from mbsim.scene.motion import Motion
from mbsim.scene.parts import Colour, places
from mbsim.scene.read import Floats, Scene
from mbsim.scene.solids import COLOURS, Solids, solids
from mbsim.scene.traces import Trace

KINDS = ("body", "beam", "elastic", "cable", "joint", "force", "ground")  # the first word of a solid's name
ROOT = "/mechanism"  # the page's list of what is on it shows one line for all below
VIEW = 40.0  # degrees, of the camera's opening
WINDOW = (1280, 800)  # pixels: of a browser before it says its own
FAULT: Colour = (214, 64, 52)  # of joints whose rows depend on each other


class Stage:
    """One mechanism on the page. Its nodes begin with `root`, so that several stand beside each other."""

    def __init__(
        self,
        server: viser.ViserServer,
        scene: Scene,
        poses: Motion,
        folder: Path = Path(),
        root: str = ROOT,
        tint: Colour | None = None,
        opacity: float | None = None,
        faulty: frozenset[str] = frozenset(),
        found: Solids | None = None,
    ) -> None:
        """`tint` is one colour for all, `faulty` are joints shown in red. Raises SceneError for a shape that cannot be made."""
        self.server, self.scene, self.root = server, scene, root
        self.solids = found if found is not None else solids(scene, poses, folder)
        self._tint, self._opacity, self._faulty = tint, opacity, faulty
        self._last: dict[int, Floats] = {}
        self.nodes: dict[str, list[viser.SceneNodeHandle]] = {kind: [] for kind in KINDS}  # handles of meshes, by kind
        self.meshes: dict[int, list[viser.SceneNodeHandle]] = {}  # of each body
        self.bodies: dict[int, viser.SceneNodeHandle] = {}
        self.stretches: list[viser.SceneNodeHandle] = []
        self._parts: list[viser.SceneNodeHandle] = []  # the nodes of the groups of parts, in their order
        for b in range(len(scene.bodies)):
            self.bodies[b] = server.scene.add_frame(f"{root}/{scene.bodies[b].name}", show_axes=False)
        self._add_parts()
        for n, stretch in enumerate(self.solids.stretches):
            kind = stretch.name.partition("/")[0]
            node = self._mesh(f"{root}/stretch{n}", stretch.mesh, self._colour(stretch.name, stretch.colour))
            self.nodes[kind].append(node)
            self.stretches.append(node)

    def _add_parts(self) -> None:
        """The meshes, those of one body, kind and colour as one."""
        for n, ((body, kind, colour), mesh) in enumerate(self._grouped(self.solids).items()):
            under = f"{self.root}/{self.scene.name_of(body)}" if body >= 0 else f"{self.root}/ground"
            node = self._mesh(f"{under}/{kind}{n}", mesh, colour)
            self.nodes[kind].append(node)
            self.meshes.setdefault(body, []).append(node)
            self._parts.append(node)

    def _grouped(self, found: Solids) -> dict[tuple[int, str, Colour], Mesh]:
        groups: dict[tuple[int, str, Colour], list[Mesh]] = {}
        for part in found.parts:
            kind = part.name.partition("/")[0]
            groups.setdefault((part.body, kind, self._colour(part.name, part.colour)), []).append(part.mesh)
        return {key: join(*meshes) for key, meshes in groups.items()}

    def takes(self, scene: Scene, poses: Motion, folder: Path = Path(), faulty: frozenset[str] = frozenset()) -> bool:
        """Take another mechanism of the same bodies and kinds of solids, whose nodes stay and get other vertices.

        The page draws that much sooner than new nodes. Nothing is changed where it cannot be done. Raises SceneError for a shape.
        """
        if faulty != self._faulty or [body.name for body in scene.bodies] != [body.name for body in self.scene.bodies]:
            return False
        found = solids(scene, poses, folder)
        before, after = self._grouped(self.solids), self._grouped(found)
        was, now = ([(x.name, x.colour, x.scaled) for x in one.stretches] for one in (self.solids, found))
        if list(before) != list(after) or was != now:
            return False
        old = [*before.values(), *(x.mesh for x in self.solids.stretches)]
        new = [*after.values(), *(x.mesh for x in found.stretches)]
        if not all(a.vertices.shape == b.vertices.shape and np.array_equal(a.faces, b.faces) for a, b in zip(old, new, strict=True)):
            return False
        for node, mesh in zip([*self._parts, *self.stretches], new, strict=True):
            node.vertices = mesh.vertices.astype(np.float32)  # is sent where it is another
        self.scene, self.solids = scene, found
        return True

    def _colour(self, name: str, colour: Colour) -> Colour:
        if name.partition("/")[0] == "joint" and name.partition("/")[2] in self._faulty:
            return FAULT
        return self._tint if self._tint is not None and not name.startswith("ground") else colour

    def _mesh(self, name: str, mesh: Mesh, colour: Colour) -> viser.SceneNodeHandle:
        return self.server.scene.add_mesh_simple(
            name, mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32), color=colour, opacity=self._opacity
        )

    def show(self, poses: Motion, k: int) -> None:
        """Move all to one pose. What has not moved is not sent."""
        for b, node in self.bodies.items():
            now = np.concatenate([poses.position[k, b], poses.quaternion[k, b]])
            if b not in self._last or not np.array_equal(self._last[b], now):
                node.position, node.wxyz = _floats(now[:3]), _floats(now[3:])
                self._last[b] = now
        pose = poses.at(k)
        found = places(self.solids.stretches, pose)
        for stretch, node, position, quaternion, scale in zip(self.solids.stretches, self.stretches, *found, strict=True):
            node.position, node.wxyz = _floats(position), _floats(quaternion)
            if stretch.scaled:
                node.scale = _floats(scale)

    def trace(self, traces: Sequence[Trace]) -> None:
        """Draw the ways of points, and the points themselves, which move with their bodies."""
        for trace in traces:
            lift = [0.0, 0.0, self.solids.layers[trace.end.body] + 1.2 * self.solids.size.link if self.scene.planar else 0.0]
            path = trace.path + lift
            lines = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)
            self.server.scene.add_line_segments(
                f"{self.root}/trace of {trace.name}", lines, trace.colour, thickness=2.0, thickness_units="screen"
            )
            if len(trace.wanted):
                name, places = f"{self.root}/wanted of {trace.name}", (trace.wanted + lift).astype(np.float32)
                self.server.scene.add_point_cloud(
                    name, places, trace.colour, point_size=0.5 * self.solids.size.link, point_shape="circle", precision="float32"
                )
            under = f"{self.root}/{self.scene.bodies[trace.end.body].name}/point {trace.name}"
            radius = 0.5 * self.solids.size.link
            self.server.scene.add_icosphere(under, radius=radius, color=trace.colour, position=_floats(trace.end.point + lift))

    def visible(self, kind: str, shown: bool) -> None:
        """Show or hide the bodies, joints, forces or the ground."""
        for node in self.nodes[kind]:
            node.visible = shown

    def remove(self) -> None:
        """Take it off the page."""
        for node in [*self.bodies.values(), *self.stretches, *self.meshes.get(-1, [])]:
            node.remove()


def body_colour(b: int) -> Colour:
    """Of a body's solids, and of its lines."""
    return COLOURS[b % len(COLOURS)]


def look(
    server: viser.ViserServer,
    scene: Scene,
    poses: Motion,
    extent: float,
    name: str | None = None,
    window: tuple[int, int] = WINDOW,
    panel: int = 0,
) -> tuple[Floats, Floats]:
    """Set the camera that a page opens with: on the whole motion, beside a `panel` of so many pixels at the right.

    A planar mechanism is seen in its plane. `window` is the width and height that are expected. Returns the place of the camera and what it
    looks at. Raises ValueError for an unknown camera.
    """
    seen = camera(scene, name)
    centre, distance = fit_camera(seen, poses, extent, window, panel)
    place = centre + distance * seen.back
    server.scene.set_up_direction(_floats(_upright(seen, scene)))
    start = server.initial_camera
    start.position, start.look_at, start.up = _floats(place), _floats(centre), _floats(seen.up)
    start.fov = float(np.deg2rad(VIEW))
    start.near, start.far = 0.01 * extent, 100.0 * max(distance, extent)
    return place, centre


def _upright(seen: Camera, scene: Scene) -> Floats:
    """The direction about which the camera is turned by hand."""
    return np.array([0.0, 1.0, 0.0]) if scene.planar else scene.up


def fit_camera(seen: Camera, poses: Motion, extent: float, window: tuple[int, int], panel: int) -> tuple[Floats, float]:
    """What the camera looks at and its distance, so that the whole motion is seen in what a panel at the right leaves of a window.

    `window` and `panel` in pixels. A window that the panel nearly fills is taken whole.
    """
    places = poses.position[:, :-1].reshape(-1, 3)
    across = seen.project(places)[:, :2]
    low, high = across.min(axis=0), across.max(axis=0)
    margin = 0.55 * max(extent - float((high - low).max()), 0.35 * extent)
    half = (high - low) / 2.0 + margin
    deep = float(np.ptp(places @ seen.back)) / 2.0 + 0.35 * extent
    width, height = window
    covered = panel / width if 0 < panel <= 0.6 * width else 0.0
    up = float(np.tan(np.deg2rad(VIEW) / 2.0))
    right = up * width / height
    distance = deep + max(float(half[1]) / up, float(half[0]) / (right * (1.0 - covered)))
    middle = (places.min(axis=0) + places.max(axis=0)) / 2.0
    middle = (
        middle + seen.right * ((low[0] + high[0]) / 2.0 - middle @ seen.right) + seen.up * ((low[1] + high[1]) / 2.0 - middle @ seen.up)
    )
    return middle + seen.right * covered * distance * right, distance


def _floats(values: Floats) -> tuple[Any, ...]:
    """Python's own numbers: the page's encoder takes no others."""
    return tuple(float(x) for x in values)


__all__ = ["KINDS", "PRESETS", "ROOT", "Stage", "body_colour", "fit_camera", "look"]
