"""What is seen besides the solids: axes, names, centres of mass, inertia, trails, the start as a ghost, forces as arrows."""

from collections.abc import Callable

import numpy as np
import viser

from mbsim.results.read import Result
from mbsim.scene import meshes
from mbsim.scene.motion import Motion
from mbsim.scene.pressures import pressures
from mbsim.scene.read import End, Floats
from mbsim.scene.turns import quaternion_of
from mbsim.view.stage import KINDS, Stage, body_colour

FORCE_COLOUR, TORQUE_COLOUR = (192, 57, 43), (125, 60, 152)  # of reactions
CONTACT_COLOUR = (211, 132, 0)
APPLIED_COLOUR, APPLIED_TORQUE_COLOUR = (22, 128, 57), (33, 97, 140)
LONGEST = 0.35  # of the mechanism's size: the longest arrow at scale 1
ARROWS = ("reaction forces", "reaction torques", "applied forces", "applied torques", "contact forces")
TRAIL = 600  # points of a trail
FEW = 24  # bodies with a switch of their own
WORDS = {
    "body": "bodies", "beam": "beams", "elastic": "elastic parts", "cable": "cables", "joint": "joints", "force": "springs and dampers",
    "ground": "ground",
}  # fmt: skip


class Shows:
    """The switches of what is shown, and the things themselves: made when they are first asked for."""

    def __init__(self, server: viser.ViserServer, stage: Stage, poses: Motion, result: Result | None, changed: Callable[[], None]) -> None:
        """`changed` is called after a switch, so that the present pose is shown again."""
        self._server, self._stage, self._poses, self._result = server, stage, poses, result
        self._made: dict[str, list[viser.SceneNodeHandle]] = {}
        self._arrows: list[tuple[viser.SceneNodeHandle, Floats, Floats]] = []  # handle, places (k, j, 3) and vectors (k, j, 3)
        self._changed = changed
        gui = server.gui
        with gui.add_folder("Show"):
            kinds = {kind: gui.add_checkbox(WORDS[kind], True) for kind in KINDS if stage.nodes[kind]}
            self.switches = {name: gui.add_checkbox(name, False) for name in self._makers()}
            self.scale = gui.add_slider("arrow scale", min=0.1, max=10.0, step=0.1, initial_value=1.0, visible=bool(result))
            names = [body.name for body in stage.scene.bodies]
            if 1 < len(names) <= FEW:
                with gui.add_folder("single bodies", expand_by_default=False):
                    bodies = {b: gui.add_checkbox(name, True) for b, name in enumerate(names)}
                for b, box in bodies.items():
                    box.on_update(lambda _, b=b, box=box: self._body(b, bool(box.value)))
        for kind, box in kinds.items():
            box.on_update(lambda _, kind=kind, box=box: self._stage.visible(kind, bool(box.value)))
        for name, box in self.switches.items():
            box.on_update(lambda _, name=name: self._switched(name))
        self.scale.on_update(lambda _: changed())

    def _makers(self) -> dict[str, Callable[[], list[viser.SceneNodeHandle]]]:
        found: dict[str, Callable[[], list[viser.SceneNodeHandle]]] = {
            "body names": self._body_names,
            "joint names": self._joint_names,
            "body axes": self._axes,
            "joint axes": self._joint_axes,
            "centres of mass": self._centres,
            "inertia ellipsoids": self._ellipsoids,
            "trails of the centres": self._trails,
            "the start as a ghost": self._start,
        }
        if self._result is not None and "joint_force" in self._result:
            found |= {"reaction forces": self._forces, "reaction torques": self._torques}
        if self._result is not None and self._result.labels("force_on_body"):
            found["applied forces"] = self._applied
        if self._result is not None and self._result.labels("force_with_torque"):
            found["applied torques"] = self._applied_torques
        if self._result is not None and self._stage.scene.meetings:
            found["contact forces"] = self._pressures
        return found

    def load(self, stage: Stage, poses: Motion, result: Result | None) -> None:
        """Take another stage; what is on stays on."""
        for name in list(self._made):
            for node in self._made.pop(name):
                node.remove()
        self._arrows.clear()
        self._stage, self._poses, self._result = stage, poses, result
        for name, box in self.switches.items():
            if box.value:
                self._switch(name)

    def _switched(self, name: str) -> None:
        self._switch(name)
        self._changed()

    def _switch(self, name: str) -> None:
        shown = bool(self.switches[name].value)
        if shown and name not in self._made:
            self._made[name] = self._makers()[name]()
        for node in self._made.get(name, ()):
            node.visible = shown

    def _body(self, b: int, shown: bool) -> None:
        self._stage.bodies[b].visible = shown

    def arrows(self, shown: bool) -> None:
        """Hide the arrows where what is shown has no forces, as a mode, or show those that are chosen again."""
        for name in ARROWS:
            for node in self._made.get(name, ()):
                node.visible = shown and bool(self.switches[name].value)

    def show(self, k: int) -> None:
        """Move what does not move with a body: the arrows."""
        for node, places, vectors in self._arrows:
            if node.visible:
                ends = places[k] + float(self.scale.value) * vectors[k]
                node.points = np.stack([places[k], ends], axis=1).astype(np.float32)

    # what there is

    @property
    def _u(self) -> float:
        return self._stage.solids.size.link

    def _under(self, b: int, name: str) -> str:
        root = self._stage.root
        return f"{root}/{self._stage.scene.bodies[b].name}/{name}" if b >= 0 else f"{root}/ground/{name}"

    def _height(self, b: int) -> float:
        """z of a planar body's plates, in front of which something is shown."""
        return self._stage.solids.layers[b] + 1.2 * self._u if self._stage.scene.planar and b >= 0 else 0.0

    def _label(self, name: str, words: str, place: Floats) -> viser.SceneNodeHandle:
        return self._server.scene.add_label(name, words, position=tuple(float(x) for x in place), anchor="center-center")

    def _body_names(self) -> list[viser.SceneNodeHandle]:
        bodies = self._stage.scene.bodies
        return [self._label(self._under(b, "name"), body.name, np.array([0.0, 0.0, self._height(b)])) for b, body in enumerate(bodies)]

    def _joint_names(self) -> list[viser.SceneNodeHandle]:
        found = []
        for joint in self._stage.scene.joints:
            end = joint.ends[1] if joint.ends[1].body >= 0 else joint.ends[0]
            at = end.point + np.array([0.0, 0.0, self._height(end.body)])
            found.append(self._label(self._under(end.body, f"name of {joint.name}"), joint.name, at))
        return found

    def _frame(self, name: str, place: Floats, axes: Floats, length: float) -> viser.SceneNodeHandle:
        wxyz = tuple(float(x) for x in quaternion_of(axes))
        where = tuple(float(x) for x in place)
        return self._server.scene.add_frame(
            name,
            axes_length=length * self._u,
            axes_radius=0.06 * length * self._u,
            origin_radius=0.1 * length * self._u,
            wxyz=wxyz,
            position=where,
        )

    def _axes(self) -> list[viser.SceneNodeHandle]:
        return [self._frame(self._under(b, "axes"), np.array([0.0, 0.0, self._height(b)]), np.eye(3), 5.0) for b in self._stage.bodies]

    def _joint_axes(self) -> list[viser.SceneNodeHandle]:
        found = []
        for joint in self._stage.scene.joints:
            k = 1 if joint.ends[1].body >= 0 else 0
            end = joint.ends[k]
            at = end.point + np.array([0.0, 0.0, self._height(end.body)])
            found.append(self._frame(self._under(end.body, f"axes of {joint.name}"), at, joint.axes[k].T, 3.5))
        return found

    def _centres(self) -> list[viser.SceneNodeHandle]:
        found = []
        for b in self._stage.bodies:
            at = (0.0, 0.0, float(self._height(b)))
            found.append(self._server.scene.add_icosphere(self._under(b, "centre"), radius=0.7 * self._u, color=(20, 20, 20), position=at))
        return found

    def _ellipsoids(self) -> list[viser.SceneNodeHandle]:
        """Of equal density with the body's mass and inertia; of planar bodies disks."""
        found = []
        for b, body in enumerate(self._stage.scene.bodies):
            moments, axes = np.linalg.eigh(body.inertia)
            if body.mass <= 0.0 or moments[2] <= 0.0:
                continue
            squares = 2.5 * (moments.sum() - 2.0 * moments) / body.mass
            half = np.sqrt(np.maximum(squares, (0.1 * self._u) ** 2))
            if self._stage.scene.planar:
                axes, half = np.eye(3), np.array([*np.full(2, np.sqrt(2.0 * moments[2] / body.mass)), 0.2 * self._u])
            ball = meshes.sphere(1.0, 24)
            vertices = (ball.vertices * half) @ (axes * np.sign(np.linalg.det(axes))).T + [0.0, 0.0, self._height(b)]
            found.append(
                self._server.scene.add_mesh_simple(
                    self._under(b, "inertia"), vertices.astype(np.float32), ball.faces.astype(np.uint32), color=body_colour(b), opacity=0.35
                )
            )
        return found

    def _trails(self) -> list[viser.SceneNodeHandle]:
        rows = np.unique(np.linspace(0, len(self._poses.times) - 1, TRAIL).astype(int))
        found = []
        for b in self._stage.bodies:
            path = self._poses.position[rows, b] + [0.0, 0.0, self._height(b)]
            if len(path) < 2 or np.ptp(path, axis=0).max() <= 0.0:
                continue
            lines = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)
            name = f"{self._stage.root}/trail of {self._stage.scene.bodies[b].name}"
            found.append(self._server.scene.add_line_segments(name, lines, body_colour(b), thickness=2.0, thickness_units="screen"))
        return found

    def _start(self) -> list[viser.SceneNodeHandle]:
        """The first pose, pale."""
        return ghost(self._server, self._stage, self._poses.at(0), "start")

    def _forces(self) -> list[viser.SceneNodeHandle]:
        return self._reactions("joint_force", FORCE_COLOUR)

    def _torques(self) -> list[viser.SceneNodeHandle]:
        return self._reactions("joint_torque", TORQUE_COLOUR)

    def _reactions(self, variable: str, colour: tuple[int, int, int]) -> list[viser.SceneNodeHandle]:
        """Arrows at the joints: what acts on the second body."""
        assert self._result is not None
        places = [self._poses.place(joint.ends[1]) for joint in self._stage.scene.joints]
        return self._vectors(variable, np.nan_to_num(self._result[variable][self._poses.rows]), places, colour)

    def _pressures(self) -> list[viser.SceneNodeHandle]:
        """What bodies do to each other where they touch: normal force and friction, on the second body of a contact."""
        assert self._result is not None
        found = pressures(self._stage.scene, self._poses, self._result)
        vectors = [one.force for one in found]
        return self._vectors("contact_force", np.stack(vectors, axis=1), [one.place for one in found], CONTACT_COLOUR) if found else []

    def _applied(self) -> list[viser.SceneNodeHandle]:
        """What springs, forces, drags and contacts do to bodies; of a force between two bodies also what it does to the other."""
        return self._loads("force_vector", "force_on_body", APPLIED_COLOUR)

    def _applied_torques(self) -> list[viser.SceneNodeHandle]:
        return self._loads("force_torque", "force_with_torque", APPLIED_TORQUE_COLOUR)

    def _loads(self, variable: str, labels: str, colour: tuple[int, int, int]) -> list[viser.SceneNodeHandle]:
        assert self._result is not None
        recorded = np.nan_to_num(self._result[variable][self._poses.rows])
        vectors, places = [], []
        for column, name in enumerate(self._result.labels(labels)):
            for sign, end in self._ends(name):
                vectors.append(sign * recorded[:, column])
                places.append(self._poses.place(end))
        return self._vectors(variable, np.stack(vectors, axis=1), places, colour) if vectors else []

    def _ends(self, name: str) -> list[tuple[float, End]]:
        """Where a force acts, and with which sign of what is recorded."""
        scene = self._stage.scene
        force = next((one for one in scene.forces if one.name == name), None)
        if force is not None and force.ends:
            loaded = min(force.loaded, len(force.ends) - 1)
            return [(1.0 if k == loaded else -1.0, end) for k, end in enumerate(force.ends)]
        contact = next((one for one in scene.contacts if one.name == name), None)
        return [(1.0, contact.at)] if contact is not None else []

    def _vectors(self, name: str, vectors: Floats, at: list[Floats], colour: tuple[int, int, int]) -> list[viser.SceneNodeHandle]:
        """Arrows (k, n, 3) at places of (k, 3) each. At scale 1 all but the largest twentieth are shorter than LONGEST."""
        sizes = np.linalg.norm(vectors, axis=2).ravel()
        if not sizes.any():
            return []
        vectors = vectors * (LONGEST * self._stage.solids.size.extent / float(np.percentile(sizes[sizes > 0.0], 95.0)))
        front = np.array([0.0, 0.0, max([0.0, *(self._height(b) for b in self._stage.bodies)])])
        places = np.stack([place + front for place in at], axis=1)
        first = np.stack([places[0], places[0] + vectors[0]], axis=1).astype(np.float32)
        u = self._u
        node = self._server.scene.add_arrows(
            f"{self._stage.root}/{name}", first, colour, shaft_radius=0.25 * u, head_radius=0.6 * u, head_length=1.4 * u
        )
        self._arrows.append((node, places, vectors))
        return [node]


def ghost(server: viser.ViserServer, stage: Stage, pose: Motion, name: str) -> list[viser.SceneNodeHandle]:
    """A pale copy of the bodies and springs in another pose, as nodes."""
    pale = Stage(server, stage.scene, pose, root=f"{stage.root}/{name}", tint=(150, 156, 164), opacity=0.25, found=stage.solids)
    pale.show(pose, 0)
    for node in [*pale.nodes["ground"], *pale.nodes["joint"]]:
        node.visible = False
    return [*pale.bodies.values(), *pale.stretches]
