"""Speeds of joints in absolute coordinates, symbolically: what `der(O.angle)` is in an equation between speeds.

An angle's is the relative angular velocity along the joint's axis, z_i . (omega_j - omega_i); a displacement's the rate of a_i . d.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mbsim.elements.kinds import IN_PLANE

if TYPE_CHECKING:
    import sympy

    from mbsim.system.equations import Symbols


class JointSpeed(NamedTuple):
    """A joint's coordinate: its driver's primitive, its two bodies and their number, and a row of Arrays.geometry."""

    kind: int
    first: int
    second: int
    n_b: int
    geometry: list[float]


def rate(speed: JointSpeed, dimension: int, symbols: "Symbols", rates: "list[sympy.Expr]") -> "sympy.Expr":
    """The speed over the symbols of the bodies' coordinates and speeds; `rates` is q_dot."""
    import sympy

    from mbsim.system.equations import total_rate

    g = [sympy.Float(x, 17) if x != int(x) else sympy.Integer(int(x)) for x in speed.geometry]
    poses = [_pose(b, speed.n_b, dimension, symbols) for b in (speed.first, speed.second)]
    (r_i, A_i, w_i), (r_j, A_j, w_j) = poses
    if speed.kind == IN_PLANE:
        s = dimension
        s_i, s_j, a = (sympy.Matrix(g[s * k : s * k + s]) for k in range(3))
        return total_rate((A_i * a).dot(r_j + A_j * s_j - r_i - A_i * s_i), symbols, rates)
    if dimension == 2:
        return w_j[0] - w_i[0]
    z = sympy.Matrix(g[6:9]).cross(sympy.Matrix(g[12:15]))
    return (A_i * z).dot(A_j * w_j - A_i * w_i)


def _pose(b: int, n_b: int, dimension: int, symbols: "Symbols") -> Sequence[Any]:
    """Place, rotation matrix and angular velocity (body axes) of a body."""
    import sympy

    if b == n_b:
        return sympy.zeros(dimension, 1), sympy.eye(dimension), sympy.zeros(3 if dimension == 3 else 1, 1)
    if dimension == 2:
        x, y, angle = symbols.q[3 * b : 3 * b + 3]
        c, s = sympy.cos(angle), sympy.sin(angle)
        return sympy.Matrix([x, y]), sympy.Matrix([[c, -s], [s, c]]), sympy.Matrix(symbols.v[3 * b + 2 : 3 * b + 3])
    w, x, y, z = symbols.q[7 * b + 3 : 7 * b + 7]
    rotation = sympy.Matrix(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    return sympy.Matrix(symbols.q[7 * b : 7 * b + 3]), rotation, sympy.Matrix(symbols.v[6 * b + 3 : 6 * b + 6])
