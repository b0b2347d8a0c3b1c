"""Which links of a robot move as one, and the bodies that they become.

Links that fixed joints connect form a group. Every link of a group that can be a body of its own becomes one; the mass and the inertia of
the others (a link without mass may have inertia, a point mass has none) are added to the body that they are fixed to. If no link can be a
body, the whole group is one body, whatever inertia it has. A group without mass is a body without mass if something with mass hangs on it,
and is left out otherwise.

The links of a floating root without inertia move with the only joint that it carries, whose own motion nothing determines: it is fixed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mbsim.importers.robot import Joint, Link, Robot
from mbsim.importers.urdf_elements import RobotError
from mbsim.model.names import GROUND


@dataclass
class Group:
    """Links that fixed joints connect."""

    root: str
    joint: Joint | None  # the joint that moves it; None: the robot's root
    members: list[str] = field(default_factory=list)
    has_mass: bool = False  # mass or inertia, of the group or of what hangs on it


@dataclass(frozen=True)
class Bodies:
    """What becomes of the links."""

    placed: dict[str, Link]  # each body, global
    holder: dict[str, str]  # link -> the body that carries it, or the ground; links that are left out are missing
    fixed: frozenset[str]  # moving joints that are fixed, because nothing determines their motion


def bodies(robot: Robot, floating: bool) -> Bodies:
    """The bodies of a robot; what is not as in its file is added to its notes. Raises RobotError."""
    fixed: set[str] = set()
    groups = _groups(robot, fixed)
    while floating and (joint := _find_undetermined(robot, groups)) is not None:
        robot.notes.append(f"the joint {joint.name} is fixed: the links before it have no inertia, so nothing determines its motion")
        fixed.add(joint.name)
        groups = _groups(robot, fixed)
    placed: dict[str, Link] = {}
    holder: dict[str, str] = {}
    for group in groups:
        ground = group.joint is None and not floating
        if group.has_mass or ground:
            found, carried = _of_group(robot, group, ground)
            placed |= found
            holder |= carried
    if not placed:
        hint = "" if floating else "; a robot that is a single body can float (--floating)"
        raise RobotError(f"robot: no link that moves has an inertia{hint}")
    return Bodies(placed, holder, frozenset(fixed))


def _groups(robot: Robot, fixed: set[str]) -> list[Group]:
    """The groups from the root out; the joints named in `fixed` connect as fixed ones do."""
    first = Group(robot.root, None)
    groups, of = [first], {robot.root: first}
    for link in robot.order:
        of[link].members.append(link)
        for joint in robot.outer[link]:
            if joint.kind == "fixed" or joint.name in fixed:
                of[joint.child] = of[link]
            else:
                of[joint.child] = Group(joint.child, joint)
                groups.append(of[joint.child])
    for group in reversed(groups):
        group.has_mass = group.has_mass or any(robot.links[link] is not None for link in group.members)
        if group.joint is not None and group.has_mass:
            of[group.joint.parent].has_mass = True
    return groups


def _find_undetermined(robot: Robot, groups: list[Group]) -> Joint | None:
    """The only joint with mass behind it of a root group without mass; None where the root has mass or several such joints."""
    root, *others = groups
    if any(robot.links[link] is not None for link in root.members):
        return None
    carried = [group.joint for group in others if group.has_mass and group.joint is not None and group.joint.parent in root.members]
    return carried[0] if len(carried) == 1 else None


def _of_group(robot: Robot, group: Group, ground: bool) -> tuple[dict[str, Link], dict[str, str]]:
    """The links of a group that become bodies, placed, with the additions of other links; and the body that carries each link."""
    given = {name: link.moved(*robot.pose[name]) for name in group.members if (link := robot.links[name]) is not None}
    own = [name for name, link in given.items() if link.is_body]
    first = GROUND if ground else own[0] if own else group.root
    holder = {group.root: first}
    for name in group.members[1:]:
        holder[name] = name if name in own or name == first else holder[robot.inner[name].parent]
    carried = {body: [name for name in given if holder[name] == body] for body in dict.fromkeys(holder.values()) if body != GROUND}
    for body, names in carried.items():
        if added := [name for name in names if name != body]:
            robot.notes.append(f"the mass and inertia of {', '.join(added)} are part of the body {body}, to which fixed joints tie them")
        for name in names:
            if why := given[name].fault():
                robot.notes.append(f"link {name}: {why}; it is taken as it is")
        if not names:
            robot.notes.append(f"link {body} has neither mass nor inertia: it is a body without mass")
    R, place = robot.pose[group.root]
    nothing = Link(0.0, R, place, np.zeros(6))
    placed = {
        body: together([given[name] for name in sorted(names, key=lambda n: n != body)]) if names else nothing
        for body, names in carried.items()
    }
    return placed, holder


def together(links: Sequence[Link]) -> Link:
    """Links in one frame combined into one; its axes are those of the first."""
    mass, R = sum(link.mass for link in links), links[0].R
    centre = sum((link.mass * link.centre for link in links), np.zeros(3)) / mass if mass > 0.0 else links[0].centre
    total = np.zeros((3, 3))
    for link in links:
        turned, arm = R.T @ link.R, R.T @ (link.centre - centre)
        total += turned @ link.matrix @ turned.T + link.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Link(mass, R, centre, total[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
