"""A joint coordinate, or its speed, is a given function of time: a unit row.

geometry[0]: the place of the coordinate in q, [1]: of the speed in v, [2]: 1 where the law is that of the speed.
"""

from mbsim.jit import helper

COMMON = True
DIMENSIONS = (2, 3)
ON = "speeds"
COORDINATE, SPEED, AT_SPEED = 0, 1, 2


@helper
def row(g, laws, law, C, xi, r):
    C[r, int(g[SPEED])] = 1.0
    xi[r] = -laws[law, 1 - int(g[AT_SPEED])]


@helper
def phi(g, laws, law, q, phi, r):
    if g[AT_SPEED] == 0.0:
        phi[r] = q[int(g[COORDINATE])] - laws[law, 0]


@helper
def eta(g, laws, law, eta, r):
    eta[r] = -laws[law, 2 - int(g[AT_SPEED])]
