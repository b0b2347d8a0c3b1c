"""Single runs of a saved study made again, from what its file holds: so that one can look at the mechanism of any of them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from mbsim import registry
from mbsim.analyses import linear, static
from mbsim.analyses.dynamic import simulate
from mbsim.analyses.linear_files import as_saved
from mbsim.assembly import Assembly, assemble
from mbsim.march.ending import SimulationError
from mbsim.model.file import shipped
from mbsim.model.file.errors import ModelError, few_suggestions
from mbsim.model.file.positions import read, read_file
from mbsim.model.reread import Rereading
from mbsim.model.targets import PathError, target
from mbsim.results.linear import choose_modes, tell_eigenvalue
from mbsim.results.read import Result, ResultError
from mbsim.results.study_read import SavedStudy
from mbsim.scene.modes import mode_motion, rest
from mbsim.scene.motion import Motion, of_result
from mbsim.scene.read import Scene, parse
from mbsim.studies.runner.outcome import FAILURES, words_of
from mbsim.studies.sampled.blocks import DYNAMIC, StudyBlock


class AgainError(ValueError):
    """A run that cannot be made again: it fails at once."""


class Again(NamedTuple):
    """A run that was made again."""

    title: str
    scene: Scene | None  # None: without bodies
    motion: Motion | None  # of the march, the equilibrium, or one mode
    result: Result | None  # None: of modes
    words: str  # which mode moves, or why the march ended early; empty where there is nothing to say


class RunsAgain:
    """The runs of one saved study. The model is that of the file, whatever became of the model file since."""

    def __init__(self, saved: SavedStudy) -> None:
        """Raises ResultError for a file that is damaged, ModelError for a table of the model that is not there any more."""
        try:
            block = StudyBlock.model_validate(read(saved.study_yaml, saved.path.name).data)
            document = read(saved.model_yaml, str(_place(saved, block.model)))
            targets = [target(document, name, block.vary[name].add) for name in saved.varied]
        except (ValidationError, PathError, LookupError) as error:
            raise ResultError(f"{saved.path} is damaged: what it says of the study does not fit its runs") from error
        self.analysis = block.analysis
        self.folder = Path(document.file).parent  # at which files of meshes are looked for
        self._values = np.array([saved[name] for name in saved.varied]).reshape(len(targets), saved.count)
        self._reread = Rereading(document, registry, targets, block.simulation, block.parameters)

    def values(self, run: int) -> dict[str, float]:
        """What varies, in a run; runs count from 0."""
        return dict(zip([one.name for one in self._reread.targets], self._values[:, run].tolist(), strict=True))

    def __call__(self, run: int, mode: int = 1) -> Again:
        """Assemble a run and do what the study does with it; of modes the one of this number moves. Raises AgainError."""
        try:
            with few_suggestions():
                made = assemble(self._reread.with_values(self._values[:, run].tolist()))
            scene = parse(made.scene) if made.scene else None
            if self.analysis == "modes":
                return _mode(made, scene, mode)
            if self.analysis != DYNAMIC:
                return _of_result(made, scene, static.record(static.balance(made, ["all"])))
            return _march(made, scene)
        except FAILURES as error:
            raise AgainError(words_of(error)) from None


def _march(made: Assembly, scene: Scene | None) -> Again:
    try:
        return _of_result(made, scene, simulate(made))
    except SimulationError as error:
        if error.result is None or not len(error.result.time):
            raise
        return _of_result(made, scene, error.result, f"the run stopped: {error}")


def _of_result(made: Assembly, scene: Scene | None, result: Result, words: str = "") -> Again:
    return Again(made.system.name, scene, None if scene is None else of_result(result), result, words)


def _mode(made: Assembly, scene: Scene | None, number: int) -> Again:
    saved = as_saved(linear.modes(made))
    places = choose_modes(saved)
    if scene is None or not places:
        return Again(made.system.name, scene, None if scene is None else rest(saved), None, "no mode moves a body")
    if not 1 <= number <= len(places):
        raise AgainError(f"there is no mode {number}: {len(places)} move")
    k = places[number - 1]
    return Again(made.system.name, scene, mode_motion(scene, saved, k), None, f"mode {number}: {tell_eigenvalue(complex(saved.values[k]))}")


def _place(saved: SavedStudy, name: str) -> Path:
    """Where the model file was, as long as it is the same; else beside the study. Tables and meshes are looked for there."""
    beside = saved.path.parent / name
    try:
        path = beside if beside.is_file() else shipped.find(name)
        if read_file(path) == saved.model_yaml:
            return path
    except (ModelError, shipped.NoModelError):
        pass
    return saved.path.parent / saved.model
