"""A robot as a model file in joint coordinates.

The written model is read and assembled, and its mass matrix is checked: a model that `check` refuses is refused with the link's name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mbsim.assembly.assembled import Assembly
from mbsim.importers.robot import ONE_COORDINATE, Joint, Link, Robot, Servo
from mbsim.importers.robot_assembly import assembled, check_inertia, inertias
from mbsim.importers.robot_contacts import Contacts
from mbsim.importers.robot_groups import Bodies, bodies
from mbsim.importers.robot_laws import COORDINATES, Lines
from mbsim.importers.robot_start import settle
from mbsim.importers.urdf_elements import Floats, RobotError, list_numbers
from mbsim.model.names import GROUND
from mbsim.model.rotations import quaternion_from_matrix

FLOOR, ALL = "floor", "all"  # of `Options.contacts`
MANY_CONTACTS = 100  # with more, steps through them are faster than to locate each change
WRITTEN_STEP = 1e-3  # s, of the written simulation
SMALL = {"revolute": np.pi / 180.0, "prismatic": 1e-3}  # rad, m: so far the joint's effort leads beyond a stop, and friction off a target
SMALL_WORDS = "1 degree or 1 mm"
# With the inertia at the joint, the spring of a stop would swing with an angular frequency within these bounds, and this damping ratio.
STOP_FREQUENCIES = 2.0 * np.pi * 15.0, 2.0 * np.pi * 2000.0  # rad/s: steps of 1 ms resolve the first; 0.1 ms do not the second
STOP_RATIO = 0.5
UNITS = {"revolute": "rad", "prismatic": "m"}
STOP_DEPTH = {"revolute": 1e-3, "prismatic": 1e-4}  # rad, m: there the damper has come in
RESOLVED = 0.6  # of a step times an angular frequency: the first of the bounds with the damping


@dataclass(frozen=True)
class Options:
    """What is made of a robot."""

    floating: bool = False  # the root link floats; otherwise it is the ground
    limits: bool = False  # limits of joints become stops
    friction: float | None = None  # rad/s or m/s: the transition speed of the joints' friction; None: friction is left out
    keyframe: str | None = None  # MJCF: where it starts; None: the first
    rigid: bool = False  # limits and friction of joints become rigid stops and dry friction, in place of `limits` and `friction`
    controllers: float | None = None  # Hz: joints without a motor get a PD controller that would swing so fast; None: they get none
    contacts: str | None = None  # what touches what: with what is fixed (FLOOR), or all; None: nothing
    floor: float | None = None  # m: the height of a floor
    mu: float | None = None  # URDF: the coefficient of friction of contacts; None: MU


@dataclass(frozen=True)
class Conversion:
    """A robot as a model file."""

    text: str  # YAML
    notes: tuple[str, ...]  # features of the robot that are missing or changed in the model: one line each
    summary: str  # what the model consists of, one line


def write_robot(robot: Robot, options: Options, source: str, folder: Path) -> Conversion:
    """The model of a robot that was read from the file `source`. Raises RobotError, also for a model that cannot be assembled."""
    found = bodies(robot, options.floating)
    writer = _Writer(robot, options, found)
    made = assembled(writer.text(source), folder)
    if options.limits:
        writer.stops(made)
    if options.rigid:
        writer.begin_within_limits()
    if options.controllers is not None:
        writer.hold(made, options.controllers)
    if options.limits or options.rigid or options.controllers is not None:
        made = assembled(writer.text(source), folder)
    if settle(writer.contacts, made, writer.initial, found, options.floating):
        made = assembled(writer.text(source), folder)
    check_inertia(made, robot.notes)
    writer.check_stiffness(made)
    return Conversion(writer.text(source), tuple(robot.notes), writer.summary(made))


def convert(given: Conversion | Mapping[str, object], folder: Path) -> Conversion:
    """A model that an importer made by itself, checked. Raises RobotError for a model that is refused or cannot be assembled."""
    if not isinstance(given, Conversion):
        import yaml

        try:
            text = yaml.safe_dump(dict(given), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
        except yaml.YAMLError as error:
            raise RobotError(f"the model holds what a file cannot: {error}") from None
        given = Conversion(text, (), "")
    system = assembled(given.text, folder, lambda path, message: f"the model: {path}: {message}").system
    counts = [f"{len(system.bodies)} bodies", f"{len(system.joints)} joints", f"{len(set(system.loads))} forces"]
    return replace(given, summary=given.summary or ", ".join(counts))


class _Writer:
    """The lines of the model; its forces grow by `stops`."""

    def __init__(self, robot: Robot, options: Options, found: Bodies) -> None:
        self.robot, self.options, self.found = robot, options, found
        held = found.holder
        self.moving = [
            joint
            for joint in robot.children(robot.order)
            if joint.child in held and held[joint.parent] != held[joint.child]
        ]  # fmt: skip
        self.integrator = f"step: {WRITTEN_STEP:g}"
        self.fastest = 0.0  # angular frequency of the springs of its stops, rad/s
        self._names = set(robot.joints)  # of joints, forces and equations
        self.coupled = self._couplings()
        self.lines = Lines(robot, found, {joint.name: joint for joint in self.moving if joint.name not in found.fixed}, self._free)
        self.initial = self.lines.initial
        self.contacts = Contacts(robot, found, self._names, options.contacts == FLOOR)
        self.forces = [line for joint in self.moving for line in self._friction(joint)] + self.lines.forces
        massless = [link for link in robot.order[1:] if robot.links[link] is None and link not in found.placed]
        self.points = {link: found.holder[link] for link in massless if link in found.holder}  # frames without mass: points of a body
        left = [link for link in massless if link not in self.points]
        if left:
            robot.notes.append(f"left out, without mass: {', '.join(left)}")
        robot.notes += [
            f"the coordinate {name}.{COORDINATES[joint.kind]} counts from {joint.value:.6g} of the file, the offset of what it mimics"
            for name, joint in robot.joints.items()
            if joint in self.moving and joint.value != 0.0
        ]

    def text(self, source: str) -> str:
        """The YAML text."""
        robot, bodies = self.robot, self.found.placed
        frames = {GROUND: (np.eye(3), np.zeros(3))} | {name: (link.R, link.centre) for name, link in bodies.items()}
        shapes, points = self.contacts.shapes(frames), self._points(frames)
        name = re.sub(r"[^\w .-]", "", robot.name, flags=re.ASCII).strip() or "robot"
        limits = "" if self.options.limits or self.options.rigid else "; limits in comments are not enforced"
        lines = [f"# {name}, converted from {re.sub(r'[^ -~]', '', source)}{limits}"]
        lines += [f"# {note}" for note in robot.notes]
        gravity = ", ".join(f"{g:g}" if float(f"{g:g}") == g else repr(g) for g in robot.gravity)
        lines += [f'name: "{name}"', "dimension: 3", f"gravity: [{gravity}]", "coordinates: joint"]
        lines += ["parameters:", *self.lines.inputs] * bool(self.lines.inputs)
        of_ground = [f"{key}: {found[GROUND]}" for key, found in (("points", points), ("shape", shapes)) if GROUND in found]
        lines += [f"ground: {{{', '.join(of_ground)}}}"] if of_ground else []
        lines.append("bodies:")
        for body, link in bodies.items():
            more = [f", {key}: {found[body]}" for key, found in (("points", points), ("shape", shapes)) if body in found]
            lines.append(f"{_body(body, link)}{''.join(more)}}}")
        joints = [self._joint_line(joint) for joint in self.moving] + self.coupled + self.lines.ties
        blocks = (("joints", joints), ("constraints", self.lines.equations), ("states", self.lines.states), ("forces", self.forces),
                  ("controllers", self.lines.controllers), ("contacts", self.contacts.lines()))  # fmt: skip
        lines += [line for block, found in blocks if found for line in (f"{block}:", *found)]
        initial = ", ".join(f"{name}: {value!r}" for name, value in self.initial.items())
        lines += [f"initial: {{{initial}}}"] * bool(initial)
        return "\n".join([*lines, f"simulation: {{end: 1, method: aba, {self.integrator}}}"]) + "\n"

    def summary(self, made: Assembly) -> str:
        """What became of the links and joints."""
        robot, found = self.robot, self.found
        counts = [
            (len(robot.links), "link"), (len(found.placed), "body"), (len(self.moving), "joint"), (len(self.coupled), "mimic coupling"),
            (len(self.forces), "force"), (len(self.lines.controllers), "controller"),
            (self._count_contacts(made), "contact"),
        ]  # fmt: skip
        plural = {"body": "bodies"}
        said = [f"{count} {what if count == 1 else plural.get(what, f'{what}s')}" for count, what in counts if count]
        shapes = sum(len(shapes) for shapes in robot.visuals.values())
        freedoms = made.system.n_v
        if made.system.n_rows:
            freedoms -= int(np.linalg.matrix_rank(made.system.terms(made.start, made.q, made.v)[2]))
        return f"{said[0]} -> {', '.join(said[1:])}, {shapes} visuals; degrees of freedom: {freedoms}"

    @staticmethod
    def _count_contacts(made: Assembly) -> int:
        return sum(one.path[0] == "contacts" and bool(one.normal) for one in made.unilaterals.each) if made.unilaterals else 0

    def stops(self, made: Assembly) -> None:
        """Add a stop for each joint with limits; a joint whose start lies beyond one starts there."""
        moved, firm, soft, unknown = inertias(made), list[str](), list[str](), list[str]()
        for joint in self.moving:
            if not self._has_stops(joint):
                continue
            coordinate = f"{joint.name}.{COORDINATES[joint.kind]}"
            inertia, effort = moved[f"der({coordinate})"], self._effort(joint)
            wanted = np.sqrt(effort / SMALL[joint.kind] / inertia) if effort is not None else 0.0
            frequency = float(np.clip(wanted, *STOP_FREQUENCIES))
            stiffness, damping = inertia * frequency**2, 2.0 * STOP_RATIO * inertia * frequency
            self.fastest = max(self.fastest, frequency)
            if effort is None:
                unknown.append(joint.name)
            elif wanted > frequency:
                soft.append(f"{joint.name} ({effort / stiffness:.2g} {UNITS[joint.kind]})")
            else:
                firm.append(joint.name)
            lower, upper = self._begin_within(joint)
            sides = f"lower: {lower!r}, upper: {upper!r}"
            stop = f"stiffness: {stiffness:.4g}, damping: {damping:.4g}, depth: {STOP_DEPTH[joint.kind]:g}"
            self.forces.append(f"  {self._free(f'{joint.name}_limit')}: {{type: joint_limit, joint: {joint.name}, {sides}, {stop}}}")
        if firm:
            of = ", ".join(firm) if soft or unknown else "their joints"
            self.robot.notes.append(f"the stops give way by {SMALL_WORDS} at most under the effort of {of}")
        if soft:
            self.robot.notes.append(f"stops give way by more under the effort of joints with little inertia: {', '.join(soft)}")
        if unknown:
            hertz = STOP_FREQUENCIES[0] / 2.0 / np.pi
            self.robot.notes.append(f"no effort is known of {', '.join(unknown)}: their stops would swing at {hertz:g} Hz")

    def _has_stops(self, joint: Joint) -> bool:
        """Whether a joint has limits that can be stops; where they are no range, a note says so."""
        if joint.kind not in ONE_COORDINATE or joint.name in self.found.fixed or not np.isfinite([joint.lower, joint.upper]).any():
            return False
        if not joint.lower < joint.upper:
            said = f"the limits of joint {joint.name} ({joint.lower:g} to {joint.upper:g}) are no range: no stop"
            self.robot.notes += [said] * (said not in self.robot.notes)
            return False
        return True

    def _begin_within(self, joint: Joint) -> tuple[float, float]:
        """The limits as the model counts them; a joint whose start lies beyond one starts there."""
        coordinate, lower, upper = f"{joint.name}.{COORDINATES[joint.kind]}", joint.lower - joint.value, joint.upper - joint.value
        given = self.initial.get(coordinate, 0.0)
        start = min(max(given, lower), upper)
        if start != given:
            self.initial[coordinate] = start
            self.robot.notes.append(f"joint {joint.name} starts at its limit: its {'start' if given else 'zero'} lies beyond")
        return lower, upper

    def begin_within_limits(self) -> None:
        """Start joints that have rigid stops between them."""
        for joint in self.moving:
            if self._has_stops(joint):
                self._begin_within(joint)

    def _rigid(self, joint: Joint) -> str:
        """The keys of a joint's rigid stops and dry friction."""
        keys = ""
        if self._has_stops(joint):
            given = (("lower", joint.lower), ("upper", joint.upper))
            keys += f", stops: {{{', '.join(f'{key}: {x - joint.value!r}' for key, x in given if np.isfinite(x))}}}"
        if joint.friction != 0.0 and joint.kind in ONE_COORDINATE and joint.name not in self.found.fixed:
            keys += f", friction: {{{'torque' if joint.kind == 'revolute' else 'force'}: {joint.friction!r}}}"
        return keys

    def _effort(self, joint: Joint) -> float | None:
        """The largest that moves a joint, N or N m; None where the file does not limit it."""
        effort = joint.effort if np.isfinite(joint.effort) else self.robot.efforts.get(joint.name, np.inf)
        return effort if 0.0 < effort < np.inf else None

    def hold(self, made: Assembly, frequency: float) -> None:
        """Add a critically damped PD controller to each joint that nothing drives: its effort is held within that of the joint's motor."""
        lines, moved, rate = self.lines, inertias(made), 2.0 * np.pi * frequency
        raised, held = list[str](), list[str]()
        driven = {servo.joint for servo in self.robot.servos} | {joint for drive in self.robot.drives for joint in drive.joints}
        for joint in self.moving:
            if joint.kind not in ONE_COORDINATE or joint.mimic is not None or joint.name in driven | self.found.fixed:
                continue
            coordinate = f"{joint.name}.{COORDINATES[joint.kind]}"
            inertia, target = moved[f"der({coordinate})"], f"target_{joint.name}"
            lines.inputs.append(f"  {target}: {self.initial.get(coordinate, 0.0)!r}")
            effort = joint.effort
            if not effort > 0.0:
                self.robot.notes.append(f"the effort of joint {joint.name} ({effort:g}) is no limit: its controller has none")
                effort = np.inf
            friction = joint.friction if self.options.rigid or self.options.friction is not None else 0.0
            # The least that leaves friction a small angle, and that viscous damping does not make slower than the frequency.
            least = max(friction / SMALL[joint.kind], 0.5 * joint.damping * rate)
            kp = max(inertia * rate**2, least)
            if kp == least:
                raised.append(joint.name)
            if friction >= effort:
                held.append(joint.name)
            gains = (float(f"{kp:.4g}"), float(f"{2.0 * np.sqrt(kp * inertia):.4g}"))
            servo = Servo(f"{joint.name}_motor", joint.name, *gains, target, "0", limit=(-effort, effort))
            lines.controllers.append(lines.controller(servo))
        if raised:
            why = f"with those of {frequency:g} Hz friction would hold the joint more than {SMALL_WORDS} off its target, or damping slow it"
            self.robot.notes.append(f"the gains of the controllers of {', '.join(raised)} are raised: {why}")
        if held:
            self.robot.notes.append(f"the effort of {', '.join(held)} is not above the friction: the controller cannot move the joint")

    def check_stiffness(self, made: Assembly) -> None:
        """Name an implicit integrator in the model where steps of the explicit one would be unstable."""
        from mbsim.march.failures import too_stiff

        count = self._count_contacts(made)
        if too_stiff(made.system, WRITTEN_STEP, (made.start, made.q, made.v)):
            self.integrator = "integrator: radau"
            self.robot.notes.append("the forces in the joints are stiff beside the inertia of the links: the integrator is implicit")
        elif self.fastest * WRITTEN_STEP > RESOLVED:
            self.integrator = "integrator: rk45"
            self.robot.notes.append(f"steps of {1e3 * WRITTEN_STEP:g} ms would not resolve the stops: the integrator controls its error")
        elif count > MANY_CONTACTS:
            self.integrator += ", impacts: steps"
            self.robot.notes.append(f"with {count} contacts the run goes through them by steps of order 1 (`impacts: steps`)")

    def _couplings(self) -> list[str]:
        """A line for each joint that mimics another one; where one of the two does not move, a note."""
        lines = []
        moving = {joint.name: joint for joint in self.moving if joint.name not in self.found.fixed}
        for joint in moving.values():
            if joint.mimic is None:
                continue
            master, ratio = moving.get(joint.mimic.joint), joint.mimic.ratio
            if master is None:
                self.robot.notes.append(f"joint {joint.name} mimics {joint.mimic.joint}, which moves nothing with mass: it moves freely")
                continue
            name = self._free(f"{joint.name}_mimic")
            if joint.kind == master.kind:
                lines.append(f"  {name}: {{type: gear, joints: [{joint.name}, {master.name}], ratio: {ratio!r}}}")
            else:
                pinion, rack, radius = (joint, master, 1.0 / ratio) if joint.kind == "revolute" else (master, joint, ratio)
                lines.append(f"  {name}: {{type: rack_and_pinion, joints: [{pinion.name}, {rack.name}], radius: {radius!r}}}")
        return lines

    def _free(self, name: str) -> str:
        """A name that nothing has yet."""
        while name in self._names:
            name = f"{name}_"
        self._names.add(name)
        return name

    def _points(self, frames: dict[str, tuple[Floats, Floats]]) -> dict[str, str]:
        """The frames without mass that a body carries, such as that of a tool, as points of the body."""
        found: dict[str, list[str]] = {}
        for link, body in self.points.items():
            R, centre = frames[body]
            found.setdefault(body, []).append(f"{link}: {list_numbers(R.T @ (self.robot.pose[link][1] - centre))}")
        return {body: f"{{{', '.join(points)}}}" for body, points in found.items()}

    def _joint_line(self, joint: Joint) -> str:
        turned, at = self.robot.pose[joint.child]
        kind = "fixed" if joint.name in self.found.fixed else joint.kind
        keys = f"type: {kind}, bodies: [{self.found.holder[joint.parent]}, {self.found.holder[joint.child]}]"
        if kind != "free":
            keys += f", at: {list_numbers(at)}"
        if kind in ("revolute", "prismatic", "planar"):
            keys += f", axis: {list_numbers(turned @ joint.axis)}"
        if joint.rotor and kind != "fixed":
            keys += f", rotor_inertia: {joint.rotor!r}"
        if self.options.rigid:
            keys += self._rigid(joint)
        return f"  {joint.name}: {{{keys}}}" + f"  # {joint.remarks}" * bool(joint.remarks)

    def _friction(self, joint: Joint) -> list[str]:
        """Damping and friction of a joint with one coordinate. What is not converted becomes a note."""
        notes, speed = self.robot.notes, self.options.friction
        if joint.kind == "fixed" or joint.name in self.found.fixed or (joint.damping == 0.0 and joint.friction == 0.0):
            return []
        if joint.kind not in ONE_COORDINATE:
            damping = 0.0 if joint.kind == "spherical" else joint.damping  # of a ball it is part of its spring
            for what, value in (("damping", damping), ("friction", joint.friction)):
                notes += [f"the {what} of joint {joint.name} ({value:g}) is not taken: it has several coordinates"] * (value != 0.0)
            return []
        keys = [f"viscous: {joint.damping!r}"] if joint.damping != 0.0 else []
        if joint.friction != 0.0 and speed is None and not self.options.rigid:
            how = f"; a force {{type: joint_friction, joint: {joint.name}, coulomb: ..., transition_speed: ...}} would be it (--friction)"
            notes.append(f"the friction of joint {joint.name} ({joint.friction:g}) is not taken{how}")
        elif joint.friction != 0.0 and speed is not None:
            keys += [f"coulomb: {joint.friction!r}", f"transition_speed: {speed!r}"]
        name = self._free(f"{joint.name}_damping" if speed is None or joint.friction == 0.0 else f"{joint.name}_friction")
        return [f"  {name}: {{type: joint_friction, joint: {joint.name}, {', '.join(keys)}}}"] if keys else []


def _body(name: str, link: Link) -> str:
    """The block of a body, not closed."""
    quaternion = quaternion_from_matrix(link.R.tolist())
    unchecked = "" if link.fault(strictly=True) == "" else ", unchecked_inertia: true"
    return (
        f"  {name}: {{mass: {link.mass!r}, inertia: {list_numbers(link.inertia)}{unchecked}, position: {list_numbers(link.centre)}, "
        f"orientation: {{quaternion: {list_numbers(quaternion)}}}"
    )
