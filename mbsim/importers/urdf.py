"""URDF -> a model file in joint coordinates. Entities and document types are refused before the text is parsed.

Links become bodies with the inertial frame as body axes, so `position` is the centre of mass. Joints keep their names, and their zero but
for joints that mimic another with an offset. The root link is the ground, or floats. `mbsim.importers.robot_groups` says which links become
bodies, `mbsim.importers.robot_model` what is written.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from mbsim.importers import urdf_contacts
from mbsim.importers.robot import Joint, Link, Mimic, Names, Robot
from mbsim.importers.robot_model import Conversion, Options, write_robot
from mbsim.importers.urdf_elements import Faults, RobotError, frame, numbers, parse
from mbsim.importers.urdf_visuals import materials, visuals

__all__ = ["Conversion", "Options", "UrdfError", "conversion", "convert"]

UrdfError = RobotError

_TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}


def convert(path: str | Path, floating: bool = False, folder: str | Path = ".") -> str:
    """The YAML text of the model. Raises RobotError, OSError."""
    return conversion(path, Options(floating=floating), folder).text


def conversion(path: str | Path, options: Options = Options(), folder: str | Path = ".") -> Conversion:  # noqa: B008 (it is frozen)
    """The model with its notes. `folder` is where the model file will be: names of meshes begin there.

    Raises RobotError, also for a model that cannot be assembled, and OSError.
    """
    return write_robot(read(Path(path), Path(folder).absolute(), options), options, Path(path).name, Path(folder))


def read(path: Path, folder: Path, options: Options = Options()) -> Robot:  # noqa: B008 (it is frozen)
    """The robot that a file describes; names of meshes begin in `folder`. Raises RobotError, OSError."""
    return robot_of(parse(path), path, folder, options)


def robot_of(element: ElementTree.Element, path: Path, folder: Path, options: Options = Options()) -> Robot:  # noqa: B008 (it is frozen)
    """The same of a file that is parsed."""
    if element.tag != "robot":
        raise RobotError(f"{path}: expected <robot> (got <{element.tag}>)")
    robot, links, joints = Robot(element.get("name", "robot")), Names("link"), Names("joint")
    colours = materials(element)
    faults = Faults()
    for item in element.findall("link"):
        with faults.noted():
            name = links.add(item.get("name", ""))
            robot.links[name] = _inertial(item, f"link '{item.get('name', '')[:60]}'")
            robot.visuals[name] = visuals(item, name, path, folder, robot.notes, colours)
    items: list[tuple[str, ElementTree.Element]] = []
    for item in element.findall("joint"):
        with faults.noted():
            items.append((joints.add(item.get("name", "")), item))
    for name, item in items:
        with faults.noted():
            robot.joints[name] = _joint(name, item, links, joints, robot.notes)
    faults.tell()
    robot.ordered()
    if options.contacts is not None:
        urdf_contacts.read(element, robot, path, folder, options.floating, options.floor, options.mu)
    return robot


def _inertial(element: ElementTree.Element, where: str) -> Link | None:
    inertial = element.find("inertial")
    if inertial is None:
        return None
    mass = float(numbers(inertial.find("mass"), "value", "0", 1, where)[0])
    tensor = inertial.find("inertia")
    entries = [numbers(tensor, key, "0", 1, where)[0] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    if mass < 0.0:
        raise RobotError(f"{where}: a mass must not be negative (got {mass:g})")
    if mass == 0.0 and not any(entries):
        return None
    R, centre = frame(inertial.find("origin"), where)
    return Link(mass, R, centre, np.array(entries))


def _joint(name: str, element: ElementTree.Element, links: Names, joints: Names, notes: list[str]) -> Joint:
    kind, where = element.get("type", ""), f"joint '{element.get('name', '')[:60]}'"
    if kind not in _TYPES:
        raise RobotError(f"{where}: unknown type '{kind[:60]}'; known are {', '.join(_TYPES)}")
    ends = []
    for item in (element.find("parent"), element.find("child")):
        if item is None:
            raise RobotError(f"{where}: expected <parent> and <child>")
        link = links.get(item.get("link", ""))
        if link is None:
            raise RobotError(f"{where}: unknown link '{item.get('link', '')[:60]}'")
        ends.append(link)
    R, origin = frame(element.find("origin"), where)
    axis = numbers(element.find("axis"), "xyz", "1 0 0", 3, where)
    if kind in ("revolute", "continuous", "prismatic", "planar") and not np.linalg.norm(axis) > 0.0:
        raise RobotError(f"{where}: the axis is zero")
    dynamics = element.find("dynamics")
    damping, friction = (float(numbers(dynamics, key, "0", 1, where)[0]) for key in ("damping", "friction"))
    for what, value in (("damping", damping), ("friction", friction)):
        if value < 0.0:
            raise RobotError(f"{where}: a {what} must not be negative (got {value:g})")
    limit = element.find("limit")
    remarks = ", ".join(f"{key} {value}" for key, value in sorted(limit.items())) if limit is not None else ""
    lower, upper, effort = -np.inf, np.inf, np.inf
    if limit is not None and kind in ("revolute", "continuous", "prismatic"):
        effort = _effort(limit.get("effort", "inf"))
    if limit is not None and kind in ("revolute", "prismatic"):
        lower, upper = (float(numbers(limit, key, "0", 1, where)[0]) for key in ("lower", "upper"))
    return Joint(
        name, _TYPES[kind], ends[0], ends[1], R, origin, axis, lower, upper, re.sub(r"[^\w .,+-]", "", remarks, flags=re.ASCII),
        damping, friction, _mimic(name, element, joints, notes), effort=effort,
    )  # fmt: skip


def _effort(text: str) -> float:
    """N or N m; infinite where it is no number, because only controllers that are asked for need it."""
    try:
        value = float(text)
    except ValueError:
        return np.inf
    return np.inf if np.isnan(value) else value


def _mimic(name: str, element: ElementTree.Element, joints: Names, notes: list[str]) -> Mimic | None:
    item = element.find("mimic")
    if item is None or element.get("type") == "fixed":
        return None
    master = joints.get(item.get("joint", ""))
    if master is None:
        notes.append(f"joint {name} mimics '{item.get('joint', '')[:60]}', which does not exist: it moves freely")
        return None
    where = f"joint '{element.get('name', '')[:60]}'"
    ratio, offset = (float(numbers(item, key, default, 1, where)[0]) for key, default in (("multiplier", "1"), ("offset", "0")))
    return Mimic(master, ratio, offset)
