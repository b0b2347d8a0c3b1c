"""`riemann(equations=general)`: the form (9), (12) of Shui with a basis of the user's choice, against plain equations and `lagrange`."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from mechanisms import augmented_solution, close, consistent_state, evaluate

import mbsim
from mbsim import contracts, registry
from mbsim.cli import main
from mbsim.march.ending import SimulationError
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve
from mbsim.singular import decomposition as _held

GENERAL = "riemann(equations=general)"
BASES = {  # independent speeds; None: V2 of the decomposition
    "disk, V2": ("rolling_disk", None),
    "disk, angles": ("rolling_disk", "theta psi der(phi)"),
    "four-bar, V2": ("four_bar", None),
    "four-bar, crank": ("four_bar", "crank.angle"),
    "four-bar, coupler": ("four_bar", "coupler.x"),
    "pendulum": ("pendulum_dae", "y"),
}


def method(named: str | None) -> str:
    return GENERAL if named is None else f"riemann(equations=general, basis={named})"


@pytest.mark.parametrize("case", BASES)
def test_equal_the_augmented_equations(case: str) -> None:
    model, named = BASES[case]
    made = mbsim.assemble(mechanisms.shipped(model))
    system, rng = made.system, np.random.default_rng(3)
    for _ in range(10):
        t, q, v = consistent_state(system, made.q, rng, 0.2)
        a, lam = evaluate(system, method(named), t, q, v)
        expected, multipliers = augmented_solution(system, t, q, v)
        close(a, expected, atol=1e-9 * np.abs(expected).max(initial=1.0))
        close(lam, multipliers, atol=1e-8 * np.abs(multipliers).max(initial=1.0))


def test_its_state_and_basis_are_those_of_the_paper() -> None:
    """u are the named speeds; B spans the tangent space, with B' M B u_dot = B' (h - M a_p) and T B = I."""
    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    system, names = made.system, ["psi", "theta", "phi"]
    solved = formulate(system, resolve(None, system, {"end": 1.0, "method": method(" ".join(names))}))
    places = [system.speeds.index(f"der({name})") for name in names]
    T = np.eye(system.n_v)[places]
    z, dz = np.zeros(solved.size), np.zeros(solved.size)
    for seed in range(4):
        t, q, v = consistent_state(system, made.q, np.random.default_rng(seed), 0.5)
        assert solved.start(t, q, v, z) == contracts.OK
        close(z[:3], v[places], atol=1e-14)
        z[system.n_v : -1] = q
        assert solved.functions.rhs(system.functions, system.arrays, solved.work, t, z, dz) == contracts.OK
        M, h, C, _, eta, _ = system.terms(t, q, v)
        B = solved.work.own.B[:3].T
        close(C @ B, 0.0, atol=1e-12)
        close(T @ B, np.eye(3), atol=1e-12)
        a_p = np.linalg.solve(np.vstack([C, T]), np.concatenate([-eta, np.zeros(3)]))
        close(B.T @ M @ B @ dz[:3], B.T @ (h - M @ a_p), atol=1e-9 * np.abs(h).max())


@pytest.mark.parametrize("case", ["disk, V2", "disk, angles"])
def test_the_motion_is_that_of_lagrange(case: str) -> None:
    model, named = BASES[case]
    common: dict[str, Any] = {"end": 0.5, "integrator": "rk4"}
    exact = mbsim.simulate(mechanisms.shipped(model), method="lagrange", step=0.0025, **common)
    errors = []
    for step in (0.02, 0.01):
        found = mbsim.simulate(mechanisms.shipped(model), method=method(named), step=step, **common)
        errors.append(np.abs(found["q"][-1] - exact["q"][-1]).max())
        close(found["residual_velocity"], 0.0, atol=1e-11)
        assert abs(found["energy_balance"][-1]) < 1e-3
    assert errors[1] < 1e-5 and 10.0 < errors[0] / errors[1] < 32.0, "order 4"


def test_a_model_file_names_the_basis(tmp_path: Path) -> None:
    """As a list; and what becomes of wrong ones. No file is left behind."""
    source = yaml.safe_load((mechanisms.MODELS / "pendulum_dae.yaml").read_text(encoding="utf-8"))
    del source["reference"]
    path, output = tmp_path / "pendulum.yaml", tmp_path / "x.h5"

    def run(**basis: Any) -> Any:
        source["simulation"] = {"end": 0.05, "step": 0.01, "method": "riemann", "integrator": "rk4", **basis}
        path.write_text(yaml.safe_dump(source), encoding="utf-8")
        return CliRunner().invoke(main, ["run", str(path), "-o", str(output)], prog_name="mbsim")

    for basis, said in (
        ({"equations": "general", "basis": ["y", "z"]}, "basis: there is no speed 'z'"),
        ({"equations": "general", "basis": ["y", "der(y)"]}, "basis: 'der(y)' is there twice"),
        ({"equations": "general", "basis": ["x", "y"]}, "basis: 2 speeds are named, and there are 1 degrees of freedom"),
        ({"equations": "general", "basis": ["x"]}, "not independent of the constraints, which already determine der(x)"),
        ({"basis": ["y"]}, "add `equations: general`"),
        ({"equations": "general", "basis": [1]}, "expected a list of names"),
        ({"equations": "general", "basis": []}, "expected a list of names"),
        ({"method": "svd", "basis": ["y"]}, "'basis' is an option of the method 'riemann'"),
    ):
        refused = run(**basis)
        assert refused.exit_code == 2 and said in refused.output and "Traceback" not in refused.output, refused.output
        assert not output.exists()
    done = run(equations="general", basis=["y"])
    assert done.exit_code == 0, done.output
    with mbsim.open_result(output) as result:
        assert result.attributes["options"]["basis"] == "y"


def test_a_basis_that_no_longer_determines_the_motion_ends_the_run() -> None:
    """The speed y of a pendulum does so at its lowest point, after a quarter of its period."""
    model = mechanisms.shipped("pendulum_dae")
    for given in ({"integrator": "rk4", "step": 0.01}, {"integrator": "dop853"}):
        with pytest.raises(SimulationError, match=r"that 'basis' names, der\(y\), no longer determine the motion") as stopped:
            mbsim.simulate(model, method=method("y"), end=2.0, **given)
        assert 0.7 < stopped.value.time < 0.9
        assert np.abs(stopped.value.result["x"][-1]) < 0.1
    whole = mbsim.simulate(model, method=GENERAL, end=1.0, step=0.01, integrator="rk4")
    assert whole.attributes["counts"]["svds"] > 1, "V2 is renewed"


def test_the_options_that_kernels_read_come_first() -> None:
    """`riemann` declares them itself, because its `equations` are more; the kernels of `singular/decomposition.py` read them by their
    places."""
    own, shared = registry.options("methods", "riemann"), _held.OPTIONS
    assert list(own)[: len(shared)] == list(shared)
    assert all(own[name].default == option["default"] for name, option in shared.items())
    assert own["renew"].choices == shared["renew"]["choices"] and own["equations"].choices[:2] == shared["equations"]["choices"]
