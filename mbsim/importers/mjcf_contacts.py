"""Which geoms of an MJCF file touch each other, and with which friction.

Two geoms touch where the contype of the one has a bit of the conaffinity of the other, unless they are of one body or of bodies that are
fixed to each other, of a body and its parent (but for the world), or of two bodies that an <exclude> names. A <pair> touches in any case.
Of two geoms the one with the higher priority gives friction and condim; where both have the same, each number is the larger one.
https://mujoco.readthedocs.io/en/stable/computation/index.html#collision-detection
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple
from xml.etree.ElementTree import Element

from mbsim.importers.mjcf_bodies import WORLD, Found, Met
from mbsim.importers.mjcf_elements import MAIN, Keys, Mjcf, fill_numbers, number
from mbsim.importers.mjcf_geoms import Form, Geoms
from mbsim.importers.robot import Collider, Grip, Robot
from mbsim.importers.robot_contacts import floor_at, welds
from mbsim.importers.urdf_elements import Faults, RobotError

FRICTION = "1 0.005 0.0001"  # along the plane; about the normal and against rolling, m
PAIR_FRICTION = "1 1 0.005 0.0001 0.0001"  # twice along the plane, about the normal, twice against rolling
CONDIM = {1: 0, 3: 1, 4: 2, 6: 3}  # -> how many kinds of friction there are, in the order of FRICTION
SOFT = ("margin", "gap", "solref", "solimp", "solreffriction", "solmix", "adhesion")  # keys that rigid contacts do not have


class _Law(NamedTuple):
    """What a geom says of its contacts."""

    contype: int
    conaffinity: int
    priority: float
    condim: int
    friction: tuple[float, ...]  # (3,)


def read(file: Mjcf, robot: Robot, found: Found, geoms: Geoms, met: Sequence[Met], height: float | None, faults: Faults) -> None:
    """Add the colliders of a robot in order, and what they touch; `height` (m) is that of a further floor.

    What is wrong goes to `faults`; then nothing may be made of the robot.
    """
    flags = {key: text for option in file.root.findall("option") for item in option.findall("flag") for key, text in item.attrib.items()}
    if flags.get("contact") == "disable":
        robot.notes.append("the file switches contacts off (<flag contact>): none are taken")
        return
    laws = []
    for each in met:
        with faults.noted():
            laws.append(_law(each.keys, each.where))
    grips = dict(_pairs(file, met, robot.notes, faults))
    apart = _Apart(file, robot, found, flags.get("filterparent") != "disable", faults)
    if faults.any:
        return
    for i, j in combinations(range(len(met)), 2):
        a, b = laws[i], laws[j]
        if (i, j) not in grips and (a.contype & b.conaffinity or b.contype & a.conaffinity) and not apart.are(met[i].link, met[j].link):
            grips[i, j] = _grip(a, b)
    if height is not None:
        own, floor = _law({}, "the floor"), len(met)
        grips |= {(floor, k): _grip(own, law) for k, law in enumerate(laws) if (law.contype | law.conaffinity) & 1}
    touching = {k for pair in grips for k in pair}
    robot.colliders = [_collider(k, each, geoms, robot, k in touching) for k, each in enumerate(met)]
    if height is not None:
        robot.colliders.append(floor_at(height))
    planes = {k for k, collider in enumerate(robot.colliders) if collider.kind == "plane"}
    robot.grips = {(j, i) if j in planes else (i, j): grip for (i, j), grip in grips.items() if not {i, j} <= planes}
    if soft := sorted({key for k in touching - {len(met)} for key in SOFT if key in met[k].keys}, key=SOFT.index):
        robot.notes.append(f"contacts are rigid here: {', '.join(soft)} of geoms are not taken")


def _collider(index: int, each: Met, geoms: Geoms, robot: Robot, touches: bool) -> Collider:
    """A geom; of one that touches nothing no shape is made."""
    form = geoms.touching(each.keys, each.where) if touches else Form("", "")
    R, place = each.R @ form.R, each.place + each.R @ form.place
    if each.visual is not None and form.keys and robot.visuals[each.link][each.visual].keys == form.keys:
        visuals = robot.visuals[each.link]
        visuals[each.visual] = replace(visuals[each.visual], collider=index)
    return Collider(each.where, each.label, each.link, form.kind, form.keys, R, place, form.fault, form.edges, form.said)


def _law(keys: Keys, where: str) -> _Law:
    x, y, z = fill_numbers(keys, "friction", FRICTION, where)[:3].tolist()
    contype, conaffinity = (_bits(keys, key, where) for key in ("contype", "conaffinity"))
    return _Law(contype, conaffinity, number(keys, "priority", 0.0, where), _condim(keys, where), _checked((x, y, z), where))


def _bits(keys: Keys, key: str, where: str) -> int:
    value = number(keys, key, 1.0, where)
    if value != int(value):
        raise RobotError(f"{where}: {key}: expected a whole number (got {value:g})")
    return int(value)


def _condim(keys: Keys, where: str) -> int:
    value = number(keys, "condim", 3.0, where)
    if value not in CONDIM:
        raise RobotError(f"{where}: condim: expected {', '.join(map(str, CONDIM))} (got {value:g})")
    return int(value)


def _checked(friction: tuple[float, ...], where: str) -> tuple[float, ...]:
    if min(friction) < 0.0:
        raise RobotError(f"{where}: a friction must not be negative (got {min(friction):g})")
    return friction


def _grip(a: _Law, b: _Law) -> Grip:
    if a.priority != b.priority:
        higher = a if a.priority > b.priority else b
        return _of(higher.friction, higher.condim)
    return _of(tuple(map(max, a.friction, b.friction)), max(a.condim, b.condim))


def _of(friction: Sequence[float], condim: int) -> Grip:
    return Grip(*(x if k < CONDIM[condim] else 0.0 for k, x in enumerate(friction)))


def _pairs(file: Mjcf, met: Sequence[Met], notes: list[str], faults: Faults) -> Iterator[tuple[tuple[int, int], Grip]]:
    """Those of <pair> elements."""
    place = {each.label: k for k, each in enumerate(met) if each.label}
    for element in file.sections("contact"):
        if element.tag == "pair":
            with faults.noted():
                yield _pair(file, element, place, notes)


def _pair(file: Mjcf, element: Element, place: Mapping[str, int], notes: list[str]) -> tuple[tuple[int, int], Grip]:
    """The geoms of a <pair>, by their places, and what is between them."""
    keys, names = file.keys(element, MAIN), [element.get(key, "") for key in ("geom1", "geom2")]
    where = f"the contact pair of {' and '.join(name[:60] or 'nothing' for name in names)}"
    if unknown := [name for name in names if name not in place]:
        raise RobotError(f"{where}: there is no geom '{unknown[0][:60]}'")
    first, second, drilling, rolling, _ = fill_numbers(keys, "friction", PAIR_FRICTION, where)[:5].tolist()
    if first != second:
        notes.append(f"{where}: its friction is {first:g} along both directions; that of the second one, {second:g}, is not taken")
    i, j = sorted(place[name] for name in names)
    if i == j:
        raise RobotError(f"{where}: a geom does not touch itself")
    return (i, j), _of(_checked((first, drilling, rolling), where), _condim(keys, where))


class _Apart:
    """Which links do not touch, whatever their geoms say."""

    def __init__(self, file: Mjcf, robot: Robot, found: Found, parents: bool, faults: Faults) -> None:
        """`parents`: whether a body and its parent do not touch."""
        self._weld = welds(robot)
        ground = self._weld[found.link[WORLD]]
        bodies = set(found.link.values())
        self._pairs = set[frozenset[str]]()
        for link in robot.order if parents else ():
            if self._weld[link] == link and link != ground and link in bodies:
                above = robot.inner[link].parent
                while above not in bodies:
                    above = robot.inner[above].parent
                if self._weld[above] != ground:
                    self._pairs.add(frozenset((link, self._weld[above])))
        self._named = set(self._excluded(file, found, faults))

    def are(self, one: str, other: str) -> bool:
        """Whether they are kept apart."""
        a, b = self._weld[one], self._weld[other]
        return a == b or frozenset((a, b)) in self._pairs or frozenset((one, other)) in self._named

    @staticmethod
    def _excluded(file: Mjcf, found: Found, faults: Faults) -> Iterator[frozenset[str]]:
        for element in file.sections("contact"):
            if element.tag == "exclude":
                names = [element.get(key, "") for key in ("body1", "body2")]
                with faults.noted():
                    if unknown := [name for name in names if name not in found.link]:
                        raise RobotError(f"the contact exclusion of {' and '.join(names)[:120]}: there is no body '{unknown[0][:60]}'")
                    yield frozenset(found.link[name] for name in names)
