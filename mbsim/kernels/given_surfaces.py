"""Something round rolls on a surface of the ground, z = f(x, y, t), or in the plane on a line y = f(x, t): contact, normal, tangents.

c is the centre of what is round, h = z - f its height over the foot u, where c - P(u) is across all tangents (`feet.py`):

    G_k = (c_k - u_k) + h f_k = 0,   f_k = df/du_k
    n = (-f_1, -f_2, 1) / s,   s = sqrt(1 + f_1^2 + f_2^2),   n . (c - P) = h s

Laws have u and the derivatives of f there (`surface_columns.py`). The functions here read them as a series about u: one Newton step from u
does not move it, but its derivative is that of the foot, and so rows are derived by poses with laws that stay as they are.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.surface_columns import FOOT, HEIGHT, XX, XXX, XXY, XY, XYY, YY, YYY, X, Y


@helper
def touch(laws, law, x, y, z):
    """At the foot of the centre (x, y, z): f, f_1, f_2, f_11, f_12, f_22 and J = -dG/du (3 entries)."""
    f, fx, fy = laws[law + HEIGHT, 0], laws[law + X, 0], laws[law + Y, 0]
    fxx, fxy, fyy = laws[law + XX, 0], laws[law + XY, 0], laws[law + YY, 0]
    a, b, h = x - laws[law + FOOT, 0], y - laws[law + FOOT, 1], z - f
    jxx, jxy, jyy = 1.0 + fx * fx - h * fxx, fx * fy - h * fxy, 1.0 + fy * fy - h * fyy
    size = jxx * jyy - jxy * jxy
    ga, gb = a + h * fx, b + h * fy
    du, dw = (jyy * ga - jxy * gb) / size, (jxx * gb - jxy * ga) / size
    f, fx, fy = f + fx * du + fy * dw, fx + fxx * du + fxy * dw, fy + fxy * du + fyy * dw
    fxx, fxy, fyy = (
        fxx + laws[law + XXX, 0] * du + laws[law + XXY, 0] * dw,
        fxy + laws[law + XXY, 0] * du + laws[law + XYY, 0] * dw,
        fyy + laws[law + XYY, 0] * du + laws[law + YYY, 0] * dw,
    )
    h = z - f
    return f, fx, fy, fxx, fxy, fyy, 1.0 + fx * fx - h * fxx, fx * fy - h * fxy, 1.0 + fy * fy - h * fyy, du, dw


@helper
def rise(laws, law, du, dw):
    """f_t, f_1t, f_2t and f_tt at the foot."""
    ft = laws[law + HEIGHT, 1] + laws[law + X, 1] * du + laws[law + Y, 1] * dw
    fxt = laws[law + X, 1] + laws[law + XX, 1] * du + laws[law + XY, 1] * dw
    fyt = laws[law + Y, 1] + laws[law + XY, 1] * du + laws[law + YY, 1] * dw
    return ft, fxt, fyt, laws[law + HEIGHT, 2] + laws[law + X, 2] * du + laws[law + Y, 2] * dw


@helper
def normal(fx, fy):
    s = sqrt(1.0 + fx * fx + fy * fy)
    return -fx / s, -fy / s, 1.0 / s


@helper
def tangent(across, fx, fy):
    """E: the one over the x axis, (1, 0, f_1) / a; or across it n x that."""
    a = sqrt(1.0 + fx * fx)
    s = a * sqrt(1.0 + fx * fx + fy * fy)
    return (-fx * fy / s, a * a / s, fy / s) if across else (1.0 / a, 0.0, fx / a)


@helper
def rates(laws, law, x, y, z, vx, vy, vz):
    """For the centre with the velocity (vx, vy, vz): f_1, f_2, their rates, f_t and its rate."""
    f, fx, fy, fxx, fxy, fyy, jxx, jxy, jyy, du, dw = touch(laws, law, x, y, z)
    ft, fxt, fyt, ftt = rise(laws, law, du, dw)
    h, up = z - f, vz - ft
    ga, gb, size = vx + up * fx + h * fxt, vy + up * fy + h * fyt, jxx * jyy - jxy * jxy
    u, w = (jyy * ga - jxy * gb) / size, (jxx * gb - jxy * ga) / size
    return fx, fy, fxx * u + fxy * w + fxt, fxy * u + fyy * w + fyt, ft, ftt + fxt * u + fyt * w


@helper
def normal_rate(fx, fy, fx_dot, fy_dot):
    s = sqrt(1.0 + fx * fx + fy * fy)
    fall = (fx * fx_dot + fy * fy_dot) / (s * s * s)
    return -fx_dot / s + fx * fall, -fy_dot / s + fy * fall, -fall


@helper
def tangent_rate(across, fx, fy, fx_dot, fy_dot):
    """E', of the same tangent."""
    a = sqrt(1.0 + fx * fx)
    fall = fx * fx_dot / (a * a * a)
    px, pz = -fall, fx_dot / a - fx * fall
    if not across:
        return px, 0.0, pz
    nx, ny, nz = normal(fx, fy)
    mx, my, mz = normal_rate(fx, fy, fx_dot, fy_dot)
    # n' x E_along + n x E_along', E_along = (1, 0, fx) / a
    ex, ez = 1.0 / a, fx / a
    return my * ez + ny * pz, mz * ex - mx * ez + nz * px - nx * pz, -my * ex - ny * px
