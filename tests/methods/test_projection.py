"""The correction of drift against Newton's method written out in numpy."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim import contracts


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_it_is_the_smallest_in_the_norm_of_the_mass_matrix(dimension: int) -> None:
    """M d = -C' (C M^-1 C')^-1 phi until phi is below the tolerance, then the same with C v + xi (Shui & Zhang 1996, eq. 4.10)."""
    made = mbsim.assemble(mechanisms.model(mechanisms.chain(dimension)))
    system, rng = made.system, np.random.default_rng(8)
    t, q, v = mechanisms.consistent_state(system, made.q, rng)
    q, v = system.move(q, 1e-2 * rng.standard_normal(system.n_v)), v + 0.1 * rng.standard_normal(system.n_v)
    solved = mechanisms.formulation(system, "lagrange")
    z = np.concatenate([v, q, [0.0]])
    assert solved.functions.rhs(system.functions, system.arrays, solved.work, t, z, z.copy()) == contracts.OK  # leaves M
    found_q, found_v = q.copy(), v.copy()
    assert solved.functions.project(system.functions, system.arrays, solved.work, t, found_q, found_v) == contracts.OK

    M = system.M(t, q)

    def smallest(C: np.ndarray, residual: np.ndarray) -> np.ndarray:
        Y = np.linalg.solve(M, C.T)
        return np.asarray(-Y @ np.linalg.solve(C @ Y, residual))

    holonomic = system.n_holonomic
    expected_q = q
    while np.abs(system.phi(t, expected_q)).max() > 1e-10:
        expected_q = system.move(expected_q, smallest(system.C(t, expected_q)[:holonomic], system.phi(t, expected_q)))
    C = system.C(t, expected_q)
    close(found_q, expected_q, atol=1e-10)
    close(found_v, v + smallest(C, C @ v + system.xi(t, expected_q)), atol=1e-9)
    assert np.abs(found_q - q).max() > 1e-3 and np.abs(found_v - v).max() > 1e-2
