"""Short cuts of kernels over numbers that are zero: straight-line code takes those that are zero whatever the state is."""

from collections.abc import Sequence

from mbsim.jit.straight.derivatives import is_zero as is_structural
from mbsim.kernels.articulated_rows import is_nothing, is_zero
from mbsim.straight.linear import Number


def all_structural(s: Sequence[Number]) -> bool:
    """As `is_zero`."""
    return all(is_structural(x) for x in s)


def nothing_structural(u: Number, s: Sequence[Number]) -> bool:
    """As `is_nothing`."""
    return is_structural(u) and all_structural(s)


SHORT_CUTS = {is_zero: all_structural, is_nothing: nothing_structural}
