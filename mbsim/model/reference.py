"""The `reference` block: published values that a run of the model has to meet, with their source and tolerance.

`mbsim compare` judges every method by them, `mbsim bench` the model's own setting. The names in `of` depend on the model, so they are
checked after the block.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator, model_validator
from pydantic_core import PydanticKnownError

from mbsim.model.catalogue import Catalogue, leaf_of
from mbsim.model.fields import NOT_GIVEN, Number, PositiveNumber
from mbsim.model.file.errors import did_you_mean
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block, Constraint
from mbsim.model.names import der
from mbsim.model.recorded import ENERGIES, REACTIONS
from mbsim.model.rephrase import Fault

OF_STATES = ("modes", "borders", "equilibrium")  # the sections that need no run


def _one_line(text: str) -> str:
    if not text.strip() or not text.strip().isprintable():
        raise ValueError("expected one line of text: the publication, and the table or figure in it")
    return text.strip()


def _require(value: Plain, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> list["ReferenceValue"]:
    """The values; where there are none and nothing else is published, the key is missing. A mistake in the others is said by itself."""
    if value is not NOT_GIVEN:
        read: list[ReferenceValue] = handler(value)
        return read
    if any(info.data.get(key, True) for key in OF_STATES):
        return []
    raise PydanticKnownError("missing")


class ReferenceValue(Block):
    """One published number."""

    time: Number = Field(description="when, s")
    of: str = Field(
        description="what: crank.x, der(theta), der(der(theta)), joint_force.A.x, driver_effort.motor, energy_kinetic, a measure ..."
    )
    value: Number = Field(description="the published number, SI units")
    tolerance: PositiveNumber = Field(description="absolute, in the units of the value: how far off a right result may be")


class ReferenceMode(Block):
    """One published eigenvalue of the small motions."""

    eigenvalue: Annotated[list[Number], Field(min_length=2, max_length=2)] = Field(description="[real part, imaginary part], 1/s")
    tolerance: PositiveNumber = Field(description="absolute, 1/s, of both parts: how far off a right result may be")
    parameters: dict[str, Number] = Field(default_factory=dict, description="parameters with other values than in the file")
    at: Literal["auto", "start", "equilibrium"] = Field(default="auto", description="the state, as of mbsim modes --at")


class ReferenceBorder(Block):
    """One published value of a parameter at which an eigenvalue crosses the imaginary axis."""

    parameter: str = Field(description="the parameter of the model that varies")
    between: Annotated[list[Number], Field(min_length=2, max_length=2)] = Field(
        description="two values of the parameter with this border, and no other, between them"
    )
    value: Number = Field(description="the published number, in the units of the parameter")
    tolerance: PositiveNumber = Field(description="absolute, in the units of the parameter: how far off a right result may be")
    becomes: Literal["stable", "unstable"] = Field(description="what the motion becomes as the parameter grows")
    parameters: dict[str, Number] = Field(default_factory=dict, description="parameters with other values than in the file")
    at: Literal["auto", "start", "equilibrium"] = Field(default="auto", description="the state, as of mbsim modes --at")

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if not self.between[0] < self.value < self.between[1]:
            raise ValueError(f"the value must lie inside 'between' (got {self.value:g}, {self.between[0]:g} to {self.between[1]:g})")
        return self


class ReferenceEquilibrium(Block):
    """One published value of the equilibrium or the steady motion."""

    of: str = Field(
        description="a coordinate, a speed, a reaction, a measure ...: a name as of a value of the motion, but for accelerations"
    )
    value: Number = Field(description="the published number, SI units")
    tolerance: PositiveNumber = Field(description="absolute, in the units of the value: how far off a right result may be")
    stable: bool | None = Field(default=None, description="whether the equilibrium is stable")
    parameters: dict[str, Number] = Field(default_factory=dict, description="parameters with other values than in the file")


class Reference(Block):
    """Published values of the motion, of its modes and of the equilibrium."""

    source: Annotated[str, AfterValidator(_one_line)] = Field(description="where the values are published")
    modes: Annotated[list[ReferenceMode], Field(min_length=1)] = Field(default_factory=list, description="published eigenvalues")
    borders: Annotated[list[ReferenceBorder], Field(min_length=1)] = Field(
        default_factory=list, description="published borders of stability"
    )
    equilibrium: Annotated[list[ReferenceEquilibrium], Field(min_length=1)] = Field(
        default_factory=list, description="published values of the equilibrium"
    )
    values: Annotated[list[ReferenceValue], Field(min_length=1), WrapValidator(_require)] = Field(
        default=NOT_GIVEN,
        validate_default=True,
        description="published values of the motion; needed where there are no modes, borders and equilibrium",
    )

    @property
    def count(self) -> int:
        """How many values are published."""
        return len(self.values) + sum(len(getattr(self, section)) for section in OF_STATES)


def driver_labels(drivers: Mapped) -> Iterator[str]:
    """The labels of the efforts of the blocks of `drivers`. A point has one for each of its coordinates."""
    for name, block in drivers.items():
        axes = [axis for axis in "xyz" if isinstance(block, dict) and "point" in block and axis in block]
        yield from [f"{name}.{axis}" for axis in axes] or [name]


def constraint_labels(constraints: Mapped, catalogue: Catalogue, dimension: int | None) -> Iterator[str]:
    """The labels of the rows of the blocks of `constraints`."""
    for name, block in constraints.items():
        leaf = leaf_of(catalogue, "constraints", block, Constraint)
        labels = leaf.LABELS.get(dimension, []) if leaf is not None else []
        yield from [f"{name}.{label}" for label in labels] or [name]


def value_names(states: Iterable[str], joints: Iterable[str], drivers: Iterable[str], constraints: Iterable[str]) -> frozenset[str]:
    """The names that `of` may contain. `states` are the names that laws may use."""
    states = set(states)
    names = states | set(ENERGIES)
    names |= {der(name) for name in states if name.startswith("der(") or ".omega." in name}
    names |= {f"{reaction}.{joint}.{axis}" for joint in joints for reaction in REACTIONS for axis in "xyz"}
    names |= {f"driver_effort.{driver}" for driver in drivers} | {f"multiplier.{constraint}" for constraint in constraints}
    return frozenset(names)


def solved_names(states: Iterable[str], joints: Iterable[str], drivers: Iterable[str], constraints: Iterable[str]) -> frozenset[str]:
    """Those of `value_names` that the equations of motion are solved for: accelerations, multipliers, reactions, efforts of drivers."""
    states = list(states)
    return value_names(states, joints, drivers, constraints) - set(states) - set(ENERGIES)


def find_misplaced(
    reference: Reference, names: frozenset[str], span: tuple[float, float] | None, parameters: Collection[str] = ()
) -> Iterator[Fault]:
    """Values of unknown names and `parameters`, of times outside `span` and those given twice; paths below `reference`."""
    for section in OF_STATES:
        for index, entry in enumerate(getattr(reference, section)):
            for name in entry.parameters:
                if name not in parameters:
                    hint = did_you_mean(name, parameters)
                    yield Fault((section, index, "parameters", name), f"unknown parameter '{name[:60]}'{hint}", "key")
    for index, border in enumerate(reference.borders):
        if border.parameter not in parameters:
            hint = did_you_mean(border.parameter, parameters)
            yield Fault(("borders", index, "parameter"), f"unknown parameter '{border.parameter[:60]}'{hint}")
    for index, entry in enumerate(reference.equilibrium):
        if entry.of not in names:
            yield Fault(("equilibrium", index, "of"), f"unknown name '{entry.of[:60]}'{did_you_mean(entry.of, names)}")
    seen: set[tuple[float, str]] = set()
    for index, value in enumerate(reference.values):
        path: Sequence[str | int] = ("values", index)
        if value.of not in names:
            yield Fault((*path, "of"), f"unknown name '{value.of[:60]}'{did_you_mean(value.of, names)}")
        elif (value.time, value.of) in seen:
            yield Fault((*path, "of"), f"'{value.of}' at {value.time:g} s is already given")
        seen.add((value.time, value.of))
        if span is not None and not span[0] <= value.time <= span[1]:
            yield Fault((*path, "time"), f"the run goes from {span[0]:g} s to {span[1]:g} s (got {value.time:g})")
