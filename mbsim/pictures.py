"""Pictures of what Python holds: `Result.plot`, `Result.draw`, `Model.draw`, `Modes.plot`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from mbsim.assembly import Assembly, assemble
from mbsim.model.file.errors import did_you_mean
from mbsim.observe.pose import pose_at
from mbsim.plots import figure, linear
from mbsim.plots.drawing import draw_schematic
from mbsim.plots.fonts import give_fonts
from mbsim.plots.look import STYLES, Look, read_size
from mbsim.plots.style import STYLE
from mbsim.results.read import Result, ResultError
from mbsim.scene.motion import Motion, motion, of_result, row_at
from mbsim.scene.motion import find_drawn as as_in_file
from mbsim.scene.read import Scene, parse, scene_of
from mbsim.scene.traces import Trace, traces

if TYPE_CHECKING:
    from mbsim.analyses.linear import Modes
    from mbsim.model.schema import Model


def plot(results: list[Result], what: list[str] | None, title: str | None, size: str | None, style: str) -> Figure:
    """See `Result.plot`."""
    if style not in STYLES:
        raise ValueError(f"unknown style {style!r}{did_you_mean(style, STYLES)}")
    return figure.figure(results, what, Look(title, None if size is None else read_size(size), style))


def draw_result(result: Result, at: float | None, camera: str | None, names: bool | None, traced: Sequence[str] = ()) -> Figure:
    """See `Result.draw`."""
    scene, poses = scene_of(result), of_result(result)
    if not len(poses.times):
        raise ResultError("the result holds no rows: the run ended before its first output")
    first, last = float(poses.times[0]), float(poses.times[-1])
    if at is not None and not first <= at <= last:
        raise ResultError(f"the result is from {first:g} s to {last:g} s (got {at:g} s)")
    k = 0 if at is None else row_at(poses.times, at)
    title = f"{result.attributes.get('title', '')}   t = {poses.times[k]:.6g} s"
    return _schematic(scene, poses, k, title, camera, names, Path(result.folder), traces(scene, poses, traced))


def draw_model(source: "Model | Assembly", camera: str | None, names: bool | None, as_drawn: bool) -> Figure:
    """See `Model.draw`."""
    made = source if isinstance(source, Assembly) else assemble(source)
    folder = Path() if isinstance(source, Assembly) else Path(source.file).parent
    if not made.scene:
        raise ValueError("the model has no bodies: its own coordinates have no shape to draw")
    scene = parse(made.scene)
    if as_drawn:
        return _schematic(scene, as_in_file(scene), 0, made.system.name, camera, names, folder)
    return _schematic(scene, start_of(made), 0, made.system.name, camera, names, folder)


def start_of(made: Assembly) -> Motion:
    """The poses of the bodies at the start, as a motion of one row."""
    position, orientation = pose_at(made.system, made.start, made.q)
    return motion(np.array([made.start]), position[None], orientation[None])


def plot_modes(modes: "Modes", what: list[str] | None) -> Figure:
    """See `Modes.plot`."""
    from mbsim.analyses.linear_files import as_saved

    return linear.figure(as_saved(modes), what)


def _schematic(
    scene: Scene, poses: Motion, k: int, title: str, camera: str | None, names: bool | None, folder: Path, ways: Sequence[Trace] = ()
) -> Figure:
    with matplotlib.rc_context(STYLE):
        made = draw_schematic(scene, poses, k, title, camera, names, folder, ways)
    give_fonts(made)
    return made
