"""The page of one result, or of several over each other: each in a colour, with their differences plotted."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import viser

from mbsim.results.read import Result
from mbsim.scene.camera import PRESETS, camera
from mbsim.scene.motion import Motion, goes_far
from mbsim.scene.read import Floats, Scene
from mbsim.scene.solids import COLOURS
from mbsim.scene.traces import traces
from mbsim.view.beam_colours import BeamColours
from mbsim.view.charts import Charts
from mbsim.view.happened import EventList, event_times, rows_to_show
from mbsim.view.playback import Playback
from mbsim.view.shows import Shows
from mbsim.view.stage import ROOT, WINDOW, Stage, fit_camera, look
from mbsim.view.stress_colours import StressColours, coloured

FRAMES = 1500  # poses on the page; a result may have any number of rows
NOBODY = "(nobody)"
PANEL = 340  # pixels of the panel with its margin, as viser draws it


class Shown(NamedTuple):
    """A result on the page."""

    name: str
    scene: Scene
    result: Result
    poses: Motion  # at its own rows, those that are shown
    folder: Path


def thin(poses: Motion, happened: Floats, count: int = FRAMES) -> Motion:
    """At most that many poses, evenly in time, and those at events (k,), in s, too."""
    rows = rows_to_show(poses.times, count, happened)
    return Motion(poses.times[rows], poses.position[rows], poses.quaternion[rows], poses.rows[rows])


def together(poses: Motion, times: Floats) -> Motion:
    """The poses of another result at the times of the first: the row nearest to each."""
    after = np.clip(np.searchsorted(poses.times, times), 1, max(len(poses.times) - 1, 1))
    after = np.minimum(after, len(poses.times) - 1)
    before = np.maximum(after - 1, 0)
    rows = np.where(np.abs(times - poses.times[before]) <= np.abs(poses.times[after] - times), before, after)
    return Motion(times, poses.position[rows], poses.quaternion[rows], poses.rows[rows])


class Cameras:
    """Presets of the camera, and following a body."""

    def __init__(self, server: viser.ViserServer, scene: Scene, poses: Motion, extent: float, start: str | None) -> None:
        self._server, self._scene, self._poses, self._extent = server, scene, poses, extent
        self._last: Floats | None = None
        self._k = 0
        with server.gui.add_folder("Camera", expand_by_default=False):
            names = [*(["plane"] if scene.planar else []), *PRESETS]
            usual = "plane" if scene.planar else "iso"
            self.choice = server.gui.add_dropdown("from", names, initial_value=start if start in names else usual)
            fit = server.gui.add_button("fit", hint="See the whole motion beside this panel.")
            self.follow = server.gui.add_dropdown(
                "follow",
                [NOBODY, *(body.name for body in scene.bodies)],
                initial_value=scene.bodies[0].name if goes_far(poses, extent) else NOBODY,
            )
        self._start = start
        look(server, scene, self._near(), extent, start, panel=PANEL)
        self.choice.on_update(lambda _: self._go())
        fit.on_click(lambda _: self._go())
        server.on_client_connect(lambda client: self._place(client, self._start))
        self.follow.on_update(lambda _: self._forget())

    def load(self, poses: Motion) -> None:
        self._poses = poses

    def _forget(self) -> None:
        self._last = None

    def _near(self) -> Motion:
        """What is to be seen: the whole motion, of a mechanism that goes far its present pose."""
        return self._poses.at(min(self._k, len(self._poses.times) - 1)) if goes_far(self._poses, self._extent) else self._poses

    def _go(self) -> None:
        for client in self._server.get_clients().values():
            self._place(client, str(self.choice.value))

    def _place(self, client: viser.ClientHandle, name: str | None) -> None:
        """The whole motion in what the panel leaves of a client's window."""
        seen = camera(self._scene, name)
        window = client.camera.image_width, client.camera.image_height
        centre, distance = fit_camera(seen, self._near(), self._extent, window if min(window) > 0 else WINDOW, PANEL)
        with client.atomic():
            client.camera.up_direction = tuple(map(float, seen.up))
            client.camera.position = tuple(map(float, centre + distance * seen.back))
            client.camera.look_at = tuple(map(float, centre))

    def show(self, k: int) -> None:
        """Follow the chosen body: the camera moves with it."""
        self._k = k
        name = str(self.follow.value)
        if name == NOBODY:
            return
        b = next(i for i, body in enumerate(self._scene.bodies) if body.name == name)
        now = self._poses.position[k, b]
        if self._last is not None:
            for client in self._server.get_clients().values():
                place, aim = np.asarray(client.camera.position), np.asarray(client.camera.look_at)
                with client.atomic():
                    client.camera.position = tuple(map(float, place + now - self._last))
                    client.camera.look_at = tuple(map(float, aim + now - self._last))
        self._last = now


class Facts:
    """What a clicked body is and does now."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._words = server.gui.add_markdown("*Click a body to see what it is and does.*")
        self._body: int | None = None
        self._stage: Stage | None = None

    def attach(self, stage: Stage) -> None:
        """Listen to clicks on the meshes of a stage."""
        if stage is self._stage:
            return
        self._stage = stage
        for b, nodes in stage.meshes.items():
            for node in nodes if b >= 0 else ():
                node.on_click(lambda _, b=b: self.choose(b))

    def choose(self, b: int) -> None:
        self._body = b

    def show(self, scene: Scene, result: Result | None, poses: Motion, k: int) -> None:
        """Say it for one pose."""
        if self._body is None:
            return
        body = scene.bodies[self._body]
        place = ", ".join(f"{x:.4g}" for x in poses.position[k, self._body])
        lines = [f"**{body.name}**, {body.mass:.6g} kg", f"centre of mass at ({place}) m"]
        joints = [joint.name for joint in scene.joints for end in joint.ends if end.body == self._body]
        lines += [f"joints: {', '.join(joints)}"] if joints else []
        if result is not None and "body_velocity" in result:
            row = int(poses.rows[k])
            speed, spin = (float(np.linalg.norm(result[name][row, self._body])) for name in ("body_velocity", "body_angular_velocity"))
            lines.append(f"speed {speed:.4g} m/s, angular velocity {spin:.4g} rad/s")
        text = "  \n".join(lines)
        if self._words.content != text:
            self._words.content = text


class ResultsPage:
    """Built once; `tick` goes on with the motion."""

    def __init__(self, server: viser.ViserServer, shown: list[Shown], view: str | None = None, traced: Sequence[str] = ()) -> None:
        """`traced` are points of the first result whose ways are drawn.

        Raises SceneError for a shape that cannot be made and for a point that is none, ValueError for an unknown camera.
        """
        first = shown[0]
        happened = first.result.events
        base = thin(first.poses, event_times(happened))
        self._shown = [first._replace(poses=base), *(s._replace(poses=together(s.poses, base.times)) for s in shown[1:])]
        several = len(shown) > 1
        tints = [COLOURS[i % len(COLOURS)] if several else None for i in range(len(shown))]
        self._stages = [
            Stage(server, s.scene, s.poses, s.folder, f"/{i}" if i else ROOT, tints[i], 0.8 if i else None)
            for i, s in enumerate(self._shown)
        ]
        self._stages[0].trace(traces(first.scene, first.poses, traced))
        if several:
            colours = "  \n".join(f"<span style='color:rgb{COLOURS[i % len(COLOURS)]}'>■</span> {s.name}" for i, s in enumerate(shown))
            server.gui.add_markdown(colours)
        self.playback = Playback(server, base.times, self.show)
        self.events = EventList(server, happened, self.playback) if happened else None
        self.charts = Charts(server, [s.result for s in shown], [s.name for s in shown])
        self.shows = Shows(server, self._stages[0], base, first.result, lambda: self.show(self.playback.k))
        has_beams = bool(first.scene.beams) and "beam_moment" in first.result
        self.beams = BeamColours(server, self._stages[0], base, first.result, lambda: self.show(self.playback.k)) if has_beams else None
        has_stress = bool(coloured(first.scene.elastic)) and "elastic_mises" in first.result
        self.stresses = None
        if has_stress:
            self.stresses = StressColours(server, self._stages[0], base, first.result, lambda: self.show(self.playback.k))
        self.cameras = Cameras(server, first.scene, base, self._stages[0].solids.size.extent, view)
        self.facts = Facts(server)
        self.facts.attach(self._stages[0])
        self._server = server
        self.show(0)

    def show(self, k: int) -> None:
        """Show one pose of all results."""
        with self._server.atomic():
            for stage, s in zip(self._stages, self._shown, strict=True):
                stage.show(s.poses, k)
            self.shows.show(k)
            if self.beams is not None:
                self.beams.show(k)
            if self.stresses is not None:
                self.stresses.show(k)
        self.cameras.show(k)
        self.charts.mark(float(self._shown[0].poses.times[k]), not self.playback.playing)
        self.facts.show(self._shown[0].scene, self._shown[0].result, self._shown[0].poses, k)

    def tick(self) -> None:
        self.playback.tick()
