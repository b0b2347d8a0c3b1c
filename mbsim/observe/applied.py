"""Forces on the user's own coordinates in the rows of a run, from their laws."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from mbsim.contracts import GROUP_COEFFICIENT
from mbsim.model.expressions.expression import Vocabulary, parse
from mbsim.observe.evaluation import value
from mbsim.results.schema import ForceLabels
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.contracts import Work


PARAMETERS = "parameters of laws"  # of rows whose forces are not found yet


class AppliedForces:
    """The forces of a system in the user's own coordinates."""

    def __init__(self, system: System, work: "Work") -> None:
        self._system, self._work = system, work
        words = Vocabulary(dict(system.tables), system.states, constants=system.parameter_names)
        self._laws = [(parse(law, words=words) if isinstance(law, str) else law).tree for _, law in system.applied.values()]
        self._places = [system.coordinates.index(coordinate) for coordinate, _ in system.applied.values()]

    def begun(self, times: Floats, rows: Floats, variables: Mapping[str, Floats]) -> dict[str, Floats]:
        """What `finished` needs of k rows at times (k,): the parameters at each, (k, n)."""
        system = self._system
        if system.parameters_at is not None:
            states = zip(times, rows, variables["v"], strict=True)
            return {PARAMETERS: np.stack([system.parameters_at(float(t), row[: system.n_q], v).copy() for t, row, v in states])}
        if system.slips.known:
            return {PARAMETERS: self._with_friction(rows).T}
        return {PARAMETERS: np.broadcast_to(system.arrays.parameters, (len(times), len(system.arrays.parameters)))}

    def finished(self, variables: Mapping[str, Floats]) -> dict[str, Floats]:
        """The variables of rows with values of the laws, their coordinates and rates, and the powers."""
        system, made = self._system, dict(variables)
        names: dict[str, Floats] = dict(zip(system.parameter_names, made.pop(PARAMETERS).T, strict=True))
        q = np.concatenate([made["q"], made["states"]], axis=1)
        names |= {name: q[:, i] for i, name in enumerate(system.coordinates)}
        names |= {name: made["v"][:, i] for i, name in enumerate(system.speeds)}
        names["t"] = made["time"]
        effort, rate = np.zeros((len(q), len(self._laws))), made["v"][:, self._places]
        with np.errstate(all="ignore"):
            for k, law in enumerate(self._laws):
                effort[:, k] = value(law, names)
        power, length = effort * rate, q[:, self._places]
        return made | {"force_effort": effort, "force_power": power, "force_loss": -power, "force_length": length, "force_rate": rate}

    def _with_friction(self, rows: Floats) -> Floats:
        """Arrays.parameters of k rows (n, k) with the friction of what slips there, as `mbsim.kernels.slipping` gives it."""
        system, work, first = self._system, self._work, self._system.n_q + 2 * self._system.n_v
        found = np.repeat(system.arrays.parameters[:, None], len(rows), axis=1)
        components = work.components @ rows[:, first : first + system.n_rows].T
        for place, factor, fixed, group, count in work.slipping:
            if place >= 0.0:
                bound = np.full(len(rows), fixed)
                for start, size, by in work.groups[int(group) : int(group + count), :GROUP_COEFFICIENT]:
                    bound += by * np.linalg.norm(components[int(start) : int(start + size)], axis=0)
                found[int(place)] = factor * bound
        return found


def force_labels(system: System) -> ForceLabels:
    """The forces of a system in the user's own coordinates; the file does not give their units."""
    names = list(system.applied)
    none = ["1"] * len(names)
    return ForceLabels(names, none, names, none, none)
