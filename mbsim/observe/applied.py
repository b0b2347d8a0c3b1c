"""Forces on the user's own coordinates in the rows of a run, from their laws."""

from collections.abc import Mapping

import numpy as np

from mbsim.model.expressions.expression import parse
from mbsim.observe.evaluation import value
from mbsim.results.schema import ForceLabels
from mbsim.system.system import Floats, System


class AppliedForces:
    """The forces of a system in the user's own coordinates."""

    def __init__(self, system: System) -> None:
        self._system = system
        tables = dict(system.tables)
        self._laws = [
            (parse(law, tables=tables, states=system.states) if isinstance(law, str) else law).tree for _, law in system.applied.values()
        ]
        self._places = [system.coordinates.index(coordinate) for coordinate, _ in system.applied.values()]

    def chunk(self, times: Floats, rows: Floats, variables: Mapping[str, Floats]) -> dict[str, Floats]:
        """The variables of k rows at times (k,): values of the laws, their coordinates and rates, and the powers."""
        system = self._system
        parameters = system.arrays.parameters[:, None]
        if system.parameters_at is not None:
            states = zip(times, rows, variables["v"], strict=True)
            parameters = np.stack([system.parameters_at(float(t), row[: system.n_q], v).copy() for t, row, v in states], axis=1)
        names: dict[str, Floats] = dict(zip(system.parameter_names, parameters, strict=True))
        names |= {name: rows[:, i] for i, name in enumerate(system.coordinates)}
        names |= {name: variables["v"][:, i] for i, name in enumerate(system.speeds)}
        names["t"] = times
        with np.errstate(all="ignore"):
            laws = [np.broadcast_to(value(law, names), times.shape) for law in self._laws]
        effort, rate = np.stack(laws, axis=1), variables["v"][:, self._places]
        return {"force_effort": effort, "force_power": effort * rate, "force_length": rows[:, self._places], "force_rate": rate}


def force_labels(system: System) -> ForceLabels:
    """The forces of a system in the user's own coordinates; the file does not give their units."""
    names = list(system.applied)
    none = ["1"] * len(names)
    return ForceLabels(names, none, names, none, none)
