"""Which bodies of a system are nodes of beams."""

import numpy as np
from numpy.typing import NDArray

from mbsim.contracts import Arrays
from mbsim.elements.kinds import BEAM


def beam_nodes(arrays: Arrays) -> NDArray[np.int64]:
    """(k,) their places among the bodies; the ground is none."""
    ends = arrays.loads[arrays.loads[:, 0] == BEAM, 1:3] if len(arrays.loads) else np.zeros((0, 2), np.int64)
    return np.unique(ends[ends >= 0])
