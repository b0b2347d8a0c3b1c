"""Rigid stops of a mechanism whose motion is prescribed: it moves until it reaches the first of them. And its dry friction.

Kinematics leave friction out, as all forces. In inverse dynamics friction of a given effort acts against the motion, which is known.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim.analyses.driven import Followed, follow
from mbsim.analyses.prescribed import Motion, rows_of
from mbsim.assembly import Assembly
from mbsim.constraints.pulley_cable import PulleyCable
from mbsim.diagnosis.continuation import NoWayError
from mbsim.forces._push import KnownRub
from mbsim.joints._table import TableJoint
from mbsim.model.formulas import with_fields
from mbsim.model.names import der
from mbsim.observe.facts import Facts
from mbsim.observe.quantities import Quantities, Quantity
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model

ROUND_OFF = 1e-12  # rad, m, or of the bound: a coordinate that is less beyond it is at it
REFINED = 4  # steps of Newton's method to a stop


class StopReachedError(NoWayError):
    """A mechanism that goes no farther than the time `at`, because a joint has reached a stop there."""

    complete = True


class Bound(NamedTuple):
    """A stop of a joint."""

    name: str  # knee_upper
    coordinate: str  # knee.angle
    value: float  # rad or m
    sign: float  # 1: a lower bound, -1: an upper one


class Bare(NamedTuple):
    """A model without stops."""

    model: "Model"
    bounds: list[Bound]  # its stops
    said: list[str]  # of its friction


def without_stops(model: "Model", forces: bool = False) -> Bare:
    """The model without the stops of its joints, their dry friction, and that of cables on rims.

    With `forces` friction of a given effort acts against the motion, and that by a coefficient and of cables stays as it is.
    """
    bounds: list[Bound] = []
    joints: dict[str, Any] = {}
    rubs: dict[str, Any] = {}
    for name, joint in model.joints.items():
        joints[name] = joint
        if not isinstance(joint, TableJoint) or not (joint.stops or joint.backlash or joint.friction):
            continue
        choices = joint.bounded(model.dimension or 3)

        def label(coordinate: str, name: str = name, choices: list[str] = choices) -> str:
            return name if len(choices) == 1 else f"{name}_{coordinate}"

        for stops in joint.bounds():
            coordinate = stops.coordinate_of(joint.type, choices)
            given = (("lower", 1.0, stops.lower), ("upper", -1.0, stops.upper))
            bounds += [
                Bound(f"{label(coordinate)}_{word}", f"{name}.{coordinate}", value, sign)
                for word, sign, value in given
                if value is not None
            ]
        kept = [one for one in joint.friction if forces and one.coefficient is not None]
        for one in joint.friction:
            if one not in kept:
                coordinate = one.coordinate_of(joint.type, choices)
                known = KnownRub.model_construct(type="push", joint=name, coordinate=coordinate, size=one.slips)
                rubs[f"{label(coordinate)}_friction"] = known
        joints[name] = with_fields(joint, {"stops": [], "backlash": [], "friction": kept})
    constraints, smoothed = dict(model.constraints), list[str]()
    for name, constraint in model.constraints.items():
        if isinstance(constraint, PulleyCable) and not forces and any(station.friction is not None for station in constraint.path):
            constraints[name] = constraint.smooth()
            smoothed.append(name)
    names = ", ".join(dict.fromkeys([*(rub.joint for rub in rubs.values()), *smoothed]))
    said = f"the dry friction of {names} is a force, and is left out"
    if forces:
        said = f"the dry friction of {names} acts against the motion; where a joint rests it is given as 0, and may be anything it holds"
    acting = {**model.forces, **(rubs if forces else {})}
    return Bare(replace(model, joints=joints, constraints=constraints, forces=acting), bounds, [said] * bool(names))


class Stops:
    """The stops of a mechanism whose motion is prescribed."""

    def __init__(self, made: Assembly, bounds: Iterable[Bound], model: "Model | None") -> None:
        """`model` is needed where there are any."""
        self._made, self._bounds = made, list(bounds)
        if not self._bounds:
            return
        assert model is not None
        quantities = Quantities(Facts.of(model), made.system)
        self._known = {one.coordinate: self._with_rate(quantities, one.coordinate) for one in self._bounds}

    @staticmethod
    def _with_rate(quantities: Quantities, coordinate: str) -> tuple[Quantity, Quantity]:
        value, rate = quantities.find(coordinate), quantities.find(der(coordinate))
        assert value is not None and rate is not None, coordinate  # what can be driven and measured can have stops
        return value, rate

    def cut(self, followed: Followed, name: str = "t", unit: str = "s") -> Followed:
        """The motion as far as the first stop that it reaches; `name` is the coordinate that is cycled, or "t". Raises StopReachedError
        where it begins beyond one."""
        motion = followed.motion
        if not self._bounds or not len(motion.times):
            return followed
        gaps = [self._gap(one, motion)[0] for one in self._bounds]
        beyond = [int(np.argmax(gap < 0.0)) if (gap < 0.0).any() else len(gap) for gap in gaps]
        row = min(beyond)
        if row == len(motion.times):
            return followed
        reached = [one for one, first in zip(self._bounds, beyond, strict=True) if first == row]
        if row == 0:
            one = reached[0]
            value = one.value + one.sign * float(gaps[self._bounds.index(one)][0])
            raise StopReachedError(
                f"{one.coordinate} = {value:.9g} is beyond its stop {one.name} ({one.value:.9g})", float(motion.times[0])
            )
        found = [(self._reach(one, motion, row), one) for one in reached]
        (last, one) = min(found, key=lambda pair: abs(float(pair[0].times[0]) - motion.times[row - 1]))
        at, before = float(last.times[0]), float(motion.times[row - 1])
        new = abs(at - before) > ROUND_OFF * max(1.0, abs(at))  # else the row before is at the stop
        whole = Motion(*(np.concatenate([x[:row], y] if new else [x[:row]]) for x, y in zip(_parts(motion), _parts(last), strict=True)))
        forward = 1.0 if motion.times[row] > motion.times[row - 1] else -1.0
        passages = [passage for passage in followed.passages if forward * (passage.t - at) < 0.0]
        what = "the drivers" if name == "t" else name
        said = f"the stop {one.name} is reached at {name} = {at:.9g} {unit}: {what} cannot go farther"
        return Followed(whole, passages, StopReachedError(said, at))

    def _gap(self, one: Bound, motion: Motion) -> tuple[Floats, Floats]:
        """How far (k,) a coordinate is from its bound, zero where it is at it, and the rate of that."""
        value, rate = self._known[one.coordinate]
        rows = rows_of(self._made.system, motion)
        gap, slope = (np.broadcast_to(each.of(rows), motion.times.shape).astype(float) for each in (value, rate))
        gap = one.sign * (gap - one.value)
        return np.where(np.abs(gap) <= ROUND_OFF * max(1.0, abs(one.value)), 0.0, gap), one.sign * slope

    def _reach(self, one: Bound, motion: Motion, row: int) -> Motion:
        """The motion (1 row) where a coordinate reaches its bound, between the row before and `row`."""
        begin, end = float(motion.times[row - 1]), float(motion.times[row])
        gap, _ = self._gap(one, motion)
        before, after = float(gap[row - 1]), float(gap[row])
        at = begin + (end - begin) * before / (before - after)
        start = replace(self._made, start=begin, q=motion.q[row - 1])
        found = follow(start, [at]).motion
        for _ in range(REFINED):
            gaps, rates = self._gap(one, found)
            low, high = min(begin, end), max(begin, end)
            if gaps[0] == 0.0 or rates[0] == 0.0:
                break
            at = min(max(at - float(gaps[0] / rates[0]), low), high)
            found = follow(start, [at]).motion
        return found


def _parts(motion: Motion) -> tuple[Floats, ...]:
    return motion.times, motion.q, motion.v, motion.a, motion.lam
