"""d = 0: the point of the second body stays on that of the first."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as plane
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, to_body

COMMON = True
DIMENSIONS = (2, 3)
LAWS = "own"
ROWS = "dimension"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    ax, ay, bx, by = plane.arms(fi, fj, g)
    J[r, 0], J[r, 2], J[r, 3], J[r, 5] = -1.0, ay, 1.0, -by
    J[r + 1, 1], J[r + 1, 2], J[r + 1, 4], J[r + 1, 5] = -1.0, -ax, 1.0, bx
    xi[r], xi[r + 1] = 0.0, 0.0


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    phi[r], phi[r + 1] = plane.separation(fi, fj, g)


@helper
def planar_tangent(fi, fj, g, lam, r, K):
    """Of C' lam only the moments of lam about both centres change, with the own angle of each body."""
    ax, ay, bx, by = plane.arms(fi, fj, g)
    K[0, 0] -= ax * lam[r] + ay * lam[r + 1]
    K[1, 0] += bx * lam[r] + by * lam[r + 1]
    return True


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    eta[r], eta[r + 1] = plane.separation_bias(fi, fj, g)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    for c in range(3):
        # row c of -A skew(s) is s x (row c of A), because e_c . A (w x s) = w . (s x A' e_c)
        o = 3 + 3 * c
        J[r + c, c], J[r + c, 6 + c] = -1.0, 1.0
        x, y, z = cross(g[0], g[1], g[2], fi[o], fi[o + 1], fi[o + 2])
        J[r + c, 3], J[r + c, 4], J[r + c, 5] = -x, -y, -z
        J[r + c, 9], J[r + c, 10], J[r + c, 11] = cross(g[3], g[4], g[5], fj[o], fj[o + 1], fj[o + 2])
        xi[r + c] = 0.0


@helper
def spatial_phi(fi, fj, g, laws, law, phi, r):
    phi[r], phi[r + 1], phi[r + 2] = separation(fi, fj, g)


@helper
def spatial_tangent(fi, fj, g, lam, r, K):
    """Likewise: the moment s x (A' lam) of lam about a centre changes by s x ((A' lam) x d) where the body turns by d, body axes."""
    for side in range(2):
        f, o = (fj if side == 1 else fi), 3 * side
        sign, s0, s1, s2 = 2.0 * side - 1.0, g[3 * side], g[3 * side + 1], g[3 * side + 2]
        x, y, z = to_body(f, lam[r], lam[r + 1], lam[r + 2])
        for c in range(3):
            e0, e1, e2 = 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0
            a0, a1, a2 = cross(x, y, z, e0, e1, e2)
            b0, b1, b2 = cross(s0, s1, s2, a0, a1, a2)
            K[o, c] -= sign * b0
            K[o + 1, c] -= sign * b1
            K[o + 2, c] -= sign * b2
    return True


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    eta[r], eta[r + 1], eta[r + 2] = separation_bias(fi, fj, g)
