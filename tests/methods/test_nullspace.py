"""The null-space basis of `nullspace` and the equation that it solves, written out."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close, consistent_state, formulation

import mbsim
from mbsim import contracts, registry

CASES: dict[str, Any] = {
    "rolling_disk": lambda: mechanisms.shipped("rolling_disk"),
    "spatial_slider_crank": lambda: mechanisms.shipped("spatial_slider_crank"),
    "every_spatial_joint": lambda: mechanisms.model(mechanisms.chain(3)),
    "three_spatial_hinges": lambda: mechanisms.model(mechanisms.parallel_pendulum(3, 3)),
    "unconstrained": lambda: mechanisms.shipped("double_pendulum"),
}


@pytest.mark.parametrize("name", CASES)
def test_basis_and_equation_12(name: str) -> None:
    """C B = 0, B' B = I, and v_dot = [B' M; C]^-1 [B' h; -eta]: Yang, Duan & Di 2006, eq. (12); redundant rows by least squares."""
    module = registry.module("methods", "nullspace")
    made = mbsim.assemble(CASES[name]())
    system, rng = made.system, np.random.default_rng(11)
    for _ in range(10):
        t, q, v = consistent_state(system, made.q, rng)
        work = formulation(system, "nullspace").work
        z, dz = np.zeros(system.n_v + system.n_q + 1), np.zeros(system.n_v + system.n_q + 1)
        z[system.n_v : -1] = q
        module.start(system.functions, system.arrays, work, t, q, v, z)
        assert module.rhs(system.functions, system.arrays, work, t, z, dz) == contracts.OK
        M, h, C, _, eta, _ = system.terms(t, q, v)
        rank = np.linalg.matrix_rank(C, tol=1e-7) if C.size else 0
        assert work.status[contracts.STATUS_RANK] == rank
        B = work.own.basis[: system.n_v - rank].T
        close(B.T @ B, np.eye(B.shape[1]), atol=1e-13)
        close(C @ B, 0.0, atol=1e-9)
        size = np.abs(dz).max(initial=1.0)
        left, right = np.vstack([B.T @ M, C]), np.concatenate([B.T @ h, -eta])
        close(dz[: system.n_v], np.linalg.lstsq(left, right, rcond=None)[0], atol=1e-9 * size)
