"""What touches what of a robot, as the block `contacts` of a model file with few lines.

Shapes of a body that touch the same in the same way are one: the body by its name, or where it has others, too, those of its shapes that
share a name. What lies inside of each other where the model starts is moved apart, or does not touch.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from mbsim.assembly.solid_sites import MOST_PAIRS
from mbsim.importers.robot import Collider, Grip, Robot
from mbsim.importers.robot_groups import Bodies
from mbsim.importers.urdf_elements import Floats, list_numbers
from mbsim.importers.urdf_visuals import Visual, shape_lines
from mbsim.model.contacts import body_of, pair_name
from mbsim.model.names import GROUND, name_fault

BOX_EDGES = 12
LISTED = 12  # pairs that a note names
ROUND = ("sphere", "capsule", "cylinder")  # kinds that roll on whatever they touch

Pair = tuple[int, int]
Frames = Mapping[str, tuple[Floats, Floats]]
Edge = tuple[str, str]  # of two that are named in a block


def welds(robot: Robot) -> dict[str, str]:
    """Of each link of a robot in order the first one of those that fixed joints tie it to."""
    found = {robot.root: robot.root}
    for link in robot.order[1:]:
        joint = robot.inner[link]
        found[link] = found[joint.parent] if joint.kind == "fixed" else link
    return found


def floor_at(height: float) -> Collider:
    """A plane of the ground at a height, m."""
    return Collider("the floor", "floor", GROUND, "plane", "", np.eye(3), np.array([0.0, 0.0, height]))


class Contacts:
    """The contacts of a robot's model. `names` are taken; `fixed_only`: with what does not move alone."""

    def __init__(self, robot: Robot, found: Bodies, names: Collection[str], fixed_only: bool) -> None:
        self.robot, self._names, self._holder = robot, names, found.holder
        self._order = {body: k for k, body in enumerate(found.placed)}
        self.grips = dict(self._known(fixed_only))
        self._name()
        robot.notes += [f"{robot.colliders[k].name}: {said}" for k in sorted(self.called) if (said := robot.colliders[k].said)]

    def _known(self, fixed_only: bool) -> Iterator[tuple[Pair, Grip]]:
        """The pairs that a model knows; the others become notes."""
        robot, faults, unknown = self.robot, dict[str, dict[str, None]](), dict[str, list[str]]()
        rolls = list[str]()
        for (i, j), grip in robot.grips.items():
            a, b = robot.colliders[i], robot.colliders[j]
            bodies = self._body(i), self._body(j)
            if "" in bodies or bodies[0] == bodies[1] or (fixed_only and GROUND not in bodies):
                continue
            wrong = [collider for collider in (a, b) if collider.fault]
            for collider in wrong:
                faults.setdefault(collider.fault, {})[collider.name] = None
            if wrong:
                continue
            both = f"{a.name} and {b.name}"
            if why := self._fault(i, j):
                unknown.setdefault(why, []).append(both)
                continue
            if (grip.drilling or grip.rolling) and not _is_round(a, b):
                rolls.append(both)
                grip = replace(grip, drilling=0.0, rolling=0.0)
            yield (i, j), grip
        robot.notes += [f"what touches nothing: {_listed([*names])}: {fault}" for fault, names in faults.items()]
        robot.notes += [f"contacts are not taken of {_listed(pairs)}: {why}" for why, pairs in unknown.items()]
        if fixed_only and robot.colliders and not any(c.kind == "plane" for c in robot.colliders):
            robot.notes.append("the file has no floor (--floor HEIGHT)")
        if rolls:
            robot.notes.append(f"torsional and rolling friction are not taken of {_listed(rolls)}: what has corners does not roll")

    def _fault(self, i: int, j: int) -> str:
        """Why a model does not know a pair of colliders; empty where it does."""
        a, b = self.robot.colliders[i], self.robot.colliders[j]
        kinds = {a.kind, b.kind}
        if a.kind == "plane":
            return "the ground's shapes touch no plane that moves" if self._body(j) == GROUND else ""
        if "mesh" in kinds and max(self._edges(a), 1) * max(self._edges(b), 1) > MOST_PAIRS and not kinds & {"sphere", "capsule"}:
            return f"their hulls have more than {MOST_PAIRS} pairs of edges"
        return ""

    def _body(self, k: int) -> str:
        """The body of a collider; empty where its link is left out."""
        link = self.robot.colliders[k].link
        return GROUND if link == GROUND else self._holder.get(link, "")

    def _pose(self, collider: Collider) -> tuple[Floats, Floats]:
        """(3, 3) and (3,) of the frame of its link, global."""
        return (np.eye(3), np.zeros(3)) if collider.link == GROUND else self.robot.pose[collider.link]

    @staticmethod
    def _edges(collider: Collider) -> int:
        return BOX_EDGES if collider.kind == "box" else collider.edges

    def _name(self) -> None:
        """Say which colliders of a body are one, and what these are called."""
        of = dict[int, set[tuple[int, Grip]]]()
        for (i, j), grip in self.grips.items():
            of.setdefault(i, set()).add((j, grip))
            of.setdefault(j, set()).add((i, grip))
        solid = [k for k in of if self.robot.colliders[k].kind != "plane"]
        self.called, self.named = dict[int, str](), dict[int, str]()  # collider -> in blocks; -> its own name, where it needs one
        for body in dict.fromkeys(self._body(k) for k in sorted(solid)):
            alike = dict[frozenset[tuple[int, Grip]], list[int]]()
            for k in sorted(k for k in solid if self._body(k) == body):
                alike.setdefault(frozenset(of[k]), []).append(k)
            taken = set[str]()
            for members in alike.values():
                name = "" if len(alike) == 1 else _shape_name(self.robot.colliders[members[0]], taken)
                taken.add(name)
                for k in members:
                    self.called[k] = f"{body}.{name}" if name else body
                    self.named |= {k: name} if name else {}

    def shapes(self, frames: Frames) -> dict[str, str]:
        """What each body looks like and by what it touches: the visuals and colliders of the links that it carries."""
        found: dict[str, list[tuple[Visual, Floats, Floats]]] = {}
        touching = {self._body(k) for k in self.called}
        for link, body in self._holder.items():
            pose, drawn = self.robot.pose[link], set[int]()
            for visual in self.robot.visuals[link]:
                k = visual.collider
                if k in self.called and k is not None:
                    drawn.add(k)
                    keys = visual.keys + self._own_name(k)
                else:
                    keys = visual.keys + ", role: visual" * (body in touching)
                found.setdefault(body, []).append((replace(visual, keys=keys), *pose))
            for k, collider in enumerate(self.robot.colliders):
                if collider.link == link and k in self.called and k not in drawn:
                    text = f"{collider.keys}, role: collision{self._own_name(k)}"
                    found.setdefault(body, []).append((Visual(text, collider.R, collider.place), *pose))
        return {body: shape_lines(shapes, *frames[body]) for body, shapes in found.items()}

    def _own_name(self, k: int) -> str:
        return f", name: {self.named[k]}" if k in self.named else ""

    def lines(self) -> list[str]:
        """Those of the block."""
        self.pairs: dict[str, Edge] = {}  # what each contact of two is called -> the two
        return [f"  {name}: {{{keys}}}" for name, keys in (*self._on_planes(), *self._between())]

    def _on_planes(self) -> Iterator[tuple[str, str]]:
        touching = dict[tuple[int, Grip], dict[str, None]]()
        for (i, j), grip in self.grips.items():
            if self.robot.colliders[i].kind == "plane":
                touching.setdefault((i, grip), {})[self.called[j]] = None
        taken = set[str]()
        for (plane, grip), labels in touching.items():
            collider = self.robot.colliders[plane]
            name, last = self._called(collider.label or "floor", taken), self._body(plane)
            R, place = self._pose(collider)
            at = place + R @ collider.place
            through = f", through: {list_numbers(at)}" * bool(at.any() or last != GROUND)
            face = f"{{normal: {list_numbers(R @ collider.R[:, 2])}{through}}}"
            names = [name] if len(labels) == 1 else [pair_name(name, label) for label in labels]
            self.pairs |= {each: (label, last) for each, label in zip(names, labels, strict=True)}
            yield name, f"bodies: [{', '.join([*labels, last])}], plane: {face}{_law(grip)}"

    def _between(self) -> Iterator[tuple[str, str]]:
        by_grip = dict[Grip, dict[Edge, None]]()
        for (i, j), grip in self.grips.items():
            if self.robot.colliders[i].kind != "plane":
                by_grip.setdefault(grip, {})[_edge(self.called[i], self.called[j])] = None
        taken, rank = set[str](), {name: k for k, name in enumerate(sorted(set(self.called.values()), key=self._rank))}
        for grip, edges in by_grip.items():
            for members, apart in groups(edges, rank):
                name = self._called("_".join(members).replace(".", "_") if len(members) == 2 else "solids", taken)
                without = f", without: [{', '.join(f'[{a}, {b}]' for a, b in apart)}]" * bool(apart)
                kept = [pair for pair in combinations(members, 2) if _edge(*pair) not in apart]
                self.pairs |= {name if len(members) == 2 else pair_name(name, *pair): pair for pair in kept}
                yield name, f"between: [{', '.join(members)}]{without}{_law(grip)}"

    def _rank(self, name: str) -> tuple[int, str]:
        """In the order of the bodies, the ground last."""
        return self._order.get(body_of(name), len(self._order)), name

    def _called(self, wanted: str, taken: set[str]) -> str:
        """A name of a block."""
        clean = re.sub(r"\W", "_", wanted, flags=re.ASCII)
        clean = clean if not name_fault(clean, in_expressions=False) else f"c_{clean}"[:60]
        name, k = clean, 2
        while name in taken or name in self._names:
            name, k = f"{clean}{k}", k + 1  # `floor_2` is the second contact of `floor`
        taken.add(name)
        return name

    def drop(self, edges: Iterable[Edge]) -> None:
        """Let these touch no more; notes say so."""
        gone = {_edge(*edge) for edge in edges}
        kept, pairs = dict[Pair, Grip](), list[str]()
        for (i, j), grip in self.grips.items():
            plane = self.robot.colliders[i].kind == "plane"
            if _edge(self._body(i) if plane else self.called[i], self.called[j]) in gone:
                pairs.append(f"{self.robot.colliders[i].name} and {self.robot.colliders[j].name}")
            else:
                kept[i, j] = grip
        self.robot.notes.append(f"contacts are not taken of {_listed(pairs)}: they are inside each other where the model starts")
        self.grips = kept
        self._name()


def groups(edges: Iterable[Edge], rank: Mapping[str, int]) -> Iterator[tuple[list[str], list[Edge]]]:
    """Few groups whose pairs are these edges, each once: who belongs to a group, by rank, and which of its pairs are none.

    A whole component is a group where most of its pairs are there: links that follow each other are missing.
    """
    left = dict.fromkeys(_edge(*edge) for edge in edges)
    while left:
        near = dict[str, dict[str, None]]()
        for a, b in left:
            near.setdefault(a, {})[b] = None
            near.setdefault(b, {})[a] = None
        first, pending = next(iter(near)), [next(iter(near))]
        members = {first: None}
        while pending:
            fresh = [other for other in near[pending.pop()] if other not in members]
            members |= dict.fromkeys(fresh)
            pending += fresh
        names = sorted(members, key=lambda name: rank[name])
        apart = [_edge(a, b) for a, b in combinations(names, 2) if b not in near[a]]
        different = len({body_of(name) for name in names}) == len(names)
        if not different or 2 * len(apart) > len(names) * (len(names) - 1) // 2:
            names, apart = _clique(near, names), []
        for a, b in combinations(names, 2):
            left.pop(_edge(a, b), None)
        yield names, apart


def _clique(near: Mapping[str, Mapping[str, None]], names: list[str]) -> list[str]:
    """A large group of which each is near to each, found from the one that is near to most."""
    ordered = sorted(names, key=lambda name: -len(near[name]))
    found = ordered[:1]
    for name in ordered[1:]:
        if all(other in near[name] for other in found):
            found.append(name)
    return sorted(found, key=names.index)


def _edge(a: str, b: str) -> Edge:
    return (a, b) if a <= b else (b, a)


def _is_round(a: Collider, b: Collider) -> bool:
    """Whether a pair rolls on each other."""
    return a.kind in ROUND or b.kind in ROUND


def _shape_name(collider: Collider, taken: set[str]) -> str:
    clean = re.sub(r"\W", "_", collider.label or f"{collider.kind}_1", flags=re.ASCII)
    clean = clean if not name_fault(clean, in_expressions=False) else f"shape_{clean}"[:60]
    name, k = clean, 2
    while name in taken:
        name, k = f"{clean.removesuffix('_1')}_{k}", k + 1
    return name


def _law(grip: Grip) -> str:
    keys = (("friction", grip.friction), ("drilling_resistance", grip.drilling), ("rolling_resistance", grip.rolling))
    return "".join(f", {key}: {value if isinstance(value, str) else repr(value)}" for key, value in keys if value)


def _listed(pairs: list[str]) -> str:
    more = len(pairs) - LISTED
    return "; ".join(pairs[:LISTED]) + f"; and {more} more" * (more > 0)
