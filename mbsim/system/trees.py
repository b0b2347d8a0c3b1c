"""The nodes of a tree (`mbsim.kernels.trees`) from bodies in the reference configuration and the joints between them; plain numpy.

`mbsim.model.spanning` says which joints make up the tree. Nodes are numbered depth first from the ground out. A body that nothing joins
to the ground gets a free motion of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mbsim.kernels import tree_columns as columns
from mbsim.kernels.primitives import BALL, FREE, HELICAL, PRISMATIC, REVOLUTE, WELD, Motion
from mbsim.kernels.rotations import quaternions
from mbsim.model.spanning import Edge, spanning
from mbsim.system.system import Floats

BLURRED = 1e-6  # of the farthest reference coordinate: BLUR; 1e-14 of it, times RANK_TOLERANCE, is how exactly points are given
SPEEDS = {WELD: 0, REVOLUTE: 1, PRISMATIC: 1, HELICAL: 1, BALL: 3, FREE: 6}


@dataclass(frozen=True, eq=False)
class Link:
    """A joint between bodies i and j (index n_b: the ground)."""

    name: str
    i: int
    j: int
    motions: Sequence[Motion]
    points: tuple[Floats, Floats]  # (3,) of each body, in its axes from its centre of mass
    frames: tuple[Floats, Floats]  # (3, 3) rows x, y, z of the joint's frame on each, global, reference configuration
    pitch: float = 0.0
    rotor: float = 0.0  # inertia of a rotor that turns with each of its speeds; only of a joint of the tree
    cut: bool = False
    floating: bool = False  # leaves everything free
    coupled: bool = False  # a gear is at its coordinate

    @property
    def preferred(self) -> bool:
        """Of two joints with equally many freedoms, rather one of the tree."""
        return self.coupled or self.rotor != 0.0


@dataclass
class Tree:
    """The tables, the names, and where each joint's coordinates and reaction are."""

    table: np.ndarray
    data: Floats
    coordinates: list[str]
    coordinate_units: list[str]
    speeds: list[str]
    speed_units: list[str]
    q: Floats  # of the reference configuration
    order: list[Link]  # the tree's joints, by the bodies they carry
    cuts: list[Link]
    nodes: dict[str, int] = field(default_factory=dict)  # joint -> its last node
    parents: dict[str, int] = field(default_factory=dict)  # joint -> its body nearer to the ground


def _spanning(links: Sequence[Link]) -> tuple[list[Link], list[Link]]:
    """The joints of the tree, and those that close loops."""
    of = {link.name: link for link in links}
    edges = [
        Edge(link.name, link.i, link.j, 6 if link.floating else sum(SPEEDS[m.kind] for m in link.motions), link.cut, link.preferred)
        for link in links
    ]
    kept, cut = spanning(edges)
    return [of[name] for name in kept], [of[name] for name in cut]


def build(names: Sequence[str], bodies: Sequence[tuple[float, Floats, Floats, Floats]], links: Sequence[Link], planar: bool) -> Tree:
    """The tree of `bodies`: mass, inertia (3, 3) in body axes, position (3,) and attitude (3, 3) in the reference configuration."""
    n_b = len(bodies)
    kept, cuts = _spanning(links)
    at: list[list[Link]] = [[] for _ in range(n_b + 1)]
    for link in kept:
        at[link.i].append(link)
        at[link.j].append(link)
    maker = _Maker(names, bodies, planar)
    points = [body[2] for body in bodies] + [maker.global_point(b, p) for x in links for b, p in zip((x.i, x.j), x.points, strict=True)]
    seen = [False] * n_b + [True]
    for start in [n_b, *range(n_b)]:
        if start < n_b and seen[start]:
            continue
        if start < n_b:
            zero = np.zeros(3)
            maker.free(Link(names[start], n_b, start, [], (zero, zero), (np.eye(3), np.eye(3)), floating=True), start)
            seen[start] = True
        stack = [(start, link) for link in reversed(at[start])]
        while stack:
            parent, link = stack.pop()
            child = link.j if link.i == parent else link.i
            if seen[child]:
                continue
            seen[child] = True
            if link.floating:
                maker.free(link, child)
            else:
                maker.joint(link, parent, child)
            stack += [(child, other) for other in reversed(at[child]) if other is not link]
    found = maker.tree(cuts)
    found.data[:, columns.BLUR] = BLURRED * max(float(np.abs(point).max()) for point in points)
    return found


class _Maker:
    """Appends node after node."""

    def __init__(self, names: Sequence[str], bodies: Sequence[tuple[float, Floats, Floats, Floats]], planar: bool) -> None:
        self.names, self.bodies, self.planar = names, bodies, planar
        self.rows: list[list[int]] = []
        self.data: list[Floats] = []
        self.axes: list[Floats] = []  # global <- node, reference configuration
        self.turns: list[float] = []  # planar angle in the reference configuration
        self.node_of: dict[int, int] = {len(bodies): -1}
        self.centres: dict[int, Floats] = {len(bodies): np.zeros(3)}  # centre of mass from its node's origin, node axes
        self.q: list[float] = []
        self.made = Tree(np.zeros(0), np.zeros(0), [], [], [], [], np.zeros(0), [], [])

    def joint(self, link: Link, parent: int, child: int) -> None:
        """The nodes of a joint: from its point on the parent to that on the child."""
        reverse = link.i != parent
        up, down = (1, 0) if reverse else (0, 1)
        node = self.node_of[parent]
        axes_up = self.axes[node] if node >= 0 else np.eye(3)
        attitude_up = self.bodies[parent][3] if node >= 0 else np.eye(3)
        origin = self.centres[parent] + axes_up.T @ attitude_up @ link.points[up]
        apart = self.global_point(link.j, link.points[1]) - self.global_point(link.i, link.points[0])
        first, previous, inner = len(self.rows), node, node
        motions = list(reversed(link.motions)) if reverse else list(link.motions)
        for motion in motions or [Motion(WELD)]:
            axes = self._axes(link, motion, reverse, child)
            d = np.zeros(columns.CONSTANTS)
            d[columns.ROTATION_0 : columns.ROTATION_0 + 9] = (axes.T @ axes_up).reshape(-1)
            d[columns.POSITION_0 : columns.POSITION_0 + 3] = origin
            d[columns.PITCH], d[columns.ROTOR] = link.pitch, link.rotor
            slid = float(apart @ (-axes[:, 2] if reverse else axes[:, 2])) if motion.kind == PRISMATIC else 0.0
            self._node(motion, link.name, d, axes, previous, [slid])
            axes_up, origin, previous = axes, np.zeros(3), len(self.rows) - 1
        arm = self.axes[previous].T @ self.bodies[child][3] @ link.points[down]
        self._carry(link, child, parent, -arm, len(self.rows) - first, inner)

    def free(self, link: Link, child: int) -> None:
        """A free body's coordinates are its own pose, whatever the joint's other body."""
        n_b = len(self.bodies)
        _, _, position, attitude = self.bodies[child]
        first, d = len(self.rows), np.zeros(columns.CONSTANTS)
        d[columns.ROTATION_0 : columns.ROTATION_0 + 9] = np.eye(3).reshape(-1)
        if not self.planar:
            self._node(Motion(FREE), link.name, d, attitude, -1, [*map(float, position), *map(float, quaternions(attitude))])
        else:
            angle = float(np.arctan2(attitude[1, 0], attitude[0, 0]))
            steps = [("x", np.eye(3)[[1, 2, 0]].T, PRISMATIC), ("y", np.eye(3)[[2, 0, 1]].T, PRISMATIC), ("angle", np.eye(3), REVOLUTE)]
            up, previous = np.eye(3), -1
            for k, (name, axes, kind) in enumerate(steps):
                e = d.copy()
                e[columns.ROTATION_0 : columns.ROTATION_0 + 9] = (axes.T @ up).reshape(-1)
                turned = attitude if kind == REVOLUTE else axes
                self._node(Motion(kind, "z", 0, name), link.name, e, turned, previous, [[*position[:2], angle][k]])
                up, previous = axes, len(self.rows) - 1
        self._carry(link, child, n_b, np.zeros(3), len(self.rows) - first, -1)

    def global_point(self, body: int, point: Floats) -> Floats:
        """A point (3,) of a body in the global frame, reference configuration."""
        return point if body == len(self.bodies) else self.bodies[body][2] + self.bodies[body][3] @ point

    def _axes(self, link: Link, motion: Motion, reverse: bool, child: int) -> Floats:
        """Node axes in the reference configuration, columns in the global frame, z along the motion; -z of one run through backwards."""
        if motion.kind == BALL:
            return self.bodies[child][3]
        x, y, z = np.roll(link.frames[motion.frame], {"z": 0, "x": -1, "y": -2}[motion.axis], axis=0)
        return np.array([y, x, -z] if reverse else [x, y, z]).T

    def _node(self, motion: Motion, joint: str, d: Floats, axes: Floats, parent: int, q: list[float]) -> None:
        made, kind = self.made, motion.kind
        before = self.turns[parent] if parent >= 0 else 0.0
        sign = float(np.sign(axes[2, 2])) if kind == REVOLUTE and self.planar else 0.0
        d[columns.SIGN] = sign
        self.turns.append(before + sign * q[0] if kind == REVOLUTE else before)
        self.rows.append([kind, parent, len(self.q), len(made.speeds), -1, -1, 0, -1, 0, -1, 0])
        self.data.append(d)
        self.axes.append(axes)
        names, units = [f"{joint}.{motion.name}"], ["m" if kind == PRISMATIC else "rad"]
        speeds = [f"der({name})" for name in names]
        if kind == BALL:
            names, units, speeds, q = [f"{joint}.q{c}" for c in "wxyz"], ["1"] * 4, [], [1.0, 0.0, 0.0, 0.0]
        elif kind == FREE:
            names, units = [f"{joint}.{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz")], ["m"] * 3 + ["1"] * 4
            speeds = [f"der({joint}.{c})" for c in "xyz"]
        elif kind == WELD:
            names, units, speeds, q = [], [], [], []
        if kind in (BALL, FREE):
            speeds = speeds + [f"{joint}.omega.{c}" for c in "xyz"]
        made.coordinates += names
        made.coordinate_units += units
        made.speeds += speeds
        made.speed_units += ["rad s-1" if "omega" in s or units[0] == "rad" else "m s-1" for s in speeds]
        self.q += q

    def _carry(self, link: Link, child: int, parent: int, centre: Floats, nodes: int, inner: int) -> None:
        """Put the body on the last node: its inertia about the node's origin, in node axes."""
        mass, inertia, _, attitude = self.bodies[child]
        last, d = len(self.rows) - 1, self.data[-1]
        R = self.axes[last].T @ attitude
        c = centre
        I = R @ inertia @ R.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
        d[columns.MASS] = mass
        d[columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3] = mass * c
        d[columns.INERTIA : columns.INERTIA + 6] = I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        d[columns.AXES : columns.AXES + 9] = R.reshape(-1)
        d[columns.CENTRE : columns.CENTRE + 3] = c
        if self.planar:
            d[columns.OFFSET] = float(np.arctan2(attitude[1, 0], attitude[0, 0])) - self.turns[last]
        speeds = sum(SPEEDS[self.rows[k][columns.KIND]] for k in range(last - nodes + 1, last + 1))
        self.rows[last][columns.BODY : columns.SPEEDS + 1] = [child, len(self.made.order), nodes, inner, speeds]
        self.rows[last][columns.UNKNOWNS] = 6 if link.rotor else 6 - speeds
        self.node_of[child], self.centres[child] = last, c
        self.made.order.append(link)
        self.made.nodes[link.name], self.made.parents[link.name] = last, parent

    def tree(self, cuts: list[Link]) -> Tree:
        made = self.made
        made.table = np.array(self.rows, np.int64).reshape(-1, columns.COLUMNS)
        for body, node in self.node_of.items():
            if node >= 0:
                made.table[body, columns.NODE_OF] = node
        made.data = np.array(self.data)
        made.q, made.cuts = np.array(self.q), cuts
        return made
