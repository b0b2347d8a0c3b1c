"""The `reference` block: published values that a run of the model has to meet, with their source and tolerance.

`mbsim compare` judges every method by them, `mbsim bench` the model's own setting. The names in `of` depend on the model, so they are
checked after the block.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from mbsim.model.errors import did_you_mean
from mbsim.model.fields import Number, PositiveNumber
from mbsim.model.leaves import Block
from mbsim.model.names import der
from mbsim.model.rephrase import Fault

REACTIONS = ("joint_force", "joint_torque", "joint_force_local", "joint_torque_local")
ENERGIES = ("energy_kinetic", "energy_potential", "energy_work", "energy_balance")


def _one_line(text: str) -> str:
    if not text.strip() or not text.strip().isprintable():
        raise ValueError("expected one line of text: the publication, and the table or figure in it")
    return text.strip()


class ReferenceValue(Block):
    """One published number."""

    time: Number = Field(description="when, s")
    of: str = Field(
        description="what: crank.x, der(theta), der(der(theta)), joint_force.A.x, driver_effort.motor, energy_kinetic, a measure ..."
    )
    value: Number = Field(description="the published number, SI units")
    tolerance: PositiveNumber = Field(description="absolute, in the units of the value: how far off a right result may be")


class Reference(Block):
    """Published values of the motion."""

    source: Annotated[str, AfterValidator(_one_line)] = Field(description="where the values are published")
    values: Annotated[list[ReferenceValue], Field(min_length=1)] = Field(description="the published values")


def driver_labels(drivers: Mapping[str, Any]) -> Iterator[str]:
    """The labels of the efforts of the blocks of `drivers`. A point has one for each of its coordinates."""
    for name, block in drivers.items():
        axes = [axis for axis in "xyz" if isinstance(block, dict) and "point" in block and axis in block]
        yield from [f"{name}.{axis}" for axis in axes] or [name]


def constraint_labels(constraints: Mapping[str, Any], catalogue: Any, dimension: int | None) -> Iterator[str]:
    """The labels of the rows of the blocks of `constraints`. `catalogue` is that of mbsim.model.load."""
    for name, block in constraints.items():
        word = block.get("type") if isinstance(block, dict) else None
        known = isinstance(word, str) and word in catalogue.names("constraints")
        labels = catalogue.leaf("constraints", word).LABELS.get(dimension, []) if known else []
        yield from [f"{name}.{label}" for label in labels] or [name]


def value_names(states: Iterable[str], joints: Iterable[str], drivers: Iterable[str], constraints: Iterable[str]) -> frozenset[str]:
    """The names that `of` may contain. `states` are the names that laws may use."""
    states = set(states)
    names = states | set(ENERGIES)
    names |= {der(name) for name in states if name.startswith("der(") or ".omega." in name}
    names |= {f"{reaction}.{joint}.{axis}" for joint in joints for reaction in REACTIONS for axis in "xyz"}
    names |= {f"driver_effort.{driver}" for driver in drivers} | {f"multiplier.{constraint}" for constraint in constraints}
    return frozenset(names)


def misplaced(reference: Reference, names: frozenset[str], span: tuple[float, float] | None) -> Iterator[Fault]:
    """Values of unknown names, of times outside `span` and those given twice; paths below `reference`."""
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
