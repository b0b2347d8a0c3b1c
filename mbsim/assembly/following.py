"""The speeds of beams at a start that drivers lead: their nodes follow the drivers as the beams bend the least.

Drivers prescribe speeds at the start, and the constraints alone leave the nodes of beams at rest but for those that are joined to what is
driven. Such a start is a jerk: waves run along the beams for ever where nothing damps them, and steps follow these. So where no speed is
given, the speeds v at the start are those of

    least  1/2 sum (B_e v)' K_e (B_e v) + 1/2 eps v' W v    with    C v + xi = 0

B_e v is the rate of the screw from the first to the second node of element e (`mbsim/elements/loads/beam.py`), K_e its stiffness over its
length. The second sum, W from lengths alone, tells what the strains leave free: that moves the least.
"""

from typing import NamedTuple

import numpy as np

from mbsim.diagnosis.consistent import StartError, assemble_velocity
from mbsim.elements.kinds import BEAM
from mbsim.elements.loads.beam import LENGTH_2, LENGTH_3
from mbsim.kernels.rotations import matrices
from mbsim.system.system import Floats, System

STIFFEST = 1e4  # times the resistance to bending: what elements count as stiff against stretch, in their lengths; more is round-off
LEAST = 1e-9  # of the resistance to bending: eps
MOST = 20_000_000  # numbers of C: of more it is left
SOFT = 1e-12  # of the rows of C, of unit length: what lets rows depend on each other


class _Element(NamedTuple):
    first: int  # bodies; n_b: the ground
    second: int
    stiffness: Floats  # (w, w), of displacements in the element's lengths
    length: float  # m


def follows(system: System) -> bool:
    """Whether a system has beams whose nodes may follow drivers."""
    known = 0 < system.n_rows * system.n_v <= MOST and not system.in_joint_coordinates
    return known and bool((system.arrays.loads[:, 0] == BEAM).any())


def following(system: System, t: float, q: Floats, v: Floats) -> Floats:
    """The speeds (n_v,) with which beams follow drivers at (t, q), where the constraints alone lead to v; v where none are found."""
    elements = [_element(system, k) for k in np.flatnonzero(system.arrays.loads[:, 0] == BEAM).tolist()]
    try:
        found = _least_strained(system, t, q, elements)
        return assemble_velocity(system, t, q, found, np.zeros(system.n_v, bool)) if np.isfinite(found).all() else v
    except (RuntimeError, StartError):  # a singular matrix, as SciPy has it
        return v


def _element(system: System, k: int) -> _Element:
    _, i, j, _ = system.arrays.loads[k].tolist()
    w, numbers = (3 if system.dimension == 2 else 6), system.arrays.load_data[k]
    K, length = np.array(numbers[: w * w]).reshape(w, w), float(numbers[LENGTH_2 if w == 3 else LENGTH_3])
    along = 2 if w == 3 else 3  # how many displacements there are
    units = np.where(np.arange(w) < along, length, 1.0)
    scaled = K * np.outer(units, units)
    bends = float(np.diagonal(scaled)[along:].max())
    stretch = np.sqrt(np.minimum(1.0, STIFFEST * bends / np.maximum(np.diagonal(scaled), 1e-300)))
    return _Element(i, j, scaled * np.outer(stretch, stretch) / bends, length)


def _least_strained(system: System, t: float, q: Floats, elements: list[_Element]) -> Floats:
    from scipy.sparse import block_array, coo_array, csc_array, diags_array, eye_array
    from scipy.sparse.linalg import splu

    n, w, count = system.n_v, (3 if system.dimension == 2 else 6), len(system.bodies)
    rows, columns, values = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for one in elements:
        parts = [(body, B) for body, B in zip((one.first, one.second), _rates(system, q, one), strict=True) if 0 <= body < count]
        for body, B in parts:
            for other, A in parts:
                block = B.T @ one.stiffness @ A
                at, to = np.meshgrid(w * body + np.arange(w), w * other + np.arange(w), indexing="ij")
                rows, columns, values = [*rows, at.ravel()], [*columns, to.ravel()], [*values, block.ravel()]
    H = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n, n))
    size = float(np.mean([one.length for one in elements]))
    slides = np.array([unit.startswith("m") for unit in system.speed_units], bool)
    C, xi = np.zeros((system.n_rows, n)), np.zeros(system.n_rows)
    system.functions.constraints(system.arrays, t, np.ascontiguousarray(q), C, xi)
    lengths = np.sqrt(np.einsum("ij,ij->i", C, C))
    scale = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    C = csc_array(C * scale[:, None])
    rest = diags_array(LEAST * np.where(slides, 1.0 / size**2, 1.0))
    K = block_array([[H + rest, C.T], [C, -SOFT * eye_array(len(xi))]], format="csc")
    return np.asarray(splu(K).solve(np.concatenate([np.zeros(n), -scale * xi]))[:n])


def _rates(system: System, q: Floats, one: _Element) -> tuple[Floats, Floats]:
    """B (w, w) of the speeds of the first and of the second node: the rate of the screw, displacements over the element's length.

    It is seen from the frame of the first node, about which the mean of both angular velocities turns.
    """
    R, places = np.eye(3), list[Floats]()
    turns = [np.eye(3), np.eye(3)]  # of the axes of angular velocities
    for k, body in enumerate((one.first, one.second)):
        if system.dimension == 2:
            own = q[3 * body : 3 * body + 3]
            places.append(np.array([own[0], own[1], 0.0]))
            c, s = np.cos(own[2]), np.sin(own[2])
            axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        else:
            own = q[7 * body : 7 * body + 7]
            places.append(own[:3])
            turns[k] = axes = matrices(own[3:])
        R = axes if k == 0 else R
    r = places[1] - places[0]
    across = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])  # r x
    found = []
    for sign, turn in zip((-1.0, 1.0), turns, strict=True):
        B = np.zeros((6, 6))
        B[:3, :3] = sign * R.T / one.length
        B[:3, 3:] = 0.5 * R.T @ across @ turn / one.length  # -(w/2) x r
        B[3:, 3:] = sign * R.T @ turn
        found.append(B if system.dimension == 3 else B[np.ix_((0, 1, 5), (0, 1, 5))])
    return found[0], found[1]
