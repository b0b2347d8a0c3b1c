"""Stresses of a mesh of tetrahedra at its corners: sigma = lambda tr(strain) + 2 mu strain, the mean of those of the elements around."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csc_array

from mbsim.model.elastic_reduction import Integers

if TYPE_CHECKING:
    from skfem import ElementVector, MeshTet2

STRESSES = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))  # xx, yy, zz, xy, yz, zx
CORNERS = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])  # (3, 4) of the reference


def stresses_at(mesh: "MeshTet2", element: "ElementVector", chosen: Integers, lame: tuple[float, float]) -> csc_array:
    """(6 p, N) from the degrees of freedom of an element of a mesh of scikit-fem to the stresses at p of its corners, Pa/m."""
    from skfem import Basis

    of_elements = mesh.t[:4]  # (4, e)
    place = np.full(int(of_elements.max()) + 1, -1)
    place[chosen] = np.arange(len(chosen))
    around = np.flatnonzero((place[of_elements] >= 0).any(axis=0))
    basis = Basis(mesh, element, elements=around, quadrature=(CORNERS, np.ones(4)))
    at = place[of_elements[:, around]].T  # (e, 4)
    count = np.bincount(at[at >= 0], minlength=len(chosen))
    inside = at >= 0
    rows, columns, values = [], [], []
    for k, fields in enumerate(basis.basis):
        slope = np.broadcast_to(fields[0].grad, (3, 3, len(around), 4))
        volume = slope[0, 0] + slope[1, 1] + slope[2, 2]
        for c, (i, j) in enumerate(STRESSES):
            stress = lame[1] * (slope[i, j] + slope[j, i]) + (lame[0] * volume if i == j else 0.0)
            rows.append(6 * at[inside] + c)
            columns.append(np.broadcast_to(basis.element_dofs[k][:, None], at.shape)[inside])
            values.append(stress[inside] / count[at[inside]])
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return csc_array(coo_array(entries, shape=(6 * len(chosen), basis.N)))
