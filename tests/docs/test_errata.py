"""scripts/errata.py: the published formulas are wrong, and the corrected ones right, by the numbers that docs/errata.md quotes."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import mbsim

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def errata() -> ModuleType:
    spec = importlib.util.spec_from_file_location("errata_script", ROOT / "scripts" / "errata.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_4_2_multipliers(errata: ModuleType) -> None:
    start = errata.disk_start()
    _, lam = errata.lagrange(start)
    np.testing.assert_allclose(errata.multipliers_printed(start), [-0.155, -1.222, 0.652], rtol=0, atol=5e-4)
    np.testing.assert_allclose(lam, [8.106, 2.539, -0.674], rtol=0, atol=5e-4)
    np.testing.assert_allclose(errata.multipliers_corrected(start), lam, rtol=0, atol=1e-11)


def test_4_2_gives_no_reaction_to_a_body_at_rest(errata: ModuleType) -> None:
    printed, corrected, weight = errata.block_on_a_table()
    assert printed == 0.0
    assert corrected == pytest.approx(weight, rel=1e-14)


def test_3_6_and_3_7_need_the_current_decomposition(errata: ModuleType) -> None:
    held = errata.held_decomposition()
    assert held.condition < 4.0  # far from singular
    assert held.printed_error > 1.0 and held.printed_residual > 1.0
    assert max(held.corrected_error, held.corrected_residual, held.current_error) < 1e-11


def test_4_6_to_4_9_are_no_identities(errata: ModuleType) -> None:
    first, second = errata.factors_4_7_and_4_8()
    assert abs(first - second) > 0.1
    assert errata.identity_4_9() > 0.1


def test_4_10_converges_by_the_smallest_weighted_step(errata: ModuleType) -> None:
    newton = errata.correction_4_10()
    before = newton.residuals[0]
    for after in newton.residuals[1:]:
        assert after < max(before**2, 1e-15)  # quadratic
        before = after
    assert newton.weighted < 0.95 * newton.euclidean


@pytest.mark.parametrize("row", [1, 2, 3])
def test_5_2_second_line_exchanges_two_rates(errata: ModuleType, row: int) -> None:
    import sympy

    disk = errata.symbolic_disk()
    dpsi, dphi = disk["v"][4], disk["v"][5]
    assert errata.symbolic_difference("omega", row) != 0
    exchanged = sympy.sympify(disk["omega_printed"][row - 1]).subs({dpsi: dphi, dphi: dpsi}, simultaneous=True)
    assert sympy.simplify(exchanged - disk["omega"][row - 1]) == 0


def test_5_8_has_one_wrong_sign(errata: ModuleType) -> None:
    import sympy

    disk = errata.symbolic_disk()
    assert sympy.simplify(disk["h_printed"][3] + disk["h"][3]) == 0
    assert [row for row in range(1, 7) if errata.symbolic_difference("h", row) != 0] == [4]


def test_5_10_lacks_two_factors(errata: ModuleType) -> None:
    import sympy

    disk = errata.symbolic_disk()
    theta, psi, dtheta, dpsi = disk["q"][3], disk["q"][4], disk["v"][3], disk["v"][4]
    rho = disk["symbols"]["rho"]
    assert errata.symbolic_difference("eta", 1) == 0
    for row, factor in ((2, sympy.sin(psi)), (3, sympy.cos(psi))):
        missing = -2 * rho * dpsi * sympy.sin(theta) * factor
        assert sympy.simplify(errata.symbolic_difference("eta", row) - (missing - dtheta * missing)) == 0


def test_the_derived_equations_are_those_of_the_shipped_model(errata: ModuleType) -> None:
    start = errata.disk_start()
    for name, values in (("h", start.h), ("eta", start.eta)):
        derived = [errata.numeric(name, row + 1, start)[1] for row in range(len(values))]
        np.testing.assert_allclose(derived, values, rtol=0, atol=1e-12)


def test_5_11_names_the_multipliers_in_the_wrong_order(errata: ModuleType) -> None:
    lam, force = errata.plane_force()
    np.testing.assert_allclose(lam, force[::-1], rtol=0, atol=1e-11)
    assert abs(lam[0] - force[0]) > 1.0


def test_equation_28_taken_literally_converges_to_a_wrong_motion(errata: ModuleType) -> None:
    literal, corrected = errata.riemann_errors(True), errata.riemann_errors(False)
    np.testing.assert_allclose(literal, [0.568561, 0.568562, 0.568562], rtol=0, atol=1e-6)
    orders = np.log2(np.array(corrected[:-1]) / corrected[1:])
    assert (orders > 3.5).all()


def test_the_document_quotes_what_the_script_prints(errata: ModuleType) -> None:
    document = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    quoted = document.split("<!-- begin: printed by scripts/errata.py -->")[1].split("<!-- end -->")[0].strip()
    assert quoted == errata.text()


def test_a_decomposition_held_until_it_is_singular_ends_in_a_wrong_motion(errata: ModuleType) -> None:
    papers, ours = errata.hold_errors("paper"), errata.hold_errors("tangent")
    assert papers[0] > 0.1 and min(papers) > 1e-3
    shrink = np.array(papers[:-1]) / papers[1:]  # from step to half step
    assert shrink.min() < 1.2 and shrink.max() > 4.0  # of no order, nor in proportion to the step
    assert ours[0] < 1e-6 and ours[-1] < 1e-11


def test_a_multiplier_constant_over_a_step_is_late_by_order_1_and_its_velocity_of_order_2(errata: ModuleType) -> None:
    coarse, fine = (errata.root_finding(step) for step in errata.PENDULUM_STEPS)
    assert coarse.at_end == pytest.approx(9.8e-3, rel=0.02)
    assert coarse.at_end / fine.at_end == pytest.approx(2.0, abs=0.1)
    assert coarse.velocity / fine.velocity == pytest.approx(4.0, abs=0.2)


def test_the_printed_equations_by_mbsim_end_in_motions_that_no_step_mends(errata: ModuleType) -> None:
    motion = mbsim.load_model(errata.DISK, parameters=errata.PLANE_AT_REST), errata.SHORT_END, errata.STEPS
    for method, correct in ((errata.RIEMANN, "riemann"), (errata.SVD, "svd")):
        wrong, right = errata.wrong_errors(method, correct, *motion)
        assert min(wrong) > 0.1 and max(wrong) - min(wrong) < 1e-5
        assert max(right) < 1e-6


def test_20_is_not_near_the_inverse_with_several_multipliers(errata: ModuleType) -> None:
    yang = errata.errata_yang
    for name in yang.LOOPS:
        printed, formula, m = yang.inverse_error(name)
        assert m > 1 and printed > 0.4 and formula < 0.15 * printed
    assert yang.inverse_error("pendulum_dae")[0] < 1e-5  # with one it is


def test_22_freezes_the_time_and_is_of_order_1(errata: ModuleType) -> None:
    frozen, own = (np.array(errata.errata_yang.frozen_time(held)) for held in (True, False))
    np.testing.assert_allclose(frozen[:-1] / frozen[1:], 2.0, rtol=0.05)
    np.testing.assert_allclose(own[:-1] / own[1:], 16.0, rtol=0.1)


def test_26_has_motions_that_24_has_not(errata: ModuleType) -> None:
    yang = errata.errata_yang
    assert yang.index_1(yang.LENGTH, 0.0) < 1e-10
    assert yang.index_1(yang.LENGTH * (1.0 + yang.OFF), 0.0) > 2.0 * yang.OFF


def test_theta_is_the_angle_to_i3(errata: ModuleType) -> None:
    theta, psi = errata.disk_start().q[3:5]
    angles = errata.errata_definitions.disk_angles(theta, psi)
    assert angles.to_i3 == pytest.approx(theta, abs=1e-14) and abs(angles.to_i2 - theta) > 1.0
    frame = mbsim.simulate(mbsim.load_model(errata.DISK), end=0.1)  # and so it is on the shipped disk: a height of rho sin(theta)
    assert frame["q"][0, 2] == pytest.approx(frame.parameters["rho"] * np.sin(theta), abs=1e-12)


def test_forces_are_covariant(errata: ModuleType) -> None:
    """A change of coordinates leaves h' v as it is, and h' M v not."""
    start = errata.disk_start()
    J = np.eye(6) + 0.3 * np.random.default_rng(1).standard_normal((6, 6))  # v = J w: M and h become J' M J and J' h
    printed, right = errata.errata_definitions.power(start.M, start.h, start.v)
    w = np.linalg.solve(J, start.v)
    other_printed, other_right = errata.errata_definitions.power(J.T @ start.M @ J, J.T @ start.h, w)
    assert other_right == pytest.approx(right, rel=1e-12) and abs(other_printed - printed) > 0.01 * abs(printed)


def test_the_transfer_formulas_are_reversed(errata: ModuleType) -> None:
    moved = errata.errata_definitions.transfers()
    P = errata.errata_definitions.transfer(errata.errata_definitions.ARM)
    at_outer = np.concatenate([moved.moment, errata.errata_definitions.FORCE])
    np.testing.assert_allclose((P @ at_outer)[:3], errata.errata_definitions.MOMENT, rtol=0, atol=1e-15)  # (7): F_j = P F_o
    assert np.abs(moved.moment_printed - moved.moment).max() > 0.1
    assert np.abs(moved.acceleration_printed - moved.acceleration).max() > 0.1


def test_40_lacks_a_term_inside_of_a_body_that_branches(errata: ModuleType) -> None:
    trees = errata.errata_trees
    for inner in (trees.BETWEEN, trees.TRUNK):
        printed, both = trees.missing_term(inner)
        assert printed > 0.5 and both < 1e-11
    free = trees.equations([-1, 0, 0, 2, 3, 4, 5])  # chains with free ends only, as the robot of the paper
    algebra = trees.Multiplier()
    np.testing.assert_allclose(trees.odd_even(free, True, algebra), free.F_S, rtol=0, atol=1e-9 * np.abs(free.F_S).max())


def test_odd_even_is_not_linear_and_the_factorisation_from_the_leaves_is(errata: ModuleType) -> None:
    trees = errata.errata_trees
    chains, binary = ([trees.costs(shape, n) for n in sizes] for shape, sizes in (("chain", trees.CHAINS), ("binary", trees.BINARY)))
    growth = np.diff([cost[0] for cost in chains])  # of the logarithm: each chain is four times as long
    assert growth[-1] == pytest.approx(growth[0], rel=0.1) and growth[0] > 1000
    for found in (chains, binary):
        assert max(cost[1] for cost in found) < 1.75 * min(cost[1] for cost in found)
        assert [cost[2] for cost in found] == [0] * len(found)
    assert binary[-1][0] / binary[-2][0] > 3.5  # a joint, of twice as many: the square
    stars = [trees.costs("star", n) for n in trees.STARS]
    assert stars[-1][1] / stars[-2][1] > 10.0  # of four times as many: the square again, for every block of A is occupied
    assert [cost[2] for cost in stars] == [0] * len(stars)


def test_F_S_is_not_what_the_joint_transmits(errata: ModuleType) -> None:
    F_S, physical = errata.errata_trees.robot_forces()
    assert np.abs(F_S - physical).max() > 0.1 * np.abs(physical).max()
    made = mbsim.assemble(mbsim.load_model(errata.errata_trees.ROBOT))
    run = mbsim.simulate(made, method="aba", integrator="dop853", rtol=1e-11, atol=1e-11, end=3.0, output_step=3.0)
    force = [run.select("joint_force", "J11", c)[-1] for c in "xyz"]
    torque = [run.select("joint_torque", "J11", c)[-1] for c in "xyz"]
    assert np.linalg.norm(physical[2:]) == pytest.approx(np.linalg.norm(force), rel=1e-9)
    assert np.linalg.norm(physical[:2]) == pytest.approx(np.linalg.norm(torque), rel=1e-9)  # without that along the hinge
