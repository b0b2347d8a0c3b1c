"""What a run came to, and which exceptions are a run that failed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mbsim.diagnosis.consistent import StartError
from mbsim.march.ending import SimulationError
from mbsim.model.file.errors import ModelError
from mbsim.system.system import Floats
from mbsim.system.tables import TableError

FAILURES = (ModelError, StartError, SimulationError, TableError, ValueError, ArithmeticError, np.linalg.LinAlgError)
NONE: Mapping[str, Floats] = {}


class Outcome(NamedTuple):
    """What a run came to."""

    values: Floats  # (n_outputs,) NaN where there is none
    reason: str = ""  # why the run failed, or an output has no number, or what was said of its rows; empty where all is well
    failed: bool = False  # the run did not reach its end
    anew: bool = False  # whether the model was assembled anew for it
    wanted: Mapping[str, Floats] = NONE  # of the histories that were asked for, by name: (k,)


def with_warnings(outcome: Outcome, warned: Sequence[str]) -> Outcome:
    """The same, with what is said of rows that miss some of the motion."""
    return outcome._replace(reason="; ".join([*filter(None, [outcome.reason]), *warned])) if warned else outcome


def words_of(error: BaseException) -> str:
    """Why a run failed, in one line."""
    text = (
        "; ".join(f"{problem.path}: {problem.message}" if problem.path else problem.message for problem in error.problems)
        if isinstance(error, ModelError)
        else str(error)
    )
    return " ".join(text.split()) or type(error).__name__
