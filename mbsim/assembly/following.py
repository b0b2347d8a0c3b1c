"""The speeds of beams and elastic parts at a start that drivers or given speeds of other bodies lead: they deform the least.

Such a lead prescribes speeds at the start, and the constraints alone leave the nodes of beams at rest but for those that are joined to what
is led, and stretch and bend elastic parts. That is a jerk: waves run for ever where nothing damps them, and steps follow these. So where no
speeds of their own are given, the speeds v at the start are those of

    least  1/2 sum (B_e v)' K_e (B_e v) + 1/2 sum k_m v_m^2 + 1/2 eps v' W v    with    C v + xi = 0,  v_h as given

B_e v is the rate of the screw from the first to the second node of element e (`mbsim/elements/loads/beam.py`), K_e its stiffness over its
length; v_m is the rate of a modal coordinate of an elastic part (`mbsim/elements/loads/modal.py`), k_m its stiffness over the least one.
The last sum, W from lengths alone, tells what the strains leave free: that moves the least. Its part in the rest is taken off by rounds
with the same factors.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.elements.kinds import BEAM, MODAL
from mbsim.elements.loads.beam import LENGTH_2, LENGTH_3
from mbsim.kernels.rotations import matrices
from mbsim.system.system import Floats, System

STIFFEST = 1e4  # times the resistance to bending over the square of all lengths: what counts as stiff against stretch; more is round-off
LEAST = 1e-4  # of the resistance to bending of all elements in a row: eps
SOFT = 1e-12  # of the rows of C, of unit length: what lets rows depend on each other
ROUNDS = 4  # of the same factors: each takes off what the sums before have left
MET = 1e-12  # of the largest speed, in the unit of rows of unit length: residuals that are round-off
MOST = 20_000_000  # numbers of C: of more it is left


class _Element(NamedTuple):
    first: int  # bodies: all nodes are
    second: int
    stiffness: Floats  # (w, w), of displacements in the element's lengths
    length: float  # m


class _Frame(NamedTuple):
    place: Floats  # (3,) m
    axes: Floats  # (3, 3) of the node, global
    turns: Floats  # (3, 3) of the axes along which its angular velocity is counted, global


def follows(system: System) -> bool:
    """Whether a system has beams or elastic parts that may follow drivers."""
    known = 0 < system.n_rows * system.n_v <= MOST and not system.in_joint_coordinates
    return known and bool(np.isin(system.arrays.loads[:, 0], (BEAM, MODAL)).any())


def following(system: System, t: float, q: Floats, speeds: Floats, held: NDArray[np.bool_]) -> Floats | None:
    """The speeds (n_v,) with which beams and parts follow at (t, q), `speeds` kept where they are `held`.

    None where nothing is led, where speeds of beams or modes are held, and where the rest cannot follow.
    """
    from scipy.sparse import block_array, coo_array, csc_array, diags_array, eye_array, vstack
    from scipy.sparse.linalg import splu

    n, w = system.n_v, (3 if system.dimension == 2 else 6)
    C, xi = np.zeros((system.n_rows, n)), np.zeros(system.n_rows)
    system.functions.constraints(system.arrays, t, np.ascontiguousarray(q), C, xi)
    if not (xi.any() or speeds[held].any()):
        return None
    elements, (modes, stiffness) = _elements(system), _modes(system)
    own = np.zeros((n // w, w), bool)
    own[[body for one in elements for body in (one.first, one.second)]] = True
    own.ravel()[modes] = True
    if (own.ravel() & held).any():
        return None
    size = sum(one.length for one in elements) or _extent(system, q)
    rows, columns, values = [modes], [modes], [stiffness / size**2]
    for one in elements:
        B, places = _rates(system, q, one), np.concatenate([w * body + np.arange(w) for body in (one.first, one.second)])
        at, to = np.meshgrid(places, places, indexing="ij")
        rows.append(at.ravel())
        columns.append(to.ravel())
        values.append((B.T @ one.stiffness @ B).ravel())
    H = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n, n))
    slides = np.array([unit.startswith("m") for unit in system.speed_units], bool)
    rest = LEAST / max(1, len(elements)) ** 2 * np.where(slides, 1.0 / size**2, 1.0)
    lengths = np.sqrt(np.einsum("ij,ij->i", C, C))
    scale = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    kept = np.flatnonzero(held)
    A = vstack([csc_array(C * scale[:, None]), coo_array((np.ones(len(kept)), (np.arange(len(kept)), kept)), (len(kept), n))], format="csc")
    b = np.concatenate([-scale * xi, speeds[kept]])
    try:
        factors = splu(block_array([[H + diags_array(rest), A.T], [A, -SOFT * eye_array(len(b))]], format="csc"))
    except RuntimeError:  # as SciPy says that it is singular
        return None
    v, lam = np.zeros(n), np.zeros(len(b))
    for _ in range(ROUNDS):  # what is left to move is moved the least, from where it is by now
        change = factors.solve(np.concatenate([-(H @ v) - A.T @ lam, b - A @ v]))
        v, lam = v + change[:n], lam + change[n:]
    met = np.abs(A @ v - b).max() <= MET * np.abs(v).max()
    return v if met and np.isfinite(v).all() else None


def _elements(system: System) -> list[_Element]:
    loads, numbers = system.arrays.loads, system.arrays.load_data
    which = np.flatnonzero(loads[:, 0] == BEAM).tolist()
    w, along, place = (3, 2, LENGTH_2) if system.dimension == 2 else (6, 3, LENGTH_3)  # `along`: how many displacements there are
    found = []
    for k in which:
        length = float(numbers[k, place])
        units = np.where(np.arange(w) < along, length, 1.0)
        K = numbers[k, : w * w].reshape(w, w) * np.outer(units, units)
        bends = float(np.diagonal(K)[along:].max())
        most = np.where(np.arange(w) < along, STIFFEST * bends / len(which) ** 2, np.inf)
        less = np.sqrt(np.minimum(1.0, most / np.diagonal(K)))
        found.append(_Element(int(loads[k, 1]), int(loads[k, 2]), K * np.outer(less, less) / bends, length))
    return found


def _modes(system: System) -> tuple[np.ndarray, Floats]:
    """The places in v of the rates of modal coordinates, and their stiffnesses over the least one."""
    which = np.flatnonzero(system.arrays.loads[:, 0] == MODAL)
    places = (6 * system.arrays.loads[which, 2][:, None] + np.arange(3)).ravel().astype(np.int64)
    stiffness = system.arrays.load_data[which, :3].ravel()
    held = stiffness > 0.0
    stiffness = stiffness[held]
    return places[held], np.minimum(stiffness / stiffness.min(initial=np.inf), STIFFEST)


def _extent(system: System, q: Floats) -> float:
    """How far the bodies of a spatial model are apart, m; 1 where they are in one place."""
    places = q.reshape(-1, 7)[:, :3]
    return float(np.ptp(places, axis=0).max()) or 1.0


def _rates(system: System, q: Floats, one: _Element) -> Floats:
    """B (w, 2 w) of the speeds of the first and of the second node: the rate of the screw, displacements over the element's length.

    It is seen from the frame of the first node, about which the mean of both angular velocities turns.
    """
    first, second = (_frame(system, q, body) for body in (one.first, one.second))
    r, R = second.place - first.place, first.axes
    across = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])  # r x
    found = []
    for sign, turns in ((-1.0, first.turns), (1.0, second.turns)):
        B = np.zeros((6, 6))
        B[:3, :3] = sign * R.T / one.length
        B[:3, 3:] = 0.5 * R.T @ across @ turns / one.length  # -(w/2) x r
        B[3:, 3:] = sign * R.T @ turns
        found.append(B if system.dimension == 3 else B[np.ix_((0, 1, 5), (0, 1, 5))])
    return np.concatenate(found, axis=1)


def _frame(system: System, q: Floats, body: int) -> _Frame:
    if system.dimension == 3:
        axes = matrices(q[7 * body + 3 : 7 * body + 7])
        return _Frame(q[7 * body : 7 * body + 3], axes, axes)
    x, y, angle = q[3 * body : 3 * body + 3]
    c, s = np.cos(angle), np.sin(angle)
    return _Frame(np.array([x, y, 0.0]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.eye(3))
