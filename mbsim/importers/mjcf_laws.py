"""What acts between the joints of MJCF: actuators and tendons as laws, equality constraints as ties, couplings and equations.

An actuator exerts gain * control + bias along its length, the sum of factors times coordinates of joints. The control is a parameter
`ctrl_NAME` of the model, or a state `act_NAME` that follows it. Lengths count as in the file: a joint's `ref` is part of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

import numpy as np

from mbsim.importers.mjcf_bodies import WORLD, Found, limits
from mbsim.importers.mjcf_elements import MAIN, Keys, Mjcf, filled, flag, number, numbers
from mbsim.importers.robot import Drive, Equation, Mimic, Names, Robot, Tie
from mbsim.importers.robot_inertia import moved_along
from mbsim.importers.urdf_elements import Floats, RobotError
from mbsim.model.rotations import matrix_from_quaternion, unit

COORDINATES = {"hinge": "angle", "slide": "displacement"}
AFFINE = ("none", "fixed", "affine")
SAME = 1e-6  # m, and of a rotation matrix: a weld's pose that is that of the drawing


@dataclass(frozen=True)
class Length:
    """A sum of factors times coordinates of joints, and a constant."""

    factors: dict[str, float]
    constant: float  # m or rad, where all coordinates are zero
    moving: str  # its change from there, an expression
    rate: str

    @property
    def text(self) -> str:
        """The whole length, an expression."""
        return self.moving if self.constant == 0.0 else f"({self.moving} + {self.constant!r})"


class Laws:
    """Adds to a robot what acts between its joints; what is not taken is added to its notes."""

    def __init__(self, file: Mjcf, robot: Robot, found: Found) -> None:
        self.file, self.robot, self.found = file, robot, found
        self.names = Names("actuator")
        self.tendons: dict[str, Length | None] = {}
        self.controls: list[tuple[str, str | None]] = []  # of each actuator its input, and its state
        self.ties: list[tuple[str, Keys, str, str]] = []
        self.on_joint: dict[str, list[str]] = {}  # terms of the actuators on a joint whose sum is limited

    def couple(self) -> None:
        """Tendons and equality constraints, before the robot is in order. Raises RobotError."""
        self._tendons()
        for k, element in enumerate(self.file.sections("equality")):
            self._equality(element, k)

    def read(self) -> None:
        """What needs the poses of the robot's links. Raises RobotError."""
        for joint, (lag, ratio) in ((name, given.tolist()) for name, given in self.found.springs.items()):
            inertia = moved_along(self.robot, {joint: 1.0})
            spring = {"stiffness": inertia / (lag * ratio) ** 2, "damping": 2.0 * inertia / lag}
            self.robot.change(replace(self.robot.joints[joint], **spring))
        for tie in self.ties:
            self._tie(*tie)
        for k, element in enumerate(self.file.sections("actuator")):
            self._actuator(element, k)
        for joint, terms in self.on_joint.items():
            law = clamped(" + ".join(terms), self.found.effort[joint])
            states = tuple(state for _, state in self.controls if state and any(state in term for term in terms))
            self.robot.drives.append(Drive(f"{joint}_actuators", {joint: 1.0}, law, states))

    def length(self, factors: Mapping[str, float]) -> Length:
        """Of joints with one coordinate."""
        found = self.found
        names = [f"{joint}.{COORDINATES[found.kinds[joint]]}" for joint in factors]
        constant = sum(factor * found.ref[joint] for joint, factor in factors.items())
        moving = " + ".join(f"{factor!r}*{name}" for factor, name in zip(factors.values(), names, strict=True))
        rate = " + ".join(f"{factor!r}*der({name})" for factor, name in zip(factors.values(), names, strict=True))
        return Length(dict(factors), constant, f"({moving})", f"({rate})")

    def _single(self, name: str, where: str) -> str | None:
        """The joint of this name in the file; None, with a note, where it has several coordinates."""
        joint = self.found.joint.get(name)
        if joint is None:
            raise RobotError(f"{where}: unknown joint '{name[:60]}'")
        if self.found.kinds[joint] in COORDINATES:
            return joint
        self.robot.notes.append(f"{where} is not taken: it acts on '{name[:60]}', a {self.found.kinds[joint]} joint")
        return None

    # tendons

    def _tendons(self) -> None:
        notes = self.robot.notes
        for k, element in enumerate(self.file.sections("tendon")):
            keys = self.file.keys(element, MAIN)
            given = keys.get("name") or f"tendon_{k + 1}"
            where = f"tendon '{given[:60]}'"
            if element.tag != "fixed":
                self.tendons[given] = None
                notes.append(f"{where} is not taken: it is {element.tag[:40]}, not fixed, and no sum of joints' coordinates")
                continue
            factors: dict[str, float] = {}
            for item in element:
                joint = self._single(item.get("joint", ""), where)
                if joint is not None:
                    factors[joint] = factors.get(joint, 0.0) + number(item.attrib, "coef", 1.0, where)
            self.tendons[given] = length = self.length(factors) if factors else None
            if length is not None:
                self._passive(given, length, keys, where)

    def _passive(self, name: str, length: Length, keys: Keys, where: str) -> None:
        """Spring and damper of a tendon."""
        (stiffness, *more), (damping, *further) = (filled(keys, key, "0", where) for key in ("stiffness", "damping"))
        self.robot.notes += [f"{where}: the nonlinear part of stiffness and damping is not taken"] * any([*more, *further])
        terms = []
        if stiffness:
            low, high = (numbers(keys, "springlength", "-1", None, where).tolist() * 2)[:2]
            if low == -1.0 and high == -1.0:
                low = high = length.constant + sum(f * self.robot.joints[joint].rest for joint, f in length.factors.items())
            if low == high:
                terms.append(f"-{float(stiffness)!r}*({length.text} - {low!r})")
            else:  # slack between the two
                slack = f"(max(0, {length.text} - {high!r}) - max(0, {low!r} - {length.text}))"
                terms.append(f"-{float(stiffness)!r}*{slack}")
        if damping:
            terms.append(f"-{float(damping)!r}*{length.rate}")
        if terms:
            self.robot.drives.append(Drive(f"{name}_tendon", length.factors, " + ".join(terms)))
        for key in ("frictionloss", "armature"):
            if value := number(keys, key, 0.0, where):
                self.robot.notes.append(f"{where}: its {key} ({value:g}) is not taken")
        if limits(self.file, keys, "range", "limited", where) is not None:
            self.robot.notes.append(f"{where}: its limits are not taken")

    # equality

    def _equality(self, element: Element, k: int) -> None:
        keys, robot = self.file.keys(element, MAIN), self.robot
        name = keys.get("name") or f"equality_{k + 1}"
        where = f"{element.tag[:40]} '{name[:60]}'"
        if not flag(keys, "active", True, where):
            robot.notes.append(f"{where} is not active and is left out")
        elif element.tag in ("connect", "weld"):
            self.ties.append((element.tag, keys, name, where))
        elif element.tag == "joint":
            self._coupled(keys, name, where)
        elif element.tag == "tendon":
            self._lengths(keys, name, where)
        else:
            robot.notes.append(f"{where} is not taken")

    def _tie(self, kind: str, keys: Keys, name: str, where: str) -> None:
        found, robot = self.found, self.robot
        if "site1" in keys:
            ends = [found.site.get(keys.get(key, "")) for key in ("site1", "site2")]
            if ends[0] is None or ends[1] is None:
                raise RobotError(f"{where}: unknown site")
            (first, at), (second, other) = ends[0], ends[1]
            R, place = robot.pose[first]
            turned, origin = robot.pose[second]
            if np.abs(place + R @ at - origin - turned @ other).max() > SAME or kind == "weld":
                robot.notes.append(f"{where} is not taken: it ties sites that do not coincide, or their axes")
                return
        else:
            links = [found.link.get(keys.get(key, WORLD)) for key in ("body1", "body2")]
            if links[0] is None or links[1] is None:
                raise RobotError(f"{where}: unknown body")
            first, second = links[0], links[1]
            at = numbers(keys, "anchor", "0 0 0", 3, where) - found.offset[first]
            if kind == "weld" and not self._is_drawn(keys, first, second, where):
                robot.notes.append(f"{where} is not taken: its relpose is not the pose in which the bodies are drawn")
                return
        robot.ties.append(Tie(name, "spherical" if kind == "connect" else "fixed", (first, second), at))

    def _is_drawn(self, keys: Keys, first: str, second: str, where: str) -> bool:
        """Whether a weld holds its bodies as the file draws them."""
        x = numbers(keys, "relpose", "0 1 0 0 0 0 0", 7, where)
        if not x[3:].any():
            return True
        (R, place), (turned, origin) = self.robot.pose[first], self.robot.pose[second]
        own, other = place - R @ self.found.offset[first], origin - turned @ self.found.offset[second]
        off = np.abs(own + R @ x[:3] - other).max(), np.abs(R @ np.array(matrix_from_quaternion(unit(x[3:].tolist()))) - turned).max()
        return bool(max(off) < SAME)

    def _coupled(self, keys: Keys, name: str, where: str) -> None:
        robot = self.robot
        joint = self._single(keys.get("joint1", ""), where)
        master = self._single(keys["joint2"], where) if "joint2" in keys else None
        if joint is None or ("joint2" in keys and master is None):
            return
        factors = filled(keys, "polycoef", "0 1 0 0 0", where)
        linear = not factors[[0, 2, 3, 4]].any() and factors[1] != 0.0
        if linear and master is not None and robot.joints[joint].mimic is None and not self._follows(master, joint):
            robot.joints[joint] = replace(robot.joints[joint], mimic=Mimic(master, float(factors[1]), 0.0))
        else:
            self._polynomial(name, self.length({joint: 1.0}), self.length({master: 1.0}) if master else None, factors)

    def _follows(self, joint: str, leader: str) -> bool:
        """Whether a joint follows another one, over others too."""
        while (mimic := self.robot.joints[joint].mimic) is not None:
            joint = mimic.joint
            if joint == leader:
                return True
        return joint == leader

    def _lengths(self, keys: Keys, name: str, where: str) -> None:
        """An equality between two tendons."""
        for key in ("tendon1", "tendon2"):
            if key in keys and keys[key] not in self.tendons:
                raise RobotError(f"{where}: unknown tendon '{keys[key][:60]}'")
        first, second = self.tendons.get(keys.get("tendon1", "")), self.tendons.get(keys.get("tendon2", ""))
        if first is None or ("tendon2" in keys and second is None):
            self.robot.notes.append(f"{where} is not taken, as its tendon")
            return
        self._polynomial(name, first, second, filled(keys, "polycoef", "0 1 0 0 0", where))

    def _polynomial(self, name: str, first: Length, second: Length | None, factors: Floats) -> None:
        """The change of the first length is a polynomial of that of the second one, or constant."""
        terms = [repr(float(factors[0]))] * bool(factors[0])
        if second is not None:
            terms += [f"{float(x)!r}*{second.moving}{f'^{k}' if k > 1 else ''}" for k, x in enumerate(factors) if k and x]
        law = f"{first.moving} - ({' + '.join(terms)})" if terms else first.moving
        joints = (*first.factors, *(second.factors if second is not None else ()))
        self.robot.equations.append(Equation(name, joints, law))

    # actuators

    def _actuator(self, element: Element, k: int) -> None:
        file, robot = self.file, self.robot
        keys = file.keys(element, MAIN)
        given = keys.get("name") or f"actuator_{k + 1}"
        name, where = self.names.add(given), f"actuator '{given[:60]}'"
        self.controls.append((f"ctrl_{name}", None))
        length = self._transmission(keys, where)
        if length is None:
            return
        law = self._law(element.tag, keys, name, length, where)
        if law is None:
            robot.notes.append(f"{where} is not taken: a {element.tag[:40]} actuator, or one whose gain or dynamics no affine law has")
            return
        robot.inputs[f"ctrl_{name}"] = 0.0
        for key in ("damping", "armature"):
            if key in keys and numbers(keys, key, "", None, where).any():
                robot.notes.append(f"{where}: its own {key} is not taken")
        law = clamped(law, limits(file, keys, "forcerange", "forcelimited", where))
        free = {}
        for joint, factor in length.factors.items():
            if joint in self.found.effort:
                self.on_joint.setdefault(joint, []).append(f"{factor!r}*({law})")
            else:
                free[joint] = factor
        if free:
            robot.drives.append(Drive(name, free, law, tuple(state for _, state in self.controls[-1:] if state)))

    def _transmission(self, keys: Keys, where: str) -> Length | None:
        """What an actuator pulls; None, with a note, where that is no sum of coordinates."""
        gear = filled(keys, "gear", "1 0 0 0 0 0", where)
        name = keys.get("joint", keys.get("jointinparent"))
        if name is not None:
            joint = self._single(name, where)
            return self.length({joint: float(gear[0])}) if joint is not None else None
        if "tendon" in keys:
            if keys["tendon"] not in self.tendons:
                raise RobotError(f"{where}: unknown tendon '{keys['tendon'][:60]}'")
            tendon = self.tendons[keys["tendon"]]
            if tendon is not None:
                return self.length({joint: float(gear[0]) * factor for joint, factor in tendon.factors.items()})
        self.robot.notes.append(f"{where} is not taken: it acts neither on a joint nor on a fixed tendon of joints")
        return None

    def _law(self, kind: str, keys: Keys, name: str, length: Length, where: str) -> str | None:
        """The force along the length; None where it is not affine."""
        read = {"motor": self._motor, "general": self._general, "position": self._position, "velocity": self._velocity,
                "intvelocity": self._integrated, "damper": self._damper, "cylinder": self._cylinder}.get(kind)  # fmt: skip
        found = read(keys, length, where) if read is not None else None
        if found is None:
            return None
        (dynamics, lag), gain, bias = found
        control = clamped(f"ctrl_{name}", self._control_range(kind, keys, length, where))
        if dynamics != "none":
            state = f"act_{name}"
            rate = control if dynamics == "integrator" else f"({control} - {state})/{lag!r}"
            self.robot.states[state] = (rate, 0.0)
            self.controls[-1] = (f"ctrl_{name}", state)
            control = clamped(state, limits(self.file, keys, "actrange", "actlimited", where))
        parts = [f"{product}*{control}" for product in _affine(gain, length, True)]
        return " + ".join([*parts, *_affine(bias, length, False)]) or "0"

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
        lag = float(filled(keys, "dynprm", "1", where)[0])
        if dynamics.startswith("filter") and not lag > 0.0:
            raise RobotError(f"{where}: dynprm: the time constant must be greater than 0 (got {lag:g})")
        factors, constants = filled(keys, "gainprm", "1 0 0", where)[:3], filled(keys, "biasprm", "0 0 0", where)[:3]
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
        return ("filter", lag), np.array([float(area), 0.0, 0.0]), filled(keys, "bias", "0 0 0", where)[:3]


Law = tuple[tuple[str, float], Floats, Floats]  # dynamics with their time constant; gain and bias: constant, per length, per rate


def clamped(law: str, bounds: tuple[float, float] | None) -> str:
    """A law held between two numbers."""
    return law if bounds is None else f"max({bounds[0]!r}, min({bounds[1]!r}, {law}))"


def _affine(factors: Floats, length: Length, together: bool) -> list[str]:
    """The terms of constant + factor length + factor rate; `together`: as one, in brackets where needed."""
    constant, of_length, of_rate = (float(x) for x in factors)
    terms = [repr(constant)] * (constant != 0.0)
    terms += [f"{of_length!r}*{length.text}"] * (of_length != 0.0) + [f"{of_rate!r}*{length.rate}"] * (of_rate != 0.0)
    return [f"({' + '.join(terms)})"] * bool(terms) if together else terms
