"""What acts between the joints of MJCF: tendons as laws, equality constraints as ties, couplings and equations; actuators beside."""

from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from mbsim.importers.mjcf_actuators import Actuators
from mbsim.importers.mjcf_bodies import WORLD, Found, limits
from mbsim.importers.mjcf_elements import MAIN, Keys, Mjcf, fill_numbers, flag, number, numbers
from mbsim.importers.mjcf_lengths import COORDINATES, Length, length_of
from mbsim.importers.robot import Drive, Equation, Mimic, Robot, Tie
from mbsim.importers.robot_inertia import moved_along
from mbsim.importers.urdf_elements import Faults, Floats, RobotError
from mbsim.model.rotations import matrix_from_quaternion, unit

SAME = 1e-6  # m, and of a rotation matrix: a weld's pose that is that of the drawing


class Laws:
    """Adds to a robot what acts between its joints; what is not taken is added to its notes."""

    def __init__(self, file: Mjcf, robot: Robot, found: Found) -> None:
        self.file, self.robot, self.found = file, robot, found
        self.faults = Faults()
        self.tendons: dict[str, Length | None] = {}
        self.ties: list[tuple[str, Keys, str, str]] = []
        self.actuators = Actuators(file, robot, found, self.tendons, self._single)

    def couple(self) -> None:
        """Tendons and equality constraints, before the robot is in order; what is wrong goes to `faults`."""
        for k, element in enumerate(self.file.sections("tendon")):
            with self.faults.noted():
                self._tendon(element, k)
        for k, element in enumerate(self.file.sections("equality")):
            with self.faults.noted():
                self._equality(element, k)

    def read(self) -> None:
        """What needs the poses of the robot's links; what is wrong goes to `faults`."""
        for joint, (lag, ratio) in ((name, given.tolist()) for name, given in self.found.springs.items()):
            inertia = moved_along(self.robot, {joint: 1.0})
            spring = {"stiffness": inertia / (lag * ratio) ** 2, "damping": 2.0 * inertia / lag}
            self.robot.change(replace(self.robot.joints[joint], **spring))
        for tie in self.ties:
            with self.faults.noted():
                self._tie(*tie)
        self.actuators.read(self.faults)

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

    def _tendon(self, element: Element, k: int) -> None:
        given = element.get("name") or f"tendon_{k + 1}"
        where = f"tendon '{given[:60]}'"
        self.tendons[given] = None
        keys = self.file.keys(element, MAIN)
        if element.tag != "fixed":
            self.robot.notes.append(f"{where} is not taken: it is {element.tag[:40]}, not fixed, and no sum of joints' coordinates")
            return
        factors: dict[str, float] = {}
        for item in element:
            joint = self._single(item.get("joint", ""), where)
            if joint is not None:
                factors[joint] = factors.get(joint, 0.0) + number(item.attrib, "coef", 1.0, where)
        self.tendons[given] = length = length_of(factors, self.found) if factors else None
        if length is not None:
            self._passive(given, length, keys, where)

    def _passive(self, name: str, length: Length, keys: Keys, where: str) -> None:
        """Spring and damper of a tendon."""
        (stiffness, *more), (damping, *further) = (fill_numbers(keys, key, "0", where) for key in ("stiffness", "damping"))
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
        factors = fill_numbers(keys, "polycoef", "0 1 0 0 0", where)
        linear = not factors[[0, 2, 3, 4]].any() and factors[1] != 0.0
        if linear and master is not None and robot.joints[joint].mimic is None and not self._follows(master, joint):
            robot.joints[joint] = replace(robot.joints[joint], mimic=Mimic(master, float(factors[1]), 0.0))
        else:
            self._polynomial(name, length_of({joint: 1.0}, self.found), length_of({master: 1.0}, self.found) if master else None, factors)

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
        self._polynomial(name, first, second, fill_numbers(keys, "polycoef", "0 1 0 0 0", where))

    def _polynomial(self, name: str, first: Length, second: Length | None, factors: Floats) -> None:
        """The change of the first length is a polynomial of that of the second one, or constant."""
        terms = [repr(float(factors[0]))] * bool(factors[0])
        if second is not None:
            terms += [f"{float(x)!r}*{second.moving}{f'^{k}' if k > 1 else ''}" for k, x in enumerate(factors) if k and x]
        law = f"{first.moving} - ({' + '.join(terms)})" if terms else first.moving
        joints = (*first.factors, *(second.factors if second is not None else ()))
        self.robot.equations.append(Equation(name, joints, law))
