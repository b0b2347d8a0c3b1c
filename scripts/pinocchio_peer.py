"""The tree of an mbsim system in joint coordinates as a Pinocchio model, node by node. Needs Pinocchio (`pip install pin`)."""

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from mbsim.kernels import tree_columns as columns
from mbsim.kernels.primitives import BALL, FREE, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.rotations import matrices
from mbsim.system.system import System

Floats = NDArray[np.float64]


class Peer:
    """`model`, `data`, and how its q and v follow from mbsim's."""

    def __init__(self, system: System) -> None:
        self.system, self.table = system, system.arrays.tree
        self.model: Any = pin.Model()
        self.model.gravity.linear = system.arrays.gravity
        joints: list[int] = []  # of each node
        frames: list[Any] = []  # of each node in its joint: other than the identity for welds
        for row, d in zip(self.table, system.arrays.tree_data, strict=True):
            kind, parent = row[columns.KIND], row[columns.PARENT]
            rotation = d[columns.ROTATION_0 : columns.ROTATION_0 + 9].reshape(3, 3).T
            placement = pin.SE3(rotation, d[columns.POSITION_0 : columns.POSITION_0 + 3])
            inner, frame = (joints[parent], frames[parent]) if parent >= 0 else (0, pin.SE3.Identity())
            made = {
                REVOLUTE: pin.JointModelRZ, PRISMATIC: pin.JointModelPZ, BALL: pin.JointModelSpherical, FREE: pin.JointModelFreeFlyer,
                HELICAL: lambda pitch=float(d[columns.PITCH]): pin.JointModelHZ(pitch),
            }.get(kind)  # fmt: skip
            if made is None:
                joints.append(inner)
                frames.append(frame * placement)
            else:
                joints.append(self.model.addJoint(inner, made(), frame * placement, f"node {len(joints)}"))
                frames.append(pin.SE3.Identity())
            mass = d[columns.MASS]
            if mass > 0.0:
                centre = d[columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3] / mass
                xx, yy, zz, xy, xz, yz = d[columns.INERTIA : columns.INERTIA + 6]
                about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                about -= mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
                self.model.appendBodyToJoint(joints[-1], pin.Inertia(mass, centre, about), frames[-1])
        self.data = self.model.createData()

    def state(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Quaternions w last; a free body's linear velocity in its own axes."""
        q_out, v_out = q.copy(), v.copy()
        for row in self.table:
            kind, i, j = row[columns.KIND], row[columns.Q], row[columns.V]
            if kind == BALL:
                q_out[i : i + 4] = np.roll(q[i : i + 4], -1)
            elif kind == FREE:
                q_out[i + 3 : i + 7] = np.roll(q[i + 3 : i + 7], -1)
                v_out[j : j + 3] = matrices(q[i + 3 : i + 7]).T @ v[j : j + 3]
        return q_out, v_out

    def basis(self, q: Floats) -> Floats:
        """B (n, n): mbsim's speeds = B times Pinocchio's."""
        B = np.eye(self.system.n_v)
        for row in self.table:
            if row[columns.KIND] == FREE:
                i, j = row[columns.Q], row[columns.V]
                B[j : j + 3, j : j + 3] = matrices(q[i + 3 : i + 7])
        return B

    def mass_matrix(self, q: Floats, v: Floats) -> Floats:
        M = np.triu(np.array(pin.crba(self.model, self.data, self.state(q, v)[0])))
        return np.asarray(M + np.triu(M, 1).T)

    def bias(self, q: Floats, v: Floats) -> Floats:
        return np.asarray(pin.nonLinearEffects(self.model, self.data, *self.state(q, v)))

    def accelerations(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        """mbsim's v_dot, where `tau` are forces along mbsim's speeds."""
        q_own, v_own = self.state(q, v)
        B = self.basis(q)
        a = B @ pin.aba(self.model, self.data, q_own, v_own, B.T @ tau)
        for row in self.table:
            if row[columns.KIND] == FREE:  # Pinocchio's are rates of components in turning axes
                i, j = row[columns.Q], row[columns.V]
                R = matrices(q[i + 3 : i + 7])
                a[j : j + 3] += R @ np.cross(v[j + 3 : j + 6], R.T @ v[j : j + 3])
        return np.asarray(a)
