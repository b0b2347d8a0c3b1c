"""The way of a point of a body through space, to be drawn: `coupler.P`, a body's centre of mass, a joint.

`coupler.P:points.csv` also draws the points of a file, with columns x, y and in space z: those that the way was to go through.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mbsim.model.file.csv_points import CsvError, read_rows
from mbsim.model.file.errors import did_you_mean
from mbsim.scene.motion import Motion, evenly
from mbsim.scene.read import GROUND, End, Floats, Scene, SceneError

POINTS = 3000  # of a line, at most
COLOURS = ((192, 57, 43), (33, 97, 140), (22, 128, 57), (125, 60, 152), (185, 119, 14))


class Trace(NamedTuple):
    """The places (k, 3) of a point in the rows that are drawn."""

    name: str
    end: End
    path: Floats
    colour: tuple[int, int, int]
    wanted: Floats = np.zeros((0, 3))  # (n, 3) the points that it was to go through


def traces(scene: Scene, poses: Motion, names: Sequence[str]) -> list[Trace]:
    """The ways of the points of these names. Raises SceneError for a name that is none, what does not move, and files of no points."""
    rows = evenly(poses.times, POINTS)
    thin = Motion(poses.times[rows], poses.position[rows], poses.quaternion[rows], poses.rows[rows])
    found = []
    for k, text in enumerate(dict.fromkeys(names)):
        name, _, file = text.partition(":")
        end = _end(scene, name)
        if end.body == GROUND:
            raise SceneError(f"--trace: {name} is a point of the ground, which does not move")
        wanted = _wanted(Path(file)) if file else np.zeros((0, 3))
        found.append(Trace(name, end, thin.place(end), COLOURS[k % len(COLOURS)], wanted))
    if found and len(poses.times) < 2:
        raise SceneError("--trace: a trace is of a motion, and there is one pose only; run the model and give its result")
    return found


def _wanted(path: Path) -> Floats:
    """The points (n, 3) of a file; z is 0 where it has no such column. Raises SceneError."""

    def places(heads: Sequence[str]) -> tuple[int, ...]:
        known = list(heads)
        if not {"x", "y"} <= set(known):
            raise SceneError(
                f"--trace: the first line of {path} has to name the columns x and y, in space z (got {', '.join(known) or 'none'})"
            )
        return tuple(known.index(name) for name in "xyz" if name in known)

    try:
        rows = np.array([row.values for row in read_rows(path, places)], float)
    except CsvError as error:
        first = error.mistakes[0]
        raise SceneError(f"--trace: {path}{f':{first.line}:{first.column}' * (first.line > 0)}: {first.message}") from None
    return np.column_stack([rows, np.zeros(len(rows))])[:, :3]


def _end(scene: Scene, name: str) -> End:
    """Where a name is: a point of a body, its centre of mass, or a joint on the body that moves. Raises SceneError."""
    body, _, point = name.partition(".")
    for b, one in enumerate(scene.bodies):
        if one.name == body and (not point or point in one.points):
            return End(b, one.points[point] if point else np.zeros(3))
    if body == "ground" and point in scene.ground_points:
        return End(GROUND, scene.ground_points[point])
    joint = scene.joint(name)
    if joint is not None:
        moving = [end for end in joint.ends if end.body != GROUND]
        return moving[-1] if moving else joint.ends[0]
    known = [*(f"{one.name}.{point}" for one in scene.bodies for point in one.points), *(one.name for one in scene.bodies)]
    known += [one.name for one in scene.joints]
    raise SceneError(f"--trace: there is no point {name[:60]!r}{did_you_mean(name, known)}")
