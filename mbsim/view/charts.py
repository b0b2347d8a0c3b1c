"""Plots of variables on the page, with a mark at the time shown; of several results their difference, too."""

from time import monotonic

import numpy as np
import viser
from viser import uplot

from mbsim.results.read import Result, ResultError
from mbsim.scene.motion import evenly
from mbsim.scene.read import Floats
from mbsim.scene.solids import Colour
from mbsim.view.stage import body_colour

POINTS = 800  # of a line; the data stay in the file
PAUSE = 0.15  # s between two marks while it plays
NOTHING = "(none)"
COMPONENTS = {"joint_force": "xyz", "joint_torque": "xyz", "body_position": "xyz", "body_velocity": "xyz"}


def choices(result: Result) -> list[str]:
    """What can be plotted: measures, coordinates, speeds, efforts, reactions, positions, energies, as `select` takes them."""
    found = [*result.measures()]
    for variable in ("q", "states", "v", "driver_effort"):
        if variable in result:
            found += [f"{variable}:{label}" for label in result.labels(result.dimensions(variable)[1])]
    found += [name for name in result.names() if result.dimensions(name) == ("time",) and name not in ("time", *result.measures())]
    for variable, axes in COMPONENTS.items():
        if variable in result:
            found += [f"{variable}:{label}:{axis}" for label in result.labels(result.dimensions(variable)[1]) for axis in axes]
    return list(dict.fromkeys(found))


def units(result: Result, item: str) -> str:
    """Of a plotted item, in brackets; nothing where they are not known."""
    variable, _, rest = item.partition(":")
    try:
        found = result.units(variable, rest.partition(":")[0] or None)
    except ResultError:
        return ""
    return f" [{found}]" if found not in ("1", "") else ""


class Charts:
    """Two plots: an item of each result, and its difference from the first."""

    def __init__(self, server: viser.ViserServer, results: list[Result], names: list[str], first: str | None = None) -> None:
        self._gui, self._results, self._names, self._last = server.gui, results, names, 0.0
        self._plot: viser.GuiUplotHandle | None = None
        self._difference: viser.GuiUplotHandle | None = None
        self._lines: list[Floats] = []
        with self._gui.add_folder("Plot"):
            options = [NOTHING, *choices(results[0])]
            self.choice = self._gui.add_dropdown(
                "variable", options, initial_value=first if first in options else options[min(1, len(options) - 1)]
            )
            self._place = self._gui.add_folder(None)
        self.choice.on_update(lambda _: self.draw())
        self.draw()

    def load(self, results: list[Result]) -> None:
        """Take other results of the same model."""
        self._results = results
        options = [NOTHING, *choices(results[0])]
        if tuple(options) != tuple(self.choice.options):
            kept = self.choice.value
            self.choice.options = options
            self.choice.value = kept if kept in options else NOTHING
        self.draw()

    def draw(self) -> None:
        """Plot what is chosen."""
        for plot in (self._plot, self._difference):
            if plot is not None:
                plot.remove()
        self._plot = self._difference = None
        item = str(self.choice.value)
        if item == NOTHING:
            return
        times, lines = self._read(item)
        self._times, self._lines = times, lines
        title = item + units(self._results[0], item)
        with self._place:
            self._plot = self._chart(title, times, lines, self._names)
            if len(lines) > 1:
                apart = [line - lines[0] for line in lines[1:]]
                self._difference = self._chart(f"difference from {self._names[0]}", times, apart, self._names[1:], 1)

    def _read(self, item: str) -> tuple[Floats, list[Floats]]:
        """Times of the first result, thinned, and the item of each there."""
        first = self._results[0].time
        rows = evenly(first, POINTS)
        times, lines = first[rows], []
        for result in self._results:
            values = np.asarray(result.select(*item.split(":")), float)
            own = result.time
            inside = (times >= own[0]) & (times <= own[-1])
            lines.append(np.where(inside, np.interp(times, own, values), np.nan))
        return times, lines

    def _chart(self, title: str, times: Floats, lines: list[Floats], names: list[str], shift: int = 0) -> viser.GuiUplotHandle:
        mark = np.full(len(times), np.nan)
        series = [uplot.Series(label=name, stroke=_css(body_colour(i + shift)), width=2) for i, name in enumerate(names)]
        shown = uplot.Series(label="now", stroke="#c0392b", width=0, points={"show": True, "size": 9, "fill": "#c0392b"})
        return self._gui.add_uplot(
            data=(times, *lines, mark),
            series=(uplot.Series(label="t, s"), *series, shown),
            scales={"x": uplot.Scale(time=False, auto=True), "y": uplot.Scale(auto=False, range=_span(lines))},
            title=title,
            aspect=1.6,
        )

    def mark(self, t: float, at_once: bool = False) -> None:
        """Put the mark at a time."""
        now = monotonic()
        if self._plot is None or (now - self._last < PAUSE and not at_once):
            return
        self._last = now
        k = int(np.abs(self._times - t).argmin())
        mark = np.full(len(self._times), np.nan)
        mark[k] = self._lines[0][k]
        self._plot.data = (self._times, *self._lines, mark)


def _span(lines: list[Floats]) -> tuple[float, float]:
    """The smallest and the largest value, with a margin; gaps, which are NaN, would spoil what the page finds itself."""
    every = np.concatenate(lines)
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 0.0)
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def _css(colour: Colour) -> str:
    return "#" + "".join(f"{c:02x}" for c in colour)
