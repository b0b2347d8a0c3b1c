"""The names that a functional may use, found in a result: variables, labels, bodies' points.

`joint_force:pin` is a vector, `joint_force:pin:x` or `joint_force.pin.x` a history; `rod.angle`, `der(rod.angle)` and `der(der(rod.angle))`
are a coordinate, its speed and its acceleration; `rod.B.x` is where the point B of the body is. Points come from the scene of the result,
which has nine digits of them.
"""

import json
import re
from functools import cached_property
from typing import Any

import numpy as np

from mbsim.model.expressions.parsed import Expression
from mbsim.model.file.plain import Mapped
from mbsim.model.names import GROUND
from mbsim.results.functionals import EVENT_COUNT, EVENT_TIME, HISTORY, NUMBER, VECTOR, Floats, FunctionalError, Quantity, named, parse
from mbsim.results.schema import TIME_DIMENSION
from mbsim.results.variables import ResultError, Variables

_AXES = ("x", "y", "z")
_QUATERNION = ("qw", "qx", "qy", "qz")
_OF_ANGLES = "angle"
_EVENT = re.compile(rf"(?P<what>{EVENT_TIME}|{EVENT_COUNT})\((?P<event>[^,()]+)(?:, (?P<which>[0-9]+))?(?:, (?P<did>[a-z]+))?\)")

DOINGS = ("record", "stop", "set", "switch", "lock", "unlock")
HAPPENINGS = ("impact", "closed", "open", "sticks", "slips", "idle")  # of stops, contacts and dry friction


class RecordedNames:
    """The names of one result; see `mbsim.results.functionals.Names`. Arrays that were read are kept, for several functionals."""

    def __init__(self, result: Variables) -> None:
        self._result = result
        self._arrays: dict[tuple[str, ...], Any] = {}

    @property
    def time(self) -> Floats:
        """(k,) in s."""
        found: Floats = self._read("time")
        return found

    def find(self, name: str) -> Quantity:
        """What a name stands for. Raises FunctionalError."""
        result = self._result
        if name == "t":
            return Quantity(HISTORY, "s", lambda: self.time)
        if name in result.parameters:
            return Quantity(NUMBER, "1", lambda: result.parameters[name])
        if of_events := _EVENT.fullmatch(name):
            return self._of_event(of_events["what"], of_events["event"], int(of_events["which"] or 0), of_events["did"] or "")
        try:
            return self._variable(*name.split(":")) if ":" in name else self._plain(name)
        except ResultError as error:
            if (expression := self._let(name)) is not None:
                return named(expression, self)
            raise FunctionalError(str(error)) from None

    def _let(self, name: str) -> Expression | None:
        """The expression that the model's `let` names so, or the rate of one; None where there is none."""
        rate = name.startswith("der(")
        text = self._let_text(name[4:-1] if rate else name)
        if text is None:
            return None
        return parse(f"der({text})" if rate else text, constants=self._result.parameters)

    def _let_text(self, name: str) -> str | None:
        block = self._model_data.get("let")
        text = block.get(name) if isinstance(block, dict) else None
        return str(text) if isinstance(text, (str, int, float)) else None

    @cached_property
    def _model_data(self) -> Mapped:
        """The model file as it was; empty of a damaged result."""
        from mbsim.model.file.errors import ModelError
        from mbsim.model.file.positions import read

        try:
            found = read(self._result.model_yaml, "").data
        except ModelError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def event_names(self) -> list[str]:
        """Those of the model; of a damaged result those that have happened."""
        if not self._model_data:
            return list(dict.fromkeys(str(event["event"]) for event in self._happened))
        block = self._model_data.get("events")
        return list(block) if isinstance(block, dict) else []

    @property
    def _happened(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._result.attributes.get("events", [])
        return found

    @property
    def _holding(self) -> set[str]:
        """The names of what holds by rows of its own, in the model file."""
        blocks = [self._model_data.get(section) for section in ("joints", "drivers", "constraints")]
        return {str(name) for block in blocks if isinstance(block, dict) for name in block}

    @property
    def _rigid(self) -> list[str]:
        """The stops, contacts and dry frictions, which happen as events do: those with a row, and those that have happened."""
        listed = self._result.dimensions("multiplier")[1] if "multiplier" in self._result else ""
        rows = self._result.labels(listed) if listed else []
        plain = [row for row in rows if "[" not in row and "." not in row and row.rpartition("_stick")[0] not in rows]
        happened = [str(event["event"]) for event in self._happened]
        return [name for name in dict.fromkeys([*plain, *happened]) if name not in {*self._holding, *self.event_names}]

    def _of_event(self, what: str, event: str, which: int, did: str) -> Quantity:
        """When an event happens for the n-th time, or how often it does; with `did` only where it does that, as a stop that closes.

        Raises FunctionalError for an event that the model has not.
        """
        if event not in (known := list(dict.fromkeys([*self.event_names, *self._rigid]))):
            from mbsim.model.file.errors import did_you_mean

            raise FunctionalError(f"unknown event '{event[:60]}'{did_you_mean(event, known)}" if known else "the model has no events")
        if did and did not in (words := HAPPENINGS if event in self._rigid else DOINGS):
            raise FunctionalError(f"'{did[:60]}' is nothing that '{event}' does; write one of {', '.join(words)}")

        def times() -> list[float]:
            return [float(line["time"]) for line in self._happened if line["event"] == event and (not did or did in line["do"].split())]

        if what == EVENT_COUNT:
            return Quantity(NUMBER, "1", lambda: float(len(times())))

        def time() -> float:
            found = times()
            if len(found) < which:
                often = f"happens {len(found)} time{'s' * (len(found) != 1)}, not {which}" if found else "does not happen"
                raise FunctionalError(f"the event '{event}{f', {did}' * bool(did)}' {often}")
            return found[which - 1]

        return Quantity(NUMBER, "s", time)

    def function(self, name: str, arguments: list[str]) -> Quantity:
        """The distance of two points, the angle at the second of three, or that between two bodies in the plane. Raises FunctionalError."""
        if name == "distance":
            first, second = map(self._point, arguments)
            return Quantity(HISTORY, "m", lambda: np.linalg.norm(first() - second(), axis=-1))
        if name == "angle" and len(arguments) == 3:
            p, vertex, q = map(self._point, arguments)
            return Quantity(HISTORY, "rad", lambda: _between(p() - vertex(), q() - vertex()))
        raise FunctionalError(f"{name} of bodies is known to a measure of the model only; add it to the `measures` of the model file")

    def _plain(self, name: str) -> Quantity:
        """A name without colons. Raises ResultError for one that is not known."""
        result = self._result
        inner = name[4:-1] if name.startswith("der(") and name.endswith(")") else ""
        if inner and inner in result.labels("speed") and "acceleration" in result:
            return self._variable("acceleration", inner)
        if name in result:
            return self._variable(name)
        parts = name.split(".")
        if len(parts) > 1 and parts[0] in result and len(result.dimensions(parts[0])) > 1:  # joint_force.pin.x
            labels = result.labels(result.dimensions(parts[0])[1])
            rest = name.partition(".")[2]
            if rest in labels:
                return self._variable(parts[0], rest)
            label, _, axis = rest.rpartition(".")
            if label in labels and axis in _AXES:
                return self._variable(parts[0], label, axis)
        found = self._of_body(name)
        return self._variable(*result.resolve(name)) if found is None else found

    def _variable(self, *item: str) -> Quantity:
        """A variable under labels. Raises ResultError, also where components are left open that make no vector."""
        result = self._result
        variable, *labels = result.resolve(*item)
        dimensions = result.dimensions(variable)
        if dimensions[0] != TIME_DIMENSION:
            raise ResultError(f"{variable} does not change with time")
        free = dimensions[1 + len(labels) :]
        for dimension, label in zip(dimensions[1:], labels, strict=False):
            if label not in result.labels(dimension):
                result.select(variable, *labels)  # says which are there
        if len(labels) > len(dimensions) - 1:
            result.select(variable, *labels)
        if free not in ((), ("xyz",)):
            choices = ", ".join(f"{':'.join([variable, *labels])}:{label}" for label in result.labels(free[0])[:8])
            raise ResultError(f"{':'.join([variable, *labels])} has several components; take one: {choices}")
        units = result.units(variable, *labels[:1])
        return Quantity(VECTOR if free else HISTORY, units, lambda: self._read(variable, *labels))

    def _read(self, *item: str) -> Any:
        if item not in self._arrays:
            self._arrays[item] = self._result.select(*item) if len(item) > 1 else self._result[item[0]]
        return self._arrays[item]

    # bodies

    def _of_body(self, name: str) -> Quantity | None:
        """A quantity of a body or of its points that its pose and velocity give; None for another name."""
        rate = name.startswith("der(") and name.endswith(")")
        parts = (name[4:-1] if rate else name).split(".")
        if parts[0] not in self._bodies or len(parts) < 2 or "body_position" not in self._result:
            return None
        body, *inner, last = parts
        if rate and ("velocity" in inner or "angular_velocity" in parts):
            return self._acceleration(body, inner, last)
        if inner[-1:] == ["velocity"]:
            rate, inner = True, inner[:-1]
        if body != GROUND and not inner and last in (_OF_ANGLES, "angular_velocity") and self._planar:
            if last == _OF_ANGLES and not rate:
                return Quantity(HISTORY, "rad", lambda: _unwind(self._pose(body)[1]))
            return Quantity(HISTORY, "rad s-1", lambda: self._read("body_angular_velocity", body, "z"))
        if body != GROUND and inner == ["angular_velocity"] and last in _AXES:
            return Quantity(HISTORY, "rad s-1", lambda: self._read("body_angular_velocity", body, last))
        if body != GROUND and not self._planar and not rate:
            if not inner and last in _QUATERNION:
                return Quantity(HISTORY, "1", lambda: self._pose(body)[1][:, _QUATERNION.index(last)])
            if inner == ["omega"] and last in _AXES:
                return Quantity(HISTORY, "rad s-1", lambda: self._omega(body)[:, _AXES.index(last)])
        if last not in _AXES or len(inner) > 1 or (inner and inner[0] not in self._bodies[body]):
            return None
        axis, place = _AXES.index(last), ".".join([body, *inner])
        if rate:
            return Quantity(HISTORY, "m s-1", lambda: self._velocity(place)[:, axis])
        point = self._point(place)
        return Quantity(HISTORY, "m", lambda: point()[:, axis])

    def _acceleration(self, body: str, inner: list[str], last: str) -> Quantity | None:
        """The derivative of a velocity, where it is that of a speed of the run; None for another."""
        coordinate = {"velocity": last, "": _OF_ANGLES if last == "angular_velocity" else ""}.get(".".join(inner), "")
        speed = f"der({body}.{coordinate})"
        known = coordinate and "acceleration" in self._result and speed in self._result.labels("speed")
        return self._variable("acceleration", speed) if known else None

    def _point(self, name: str) -> Any:
        """A function that gives where `rod.B`, `rod` or `ground` is, (k, 3). Raises FunctionalError."""
        body, _, point = name.partition(".")
        if body not in self._bodies or (point and point not in self._bodies[body]):
            from mbsim.model.file.errors import did_you_mean

            choices = [place for known, points in self._bodies.items() for place in (known, *(f"{known}.{inner}" for inner in points))]
            raise FunctionalError(f"unknown point '{name[:60]}'{did_you_mean(name, choices)}")
        s = self._bodies[body].get(point, np.zeros(3))
        if body == GROUND:
            return lambda: np.broadcast_to(s, (len(self.time), 3))
        return lambda: self._pose(body)[0] + _turn(self._pose(body)[1], s)

    def _velocity(self, name: str) -> Floats:
        body, _, point = name.partition(".")
        if body == GROUND:
            return np.zeros((len(self.time), 3))
        arm = _turn(self._pose(body)[1], self._bodies[body].get(point, np.zeros(3)))
        return np.asarray(self._read("body_velocity", body) + np.cross(self._read("body_angular_velocity", body), arm))

    def _omega(self, body: str) -> Floats:
        """The angular velocity (k, 3) in the axes of the body."""
        return _turn(self._pose(body)[1] * [1.0, -1.0, -1.0, -1.0], self._read("body_angular_velocity", body))

    def _pose(self, body: str) -> tuple[Floats, Floats]:
        return self._read("body_position", body), self._read("body_orientation", body)

    @cached_property
    def _scene(self) -> Mapped:
        try:
            found = json.loads(self._result.scene or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @cached_property
    def _planar(self) -> bool:
        return self._scene.get("dimension") == 2

    @cached_property
    def _bodies(self) -> dict[str, dict[str, Floats]]:
        """The points of every body and of the ground, in body axes, as far as the scene tells."""
        found: dict[str, dict[str, Floats]] = {name: {} for name in [*self._result.labels("body"), GROUND]}
        blocks = [*((block.get("name"), block) for block in _blocks(self._scene.get("bodies"))), (GROUND, self._scene.get("ground"))]
        for name, block in blocks:
            points = block.get("points") if isinstance(block, dict) else None
            for point, at in points.items() if isinstance(points, dict) else ():
                numbers = np.array(at, float) if isinstance(at, list) and all(isinstance(x, (int, float)) for x in at) else None
                if numbers is not None and numbers.shape == (3,) and name in found:
                    found[str(name)][point] = numbers
        return found


def _blocks(found: object) -> list[Mapped]:
    return [block for block in found if isinstance(block, dict)] if isinstance(found, list) else []


def _turn(quaternions: Floats, s: Floats) -> Floats:
    """A body's vector s (3,) or (k, 3) in global axes (k, 3)."""
    w, u = quaternions[:, :1], quaternions[:, 1:]
    return np.asarray(s + 2.0 * np.cross(u, np.cross(u, s) + w * s))


def _unwind(quaternions: Floats) -> Floats:
    """The angle (k,) of a planar body, without jumps."""
    return np.unwrap(2.0 * np.arctan2(quaternions[:, 3], quaternions[:, 0]))


def _between(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))
