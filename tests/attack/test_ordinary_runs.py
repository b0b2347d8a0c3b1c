"""scripts/attack/ordinary_runs.py: some mechanisms here, 500 as `slow`; and its oracle against closed forms."""

import numpy as np
import ordinary_runs as attack
import pytest

FEW, MANY, PARTS = 10, 500, 10


def found(seeds: range) -> list[str]:
    """What must not be."""
    return [" ".join(map(str, finding)) for finding in map(attack.judge, seeds) if finding.verdict not in attack.GOOD]


def test_regular_mechanisms_run_to_the_end_and_are_right() -> None:
    assert found(range(FEW)) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_do(part: int) -> None:
    assert found(range(FEW + part, MANY, PARTS)) == []


def pendulum(length: float) -> attack.Oracle:
    oracle = attack.Oracle(np.ones(1), np.full((1, 3), 0.1), np.array([[length, 0.0, 0.0]]))
    oracle.add("spherical", 1, 0, np.zeros((2, 3)), np.eye(3)[:2])
    oracle.close()
    return oracle


def test_the_oracle_is_a_pendulum() -> None:
    """From the horizontal: angular acceleration m g l / (J + m l^2), and no other."""
    y = np.concatenate([[0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], np.zeros(6)])
    rates = pendulum(0.5).rates(0.0, y)
    turn = attack.G * 0.5 / (0.1 + 0.25)
    assert rates[7:] == pytest.approx([0.0, 0.0, -0.5 * turn, 0.0, turn, 0.0], abs=1e-12)


@pytest.mark.parametrize("kind", attack.KINDS)
def test_the_rows_of_the_oracle_are_the_derivatives_of_its_residuals(kind: str) -> None:
    """C v and C a + eta are the first and second rates of phi along a motion, by central differences."""
    rng = np.random.default_rng(5)
    oracle = attack.Oracle(np.ones(2), np.ones((2, 3)), rng.uniform(-1.0, 1.0, (2, 3)))
    a = attack.direction(rng)
    oracle.add(kind, 0, 1, rng.uniform(-1.0, 1.0, (2, 3)), np.array([a, attack.across(a, rng)]))
    oracle.close()
    assert len(oracle.kinds) == attack.KINDS[kind]
    v, w, h = rng.uniform(-1.0, 1.0, (2, 3)), rng.uniform(-1.0, 1.0, (2, 3)), 1e-4

    def phi(t: float) -> np.ndarray:
        angle = np.linalg.norm(w, axis=1)[:, None]
        p = np.concatenate([np.cos(0.5 * angle * t), np.sin(0.5 * angle * t) * w / angle], axis=1)
        return np.asarray(oracle.terms(oracle.x[:2] + t * v, p, v, w)[0])

    _, C, eta, _ = oracle.terms(oracle.x[:2], np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)), v, w)
    speeds = np.concatenate([v, w], axis=1).ravel()
    assert C @ speeds == pytest.approx((phi(h) - phi(-h)) / (2 * h), abs=1e-6)
    assert eta == pytest.approx((phi(h) - 2 * phi(0.0) + phi(-h)) / h**2, abs=1e-5)


@pytest.mark.slow
def test_a_body_that_falls_away_from_a_loop() -> None:
    """`svd` stops at 22 of 37 s, where the joint-space M has a condition of 9e14; the run begins anew with `aba`."""
    finding = attack.judge(101307, placed=False)
    assert finding.verdict == "right" and "aba" in finding.detail
