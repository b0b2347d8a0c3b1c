"""Places for the names of joints and bodies, where they hide little."""

from typing import NamedTuple

import numpy as np

from mbsim.scene.read import Floats

AROUND = 16  # directions that are tried
AWAY = (0.0, 3.0, 7.0, 12.0)  # distances between a symbol and its name, in points
LETTERS = (8.0, 7.0)  # size of the names of joints and of bodies, in points


class Label(NamedTuple):
    """Words beside a point (2,)."""

    at: Floats
    words: str
    body: bool = False


def place_labels(labels: list[Label], busy: list[Floats], u: float, point: float) -> list[tuple[Label, Floats]]:
    """Each label with its place (2,), the middle of its words: clear of what is drawn and of other labels, and near its point.

    `u` is the half width of a link and `point` a printer's point, m. Words are boxes: wider than high.
    """
    taken = [(at, np.full(2, 0.9 * u)) for at in busy] + [(label.at, np.full(2, 1.1 * u)) for label in labels if not label.body]
    found = []
    for label in labels:
        letters = LETTERS[label.body] * point
        half = np.array([0.31 * letters * len(label.words), 0.42 * letters])
        best, least = label.at, np.inf
        middles, sizes = (np.array(one) for one in zip(*taken, strict=True)) if taken else (np.zeros((0, 2)), np.zeros((0, 2)))
        for k in range(AROUND):
            way = np.array([np.cos(2 * np.pi * k / AROUND), np.sin(2 * np.pi * k / AROUND)])
            edge = half / np.maximum(np.abs(way), 1e-3)
            for distance in AWAY:
                place = label.at + way * (1.3 * u + 2.0 * point + distance * point + float(edge.min()))
                over = half + sizes - np.abs(middles - place)
                hidden = float(np.prod(np.maximum(over, 0.0), axis=1).sum()) / (letters * letters)
                cost = 4.0 * hidden + 0.1 * distance - 0.05 * (way[0] + way[1])
                if cost < least:
                    best, least = place, cost
        found.append((label, best))
        taken.append((best, half + point))
    return found
