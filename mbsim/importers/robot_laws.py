"""What acts between the joints of a robot, and where it starts, as lines of a model file.

Names of coordinates are those of the model; a joint of which nothing with mass moves has none, so what acts on it is left out and named.
"""

import json
from collections.abc import Callable, Iterator

import numpy as np

from mbsim.importers.robot import ONE_COORDINATE, Joint, Robot, Servo
from mbsim.importers.robot_groups import Bodies
from mbsim.importers.urdf_elements import Floats, list_numbers
from mbsim.model.fields import LARGEST
from mbsim.model.names import GROUND
from mbsim.model.rotations import matrix_from_quaternion, quaternion_from_matrix, unit

COORDINATES = {"revolute": "angle", "prismatic": "displacement"}
_SPRINGS = {"revolute": "rotational", "prismatic": "translational"}


class Lines:
    """The lines of the model beside its bodies and joints. `free(name)` is a name that is not taken yet."""

    def __init__(self, robot: Robot, found: Bodies, moving: dict[str, Joint], free: Callable[[str], str]) -> None:
        self.robot, self.found, self.moving, self.free = robot, found, moving, free
        self.inputs = [f"  {name}: {value!r}" for name, value in robot.inputs.items()]
        self.states = [f"  {name}: {{rate: {json.dumps(rate)}, start: {start!r}}}" for name, (rate, start) in robot.states.items()]
        self.ties = list(self._ties())
        self.equations = list(self._equations())
        self.forces = [*self._springs(), *self._drives(), *self._lifted()]
        self.controllers = list(self._servos())
        self.initial = dict(self._initial())

    def _ties(self) -> Iterator[str]:
        """Joints that close loops: cut, so that the tree is that of the file."""
        robot, holder = self.robot, self.found.holder
        for tie in robot.ties:
            bodies = [holder.get(link) for link in tie.links]
            if None in bodies or bodies[0] == bodies[1]:
                robot.notes.append(f"{tie.name} is left out: it ties nothing that moves with mass")
                continue
            R, place = robot.pose[tie.links[0]]
            keys = f"type: {tie.kind}, bodies: [{bodies[0]}, {bodies[1]}], at: {list_numbers(place + R @ tie.at)}, cut: true"
            yield f"  {self.free(tie.name)}: {{{keys}}}"

    def _moves(self, what: str, joints: tuple[str, ...]) -> bool:
        """Whether all these joints have coordinates in the model; a note if not."""
        still = [joint for joint in joints if joint not in self.moving]
        if still:
            self.robot.notes.append(f"{what} is left out: nothing with mass moves in {', '.join(still)}")
        return not still

    def _equations(self) -> Iterator[str]:
        for equation in self.robot.equations:
            if self._moves(equation.name, equation.joints):
                yield f"  {self.free(equation.name)}: {{type: holonomic, equation: {json.dumps(equation.law)}}}"

    def _springs(self) -> Iterator[str]:
        for joint in self.moving.values():
            if joint.kind == "spherical" and (joint.stiffness or joint.damping):
                # Alike about all axes, so the axes do not matter; the moment is along the rotation vector, as MuJoCo has it.
                _, at = self.robot.pose[joint.child]
                bodies = f"bodies: [{self.found.holder[joint.parent]}, {self.found.holder[joint.child]}], at: {list_numbers(at)}"
                about = [f"{key}: {list_numbers([0.0, 0.0, 0.0, value, value, value])}" for key, value in
                         (("stiffness", joint.stiffness), ("damping", joint.damping))]  # fmt: skip
                yield f"  {self.free(f'{joint.name}_spring')}: {{type: bushing, {bodies}, {', '.join(about)}}}"
            elif joint.kind in ONE_COORDINATE and joint.stiffness:
                rest = f"free_{COORDINATES[joint.kind]}: {joint.rest - joint.value!r}"
                keys = f"type: {_SPRINGS[joint.kind]}_spring_damper, joint: {joint.name}, stiffness: {joint.stiffness!r}, {rest}"
                yield f"  {self.free(f'{joint.name}_spring')}: {{{keys}}}"

    def _drives(self) -> Iterator[str]:
        for drive in self.robot.drives:
            if not self._moves(drive.name, tuple(drive.joints)):
                continue
            for joint, factor in drive.joints.items():
                name = self.free(drive.name if len(drive.joints) == 1 else f"{drive.name}_{joint}")
                law = drive.law if factor == 1.0 else f"{factor!r}*({drive.law})"
                yield f"  {name}: {{type: joint_torque, joint: {joint}, value: {json.dumps(law)}}}"

    def _servos(self) -> Iterator[str]:
        for servo in self.robot.servos:
            if self._moves(servo.name, (servo.joint,)):
                yield self.controller(servo)

    def controller(self, servo: Servo) -> str:
        """The line of a controller."""
        keys = [f"type: pd, joint: {servo.joint}"]
        keys += [f"target: {json.dumps(servo.target)}, kp: {servo.kp!r}"] if servo.target is not None else []
        keys += [f"target_rate: {json.dumps(servo.target_rate)}, kd: {servo.kd!r}"] if servo.kd else []
        keys += [f"feedforward: {servo.feedforward!r}"] if servo.feedforward else []
        keys += [f"limit: {list_numbers(np.clip(servo.limit, -LARGEST, LARGEST))}"] if np.isfinite(servo.limit).any() else []
        return f"  {self.free(servo.name)}: {{{', '.join(keys)}}}"

    def _lifted(self) -> Iterator[str]:
        """The part of the weight of a link that something else carries, in its centre of mass."""
        for name, part in self.robot.lifted.items():
            link, body = self.robot.links[name], self.found.holder.get(name, GROUND)
            if link is None or body == GROUND:
                continue
            at = link.moved(*self.robot.pose[name]).centre
            force = [-part * link.mass * g for g in self.robot.gravity]
            yield f"  {self.free(f'{name}_lifted')}: {{type: force, body: {body}, at: {list_numbers(at)}, value: {list_numbers(force)}}}"

    def _initial(self) -> Iterator[tuple[str, float]]:
        start, speeds = self.robot.start, self.robot.speeds
        for joint in self.moving.values():
            name = joint.name
            values, rates = start.get(name), speeds.get(name)
            if joint.kind in ONE_COORDINATE:
                coordinate = f"{name}.{COORDINATES[joint.kind]}"
                if values is not None and float(values[0]) != joint.value:
                    yield coordinate, float(values[0]) - joint.value
                if rates is not None and rates[0]:
                    yield f"der({coordinate})", float(rates[0])
            elif joint.kind in ("spherical", "free"):
                yield from self._pose(joint, values, rates)

    def _pose(self, joint: Joint, values: Floats | None, rates: Floats | None) -> Iterator[tuple[str, float]]:
        """Of a ball the axes, of a free body axes and centre of mass of the body that is written, in place of those of the link."""
        (R, place), body = self.robot.pose[joint.child], self.found.placed[self.found.holder[joint.child]]
        inner, arm = R.T @ body.R, R.T @ (body.centre - place)
        if values is None and rates is None:
            return
        free = joint.kind == "free"
        if values is None:
            values = np.array([*place, *quaternion_from_matrix(R.tolist())] if free else [1.0, 0.0, 0.0, 0.0])
        turned = np.array(matrix_from_quaternion(unit(values[-4:].tolist())))
        if free:
            yield from _pair([f"{joint.name}.{c}" for c in "xyz"], values[:3] + turned @ arm)
        attitude = turned @ inner if free else inner.T @ turned @ inner
        yield from _pair([f"{joint.name}.q{c}" for c in "wxyz"], np.array(quaternion_from_matrix(attitude.tolist())))
        if rates is not None and rates.any():
            if free:
                yield from _pair([f"der({joint.name}.{c})" for c in "xyz"], rates[:3] + turned @ np.cross(rates[3:], arm))
            yield from _pair([f"{joint.name}.omega.{c}" for c in "xyz"], inner.T @ rates[-3:])


def _pair(names: list[str], values: Floats) -> Iterator[tuple[str, float]]:
    return zip(names, values.tolist(), strict=True)
