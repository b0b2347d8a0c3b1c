"""Copies of work arrays, to march again from the same state."""

from typing import Any

import numpy as np

from mbsim import contracts
from mbsim.jit.workspaces import WorkArrays
from mbsim.system.system import Floats

LARGEST = 100_000  # numbers: of larger work arrays each one alone is large enough


class Snapshot:
    """A copy of what a march changes, to march again from the same state."""

    def __init__(self, work: contracts.Work, z: Floats, shared: contracts.Work | None = None) -> None:
        """Without arrays that `shared` has, too: they are those of another march."""
        others = {id(array) for array in arrays_of(shared)} if shared is not None else set()
        found = [array for array in (*arrays_of(work), z) if array.size and id(array) not in others]
        self.arrays = _with_whole_homes(found)
        self._copies = [x.copy() for x in self.arrays]
        self._counts = work.counts

    def restore(self) -> None:
        """Put everything back but the counts: what locating costs is counted."""
        for array, copy in zip(self.arrays, self._copies, strict=True):
            if array is not self._counts:
                array[...] = copy


def arrays_of(work: contracts.Work) -> list[np.ndarray]:
    """All arrays of work, those in lists, too."""
    found: list[np.ndarray] = []
    for x in work:
        found += [x] if isinstance(x, np.ndarray) else x
    return found


def in_one_place(work: contracts.Work) -> contracts.Work:
    """The same with its arrays, but for the counts, one behind the other in memory: a snapshot copies them at once.

    Nothing may know the addresses of the ones that are given.
    """
    arrays = [array for array in arrays_of(work) if array.size and array is not work.counts]
    if sum(array.size for array in arrays) > LARGEST or len({id(array) for array in arrays}) < len(arrays):
        return work
    moved = dict[int, np.ndarray]()
    for kind in (np.dtype(float), np.dtype(np.int64)):
        mine = [array for array in arrays if array.dtype == kind]
        home, at = np.zeros(sum(array.size for array in mine), kind), 0
        for array in mine:
            moved[id(array)] = view = home[at : at + array.size].reshape(array.shape)
            view[...] = array
            at += array.size

    def at_home(x: object) -> Any:
        if isinstance(x, np.ndarray):
            return moved.get(id(x), x)
        return WorkArrays(**{name: at_home(one) if isinstance(one, np.ndarray) else one for name, one in vars(x).items()})

    return type(work)(*map(at_home, work))


def _with_whole_homes(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """These arrays, with what they are parts of in place of those that together are all of it."""
    sizes = dict[int, int]()
    for array in arrays:
        sizes[id(array.base)] = sizes.get(id(array.base), 0) + array.size
    homes = {id(array.base): array.base for array in arrays if isinstance(array.base, np.ndarray)}
    whole = {key: home for key, home in homes.items() if home.size == sizes[key]}
    return [*whole.values(), *(array for array in arrays if id(array.base) not in whole)]
