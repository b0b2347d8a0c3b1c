"""What elastic parts look like: their nodes, which move with the frame of the part and its modes, and lines between them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LONGEST = 1e15  # m
MOST = 4000  # lines that are drawn


class Elastic(NamedTuple):
    """An elastic part."""

    name: str
    bodies: list[int]  # its frame, in its mean axes, its interfaces, and what carries its modes: none is drawn of itself
    carriers: list[int]  # of these the last ones, with three modal coordinates each
    nodes: Floats  # (n, 3) m, axes of the frame
    shapes: Floats  # (n, 3, modes) displacements per unit of a modal coordinate
    lines: NDArray[np.int64]  # (k, 2) of nodes
    held: float = np.inf  # rad/s, the lowest frequency with the first interface held
    loose: float = 1.0  # share of the mass that stations do not carry
    interfaces: int = 0  # how many of the bodies are interfaces
    points: tuple[str, ...] = ()  # names of points at which stresses are known
    spots: Floats = np.zeros((0, 3))  # (p, 3) where these are, m, axes of the frame; none where it is not known
    stress: Floats = np.zeros((0, 6, 0))  # (p, 6, modes) xx, yy, zz, xy, yz, zx per unit of a modal coordinate, Pa/m

    def places(self, position: Floats, A: Floats) -> Floats:
        """Places (k, n, 3) of its nodes, global; of the places (k, bodies, 3) of bodies, and A (k, 3, 3) of its frame."""
        eta = self._coordinates(position, self.shapes.shape[2])
        moved = self.nodes + np.einsum("ncm,km->knc", self.shapes, eta)
        return np.asarray(np.einsum("kij,knj->kni", A, moved) + position[:, self.bodies[0]][:, None])

    def stresses(self, position: Floats) -> Floats:
        """(k, p, 6) at its points, axes of the frame, Pa; of the places (k, bodies, 3) of bodies."""
        return np.asarray(np.einsum("pcm,km->kpc", self.stress, self._coordinates(position, self.stress.shape[2])))

    def _coordinates(self, position: Floats, count: int) -> Floats:
        """(k, count) modal coordinates, m."""
        return position[:, self.carriers].reshape(len(position), -1)[:, :count]

    def ends(self, line: int, position: Floats, A: Floats) -> tuple[Floats, Floats]:
        """(k, 3) both ends of a line, likewise."""
        pair = self.lines[line]
        found = self._replace(nodes=self.nodes[pair], shapes=self.shapes[pair]).places(position, A)
        return found[:, 0], found[:, 1]


def described(model: Any, names: list[str]) -> list[dict[str, Any]]:
    """The elastic parts of a model as plain data; bodies by their places among `names`. Of nodes those that lines meet."""
    found = []
    for name, part in model.elastic.items():
        nodes, lines = part.drawn()
        lines = np.asarray(lines, np.int64).reshape(-1, 2)[:MOST]
        kept, ends = np.unique(lines, return_inverse=True)
        first = [names.index(body) for body in part.bodies]
        found.append({
            "name": name, "bodies": first, "carriers": first[1 + len(part.seats) :], "nodes": (nodes[kept] - part.reduced.centre).tolist(),
            "shapes": part.reduced.node_shapes[kept].tolist(), "lines": ends.reshape(-1, 2).tolist(),
            "held": min(part.reduced.held, LONGEST), "loose": part.reduced.loose, "interfaces": len(part.frames),
            "points": list(part.reduced.points), "stress": part.reduced.stress.tolist(),
            "spots": (part.reduced.spots - part.reduced.centre).tolist(),
        })  # fmt: skip
    return found


def read_elastic(given: dict[str, Any], bodies: int) -> Elastic:
    """One of these. Raises ValueError, TypeError or KeyError where it is damaged."""
    carriers = [int(b) for b in given["carriers"]]
    nodes, lines = np.array(given["nodes"], float).reshape(-1, 3), np.array(given["lines"], np.int64).reshape(-1, 2)
    shapes = np.array(given["shapes"], float).reshape(len(nodes), 3, -1) if len(nodes) else np.zeros((0, 3, 0))
    own = [int(b) for b in given["bodies"]]
    sound = bool(own) and all(0 <= b < bodies for b in (*own, *carriers)) and shapes.shape[2] <= 3 * len(carriers)
    sound = sound and (not lines.size or 0 <= lines.min() <= lines.max() < len(nodes))
    if not sound or not (np.abs(nodes) < LONGEST).all() or not (np.abs(shapes) < LONGEST).all():
        raise ValueError("an elastic part has bodies, nodes or lines that there are not")
    held, loose = float(given.get("held", np.inf)), float(given.get("loose", 1.0))
    if not (held > 0.0 and 0.0 <= loose <= 1.0):
        raise ValueError("an elastic part has a frequency or a share of its mass that cannot be")
    points, interfaces = tuple(map(str, given.get("points", ()))), int(given.get("interfaces", 0))
    stress = np.array(given.get("stress", ()), float).reshape(len(points), 6, -1) if points else np.zeros((0, 6, 0))
    if not 0 <= interfaces < len(own) or stress.shape[2] > 3 * len(carriers) or not np.isfinite(stress).all():
        raise ValueError("an elastic part has interfaces or stresses that cannot be")
    spots = np.array(given.get("spots", ()), float).reshape(-1, 3)
    if len(spots) not in (0, len(points)) or not (np.abs(spots) < LONGEST).all():
        raise ValueError("an elastic part has stresses at places that cannot be")
    return Elastic(str(given["name"]), own, carriers, nodes, shapes, lines, held, loose, interfaces, points, spots, stress)
