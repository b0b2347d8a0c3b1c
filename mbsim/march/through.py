"""How steps go through the contacts of a run."""

from typing import NamedTuple


class Through(NamedTuple):
    """By steps of one size."""

    step: float  # s
    window: bool  # until it is quiet, not to the end of the run
    law: str  # of impacts, as of `mbsim.unilateral.impacts`
