"""`Arrays` of zeros, of the extents that the contract declares and of the widths that the kernels' modules of columns count."""

from collections import defaultdict
from typing import Any

from mbsim.contracts import Arrays
from mbsim.jit import extents
from mbsim.kernels import frame_columns, relative, tables, tree_columns

# What the contract names widths by.
WIDTHS: dict[str, Any] = {"frame_columns": frame_columns, "relative": relative, "tables": tables, "tree_columns": tree_columns}
SIZES = frozenset(name for _, each in Arrays.extents.values() for name in extents.sizes(each)) - WIDTHS.keys()


def zeros(**sizes: int) -> Arrays:
    """Zeros. There are none of that whose number is not given. Raises TypeError for a size that the contract does not know."""
    if unknown := sizes.keys() - SIZES:
        raise TypeError(f"no array has the size {', '.join(sorted(unknown))}; there are {', '.join(sorted(SIZES))}")
    known = defaultdict(int, WIDTHS | sizes)
    return Arrays(*(extents.zeros(kind, each, known) for kind, each in Arrays.extents.values()))


def width(name: str) -> int:
    """The columns of an array whose number does not depend on the model."""
    return extents.value(Arrays.extents[name][1][-1], WIDTHS)
