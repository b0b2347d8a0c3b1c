"""Plots on the page, the interactive counterpart of `mbsim plot`: panels and single variables with a mark at the time shown.

Of several results a plot has a line for each, and another plot their differences from the first.
"""

from time import monotonic
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import viser
from viser import uplot

from mbsim.plots.coincide import styles
from mbsim.plots.overview import overview
from mbsim.plots.panels import MAX_LINES, Panel, with_units
from mbsim.plots.style import COLOURS
from mbsim.results.read import Result, ResultError
from mbsim.scene.motion import evenly
from mbsim.scene.read import Floats
from mbsim.view.happened import event_times
from mbsim.view.stage import body_colour

POINTS = 800  # of a line; the data stay in the file
PAUSE = 0.15  # s between two marks while it plays
MOST = 4  # plots
MANY = 60  # items of one variable; more have a list of their own, because a browser takes a second for one of 1500
MORE = " …"  # after the name of such a variable
NOTHING = "(none)"
PANEL = "▦ "  # before the name of a panel, among the names of variables
COMPONENTS = {"joint_force": "xyz", "joint_torque": "xyz", "body_position": "xyz", "body_velocity": "xyz"}
DASHES = ((), (8.0, 4.0), (3.0, 3.0), (10.0, 3.0, 2.0, 3.0))  # of the results, in panels
_KNOWN: WeakKeyDictionary[Result, dict[str, Panel]] = WeakKeyDictionary()
EVENTS = "#7f7f7f"  # the colour of marks at events
MARKED = 200  # events on a plot
SMALLEST = 1e-18  # on a logarithmic scale


class Curve(NamedTuple):
    """A line at the times of the plot; NaN where its result has none."""

    label: str
    values: Floats  # (k,)
    colour: str
    dash: tuple[float, ...] = ()


class Curves(NamedTuple):
    """What one plot shows, and the differences of the results from the first."""

    title: str
    times: Floats  # (k,)
    lines: list[Curve]
    apart: list[Curve]
    logarithmic: bool = False


def choices(result: Result) -> list[str]:
    """What can be plotted: measures, coordinates, speeds, efforts, reactions, positions, energies, as `select` takes them."""
    found = [*result.measures()]
    for variable in ("q", "states", "v", "driver_effort", "force_effort"):
        if variable in result:
            found += [f"{variable}:{label}" for label in result.labels(result.dimensions(variable)[1])]
    found += [name for name in result.names() if result.dimensions(name) == ("time",) and name not in ("time", *result.measures())]
    for variable, axes in COMPONENTS.items():
        if variable in result:
            found += [f"{variable}:{label}:{axis}" for label in result.labels(result.dimensions(variable)[1]) for axis in axes]
    return list(dict.fromkeys(found))


def fold(items: list[str]) -> dict[str, list[str]]:
    """What a list of plots holds: items, and for a variable of many its name, with its items."""
    by_variable: dict[str, list[str]] = {}
    for item in items:
        by_variable.setdefault(item.partition(":")[0], []).append(item)
    found: dict[str, list[str]] = {}
    for variable, own in by_variable.items():
        found |= {variable + MORE: own} if len(own) > MANY else {item: [] for item in own}
    return found


def units(result: Result, item: str) -> str:
    """Of a plotted item, in brackets; nothing where they are not known."""
    variable, _, rest = item.partition(":")
    try:
        found = result.units(variable, rest.partition(":")[0] or None)
    except ResultError:
        return ""
    return f" [{found}]" if found not in ("1", "") else ""


def curves(results: list[Result], names: list[str], item: str) -> Curves:
    """An item, or a panel of the overview, of each result at the times of the first, thinned."""
    times = results[0].time[evenly(results[0].time, POINTS)]
    if item.startswith(PANEL):
        return _of_panel(results, names, item.removeprefix(PANEL), times)
    found = [
        Curve(name, _at(times, result.time, np.asarray(result.select(*item.split(":")), float)), _css(i))
        for i, (result, name) in enumerate(zip(results, names, strict=True))
    ]
    apart = [one._replace(values=one.values - found[0].values) for one in found[1:]]
    return Curves(item + units(results[0], item), times, found, apart)


def _of_panel(results: list[Result], names: list[str], title: str, times: Floats) -> Curves:
    shown = _panels(results[0])[title]
    lines = shown.lines[:MAX_LINES]
    turns = styles(lines, shown.logarithmic, ["-"] * len(lines))
    found: list[Curve] = []
    apart: list[Curve] = []
    for i, (result, name) in enumerate(zip(results, names, strict=True)):
        panel = _panels(result).get(title)
        by_label = {line.label: line for line in panel.lines} if panel is not None else {}
        for j, (line, turn) in enumerate(zip(lines, turns, strict=True)):
            own = by_label.get(line.label)  # another line may move more in another result
            values = np.full(len(times), np.nan) if own is None else _at(times, own.x, np.asarray(own.y, float))
            values = np.maximum(values, SMALLEST) if shown.logarithmic else values
            label = f"{name}: {line.label}" if len(results) > 1 else line.label
            dash = DASHES[(i + (j >= len(COLOURS))) % len(DASHES)] if len(results) > 1 or isinstance(turn, str) else turn[1]
            found.append(Curve(label, values, COLOURS[j % len(COLOURS)], dash))
            if i:
                apart.append(found[-1]._replace(values=values - found[j].values))
    units = {line.units for line in shown.lines}
    return Curves(with_units(title, units.pop() if len(units) == 1 else "1"), times, found, apart, shown.logarithmic)


def _panels(result: Result) -> dict[str, Panel]:
    """The panels of the overview over time, by their titles. Those of a large result take a while."""
    if result not in _KNOWN:
        _KNOWN[result] = {panel.title: panel for panel in overview(result)} if len(result.time) else {}
    return _KNOWN[result]


def _at(times: Floats, own: Floats, values: Floats) -> Floats:
    inside = (times >= own[0]) & (times <= own[-1])
    return np.where(inside, np.interp(times, own, values), np.nan)


class Chart:
    """One plot with its choice, and the plot of the differences."""

    def __init__(self, gui: Any, results: list[Result], names: list[str], options: dict[str, list[str]], first: str) -> None:
        """`options` are those of the list, with the items of those that stand for many."""
        self._gui, self._results, self._names, self._options = gui, results, names, options
        self.plot: viser.GuiUplotHandle | None = None
        self.difference: viser.GuiUplotHandle | None = None
        self.shown: Curves | None = None
        self.choice = gui.add_dropdown("plot", list(options), initial_value=first)
        self.of = gui.add_dropdown("of", [NOTHING], visible=False)
        self._place = gui.add_folder(None)
        self.choice.on_update(lambda _: self._chosen())
        self.of.on_update(lambda _: self.draw())
        self._chosen()

    @property
    def item(self) -> str:
        """What is plotted."""
        return str(self.of.value if self._options.get(str(self.choice.value)) else self.choice.value)

    def load(self, results: list[Result], options: dict[str, list[str]]) -> None:
        """Take other results of the same model."""
        self._results = results
        if options != self._options:
            kept, self._options = self.choice.value, options
            self.choice.options = list(options)
            self.choice.value = kept if kept in options else NOTHING
            self._offer()
        self.draw()

    def _chosen(self) -> None:
        self._offer()
        self.draw()

    def _offer(self) -> None:
        """The items of a variable of many in a list of their own."""
        items = self._options.get(str(self.choice.value), [])
        if items and tuple(items) != tuple(self.of.options):
            kept = self.of.value
            self.of.options = items
            self.of.value = kept if kept in items else items[0]
        self.of.visible = bool(items)

    def draw(self) -> None:
        """Plot what is chosen."""
        item = self.item
        before = self.shown
        self.shown = None if item == NOTHING else curves(self._results, self._names, item)
        if self.shown is not None and before is not None and self.plot is not None and _alike(before, self.shown):
            self._again(self.shown)  # quicker than a new plot, and it does not flicker
            return
        for plot in (self.plot, self.difference):
            if plot is not None:
                plot.remove()
        self.plot = self.difference = None
        if self.shown is None:
            return
        with self._place:
            self.plot = self._made(self.shown.title, self.shown.lines, self.shown.logarithmic)
            if self.shown.apart:
                self.difference = self._made(f"difference from {self._names[0]}", self.shown.apart, False)

    def _again(self, shown: Curves) -> None:
        """The same lines with other values."""
        assert self.plot is not None
        for plot, lines, logarithmic in ((self.plot, shown.lines, shown.logarithmic), (self.difference, shown.apart, False)):
            if plot is not None:
                plot.scales = _scales(lines, logarithmic)
                plot.data = (shown.times, *(line.values for line in lines), *self._marked(lines), np.full(len(shown.times), np.nan))

    def _made(self, title: str, lines: list[Curve], logarithmic: bool) -> viser.GuiUplotHandle:
        assert self.shown is not None
        mark = np.full(len(self.shown.times), np.nan)
        series, marked = [_series(line) for line in lines], self._marked(lines)
        if marked:
            series.append(uplot.Series(label="events", stroke=EVENTS, width=0, points={"show": True, "size": 7, "fill": "#ffffff"}))
        now = uplot.Series(label="now", stroke="#c0392b", width=0, points={"show": True, "size": 9, "fill": "#c0392b"})
        return self._gui.add_uplot(
            data=(self.shown.times, *(line.values for line in lines), *marked, mark),
            series=(uplot.Series(label="t, s"), *series, now),
            scales=_scales(lines, logarithmic),
            title=title,
            aspect=1.6,
        )

    def mark(self, t: float) -> None:
        """Put the mark at a time."""
        if self.plot is None or self.shown is None:
            return
        times, lines = self.shown.times, self.shown.lines
        k = int(np.abs(times - t).argmin())
        mark = np.full(len(times), np.nan)
        mark[k] = lines[0].values[k]
        self.plot.data = (times, *(line.values for line in lines), *self._marked(lines), mark)

    def _marked(self, lines: list[Curve]) -> list[Floats]:
        """Points (k,) on the first line where events of the first result happen, NaN elsewhere; nothing where none has happened."""
        assert self.shown is not None
        happened = event_times(self._results[0].events)
        if not len(happened) or not lines:
            return []
        times = self.shown.times
        at = np.unique(np.abs(times[None, :] - happened[:MARKED, None]).argmin(axis=1))
        found = np.full(len(times), np.nan)
        found[at] = lines[0].values[at]
        return [found]


class Charts:
    """Up to MOST plots below each other."""

    def __init__(self, server: viser.ViserServer, results: list[Result], names: list[str], first: str | None = None) -> None:
        self._gui, self._results, self._names, self._last = server.gui, results, names, 0.0
        self.charts: list[Chart] = []
        options = self._options()
        with self._gui.add_folder("Plots"):
            self._place = self._gui.add_folder(None)
            self.more = self._gui.add_button("Another plot", hint=f"Up to {MOST} plots below each other.")
        self.more.on_click(lambda _: self.add())
        self.add(first if first in options else list(options)[min(1, len(options) - 1)])

    def _options(self) -> dict[str, list[str]]:
        panels: dict[str, list[str]] = {f"{PANEL}{title}": [] for title in _panels(self._results[0])}
        return {NOTHING: []} | panels | fold(choices(self._results[0]))

    def add(self, item: str | None = None) -> None:
        """Another plot: of the given item, or of the next panel that is not plotted yet."""
        options = self._options()
        plotted = {NOTHING, *(str(chart.choice.value) for chart in self.charts)}
        chosen = item or next((option for option in options if option not in plotted), NOTHING)
        with self._place:
            self.charts.append(Chart(self._gui, self._results, self._names, options, chosen))
        self.more.visible = len(self.charts) < MOST

    def load(self, results: list[Result]) -> None:
        """Take other results of the same model."""
        self._results = results
        options = self._options()
        for chart in self.charts:
            chart.load(results, options)

    def mark(self, t: float, at_once: bool = False) -> None:
        """Put the marks at a time."""
        now = monotonic()
        if now - self._last < PAUSE and not at_once:
            return
        self._last = now
        for chart in self.charts:
            chart.mark(t)


def _alike(one: Curves, other: Curves) -> bool:
    """Whether the lines differ by their values only."""
    return one.title == other.title and _looks(one) == _looks(other)


def _looks(shown: Curves) -> list[tuple[str, str, tuple[float, ...]]]:
    return [(line.label, line.colour, line.dash) for line in [*shown.lines, *shown.apart]]


def _series(line: Curve) -> uplot.Series:
    return uplot.Series(label=line.label, stroke=line.colour, width=2, dash=list(line.dash))


def _scales(lines: list[Curve], logarithmic: bool) -> dict[str, uplot.Scale]:
    up = uplot.Scale(distr=3, log=10) if logarithmic else uplot.Scale(auto=False, range=span([line.values for line in lines]))
    return {"x": uplot.Scale(time=False, auto=True), "y": up}


def span(lines: list[Floats]) -> tuple[float, float]:
    """The smallest and the largest value, with a margin; gaps, which are NaN, would spoil what the page finds itself."""
    every = np.concatenate(lines) if lines else np.zeros(0)
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 0.0)
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def _css(i: int) -> str:
    return "#" + "".join(f"{c:02x}" for c in body_colour(i))
