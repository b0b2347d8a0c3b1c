"""Triangles as pixels: which one is nearest at each pixel, and what share of a pixel each colour has.

Every pixel is looked at in its middle. Where the nearest surface changes from a pixel to the next, and under triangles that are thinner
than a pixel or two, it is looked at again at FINER x FINER places, so that edges are smooth and wires stay whole. That is a small part of a
picture, which costs a fraction of drawing all of it finer.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.scene.read import Floats

Whole = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Numbers = NDArray[np.floating[Any]]
FINER = 2  # places across a pixel
THIN = 1.0  # pixels: the height of triangles under which every pixel is looked at again
EVEN = 1e-3  # of the light: triangles whose corners differ by less have one tone
_IDS = 24  # bits of a key that hold the number of the triangle; the depth has those above
_LEVELS = float(2 ** (62 - _IDS))


class Triangles(NamedTuple):
    """Those that face the viewer, in pixels."""

    corners: Floats  # (n, 3, 3): right, down, depth towards the viewer
    tones: Floats  # (n, 3): the colour of each, 0 to 255
    light: Floats  # (n, 3): at each corner, what the colour is multiplied with
    surface: Whole  # (n,): those of one surface have no edge between them


class Places(NamedTuple):
    """Where is looked: at all places of a picture, or at those within some of its pixels."""

    rows: int
    across: int
    row: Whole  # (rows + 1,) where each row begins among the places
    x: Whole | None = None  # (places,) the column of each place; None: all columns, in order
    again: NDArray[np.int32] | None = None  # (pixels down, pixels across + 1) 1 for pixels whose places there are
    before: NDArray[np.int32] | None = None  # likewise: how many of them lie left of a pixel in its row

    def left_of(self, y: Whole, column: Whole) -> Whole:
        """How many places of the rows `y` lie left of columns."""
        assert self.again is not None and self.before is not None
        pixel, rest = np.divmod(column, FINER)
        down = y // FINER
        return self.before[down, pixel] * FINER + self.again[down, pixel] * rest


def paint(found: Triangles, wide: int, tall: int, paper: tuple[int, int, int]) -> Bytes:
    """The picture (tall, wide, 3) of triangles."""
    which = nearest(found.corners, Places(tall, wide, np.arange(tall + 1) * wide))
    shades = Shades(found, paper)
    pixels = shades.at(which, lambda some: (some % wide + 0.5, some // wide + 0.5))
    again = _edges(found, which.reshape(tall, wide)) | _thin(found.corners, wide, tall)
    some, order = _within(again)
    if some.x is not None and len(order):
        finer = found._replace(corners=found.corners * [FINER, FINER, 1.0])
        across, rows = some.x, np.repeat(np.arange(some.rows), np.diff(some.row))
        which = nearest(finer.corners, some)
        parts = Shades(finer, paper).at(which, lambda some: (across[some] + 0.5, rows[some] + 0.5)).view(np.uint8).reshape(-1, 4)
        mean = np.add.reduce(parts[order], axis=1, dtype=np.uint16) // FINER**2
        pixels[np.flatnonzero(again)] = mean.astype(np.uint8).view(np.uint32)[:, 0]
    return pixels.view(np.uint8).reshape(tall, wide, 4)[..., :3]


def nearest(corners: Floats, places: Places) -> Whole:
    """The triangle (n, 3: right, down, depth) that is nearest at each place, -1 where there is none.

    A triangle is cut into rows of places and each row into places. What is kept of each is a whole number: depth above, triangle below.
    """
    buffer = np.full(int(places.row[-1]), -1, np.int64)
    if not len(corners):
        return buffer
    low = np.clip(np.ceil(corners[..., 1].min(axis=1) - 0.5), 0, places.rows).astype(np.int64)
    high = np.clip(np.floor(corners[..., 1].max(axis=1) - 0.5), -1, places.rows - 1).astype(np.int64)
    of, y = expand(low, high)
    left, right = _span(corners, of, y + 0.5, places.across)
    whole = right >= left
    of, y, left, right = of[whole], y[whole], left[whole], right[whole]
    if places.x is not None:
        left, right = places.left_of(y, left), places.left_of(y, right + 1) - 1
        whole = right >= left
        of, y, left, right = of[whole], y[whole], left[whole], right[whole]
    base, slope = _planes(corners, corners[..., 2])
    near, far = float(corners[..., 2].max()), float(corners[..., 2].min())
    scale = (_LEVELS - 2.0) / (near - far) if near > far else 0.0
    counts, begin = np.maximum(right - left + 1, 0), places.row[y]
    at = _ranges(begin + left, counts)
    right_ward = slope[of, 0] * scale
    level = (base[of] - far + slope[of, 1] * (y + 0.5)) * scale + 1.0 + 0.5 * right_ward
    if places.x is None:
        depth = np.repeat(level - right_ward * begin, counts)
        depth += np.repeat(right_ward, counts) * at
    else:
        depth = np.repeat(level, counts) + np.repeat(right_ward, counts) * places.x[at]
    np.clip(depth, 0.0, _LEVELS - 1.0, out=depth)
    key = depth.astype(np.int64)
    key <<= _IDS
    key |= np.repeat(of, counts)
    np.maximum.at(buffer, at, key)
    seen = buffer >= 0
    buffer &= (1 << _IDS) - 1
    buffer[~seen] = -1
    return buffer


def _ranges(first: Whole, counts: Whole) -> Whole:
    """The numbers of ranges that begin at `first` and hold so many whole numbers."""
    return np.arange(int(counts.sum())) + np.repeat(first - np.cumsum(counts) + counts, counts)


def expand(first: Whole, last: Whole) -> tuple[Whole, Whole]:
    """The numbers in ranges of whole numbers, both ends within: the index of the range of each number, and the numbers."""
    counts = np.maximum(last - first + 1, 0)
    return np.repeat(np.arange(len(first)), counts), _ranges(first, counts)


def _span(corners: Floats, of: Whole, middle: Numbers, across: int) -> tuple[Whole, Whole]:
    """The first and the last column of each triangle `of` in the row whose middle is given."""
    left, right = np.zeros(len(of)), np.full(len(of), float(across - 1))
    for i in range(3):
        a, b = corners[:, i], corners[:, (i + 1) % 3]
        # Inside of an edge for corners counterclockwise to the eye; y is downwards here.
        A = (b[:, 1] - a[:, 1])[of]
        rest = (b[:, 0] - a[:, 0])[of] * (a[of, 1] - middle)
        edge = a[of, 0] - np.divide(rest, A, out=np.zeros(len(of)), where=A != 0.0) - 0.5
        right = np.where(A < 0.0, np.minimum(right, edge), right)
        left = np.where(A > 0.0, np.maximum(left, edge), left)
        right = np.where((A == 0.0) & (rest < 0.0), -1.0, right)
    return np.ceil(left).astype(np.int64), np.floor(right).astype(np.int64)


def _planes(corners: Floats, values: Floats) -> tuple[Floats, Floats]:
    """What is linear over a triangle and has values (n, 3) at its corners: its value at the origin (n,) and its slopes (n, 2)."""
    ab, ac = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    det = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
    det = np.where(det == 0.0, 1.0, det)
    up, over = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    slope = np.stack([up * ac[:, 1] - over * ab[:, 1], over * ab[:, 0] - up * ac[:, 0]], axis=1) / det[:, None]
    return values[:, 0] - slope[:, 0] * corners[:, 0, 0] - slope[:, 1] * corners[:, 0, 1], slope


class Shades:
    """The colours of triangles where they are nearest, four bytes as one number: red, green, blue and a spare one."""

    def __init__(self, found: Triangles, paper: tuple[int, int, int]) -> None:
        self._tones = found.tones
        self._least, self._most = found.light.min(axis=1), found.light.max(axis=1)
        flat = np.full((len(found.tones) + 1, 4), 255, np.uint8)
        flat[:-1, :3] = np.minimum(found.tones * found.light.mean(axis=1)[:, None], 255.0)
        flat[-1, :3] = paper  # of the triangle -1: none
        self._flat = flat.view(np.uint32)[:, 0]
        self._round = np.append(self._most - self._least > EVEN, False)
        self._base, self._slope = _planes(found.corners, found.light)

    def at(self, which: Whole, where: Callable[[Whole], tuple[Numbers, Numbers]]) -> NDArray[np.uint32]:
        """The colours (places,) of places; `where` gives the column and row of some of them."""
        colours = self._flat[which]
        curved = np.flatnonzero(self._round[which])
        of = which[curved]
        x, y = where(curved)
        light = self._base[of] + self._slope[of, 0] * x + self._slope[of, 1] * y
        np.clip(light, self._least[of], self._most[of], out=light)
        found = np.full((len(of), 4), 255, np.uint8)
        found[:, :3] = np.minimum(self._tones[of] * light[:, None], 255.0)
        colours[curved] = found.view(np.uint32)[:, 0]
        return colours


def _edges(found: Triangles, which: Whole) -> NDArray[np.bool_]:
    """(tall, wide) the pixels beside which another surface is nearest."""
    surface = np.append(found.surface, -1).astype(np.int32)[which]
    again = np.zeros(which.shape, bool)
    for a, b in (
        ((slice(1, None), slice(None)), (slice(None, -1), slice(None))),
        ((slice(None), slice(1, None)), (slice(None), slice(None, -1))),
    ):
        differs = surface[a] != surface[b]
        again[a] |= differs
        again[b] |= differs
    return again


def _thin(corners: Floats, wide: int, tall: int) -> NDArray[np.bool_]:
    """(tall, wide) the pixels under triangles that are so thin that pixels' middles may miss them."""
    again = np.zeros((tall, wide), bool)
    flat = corners[..., :2]
    sides = np.roll(flat, -1, axis=1) - flat
    length = np.hypot(sides[..., 0], sides[..., 1])
    longest = length.max(axis=1)
    thin = np.flatnonzero(np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) < THIN * longest)
    if not len(thin):
        return again
    # Points along the two long sides, a pixel apart: the rest of a thin triangle is beside them.
    which = length[thin].argsort(axis=1)[:, 1:].ravel()
    thin = np.repeat(thin, 2)
    start, way = flat[thin, which], sides[thin, which]
    count = np.ceil(np.minimum(length[thin, which], 2.0 * (wide + tall))).astype(np.int64) + 1
    side, step = expand(np.zeros(len(thin), np.int64), count - 1)
    at = np.floor(start[side] + ((step + 0.5) / count[side])[:, None] * way[side])
    within = (at >= 0.0).all(axis=1) & (at < [wide, tall]).all(axis=1)
    x, y = at[within].astype(np.int64).T
    again[y, x] = True
    return again


def _within(again: NDArray[np.bool_]) -> tuple[Places, Whole]:
    """The finer places of some pixels, and for each pixel, in order, its places (pixels, FINER^2)."""
    tall, wide = again.shape
    marks = np.zeros((tall, wide + 1), np.int32)
    marks[:, :-1] = again
    before = np.cumsum(marks, axis=1, dtype=np.int32)
    count = before[:, -1].astype(np.int64)
    before -= marks
    pixel_row, pixel = np.divmod(np.flatnonzero(again), wide)
    row = np.concatenate([[0], np.cumsum(np.repeat(count * FINER, FINER))])
    inner = np.arange(FINER)
    nth = np.arange(len(pixel)) - np.repeat(np.cumsum(count) - count, count)  # of the pixels of its row
    order = row[pixel_row[:, None] * FINER + inner][:, :, None] + (nth[:, None] * FINER + inner)[:, None, :]
    order = order.reshape(len(pixel), -1)
    x = np.empty(int(row[-1]), np.int64)
    x[order] = np.tile(pixel[:, None] * FINER + inner, FINER)
    return Places(tall * FINER, wide * FINER, row, x, marks, before), order
