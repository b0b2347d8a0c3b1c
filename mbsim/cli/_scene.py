"""What `draw` and `view` share: a model or a result as a scene with the poses of its bodies."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mbsim.cli._errors import InputError
from mbsim.cli._model import assemble_or_exit, model_errors, read_model
from mbsim.cli._result import open_or_exit
from mbsim.cli.models import find_model

if TYPE_CHECKING:
    from mbsim.results.linear import SavedModes
    from mbsim.results.study_read import SavedStudy
    from mbsim.scene.moments import Moment
    from mbsim.scene.motion import Motion
    from mbsim.scene.read import Scene
    from mbsim.studies.sampled.again import RunsAgain

MODES = 12  # that are shown side by side


class Seen(NamedTuple):
    """A mechanism and its poses: all rows of a result, or the start of a model."""

    title: str
    scene: "Scene"
    motion: "Motion"
    clock: bool = True  # whether its times are those of a run
    over: tuple[str, str] = ("t", "s")  # what they are, and their unit
    events: "tuple[Moment, ...]" = ()  # of the run

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


def see(source: str, assignments: tuple[str, ...] = (), as_drawn: bool = False) -> Seen:
    """A model or a result. Raises InputError; errors of a model are printed, and exit with 2."""
    return of_result(Path(source), as_drawn, assignments) if is_result(source) else of_model(source, assignments, as_drawn)


def of_result(path: Path, as_drawn: bool = False, assignments: tuple[str, ...] = (), most: int | None = None) -> Seen:
    """A result with its poses, or with at most so many of them, evenly in time. Raises InputError."""
    from mbsim.results import ResultError
    from mbsim.results.represent import clock
    from mbsim.scene.moments import moments
    from mbsim.scene.motion import evenly, find_drawn, of_result
    from mbsim.scene.read import SceneError, scene_of

    if assignments:
        raise InputError("--set: the parameters of a result are those of its run")
    try:
        with open_or_exit(path) as result:
            scene = scene_of(result)
            rows = None if most is None else evenly(result.time, most)
            motion = find_drawn(scene) if as_drawn else of_result(result, rows)
            happened = moments(result.events)
            title, over = str(result.attributes.get("title", path.stem)), clock(result.attributes)
    except (ResultError, SceneError) as error:
        raise InputError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
    if not len(motion.times):
        raise InputError(f"{path}: the result holds no rows: the run ended before its first output")
    return Seen(title, scene, motion, over=over, events=() if as_drawn else happened)


def modes_of(path: Path) -> "tuple[SavedModes, Scene] | None":
    """The modes in a file of `mbsim modes -o`, and what moves in them; None for another file. Raises InputError."""
    from mbsim.results import ResultError
    from mbsim.results.linear import SavedModes, read
    from mbsim.scene.modes import scene_of_modes
    from mbsim.scene.read import SceneError

    try:
        saved = read(path) if path.is_file() else None
        if saved is None:
            return None
        if not isinstance(saved, SavedModes):
            raise InputError(f"{path}: a locus and a frequency response have no motion; `mbsim plot` draws them")
        return saved, scene_of_modes(saved)
    except (ResultError, SceneError) as error:
        raise InputError(str(error) if str(path) in str(error) else f"{path}: {error}") from error


def of_mode(path: Path, number: int) -> Seen | None:
    """One period of a mode of a file of modes, counted as `mbsim modes` lists them; None for another file. Raises InputError."""
    from mbsim.results.linear import choose_modes, tell_eigenvalue
    from mbsim.scene.modes import mode_motion

    found = modes_of(path)
    if found is None:
        return None
    saved, scene = found
    places = choose_modes(saved)
    if not 1 <= number <= len(places):
        raise InputError(f"--mode: the file has {len(places) or 'no'} modes that move (got {number})")
    k = places[number - 1]
    return Seen(
        f"{saved.title}, mode {number}: {tell_eigenvalue(complex(saved.values[k]))}", scene, mode_motion(scene, saved, k), clock=False
    )


def every_mode(path: Path) -> list[Seen]:
    """One period of each mode of a file of modes, the first MODES of them; none for another file. Raises InputError."""
    from mbsim.results.linear import choose_modes, tell_eigenvalue
    from mbsim.scene.modes import mode_motion

    found = modes_of(path)
    if found is None:
        return []
    saved, scene = found
    return [
        Seen(f"mode {n}: {tell_eigenvalue(complex(saved.values[k]))}", scene, mode_motion(scene, saved, k), clock=False)
        for n, k in enumerate(choose_modes(saved)[:MODES], 1)
    ]


def runs_of(saved: "SavedStudy") -> "RunsAgain":
    """The runs of a study, to be made again. Errors of its model are printed, and exit with 2. Raises InputError."""
    from mbsim.results import ResultError
    from mbsim.studies.sampled.again import RunsAgain

    try:
        with model_errors():
            return RunsAgain(saved)
    except ResultError as error:
        raise InputError(str(error)) from error


def chosen_run(saved: "SavedStudy", wanted: int | None) -> int:
    """The run that was asked for, or else the one that is worth to be seen. Raises InputError where there is none of that number."""
    if not saved.count:
        raise InputError(f"{saved.path}: the study holds no runs")
    if wanted is None:
        return saved.best
    if wanted >= saved.count:
        raise InputError(f"--run: the study has the runs 0 to {saved.count - 1} (got {wanted})")
    return wanted


def of_study(path: Path, run: int | None, mode: int | None) -> tuple[Seen, Path]:
    """A run of a study, made again, and the folder of its meshes. Raises InputError."""
    from mbsim.results.study_read import read_study_file
    from mbsim.studies.sampled.again import AgainError

    with read_study_file(path) as saved:
        number, runs = chosen_run(saved, run), runs_of(saved)
        if mode is not None and runs.analysis != "modes":
            raise InputError(f"--mode goes with a study of modes ({path} is one of {runs.analysis} runs)")
        try:
            found = runs(number, mode or 1)
        except AgainError as error:
            raise InputError(f"{path}: run {number} cannot be made again: {error}") from None
    if found.scene is None or found.motion is None:
        raise InputError(f"{path}: the model has no bodies: its own coordinates have no shape to draw. `mbsim plot` draws the study")
    clock = found.result is not None and len(found.result.time) > 1
    return Seen(f"{found.title}, run {number}" + f": {found.words}" * bool(found.words), found.scene, found.motion, clock), runs.folder


def of_model(source: str, assignments: tuple[str, ...], as_drawn: bool = False) -> Seen:
    from mbsim.pictures import start_of
    from mbsim.scene.motion import find_drawn
    from mbsim.scene.read import parse

    made = assemble_or_exit(read_model(find_model(source), assignments, {}))
    if not made.scene:
        raise InputError(f"{source}: the model has no bodies: its own coordinates have no shape to draw. `mbsim plot` draws its results")
    scene = parse(made.scene)
    if as_drawn:
        return Seen(made.system.name, scene, find_drawn(scene))
    return Seen(made.system.name, scene, start_of(made))
