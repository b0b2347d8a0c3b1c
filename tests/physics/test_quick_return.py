"""The quick-return mechanisms: TU Delft, Multibody Dynamics B, homework 7, which prints plots only, and Shui's, whose dimensions are lost.

The digits of the former were computed independently of mbsim, in the three angles of crank, rocker and rod with the closures as
constraints, to 12 digits.
"""

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim

PROJECTIONS = ("lagrange", "nullspace", "riemann", "svd")
BODIES = ("crank", "block", "rocker", "rod", "ram")  # in the order of the file
ANGLES = [3 * BODIES.index(name) + 2 for name in ("crank", "rocker", "rod")]
RAM = 3 * BODIES.index("ram")
# time (s) -> angles of crank, rocker, rod (rad) and the ram's position (m)
POSITIONS = {
    0.5: (3.6021190260598, 2.2745063841846, 2.4849278323075, -0.9281552117946),
    1.0: (7.2196138090686, 1.3191717201799, 2.762505497269, -0.3831172910894),
    2.0: (14.3967439856728, 1.6744863298719, 2.7951016023894, -0.6367950908225),
}
RATES = (6.807880256956, 1.184065142089, -1.128541919455)  # rad/s at 0.5 s
TURN = 0.877997139511  # s
SETTINGS = {"step": 2.5e-4, "drift_tolerance": 1e-13}


@pytest.mark.parametrize("method", PROJECTIONS)
def test_digits_of_the_delft_mechanism(method: str) -> None:
    result = mbsim.simulate(mechanisms.shipped("quick_return_delft"), method=method, end=2.0, output_step=0.5, **SETTINGS)
    for time, expected in POSITIONS.items():
        row = round(2 * time)
        assert result.time[row] == time
        close(result["q"][row, [*ANGLES, RAM]], expected, atol=1e-10)
    close(result["v"][1, ANGLES], RATES, atol=1e-11)


def test_start_of_the_delft_mechanism() -> None:
    made = mbsim.assemble(mechanisms.shipped("quick_return_delft"))
    close(made.q[ANGLES], [0.0, 0.982793723247329, 2.5838472199899574], atol=1e-12)
    close(made.v[ANGLES], [7.853981633974483, 2.4166097335306103, 1.843253610983726], atol=1e-12)


@pytest.mark.parametrize("method", PROJECTIONS)
def test_one_turn_of_the_delft_mechanism_returns_its_speed(method: str) -> None:
    """After a turn the ram is back and the force on it has done no work, so the crank has its speed again."""
    result = mbsim.simulate(mechanisms.shipped("quick_return_delft"), method=method, end=TURN, output_step=TURN, **SETTINGS)
    close(result["q"][-1, ANGLES[0]], 2 * np.pi, atol=2e-11)
    close(result["v"][-1, ANGLES[0]], 2.5 * np.pi, atol=2e-11)


def test_the_blocks_moment_of_inertia_is_the_rockers() -> None:
    runs = [
        mbsim.simulate(mechanisms.shipped("quick_return_delft", parameters={"J3": J3}), end=0.5, output_step=0.5) for J3 in (0.001, 5.0)
    ]
    close(runs[1]["q"], runs[0]["q"], atol=1e-9)


def test_methods_agree_on_the_mechanism_of_the_riemannian_paper() -> None:
    """At the paper's step, and at a quarter of it: what is left is the integrator's error. The SVD is taken a few times a turn."""
    model = mechanisms.shipped("quick_return")
    assert model.simulation is not None and model.simulation.step == 0.01
    fine = mbsim.simulate(model, method="lagrange", step=0.0025, output_step=0.01)
    for method in PROJECTIONS:
        result = mbsim.simulate(model, method=method)
        close(result["q"], fine["q"], atol=2e-3)
        close(result["energy_balance"], 0.0, atol=1e-4 * result["energy_kinetic"].max())
        assert result.attributes["counts"]["svds"] <= 15
    turns = fine["q"][-1, 5] / (2 * np.pi)
    assert 5.0 < turns < 5.5
    assert (np.diff(fine["q"][:, 5]) > 0.0).all()  # the couple carries it over all positions
