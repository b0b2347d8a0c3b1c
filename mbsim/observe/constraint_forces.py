"""The explicit equations of the constraint force algorithm as matrices. Liu, Hu & Zhang 2016, eqs. 16 and 22-29.

    P F = I V_dot,   P' V_dot = S Q_dot,   F = H F_T + W F_S
    A = W' P' I^-1 P W,   B = W' P' I^-1 P H,   C = H' P' I^-1 P H
    A F_S = -B F_T = X_dot,   Q_dot = C F_T + B' F_S = (C - B' A^-1 B) F_T

Dense and plain: to look at the equations. The method `cfa` solves them without the matrices. docs/methods/cfa.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mbsim.contracts import Arrays
from mbsim.kernels import tree_columns as col
from mbsim.kernels.primitives import BALL, FREE, HELICAL, PRISMATIC, REVOLUTE
from mbsim.system.system import Floats, System, require_system


@dataclass(frozen=True, eq=False)
class ConstraintForceEquations:
    """The equations at a state, for n bodies with N speeds. SI units.

    Blocks of six rows belong to a body with the joint towards the ground, outermost bodies first, as in the paper: `bodies` are their
    names. Spatial vectors are (angular, linear), in axes fixed to the body at the joint's point on it: moment before force. F_j acts on
    body j. V_dot and F leave out what does not depend on Q_dot: F is an equivalent force, not the physical one, which is `wrench`.
    """

    bodies: list[str]  # (n,) of the blocks
    speeds: list[str]  # (N,) of the entries of Q_dot and F_T
    forces: dict[str, slice]  # the entries of F_S that belong to the joint of a body; empty where the joint leaves everything free
    rates: dict[str, slice]  # likewise of Q_dot and F_T
    P: Floats  # (6 n, 6 n) unit blocks, and minus the transformation of the force on a body to its inner body
    H: Floats  # (6 n, N) free directions, H = S (S' S)^-1: the paper's, where the motions of a joint are orthonormal
    S: Floats  # (6 n, N) motions of the joints for a unit of each speed; equal to H but for screws and joints of several motions
    W: Floats  # (6 n, 6 n - N) blocked directions, W' W = 1, W' H = 0
    I: Floats  # (6 n, 6 n) inertia of the bodies about their joints
    A: Floats  # (6 n - N, 6 n - N) symmetric, positive definite
    B: Floats  # (6 n - N, N)
    C: Floats  # (N, N)
    F_T: Floats  # (N,) equivalent control forces: applied joint forces less the bias
    F_S: Floats  # (6 n - N,) constraint forces of the equivalent forces
    Q_dot: Floats  # (N,) accelerations of the joint coordinates
    V_dot: Floats  # (6 n,) the part of the bodies' accelerations that Q_dot causes
    bias: Floats  # (6 n,) forces through the joints at Q_dot = 0: gravity, loads and velocities

    @property
    def X_dot(self) -> Floats:
        """(6 n - N,) right side of A F_S = X_dot, eq. 29."""
        return -self.B @ self.F_T

    @property
    def F(self) -> Floats:
        """(6 n,) equivalent forces, eq. 22."""
        return self.H @ self.F_T + self.W @ self.F_S

    @property
    def wrench(self) -> Floats:
        """(6 n,) the physical forces through the joints: the bias and F. W' of it are the joints' reactions."""
        return self.bias + self.F


def constraint_force_equations(system: System, t: float, q: ArrayLike, v: ArrayLike) -> ConstraintForceEquations:
    """The explicit equations of Liu, Hu & Zhang (2016) at a state q (n_q,), v (n_v,) of a tree without constraint rows.

    Raises ValueError for a system that is not in joint coordinates, has loops, drivers or equations, or rotors, and TypeError for
    anything else.
    """
    require_system(system, "constraint_force_equations")
    if not system.in_joint_coordinates:
        raise ValueError("the constraint force equations are those of trees in joint coordinates; add `coordinates: joint` to the model")
    if system.n_rows:
        rows = ", ".join(dict.fromkeys(row.partition("[")[0] for row in system.rows))
        raise ValueError(f"the constraint force equations are those of trees without loops, drivers and equations (here: {rows})")
    arrays = system.arrays
    if arrays.tree_data[:, col.ROTOR].any():
        raise ValueError("the constraint force equations have no rotors; leave out rotor_inertia")
    q, v = system._check(q, v)
    from mbsim.system.inverse import joint_efforts

    tau, none = np.zeros(system.n_v), np.zeros(0)
    system.functions.dynamics(arrays, float(t), q, v, np.zeros((0, system.n_v)), tau, none, np.zeros(1))
    joint_efforts(arrays, v, np.zeros(system.n_v), tau)  # the bias less the applied joint forces
    carriers = [i for i in range(len(arrays.tree) - 1, -1, -1) if arrays.tree[i, col.BODY] >= 0]
    n, N = len(carriers), system.n_v
    place = {int(node): 6 * k for k, node in enumerate(carriers)}
    P, I = np.eye(6 * n), np.zeros((6 * n, 6 * n))
    S, H, W = np.zeros((6 * n, N)), np.zeros((6 * n, N)), np.zeros((6 * n, 6 * n - N))
    names: list[str] = []
    forces: dict[str, slice] = {}
    rates: dict[str, slice] = {}
    order: list[int] = []
    at = 0
    for node in carriers:
        row, inner = place[node], int(arrays.tree[node, col.INNER])
        X, motions, speeds = _joint(arrays, node)
        if inner >= 0:
            P[place[inner] : place[inner] + 6, row : row + 6] = -X.T
        body, free, blocked = slice(row, row + 6), slice(len(order), len(order) + len(speeds)), slice(at, at + 6 - len(speeds))
        S[body, free], H[body, free] = motions, np.linalg.pinv(motions).T
        W[body, blocked] = _across(motions)
        I[body, body] = _inertia(arrays.tree_data[node])
        names.append(system.bodies[arrays.tree[node, col.BODY]])
        forces[names[-1]], rates[names[-1]] = blocked, free
        order += speeds
        at += 6 - len(speeds)
    bias = np.concatenate([arrays.tree_work[node, col.FORCE : col.FORCE + 6] for node in carriers])
    PW, PH, F_T = P @ W, P @ H, -tau[order]
    moved_W, moved_H = np.linalg.solve(I, PW), np.linalg.solve(I, PH)
    A, B, C = PW.T @ moved_W, PW.T @ moved_H, PH.T @ moved_H
    F_S = np.asarray(np.linalg.solve(A, -B @ F_T), float)
    return ConstraintForceEquations(
        names, [system.speeds[k] for k in order], forces, rates, P, H, S, W, I, A, B, C, F_T, F_S,
        C @ F_T + B.T @ F_S, moved_H @ F_T + moved_W @ F_S, bias,
    )  # fmt: skip


def _joint(arrays: Arrays, node: int) -> tuple[Floats, Floats, list[int]]:
    """Of the joint whose last node this is: X (6, 6) from the inner body to this one, S (6, k), and the places of its k speeds."""
    X = np.eye(6)
    motions: list[Floats] = []
    speeds: list[int] = []
    for _ in range(arrays.tree[node, col.NODES]):
        kind, first, work, data = arrays.tree[node, col.KIND], arrays.tree[node, col.V], arrays.tree_work[node], arrays.tree_data[node]
        columns = _motions(kind, work, data)
        motions.insert(0, X @ columns)
        speeds = [*range(first, first + columns.shape[1]), *speeds]
        E = work[col.ROTATION : col.ROTATION + 9].reshape(3, 3)
        step = np.zeros((6, 6))
        step[:3, :3] = step[3:, 3:] = E
        step[3:, :3] = -E @ _cross(work[col.POSITION : col.POSITION + 3])
        X = X @ step
        node = int(arrays.tree[node, col.PARENT])
    return X, np.hstack(motions), speeds


def _motions(kind: int, work: Floats, data: Floats) -> Floats:
    """S (6, k) of a node, in its axes."""
    unit = np.eye(6)
    if kind == FREE:  # velocity in global axes, then angular velocity
        E = np.zeros((6, 3))
        E[3:] = work[col.ROTATION : col.ROTATION + 9].reshape(3, 3)
        return np.hstack([E, unit[:, :3]])
    if kind == BALL:
        return unit[:, :3]
    if kind == HELICAL:
        return unit[:, [2]] + float(data[col.PITCH]) * unit[:, [5]]
    return unit[:, [2]] if kind == REVOLUTE else unit[:, [5]] if kind == PRISMATIC else unit[:, :0]


def _across(motions: Floats) -> Floats:
    """W (6, 6 - k): of the unit vectors those that are least along S and each other, made orthonormal and orthogonal to S."""
    k = motions.shape[1]
    Q = np.linalg.qr(motions)[0] if k else np.zeros((6, 0))
    for _ in range(6 - k):
        left = 1.0 - (Q**2).sum(axis=1)
        unit = np.eye(6)[int(np.argmax(np.round(left, 9)))]
        for _ in range(2):  # twice is enough
            unit = unit - Q @ (Q.T @ unit)
        Q = np.column_stack([Q, unit / np.linalg.norm(unit)])
    W: Floats = Q[:, k:]
    return W


def _inertia(data: Floats) -> Floats:
    """(6, 6) of a body about its node's origin: [J, mc~; -mc~, m]."""
    xx, yy, zz, xy, xz, yz = data[col.INERTIA : col.INERTIA + 6]
    moment = _cross(data[col.FIRST_MOMENT : col.FIRST_MOMENT + 3])
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.block([[J, moment], [-moment, data[col.MASS] * np.eye(3)]])


def _cross(p: Floats) -> Floats:
    """(3, 3) p~ with p~ u = p x u."""
    x, y, z = p
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
