"""The part of a given surface over which something rolls, in a schematic: a hatched line, in space a net of lines."""

from collections.abc import Callable

import numpy as np

from mbsim.plots.sheet import GROUND, INK, Sheet
from mbsim.plots.symbols import LEVELS
from mbsim.scene.heights import Floats, Height

PLACES = 160  # of a line
NET = 12  # lines of a net in either direction


def draw_height(sheet: Sheet, project: Callable[[Floats], Floats], height: Height, seen: Floats, margin: float) -> None:
    """The surface under the places `seen` (k, 3) of what rolls on it, and so far around. `project` takes a point (3,) to the sheet."""
    low, high = seen.min(axis=0) - margin, seen.max(axis=0) + margin
    if height.planar:
        _draw_line(sheet, project, height, low[0], high[0])
    else:
        _draw_net(sheet, project, height, low[:2], high[:2])


def _draw_line(sheet: Sheet, project: Callable[[Floats], Floats], height: Height, low: float, high: float) -> None:
    """A line y = f(x) of the plane with strokes below it."""
    x = np.linspace(low, high, PLACES)
    y = height.at(x, np.zeros_like(x))
    points = np.array([project(np.array([a, b, 0.0]))[:2] for a, b in zip(x, y, strict=True) if np.isfinite(b)])
    sheet.line(points, LEVELS["plane"], 1.3, INK)
    apart = max(1, round(0.85 * sheet.u / max(1e-12, float(np.ptp(points[:, 0])) / len(points))))
    for a, b in zip(points[:-1:apart], points[1::apart], strict=False):
        along = (b - a) / max(1e-300, float(np.linalg.norm(b - a)))
        away = np.array([along[1], -along[0]])
        sheet.line(np.array([a, a + 0.95 * sheet.u * (away - 0.75 * along)]), LEVELS["plane"] - 0.2, 0.7, GROUND)


def _draw_net(sheet: Sheet, project: Callable[[Floats], Floats], height: Height, low: Floats, high: Floats) -> None:
    """A surface z = f(x, y) over the rectangle from `low` to `high` (2,)."""
    for k in (0, 1):
        along = np.linspace(low[1 - k], high[1 - k], PLACES)
        for at in np.linspace(low[k], high[k], NET):
            x, y = (np.full_like(along, at), along) if k == 0 else (along, np.full_like(along, at))
            z = height.at(x, y)
            points = np.array([project(np.array(p)) for p in zip(x, y, z, strict=True) if np.isfinite(p[2])])
            if len(points) > 1:
                sheet.line(points[:, :2], LEVELS["plane"], 0.6, "#9aa5b1", depth=float(points[:, 2].min()))
