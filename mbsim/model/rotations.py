"""Rotations and matrices for reading a model, in plain Python: the start orientation and the inertia of a body."""

import math
from collections.abc import Sequence

Matrix = list[list[float]]
_ORTHONORMAL = 1e-6  # a rotation matrix typed with seven digits passes; one with a wrong entry does not
_TRIANGLE_SLACK = 1e-9  # relative; a thin plate is exactly on the boundary and arrives with round-off
SMALLEST = 1e-50  # of a mass or moment; as `fields.LARGEST`: products of six such numbers are not zero
_SWEEPS = 30  # Jacobi sweeps; quadratic convergence needs five


def norm(vector: Sequence[float]) -> float:
    """Euclidean length, without overflow."""
    return math.hypot(*vector)


def unit(vector: Sequence[float]) -> list[float]:
    """The vector with length 1; raises ValueError for the zero vector."""
    largest = max(map(abs, vector))
    if largest == 0.0:
        raise ValueError("a direction must not be the zero vector")
    scaled = [component / largest for component in vector]
    length = norm(scaled)
    return [component / length for component in scaled]


def cross(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """a x b of two 3-vectors."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """a . b."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def quaternion_from_axis(axis: Sequence[float], angle: float) -> list[float]:
    """[w, x, y, z] of the rotation by `angle` (rad) about `axis` (any length but zero)."""
    direction = unit(axis)
    sine = math.sin(angle / 2.0)
    return [math.cos(angle / 2.0), *(sine * component for component in direction)]


def matrix_from_quaternion(quaternion: Sequence[float]) -> Matrix:
    """The rotation matrix (body to global) of a unit quaternion [w, x, y, z]."""
    w, x, y, z = quaternion
    return [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]


def quaternion_from_matrix(matrix: Matrix) -> list[float]:
    """[w, x, y, z] of a rotation matrix (body to global); raises ValueError if it is not one. Shepperd 1978."""
    columns = [[matrix[row][column] for row in range(3)] for column in range(3)]
    for i in range(3):
        for j in range(i, 3):
            if abs(dot(columns[i], columns[j]) - (i == j)) > _ORTHONORMAL:
                raise ValueError("a rotation matrix has perpendicular columns of length 1")
    if dot(cross(columns[0], columns[1]), columns[2]) < 0.0:
        raise ValueError("the matrix is a reflection (its determinant is -1), not a rotation")
    trace = matrix[0][0] + matrix[1][1] + matrix[2][2]
    squares = [1.0 + trace, *(1.0 + 2.0 * matrix[i][i] - trace for i in range(3))]  # 4w^2, 4x^2, 4y^2, 4z^2
    largest = max(range(4), key=squares.__getitem__)  # dividing by the largest component loses no digits
    skew = [matrix[2][1] - matrix[1][2], matrix[0][2] - matrix[2][0], matrix[1][0] - matrix[0][1]]
    if largest == 0:
        quaternion = [squares[0], *skew]
    else:
        i = largest - 1
        quaternion = [skew[i], *(matrix[i][j] + matrix[j][i] for j in range(3))]
        quaternion[largest] = squares[largest]
    quaternion = unit(quaternion)
    return [-component for component in quaternion] if quaternion[0] < 0.0 else quaternion


def matrix_from_axes(x_axis: Sequence[float], y_axis: Sequence[float]) -> Matrix:
    """The rotation matrix with columns x, y, z: x normalised, y made perpendicular to it; raises ValueError for parallel axes."""
    x, y = unit(x_axis), unit(y_axis)
    along = dot(x, y)
    across = [b - along * a for a, b in zip(x, y, strict=True)]
    if norm(across) < 1e-9:
        raise ValueError("x_axis and y_axis must not be parallel")
    y = unit(across)
    z = cross(x, y)
    return [[x[row], y[row], z[row]] for row in range(3)]


def principal_moments(matrix: Matrix) -> list[float]:
    """Eigenvalues of a symmetric 3x3 matrix, ascending. Cyclic Jacobi rotations (Golub & Van Loan, section 8.5)."""
    a = [list(row) for row in matrix]
    scale = max(abs(entry) for row in a for entry in row)
    if scale == 0.0:
        return [0.0, 0.0, 0.0]
    a = [[entry / scale for entry in row] for row in a]
    for _ in range(_SWEEPS):
        if max(abs(a[0][1]), abs(a[0][2]), abs(a[1][2])) < 1e-17:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if a[p][q] == 0.0:
                continue
            theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
            t = math.copysign(1.0, theta) / (abs(theta) + math.hypot(1.0, theta))
            c = 1.0 / math.hypot(1.0, t)
            s = t * c
            for k in range(3):
                a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
            for k in range(3):
                a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
    return sorted(scale * a[i][i] for i in range(3))


def not_tiny(mass: float) -> float:
    """A mass or moment of inertia that is zero or not too small. Raises ValueError."""
    if 0.0 < mass < SMALLEST:
        raise ValueError(f"must be at least {SMALLEST:g}, so that products of such numbers are known (got {mass:g})")
    return mass


def check_inertia(matrix: Matrix) -> None:
    """Raise ValueError unless some distribution of mass has this inertia matrix: positive definite, triangle inequality."""
    small, middle, large = principal_moments(matrix)
    moments = f"principal moments {small:.10g}, {middle:.10g}, {large:.10g}"
    if small <= 0.0:
        raise ValueError(f"no body has this inertia: it is not positive definite ({moments})")
    if large > (small + middle) * (1.0 + _TRIANGLE_SLACK):
        raise ValueError(f"no body has this inertia: the largest moment exceeds the sum of the other two ({moments})")
