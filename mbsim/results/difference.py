"""How two results differ: what they were made with, and the largest difference of each variable."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbsim.results.schema import TIME_DIMENSION
from mbsim.results.variables import ResultError, Variables

ONE_TIME = 1e-9  # of the longer span: rows of two results that are nearer in time are rows of one time
ROUND_OFF = 1e-12  # of the largest amount of any variable: what is smaller is zero but for round-off
MADE_BY = ("source", "commit", "platform")
FACTS = ("title", "method", "integrator", "step", "end", "drift", "drift_tolerance", "corners", "status", "model_sha256", *MADE_BY)
OF_THE_RUN = ("residual_", "error_estimate", "energy_balance", "controller_saturation")  # say how good a run is, and not how it moves
NESTED = ("options", "versions")


@dataclass(frozen=True)
class Change:
    """The largest difference of a variable: where it is, and the largest amount that either result has there."""

    name: str
    units: str
    largest: float  # inf where only one is a number
    time: float  # s
    label: str
    size: float

    floor: float = 0.0  # the amount below which the variable is round-off

    @property
    def relative(self) -> float:
        """The difference over the largest amount of the variable; 0 where both are zero, or round-off, throughout."""
        if np.isinf(self.largest):
            return self.largest
        return self.largest / self.size if self.size > self.floor else 0.0

    @property
    def moves(self) -> bool:
        """Whether the variable belongs to the motion and does not say how good the run is."""
        return not self.name.startswith(OF_THE_RUN)


@dataclass(frozen=True)
class Difference:
    """`facts`: name, first, second, of what was set differently. `only`: variables and labels that one result lacks."""

    rows: int  # that both have
    facts: list[tuple[str, str, str]]
    only: list[str]
    changes: list[Change]

    def within(self, rtol: float) -> bool:
        """Whether no variable of the motion differs by more than `rtol` of its largest amount, and each result has all of the other's."""
        return not self.only and all(change.relative <= rtol for change in self.changes if change.moves)


def difference(first: Variables, second: Variables) -> Difference:
    """Compare two results at the times that both have. Raises ResultError where there are none."""
    one, other = _share(first.time, second.time)
    if not len(one):
        raise ResultError("the results have no time in common; run both with the same output_step")
    changes, only = [], []
    names = list(dict.fromkeys([*first.names(), *second.names()]))
    for name in names:
        if name not in first or name not in second:
            only.append(f"{name} (only the {'first' if name in first else 'second'} has it)")
        elif first.dimensions(name)[:1] == (TIME_DIMENSION,) and name != "time":
            change = _change(first, second, name, one, other, only)
            if change is not None:
                changes.append(change)
    floor = ROUND_OFF * max((change.size for change in changes if change.moves), default=0.0)
    return Difference(len(one), _facts(first, second), only, [replace(change, floor=floor) for change in changes])


def _share(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places in both of times that are alike."""
    if not len(first) or not len(second):
        return np.zeros(0, int), np.zeros(0, int)
    place = np.clip(np.searchsorted(second, first), 1, max(1, len(second) - 1))
    below = np.minimum(place - 1, len(second) - 1)
    place = np.minimum(place, len(second) - 1)
    nearest = np.where(np.abs(second[below] - first) <= np.abs(second[place] - first), below, place)
    near = ONE_TIME * max(float(np.ptp(first)), float(np.ptp(second)))
    alike = np.flatnonzero(np.abs(second[nearest] - first) <= near)
    return alike, nearest[alike]


def _change(first: Variables, second: Variables, name: str, one: np.ndarray, other: np.ndarray, only: list[str]) -> Change | None:
    """The largest difference of a variable among the labels that both have; None without any."""
    a, b = first[name][one], second[name][other]
    labels: list[list[str]] = []
    for axis, dimension in enumerate(first.dimensions(name)[1:], start=1):
        mine, others = first.labels(dimension), second.labels(dimension)
        both = [label for label in mine if label in others]
        missing = [f"{dimension} {label}" for label in [*mine, *others] if label not in both]
        only += [f"{label} (only one has it)" for label in missing if f"{label} (only one has it)" not in only]
        a, b = np.take(a, [mine.index(x) for x in both], axis), np.take(b, [others.index(x) for x in both], axis)
        labels.append(both)
    if not a.size:
        return None
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.asarray(a, float) - np.asarray(b, float))
    alike = (a == b) | (np.isnan(a) & np.isnan(b))  # also where both are infinite
    apart = np.where(alike, 0.0, np.where(np.isnan(apart), np.inf, apart))
    place = np.unravel_index(int(np.argmax(apart)), apart.shape)
    label = ":".join(found[i] for found, i in zip(labels, place[1:], strict=True))
    finite = np.abs(np.concatenate([a.ravel(), b.ravel()]))
    size = float(np.max(finite[np.isfinite(finite)], initial=0.0))
    units = first.units(name, label.partition(":")[0]) if label else first.units(name)
    return Change(name, units, float(apart[place]), float(first.time[one[place[0]]]), label, size)


def _facts(first: Variables, second: Variables) -> list[tuple[str, str, str]]:
    """What was set differently: attributes, options, versions, parameters."""
    pairs: list[tuple[str, Any, Any]] = [(name, first.attributes.get(name), second.attributes.get(name)) for name in FACTS]
    for group in NESTED:
        one, other = first.attributes.get(group, {}), second.attributes.get(group, {})
        pairs += [(f"{group}.{name}", one.get(name), other.get(name)) for name in dict.fromkeys([*one, *other])]
    both = dict.fromkeys([*first.parameters, *second.parameters])
    pairs += [(f"parameter {name}", first.parameters.get(name), second.parameters.get(name)) for name in both]
    return [(name, _text(a), _text(b)) for name, a, b in pairs if a != b]


def _text(value: object) -> str:
    return "none" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
