"""Where a robot with contacts starts: what floats is lifted out of what is fixed; what is inside of each other then does not touch."""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from mbsim.assembly.assembled import Assembly
from mbsim.assembly.unilaterals import Look
from mbsim.importers.robot import Robot
from mbsim.importers.robot_contacts import Contacts, Edge
from mbsim.importers.robot_groups import Bodies
from mbsim.importers.urdf_elements import Floats
from mbsim.kernels.relative import VALUE
from mbsim.model.expressions.expression import Expression, evaluate, parse
from mbsim.model.names import GROUND

DEEP = 1e-7  # m: what is less deep inside of each other touches; a run refuses ten times that
LIFTS = 60  # on a slope of 60 degrees the depth is halved by each


def gaps(made: Assembly, q: Floats) -> dict[str, float]:
    """How far (m) each contact of bodies is from closed in a configuration, by name."""
    system = made.system
    system.terms(made.start, q, made.v)
    values = {name: float(system.arrays.relative_values[k, VALUE]) for name, k in system.relative.items()}
    found = {}
    for one in made.unilaterals.each if made.unilaterals is not None else ():
        if one.path[0] == "contacts" and Look.GAP in one.texts:
            text = one.texts[Look.GAP]
            found[one.name] = evaluate(text if isinstance(text, Expression) else parse(text), values)
    return found


def depths(made: Assembly, q: Floats, pairs: Mapping[str, Edge]) -> dict[Edge, float]:
    """How deep (m) two that touch are inside of each other, of those that are. `pairs` are what contacts of two are called."""
    found = defaultdict[Edge, float](float)
    for name, gap in gaps(made, q).items():
        edge = pairs[name if name in pairs else name.rpartition("_")[0]]
        found[edge] = max(found[edge], -gap)
    return {edge: depth for edge, depth in found.items() if depth > DEEP}


def settle(contacts: Contacts, made: Assembly, initial: dict[str, float], found: Bodies, floating: bool) -> bool:
    """Change `initial` and the contacts so that nothing starts inside of what it touches. Returns whether anything has changed."""
    deep = depths(made, made.q, contacts.pairs)
    if not deep:
        return False
    robot, q = contacts.robot, np.array(made.q)
    floats = {body: floater for body in found.placed if (floater := _floater(robot, found, body, floating))}
    lifted = _lift(contacts, made, q, floats)
    deep = depths(made, q, contacts.pairs)
    for floater, height in lifted.items():
        for axis in "xyz":
            name = f"{floater}.{axis}"
            place = made.system.coordinates.index(name)
            if q[place] != made.q[place]:
                initial[name] = float(q[place])
        robot.notes.append(f"{floater} starts {height:.3g} m higher: what it carries was inside of what is fixed")
    if deep:
        contacts.drop(deep)
    return True


def _lift(contacts: Contacts, made: Assembly, q: Floats, floats: Mapping[str, str]) -> dict[str, float]:
    """Lift what floats against gravity, in q, until it is not inside of what is fixed. Returns by how much, m."""
    g = np.array(contacts.robot.gravity)
    up = -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])
    whole = dict[str, float]()
    for _ in range(LIFTS):
        needed = dict[str, float]()
        for edge, depth in depths(made, q, contacts.pairs).items():
            one, other = (label.partition(".")[0] for label in edge)
            if GROUND in (one, other) and (floater := floats.get(one if other == GROUND else other)):
                needed[floater] = max(needed.get(floater, 0.0), depth)
        if not needed:
            break
        for floater, depth in needed.items():
            for axis, part in zip("xyz", up, strict=True):
                q[made.system.coordinates.index(f"{floater}.{axis}")] += part * depth
            whole[floater] = whole.get(floater, 0.0) + depth
    return whole


def _floater(robot: Robot, found: Bodies, body: str, floating: bool) -> str:
    """What the coordinates of the free joint that carries a body begin with; empty where it is tied to the ground."""
    link = body
    while link != robot.root:
        joint = robot.inner[link]
        if joint.kind == "free" and joint.name not in found.fixed:
            return joint.name if found.holder[joint.parent] == GROUND else ""
        link = joint.parent
    return found.holder[robot.root] if floating else ""
