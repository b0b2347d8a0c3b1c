"""A joint coordinate, or its speed, is a given function of time: a unit row.

geometry[0]: the place of the coordinate in q, [1]: of the speed in v, [2]: 1 where the law is that of the speed. [3]: the coordinate where
there is no law, as that of a closed stop.
"""

from mbsim.jit import helper
from mbsim.kernels.laws import law_of

COMMON = True
DIMENSIONS = (2, 3)
ON = "speeds"
COORDINATE, SPEED, AT_SPEED, KEPT = 0, 1, 2, 3


@helper
def row(g, laws, law, C, xi, r):
    C[r, int(g[SPEED])] = 1.0
    xi[r] = -law_of(laws, law, 1 - int(g[AT_SPEED]))


@helper
def phi(g, laws, law, q, phi, r):
    if g[AT_SPEED] == 0.0:
        phi[r] = q[int(g[COORDINATE])] - g[KEPT] - law_of(laws, law, 0)


@helper
def eta(g, laws, law, eta, r):
    eta[r] = -law_of(laws, law, 2 - int(g[AT_SPEED]))
