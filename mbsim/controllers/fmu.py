"""A functional mock-up unit (FMI 2.0 or 3.0), with `sample` for co-simulation, without for model exchange.

Between samples k - 1 and k it goes on by one communication step with the inputs of sample k - 1; then it gets those of sample k, and its
outputs are read and held until the next. Inputs and outputs are held states, `controller.name`. Without samples its continuous states are
states of the model, and its rates and outputs are found at each evaluation of the equations of motion.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationInfo, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.fields import ItemError, Law, NonNegativeNumber, Number, context_of
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.fmu import read_fmu
from mbsim.model.file.fmu_records import INPUT, OUTPUT, PARAMETER, REAL, Description, Exchange, FmuError
from mbsim.model.leaves import Controller
from mbsim.model.sampling import Clock, Flowing, Foreign, Held, Sampling

_OWN = {"joint", "coordinate"}  # keys of all controllers that a unit has, too


def _named(value: object) -> object:
    if not isinstance(value, dict):
        raise ValueError(f"expected a block of names and values (got {shown(value)})")
    return value


def held_name(variable: str) -> str:
    """What the state of a variable is called, behind the name of the controller: its name, with `_` for what no name has."""
    found = re.sub(r"\W+", "_", variable, flags=re.ASCII).strip("_") or "_"
    return f"_{found}" if found[0].isdigit() else found


class Fmu(Controller, BodyForce):
    """A unit for co-simulation, as a controller of a computer, or for model exchange, as a continuous one."""

    SYMBOL = "turning"

    file: str = Field(description="the unit, a .fmu file; a relative path begins at the folder of the model file")
    sample: Sampling = Field(
        default=None,
        description="s: time from one sample to the next, which is a communication step of a unit for co-simulation; "
        "without it the unit is for model exchange",
    )
    offset: NonNegativeNumber = Field(
        default=0.0, description="s, with `sample`: time from the start to the first sample, at which the unit starts"
    )
    inputs: Annotated[dict[str, Law], BeforeValidator(_named)] = Field(
        default={}, description="of each input of the unit a law over t and states, which it is given"
    )
    outputs: list[str] = Field(
        description="outputs of the unit that are read: states `controller.output`, which laws of forces read", min_length=1
    )
    parameters: Annotated[dict[str, Number], BeforeValidator(_named)] = Field(
        default={}, description="of parameters of the unit the values that it is given before it starts"
    )
    effort: str | None = Field(
        default=None, description="with `joint`: the output that is the effort along the coordinate, N m or N; its only one when not given"
    )
    _path: Path = PrivateAttr(default=Path())
    _exchange: Exchange | None = PrivateAttr(default=None)
    _version: int = PrivateAttr(default=0)
    _whole: frozenset[str] = PrivateAttr(default=frozenset())  # variables that are whole numbers or Booleans

    @model_validator(mode="after")
    def _has_its_keys(self) -> Self:
        for key in sorted(set(Controller.model_fields) & self.model_fields_set - _OWN - {"type"}):
            raise ValueError(f"unknown key '{key}': what an fmu leads, and how far, is inside of it")
        if self.sample is None and "offset" in self.model_fields_set:
            raise ValueError("missing key 'sample' (it goes with 'offset')")
        if self.joint is None:
            for key in ("coordinate", "effort"):
                if key in self.model_fields_set:
                    raise ValueError(f"missing key 'joint' (it goes with '{key}')")
        elif self.effort is None and len(self.outputs) > 1:
            raise ValueError(f"missing key 'effort': which of {', '.join(self.outputs)} acts along the joint?")
        return self

    @model_validator(mode="after")
    def _fits_its_unit(self, info: ValidationInfo) -> Self:
        self._path = Path(context_of(info).folder) / self.file
        try:
            unit = read_fmu(self._path, exchange=self.sample is None)
        except FmuError as error:
            raise ItemError(("file",), error) from None
        self._exchange, self._version = unit.exchange, unit.version
        self._whole = frozenset(name for name, variable in unit.variables.items() if variable.type != REAL)
        for key, kind in (("inputs", INPUT), ("parameters", PARAMETER)):
            for name in getattr(self, key):
                _require(unit, name, kind, (key, name))
        for i, name in enumerate(self.outputs):
            _require(unit, name, OUTPUT, ("outputs", i))
        for name, value in self.parameters.items():
            if unit.variables[name].type != REAL and value != round(value):
                raise ItemError(("parameters", name), ValueError(f"the parameter {name!r} is a whole number (got {value:g})"))
        if self.effort is not None and self.effort not in self.outputs:
            advice = did_you_mean(self.effort, self.outputs)
            raise ItemError(("effort",), ValueError(f"'{self.effort}' is none of `outputs`{advice}"))
        names = [held_name(name) for name in self._variables]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two variables would be the state '{twice[0]}'")
        return self

    @classmethod
    def states_given(cls, keys: Collection[str]) -> tuple[str, ...]:
        if not isinstance(keys, Mapping):
            return ()
        inputs, outputs = keys.get("inputs"), keys.get("outputs")
        found: list[Any] = [*(inputs if isinstance(inputs, dict) else ()), *(outputs if isinstance(outputs, list) else ())]
        return tuple(held_name(name) for name in found if isinstance(name, str))

    @property
    def _told(self) -> tuple[str, ...]:
        """The outputs that are found at each evaluation: real ones that are no continuous states of the unit."""
        left: frozenset[str] = frozenset() if self._exchange is None else self._whole.union(self._exchange.states)
        return tuple(name for name in self.outputs if name not in left)

    @property
    def _counted(self) -> tuple[str, ...]:
        """The outputs of a continuous unit that change at its events only."""
        return tuple(name for name in self.outputs if name in self._whole)

    @property
    def _variables(self) -> tuple[str, ...]:
        """The variables of the unit that are states of the model, in their order."""
        return (*self.inputs, *self._told, *self._counted, *(() if self._exchange is None else self._exchange.states))

    def own_states(self) -> tuple[str, ...]:
        return tuple(held_name(name) for name in self._variables)

    def laws(self) -> Iterator[tuple[str, Expression]]:
        for law in self.inputs.values():
            yield "inputs", law

    def loads(self, geometry: Geometry) -> list[Load]:
        name = geometry.own_name("").rstrip(".")
        foreign = Foreign(str(self._path), name, tuple(self.inputs), self._told, dict(self.parameters))
        if self._exchange is not None:
            of, laws = self._exchange, tuple(self.inputs.values())
            of_unit = of.completes, of.follows, of.indicators, self._counted, of.rates, of.differentiates
            flowing = Flowing(foreign, laws, of.states, self._version, *of_unit)
            geometry.flow(flowing, {variable: held_name(variable) for variable in self._variables})
        else:
            assert self.sample is not None
            clock = Clock(self.sample, self.offset)
            for variable, input_law in self.inputs.items():
                geometry.hold(held_name(variable), Held(clock, input_law), 0.0, "1")
            for variable in self.outputs:
                geometry.hold(held_name(variable), Held(clock, None, foreign=(foreign, variable)), 0.0, "1")
        if self.joint is None:
            return []
        effort = parse(geometry.own_name(held_name(self.effort or self.outputs[0])))
        law, constants = geometry.law([effort])
        return [geometry.effort(self.joint, self.coordinate, law, constants)]


def _require(unit: Description, name: str, kind: str, path: tuple[str | int, ...]) -> None:
    """Raises ItemError for a name that is no variable of this kind."""
    found = unit.variables.get(name)
    if found is not None and found.causality == kind and not found.why_not:
        return
    if found is None or found.causality != kind:
        there = [one for one, variable in unit.variables.items() if variable.causality == kind and not variable.why_not]
        said = f"the unit has no {kind} {name!r}{did_you_mean(name, there)}"
        if found is not None:
            said += f": it is of causality {found.causality}"
        elif not there:
            said += f"; it has no {kind}s"
    else:
        said = f"{name!r} {found.why_not}"
    raise ItemError(path, ValueError(said))
