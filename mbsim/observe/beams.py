"""What the elements of beams do in the rows of a run: stress resultants, strains and energies along each beam, from the poses of its nodes.

Plain numpy over `mbsim.kernels.screws`, which is written apart from the element of the kernels (`mbsim/elements/loads/beam.py`). Everything
is constant along an element, and in its axes: x along the beam, y and z of the section.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.elements.kinds import BEAM
from mbsim.elements.loads import beam as columns
from mbsim.kernels import screws
from mbsim.kernels.rotations import matrices
from mbsim.system.system import Floats, System


def element_labels(system: System) -> list[str]:
    """The elements of all beams, from the start of each on: `boom[0]`, `boom[1]` ..."""
    found: list[str] = []
    count: dict[str, int] = {}
    for e in _elements(system):
        name = system.loads[e]
        found.append(f"{name}[{count.get(name, 0)}]")
        count[name] = count.get(name, 0) + 1
    return found


def _elements(system: System) -> list[int]:
    return [] if not system.bodies else np.flatnonzero(system.arrays.loads[:, 0] == BEAM).tolist()


def beam_sizes(system: System) -> dict[str, int]:
    """How many elements each beam has."""
    found: dict[str, int] = {}
    for e in _elements(system):
        found[system.loads[e]] = found.get(system.loads[e], 0) + 1
    return found


def of_element(system: System, name: str) -> tuple[str, tuple[int, ...]] | None:
    """The variable and the place in its rows of what is recorded of an element: `beam_moment.boom.e3.z`; None where there is none."""
    variable, beam, element, *axis = name.split(".")
    label = f"{beam}[{int(element[1:])}]"
    labels = element_labels(system)
    return (variable, (labels.index(label), *("xyz".index(x) for x in axis))) if label in labels else None


def section_forces(system: System, seen: Mapping[str, Floats]) -> dict[str, dict[str, Any]]:
    """What the sections of each beam carry, in the first row of what was observed, N and N m.

    `normal_force`: the least and the largest. Of `shear_force`, `bending_moment` and, in space, `torsional_moment` the largest size,
    and the part of the way `at` the middle of its element.
    """
    found: dict[str, dict[str, Any]] = {}
    first = 0
    for name, count in beam_sizes(system).items():
        force, moment = (seen[key][0, first : first + count] for key in ("beam_force", "beam_moment"))
        sizes = {"shear_force": np.linalg.norm(force[:, 1:], axis=1), "bending_moment": np.linalg.norm(moment[:, 1:], axis=1)}
        if system.dimension == 3:
            sizes["torsional_moment"] = np.abs(moment[:, 0])
        largest = {key: {"largest": float(x.max()), "at": (int(x.argmax()) + 0.5) / count} for key, x in sizes.items()}
        found[name] = {"elements": count, "normal_force": [float(force[:, 0].min()), float(force[:, 0].max())], **largest}
        first += count
    return found


def elements_of(system: System) -> dict[str, list[list[int]]]:
    """The two bodies of each element of each beam."""
    found: dict[str, list[list[int]]] = {}
    for e in _elements(system):
        found.setdefault(system.loads[e], []).append(system.arrays.loads[e, 1:3].tolist())
    return found


def stress_free(system: System, seen: Mapping[str, Floats]) -> Floats:
    """The table of loads in which beams bear nothing in the first row of what was observed."""
    rows, data, planar = _elements(system), system.arrays.load_data.copy(), system.dimension == 2
    size = 3 if planar else 6
    strain = np.concatenate([seen["beam_strain"][0], seen["beam_curvature"][0]], axis=-1)[:, [0, 1, 5] if planar else slice(None)]
    length = data[rows, columns.LENGTH_2 if planar else columns.LENGTH_3]
    data[rows, size * size : size * size + size] += strain * length[:, None]
    return data


class Beams:
    """The beams of a system; `element_labels` says what the second axis of each variable is."""

    def __init__(self, system: System) -> None:
        rows = _elements(system)
        self._planar = system.dimension == 2
        data = system.arrays.load_data[rows]
        self._first, self._second = system.arrays.loads[rows, 1], system.arrays.loads[rows, 2]
        size = 3 if self._planar else 6
        self._K = data[:, : size * size].reshape(-1, size, size)
        self._rest = data[:, size * size : size * size + size]
        damping, cable, length = (
            (columns.DAMPING_2, columns.CABLE_2, columns.LENGTH_2)
            if self._planar
            else (columns.DAMPING_3, columns.CABLE_3, columns.LENGTH_3)
        )
        self._damping, self._cable, self._length = data[:, damping], data[:, cable] > 0.0, data[:, length]

    def chunk(self, variables: Mapping[str, Floats], angles: Floats | None) -> dict[str, Floats]:
        """The variables of rows whose poses and velocities are in `variables`; `angles` (k, n_b) of planar bodies."""
        d, rates = self._motion(variables, angles)
        strain = d - self._rest
        elastic = np.einsum("eij,tej->tei", self._K, strain)
        viscous = self._damping[:, None] * np.einsum("eij,tej->tei", self._K, rates)
        slack = self._cable & (elastic[..., 0] < 0.0)
        energy = 0.5 * np.sum(strain * elastic, axis=-1) - np.where(slack, 0.5 * strain[..., 0] * elastic[..., 0], 0.0)
        pushed = np.maximum(elastic[..., 0] + viscous[..., 0], 0.0)
        total = elastic + viscous
        total[..., 0] = np.where(self._cable, pushed, total[..., 0])
        strain = strain / self._length[:, None]
        return {
            "beam_force": self._split(total)[0],
            "beam_moment": self._split(total)[1],
            "beam_strain": self._split(strain)[0],
            "beam_curvature": self._split(strain)[1],
            "beam_energy": energy,
        }

    def _split(self, x: Floats) -> tuple[Floats, Floats]:
        """(.., 3) along x, y, z and about them."""
        if not self._planar:
            return x[..., :3], x[..., 3:]
        along, about = np.zeros((*x.shape[:-1], 3)), np.zeros((*x.shape[:-1], 3))
        along[..., :2], about[..., 2] = x[..., :2], x[..., 2]
        return along, about

    def _motion(self, variables: Mapping[str, Floats], angles: Floats | None) -> tuple[Floats, Floats]:
        """The screws d (k, n_e, 3 or 6) of the elements and their rates."""
        i, j = self._first, self._second
        names = ("body_position", "body_velocity", "body_angular_velocity")
        r, v, omega = (variables[name] for name in names)
        A = matrices(variables["body_orientation"])
        if self._planar and angles is not None:
            gap = r[:, j] - r[:, i]
            d = screws.planar_log(gap[..., 0], gap[..., 1], angles[:, j] - angles[:, i], angles[:, i])
            full = np.zeros((*d.shape[:-1], 6))
            full[..., :2], full[..., 5] = d[..., :2], d[..., 2]
        else:
            full = d = screws.log(r[:, i], A[:, i], r[:, j], A[:, j])
        at_first = v[:, j] + np.cross(omega[:, j], r[:, i] - r[:, j]) - v[:, i]
        twist = np.concatenate([at_first, omega[:, j] - omega[:, i]], axis=-1)
        local = np.concatenate([np.einsum("teji,tej->tei", A[:, i], x) for x in (twist[..., :3], twist[..., 3:])], axis=-1)
        rates = screws.rate(full, local)
        return d, rates[..., [0, 1, 5]] if self._planar else rates
