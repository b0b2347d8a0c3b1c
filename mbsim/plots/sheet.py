"""A sheet that symbols are drawn on: lines, areas and texts in the picture's plane, in the mechanism's metres, in an order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from mbsim.scene.read import Floats

INK = "#1c2733"
GROUND = "#5b6672"
PAPER = "#ffffff"
# Bodies in turn: light tones of Okabe and Ito's colours with their dark edges.
FILLS = ("#cfe3f3", "#f8dcc9", "#cdeadf", "#f2dde9", "#dcecf7", "#fbe8c4", "#e3e3e3")
EDGES = ("#0b4f80", "#a04708", "#046b4c", "#8d4a74", "#2b77a3", "#9a6b00", "#444444")
ACCENT = "#c0392b"
HALO = {"facecolor": PAPER, "alpha": 0.55, "edgecolor": "none", "pad": 0.4}  # so that names are read over lines


@dataclass
class Sheet:
    """Symbols are added in any order; `depth` (towards the viewer) and `level` say which is on top."""

    axes: Axes
    u: float  # half the width of a link, m
    planar: bool
    points: list[Floats] = field(default_factory=list)  # (k, 2) all that is drawn, for the frame

    def order(self, level: float, depth: float) -> float:
        """The place in the order of drawing."""
        return 2.0 + level if self.planar else 2.0 + depth / self.u * 0.01 + 0.004 * level

    def line(
        self, points: Floats, level: float, width: float = 1.2, colour: str = INK, style: str = "-", depth: float | None = None
    ) -> None:
        """A line through points (k, 2) or (k, 3) with depths."""
        deep = float(points[:, 2].mean()) if points.shape[1] == 3 and depth is None else depth or 0.0
        self.axes.plot(
            points[:, 0], points[:, 1], style, color=colour, lw=width, zorder=self.order(level, deep),
            solid_capstyle="round", solid_joinstyle="round",
        )  # fmt: skip
        self.points.append(points[:, :2])

    def area(
        self, points: Floats, level: float, fill: str | None, edge: str | None = INK, width: float = 1.0, depth: float | None = None
    ) -> None:
        """A polygon (k, 2) or (k, 3)."""
        deep = float(points[:, 2].mean()) if points.shape[1] == 3 and depth is None else depth or 0.0
        patch = Polygon(
            points[:, :2], closed=True, facecolor=fill or "none", edgecolor=edge or "none", lw=width if edge else 0.0,
            zorder=self.order(level, deep), joinstyle="round",
        )  # fmt: skip
        self.axes.add_patch(patch)
        self.points.append(points[:, :2])

    def disk(
        self, centre: Floats, radius: float, level: float, fill: str | None = PAPER, edge: str | None = INK, width: float = 1.1,
        depth: float = 0.0,
    ) -> None:  # fmt: skip
        """A round area."""
        self.area(centre[:2] + radius * round_about(40), level, fill, edge, width, depth)

    def text(self, at: Floats, words: str, size: float = 8.0, colour: str = INK, **more: Any) -> None:
        """Words, their middle at a point."""
        at, words = np.asarray(at[:2], float), words.replace("$", r"\$")
        self.axes.text(at[0], at[1], words, fontsize=size, color=colour, ha="center", va="center", zorder=1e4, bbox=HALO, **more)
        self.points.append(at[None])


def round_about(count: int) -> Floats:
    """Points (count, 2) of the unit circle."""
    turn = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return np.column_stack([np.cos(turn), np.sin(turn)])


def side(along: Floats) -> Floats:
    """(2,) square to a direction (2,), to its left."""
    return np.array([-along[1], along[0]])


def unit(vector: Floats, otherwise: Sequence[float] = (1.0, 0.0)) -> Floats:
    """(2,) of length 1; `otherwise` where there is no direction."""
    size = float(np.linalg.norm(vector))
    return vector / size if size > 1e-12 else np.array(otherwise, float)


def stadium(a: Floats, b: Floats, radius: float) -> Floats:
    """The outline (k, 2) of a link from a to b."""
    along = unit(b[:2] - a[:2])
    turn = np.arctan2(along[1], along[0])
    ends = [
        centre[:2] + radius * np.column_stack([np.cos(angles), np.sin(angles)])
        for centre, angles in (
            (b, np.linspace(turn - np.pi / 2, turn + np.pi / 2, 16)),
            (a, np.linspace(turn + np.pi / 2, turn + 3 * np.pi / 2, 16)),
        )
    ]
    return np.concatenate(ends)


def rounded_hull(points: Floats, radius: float) -> Floats:
    """The outline (k, 2) of what discs of a radius about points (n, 2) span."""
    every = (points[:, None, :2] + radius * round_about(32)).reshape(-1, 2)
    return hull(every)


def hull(points: Floats) -> Floats:
    """The convex hull (k, 2) of points (n, 2), in order."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(given: Floats) -> list[Floats]:
        kept: list[Floats] = []
        for p in given:
            while len(kept) > 1 and np.linalg.det(np.array([kept[-1] - kept[-2], p - kept[-2]])) <= 0.0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array([*half(order), *half(order[::-1])])
