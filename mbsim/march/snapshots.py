"""Copies of work arrays, to march again from the same state."""

import numpy as np

from mbsim import contracts
from mbsim.system.system import Floats


class Snapshot:
    """A copy of what a march changes, to march again from the same state."""

    def __init__(self, work: contracts.Work, z: Floats, shared: contracts.Work | None = None) -> None:
        """Without arrays that `shared` has, too: they are those of another march."""
        others = {id(array) for array in arrays_of(shared)} if shared is not None else set()
        self.arrays = [array for array in (*arrays_of(work), z) if array.size and id(array) not in others]
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
