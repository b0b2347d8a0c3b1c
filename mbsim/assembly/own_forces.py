"""Forces and controllers on the user's own coordinates, and the constants and states that controllers add to a model of energies."""

from dataclasses import dataclass, field

from mbsim.assembly.states import StateTable, declare_states
from mbsim.controllers._table import CoordinateController
from mbsim.forces._push import GapPush
from mbsim.forces._table import CoordinateForce
from mbsim.model.expressions.calculus import derivative
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.fields import ItemError
from mbsim.model.file.errors import ExpressionError, ModelError
from mbsim.model.names import der
from mbsim.model.sampling import Held
from mbsim.model.schema import Model
from mbsim.system.laws import Rate


@dataclass
class OwnForces:
    """What acts along the coordinates of a model; its states begin with those of the block `states`."""

    model: Model
    states: StateTable
    laws: list[tuple[str, str, Expression]] = field(default_factory=list)  # name, coordinate, law
    numbers: dict[str, float] = field(default_factory=dict)  # constants of controllers and contacts, by what laws call them

    @property
    def parameters(self) -> dict[str, float]:
        """The values of Arrays.parameters, by their names in laws."""
        return {**self.model.parameters, **self.numbers}


def own_forces(model: Model) -> OwnForces:
    """Those of a model in the user's own coordinates. Raises ModelError for a controller whose target has no known rate."""
    made = OwnForces(model, declare_states(model))
    made.laws += [(name, *force.generalised_force()) for name, force in model.forces.items() if isinstance(force, CoordinateForce)]
    for name, force in model.forces.items():
        if isinstance(force, GapPush):
            made.laws += [(name, *effort) for effort in force.efforts(_Laws(name, made))]
    problems = []
    for name, block in model.controllers.items():
        assert isinstance(block, CoordinateController)  # others need bodies
        try:
            made.laws.append((name, *block.generalised_force(_Laws(name, made))))
        except ItemError as error:
            offset = error.error.offset if isinstance(error.error, ExpressionError) else None
            problems.append(model.problem(("controllers", name, *error.path), str(error), offset))
    if problems:
        raise ModelError(problems)
    return made


class _Laws:
    """What a controller may add to the laws; see mbsim.forces._table.OwnLaws."""

    def __init__(self, name: str, made: OwnForces) -> None:
        self._name, self._made = name, made

    def own_name(self, name: str) -> str:
        return f"{self._name}.{name}"

    def number(self, name: str, value: float) -> str:
        self._made.numbers[self.own_name(name)] = value
        return self.own_name(name)

    def rate_of(self, expression: Expression) -> Expression:
        model, states = self._made.model, self._made.states.rates

        def rate(name: str) -> Expression | None:
            if name == "t" or name in model.parameters:
                return parse(float(name == "t"))
            if name in states:
                return states[name].expression
            return parse(der(name)) if name in (model.coordinates or ()) else None

        return derivative(expression, rate)

    def state(self, name: str, rate: Expression, start: float, unit: str, local: tuple[str, int] | None = None) -> None:
        self._made.states.add(self.own_name(name), Rate(rate, local), start, unit)

    def hold(self, name: str, held: Held, start: float, unit: str) -> None:
        self._made.states.hold(self.own_name(name), held, start, unit)
