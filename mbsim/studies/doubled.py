"""What the number of elements of beams makes of a run: one with twice as many, at the nodes that both have.

Elements are of order two, so what the positions are off by is four thirds of what they change by.
"""

from collections.abc import Callable

import numpy as np

from mbsim import registry
from mbsim.assembly import Assembly, assemble
from mbsim.model.load import load
from mbsim.model.schema import Model
from mbsim.results import Result
from mbsim.studies.compare.measures import find_shared, reach

PARTS, ORDER = 2, 2  # an element is cut into so many; the order of its error
SAME = 1e-9  # m, rad: a run that begins farther from its model's start begins elsewhere


class NotDoubledError(ValueError):
    """A run that cannot be made with more elements."""


def model_of(result: Result, parts: int = 1) -> Model:
    """The model that a result holds, its span that of the run; with its elements cut into `parts`. Raises mbsim.ModelError."""
    span = {"start": float(result.time[0]), "end": float(result.time[-1])}  # either may have been given on the command line only
    name, tables = "the model in the result", result.tables or None
    return load(result.model_yaml, registry, result.parameters, span, file=name, tables=tables, parts=parts)


def element_error(result: Result, again: Callable[[Assembly], Result]) -> float:
    """How far positions are from those of more elements, the largest over time, relative to the largest change of a coordinate.

    `again` runs the model with more elements as the run was made. Raises NotDoubledError.
    """
    begun = assemble(model_of(result))
    count = begun.system.n_c
    if begun.q[:count].shape != result["q"][0].shape or np.abs(begun.q[:count] - result["q"][0]).max(initial=0.0) > SAME:
        raise NotDoubledError("the run does not begin where its model begins")
    finer = again(assemble(model_of(result, PARTS)))
    i, j = find_shared(result.time, finer.time)
    known = {name: k for k, name in enumerate(finer.labels("coordinate"))}
    both = [(k, known[name]) for k, name in enumerate(result.labels("coordinate")) if name in known]
    here, there = zip(*both, strict=True)
    apart = np.abs(result["q"][np.ix_(i, here)] - finer["q"][np.ix_(j, there)]).max(initial=0.0)
    return float(apart) / (1.0 - float(PARTS) ** -ORDER) / (reach(result, "position") or 1.0)
