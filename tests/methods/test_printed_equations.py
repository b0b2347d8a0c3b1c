"""`svd` and `riemann` with the equations as printed: they are those of the papers, they are wrong, and they do not run unasked."""

from collections.abc import Iterator
from pathlib import Path

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import close, consistent_state

import mbsim
from mbsim import contracts
from mbsim.assembly import Assembly
from mbsim.cli import main
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve

SVD, RIEMANN = "svd(equations=paper)", "riemann(equations=paper)"


@pytest.fixture(scope="module", params=["rolling_disk", "spatial_slider_crank"])
def made(request: pytest.FixtureRequest) -> Assembly:
    return mbsim.assemble(mechanisms.shipped(request.param))


def states(made: Assembly, method: str) -> Iterator[tuple[contracts.Work, np.ndarray, np.ndarray, float, np.ndarray, np.ndarray]]:
    """Evaluations at consistent states near the start, where V2 was taken: work, dz, V2' (k, n), t, q and the state's speeds."""
    system, rng = made.system, np.random.default_rng(2)
    solved = formulate(system, resolve(None, system, {"end": 1.0, "method": method}, allow_wrong=True))
    work, n = solved.work, system.n_v
    z, dz = np.zeros(solved.size), np.zeros(solved.size)
    assert solved.start(made.start, made.q, made.v, z) == contracts.OK
    k = n - int(work.status[contracts.STATUS_RANK])
    V2 = np.zeros((k, n))
    for _ in range(4):
        t, q, _ = consistent_state(system, made.q, rng, 0.1)
        z[:k], z[n:-1] = rng.standard_normal(k), q
        assert solved.functions.rhs(system.functions, system.arrays, work, t, z, dz) == contracts.OK
        V2[:, work.own.columns] = work.own.V2[:k]  # the columns may have been picked anew
        V2 /= work.scales  # it takes slides in arms of the mechanism
        yield work, dz, V2, t, q, z[:k]


def test_svd_has_equations_3_5_to_3_7_of_the_held_decomposition(made: Assembly) -> None:
    system = made.system
    C = system.C(made.start, made.q)
    rank = np.linalg.matrix_rank(C)
    solved = formulate(system, resolve(None, system, {"end": 1.0, "method": SVD}, allow_wrong=True))
    solved.start(made.start, made.q, made.v, np.zeros(solved.size))
    scales = solved.work.scales  # slides in arms of the mechanism
    U, sigma, Vt = np.linalg.svd(C * scales)
    if rank < len(C):
        pytest.skip("the paper takes rows as independent")
    E = scales[:, None] * Vt[:rank].T @ np.diag(1.0 / sigma[:rank]) @ U[:, :rank].T
    for work, dz, V2, t, q, p in states(made, SVD):
        v = np.linalg.solve(np.vstack([system.C(t, q), V2]), np.concatenate([-system.xi(t, q), p]))  # (2.10)
        close(work.v, v, atol=1e-10)
        M, h, _, _, eta, _ = system.terms(t, q, v)
        ways = V2 * scales**2  # V2 of the scaled speeds, as displacements
        K = ways.T @ np.linalg.solve(ways @ M @ ways.T, ways)
        a = K @ h + (K @ M - np.eye(len(v))) @ E @ eta
        close(work.a, a, atol=1e-9 * np.abs(a).max())
        close(dz[: len(p)], V2 @ a, atol=1e-9 * np.abs(a).max())
        assert np.abs(system.C(t, q) @ a + eta).max() > 1e-3


def test_riemann_has_equations_21_22_and_28_read_literally(made: Assembly) -> None:
    system = made.system
    for work, dz, V2, t, q, u_bar in states(made, RIEMANN):
        C, xi, v, a, k = system.C(t, q), system.xi(t, q), work.v, work.a, len(u_bar)
        M, h, _, _, eta, _ = system.terms(t, q, v)
        W2 = np.linalg.solve(np.linalg.cholesky(M).T, work.own.dual[-k:].T)
        close(W2.T @ M @ W2, np.eye(k), atol=1e-11)
        close(C @ W2, 0.0, atol=1e-9)
        close(C @ v, -xi, atol=1e-9)
        close(W2.T @ M @ v, u_bar, atol=1e-9)  # (21)
        particular = np.linalg.lstsq(np.vstack([V2, C]), np.concatenate([np.zeros(k), -eta]), rcond=None)[0]  # (28)
        rate = W2.T @ (h - M @ particular)  # (22)
        size = np.abs(particular).max()
        close(dz[:k], rate, atol=1e-9 * size)
        close(a, particular + W2 @ rate, atol=1e-9 * size)  # (27)
        close(C @ a, -eta, atol=1e-8 * size)


@pytest.mark.parametrize("method", [SVD, RIEMANN])
def test_a_wrong_motion_is_refused_unless_asked_for_and_marked(method: str) -> None:
    model = mechanisms.shipped("rolling_disk")
    with pytest.raises(ValueError, match=r"wrong.*allow_wrong=True"):
        mbsim.simulate(model, method=method, integrator="rk4", end=0.5, step=0.05)
    exact = mbsim.simulate(model, method="svd", integrator="rk4", end=0.5, step=0.01)
    coarse, fine = (mbsim.simulate(model, method=method, integrator="rk4", end=0.5, step=h, allow_wrong=True) for h in (0.02, 0.01))
    off = [float(np.abs(run["q"][-1] - exact["q"][-1]).max()) for run in (coarse, fine)]
    assert off[1] > 0.1 and off[0] == pytest.approx(off[1], rel=1e-3)  # a smaller step does not help
    close(fine["residual_velocity"], 0.0, atol=1e-12)
    assert fine.attributes["wrong"] == fine.attributes["warnings"][0]
    assert "wrong" not in exact.attributes


def test_svd_decomposed_at_every_evaluation_is_right() -> None:
    model = mechanisms.shipped("rolling_disk")
    runs = [
        mbsim.simulate(model, method=method, integrator="rk4", end=0.1, step=0.01) for method in ("svd", "svd(equations=paper, hold=false)")
    ]
    close(runs[1]["q"], runs[0]["q"], atol=1e-8)
    assert "wrong" not in runs[1].attributes


def test_riemann_needs_a_held_basis() -> None:
    with pytest.raises(ValueError, match="leave out hold: false"):
        mbsim.simulate(mechanisms.shipped("rolling_disk"), method=RIEMANN, hold=False, end=0.1, step=0.01, allow_wrong=True)


@pytest.mark.parametrize("method", [SVD, RIEMANN])
def test_v2_is_renewed(method: str) -> None:
    """The velocity does not leap where the decomposition is taken anew: its changes shrink with the step."""
    common = {"method": method, "integrator": "rk4", "end": 0.2, "hold_limit": 0.3, "allow_wrong": True}
    coarse, fine = (mbsim.simulate(mechanisms.shipped("four_bar"), step=h, **common) for h in (0.005, 0.0025))
    changes = [np.abs(np.diff(run["v"], axis=0)).max() for run in (coarse, fine)]
    assert changes[1] < 0.6 * changes[0]
    assert fine.attributes["counts"]["svds"] > 1
    close(fine["residual_velocity"], 0.0, atol=1e-10)
    close(fine["residual_position"], 0.0, atol=1e-9)


def test_the_command_refuses_it_with_exit_code_2_and_the_reason(tmp_path: Path) -> None:
    output = tmp_path / "x.h5"
    words = ["run", "rolling_disk", "--method", RIEMANN, "--integrator", "rk4", "--step", "0.02", "--end", "0.1", "-o", str(output)]
    refused = CliRunner().invoke(main, words, prog_name="mbsim")
    assert refused.exit_code == 2 and not output.exists()
    assert "eq. 28" in refused.stderr and "--allow-wrong" in refused.stderr
    done = CliRunner().invoke(main, [*words, "--allow-wrong"], prog_name="mbsim")
    assert done.exit_code == 0, done.stderr
    with mbsim.open_result(output) as result:
        assert "eq. 28" in result.attributes["wrong"] and result.attributes["options"]["equations"] == "paper"


def test_compare_runs_it_and_marks_it() -> None:
    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    found = mbsim.compare(made, methods=[SVD, "svd"], integrators=["rk4"], steps=[0.02, 0.01], end=0.2, repeats=1)
    assert [row.verdict for row in found.cases[0].rows] == ["known wrong"] * 2 + ["agrees"] * 2
    assert found.ok  # it was known
    facts = found.facts()["models"][0]
    assert [bool(row["wrong"]) for row in facts["rows"]] == [True, True, False, False]
    assert facts["advice"]["settings"]["method"] == "svd" and "equations" not in facts["advice"]["settings"]
    assert any(line.startswith("Wrong, as the published formulas are: svd(equations=paper)") for line in facts["advice"]["lines"])
    assert "known wrong: eqs. 3.6-3.7" in " ".join(found.table().split())


@pytest.mark.slow
def test_compare_expects_that_it_stops() -> None:
    """With a step of 0.01 s the four-bar leaves its constraints."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    found = mbsim.compare(made, methods=["lagrange", SVD], integrators=["rk4"], steps=[0.01], end=0.3, repeats=1)
    sound, row = found.cases[0].rows
    assert row.verdict == "known wrong" and row.reason.startswith("stopped at t = ") and "eqs. 3.6-3.7" in row.wrong
    assert sound.verdict == "agrees" and found.ok
