"""Random problems of contact with friction against solvers in plain NumPy and SciPy, also with redundant contacts."""

from itertools import product

import numpy as np
import pytest
from plain_contact import de_saxce, planar_solutions
from scipy.optimize import nnls

from mbsim.unilateral.answer import Answer, answer
from mbsim.unilateral.gauss_seidel import relax
from mbsim.unilateral.impacts import LAWS, impact, one_after_the_other
from mbsim.unilateral.natural_map import scale_rows
from mbsim.unilateral.problem import GOOD, LEMKE, METHODS, NOT_FINITE, SEVERAL, SOLVED, Load, contacts, problem, scratch

SHARES = (1.0, 0.6, 0.4)  # speeds of the system, of the rows
PLANAR = ("enumeration", "lemke", "newton")


def random_problem(rng: np.random.Generator, n: int, tangents: int, share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W (rows, speeds), v (speeds,) and coefficients: D = W W', b = W v."""
    rows = n * (1 + tangents)
    W = rng.normal(size=(rows, max(1, round(share * rows))))
    return W, rng.normal(size=W.shape[1]), rng.uniform(0.0, 1.5, n)


def answered(W: np.ndarray, v: np.ndarray, friction: np.ndarray, tangents: int, method: str | None = None) -> Answer:
    return answer(W @ W.T, W @ v, contacts(np.ones(len(friction)), tangents, friction), method=method)


@pytest.mark.parametrize("share", SHARES)
def test_planar(share: float) -> None:
    """500 problems, of which each method gives a solution that the enumeration in NumPy has, too."""
    rng = np.random.default_rng(7)
    several = 0
    for k in range(167):
        W, v, friction = random_problem(rng, 1 + k % 4, 1, share)
        D, b = W @ W.T, W @ v
        known = planar_solutions(D, b, friction)
        for method in PLANAR:
            found = answered(W, v, friction, 1, method)
            assert found.code in (SOLVED, SEVERAL) and found.residual <= 1e-12
            assert de_saxce(D, b, found.p, friction, 1) < 1e-10
            distances = [np.abs(found.w - w).max() for _, w in known]
            assert min(distances) < 1e-7 * max(np.abs(b).max(), np.abs(found.w).max())
            if method == "enumeration":
                different = max(distances) > 1e-6 * np.abs(b).max()
                assert (found.code == SEVERAL) == different == (found.velocities_unique == "not unique")
                several += different
    assert several > 0


@pytest.mark.parametrize("share", SHARES)
def test_space(share: float) -> None:
    """500 problems of up to 8 contacts by De Saxce's map."""
    rng = np.random.default_rng(11)
    for k in range(167):
        W, v, friction = random_problem(rng, 1 + k % 8, 2, share)
        found = answered(W, v, friction, 2)
        assert found.code == SOLVED and found.residual <= 1e-12
        assert de_saxce(W @ W.T, W @ v, found.p, friction, 2) < 1e-10


@pytest.mark.parametrize("tangents", [1, 2])
@pytest.mark.parametrize("n", [16, 64])
def test_many(n: int, tangents: int) -> None:
    rng = np.random.default_rng(n)
    for share in SHARES:
        W, v, friction = random_problem(rng, n, tangents, share)
        found = answered(W, v, friction, tangents)
        assert found.code == SOLVED and de_saxce(W @ W.T, W @ v, found.p, friction, tangents) < 1e-10
        if tangents == 1 and n == 16:
            assert answered(W, v, friction, tangents, METHODS[LEMKE]).code == SOLVED


@pytest.mark.parametrize("tangents", [1, 2])
@pytest.mark.parametrize("share", [0.6, 0.4])
def test_relaxation_comes_close_to_a_solution(share: float, tangents: int) -> None:
    """As of heaps: friction below 0.5, and more rows than speeds. What is called good solves De Saxce's map, too."""
    rng, solved = np.random.default_rng(5), 0
    for _ in range(20):
        W, v, _ = random_problem(rng, 20, tangents, share)
        friction, D, b = rng.uniform(0.0, 0.5, 20), W @ W.T, W @ v
        given = problem(D, b, contacts(np.ones(20), tangents, friction))
        work = scratch(given)
        scale_rows(given, work.scale)
        code = relax(given, work, 4000)
        assert (code == SOLVED) == (work.residual[0] <= GOOD * work.residual[1])
        if code == SOLVED:
            solved += 1
            assert de_saxce(D, b, work.p, friction, tangents) < 10.0 * GOOD
    assert solved > 10


@pytest.mark.parametrize("method", [*PLANAR, None])
def test_without_friction_as_least_squares(method: str | None) -> None:
    """min |W' p + v| over p >= 0, by SciPy: the velocities are unique, and the impulses as far as D says."""
    rng = np.random.default_rng(5)
    for share, n in product(SHARES, (1, 2, 5, 9)):
        W, v, _ = random_problem(rng, n, 0, share)
        p, _ = nnls(W.T, -v)
        found = answered(W, v, np.zeros(n), 0, method)
        assert found.code == SOLVED and found.velocities_unique == "unique"
        assert np.allclose(found.w, W @ (v + W.T @ p), atol=1e-9)
        if found.impulses_unique == "unique":
            assert np.allclose(found.p, p, atol=1e-8 * max(1.0, np.abs(p).max()))


@pytest.mark.parametrize("tangents", [0, 1, 2])
@pytest.mark.parametrize("equal", [True, False])
def test_poisson_gains_no_energy_and_stops_nobody_from_leaving(tangents: int, equal: bool) -> None:
    rng = np.random.default_rng(23)
    for k in range(100):
        W, v, friction = random_problem(rng, 1 + k % 4, tangents, SHARES[k % 3])
        n = len(friction)
        of = contacts(np.ones(n), tangents, friction, restitution=np.full(n, rng.uniform()) if equal else rng.uniform(0, 1, n))
        made = impact(W @ W.T, W @ v, of, "poisson")
        after = v + W.T @ made.impulses
        assert made.answer.code in (SOLVED, SEVERAL) and not made.gains
        assert made.energy <= 1e-12 * (v @ v) and made.energy == pytest.approx(0.5 * (after @ after - v @ v), abs=1e-9 * (v @ v))
        assert (made.after[:: 1 + tangents] >= -1e-9 * np.abs(W @ v).max()).all()


@pytest.mark.parametrize("law", LAWS)
def test_one_contact_without_friction(law: str) -> None:
    """Both laws are one: the normal velocity is reversed and scaled by e."""
    rng = np.random.default_rng(2)
    for e in (0.0, 0.3, 1.0):
        W, v = rng.normal(size=(1, 4)), rng.normal(size=4)
        v *= -np.sign(W @ v)[0]
        of = contacts(1, 0, restitution=e)
        made, one = (each(W @ W.T, W @ v, of, law) for each in (impact, one_after_the_other))
        assert made.after == pytest.approx(-e * (W @ v), abs=1e-14) and one.after == pytest.approx(made.after, abs=1e-14)
        assert not made.gains and made.energy <= 1e-15 and bool(made.leaves[0]) == (e > 0)


def test_units_of_rows_change_nothing() -> None:
    """Impulses of rows in mm are those in m, divided by a thousand."""
    rng = np.random.default_rng(31)
    for tangents, method in product((1, 2), ("newton", None)):
        W, v, friction = random_problem(rng, 3, tangents, 1.0)
        plain, scaled = answered(W, v, friction, tangents, method), answered(1e3 * W, v, friction, tangents, method)
        assert np.allclose(plain.p, 1e3 * scaled.p, rtol=1e-9, atol=1e-12) and (plain.modes == scaled.modes).all()


def test_what_is_not_finite_is_named() -> None:
    D, b = np.eye(4), np.array([0.0, 1.0, np.nan, 0.0])
    found = answer(D, b, contacts([1, 1], 1, 0.5))
    assert (found.code, found.contact) == (NOT_FINITE, 1)
    D[3, 1] = np.inf
    assert answer(D, np.zeros(4), contacts([1, 1], 1, 0.5)).code == NOT_FINITE


@pytest.mark.parametrize("tangents", [1, 2])
@pytest.mark.parametrize("method", ["newton", None])
def test_given_bounds_as_a_convex_problem(tangents: int, method: str | None) -> None:
    """Friction of joints with given torques: p minimises 1/2 p' D p + b' p within disks, and w is unique. By projected gradients."""
    rng = np.random.default_rng(3)
    for share, n in product(SHARES, (1, 3)):
        W, v, _ = random_problem(rng, n, tangents - 1, share)
        D, b, bounds = W @ W.T, W @ v, rng.uniform(0.0, 0.3, n)
        p, length = np.zeros(len(b)), 1.0 / np.linalg.eigvalsh(D)[-1]
        ahead, before, turn = p.copy(), p.copy(), 1.0
        for _ in range(20_000):  # Nesterov's, begun anew where it overshoots
            blocks = (ahead - length * (D @ ahead + b)).reshape(n, tangents)
            norms = np.linalg.norm(blocks, axis=1)
            p = (blocks * np.minimum(1.0, bounds / np.maximum(norms, 1e-300))[:, None]).ravel()
            if np.abs(p - before).max() < 1e-16:
                break
            turn = 1.0 if (ahead - p) @ (p - before) > 0 else (1 + np.sqrt(1 + 4 * turn**2)) / 2
            ahead, before = p + (turn - 1) / (turn + 1) * (p - before), p
        found = answer(D, b, contacts(np.zeros(n), tangents, fixed=bounds), method=method)
        assert found.code == SOLVED and found.residual <= 1e-12
        assert np.allclose(found.w, D @ p + b, atol=1e-6 * np.abs(b).max())


def test_friction_of_reactions_by_all_modes_and_by_newton() -> None:
    """Joints whose reactions load their friction, beside contacts: what Newton finds is among what enumeration finds, or is the same."""
    rng = np.random.default_rng(17)
    agree = 0
    for k in range(60):
        W, v, friction = random_problem(rng, 2, 1, 1.0)
        joint = rng.normal(size=(1, 4))
        rows = np.vstack([W, joint])
        of = contacts([1, 1, 0], 1, [*friction, 0.0])
        size = 1 + k % 2  # one reaction with a sign, or a vector
        loads = [Load(2, 0.05, rng.normal(size=size), 0.3 * rng.normal(size=(size, 5)))]
        D, b = rows @ rows.T, rows @ v
        every, quick = (answer(D, b, of, loads=loads, method=method) for method in ("enumeration", "newton"))
        assert every.code in (SOLVED, SEVERAL) and every.residual <= 1e-12
        assert quick.code == SOLVED and quick.residual <= 1e-12
        same = np.allclose(every.w, quick.w, atol=1e-8 * np.abs(b).max())
        assert same or every.code == SEVERAL
        agree += same
    assert agree > 50


def test_known_slip_by_all_methods() -> None:
    """Contacts that slide in known directions, also in space: p_T = -mu p_N d, and the methods agree where the solution is unique."""
    rng = np.random.default_rng(29)
    unique = 0
    for k in range(60):
        tangents, n = 1 + k % 2, 1 + k % 3
        W, v, friction = random_problem(rng, n, tangents, 1.0)
        D, b, direction = W @ W.T, W @ v, np.zeros(n * (1 + tangents))
        for i in range(n):
            each = rng.normal(size=tangents)
            direction[i * (1 + tangents) + 1 : (i + 1) * (1 + tangents)] = each / np.linalg.norm(each)
        of = contacts(np.ones(n), tangents, 0.3 * friction)
        found = [answer(D, b, of, direction, method=method) for method in PLANAR]
        if found[0].code != SOLVED:
            continue
        unique += 1
        for each in found:
            assert each.code == SOLVED and np.allclose(each.w, found[0].w, atol=1e-8 * np.abs(b).max())
            p, slip = each.p.reshape(n, -1), direction.reshape(n, -1)
            assert np.allclose(p[:, 1:], -0.3 * friction[:, None] * p[:, :1] * slip[:, 1:], atol=1e-12)
    assert unique > 40
