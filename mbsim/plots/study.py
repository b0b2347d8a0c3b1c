"""Pictures of a study: what fits it, or what is asked for.

Items: `curves:OUTPUT` over one axis of a grid (with samples: mean and the range of nine tenths), `map:OUTPUT` over two, `histogram:NAME`,
`scatter` (what varies against outputs), `tornado:OUTPUT` (correlation of ranks, or the sensitivities that were computed), `X~Y` (points,
and the Pareto front of both being small), `convergence` of an optimiser, `fit` (against the data), `history:LABEL` (all runs).
"""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbsim.model.file.errors import did_you_mean
from mbsim.plots.figure import SUFFIXES, missing_characters, save
from mbsim.plots.fonts import give_fonts
from mbsim.plots.panels import PlotError, with_units
from mbsim.plots.style import COLOURS, GREY, STYLE, literal
from mbsim.results import outputs
from mbsim.results.study_read import SavedStudy
from mbsim.results.study_statistics import pareto, spearman

MOST_PANELS = 6  # where none is asked for
MOST_SCATTER = 6  # rows and columns of a scatter matrix
MOST_POINTS = 20_000  # of a scatter plot
MOST_CURVES = 200  # histories in a panel
FEW = 8  # values of a second axis that are drawn as curves
LOGARITHMIC = 1.2  # largest ratio of the smallest and the largest step of an axis that counts as even
CORRELATION = "correlation of ranks (Spearman)"
Draw = Callable[[Axes], None]
_LOOK = {**STYLE, "axes.axisbelow": True}


def draw(saved: SavedStudy, what: list[str] | None, path: Path, force: bool = False) -> None:
    """Draw the items of `what`, or what fits, into a .png, .pdf or .svg file. Raises PlotError, OutputError, OSError."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise PlotError(f"cannot write {path}: the suffix says the format, one of {', '.join(SUFFIXES)}")
    with mpl.rc_context(_LOOK), missing_characters(suffix), outputs.replacing(path, force) as part:
        save(_draw(saved, what), part, suffix)


def png(saved: SavedStudy, item: str) -> bytes:
    """An item as the bytes of a .png. Raises PlotError."""
    with mpl.rc_context(_LOOK), missing_characters(".png"):
        figure = _draw(saved, [item])
        give_fonts(figure)
        made = BytesIO()
        figure.savefig(made, format="png", dpi=160)
        return made.getvalue()


def items(saved: SavedStudy) -> list[str]:
    """Everything that can be drawn of a study but points, X~Y; first what shows it best."""
    pictures = _Pictures(saved)
    axes = sum(len(values) > 1 for values in saved.axes.values())
    words = [*["curves"] * (axes > 0), *["map"] * (axes > 1), "histogram", "tornado"]
    found = [*pictures.fitting(), *(f"{word}:{name}" for word in words for name in saved.outputs)]
    return list(dict.fromkeys([*found, *(f"history:{label}" for label in saved.labels), "scatter"]))


def _draw(saved: SavedStudy, what: list[str] | None) -> Figure:
    if not saved.count:
        raise PlotError("the study holds no runs")
    pictures = _Pictures(saved)
    items = what or pictures.fitting()
    scatter = "scatter" in items
    if scatter and what and len(items) > 1:
        raise PlotError("'scatter' is a picture of its own; ask for it alone")
    panels = [] if scatter and what else [pictures.panel(item) for item in items if item != "scatter"]
    figure = pictures.scatter() if not panels else _figure(panels)
    done = f"{saved.count} runs" if saved.count == saved.planned or not saved.planned else f"{saved.count} of {saved.planned} runs"
    failed = f", {int(saved.failed.sum())} failed" if saved.failed.any() else ""
    figure.suptitle(literal(saved.title), x=0.012, ha="left", fontsize=11, fontweight="bold")
    figure.text(0.988, 0.995, literal(f"{saved.model}: {done}{failed}"), color=GREY, va="top", ha="right")
    return figure


def _figure(panels: list[Draw]) -> Figure:
    columns = min(3 if len(panels) > 4 else 2, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(max(4.2 * columns, 5.5) + 0.3, 3.1 * rows + 0.5), layout="constrained")
    for k, panel in enumerate(panels):
        panel(figure.add_subplot(rows, columns, k + 1))
    return figure


class _Pictures:
    """The panels of one study."""

    def __init__(self, saved: SavedStudy) -> None:
        self.saved = saved
        self.good = ~saved.failed
        self.kind = str(saved.findings.get("kind", ""))
        self.sampled = [name for name in saved.varied if name not in saved.axes]

    def fitting(self) -> list[str]:
        """The items that show a study best."""
        saved, names = self.saved, self.saved.outputs
        if self.kind == "optimize":
            return ["convergence"]
        if self.kind == "fit":
            return ["fit"]
        if self.kind:
            return [f"tornado:{name}" for name in names][:MOST_PANELS]
        axes = [name for name, values in saved.axes.items() if len(values) > 1]
        if len(axes) == 1 or (len(axes) == 2 and not self.sampled and min(len(saved.axes[name]) for name in axes) <= FEW // 2):
            found = [f"curves:{name}" for name in names]
        elif len(axes) == 2:
            found = [f"map:{name}" for name in names]
        elif self.sampled:
            found = [item for name in names for item in (f"histogram:{name}", f"tornado:{name}")]
        else:
            found = [f"histogram:{name}" for name in names]
        return found[:MOST_PANELS] or [f"history:{label}" for label in saved.labels][:MOST_PANELS] or ["scatter"]

    def panel(self, item: str) -> Draw:
        """Raises PlotError for an item that the study does not have."""
        if "~" in item:
            x, _, y = (part.strip() for part in item.partition("~"))
            return partial(self._points, x=self._known(x), y=self._known(y))
        word, _, name = item.partition(":")
        makers: dict[str, Callable[..., None]] = {
            "curves": self._curves, "map": self._map, "histogram": self._histogram, "tornado": self._tornado, "history": self._history,
        }  # fmt: skip
        if word in ("convergence", "fit"):
            if self.kind != {"convergence": "optimize"}.get(word, word):
                raise PlotError(f"the study has no '{word}': it is no {'optimisation' if word == 'convergence' else 'fit'}")
            return self._convergence if word == "convergence" else self._fit
        if word not in makers:
            words = [*makers, "convergence", "fit", "scatter"]
            raise PlotError(f"a study has no '{item}'{did_you_mean(word, words)}")
        if word == "history":
            if name not in self.saved.labels:
                raise PlotError(f"the study keeps no history '{name}'{did_you_mean(name, self.saved.labels)}")
        else:
            self._known(name, outputs_only=word in ("curves", "map", "tornado"))
        if word == "curves" and not self.saved.axes:
            raise PlotError("curves are over an axis of a grid, and the study has none")
        if word == "map" and len(self.saved.axes) < 2:
            raise PlotError("a map is over two axes of a grid, and the study has fewer")
        return partial(makers[word], name=name)

    def _known(self, name: str, outputs_only: bool = False) -> str:
        names = self.saved.outputs if outputs_only else [*self.saved.varied, *self.saved.outputs]
        if name not in names:
            raise PlotError(f"the study has no '{name}'{did_you_mean(name, names)}")
        return name

    def _label(self, name: str) -> str:
        return literal(with_units(name, self.saved.units(name)))

    # grids

    def _cube(self, name: str) -> np.ndarray:
        """An output over the grid: (values of each axis ..., samples)."""
        shape = [len(values) for values in self.saved.axes.values()]
        whole = np.full(int(np.prod(shape)) * max(1, -(-max(self.saved.planned, self.saved.count) // int(np.prod(shape)))), np.nan)
        whole[: self.saved.count] = np.where(self.good, self.saved[name], np.nan)
        return whole.reshape(*shape, -1)

    def _curves(self, axes: Axes, name: str) -> None:
        cube, names = self._cube(name), list(self.saved.axes)
        longest = int(np.argmax([len(self.saved.axes[axis]) for axis in names]))
        x = np.array(self.saved.axes[names[longest]])
        order = np.argsort(x)
        cube = np.moveaxis(cube, longest, 0)
        others = [axis for k, axis in enumerate(names) if k != longest]
        grid = cube.reshape(len(x), -1, cube.shape[-1])
        places = list(np.ndindex(*cube.shape[1:-1]))
        labels = [", ".join(f"{axis} {self.saved.axes[axis][i]:g}" for axis, i in zip(others, place, strict=True)) for place in places]
        for k, label in enumerate(labels[: len(COLOURS)]):
            y = grid[order, k]
            if y.shape[1] > 1:
                with np.errstate(all="ignore"):
                    low, high = np.nanpercentile(y, [5, 95], axis=1)
                axes.fill_between(x[order], low, high, color=COLOURS[k], alpha=0.2, linewidth=0)
            with np.errstate(all="ignore"):
                axes.plot(x[order], np.nanmean(y, axis=1), "-" if len(x) > 20 else "o-", ms=3, color=COLOURS[k], label=literal(label))
        if len(labels) > 1:
            axes.legend(fontsize=7)
        if _is_logarithmic(x):
            axes.set_xscale("log")
        if len(x) <= 20:
            axes.margins(x=0.02)  # the first and the last point are seen whole
        axes.set_xlabel(literal(names[longest]))
        axes.set_ylabel(self._label(name))
        axes.set_title(literal(name + (" (mean, 5 to 95 %)" if cube.shape[-1] > 1 else "")))

    def _map(self, axes: Axes, name: str) -> None:
        names = sorted(self.saved.axes, key=lambda axis: -len(self.saved.axes[axis]))[:2]
        names.sort(key=list(self.saved.axes).index)
        keep = tuple(k for k, axis in enumerate(self.saved.axes) if axis not in names)
        cube = self._cube(name)
        with np.errstate(all="ignore"):
            z = np.nanmean(cube, axis=(*keep, cube.ndim - 1))
        x, y = (np.array(self.saved.axes[axis]) for axis in names)
        a, b = np.argsort(x), np.argsort(y)
        picture = axes.pcolormesh(x[a], y[b], z[a][:, b].T, cmap="viridis", shading="nearest", rasterized=True)
        if min(z.shape) > 2 and np.isfinite(z).all() and np.ptp(z) > 0.0:
            lines = axes.contour(x[a], y[b], z[a][:, b].T, colors="white", linewidths=0.6)
            axes.clabel(lines, fontsize=6.5)
        axes.figure.colorbar(picture, ax=axes, label=self._label(name))
        for which, values in (("x", x), ("y", y)):
            if _is_logarithmic(values):
                getattr(axes, f"set_{which}scale")("log")
        axes.set_xlabel(literal(names[0]))
        axes.set_ylabel(literal(names[1]))
        axes.set_title(literal(name))
        axes.grid(False)

    # samples

    def _histogram(self, axes: Axes, name: str) -> None:
        x = self.saved[name][self.good]
        x = x[np.isfinite(x)]
        if not len(x):
            _nothing(axes, name)
            return
        counts, *_ = axes.hist(x, bins=int(np.clip(np.sqrt(len(x)), 5, 80)), color=COLOURS[0], alpha=0.75)
        axes.set_ylim(0.0, 1.25 * float(np.max(counts)))  # room for what the lines are
        for share, style in ((5, ":"), (50, "-"), (95, ":")):
            value = float(np.percentile(x, share))
            axes.axvline(value, color=COLOURS[1], linestyle=style)
            axes.annotate(f"{share} %\n{value:.4g}", (value, 1.0), xycoords=("data", "axes fraction"), fontsize=6.5, color=COLOURS[1],
                          xytext=(2, -2), textcoords="offset points", va="top", bbox={"facecolor": "white", "alpha": 0.7, "pad": 0.4,
                          "linewidth": 0})  # fmt: skip
        axes.set_xlabel(self._label(name))
        axes.set_ylabel("runs")
        axes.set_title(literal(f"{name}: {x.mean():.5g} ± {x.std(ddof=1) if len(x) > 1 else 0.0:.3g}"))

    def _tornado(self, axes: Axes, name: str) -> None:
        bars, label, errors = self._bars(name)
        if not bars:
            _nothing(axes, name)
            return
        order = sorted(bars, key=lambda key: abs(bars[key]))
        values = [bars[key] for key in order]
        colours = [COLOURS[0] if value >= 0.0 else COLOURS[1] for value in values]
        axes.barh(range(len(order)), values, color=colours, alpha=0.85)
        if errors:
            axes.errorbar(values, range(len(order)), xerr=[errors.get(key, 0.0) for key in order], fmt="none", ecolor=GREY, elinewidth=0.8)
        axes.set_yticks(range(len(order)), [literal(key) for key in order])
        axes.axvline(0.0, color=GREY, linewidth=0.8)
        axes.set_xlabel(label)
        axes.set_title(literal(name))
        axes.margins(x=0.05)
        if label == CORRELATION:
            axes.set_xlim(-1.0, 1.0)  # a weak correlation looks weak

    def _bars(self, name: str) -> tuple[dict[str, float], str, dict[str, float]]:
        """How an output depends on what varies, what that number is, and its uncertainty."""
        found = self.saved.findings.get("outputs", {}).get(name, {}).get("by") if self.kind not in ("optimize", "fit", "") else None
        if found:
            if self.kind == "derivatives":
                by = {key: row["elasticity"] for key, row in found.items()}
                if all(value is not None for value in by.values()):
                    return by, "elasticity: relative change over relative change", {}
                by = {key: row["derivative"] for key, row in found.items()}
                return {key: value for key, value in by.items() if value is not None}, "derivative", {}
            word = "mean_absolute" if self.kind == "morris" else "total"
            errors = {key: row.get(f"{word}_interval") or 0.0 for key, row in found.items()}
            return {key: row[word] or 0.0 for key, row in found.items()}, f"{self.kind} index, {word.replace('_', ' ')}", errors
        y = self.saved[name]
        use = self.good & np.isfinite(y)
        both = {key: spearman(self.saved[key][use], y[use]) for key in self.saved.varied} if use.sum() > 2 else {}
        return {key: value for key, value in both.items() if value is not None}, CORRELATION, {}

    def _points(self, axes: Axes, x: str, y: str) -> None:
        a, b = self.saved[x], self.saved[y]
        use = self.good & np.isfinite(a) & np.isfinite(b)
        a, b = a[use], b[use]
        step = max(1, -(-len(a) // MOST_POINTS))
        axes.plot(a[::step], b[::step], ".", ms=3, color=COLOURS[0], alpha=0.6, rasterized=True)
        if x in self.saved.outputs and y in self.saved.outputs and len(a):
            front = pareto(a, b)
            axes.step(a[front], b[front], "-", where="post", color=COLOURS[1], marker="o", ms=3, label="Pareto front (both small)")
            axes.legend(fontsize=7)
        axes.set_xlabel(self._label(x))
        axes.set_ylabel(self._label(y))
        axes.set_title(literal(f"{y} against {x}"))
        axes.margins(0.03)

    def scatter(self) -> Figure:
        """All that varies and all outputs against each other."""
        names = [*self.saved.varied, *self.saved.outputs][:MOST_SCATTER]
        n = len(names)
        figure = Figure(figsize=(1.7 * n + 1.0, 1.6 * n + 0.8), layout="constrained")
        columns = {name: self.saved[name] for name in names}
        step = max(1, -(-self.saved.count // (MOST_POINTS // 4)))
        for i, row in enumerate(names):
            for j, column in enumerate(names):
                axes = figure.add_subplot(n, n, i * n + j + 1)
                x, y = columns[column][self.good], columns[row][self.good]
                if i == j:
                    axes.hist(x[np.isfinite(x)], bins=20, color=COLOURS[0], alpha=0.75)
                else:
                    axes.plot(x[::step], y[::step], ".", ms=1.5, color=COLOURS[0], alpha=0.5, rasterized=True)
                    axes.margins(0.05)
                axes.locator_params(nbins=4)
                axes.tick_params(labelsize=6, labelbottom=i == n - 1, labelleft=j == 0 and i > 0)
                if i == n - 1:
                    axes.set_xlabel(literal(column), fontsize=7)
                if j == 0:
                    axes.set_ylabel(literal(row), fontsize=7)
        return figure

    def _history(self, axes: Axes, name: str) -> None:
        values = self.saved.history(name)[self.good]
        time = self.saved.time
        for row in values[:: max(1, -(-len(values) // MOST_CURVES))]:
            axes.plot(time, row, color=COLOURS[0], alpha=max(0.05, min(0.6, 12.0 / max(len(values), 1))), linewidth=0.7, rasterized=True)
        if len(values) > 4:
            with np.errstate(all="ignore"):
                low, middle, high = np.nanpercentile(values, [5, 50, 95], axis=0)
            axes.plot(time, middle, color=COLOURS[1], label="median")
            axes.plot(time, low, color=COLOURS[1], linestyle=":", label="5 and 95 %")
            axes.plot(time, high, color=COLOURS[1], linestyle=":")
            axes.legend(fontsize=7)
        axes.set_xlabel("time (s)")
        units = self.saved.label_units[self.saved.labels.index(name)]
        axes.set_ylabel(literal(with_units(name, units)))
        axes.set_title(literal(name))

    # findings

    def _convergence(self, axes: Axes) -> None:
        found = self.saved.findings
        sign = 1.0 if found["sense"] == "minimize" else -1.0
        y = np.where(self.good, self.saved[found["goal"]], np.nan)
        kept = np.isfinite(y)
        for name, limit in found["limits"].items():
            values = self.saved[name]
            kept &= ~(values < limit["min"] - 1e-9) if limit["min"] is not None else True
            kept &= ~(values > limit["max"] + 1e-9) if limit["max"] is not None else True
        runs = np.arange(self.saved.count)
        axes.plot(runs[~kept], y[~kept], ".", ms=2, color=GREY, alpha=0.4, label="limits exceeded", rasterized=True)
        axes.plot(runs[kept], y[kept], ".", ms=2, color=COLOURS[0], alpha=0.5, label="runs", rasterized=True)
        best = sign * np.fmin.accumulate(np.where(kept, sign * y, np.inf))
        axes.plot(runs, np.where(np.isfinite(best), best, np.nan), color=COLOURS[1], label="best so far")
        if kept.any() and (y[kept] > 0.0).all() and np.nanmax(y[kept]) > 30.0 * np.nanmin(y[kept]):
            axes.set_yscale("log")
        axes.set_xlabel("run")
        axes.set_ylabel(self._label(found["goal"]))
        axes.set_title(literal(f"{found['sense']} {found['goal']}: {found['outputs'][found['goal']]:.6g}"))
        axes.legend(fontsize=7)

    def _fit(self, axes: Axes) -> None:
        found: dict[str, Any] = self.saved.findings
        for k, (name, data) in enumerate(found["data"].items()):
            colour = COLOURS[k % len(COLOURS)]
            axes.plot(data["time"], data["measured"], ".", ms=3, color=colour, alpha=0.6, label=literal(f"{name}, measured"))
            axes.plot(data["time"], data["run"], "-", color=COLOURS[(k + 1) % len(COLOURS)], label=literal(f"{name}, run"))
        axes.set_xlabel("time (s)")
        units = {data["units"] for data in found["data"].values()}
        names = ", ".join(found["data"])
        axes.set_ylabel(literal(with_units(names, units.pop() if len(units) == 1 else "1")))
        axes.set_title(
            literal(", ".join(f"{name} {x:.5g} ± {found['std'][name] or 0.0:.2g}" for name, x in found["values"].items())), fontsize=8
        )
        axes.legend(fontsize=7)


def _is_logarithmic(x: np.ndarray) -> bool:
    """Whether the steps of an axis are equal factors, and not equal differences."""
    x = np.sort(x)
    if len(x) < 4 or x[0] <= 0.0:
        return False
    factors, steps = x[1:] / x[:-1], np.diff(x)
    return bool(factors.max() / factors.min() < LOGARITHMIC and steps.max() / max(steps.min(), 1e-300) > 2.0)


def _nothing(axes: Axes, name: str) -> None:
    axes.text(0.5, 0.5, literal(f"no run has a {name}"), ha="center", va="center", transform=axes.transAxes, color=GREY)
    axes.set_axis_off()
