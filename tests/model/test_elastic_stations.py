"""Stations of elastic parts: where they are, what they carry, and the small motions of a part that spins or is pressed."""

from typing import Any

import numpy as np
import pytest
from elastic_matrices import beam, solid
from scipy.linalg import eigvalsh, null_space
from scipy.sparse import csc_array

from mbsim.model.elastic_files import made
from mbsim.model.elastic_reduction import Frame, Reduced, reduce, rigid_motions
from mbsim.model.elastic_stations import StationError, lobatto

# Flap frequencies of a cantilever that spins, by its angular velocity, in sqrt(EI / rho A L^4): A. D. Wright and others, Vibration modes of
# centrifugally stiffened beams, J. Appl. Mech. 49 (1982) 197-202, to ten digits. Those of lag are sqrt(flap^2 - eta^2).
WRIGHT = {
    0: (3.516015269, 22.034491565),
    2: (4.137319573, 22.614921958),
    6: (7.360373020, 26.809081687),
    12: (13.170150487, 37.603112330),
}
STIFF = {"EA": 4e7, "GJ": 1e5}  # so that nothing but bending is seen
ALL = np.array([(0, c) for c in range(6)])


def blade(stations: Any, modes: int = 6, interfaces: int = 2) -> Reduced:
    nodes, M, K = beam(**STIFF)
    ends = {"hub": Frame(np.array([0]), nodes[0]), "tip": Frame(np.array([len(nodes) - 1]), nodes[-1])}
    kept = dict(list(ends.items())[:interfaces])
    return reduce(made(nodes, csc_array(M), csc_array(K), None, None), kept, modes, stations)


def spun(found: Reduced, speed: float, push: float = 0.0) -> np.ndarray:
    """Frequencies with the first interface held at the origin: the part spins about z, and `push` presses its last interface along -x.

    The potential of second order of steady forces F on bodies at r_0 + theta x r_0 + Phi eta + theta x (theta x r_0) / 2 + theta x Phi eta
    + e eta' Q eta about the straight part, and that of centrifugal forces, which follow the bodies.
    """
    n, m = len(found.omegas), found.interface_masses
    M, K = np.zeros((6 + n, 6 + n)), np.diag([0.0] * 6 + list(found.mode_mass * found.omegas**2))
    M[:3, :3], M[3:6, 3:6], M[6:, 6:] = found.mass * np.eye(3), found.inertia, found.mode_mass * np.eye(n)
    forces = np.outer(m * speed**2, [1.0, 0.0, 0.0]) * found.places[:, :1]
    forces[-1 if len(forces) == 1 else 1, 0] -= push
    forces[0] = -forces[1:].sum(axis=0)  # of what holds it
    rigid = [rigid_motions(place[None], ALL, found.centre) for place in found.places]
    ties = [np.hstack(pair) for pair in zip(rigid, found.shapes, strict=True)]
    for k, F in enumerate(forces):
        M += ties[k].T @ np.diag([m[k]] * 3 + [found.interface_inertias[k]] * 3) @ ties[k]
        K -= m[k] * speed**2 * ties[k][:2].T @ ties[k][:2]
        arm, turned = found.places[k] - found.centre, np.cross(found.shapes[k][:3].T, F).T
        K[3:6, 3:6] -= 0.5 * (np.outer(F, arm) + np.outer(arm, F)) - F @ arm * np.eye(3)
        K[3:6, 6:] -= turned
        K[6:, 3:6] -= turned.T
        if len(found.curves):
            K[6:, 6:] -= 2.0 * F @ found.along * found.curves[k]
    free = null_space(ties[0])
    squares = eigvalsh(free.T @ K @ free, free.T @ M @ free)
    return np.sign(squares) * np.sqrt(np.abs(squares))


@pytest.mark.parametrize("speed", WRIGHT)
def test_frequencies_of_a_spinning_blade(speed: int) -> None:
    """Lag and flap, by turns. Three modes in each plane are good for 2e-5 at rest; what stations leave costs a thousandth of spin."""
    found = spun(blade(9), speed)[:4]
    exact = [x for flap in WRIGHT[speed] for x in (np.sqrt(flap**2 - speed**2), flap)]
    np.testing.assert_allclose(found, exact, rtol=6e-3 if speed == 12 else 5e-4)


def test_without_stations_a_blade_hardly_stiffens() -> None:
    """The centrifugal force on interfaces alone; this is what stations are for."""
    assert spun(blade(0), 6.0)[1] < 0.6 * WRIGHT[6][0]


def test_a_column_buckles() -> None:
    """Euler: pi^2 EI / 4 L^2. A part without stations turns as a whole at 3 EI / L^2, and does not bend sooner."""
    load = 0.25 * np.pi**2
    found = blade(7)
    squares = [float(np.sign(x) * x * x) for x in (spun(found, 0.0, push)[0] for push in (0.99 * load, 1.01 * load))]
    assert squares[0] > 0.0 > squares[1]
    assert spun(blade(0), 0.0, 1.15 * load)[0] > 0.5


@pytest.mark.parametrize("interfaces", [1, 2])
def test_what_stations_carry(interfaces: int) -> None:
    """All but a thousandth of the mass, and the linear part is as without them."""
    found, plain = blade(7, 6, interfaces), blade(0, 6, interfaces)
    assert len(found.places) == interfaces + 7 and (found.interface_masses > 0.0).all()
    assert found.mass + found.interface_masses.sum() == pytest.approx(1.0) and found.mass < (2e-3 if interfaces == 2 else 0.1)
    np.testing.assert_allclose(spun(found, 0.0)[:6], spun(plain, 0.0)[:6], rtol=1e-6)
    assert found.loose == pytest.approx(found.mass) and plain.loose == 1.0
    across = found.mass * found.centre + found.interface_masses @ found.places
    np.testing.assert_allclose(across, [0.5, 0.0, 0.0], atol=1e-9)


def test_stations_that_are_given() -> None:
    """Nodes of a list are the stations, in its order."""
    nodes, _, _ = beam(**STIFF)
    listed = [Frame(np.array([k]), nodes[k]) for k in (3, 9, 12, 15, 21)]
    np.testing.assert_allclose(blade(listed).places[2:], nodes[[3, 9, 12, 15, 21]])


def test_stations_of_a_solid() -> None:
    """Layers of nodes that do not turn are the same stations."""
    nodes, M, K = solid(EA=4e6, GJ=1e3)
    ends = {"hub": Frame(np.arange(4), nodes[:4].mean(axis=0)), "tip": Frame(np.arange(4) + len(nodes) - 4, nodes[-4:].mean(axis=0))}
    found = reduce(made(nodes, csc_array(M), csc_array(K), None, None), ends, 6, 7)
    np.testing.assert_allclose(spun(found, 6.0)[:4], spun(blade(7), 6.0)[:4], rtol=1e-4)


def test_lobatto() -> None:
    """Of five points, sqrt(3/7) and 1; M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), table 25.6."""
    np.testing.assert_allclose(2.0 * lobatto(3, True) - 1.0, [-np.sqrt(3 / 7), 0.0, np.sqrt(3 / 7)], atol=1e-14)
    np.testing.assert_allclose(2.0 * lobatto(4, False) - 1.0, [-np.sqrt(3 / 7), 0.0, np.sqrt(3 / 7), 1.0], atol=1e-14)


def test_stations_that_cannot_be() -> None:
    nodes, _, _ = beam(**STIFF)
    with pytest.raises(StationError, match="there are no nodes for the station"):
        blade(40)
    with pytest.raises(StationError, match="one after the other along the part"):
        blade([Frame(np.array([k]), nodes[k]) for k in (9, 3)])
    with pytest.raises(StationError, match=r"the station 1 is 0\.3 m beside the line of 1 m"):
        blade([Frame(np.array([9]), nodes[9] + [0.0, 0.3, 0.0])])
