"""`-o page.html`: one file with the moving mechanism and its own playback bar. It plays from the disk and asks no other host."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import viser

from mbsim.results import outputs
from mbsim.scene.moments import Moment, named
from mbsim.scene.motion import Motion, evenly, goes_far
from mbsim.scene.read import Floats, Scene
from mbsim.scene.traces import Trace
from mbsim.view.server import open_page, stop_server
from mbsim.view.stage import ROOT, VIEW, Stage, look

FRAMES = 300  # the most; one frame of many bodies is large
HIGH = 0.85  # of half the picture's height: where names of events stand above its middle
NODES = 15_000  # frames times bodies; each takes 0.1 ms to write, what reaches between two points 0.3 ms
LEAST = 20  # frames


def _thinned(poses: Motion, frames: float) -> Motion:
    """At most so many poses, at times that lie evenly."""
    rows = evenly(poses.times, int(np.clip(frames, LEAST, FRAMES)))
    return Motion(poses.times[rows], poses.position[rows], poses.quaternion[rows], poses.rows[rows])


def write(
    scene: Scene,
    poses: Motion,
    output: Path,
    title: str,
    speed: float,
    view: str | None,
    folder: Path,
    force: bool,
    ways: Sequence[Trace] = (),
    events: Sequence[Moment] = (),
) -> int:
    """Write the page; returns the number of frames. `speed` is that of the motion to real time.

    Raises ValueError for an unknown camera, SceneError for a shape, OutputError and OSError where the file cannot be written.
    """
    poses = _thinned(poses, NODES / (len(scene.bodies) + 1))
    server = open_page(title)
    try:
        stage = Stage(server, scene, poses, folder)
        poses = _thinned(poses, NODES / (len(scene.bodies) + 1 + 3 * len(stage.stretches)))
        extent = stage.solids.size.extent
        follows = goes_far(poses, extent)  # a recorded page has no camera of its own: what is around a bicycle moves past it
        place, centre = look(server, scene, poses.at(0) if follows else poses, extent, view)
        stage.trace(ways)
        stage.show(poses, 0)
        up = HIGH * np.tan(np.deg2rad(0.5 * VIEW)) * np.linalg.norm(place - centre) * np.array(server.initial_camera.up)
        labels = show_names(server, centre + up, poses, events, speed)
        way = poses.position[:, :-1].mean(axis=1)  # (k, 3) of the middle of the bodies
        world = server.scene.add_frame(ROOT, show_axes=False)
        recording = server.get_scene_serializer()
        with server.atomic():  # nobody is connected; so the server's own thread is not woken for each message
            for k in range(len(poses.times)):
                stage.show(poses, k)
                if follows:
                    world.position = tuple(map(float, way[0] - way[k]))
                for label, shown in labels:
                    label.visible = bool(shown[k])
                pause = float(poses.times[k + 1] - poses.times[k]) if k + 1 < len(poses.times) else 0.0
                recording.insert_sleep(pause / speed)
        text = recording.as_html()
    finally:
        stop_server(server)
    text = text.replace("<title>Viser</title>", f"<title>{_escape(title)}</title>", 1)
    outputs.write_text(output, text, force)
    return len(poses.times)


def show_names(
    server: viser.ViserServer, at: Floats, poses: Motion, events: Sequence[Moment], speed: float
) -> list[tuple[viser.LabelHandle, np.ndarray]]:
    """A label at a place for each text that events make, hidden so far, and at which poses (k,) it is to be seen."""
    before = np.concatenate([[-np.inf], poses.times[:-1]])
    texts = np.array([named(events, since, t, speed) for since, t in zip(before.tolist(), poses.times.tolist(), strict=True)])
    return [
        (server.scene.add_label(f"/event {k}", text, position=tuple(map(float, at)), visible=False, anchor="top-center"), texts == text)
        for k, text in enumerate(sorted({*texts.tolist()} - {""}))
    ]


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
