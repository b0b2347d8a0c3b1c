"""What `draw` and `view` share: a model or a result as a scene with the poses of its bodies."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mbsim.cli import InputError
from mbsim.cli._model import assembled, read_model
from mbsim.cli._result import opened
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.scene.motion import Motion
    from mbsim.scene.read import Scene


class Seen(NamedTuple):
    """A mechanism and its poses: all rows of a result, or the start of a model."""

    title: str
    scene: "Scene"
    motion: "Motion"

    def row(self, at: float | None) -> int:
        """The place of the pose nearest to a time; the first without one. Raises InputError for a time outside of the run."""
        if at is None:
            return 0
        from mbsim.scene.motion import row_at

        first, last = self.motion.times[0], self.motion.times[-1]
        slack = 1e-9 * (last - first)
        if not first - slack <= at <= last + slack:
            raise InputError(f"--at: the result is from {first:g} s to {last:g} s (got {at:g})")
        return row_at(self.motion.times, at)


def is_result(source: str | Path) -> bool:
    """Whether it names a result file rather than a model."""
    from mbsim.results.outputs import RESULT_SUFFIXES

    path = Path(str(source).removesuffix(".part"))
    return path.suffix.lower() in RESULT_SUFFIXES


def seen(source: str, assignments: tuple[str, ...] = (), as_drawn: bool = False) -> Seen:
    """A model or a result. Raises InputError; errors of a model are printed, and exit with 2."""
    return of_result(Path(source), as_drawn, assignments) if is_result(source) else of_model(source, assignments, as_drawn)


def of_result(path: Path, as_drawn: bool = False, assignments: tuple[str, ...] = ()) -> Seen:
    from mbsim.results import ResultError
    from mbsim.scene.motion import drawn, of_result
    from mbsim.scene.read import SceneError, scene_of

    if assignments:
        raise InputError("--set: the parameters of a result are those of its run")
    try:
        with opened(path) as result:
            scene = scene_of(result)
            motion = drawn(scene) if as_drawn else of_result(result)
            title = str(result.attributes.get("title", path.stem))
    except (ResultError, SceneError) as error:
        raise InputError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
    if not len(motion.times):
        raise InputError(f"{path}: the result holds no rows: the run ended before its first output")
    return Seen(title, scene, motion)


def of_model(source: str, assignments: tuple[str, ...], as_drawn: bool = False) -> Seen:
    from mbsim.observe.pose import pose_at
    from mbsim.scene.motion import drawn, motion
    from mbsim.scene.read import parse

    made = assembled(read_model(find_model(source), assignments, {}))
    if not made.scene:
        raise InputError(f"{source}: the model has no bodies: its own coordinates have no shape to draw. `mbsim plot` draws its results")
    scene = parse(made.scene)
    if as_drawn:
        return Seen(made.system.name, scene, drawn(scene))
    import numpy as np

    position, orientation = pose_at(made.system, made.start, made.q)
    return Seen(made.system.name, scene, motion(np.array([made.start]), position[None], orientation[None]))
