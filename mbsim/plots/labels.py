"""Places for the names of joints and bodies, where they hide little."""

from typing import NamedTuple

import numpy as np

from mbsim.scene.read import Floats

AROUND = 16  # directions that are tried
AWAY = (0.0, 3.0, 7.0, 12.0)  # distances between a symbol and its name, in points
SWEEPS = 4  # over all labels
LETTERS = (8.0, 7.0)  # size of the names of joints and of bodies, in points


class Label(NamedTuple):
    """Words beside a point (2,)."""

    at: Floats
    words: str
    body: bool = False


def half_size(label: Label, point: float) -> Floats:
    """(2,) half the width and the height of the box around the words, m; `point` is a printer's point, m."""
    letters = LETTERS[label.body] * point
    return np.array([0.31 * letters * len(label.words), 0.42 * letters])


def place_labels(labels: list[Label], busy: list[Floats], u: float, point: float) -> list[tuple[Label, Floats]]:
    """Each label with its place (2,), the middle of its words: clear of what is drawn and of other labels, and near its point.

    `u` is the half width of a link and `point` a printer's point, m. Words are boxes: wider than high. Labels are placed one after
    another and then again, each with all others where they are, so that an early one makes room for those that came after it.
    """
    drawn = [(at, np.full(2, 0.9 * u)) for at in busy] + [(label.at, np.full(2, 1.1 * u)) for label in labels if not label.body]
    fixed = [np.array(one).reshape(-1, 2) for one in zip(*drawn, strict=True)] if drawn else [np.zeros((0, 2))] * 2
    places: list[Floats | None] = [None] * len(labels)
    for _ in range(SWEEPS):
        before = list(places)
        for n, label in enumerate(labels):
            others = [(at, half_size(labels[m], point) + point) for m, at in enumerate(places) if m != n and at is not None]
            middles = np.concatenate([fixed[0], *(at[None] for at, _ in others)])
            sizes = np.concatenate([fixed[1], *(size[None] for _, size in others)])
            places[n] = _best(label, middles, sizes, u, point)
        if all(was is not None and now is not None and np.array_equal(was, now) for was, now in zip(before, places, strict=True)):
            break
    return [(label, label.at if place is None else place) for label, place in zip(labels, places, strict=True)]


def _best(label: Label, middles: Floats, sizes: Floats, u: float, point: float) -> Floats:
    """The place around its point at which a label hides least of the boxes with these middles and half sizes (n, 2)."""
    letters, half = LETTERS[label.body] * point, half_size(label, point)
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ways = np.column_stack([np.cos(turn), np.sin(turn)])
    edge = (half / np.maximum(np.abs(ways), 1e-3)).min(axis=1)
    reach = 1.3 * u + 2.0 * point + point * np.array(AWAY)[None] + edge[:, None]  # (ways, distances)
    places = label.at + ways[:, None] * reach[..., None]
    over = half + sizes - np.abs(middles - places[:, :, None])
    hidden = np.prod(np.maximum(over, 0.0), axis=-1).sum(axis=-1) / (letters * letters)
    cost = 4.0 * hidden + 0.1 * np.array(AWAY) - 0.05 * ways.sum(axis=1)[:, None]
    found: Floats = places.reshape(-1, 2)[int(cost.argmin())]
    return found
