"""Runs that are no march: the modes of a model, and its equilibrium. Their outputs are numbers by name, without reductions."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mbsim.assembly import Assembly
from mbsim.model.file.errors import did_you_mean
from mbsim.model.reread import Numbers
from mbsim.model.schema import Model
from mbsim.results.functionals import HISTORY, MODE_PARTS, NUMBER, Floats, FunctionalError, Names, Quantity
from mbsim.results.read import Result
from mbsim.studies.runner.recorded import RunNames, lazily

if TYPE_CHECKING:
    from mbsim.analyses import linear

DYNAMIC = "dynamic"
STABLE, GROWTH = "stable", "growth"
UNITS = {"frequency": "Hz", "damping_ratio": "1", "growth": "s-1", "angular_frequency": "rad s-1"}
_FRESH: dict[str, Floats] = {}


class Analysis(Protocol):
    """What a study may repeat besides a march."""

    def names(self, made: Assembly, model: Model) -> Names:
        """The names that outputs may use, before anything runs."""

    def run(self, made: Assembly, model: Model) -> Names:
        """The names with their values. Raises ValueError where there is no such state."""


class Modes:
    """The small motions about the state that `mbsim modes` takes."""

    def names(self, made: Assembly, model: Model) -> Names:
        return ModeNames(model, None)

    def run(self, made: Assembly, model: Model) -> Names:
        from mbsim.analyses import linear  # with much of SciPy, which each worker of any other study would import

        return ModeNames(model, linear.modes(made))


class ModeNames:
    """`mode(1).frequency`, ... in the order in which `mbsim modes` lists them, without zeros; `stable` (1 or 0) and `growth` (1/s)."""

    def __init__(self, model: Model, found: "linear.Modes | None") -> None:
        self._model, self._found = model, found
        values: Any = [] if found is None else found.spectrum.values
        self._values = [value for value in values if value.imag >= 0.0 and value != 0.0]

    @property
    def time(self) -> Floats:
        """Modes have none."""
        return np.zeros(0)

    def find(self, name: str) -> Quantity:
        """Raises FunctionalError for another name, and for a mode that there is not."""
        if name in self._model.parameters:
            return Quantity(NUMBER, "1", lambda: self._model.parameters[name])
        if name == STABLE:
            return Quantity(NUMBER, "1", lambda: float(self._found is not None and self._found.stable))
        if name == GROWTH:
            return Quantity(NUMBER, "s-1", lambda: max((float(value.real) for value in self._values), default=0.0))
        if not name.startswith("mode("):
            choices = [STABLE, GROWTH, *self._model.parameters]
            raise FunctionalError(f"modes have no '{name[:60]}'{did_you_mean(name, choices)}; write for example mode(1).frequency")
        number, part = int(name[5 : name.index(")")]), name.rpartition(".")[2]
        return Quantity(NUMBER, UNITS[part], lambda: self._part(number, part))

    def _part(self, number: int, part: str) -> float:
        if number > len(self._values):
            raise FunctionalError(f"there is no mode {number}: the state has {len(self._values)}")
        value = self._values[number - 1]
        size = abs(value)
        parts = (size / (2.0 * np.pi), -value.real / size, value.real, value.imag)
        return float(dict(zip(MODE_PARTS, parts, strict=True))[part])

    def function(self, name: str, arguments: list[str]) -> Quantity:
        """Raises FunctionalError: modes have no histories."""
        raise FunctionalError(f"modes have no {name}")


class EquilibriumOfModel:
    """The static equilibrium, or the steady motion, that the start leads to; drivers hold."""

    def names(self, made: Assembly, model: Model) -> Names:
        return StillNames(lazily(made, _FRESH.__getitem__, model.parameters), model, made, {"time": np.zeros(1)}, None)

    def run(self, made: Assembly, model: Model) -> Names:
        from mbsim.analyses import static  # likewise

        balance = static.balance(made, ["all"])
        result = static.record(balance)
        return StillNames(result, model, made, {name: result[name] for name in result.names()}, balance)


class StillNames(RunNames):
    """The names of a run, as numbers of its only row; and `stable` (1 or 0)."""

    def __init__(self, result: Result, model: Model, made: Assembly, recorded: dict[str, Floats], balance: Any) -> None:
        super().__init__(result, Numbers.of(model), made.system, recorded)
        self._balance = balance

    def find(self, name: str) -> Quantity:
        if name == STABLE:
            return Quantity(NUMBER, "1", lambda: float(bool(self._balance.found.stable)))
        return _still(super().find(name))

    def function(self, name: str, arguments: list[str]) -> Quantity:
        return _still(super().function(name, arguments))


def _still(found: Quantity) -> Quantity:
    if found.kind != HISTORY:
        return found
    return Quantity(NUMBER, found.units, lambda: float(np.ravel(found.values())[0]))


ANALYSES: dict[str, Analysis] = {"modes": Modes(), "equilibrium": EquilibriumOfModel()}
