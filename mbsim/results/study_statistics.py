"""Statistics of a study that its table and its pictures share."""

import numpy as np


def spearman(x: np.ndarray, y: np.ndarray) -> float | None:
    """The correlation of ranks: 1 where y only grows with x; None where one of them does not change."""
    a, b = (_ranks(values) for values in (x, y))
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b / size) if size > 0.0 else None


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks less their mean; equal values have the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - 0.5 * (counts - 1))[inverse]
    return np.asarray(ranks - ranks.mean(), float)


def pareto(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Places of the points of which no other is smaller in both, by x."""
    best, found = np.inf, []
    for k in np.lexsort((y, x)):
        if y[k] < best:
            best = y[k]
            found.append(int(k))
    return np.array(found, int)
