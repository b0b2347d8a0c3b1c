"""The page of a study: its pictures, its runs as points, and the mechanism of the run that is chosen, assembled again and moving."""

from base64 import b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np
import viser
from viser import uplot

from mbsim.plots.panels import PlotError
from mbsim.results.read import Result
from mbsim.results.study_read import SavedStudy
from mbsim.scene.motion import Motion
from mbsim.scene.read import Floats, Scene
from mbsim.view.charts import span
from mbsim.view.mechanism import NO_SHAPE, MechanismPage

RUN = "run"  # the number of a run, among the names of what varies and of outputs
MOST = 4000  # points; the chosen run is always among them
POINT, CHOSEN = "#568cbf", "#c0392b"
NO_PICTURE = "(none)"


class RunAgain(Protocol):
    """A run of the study that was made again."""

    @property
    def scene(self) -> Scene | None:
        """None: without bodies."""

    @property
    def motion(self) -> Motion | None:
        """Of the bodies."""

    @property
    def result(self) -> Result | None:
        """None: of modes."""

    @property
    def words(self) -> str:
        """What is to know of it."""


class StudyPage(MechanismPage):
    """Built once; `tick` is called often: it makes the run that is chosen."""

    def __init__(
        self,
        server: viser.ViserServer,
        saved: SavedStudy,
        again: Callable[[int], RunAgain],
        folder: Path,
        first: int = 0,
        camera: str | None = None,
    ) -> None:
        """`again` makes a run, or raises ValueError; `first` is shown first. Raises ValueError for an unknown camera."""
        super().__init__(server, folder, camera)
        self._study, self._again = saved, again
        self._columns: dict[str, Floats] = {RUN: np.arange(saved.count, dtype=float)}
        self._columns |= {name: saved[name] for name in (*saved.varied, *saved.outputs)}
        self._failed = saved.failed
        self._changed: float | None = None  # when another run was last asked for
        self._wanted_picture: str | None = None
        self._built = False
        self.run = first
        failed = int(self._failed.sum())
        server.gui.add_markdown(f"**{saved.title}**  \n{saved.count} runs of {saved.model}{f', {failed} failed' * bool(failed)}")
        self._add_pictures()
        self._add_runs()
        self._choose(first)

    # pictures of the study

    def _add_pictures(self) -> None:
        from mbsim.plots import study as pictures  # imports Matplotlib

        gui = self._server.gui
        names = pictures.items(self._study)
        with gui.add_folder("Pictures"):
            self.picture = gui.add_dropdown("picture", [NO_PICTURE, *names], initial_value=names[0])
            self._picture_place = gui.add_folder(None)
        self._image: Any = None
        self._wanted_picture = names[0]
        self.picture.on_update(lambda _: setattr(self, "_wanted_picture", str(self.picture.value)))

    def _draw_picture(self, item: str) -> None:
        from mbsim.plots import study as pictures

        if self._image is not None:
            self._image.remove()
            self._image = None
        if item == NO_PICTURE:
            return
        with self._picture_place:
            try:
                data = b64encode(pictures.png(self._study, item)).decode()
                self._image = self._server.gui.add_html(
                    f'<img src="data:image/png;base64,{data}" style="width: 100%" alt="{escape(item)}">'
                )
            except PlotError as error:
                self._image = self._server.gui.add_markdown(str(error))

    # runs as points

    def _add_runs(self) -> None:
        gui, names = self._server.gui, list(self._columns)
        shown = next((name for name in self._study.outputs), names[-1])
        axes = [name for name, values in self._study.axes.items() if len(values) > 1]
        along = axes[0] if axes else RUN
        with gui.add_folder("Runs"):
            self.along = gui.add_dropdown("along", names, initial_value=along, hint="The slider goes through the runs in this order.")
            self.shown = gui.add_dropdown("show", names, initial_value=shown)
            self._points_place = gui.add_folder(None)
            self.slider = gui.add_slider("place", min=0, max=max(self._study.count - 1, 1), step=1, initial_value=0)
            self.slider.disabled = self._study.count < 2
            self.steps = gui.add_button_group("step", ("first", "back", "next", "last"))
            self._words = gui.add_markdown("")
        self._plot: viser.GuiUplotHandle | None = None
        self._sort()
        self.along.on_update(lambda _: self._sort())
        self.shown.on_update(lambda _: self._draw_points())
        self.slider.on_update(lambda _: self._moved(int(self.slider.value)))
        self.steps.on_click(lambda _: self._step(str(self.steps.value)))

    def _sort(self) -> None:
        """Put the runs in the order of what is chosen; those without a number are last."""
        self._order = np.argsort(self._columns[str(self.along.value)], kind="stable")
        self.slider.value = self._place()
        self._draw_points()

    def _place(self) -> int:
        """Of the run that is shown, in that order."""
        return int(np.flatnonzero(self._order == self.run)[0])

    def _draw_points(self) -> None:
        along, shown = str(self.along.value), str(self.shown.value)
        x, y = (self._columns[name][self._order] for name in (along, shown))
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        kept = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST)).astype(int))] if len(known) else known
        self._x, self._y = x[kept], y[kept]
        if self._plot is not None:
            self._plot.remove()
            self._plot = None
        if not len(kept):
            return
        of_points = {"show": True, "size": 4 if len(kept) > 200 else 6, "fill": POINT}
        points = uplot.Series(label=shown, stroke=POINT, width=0, points=of_points)
        chosen = uplot.Series(label="chosen", stroke=CHOSEN, width=0, points={"show": True, "size": 10, "fill": CHOSEN})
        with self._points_place:
            self._plot = self._server.gui.add_uplot(
                data=self._data(),
                series=(uplot.Series(label=along), points, chosen),
                scales={name: uplot.Scale(time=False, auto=False, range=span([of])) for name, of in (("x", self._x), ("y", self._y))},
                title=f"{shown}{self._units(shown)} over {along}{self._units(along)}",
                aspect=1.6,
            )

    def _units(self, name: str) -> str:
        found = "1" if name == RUN else self._study.units(name)
        return f" [{found}]" if found != "1" else ""

    def _data(self) -> tuple[Floats, Floats, Floats]:
        """Places, values and the chosen run; uPlot wants them in the order of the places."""
        x, y = (float(self._columns[str(name.value)][self.run]) for name in (self.along, self.shown))
        if not np.isfinite(x + y):
            return self._x, self._y, np.full(len(self._x), np.nan)
        k = int(np.searchsorted(self._x, x))
        return np.insert(self._x, k, x), np.insert(self._y, k, y), np.insert(np.full(len(self._x), np.nan), k, y)

    # the chosen run

    def _moved(self, place: int) -> None:
        run = int(self._order[min(place, len(self._order) - 1)])
        if run != self.run:
            self.run, self._changed = run, monotonic()
            self._mark()
            self.wake()

    def _step(self, way: str) -> None:
        place, last = self._place(), len(self._order) - 1
        self.slider.value = {"first": 0, "back": max(place - 1, 0), "next": min(place + 1, last), "last": last}[way]
        self._moved(int(self.slider.value))

    def _mark(self) -> None:
        """Say which run is chosen, and mark its point."""
        if self._plot is not None:
            self._plot.data = self._data()
        self._words.content = self._said("")

    def _said(self, more: str) -> str:
        saved, run = self._study, self.run
        lines = [f"**run {run}**: " + ", ".join(f"{name} = {self._columns[name][run]:.6g}" for name in saved.varied)]
        units = {name: f" {saved.units(name)}" if saved.units(name) != "1" else "" for name in saved.outputs}
        lines += [f"{name} = {self._columns[name][run]:.8g}{units[name]}" for name in saved.outputs]
        if reason := saved.reason(run):
            lines.append(f"⚠ {'the run failed: ' * bool(self._failed[run])}{reason}")
        return "  \n".join([*lines, more] if more else lines)

    def _choose(self, run: int) -> None:
        """Make a run, and show it."""
        self.run = run
        self._mark()
        try:
            found = self._again(run)
        except ValueError as error:
            kept = "; what is shown is another run" if self._built else ""
            self._words.content = self._said("" if self._failed[run] else f"⚠ the run cannot be made again: {error}{kept}")
            return
        with self._server.atomic():
            self._put(found.scene, found.motion, found.result)
            if self._built:
                self._follow()
            else:
                self._add_time(self._study.title)
                self._add_looks()
                self._built = True
            self._words.content = self._said("  \n".join(filter(None, [found.words, NO_SHAPE if found.scene is None else ""])))
            self.show(self.playback.k)
        self._server.flush()

    def tick(self) -> None:
        """Make the run that was asked for; draw the picture that was."""
        if (asked := self._changed) is not None:
            self._choose(self.run)
            if self._changed == asked:
                self._changed = None
        elif self._wanted_picture is not None:
            wanted, self._wanted_picture = self._wanted_picture, None
            self._draw_picture(wanted)
        if self._built:
            super().tick()
