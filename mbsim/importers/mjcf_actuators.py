"""Actuators of MJCF: those that lead one coordinate to a place or a rate become controllers, the others forces.

An actuator exerts gain * control + bias along its length. The control is a parameter `ctrl_NAME` of the model, or a state `act_NAME` that
follows it. With a constant gain k, and a bias b0 + b1 length + b2 rate with b1, b2 <= 0, it is a PD controller of its joint: the target is
k control / -b1, and less the joint's `ref`; without b1 the target of the rate is k control / -b2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

import numpy as np

from mbsim.importers.mjcf_bodies import Found, limits
from mbsim.importers.mjcf_elements import MAIN, Keys, Mjcf, fill_numbers, number, numbers
from mbsim.importers.mjcf_lengths import Length, Single, clamp, length_of
from mbsim.importers.robot import Drive, Names, Robot, Servo
from mbsim.importers.robot_inertia import moved_along
from mbsim.importers.urdf_elements import Faults, Floats, RobotError

AFFINE = ("none", "fixed", "affine")
Range = tuple[float, float]
Law = tuple[tuple[str, float], Floats, Floats]  # dynamics with their time constant; gain and bias: constant, per length, per rate


@dataclass(frozen=True)
class _Affine:
    """The force along a length: (gain) control + bias, each of a constant, a factor of the length, and one of its rate."""

    control: str
    gain: Floats
    bias: Floats
    state: str | None
    limit: Range | None  # N or N m along the length
    inputs: Range | None  # the ends of the control, or of the state in its place

    def law(self, length: Length) -> str:
        """The force as an expression."""
        parts = [f"{product}*{self.control}" for product in _terms(self.gain, length, True)]
        return clamp(" + ".join([*parts, *_terms(self.bias, length, False)]) or "0", self.limit)

    def most(self, lengths: Range) -> float:
        """The largest force at rest, N or N m, where the length is at either of these; infinite where no range holds it."""
        free = (-np.inf, np.inf)
        values = [
            float(_sum(self.gain, length, control) + _sum(self.bias, length, 1.0)) for length in lengths for control in self.inputs or free
        ]
        return float(np.abs(np.clip(values, *(self.limit or free))).max())

    def servo(self, name: str, length: Length, ref: float) -> Servo | None:
        """The controller of the length's only joint that does the same; None where there is none."""
        if len(length.factors) != 1 or self.gain[1:].any():
            return None
        ((joint, factor),) = length.factors.items()
        kp, kd = (float(-x * factor**2) for x in self.bias[1:])
        if factor == 0.0 or kp < 0.0 or kd < 0.0 or kp == kd == 0.0:
            return None
        ends = sorted(factor * x for x in self.limit or (-np.inf, np.inf))
        ratio = float(self.gain[0] * factor / (kp or kd))
        target = self.control if ratio == 1.0 else f"{ratio!r}*{self.control}" if ratio else "0"
        if kp == 0.0:
            return Servo(name, joint, kp, kd, None, target, float(factor * self.bias[0]), (ends[0], ends[1]))
        return Servo(name, joint, kp, kd, target + f" - {ref!r}" * (ref != 0.0), "0", float(factor * self.bias[0]), (ends[0], ends[1]))


class Actuators:
    """Adds the actuators of a file to a robot whose links have poses; what is not taken is added to its notes."""

    def __init__(self, file: Mjcf, robot: Robot, found: Found, tendons: Mapping[str, Length | None], single: Single) -> None:
        self.file, self.robot, self.found, self.tendons, self.single = file, robot, found, tendons, single
        self.names = Names("actuator")
        self.controls: list[tuple[str, str | None]] = []  # of each actuator its input, and its state
        self.on_joint: dict[str, list[tuple[str, str | None, Servo | None]]] = {}  # on joints that limit the sum: law, state it reads

    def read(self, faults: Faults) -> None:
        """All of them; what is wrong goes to `faults`."""
        for k, element in enumerate(self.file.sections("actuator")):
            with faults.noted():
                self._actuator(element, k)
        if faults.any:
            return
        for joint, effort in self.robot.efforts.items():
            self.robot.efforts[joint] = min(effort, max(map(abs, self.found.effort.get(joint, (-np.inf, np.inf)))))
        for joint, terms in self.on_joint.items():
            bounds, servo = self.found.effort[joint], terms[0][2]
            if len(terms) == 1 and servo is not None and (limited := _within(servo, bounds)) is not None:
                self.robot.servos.append(limited)
                continue
            law = clamp(" + ".join(term for term, _, _ in terms), bounds)
            states = tuple(state for _, state, _ in terms if state is not None)
            self.robot.drives.append(Drive(f"{joint}_actuators", {joint: 1.0}, law, states))

    def _actuator(self, element: Element, k: int) -> None:
        file, robot = self.file, self.robot
        keys = file.keys(element, MAIN)
        given = keys.get("name") or f"actuator_{k + 1}"
        name, where = self.names.add(given), f"actuator '{given[:60]}'"
        self.controls.append((f"ctrl_{name}", None))
        length = self._transmission(keys, where)
        if length is None:
            return
        acts = self._acting(element.tag, keys, name, length, where)
        if acts is None:
            robot.notes.append(f"{where} is not taken: a {element.tag[:40]} actuator, or one whose gain or dynamics no affine law has")
            return
        robot.inputs[f"ctrl_{name}"] = 0.0
        for key in ("damping", "armature"):
            if key in keys and numbers(keys, key, "", None, where).any():
                robot.notes.append(f"{where}: its own {key} is not taken")
        law, free, most = acts.law(length), {}, acts.most(self._ends(length))
        servo = acts.servo(name, length, self.found.ref[next(iter(length.factors))])
        for joint, factor in length.factors.items():
            robot.efforts[joint] = robot.efforts.get(joint, 0.0) + (abs(factor) * most if factor else 0.0)
            if joint in self.found.effort:
                self.on_joint.setdefault(joint, []).append((f"{factor!r}*({law})", acts.state, servo))
            else:
                free[joint] = factor
        if free and servo is not None and servo.limit[0] < servo.limit[1]:
            robot.servos.append(servo)
        elif free:
            robot.drives.append(Drive(name, free, law, (acts.state,) if acts.state is not None else ()))

    def _ends(self, length: Length) -> Range:
        """The least and the greatest length, with all its joints at their limits."""
        low, high = length.constant, length.constant
        for name, factor in length.factors.items():
            joint = self.robot.joints[name]
            ends = sorted(factor * x for x in (joint.lower, joint.upper) if factor)
            low, high = low + sum(ends[:1]), high + sum(ends[1:])
        return low, high

    def _transmission(self, keys: Keys, where: str) -> Length | None:
        """What an actuator pulls; None, with a note, where that is no sum of coordinates."""
        gear = fill_numbers(keys, "gear", "1 0 0 0 0 0", where)
        name = keys.get("joint", keys.get("jointinparent"))
        if name is not None:
            joint = self.single(name, where)
            return length_of({joint: float(gear[0])}, self.found) if joint is not None else None
        if "tendon" in keys:
            if keys["tendon"] not in self.tendons:
                raise RobotError(f"{where}: unknown tendon '{keys['tendon'][:60]}'")
            tendon = self.tendons[keys["tendon"]]
            if tendon is not None:
                return length_of({joint: float(gear[0]) * factor for joint, factor in tendon.factors.items()}, self.found)
        self.robot.notes.append(f"{where} is not taken: it acts neither on a joint nor on a fixed tendon of joints")
        return None

    def _acting(self, kind: str, keys: Keys, name: str, length: Length, where: str) -> _Affine | None:
        """The force along the length; None where it is not affine."""
        read = {"motor": self._motor, "general": self._general, "position": self._position, "velocity": self._velocity,
                "intvelocity": self._integrated, "damper": self._damper, "cylinder": self._cylinder}.get(kind)  # fmt: skip
        found = read(keys, length, where) if read is not None else None
        if found is None:
            return None
        (dynamics, lag), gain, bias = found
        inputs = self._control_range(kind, keys, length, where)
        control, state = clamp(f"ctrl_{name}", inputs), None
        if dynamics != "none":
            state = f"act_{name}"
            rate = control if dynamics == "integrator" else f"({control} - {state})/{lag!r}"
            within = limits(self.file, keys, "actrange", "actlimited", where)
            self.robot.states[state] = (_kept_within(rate, state, within), 0.0)
            self.controls[-1] = (f"ctrl_{name}", state)
            inputs = within or (inputs if dynamics != "integrator" else None)
            control = clamp(state, within)
        return _Affine(control, gain, bias, state, limits(self.file, keys, "forcerange", "forcelimited", where), inputs)

    def _control_range(self, kind: str, keys: Keys, length: Length, where: str) -> tuple[float, float] | None:
        part = number(keys, "inheritrange", 0.0, where) if kind in ("position", "intvelocity") else 0.0
        if part and kind == "position" and len(length.factors) == 1:
            ((joint, _),) = length.factors.items()
            ref = self.found.ref[joint]
            lower, upper = self.robot.joints[joint].lower + ref, self.robot.joints[joint].upper + ref
            middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower) * part
            return middle - half, middle + half
        return limits(self.file, keys, "ctrlrange", "ctrllimited", where)

    def _motor(self, keys: Keys, length: Length, where: str) -> "Law":
        return ("none", 0.0), np.array([1.0, 0.0, 0.0]), np.zeros(3)

    def _general(self, keys: Keys, length: Length, where: str) -> "Law | None":
        dynamics = keys.get("dyntype", "none")
        gain, bias = keys.get("gaintype", "fixed"), keys.get("biastype", "none")
        if gain not in AFFINE or bias not in AFFINE or dynamics not in ("none", "integrator", "filter", "filterexact"):
            return None
        lag = float(fill_numbers(keys, "dynprm", "1", where)[0])
        if dynamics.startswith("filter") and not lag > 0.0:
            raise RobotError(f"{where}: dynprm: the time constant must be greater than 0 (got {lag:g})")
        factors, constants = fill_numbers(keys, "gainprm", "1 0 0", where)[:3], fill_numbers(keys, "biasprm", "0 0 0", where)[:3]
        if factors[0] == -constants[1] and constants[2] > 0.0:  # MuJoCo takes the positive gain of a servo as its damping ratio
            constants[2] *= -2.0 * float(np.sqrt(factors[0] * moved_along(self.robot, length.factors)))
        return (dynamics, lag), factors * ([1.0, 0.0, 0.0] if gain == "fixed" else 1.0), constants * (bias == "affine")

    def _position(self, keys: Keys, length: Length, where: str) -> "Law":
        kp, kv, lag = (number(keys, key, usual, where) for key, usual in (("kp", 1.0), ("kv", 0.0), ("timeconst", 0.0)))
        if ratio := number(keys, "dampratio", 0.0, where):
            kv = 2.0 * ratio * float(np.sqrt(kp * moved_along(self.robot, length.factors)))
        return ("filter" if lag > 0.0 else "none", lag), np.array([kp, 0.0, 0.0]), np.array([0.0, -kp, -kv])

    def _velocity(self, keys: Keys, length: Length, where: str) -> "Law":
        kv = number(keys, "kv", 1.0, where)
        return ("none", 0.0), np.array([kv, 0.0, 0.0]), np.array([0.0, 0.0, -kv])

    def _integrated(self, keys: Keys, length: Length, where: str) -> "Law":
        kp, kv = number(keys, "kp", 1.0, where), number(keys, "kv", 0.0, where)
        return ("integrator", 0.0), np.array([kp, 0.0, 0.0]), np.array([0.0, -kp, -kv])

    def _damper(self, keys: Keys, length: Length, where: str) -> "Law":
        return ("none", 0.0), np.array([0.0, 0.0, -number(keys, "kv", 1.0, where)]), np.zeros(3)

    def _cylinder(self, keys: Keys, length: Length, where: str) -> "Law":
        area, lag = number(keys, "area", 1.0, where), number(keys, "timeconst", 1.0, where)
        if "diameter" in keys:
            area = 0.25 * np.pi * number(keys, "diameter", 0.0, where) ** 2
        return ("filter", lag), np.array([float(area), 0.0, 0.0]), fill_numbers(keys, "bias", "0 0 0", where)[:3]


def _kept_within(rate: str, state: str, ends: Range | None) -> str:
    """The rate of an activation that MuJoCo holds within a range: beyond an end it goes back alone, so that nothing winds up."""
    if ends is None:
        return rate
    return f"if_else({state} >= {ends[1]!r}, min(0, {rate}), if_else({state} <= {ends[0]!r}, max(0, {rate}), {rate}))"


def _within(servo: Servo, bounds: Range) -> Servo | None:
    """The same, its effort held within further bounds; None where these leave no range."""
    lower, upper = max(servo.limit[0], bounds[0]), min(servo.limit[1], bounds[1])
    return replace(servo, limit=(lower, upper)) if lower < upper else None


def _sum(factors: Floats, length: float, by: float) -> float:
    """(constant + factor length) times a number; what has the factor 0 does not count, however long it is."""
    constant, of_length = float(factors[0]), float(factors[1])
    found = constant + (of_length * length if of_length else 0.0)
    return found * by if found else 0.0


def _terms(factors: Floats, length: Length, together: bool) -> list[str]:
    """The terms of constant + factor length + factor rate; `together`: as one, in brackets where needed."""
    constant, of_length, of_rate = (float(x) for x in factors)
    terms = [repr(constant)] * (constant != 0.0)
    terms += [f"{of_length!r}*{length.text}"] * (of_length != 0.0) + [f"{of_rate!r}*{length.rate}"] * (of_rate != 0.0)
    return [f"({' + '.join(terms)})"] * bool(terms) if together else terms
