"""What follows from a decision of contacts alone, kept for the next time that they do the same: a run comes to few of them again and again.

It is kept as numbers of arrays, which are put back instead of being worked out anew.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from mbsim.assembly.unilaterals import Unilateral
from mbsim.march.contact_modes import Decided

MOST = 32  # decisions that are kept
FEW = 64  # contacts: of more of them the same decision hardly comes twice


def may_come_again(each: Sequence[Unilateral]) -> bool:
    """Whether few things can be decided of these: of those that slip in space the directions are always new."""
    return len(each) <= FEW and all(one.tangents < 2 for one in each)


class Kept:
    """The numbers that decisions leave in some arrays."""

    def __init__(self, *arrays: np.ndarray) -> None:
        """Nothing but what is given to `put` changes them."""
        self._arrays, self._known = arrays, dict[Hashable, list[np.ndarray]]()

    def put(self, decided: Decided, work_out: Callable[[], object]) -> None:
        """Fill the arrays with what `work_out` leaves in them where this is decided."""
        key = (
            tuple(decided.mode),
            tuple(decided.carries),
            b"".join([slip.tobytes() for slip in decided.slip]),
            decided.absent,
            tuple(decided.eased),
        )
        found = self._known.get(key)
        if found is None:
            work_out()
            while len(self._known) >= MOST:
                del self._known[next(iter(self._known))]
            self._known[key] = [array.copy() for array in self._arrays]
            return
        for array, values in zip(self._arrays, found, strict=True):
            array[...] = values
