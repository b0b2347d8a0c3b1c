"""Curves that coincide are drawn in turns: the first one whole, the others as dashes over it, so that each is seen."""

from collections.abc import Sequence

import numpy as np

from mbsim.plots.panels import Line

ONE_LINE = 0.006  # of the height of the axes: less than the width of a line
MUCH = 0.9  # of the points; curves that part somewhere are told apart there
DASH = 5.0  # widths of a line
Style = str | tuple[float, tuple[float, ...]]  # as matplotlib takes it


def styles(lines: Sequence[Line], logarithmic: bool, usual: Sequence[Style]) -> list[Style]:
    """The style of each line: the `usual` one, or dashes where it coincides with an earlier one."""
    values = [np.log10(np.maximum(line.y, 1e-300)) if logarithmic else np.asarray(line.y, float) for line in lines]
    every = np.concatenate(values) if values else np.zeros(0)
    every = every[np.isfinite(every)]
    near = ONE_LINE * float(np.ptp(every)) if len(every) else 0.0
    groups: list[list[int]] = []
    for i, line in enumerate(lines):
        group = next((group for group in groups if _alike(lines[group[0]], values[group[0]], line, values[i], near)), None)
        if group is None:
            groups.append([i])
        else:
            group.append(i)
    found = list(usual)
    for group in groups:
        period = DASH * len(group)
        for place, i in enumerate(group[1:], start=1):
            found[i] = (period - place * DASH, (DASH, period - DASH))
    return found


def _alike(one: Line, first: np.ndarray, other: Line, second: np.ndarray, near: float) -> bool:
    if len(one.x) != len(other.x) or not np.array_equal(one.x, other.x):
        return False
    known = np.isfinite(first) & np.isfinite(second)
    return bool(known.any()) and float(np.mean(np.abs(first[known] - second[known]) <= near)) >= MUCH
