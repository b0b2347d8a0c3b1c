"""How far a path passes by given points: the number of `path_error(coupler.P, points.csv)`.

The points are read once, where the text is read, and become part of it: `path_error(coupler.P, t, x, y, 0, 3, 3, 0.25, 2.759, 3.363)`.
So a text that goes to another process, or another machine, needs no file.

With times, the error is the mean of the squared distances of the point from where it is to be at each time, on the cubic through four rows.
Without, it is the mean of the squared distances of the given points from the path: of each from the nearest place of the same cubics. Both
are in m^2.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from mbsim.model.expressions.parsed import Call, Node
from mbsim.model.file.csv_points import CsvError, read_rows
from mbsim.model.file.errors import ExpressionError
from mbsim.results.reductions import Floats, ReductionError

PATH_ERROR = "path_error"
TAKES = f"a point and a file of points, as {PATH_ERROR}(coupler.P, points.csv), with columns x, y (z in space), and t where times are given"
MOST_POINTS = 1000  # of one error; each is looked for in all rows of each run
_FILE = re.compile(rf"(?<![\w.]){PATH_ERROR}\s*\([^(),]*,\s*(?P<file>\"[^\"()]*\"|'[^'()]*'|[^\"'(),\s]+\.csv)\s*\)")
_HEADS = (("x", "y"), ("x", "y", "z"), ("t", "x", "y"), ("t", "x", "y", "z"))
_STEPS = 6  # of Newton's method from the nearest of the places tried, to where a path is next to a point
_TRIED = 9  # places on each of the cubics beside the nearest row


@dataclass(frozen=True, slots=True)
class Curve:
    """The points that a path is to pass."""

    points: tuple[tuple[float, ...], ...]  # (k, 2 or 3) m
    times: tuple[float, ...] = ()  # (k,) s; none: the path may pass them at any time

    @property
    def axes(self) -> str:
        """`xy`, in space `xyz`."""
        return "xyz"[: len(self.points[0])]

    def written(self) -> str:
        """As arguments of the function: names of columns, then their numbers, row by row."""
        heads = ["t"] * bool(self.times) + list(self.axes)
        rows = [(t, *p) for t, p in zip(self.times, self.points, strict=True)] if self.times else self.points
        return ", ".join([*heads, *(repr(float(number)) for row in rows for number in row)])


@dataclass(frozen=True, slots=True)
class PathError(Call):
    """The call: its arguments are the coordinates of the point that draws the path."""

    curve: Curve


def masked(text: str) -> tuple[str, dict[int, str]]:
    """A text with letters in place of the names of files, which are no expressions; and these, quotes included, by their offsets."""
    files: dict[int, str] = {}

    def mask(found: re.Match[str]) -> str:
        start = found.start("file") - found.start()
        files[found.start("file")] = found["file"]
        return found[0][:start] + "f" * len(found["file"]) + found[0][start + len(found["file"]) :]

    return _FILE.sub(mask, text), files


def unmasked(text: str, files: Mapping[int, str], curves: Mapping[int, Curve]) -> str:
    """The text with points in place of the names of files."""
    for offset in sorted(files, reverse=True):
        text = text[:offset] + curves[offset].written() + text[offset + len(files[offset]) :]
    return text


def read_curve(path: Path, offset: int) -> Curve:
    """The points of a CSV file. Raises ExpressionError at a place of the text, with the line of the file that is wrong."""
    heads: list[str] = []

    def places(names: Sequence[str]) -> tuple[int, ...]:
        known = {"time": "t"}
        heads.extend(known.get(name, name) for name in names)
        if tuple(sorted(heads)) not in [tuple(sorted(row)) for row in _HEADS]:
            told = f"columns {', '.join(heads)[:60]}" if heads else "no line with the names of its columns"
            raise ExpressionError(f"{path.name} has {told}; expected x, y or x, y, z, and t where times are given", offset)
        return tuple(heads.index(name) for name in "txyz" if name in heads)

    try:
        rows = read_rows(path, places)
    except CsvError as error:
        first = error.mistakes[0]
        place = f"{path.name}:{first.line}:{first.column}: " if first.line else ""
        raise ExpressionError(place + first.message, offset) from None
    return _curve([row.values for row in rows], "t" in heads, offset)


def given_curve(heads: Sequence[str], numbers: Sequence[float], offset: int) -> Curve:
    """The points of the arguments that stand in place of a file. Raises ExpressionError."""
    width = len(heads)
    if tuple(heads) not in _HEADS or not numbers or len(numbers) % width:
        raise ExpressionError(f"{PATH_ERROR} takes {TAKES}", offset)
    return _curve([tuple(numbers[k : k + width]) for k in range(0, len(numbers), width)], heads[0] == "t", offset)


def _curve(rows: Sequence[tuple[float, ...]], timed: bool, offset: int) -> Curve:
    if not rows or len(rows) > MOST_POINTS:
        raise ExpressionError(f"{PATH_ERROR} takes 1 to {MOST_POINTS} points (got {len(rows)})", offset)
    if not timed:
        return Curve(tuple(rows))
    return Curve(tuple(row[1:] for row in rows), tuple(row[0] for row in rows))


def path_call(arguments: tuple[Node, ...], curve: Curve, offset: int) -> PathError:
    """The node of a call."""
    return PathError(PATH_ERROR, arguments, offset, 2, 0, curve)


def mean_squared_distance(time: Floats, path: Floats, curve: Curve) -> float:
    """m^2, of a path (k, d) at times (k,). Raises ReductionError for a time outside of the run, and a run without rows."""
    if not len(time):
        raise ReductionError("the run has no rows")
    wanted = np.array(curve.points, float)
    cubics = _Cubics(time, path)
    if curve.times:
        when = np.array(curve.times)
        slack = 1e-9 * max(abs(float(time[-1])), abs(float(time[0])))
        outside = when[(when < time[0] - slack) | (when > time[-1] + slack)]
        if outside.size:
            raise ReductionError(f"the run has no place at t = {outside[0]:g} s: it goes from {time[0]:g} s to {time[-1]:g} s")
        apart = cubics.at(when)[0] - wanted
    else:
        apart = cubics.nearest(wanted) - wanted
    return float(np.mean(np.sum(apart**2, axis=1)))


class _Cubics:
    """A path between its rows: through the four rows around, or as many as there are."""

    def __init__(self, time: Floats, path: Floats) -> None:
        keep = np.append(True, np.diff(time) > 0.0)  # both sides of an event are one place
        self.time, self.path = time[keep], path[keep]

    @cached_property
    def _width(self) -> int:
        return min(4, len(self.time))

    def at(self, when: Floats) -> tuple[Floats, Floats, Floats]:
        """Places (m, d), velocities and accelerations at times (m,)."""
        first = np.clip(np.searchsorted(self.time, when) - 2, 0, len(self.time) - self._width)
        rows = first[:, None] + np.arange(self._width)
        s, y = self.time[rows], self.path[rows]  # (m, width), (m, width, d)
        span = s[:, -1] - s[:, 0]
        scale = np.where(span > 0.0, span, 1.0)  # of a single row there is no time
        u, at = (s - s[:, :1]) / scale[:, None], (when - s[:, 0]) / scale
        powers = np.arange(self._width)
        coefficients = np.linalg.solve(u[:, :, None] ** powers, y)  # (m, width, d)
        value = np.einsum("mp,mpd->md", at[:, None] ** powers, coefficients)
        slope = np.einsum("mp,mpd->md", powers[1:] * at[:, None] ** powers[:-1], coefficients[:, 1:])
        bend = np.einsum("mp,mpd->md", (powers[2:] * powers[1:-1]) * at[:, None] ** powers[:-2], coefficients[:, 2:])
        return value, slope / scale[:, None], bend / scale[:, None] ** 2

    def nearest(self, wanted: Floats) -> Floats:
        """The places (m, d) of the path that are nearest to points (m, d)."""
        squared = np.sum((self.path[None] - wanted[:, None]) ** 2, axis=2)  # (m, k)
        k = np.argmin(squared, axis=1)
        low, high = self.time[np.maximum(k - 1, 0)], self.time[np.minimum(k + 1, len(self.time) - 1)]
        shares = np.linspace(0.0, 1.0, 2 * _TRIED - 1)
        tried = low[:, None] + shares * (high - low)[:, None]  # (m, tried)
        places = self.at(tried.ravel())[0].reshape(*tried.shape, -1)
        best = np.argmin(np.sum((places - wanted[:, None]) ** 2, axis=2), axis=1)
        each = np.arange(len(wanted))
        when = tried[each, best]
        for _ in range(_STEPS):
            place, velocity, acceleration = self.at(when)
            apart = place - wanted
            slope = np.sum(apart * velocity, axis=1)
            bend = np.sum(velocity**2, axis=1) + np.sum(apart * acceleration, axis=1)
            with np.errstate(all="ignore"):
                step = np.where(bend > 0.0, -slope / bend, 0.0)
            when = np.clip(when + np.nan_to_num(step), low, high)
        found, before = self.at(when)[0], places[each, best]
        nearer = np.sum((found - wanted) ** 2, axis=1) <= np.sum((before - wanted) ** 2, axis=1)
        return np.where(nearer[:, None], found, before)
