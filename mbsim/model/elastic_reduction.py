"""The Craig-Bampton reduction of an elastic part about its mean axes.

Nodes of an interface move as one rigid frame. The shapes of the part are those of unit motions of the interface frames, and p modes with
the interfaces held: R. R. Craig, M. C. C. Bampton, Coupling of substructures for dynamic analyses, AIAA J. 6 (1968) 1313-1319. On these the
small problem K s = omega^2 M s has six rigid solutions. The others have no momentum and no moment of momentum: they are measured from mean
axes, about the centre of mass (J. R. Canavin, P. W. Likins, Floating reference frames for flexible spacecraft, J. Spacecraft Rockets 14
(1977) 724-732). So the mass of the part is a rigid body, and the same number for each modal coordinate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigh, qr, solve_triangular
from scipy.sparse import csc_array

from mbsim.model.elastic_stations import Line, Motions, arranged, check_straight, layer, layers, line_of, lobatto, shares, shortening

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DENSE = 600  # unknowns up to which the modes are found with dense matrices
SYMMETRY = 1e-6  # of the largest entry: what a file with seven digits leaves
UNSTRESSED = 1e-6  # of the largest entry: what rigid motions have of stress
HELD = 1e-6  # of the lowest eigenvalue: that of a rigid motion, which should be 0
LOOSE = 1e-12  # of the largest eigenvalue: below it a motion is not held at all
LEFT = 0.5  # of the mass that interface bodies could take at most
TURNS = "could turn without its nodes: it needs three nodes that are not in a line, or one with degrees of freedom that turn"


class PartError(ValueError):
    """What is wrong with the matrices of a part."""


@dataclass(frozen=True, eq=False)
class Part:
    """A linear elastic part that is free. SI units, axes of the part."""

    nodes: Floats  # (n, 3) places, m
    dofs: Integers  # (N, 2) of each row of the matrices its node, from 0, and its direction: 0 to 2 along, 3 to 5 about x, y, z
    mass: csc_array  # (N, N) kg, kg m, kg m^2
    stiffness: csc_array  # (N, N) N/m, N, N m
    lines: Integers  # (k, 2) nodes between which lines are drawn
    stress: csc_array | None = None  # (6 p, N) from the degrees of freedom to stresses xx, yy, zz, xy, yz, zx at points, Pa/m
    points: tuple[str, ...] = ()  # names (p,)
    at_nodes: tuple[int, ...] = ()  # (p,) where these are; none where it is not known


class Frame(NamedTuple):
    """An interface: nodes that move as one rigid frame."""

    nodes: Integers  # (k,)
    place: Floats  # (3,) of its origin, m


@dataclass(frozen=True, eq=False)
class Reduced:
    """A part as a rigid body, modal coordinates eta (m) and the bodies of k interfaces and stations. SI units, axes of the part.

    A mode has the mass `mode_mass`, the stiffness mode_mass omega^2, and moves those bodies and nodes by shape times eta. In second order
    body b moves by eta' curves[b] eta in the direction `along`.
    """

    total: float  # kg, of the whole part
    mass: float  # kg, less that of the bodies of interfaces and stations
    centre: Floats  # (3,) of that mass
    inertia: Floats  # (3, 3) about `centre`
    places: Floats  # (k, 3) of interfaces, then stations, m
    interface_masses: Floats  # (k,) kg
    interface_inertias: Floats  # (k,) kg m^2, about any axis
    mode_mass: float  # kg, of each mode
    omegas: Floats  # (n,) rad/s, ascending, of what is no interface and no station
    heavier: Floats  # (n,) by how much more all of the part moves in a mode than what is no station
    shapes: Floats  # (k, 6, n) displacement per m, small turn in rad/m
    node_shapes: Floats  # (n_nodes, 3, n) of the nodes, displacement per m
    along: Floats  # (3,) unit vector
    curves: Floats  # (k, n, n) 1/m, symmetric; without stations (0, n, n)
    held: float  # rad/s, lowest frequency with the first interface held
    points: tuple[str, ...]  # names (p,)
    stress: Floats  # (p, 6, n) at these, Pa per m of a modal coordinate
    spots: Floats  # (p, 3) where these are, m; (0, 3) where it is not known

    @property
    def loose(self) -> float:
        """The share of the mass that no station carries; 1 without stations, whatever interfaces carry."""
        return self.mass / self.total if len(self.curves) else 1.0


def checked(part: Part) -> Part:
    """The part with matrices that are symmetric to the last digit. Raises PartError."""
    n = len(part.dofs)
    made = []
    for what, matrix in (("mass", part.mass), ("stiffness", part.stiffness)):
        if matrix.shape != (n, n):
            raise PartError(f"the {what} matrix is {matrix.shape[0]} x {matrix.shape[1]}, and there are {n} degrees of freedom")
        if not np.isfinite(matrix.data).all():
            raise PartError(f"the {what} matrix has entries that are not finite")
        size = float(abs(matrix).max()) if matrix.nnz else 0.0
        if size == 0.0:
            raise PartError(f"the {what} matrix is zero")
        off = float(abs(matrix - matrix.T).max())
        if off > SYMMETRY * size:
            raise PartError(f"the {what} matrix is not symmetric: entries differ by {off:.3g}, the largest is {size:.3g}")
        made.append(csc_array(0.5 * (matrix + matrix.T)))
    return replace(part, mass=made[0], stiffness=made[1])


def rigid_motions(nodes: Floats, dofs: Integers, about: Floats) -> Floats:
    """(N, 6) what the degrees of freedom do in unit translations along and unit turns about x, y, z through a place (3,)."""
    found = np.zeros((len(dofs), 6))
    for c in range(3):
        found[dofs[:, 1] == c, c] = 1.0
        found[dofs[:, 1] == 3 + c, 3 + c] = 1.0
    arms = nodes[dofs[:, 0]] - about
    for c in range(3):
        along = dofs[:, 1] == c
        for r in range(3):
            found[along, 3 + r] = np.cross(np.eye(3)[r], arms[along])[:, c]
    return found


def reduce(part: Part, interfaces: dict[str, Frame], modes: int, stations: int | Sequence[Frame] = 0) -> Reduced:
    """The part with so many fixed-interface modes, and stations along its line, as many or these. Raises PartError, StationError."""
    part = checked(part)
    names, k = list(interfaces), len(interfaces)
    bound, inner, tie = _ties(part, interfaces)
    shapes, lowest = _shapes(part, bound, inner, tie, modes)
    M, K = (np.asarray(shapes.T @ (matrix @ shapes)) for matrix in (part.mass, part.stiffness))
    M, K = 0.5 * (M + M.T), 0.5 * (K + K.T)
    K[: 6 * k, 6 * k :] = K[6 * k :, : 6 * k] = 0.0  # K-orthogonal but for round-off
    if modes:
        K[6 * k :, 6 * k :] = np.diag(lowest)
    masses, inertias = _interface_bodies(M, names)
    R = np.zeros((6 * k + modes, 6))
    for i, frame in enumerate(interfaces.values()):
        R[6 * i : 6 * i + 6] = rigid_motions(frame.place[None], np.array([(0, c) for c in range(6)]), np.zeros(3))
    line = None
    if stations:
        _free_modes(M, K, R)  # says what is wrong with the matrices
    if isinstance(stations, int):
        stations = _sections(part, interfaces, shapes, M, K, stations) if stations else []
    if stations:
        line = _line(part, interfaces)[0]
        check_straight(line, np.array([station.place for station in stations]))
    blocks = np.zeros((k + len(stations), 6, len(M)))
    blocks[:k] = np.eye(6 * k, len(M)).reshape(k, 6, -1)
    for i, station in enumerate(stations):
        blocks[k + i] = _motion(part, station, f"station {i + 1}") @ shapes[_rows(part, station)]
    if stations:
        masses, inertias = shares(M, K, blocks)
    sizes = np.stack([masses] * 3 + [inertias] * 3, axis=1)
    own = np.einsum("bci,bc,bcj->ij", blocks, sizes, blocks)
    total, _, _ = _rigid_body(R.T @ M @ R)
    rest = M - own
    mass, centre, inertia = _rigid_body(R.T @ rest @ R)
    omegas, V = _free_modes(rest, K, R)
    heavier = np.einsum("im,ij,jm->m", V, M, V) if stations else np.ones(len(omegas))
    mode_mass = total / float(np.median(heavier))
    V = V * np.sqrt(mode_mass)
    moved, bodies = shapes @ V, blocks @ V
    places = np.array([frame.place for frame in (*interfaces.values(), *stations)])
    curves = np.zeros((0, len(omegas), len(omegas))) if line is None else shortening(line, places, bodies, masses)
    node_shapes = np.zeros((len(part.nodes), 3, len(omegas)))
    along = part.dofs[:, 1] < 3
    node_shapes[part.dofs[along, 0], part.dofs[along, 1]] = moved[along]
    return Reduced(
        total, mass, centre, inertia, places, masses, inertias, mode_mass, omegas, heavier, bodies, node_shapes,
        np.zeros(3) if line is None else line.along, curves, _held(M, K), part.points, _stresses(part, moved),
        part.nodes[list(part.at_nodes)],
    )  # fmt: skip


def _held(M: Floats, K: Floats) -> float:
    """The lowest frequency (rad/s) with the first interface held; infinite where nothing is left to move."""
    if len(M) == 6:
        return np.inf
    return float(np.sqrt(max(eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[0], 0.0)))


def _stresses(part: Part, moved: Floats) -> Floats:
    """(p, 6, n) stresses of shapes (N, n). Raises PartError where rigid motions have any."""
    if part.stress is None:
        return np.zeros((0, 6, moved.shape[1]))
    found = np.asarray(part.stress @ moved)
    rigid = np.asarray(part.stress @ rigid_motions(part.nodes, part.dofs, part.nodes.mean(axis=0)))
    spread = np.abs(part.nodes - part.nodes.mean(axis=0)).max()
    off = float(np.abs(rigid / np.array([1.0, 1.0, 1.0, spread, spread, spread])).max(initial=0.0))
    most = float(np.abs(part.stress).max()) if part.stress.nnz else 0.0
    if off > UNSTRESSED * most:
        raise PartError(f"'stress' gives {off:.3g} Pa to a rigid motion of 1 m, which has none (a single node gives up to {most:.3g})")
    return found.reshape(len(part.points), 6, -1)


def _rows(part: Part, frame: Frame) -> Integers:
    """The degrees of freedom of a frame's nodes by which it is moved: those of displacements where they determine its turn, else all."""
    of = np.isin(part.dofs[:, 0], frame.nodes)
    along = np.flatnonzero(of & (part.dofs[:, 1] < 3))
    return along if turns(part, frame, along) else np.flatnonzero(of)


def turns(part: Part, frame: Frame, rows: Integers) -> bool:
    """Whether these degrees of freedom determine how a rigid frame moves."""
    reach = float(np.linalg.norm(part.nodes[frame.nodes] - frame.place, axis=1).max(initial=0.0)) or 1.0
    scaled = rigid_motions(part.nodes, part.dofs[rows], frame.place) / np.array([1.0, 1.0, 1.0, reach, reach, reach])
    return len(rows) >= 6 and bool(np.linalg.svd(scaled, compute_uv=False)[-1] > 1e-6)


def _motion(part: Part, frame: Frame, name: str) -> Floats:
    """(6, r) the mean rigid motion of a frame by its degrees of freedom `_rows`, by least squares."""
    rows = _rows(part, frame)
    if not turns(part, frame, rows):
        raise PartError(f"{name} {TURNS}")
    return np.asarray(np.linalg.pinv(rigid_motions(part.nodes, part.dofs[rows], frame.place)), float)


def _sections(part: Part, interfaces: dict[str, Frame], shapes: Floats, M: Floats, K: Floats, count: int) -> list[Frame]:
    """So many stations of a part along its line; M and K are those of the shapes. Raises StationError, PartError."""
    line, both = _line(part, interfaces)
    free = ~np.isin(np.arange(len(part.nodes)), np.concatenate([frame.nodes for frame in interfaces.values()]))
    apart = float(np.diff(lobatto(count, both), prepend=0.0).min())
    motions = Motions(M, K)

    def turn(nodes: Integers) -> bool:
        return turns(part, framed(part, nodes), _rows(part, framed(part, nodes)))

    @cache
    def section(k: int) -> Frame:
        return framed(part, layer(part.nodes, free, line, float(found[k]), apart, turn))

    @cache
    def moved(k: int) -> Floats:
        return motions.inertia((_motion(part, section(k), f"station {k + 1}") @ shapes[_rows(part, section(k))])[:3])

    found = layers(part.nodes, free, line)
    ends = np.array([motions.inertia(np.eye(len(M))[6 * i : 6 * i + 3]) for i in range(len(interfaces))])
    return [section(k) for k in arranged(found, count, both, motions.weights, moved, ends)]


def _line(part: Part, interfaces: dict[str, Frame]) -> tuple[Line, bool]:
    return line_of(part.nodes, np.array([frame.place for frame in interfaces.values()]))


def framed(part: Part, nodes: Integers) -> Frame:
    """Nodes as a frame at their mean place."""
    return Frame(nodes, part.nodes[nodes].mean(axis=0))


def _ties(part: Part, interfaces: dict[str, Frame]) -> tuple[Integers, Integers, Floats]:
    """The degrees of freedom (b,) of interfaces and (i,) others, and what the first do (b, 6 k) in unit motions of the frames."""
    owner = np.full(len(part.nodes), -1)
    for i, (name, frame) in enumerate(interfaces.items()):
        taken = frame.nodes[owner[frame.nodes] >= 0]
        if taken.size:
            other = list(interfaces)[owner[taken[0]]]
            raise PartError(f"the node {taken[0]} is in two interfaces, {other} and {name}")
        owner[frame.nodes] = i
    of = owner[part.dofs[:, 0]]
    bound, inner = np.flatnonzero(of >= 0), np.flatnonzero(of < 0)
    tie = np.zeros((len(bound), 6 * len(interfaces)))
    for i, (name, frame) in enumerate(interfaces.items()):
        here = of[bound] == i
        if not turns(part, frame, bound[here]):
            raise PartError(f"the interface {name} {TURNS}")
        tie[here, 6 * i : 6 * i + 6] = rigid_motions(part.nodes, part.dofs[bound[here]], frame.place)
    return bound, inner, tie


def _shapes(part: Part, bound: Integers, inner: Integers, tie: Floats, modes: int) -> tuple[Floats, Floats]:
    """(N, 6 k + p) the static shapes of the interface frames and the modes with these held, and the eigenvalues (p,) of the latter."""
    from scipy.sparse.linalg import splu

    n = len(inner)
    shapes = np.zeros((len(part.dofs), tie.shape[1] + modes))
    shapes[bound, : tie.shape[1]] = tie
    if modes > n:
        raise PartError(f"there are {n} degrees of freedom inside of the interfaces, and so no {modes} modes")
    if not n:
        return shapes, np.zeros(0)
    K = csc_array(part.stiffness[inner][:, inner])
    M = csc_array(part.mass[inner][:, inner])
    try:
        factor = splu(K)
    except RuntimeError:
        raise PartError("with its interfaces held a piece of the part is still free: the stiffness matrix is singular") from None
    load = np.asarray(part.stiffness[inner][:, bound] @ tie)
    static = -factor.solve(load)
    off = load + K @ static  # one step of refinement
    static -= factor.solve(off)
    if not np.isfinite(static).all():
        raise PartError("with its interfaces held a piece of the part is still free: the stiffness matrix is singular")
    shapes[inner, : tie.shape[1]] = static
    if not modes:
        return shapes, np.zeros(0)
    eigenvalues, found = _fixed_modes(K, M, modes)
    shapes[inner, tie.shape[1] :] = found
    return shapes, eigenvalues


def _fixed_modes(K: csc_array, M: csc_array, modes: int) -> tuple[Floats, Floats]:
    """The lowest eigenvalues (p,) and vectors (n, p), M-orthonormal, of K s = omega^2 M s; M may be singular."""
    n = K.shape[0]
    if n <= DENSE or modes >= n - 1:
        try:
            inverse, found = eigh(M.toarray(), K.toarray(), subset_by_index=[n - modes, n - 1])
        except LinAlgError:
            raise PartError("the stiffness matrix has negative eigenvalues with the interfaces held, or a piece is free") from None
    else:
        from scipy.sparse.linalg import eigsh

        values, found = eigsh(K, modes, M, sigma=0.0, which="LM", v0=np.random.default_rng(1).standard_normal(n))
        inverse = 1.0 / values
        found = found / np.sqrt(values)  # K-orthonormal, as above
    if inverse.min() <= 0.0:
        raise PartError(f"fewer than {modes} modes have a mass, or a stiffness that is positive: ask for fewer `modes`")
    order = np.argsort(-inverse)
    return 1.0 / inverse[order], found[:, order] / np.sqrt(inverse[order])


def _interface_bodies(M: Floats, names: list[str]) -> tuple[Floats, Floats]:
    """Masses (k,) kg and inertias (k,) kg m^2 of bodies at the interfaces, which leave the rest of M (n, n) positive definite."""
    try:
        factor = cho_factor(M, lower=True)
    except LinAlgError:
        values, vectors = eigh(M)
        which = int(np.abs(vectors[: 6 * len(names), 0]).argmax()) // 6
        what = "negative" if values[0] < -LOOSE * values[-1] else "no"
        raise PartError(f"the mass matrix gives {what} mass to a motion of the interface {names[which]}, and a body needs one") from None
    k = 6 * len(names)
    inverse = cho_solve(factor, np.eye(len(M))[:, :k])[:k]
    most = np.array([1.0 / np.linalg.eigvalsh(inverse[at : at + 3, at : at + 3])[-1] for at in range(0, k, 3)])
    root = np.sqrt(np.repeat(most, 3))
    share = LEFT / np.linalg.eigvalsh(root[:, None] * inverse * root)[-1]
    if not share > 0.0 or not np.isfinite(share):
        raise PartError("the mass matrix is singular on the motions of the interfaces")
    return share * most[0::2], share * most[1::2]


def _rigid_body(M: Floats) -> tuple[float, Floats, Floats]:
    """Mass, centre of mass (3,) and inertia (3, 3) about it of the mass matrix (6, 6) of rigid motions about the origin."""
    mass = float(np.trace(M[:3, :3])) / 3.0
    moment = M[3:, :3]  # m c x: of the velocity of the centre, turned round
    first = 0.5 * np.array([moment[2, 1] - moment[1, 2], moment[0, 2] - moment[2, 0], moment[1, 0] - moment[0, 1]])
    skew = np.array([[0.0, -first[2], first[1]], [first[2], 0.0, -first[0]], [-first[1], first[0], 0.0]])
    reach = np.sqrt(max(float(np.trace(M[3:, 3:])) / max(mass, 1e-300), 0.0))
    if not mass > 0.0 or np.abs(M[:3, :3] - mass * np.eye(3)).max() > 1e-6 * mass or np.abs(moment - skew).max() > 1e-6 * mass * reach:
        raise PartError("the mass matrix is none of a body: moved as a whole, it has another mass along x than along y or z, or no centre")
    centre = first / mass
    inertia = M[3:, 3:] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return mass, centre, 0.5 * (inertia + inertia.T)


def _free_modes(M: Floats, K: Floats, R: Floats) -> tuple[Floats, Floats]:
    """Frequencies (n - 6,), rad/s, ascending, and M-orthonormal shapes (n, n - 6) without momentum; R (n, 6) are the rigid motions."""
    L = cholesky(M, lower=True)
    turned = qr(L.T @ R)[0]
    back = solve_triangular(L, turned, lower=True, trans="T")
    rigid, elastic = back[:, :6], back[:, 6:]
    values, vectors = eigh(elastic.T @ K @ elastic)
    if not len(values):
        raise PartError("one interface and no modes: the part would be rigid; make it one of `bodies`, or give `modes`")
    if values[0] < -LOOSE * values[-1]:
        raise PartError(f"the stiffness matrix has a negative eigenvalue ({values[0]:.3g} rad^2/s^2 of the reduced part)")
    held = np.linalg.eigvalsh(rigid.T @ K @ rigid)
    if values[0] < LOOSE * values[-1]:
        loose = 6 + int((values < LOOSE * values[-1]).sum())
        raise PartError(f"the part has {loose} free motions in place of 6: it has a hinge, or falls into pieces")
    if held[-1] > HELD * values[0]:
        free = int((held <= HELD * values[0]).sum())
        raise PartError(
            f"the part has {free} free motions in place of 6: its stiffness matrix holds it (to {np.sqrt(held[-1]):.3g} rad/s); "
            "leave out supports, and mind the units and places of the nodes"
        )
    return np.sqrt(values), elastic @ vectors
