"""Eigenvalues in the complex plane, and over a parameter."""

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbsim.plots.style import COLOURS, GREY, literal
from mbsim.results.linear import SavedLocus

PARTS = ("growth", "frequency", "plane")  # of a picture of a locus
NARROWEST = 0.05  # of the largest eigenvalue: half the width of a picture without damping
BEHIND = {"facecolor": "white", "alpha": 0.7, "pad": 0.5, "edgecolor": "none"}  # a text that lies over lines
SLOWEST = 24  # branches of a locus that are shown where the fastest would hide them
HIDES = 30.0  # times as fast as the slowest
SAME = 1e-6  # of an eigenvalue: as far as those of a pair may differ
MARGIN = 0.08  # of the axes, so that no mark is cut


def plane(axes: Axes, values: np.ndarray) -> None:
    """Eigenvalues (N,) complex, 1/s: what decays and oscillates, what grows, what is zero."""
    kinds = (
        ("decays or stays", (values.real <= 0.0) & (values != 0.0), COLOURS[0]),
        ("grows", values.real > 0.0, COLOURS[1]),
        ("zero", values == 0.0, GREY),
    )
    for label, chosen, colour in kinds:
        if chosen.any():
            count = f" ({chosen.sum()})" if label == "zero" else ""
            axes.plot(values[chosen].real, values[chosen].imag, "x", color=colour, markersize=6, label=label + count)
    _axes_of_the_plane(axes)
    least = NARROWEST * float(np.abs(values).max(initial=0.0))
    if np.abs(values.real).max(initial=0.0) < least:
        axes.set_xlim(-least, least)
    axes.set_title("eigenvalues")
    axes.legend(loc="best")


def slow(saved: SavedLocus) -> np.ndarray:
    """(N,) which branches a picture shows: all, or the slowest and what grows where the fastest would hide these."""
    sizes = np.abs(saved.eigenvalues).max(axis=0, initial=0.0)
    if len(sizes) <= SLOWEST or sizes.max() <= HIDES * (most := np.sort(sizes)[SLOWEST - 1]):
        return np.ones(len(sizes), bool)
    return np.asarray((sizes <= most * (1.0 + SAME)) | (saved.eigenvalues.real > 0.0).any(axis=0))


def locus(figure: Figure, saved: SavedLocus, parts: tuple[str, ...]) -> None:
    """A root locus: real parts and frequencies over the parameter on the left, the complex plane on the right."""
    shown = slow(saved)
    left_out = "" if shown.all() else f": the slowest {shown.sum()} of {len(shown)}"
    left = [part for part in parts if part != "plane"]
    columns = bool(left) + ("plane" in parts)
    grid = figure.add_gridspec(max(1, len(left)), columns)
    for row, part in enumerate(left):
        axes = figure.add_subplot(grid[row, 0])
        _over(axes, saved, part, saved.eigenvalues[:, shown])
        if row == len(left) - 1:
            axes.set_xlabel(literal(saved.parameter))
    if "plane" in parts:
        axes = figure.add_subplot(grid[:, columns - 1])
        points = saved.eigenvalues[:, shown]
        shades = np.broadcast_to(saved.values[:, None], points.shape)
        drawn = axes.scatter(points.real, points.imag, c=shades, s=7, cmap="viridis", linewidths=0)
        figure.colorbar(drawn, ax=axes, label=literal(saved.parameter), pad=0.02, aspect=40)
        _axes_of_the_plane(axes)
        axes.set_title(f"root locus{left_out}")


def _over(axes: Axes, saved: SavedLocus, part: str, branches: np.ndarray) -> None:
    values = saved.values
    for low, high in _unstable(saved):
        axes.axvspan(low, high, color=COLOURS[1], alpha=0.08, linewidth=0)
    lines = branches.real if part == "growth" else np.where(branches.imag > 0.0, branches.imag, np.nan) / (2.0 * np.pi)
    axes.plot(values, lines, color=COLOURS[0], linewidth=1.0)
    if part == "growth":
        axes.axhline(0.0, color=GREY, linewidth=0.8)
    for value, frequency, becomes in saved.crossings:
        axes.axvline(value, color=COLOURS[1], linewidth=0.8, linestyle="--")
        told = f"{value:.6g} {becomes} above" if part == "growth" else f"{frequency:.4g} Hz"
        axes.annotate(told, (value, 1.0), (2, -2), xycoords=("data", "axes fraction"), textcoords="offset points",
                      rotation=90, ha="left", va="top", fontsize=7, color=GREY, bbox=BEHIND)  # fmt: skip
    axes.set_ylabel("real part (1/s)" if part == "growth" else "frequency Im/2π (Hz)")
    axes.set_title("growth; shaded: unstable" if part == "growth" else "frequency")
    axes.margins(y=MARGIN)
    if part == "frequency":
        axes.set_ylim(bottom=0.0)


def _unstable(saved: SavedLocus) -> list[tuple[float, float]]:
    """Where some motion grows."""
    edges = [saved.values[0], *(value for value, _, _ in saved.crossings), saved.values[-1]]
    found = []
    for low, high in pairwise(edges):
        inside = (saved.values > low) & (saved.values < high)
        if inside.any() and not saved.stable[inside].all():
            found.append((float(low), float(high)))
    return found


def _axes_of_the_plane(axes: Axes) -> None:
    for line in (axes.axvline, axes.axhline):
        line(0.0, color=GREY, linewidth=0.8, zorder=0)
    axes.set_xlabel("real part (1/s)")
    axes.set_ylabel("imaginary part (1/s)")
    axes.margins(MARGIN)
