"""What elastic parts bear in the rows of a run: the loads on their interfaces, and stresses by stress modes.

The load on an interface is what joints and forces exert on it, in axes of the part: with the body of the interface, of mass m and inertia
J, and what its rows exert on it, F_c and T_c, F = m (a - g) - F_c and T = J alpha - T_c. It is what a model of finite elements is loaded
with beside the inertia forces and the weight of all of its nodes. Stresses are those of the modal coordinates, sigma = S Phi eta.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from mbsim.kernels.rotations import matrices
from mbsim.scene.elastic import Elastic
from mbsim.system.system import Floats, System


class Parts:
    """The elastic parts of a system; `interfaces` and `points` say what the second axis of its variables is."""

    def __init__(self, system: System, parts: Sequence[Elastic]) -> None:
        self.parts, self._system = parts, system
        self._seats: list[tuple[int, int, list[int]]] = []  # frame, interface, its six multipliers
        self.interfaces, self.points = list[str](), list[str]()
        row = {name: k for k, name in enumerate(system.rows)}
        for part in parts:
            self.points += [f"{part.name}.{point}" for point in part.points]
            for body in part.bodies[1 : 1 + part.interfaces]:
                word = f"{part.name}.{system.bodies[body].removeprefix(part.name + '_')}"
                self.interfaces.append(word)
                self._seats.append((part.bodies[0], body, [row[f"{word}_{axis}"] for axis in ("x", "y", "z", "rx", "ry", "rz")]))

    def chunk(self, variables: Mapping[str, Floats]) -> dict[str, Floats]:
        """The variables of rows whose poses, accelerations and multipliers are in `variables`."""
        if not self.parts:
            return {}
        loads = np.array([self._load(variables, *seat) for seat in self._seats]).transpose(1, 0, 2)
        found = {"interface_force": loads[..., :3], "interface_torque": loads[..., 3:]}
        if self.points:
            found["elastic_stress"] = np.concatenate([part.stresses(variables["body_position"]) for part in self.parts], axis=1)
            found["elastic_mises"] = mises(found["elastic_stress"])
        return found

    def _load(self, variables: Mapping[str, Floats], frame: int, body: int, rows: list[int]) -> Floats:
        """(k, 6) force and torque on an interface, axes of the part."""
        arrays, lam = self._system.arrays, variables["multiplier"][:, rows]
        given, a = variables["body_orientation"], variables["acceleration"].reshape(len(lam), -1, 6)[:, body]
        A, mass, J = matrices(given[:, frame]), arrays.masses[body, 0], arrays.masses[body, 1:].reshape(3, 3)
        force = np.einsum("tji,tj->ti", A, mass * (a[:, :3] - arrays.gravity)) - lam[:, :3]
        R = np.einsum("tji,tjk->tik", A, matrices(given[:, body]))
        w = 0.5 * np.sqrt(1.0 + np.trace(R, axis1=1, axis2=2))
        e = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / (4.0 * w[:, None])
        # the row of 2 a.e turns the interface by w a + a x e in its own axes, and in those of the part by w a - a x e
        turned = w[:, None] * lam[:, 3:] - np.cross(lam[:, 3:], e)
        own = np.einsum("tij,jk,tk->ti", R, J, a[:, 3:])
        return np.concatenate([force, own - turned], axis=1)


def mises(stress: Floats) -> Floats:
    """Equivalent stress of R. von Mises of stresses (..., 6) xx, yy, zz, xy, yz, zx."""
    xx, yy, zz, xy, yz, zx = np.moveaxis(stress, -1, 0)
    squared = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (xy**2 + yz**2 + zx**2)
    return np.asarray(np.sqrt(squared))
