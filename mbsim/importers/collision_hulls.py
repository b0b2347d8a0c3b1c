"""Convex hulls of meshes by which robots touch: few corners of many, and how much is missing then."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from mbsim.assembly.contact_pairs import MOST_CORNERS
from mbsim.importers.urdf_elements import Floats, list_numbers
from mbsim.model.hulls import hull_of

FEW = 16  # so many are taken of a larger one: each is a contact with a plane


class Hull(NamedTuple):
    """The convex hull of a mesh as a shape."""

    keys: str  # of the model file, but for its place
    edges: int
    said: str  # what is missing of it; empty where nothing is

    @property
    def is_whole(self) -> bool:
        """Whether all of its corners are taken."""
        return not self.said


def convex(vertices: Floats) -> Hull:
    """The hull of vertices (n, 3), m. Raises ValueError where they have no volume."""
    corners, said = _corners(vertices), ""
    if len(corners) > MOST_CORNERS:
        whole = len(corners)
        corners, missing = _few(corners)
        said = f"{len(corners)} of the {whole} corners of its convex hull are taken; the others are up to {1e3 * missing:.2g} mm outside"
    corners = np.array(sorted(corners.tolist()))
    return Hull(f"type: convex, vertices: [{', '.join(map(list_numbers, corners))}]", len(hull_of(corners).edges), said)


def _corners(vertices: Floats) -> Floats:
    """(m, 3) those of the convex hull. Raises ValueError."""
    try:
        kept: Floats = vertices[ConvexHull(vertices).vertices]
    except (QhullError, ValueError):
        raise ValueError("its points have no volume") from None
    return kept


def _few(corners: Floats) -> tuple[Floats, float]:
    """FEW of the corners (m, 3), and how far (m) the others are outside of their hull: each is the farthest one from those before."""
    first = [int(k) for axis in corners.T for k in (axis.argmin(), axis.argmax())]
    kept = list(dict.fromkeys(first))
    middle = corners[kept].mean(axis=0)
    while np.linalg.matrix_rank(corners[kept] - middle, tol=1e-9 * float(np.ptp(corners, axis=0).max())) < 3:
        away = corners - corners[kept[0]]
        basis = np.linalg.qr((corners[kept[1:]] - corners[kept[0]]).T)[0] if len(kept) > 1 else np.zeros((3, 1))
        kept.append(int(np.linalg.norm(away - away @ basis @ basis.T, axis=1).argmax()))
        middle = corners[kept].mean(axis=0)
    while True:
        faces = ConvexHull(corners[kept]).equations
        outside = (corners @ faces[:, :3].T + faces[:, 3]).max(axis=1)
        farthest = int(outside.argmax())
        if len(kept) >= FEW or farthest in kept:
            return corners[kept], max(float(outside[farthest]), 0.0)
        kept.append(farthest)
