"""By what links of a URDF touch, and what: a floor, and on request each other.

URDF says by which geometry links touch, but neither what they touch nor how rough it is. Links do not touch that fixed joints tie together,
or that one joint connects.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import yaml

from mbsim.importers.collision_hulls import convex
from mbsim.importers.robot import Collider, Grip, Robot
from mbsim.importers.robot_contacts import floor_at, welds
from mbsim.importers.urdf_elements import Floats, RobotError, frame
from mbsim.importers.urdf_visuals import geometry_keys
from mbsim.model import solids

FRICTION = "contact_friction"  # the parameter
MU = 0.8  # of rubber on concrete or wood; what simulators take is 0.5 to 1


def read(element: Element, robot: Robot, path: Path, folder: Path, floating: bool, height: float | None, mu: float | None) -> None:
    """Add the colliders of a robot in order, and all pairs that may touch. `height` (m) is that of the floor.

    Without it the floor is at the origin of a root that is fixed, and at the lowest point of a robot that floats.
    """
    low = []
    for item, link in zip(element.findall("link"), robot.links, strict=True):
        for k, part in enumerate(item.findall("collision")):
            collider, lowest = _collider(part, robot, link, k, path, folder)
            if not collider.fault:
                _see(robot, collider)
            robot.colliders.append(collider)
            low += [lowest] if lowest is not None else []
    if not robot.colliders:
        robot.notes.append("no link has a collision geometry: nothing touches")
        return
    if height is None:
        height = min(low, default=0.0) if floating else 0.0
        where = "the lowest point of the robot" if floating else "the origin of the root link"
        robot.notes.append(f"the floor is at z = {height:.6g} m, {where} (--floor)")
    robot.inputs[FRICTION] = MU if mu is None else mu
    floor, grip = len(robot.colliders), Grip(FRICTION)
    robot.colliders.append(floor_at(height))
    robot.grips = {(floor, k): grip for k in range(floor)}
    robot.grips |= dict.fromkeys(_pairs(robot), grip)


def _pairs(robot: Robot) -> Iterator[tuple[int, int]]:
    """Of links that are not next to each other."""
    weld = welds(robot)
    near = {frozenset((link, weld[robot.inner[link].parent])) for link in robot.order[1:] if weld[link] == link}
    for i, j in combinations(range(len(robot.colliders) - 1), 2):
        a, b = (weld[robot.colliders[k].link] for k in (i, j))
        if a != b and frozenset((a, b)) not in near:
            yield i, j


def _collider(part: Element, robot: Robot, link: str, k: int, path: Path, folder: Path) -> tuple[Collider, float | None]:
    """A collision geometry, and how low (m) it reaches where the robot is drawn; None where it cannot be taken."""
    label = part.get("name", "")
    name = f"the collision geometry {label or k + 1} of {link}"
    made = Collider(name, label, link, "", "", np.eye(3), np.zeros(3))
    try:
        R, place = frame(part.find("origin"), "origin")
        keys = geometry_keys(part.find("geometry"), path, folder)
        given = yaml.safe_load(f"{{{keys}}}")
        kind, edges, points = given["type"], 0, np.zeros((1, 3))
        if kind == "mesh":
            vertices = np.asarray(solids.read_mesh(folder / given["file"]).vertices, float) * np.array(given.get("scale", [1.0, 1.0, 1.0]))
            hull = convex(vertices)
            edges, points = hull.edges, vertices
            if not hull.is_whole:
                keys, made = hull.keys, replace(made, said=hull.said)
    except (RobotError, ValueError) as error:
        return replace(made, fault=str(error)), None
    turned, at = robot.pose[link]
    down = -(turned @ R)[2]  # in the axes of the shape
    lowest = float((at + turned @ place)[2]) - _reach(given, points, down)
    return replace(made, kind=kind, keys=keys, R=R, place=place, edges=edges), lowest


def _reach(given: dict[str, object], points: Floats, d: Floats) -> float:
    """How far (m) a shape reaches along d (3,), from its origin."""
    if given["type"] == "mesh":
        return float((points @ d).max())
    numbers = {key: np.array(value, float) for key, value in given.items() if key != "type"}
    if given["type"] == "box":
        return float(0.5 * numbers["size"] @ np.abs(d))
    along = 0.5 * float(numbers["length"]) * abs(float(d[2])) if "length" in numbers else 0.0
    return along + float(numbers["radius"]) * (float(np.hypot(d[0], d[1])) if given["type"] == "cylinder" else 1.0)


def _see(robot: Robot, collider: Collider) -> None:
    """A link that is drawn as its collision geometry has each shape once."""
    for k, visual in enumerate(robot.visuals[collider.link]):
        same = visual.keys == collider.keys and np.array_equal(visual.R, collider.R) and np.array_equal(visual.place, collider.place)
        if visual.collider is None and same:
            robot.visuals[collider.link][k] = replace(visual, collider=len(robot.colliders))
            return
