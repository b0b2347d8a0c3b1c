"""Rigid stops and contacts of a mechanism whose motion is prescribed: it moves until it reaches the first of them. And its dry friction.

Kinematics leave friction out, as all forces. In inverse dynamics friction of a given effort acts against the motion, which is known.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.analyses.driven import Followed, follow
from mbsim.analyses.gaps import Gaps
from mbsim.analyses.prescribed import Motion, rows_of
from mbsim.assembly import Assembly, assemble
from mbsim.constraints.pulley_cable import PulleyCable
from mbsim.diagnosis.continuation import NoWayError
from mbsim.forces._push import KnownRub
from mbsim.joints._coupling import RowCoupling
from mbsim.joints._table import TableJoint
from mbsim.model.formulas import with_fields
from mbsim.model.names import der
from mbsim.observe.facts import Facts
from mbsim.observe.quantities import Quantities, Quantity
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.model.schema import Model

ROUND_OFF = 1e-12  # rad, m, or of the bound: a coordinate that is less beyond it is at it
REFINED = 12  # steps of Newton's method to a stop
CLOSE = 0.2  # of a gap at two rows: where it may come closer than this in between is looked at


class StopReachedError(NoWayError):
    """A mechanism that goes no farther than the time `at`, because a joint has reached a stop there."""

    complete = True


class Bound(NamedTuple):
    """A stop of a joint."""

    name: str  # knee_upper
    coordinate: str  # knee.angle
    value: float  # rad or m
    sign: float  # 1: a lower bound, -1: an upper one


class Ends(NamedTuple):
    """What ends a prescribed motion."""

    bounds: list[Bound]  # stops of joints
    closing: "Model | None"  # the model with its contacts and play, where it has any

    def tell_free(self) -> str:
        """What is said of a mechanism that keeps freedoms."""
        if self.closing is None:
            return ""
        names = [*self.closing.contacts, *_with_play(self.closing)]
        return f"; contacts and play ({', '.join(names)}) hold nothing while they are open: `mbsim run` knows them"


class Bare(NamedTuple):
    """A model without stops, contacts and play."""

    model: "Model"
    ends: Ends
    said: list[str]  # of its friction


def _with_play(model: "Model") -> list[str]:
    """Its couplings with backlash."""
    return [name for name, one in model.couplings.items() if isinstance(one, RowCoupling) and one.backlash is not None]


def without_stops(model: "Model", forces: bool = False) -> Bare:
    """The model without the stops of its joints, its contacts, play, the dry friction of joints, and that of cables on rims.

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
    closing = replace(model, joints=joints, constraints=constraints, forces=acting)
    play = _with_play(model)
    if not (model.contacts or play):
        return Bare(closing, Ends(bounds, None), [said] * bool(names))
    couplings = {name: one for name, one in model.couplings.items() if name not in play}
    return Bare(replace(closing, contacts={}, couplings=couplings), Ends(bounds, closing), [said] * bool(names))


class Stops:
    """What ends a prescribed motion: stops of joints, and what closes (`mbsim.analyses.gaps`)."""

    def __init__(self, made: Assembly, ends: Ends, model: "Model | None", touching: bool = True) -> None:
        """`model`, the one of `made`, is needed where there are any bounds. `touching`: whether it goes on along what touches without
        going into it."""
        self._made, self._bounds, self._touching = made, ends.bounds, touching
        self._gaps = None if ends.closing is None else Gaps(assemble(ends.closing))
        self._near = np.array([ROUND_OFF * max(1.0, abs(one.value)) for one in self._bounds])
        if self._gaps is not None:
            self._near = np.concatenate([self._near, self._gaps.near])
        self._known = list[tuple[Quantity, Quantity]]()
        if self._bounds:
            assert model is not None
            quantities = Quantities(Facts.of(model), made.system)
            self._known = [self._with_rate(quantities, one.coordinate) for one in self._bounds]

    @staticmethod
    def _with_rate(quantities: Quantities, coordinate: str) -> tuple[Quantity, Quantity]:
        value, rate = quantities.find(coordinate), quantities.find(der(coordinate))
        assert value is not None and rate is not None, coordinate  # what can be driven and measured can have stops
        return value, rate

    def cut(self, followed: Followed, name: str = "t", unit: str = "s") -> Followed:
        """The motion as far as the first of them that it reaches; `name` is the coordinate that is cycled, or "t". Raises
        StopReachedError where it begins beyond one."""
        motion = followed.motion
        if not (self._bounds or self._gaps) or not len(motion.times):
            return followed
        gaps, rates = self._along(motion)
        over = self._over(gaps)
        row = int(np.argmax(over.any(axis=0))) if over.any() else len(motion.times)
        dip = self._dipped(motion, gaps[:, :row], rates[:, :row])
        if dip is not None:
            row, within = dip
            motion = Motion(*(np.concatenate([x[:row], y]) for x, y in zip(_parts(motion), _parts(within), strict=True)))
            gaps, _ = self._along(motion)
            over = self._over(gaps)
        elif row == len(motion.times):
            return followed
        reached = np.flatnonzero(over[:, row]).tolist()
        if row == 0:
            deepest = min(reached, key=lambda k: float(gaps[k, 0]))
            raise StopReachedError(self._beyond(deepest, float(gaps[deepest, 0])), float(motion.times[0]))
        found = [(self._reach(k, motion, row), k) for k in reached]
        (last, one) = min(found, key=lambda pair: abs(float(pair[0].times[0]) - motion.times[row - 1]))
        at, before = float(last.times[0]), float(motion.times[row - 1])
        new = abs(at - before) > ROUND_OFF * max(1.0, abs(at))  # else the row before is at the stop
        whole = Motion(*(np.concatenate([x[:row], y] if new else [x[:row]]) for x, y in zip(_parts(motion), _parts(last), strict=True)))
        forward = 1.0 if motion.times[row] > motion.times[row - 1] else -1.0
        passages = [passage for passage in followed.passages if forward * (passage.t - at) < 0.0]
        what = "the drivers" if name == "t" else name
        said = f"{self._told(one)} at {name} = {at:.9g} {unit}: {what} cannot go farther"
        return Followed(whole, passages, StopReachedError(said, at))

    def require_none(self, motion: Motion) -> None:
        """Raise ValueError where a motion that a table gives reaches one."""
        if not (self._bounds or self._gaps) or not len(motion.times):
            return
        gaps, _ = self._along(motion)
        over = self._over(gaps)
        if over.any():
            row = int(np.argmax(over.any(axis=0)))
            k = min(np.flatnonzero(over[:, row]).tolist(), key=lambda k: float(gaps[k, row]))
            raise ValueError(f"the table leads too far at t = {motion.times[row]:.9g} s: {self._beyond(k, float(gaps[k, row]))}")

    def _told(self, k: int) -> str:
        """That one is reached."""
        own = len(self._bounds)
        return f"the stop {self._bounds[k].name} is reached" if k < own or self._gaps is None else f"{self._gaps.names[k - own]} closes"

    def _beyond(self, k: int, gap: float) -> str:
        """That the first row is beyond one, by -`gap`."""
        if k < len(self._bounds) or self._gaps is None:
            one = self._bounds[k]
            return f"{one.coordinate} = {one.value + one.sign * gap:.9g} is beyond its stop {one.name} ({one.value:.9g})"
        k -= len(self._bounds)
        name, unit = self._gaps.names[k], self._gaps.units[k]
        if abs(gap) <= self._gaps.near[k]:
            return f"{name} is closed there, so that it may carry a load, which no prescribed motion tells"
        return f"{name} is {-gap:.3g} {unit} beyond closed"

    def _over(self, gaps: Floats) -> NDArray[np.bool_]:
        """Which (n, k) are passed. What touches without going in is passed where its load is to be known."""
        over: NDArray[np.bool_] = gaps < -self._near[:, None]
        if not self._touching:
            over[len(self._bounds) :] = gaps[len(self._bounds) :] <= self._near[len(self._bounds) :, None]
        return over

    def _along(self, motion: Motion) -> tuple[Floats, Floats]:
        """How far (n, k) the motion is from each, rad or m, and the rate of that."""
        rows = rows_of(self._made.system, motion)
        gaps, rates = np.zeros((2, len(self._bounds), len(motion.times)))
        for k, (one, (value, rate)) in enumerate(zip(self._bounds, self._known, strict=True)):
            gaps[k], rates[k] = one.sign * (value.of(rows) - one.value), one.sign * rate.of(rows)
        if self._gaps is None:
            return gaps, rates
        more = self._gaps.along(motion)
        return np.concatenate([gaps, more[0]]), np.concatenate([rates, more[1]])

    def _dipped(self, motion: Motion, gaps: Floats, rates: Floats) -> tuple[int, Motion] | None:
        """The first row before which one is passed and left again, of rows that are not beyond any; and the motion (1 row) there.

        Between two rows a gap that falls and then rises is the cubic of both gaps and rates: its least value says where to look.
        """
        h = np.diff(motion.times[: gaps.shape[1]])
        begins, ends, falls, rises = gaps[:, :-1], gaps[:, 1:], rates[:, :-1] * h, rates[:, 1:] * h
        for row, k in np.argwhere(((falls < 0.0) & (rises > 0.0)).T).tolist():
            a, b, c, d = (float(each[k, row]) for each in (begins, ends, falls, rises))
            nearer, near = min(a, b), float(self._near[k])
            powers = [2.0 * (a - b) + c + d, 3.0 * (b - a) - 2.0 * c - d, c, a]
            turns = [float(x.real) for x in np.roots(np.polyder(powers)) if abs(x.imag) < ROUND_OFF and 0.0 < x.real < 1.0]
            values = {x: float(np.polyval(powers, x)) for x in turns}
            least = min(values, key=values.__getitem__, default=0.0)
            if not values or values[least] > (CLOSE * nearer if nearer > near else -near):
                continue
            at = float(motion.times[row]) + least * float(h[row])
            within = follow(replace(self._made, start=float(motion.times[row]), q=motion.q[row]), [at]).motion
            if len(within.times) and self._over(self._along(within)[0]).any():
                return row + 1, within
        return None

    def _reach(self, k: int, motion: Motion, row: int) -> Motion:
        """The motion (1 row) where one is reached, between the row before and `row`."""
        begin, end = float(motion.times[row - 1]), float(motion.times[row])
        gaps, _ = self._along(motion)
        before, after = float(gaps[k, row - 1]), float(gaps[k, row])
        at = begin + (end - begin) * before / (before - after) if after != before else end
        start = replace(self._made, start=begin, q=motion.q[row - 1])
        low, high = min(begin, end), max(begin, end)
        found = follow(start, [at]).motion
        for _ in range(REFINED):
            gaps, rates = self._along(found)
            if abs(gaps[k, 0]) <= ROUND_OFF or rates[k, 0] == 0.0:
                break
            at = min(max(at - float(gaps[k, 0] / rates[k, 0]), low), high)
            found = follow(start, [at]).motion
        return found


def _parts(motion: Motion) -> tuple[Floats, ...]:
    return motion.times, motion.q, motion.v, motion.a, motion.lam
