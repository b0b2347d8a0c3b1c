"""MJCF, the XML of MuJoCo -> a model file in joint coordinates. Entities and document types are refused before the text is parsed.

The world is the ground. The zero of a joint is the configuration that the file draws (MuJoCo's qpos0), so a coordinate is that of the file
less the joint's `ref`. What MuJoCo softens (equality constraints) is rigid; limits and friction are taken as those of URDF. Documentation:
https://mujoco.readthedocs.io/en/stable/XMLreference.html. The files beside this one: `mjcf_elements` (XML), `mjcf_bodies` (bodies, joints),
`mjcf_geoms` (shapes, masses), `mjcf_contacts`, `mjcf_laws` (tendons, equality
constraints), `mjcf_actuators`, `mjcf_lengths` (what both act along).
"""

from pathlib import Path
from xml.etree.ElementTree import Element

from mbsim.importers import mjcf_contacts
from mbsim.importers.mjcf_attach import compose
from mbsim.importers.mjcf_bodies import COORDINATES, SPEEDS, Bodies, Found
from mbsim.importers.mjcf_elements import Mjcf, numbers
from mbsim.importers.mjcf_geoms import Geoms
from mbsim.importers.mjcf_laws import Laws
from mbsim.importers.robot import Robot
from mbsim.importers.urdf_elements import Faults, Floats, RobotError

# Sections without an influence on the motion of what is taken, or that are read.
_READ = (
    "compiler", "option", "size", "statistic", "default", "asset", "worldbody", "equality", "tendon", "actuator", "keyframe", "visual",
    "custom", "include",
)  # fmt: skip
_SAID = {
    "contact": "the pairs and exclusions of contacts",
    "sensor": "sensors",
    "deformable": "deformable bodies",
    "extension": "plugins",
    "skin": "skins",
}
_FLUID = ("density", "viscosity", "wind")


def read(path: Path, root: Element, folder: Path, keyframe: str | None = None, contacts: bool = False, floor: float | None = None) -> Robot:
    """The robot of a parsed file; names of meshes begin in `folder`. `keyframe`: the one to start in, in place of the first.

    With `contacts` what touches is taken, and with a height `floor` (m) a floor is added.

    Raises RobotError, OSError.
    """
    file, notes = compose(path, root)
    robot = Robot(root.get("model", "MuJoCo model"))
    robot.notes += notes
    geoms = Geoms(file, folder, robot.notes, contacts)
    bodies = Bodies(file, robot, geoms)
    found = bodies.read()
    laws = Laws(file, robot, found)
    laws.couple()
    robot.ordered()
    laws.read()
    faults = laws.faults
    known = not faults.any  # then each control of a keyframe has its actuator
    with faults.noted():
        _options(file, robot, faults)
    with faults.noted():
        _start(file, robot, found, laws if known else None, keyframe, faults)
    if contacts:
        with faults.noted():
            mjcf_contacts.read(file, robot, found, geoms, bodies.met, floor, faults)
    faults.tell()
    _say(file, robot, contacts)
    return robot


def _options(file: Mjcf, robot: Robot, faults: Faults) -> None:
    """Gravity, and what is not taken."""
    keys: dict[str, str] = {}
    flags: dict[str, str] = {}
    for option in file.root.findall("option"):
        keys |= option.attrib
        for item in option.findall("flag"):
            flags |= item.attrib
    with faults.noted():
        x, y, z = (float(value) for value in numbers(keys, "gravity", "0 0 -9.81", 3, "<option>"))
        robot.gravity = (0.0, 0.0, 0.0) if flags.get("gravity") == "disable" else (x, y, z)
    for key in _FLUID:
        with faults.noted():
            if key in keys and numbers(keys, key, "", None, "<option>").any():
                robot.notes.append(f"the forces of the medium ({key} {keys[key][:60]}) are not taken")


def _start(file: Mjcf, robot: Robot, found: Found, laws: Laws | None, keyframe: str | None, faults: Faults) -> None:
    """The configuration, the speeds and the controls of a keyframe; these only where the `laws` are known."""
    keys = list(file.sections("keyframe"))
    names = [key.get("name") or str(k) for k, key in enumerate(keys)]
    if keyframe is not None and keyframe not in names:
        raise RobotError(f"keyframe '{keyframe[:60]}': does not exist; the file has {', '.join(names) or 'none'}")
    if not keys:
        return
    name = names[0] if keyframe is None else keyframe
    key = keys[names.index(name)].attrib
    others = f"; others are {', '.join(other for other in names if other != name)}" if len(names) > 1 else ""
    robot.notes.append(f"the start is that of the keyframe {name}{others}")
    where = f"keyframe '{name[:60]}'"
    with faults.noted():
        q = _each(key, "qpos", found, COORDINATES, where)
        robot.start = {joint: x - found.ref[joint] if len(x) == 1 else x for joint, x in q.items()}
    with faults.noted():
        robot.speeds = _each(key, "qvel", found, SPEEDS, where)
    for what, column in (("ctrl", 0), ("act", 1)):
        with faults.noted():
            if what in key:
                _control(robot, laws, column, numbers(key, what, "", None, where), f"{where}: {what}")


def _control(robot: Robot, laws: Laws | None, column: int, values: Floats, where: str) -> None:
    """Set the controls (column 0) or activations (1) of the actuators."""
    if laws is None:
        return
    named = [pair[column] for pair in laws.actuators.controls if pair[column] is not None]
    if len(values) != len(named):
        raise RobotError(f"{where}: expected {len(named)} numbers (got {len(values)})")
    for input_, value in zip(named, values.tolist(), strict=True):
        if input_ in robot.inputs:
            robot.inputs[input_] = value
        elif input_ in robot.states:
            robot.states[input_] = (robot.states[input_][0], value)


def _each(key: dict[str, str], what: str, found: Found, sizes: dict[str, int], where: str) -> dict[str, Floats]:
    """The numbers of each joint in a list of a keyframe."""
    if what not in key:
        return {}
    values, total = numbers(key, what, "", None, where), sum(sizes[kind] for kind in found.kinds.values())
    if len(values) != total:
        raise RobotError(f"{where}: {what}: expected {total} numbers (got {len(values)})")
    each, at = {}, 0
    for joint, kind in found.kinds.items():
        each[joint] = values[at : at + sizes[kind]]
        at += sizes[kind]
    return each


def _say(file: Mjcf, robot: Robot, contacts: bool) -> None:
    """Name the sections that are not taken."""
    if not contacts:
        robot.notes.append("contacts between geoms are not taken (--contacts)")
    for name in dict.fromkeys(section.tag for section in file.root):
        if name not in _READ and not (contacts and name == "contact"):
            robot.notes.append(f"{_SAID.get(name, f'<{name[:40]}>')} are not taken")
    if robot.ties or robot.equations:
        robot.notes.append("equality constraints are rigid here, and not softened by solref and solimp")
