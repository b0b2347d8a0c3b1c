"""The page of a model: as drawn and as assembled, sliders of its parameters and free coordinates, its run, and the file watched."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import ceil, inf
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import viser

from mbsim.analyses.dragging import Dragging
from mbsim.analyses.dynamic import simulate
from mbsim.analyses.linear import modes
from mbsim.analyses.linear_files import as_saved
from mbsim.analyses.static import balance
from mbsim.assembly import Assembly, assemble, load_model
from mbsim.diagnosis.redundancy import Redundancy, redundancy
from mbsim.march.ending import SimulationError
from mbsim.march.output_times import OutputTimes
from mbsim.march.settings import resolve
from mbsim.model.file.errors import ModelError
from mbsim.model.schema import Model
from mbsim.observe.pose import pose_at
from mbsim.results.linear import SavedModes
from mbsim.results.read import Result
from mbsim.scene.modes import mode_motion
from mbsim.scene.motion import Motion, find_drawn, motion, of_result
from mbsim.scene.read import SceneError, parse
from mbsim.view.mechanism import NO_SHAPE, MechanismPage
from mbsim.view.modes import labels, words_of
from mbsim.view.ranges import joint_bounds, range_of
from mbsim.view.shows import ghost

ROWS = 1500  # of a run that the page holds: as many poses as it shows
WATCH = 0.4  # s between two looks at the file
MOVED = 0.01  # of the mechanism's size; what assembly moves farther is said in bold
MOST = 24  # parameters, free coordinates with a slider
THE_RUN = "(the run)"  # in place of a mode
PROBLEMS = 8  # of a file that are shown
log = logging.getLogger("mbsim")


class _SupersededError(Exception):
    """A slider was moved on while the model ran."""


class ModelPage(MechanismPage):
    """A model file in the browser. `tick` is called often: it answers sliders and looks at the file."""

    def __init__(self, server: viser.ViserServer, path: Path, given: Mapping[str, str], camera: str | None = None) -> None:
        """Raises ModelError for the file as it is now, SceneError, ValueError for settings or an unknown camera."""
        super().__init__(server, path.parent, camera)
        self._path, self._given = path, dict(given)
        self._values: dict[str, float] = {}  # of the sliders that were moved
        self._changed: float | None = None  # when a slider was last moved
        self._seen, self._looked = self._stamp(), monotonic()
        self._drags: dict[int, float] = {}
        self._wants_rest = self._wants_modes = False  # the buttons were pressed
        self._wanted_mode: str | None = None
        self._saved: SavedModes | None = None  # the modes that were found
        self._mode: Motion | None = None  # that is shown in place of the run
        self._as_drawn: Any = None
        self._pale: list[viser.SceneNodeHandle] = []
        self._title = server.gui.add_markdown("")
        self._problems = server.gui.add_markdown("", visible=False)
        self._adopt(*self._made())
        self._build()

    def _build(self) -> None:
        """The controls."""
        server = self._server
        self._add_time(self._assembly.system.name)
        self._sliders()
        self._add_looks()
        if self._stage is not None:
            with server.gui.add_folder("Assembly", expand_by_default=False):
                self._as_drawn = server.gui.add_checkbox("as drawn, as a ghost", False)
            self._as_drawn.on_update(lambda _: self._draw_ghost())
            with server.gui.add_folder("Modes"):
                find = server.gui.add_button("Find modes", hint="Small motions about the equilibrium or steady motion, as `mbsim modes`.")
                self._which = server.gui.add_dropdown("mode", [THE_RUN], visible=False)
                self._of_modes = server.gui.add_markdown("")
            find.on_click(lambda _: setattr(self, "_wants_modes", True))
            self._which.on_update(lambda _: setattr(self, "_wanted_mode", str(self._which.value)))
        self.show(0)

    # from the file to the page

    def _made(self) -> tuple[Model, Assembly, Result, str]:
        """The model as it is, assembled and run, and why the run stopped early. Raises ModelError, _SupersededError."""
        asked = self._changed

        def heard(_: float) -> None:
            if self._changed != asked:
                raise _SupersededError

        model = load_model(self._path, {**self._given, **{name: repr(value) for name, value in self._values.items()}})
        made = assemble(model)
        try:
            return model, made, simulate(made, progress=heard, output_step=_rough(made)), ""
        except SimulationError as error:
            if error.result is None or not len(error.result.time):
                raise ModelError([model.problem("simulation", str(error))]) from None
            return model, made, error.result, str(error)

    def _adopt(self, model: Model, made: Assembly, result: Result, failure: str) -> None:
        """Take what was made as what is shown."""
        self._model, self._assembly, self._failure = model, made, failure
        self._dragging = Dragging(made)
        scene = parse(made.scene) if made.scene else None
        found = redundancy(made.system, made.start, made.q)
        faulty = frozenset(row.partition("[")[0] for group in found.groups for row in group)  # joints with rows that depend on others
        self._put(scene, None if scene is None else of_result(result), result, faulty)
        self._title.content = self._said(found)

    def _said(self, found: Redundancy) -> str:
        """What is to know of the model, as `mbsim check` says it."""
        made = self._assembly
        redundant = made.system.n_rows - found.rank
        lines = [
            f"**{made.system.name}**",
            f"{found.degrees_of_freedom} degree{'s' * (found.degrees_of_freedom != 1)} of freedom, {made.system.n_rows} constraint rows",
        ]
        if redundant:
            lines.append(f"{redundant} redundant; they depend on each other (red): {'; '.join(', '.join(group) for group in found.groups)}")
        if self._scene is None:
            lines.append(f"{NO_SHAPE} Its variables are plotted.")
        else:
            lines += self._moved()
        lines += [f"*{note}*" for note in made.notes]
        lines += [f"**the run stopped: {self._failure}**"] if self._failure else []
        return "  \n".join(lines)

    def _moved(self) -> list[str]:
        """Which bodies assembly moved, and how far."""
        assert self._scene is not None
        before, (after, _) = find_drawn(self._scene), pose_at(self._assembly.system, self._assembly.start, self._assembly.q)
        apart = np.linalg.norm(before.position[0, :-1] - after, axis=1)
        far = [b for b in np.argsort(-apart) if apart[b] > MOVED * self._extent]
        return [f"**assembly moved {self._scene.bodies[b].name} by {apart[b]:.3g} m**" for b in far[:4]]

    def _refresh(self) -> None:
        """Read, assemble and run anew; with problems the page stays as it is and says them."""
        try:
            found = self._made()
            with self._server.atomic():  # one picture, and not one of both mechanisms
                self._adopt(*found)
                self._forget_modes()
                self._follow()
                self.show(self.playback.k)
            self._server.flush()  # not after the pause in which viser waits for more
        except (ModelError, SceneError, OSError, ValueError) as error:
            problems = [str(problem) for problem in error.problems] if isinstance(error, ModelError) else [str(error)]
            text = "  \n".join(f"⚠ `{problem}`" for problem in problems[:PROBLEMS])
            by_hand = bool(self._values)  # then what was moved is at fault, and the words stand beside it
            self._problems.content = f"The file has problems; what is shown is the last that could run.  \n{text}"
            self._problems.visible = not by_hand
            values = ", ".join(f"{name} = {value:.6g}" for name, value in self._values.items())
            self._refused.content = f"It cannot run with {values}; what is shown is the last that could.  \n{text}"
            self._refused.visible = by_hand
            return
        self._problems.visible = self._refused.visible = False
        self._draw_ghost()

    # what can be changed

    def _sliders(self, orders: Sequence[float | None] = (None, None)) -> None:
        """Of parameters that the file gives as numbers, and of free coordinates, in folders at these places of the panel."""
        raw = self._model.document.data.get("parameters") or {}
        numbers = {n: v for n, v in raw.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        gui = self._server.gui
        self._parameters: dict[str, Any] = {}
        self._folders = [
            gui.add_folder("Parameters", order=orders[0], visible=bool(numbers)),
            gui.add_folder("Move by hand", order=orders[1], expand_by_default=False),
        ]
        with self._folders[0]:
            for name in list(numbers)[:MOST]:
                value = self._model.parameters[name]
                low, high = (min(0.0, 2.0 * value), max(0.0, 2.0 * value)) if value else (-1.0, 1.0)
                slider = gui.add_slider(name, min=low, max=high, step=(high - low) / 400.0, initial_value=value)
                slider.on_update(lambda _, name=name, slider=slider: self._moved_parameter(name, widen(slider)))
                self._parameters[name] = slider
            self._refused = gui.add_markdown("", visible=False)
            save = gui.add_button("These values as a file")
            save.on_click(lambda event: self._save(event.client))
        free = self._dragging.names[:MOST] if self._scene is not None else []
        self._folders[1].visible, bounds = bool(free), joint_bounds(self._model)
        self._by_hand: list[viser.SceneNodeHandle] = []
        with self._folders[1]:
            for i, name in enumerate(free):
                value, reach = self._dragging.value(i), float(np.pi) if self._dragging.turns[i] else 0.5 * self._extent
                low, high = range_of(bounds.get(name, (-inf, inf)), value, reach)
                slider = gui.add_slider(name, min=low, max=high, step=(high - low) / 400.0, initial_value=value)
                slider.on_update(lambda _, i=i, slider=slider: self._drags.__setitem__(i, widen(slider)))
                self._by_hand.append(slider)
            settle = gui.add_button("Equilibrium", hint="The static equilibrium that this position leads to; drivers are let go.")
            self._reached = gui.add_markdown("")
        settle.on_click(lambda _: setattr(self, "_wants_rest", True))

    def _moved_parameter(self, name: str, value: float) -> None:
        self._values[name] = value
        self._changed = monotonic()
        self.wake()

    def _save(self, client: Any) -> None:
        """The parameters as YAML, as a download of the browser: nothing is written here."""
        lines = [f"  {name}: {float(slider.value):.9g}" for name, slider in self._parameters.items()]
        text = "parameters:\n" + "\n".join(lines) + "\n"
        client.send_file_download(f"{self._path.stem}_parameters.yaml", text.encode())

    def _drag(self) -> None:
        """Move the mechanism as the sliders say, as far as it goes."""
        wanted, self._drags = self._drags, {}
        self.playback.play(False)
        for i, value in wanted.items():
            reached = self._dragging.go(i, value)
            at = self._dragging.value(i)
            self._reached.content = "" if reached else f"{self._dragging.names[i]} goes no farther than {at:.4g}"
        self._show_by_hand()

    def _settle(self) -> None:
        """Show the equilibrium that the position shown by hand leads to."""
        self.playback.play(False)
        try:
            at = balance(replace(self._assembly, q=self._dragging.q))
        except ValueError as error:  # there is none
            self._reached.content = str(error)
            return
        self._dragging.q = at.found.q
        kind = "a stable" if at.found.stable else "an unstable"
        self._reached.content = "  \n".join([f"{kind} equilibrium", *(note for note in at.notes() if note not in self._assembly.notes)])
        for i, slider in enumerate(self._by_hand):
            slider.value = float(np.clip(self._dragging.value(i), slider.min, slider.max))
        self._drags.clear()
        self._show_by_hand()

    def _find_modes(self) -> None:
        """Find the modes of the model as it is, and let the first one move."""
        try:
            found = modes(self._assembly)
        except ValueError as error:  # there is no equilibrium
            self._of_modes.content = str(error)
            return
        self._saved = as_saved(found)
        known = labels(self._saved)
        said = [] if known else ["constraints and drivers leave no motion"]
        said += [f"about the {found.state.kind}, {'stable' if found.stable else 'unstable'}"]
        self._of_modes.content = "  \n".join([*said, *(note for note in found.notes() if note not in self._assembly.notes)])
        self._which.options, self._which.visible = [THE_RUN, *known], bool(known)
        if known:
            self._which.value = self._wanted_mode = next(iter(known))

    def _show_mode(self, label: str) -> None:
        """Let a mode move, or show the run again."""
        k = labels(self._saved).get(label) if self._saved is not None else None
        if k is None or self._saved is None or self._scene is None:
            if self._mode is not None:
                self._mode = None
                self.playback.play(False)
                self.playback.load(self._poses.times)
        else:
            self._mode = mode_motion(self._scene, self._saved, k)
            self.playback.load(self._mode.times, words_of(label))
            self.playback.speed.value = "1"
            self.playback.play(True)
        if self.shows is not None:
            self.shows.arrows(self._mode is None)
        self.show(self.playback.k)

    def _forget_modes(self) -> None:
        """They were those of another model."""
        if self._saved is not None:
            self._saved = self._mode = self._wanted_mode = None
            self._which.options, self._which.visible, self._of_modes.content = [THE_RUN], False, ""
            self.playback.play(False)

    def _show_by_hand(self) -> None:
        assert self._stage is not None
        position, orientation = pose_at(self._assembly.system, self._assembly.start, self._dragging.q)
        with self._server.atomic():
            self._stage.show(motion(np.zeros(1), position[None], orientation[None]), 0)

    def _draw_ghost(self) -> None:
        for node in self._pale:
            node.remove()
        self._pale = []
        if self._as_drawn is not None and self._as_drawn.value and self._stage is not None and self._scene is not None:
            self._pale = ghost(self._server, self._stage, find_drawn(self._scene), "drawn")

    # time

    def _stamp(self) -> tuple[int, int]:
        try:
            found = self._path.stat()
        except OSError:  # while an editor replaces it
            return (0, 0)
        return found.st_mtime_ns, found.st_size

    def tick(self) -> None:
        """Go on with the motion; answer what was changed."""
        now = monotonic()
        if (asked := self._changed) is not None:
            with suppress(_SupersededError):
                self._refresh()
            if self._changed == asked:
                self._changed = None
        if self._drags and self._stage is not None:
            self._drag()
        if self._wants_rest and self._stage is not None:
            self._wants_rest = False
            self._settle()
        if self._wants_modes and self._stage is not None:
            self._wants_modes = False
            self._find_modes()
        if self._wanted_mode is not None:
            wanted, self._wanted_mode = self._wanted_mode, None
            self._show_mode(wanted)
        if now - self._looked > WATCH:
            self._looked = now
            stamp = self._stamp()
            if stamp not in (self._seen, (0, 0)):
                self._seen = stamp
                self._reload()
        super().tick()

    def _reload(self) -> None:
        """The file was saved: its own values come back."""
        self._values, self._changed = {}, None
        self._refresh()
        if not self._problems.visible:
            orders = [folder.order for folder in self._folders]
            for folder in self._folders:
                folder.remove()
            self._sliders(orders)

    def show(self, k: int) -> None:
        """Show one pose of the run."""
        if self._mode is not None and self._stage is not None and self._scene is not None:
            with self._server.atomic():
                self._stage.show(self._mode, k)
            self.facts.show(self._scene, None, self._mode, k)
            return
        super().show(k)


def _rough(made: Assembly) -> float | None:
    """The time between rows with which a run has no more than the page shows, s; None where it has no more anyway.

    It is a multiple of the interval that the model asks for, so that the steps stay the same.
    """
    settings = resolve(made.simulation, made.whole, {})
    rows = OutputTimes(settings.start, settings.end, settings.interval).intervals
    return settings.interval * ceil(rows / ROWS) if rows > ROWS else None


def widen(slider: Any) -> float:
    """The value of a slider, which reaches twice as far where a value was typed beyond its ends: the browser goes back to these else."""
    value = float(slider.value)
    if value > slider.max:
        slider.max = value + (value - slider.min)
    elif value < slider.min:
        slider.min = value - (slider.max - value)
    return value
