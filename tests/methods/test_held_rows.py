"""Rows that depend on each other: those that count are held over a step, and position rows come before velocity rows."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from mechanisms import VARIANTS, fitted_order
from scipy.integrate import solve_ivp

import mbsim
from mbsim import contracts
from mbsim.assembly import Assembly

FAILING = Path(__file__).parents[1] / "failing"
METHODS = ["lagrange", "nullspace", "baumgarte", "broyden", "svd", "riemann", "cfa"]
OWN_STEP = ["generalized_alpha", "generalized_alpha(index=3)", "rattle"]
IN_JOINT_COORDINATES = ["aba", "kane"]
CAR = 0.571882446386  # rad/s, of the post after 3 s: (J_z + m R^2 + I R^2 / r^2 + I_t) w = T t
STEPS = np.array([0.02, 0.01, 0.005])


def made(path: Path, joint: bool) -> Assembly:
    """A model, in the coordinates that a method takes."""
    data = yaml.safe_load(path.read_text())
    data.pop("reference", None)
    return mbsim.assemble(mechanisms.model(data | ({"coordinates": "joint"} if joint else {})))


@pytest.mark.parametrize("method", [*METHODS, *IN_JOINT_COORDINATES])
def test_the_order_with_redundant_rows(method: str) -> None:
    """Bricard's linkage, whose published position has 12 digits. With rows picked anew at each stage rk4 was of order 2, 6.5e-7 off."""
    system = made(mechanisms.MODELS / "bricard.yaml", method in IN_JOINT_COORDINATES)
    exact = {"x": 0.392491390226, "y": -1.267937769065, "z": -0.161103444067}
    sharp: dict[str, Any] = {"integrator": "rk4", "end": 1.0, "output_step": 1.0, "drift_tolerance": 1e-13}
    sharp = mechanisms.used(method, sharp)
    errors = []
    for h in STEPS:
        found = mbsim.simulate(system, method=VARIANTS.get(method, method), step=h, **sharp)
        errors.append(max(abs(found.select("body_position", "rod3", axis)[-1] - value) for axis, value in exact.items()))
    assert fitted_order(STEPS, np.array(errors)) > 3.7, errors
    assert errors[-1] < 3e-9 if method == "baumgarte" else errors[-1] < 2e-10, errors


@pytest.mark.parametrize("method", [*METHODS, *OWN_STEP, *IN_JOINT_COORDINATES])
def test_rolling_that_a_joint_repeats(method: str) -> None:
    """A wheel on an arm that turns: of its slip and the axle's rows one is redundant. `broyden` and `generalized_alpha` stopped at once."""
    system = made(FAILING / "car_on_turning_arm.yaml", method in IN_JOINT_COORDINATES)
    integrator = {} if method in OWN_STEP else {"integrator": "rk4"}
    errors = []
    for h in (0.02, 0.01):
        found = mbsim.simulate(system, method=VARIANTS.get(method, method), end=3.0, output_step=3.0, step=h, **integrator)
        errors.append(abs(found.select("body_angular_velocity", "post", "z")[-1] - CAR))
    if method.startswith("generalized_alpha"):
        assert errors[1] < 1e-5
        assert 1.7 < np.log2(errors[0] / errors[1]) < 2.3
    else:
        assert max(errors) < 1e-7
        assert errors[1] < 5e-9


@pytest.mark.parametrize("method", [x for x in [*METHODS, *IN_JOINT_COORDINATES] if x != "baumgarte"])  # which has no step here to go by
def test_a_cone_that_rolls_about_its_tip(method: str) -> None:
    """On an inclined plane it swings as a pendulum (Landau and Lifshitz, Mechanics, par. 32). One row of slip follows from the tip's."""
    system = made(FAILING / "rolling_cone.yaml", method in IN_JOINT_COORDINATES)
    half, slope, height, start = np.deg2rad(25.0), np.deg2rad(30.0), 0.4, np.deg2rad(40.0)
    square = 5 * 9.81 * np.cos(half) * np.sin(slope) / (height * (1 + 5 * np.cos(half) ** 2))
    rate = lambda t, y: [y[1], -square * np.sin(y[0])]  # noqa: E731
    angle = solve_ivp(rate, (0, 2), [start, 0], method="DOP853", rtol=1e-13, atol=1e-14).y[0, -1]
    for rtol in (1e-7, 1e-10):
        found = mbsim.simulate(system, method=method, integrator="dop853", rtol=rtol, atol=rtol / 10, end=2.0, output_step=1.0)
        x, y = (found.select("body_position", "cone", axis)[-1] for axis in "xy")
        assert abs(np.arctan2(x, -y) - angle) < 30 * rtol, rtol


@pytest.mark.parametrize("method", ["aba", "kane", "lagrange", "nullspace", "broyden"])
def test_parallel_rows_of_which_one_fades(method: str) -> None:
    """The cone's two rows of slip are parallel in joint coordinates, and one after the other vanishes as it rolls. Round-off chose between
    them: at one of these starts `aba` was 128 tolerances off, `kane` 76, `nullspace` 35, `broyden` 35, `lagrange` 22."""
    for angle in (40.0, 47.36363636, 59.54545, 71.72727, 120.4545, 132.6363):
        data = yaml.safe_load((FAILING / "rolling_cone.yaml").read_text()) | {"coordinates": "joint"}
        data["parameters"]["th0"] = f"deg({angle:.4f})"
        cone = mbsim.assemble(mechanisms.model(data))
        tight: dict[str, Any] = {"end": 1.0, "output_step": 1.0, "integrator": "dop853"}
        exact = mbsim.simulate(cone, method="svd", rtol=1e-13, atol=1e-14, drift_tolerance=1e-13, **tight)
        for rtol in (1e-6, 1e-7, 1e-8):
            found = mbsim.simulate(cone, method=method, rtol=rtol, atol=rtol, **tight)
            for name in ("q", "v"):
                off = np.abs(found[name][-1] - exact[name][-1]).max() / (1.0 + np.abs(exact[name]).max())
                assert off < 8.0 * rtol, (angle, rtol, name)


@pytest.mark.parametrize("method", ["lagrange", "nullspace", "broyden", "aba", "kane"])
@pytest.mark.parametrize("name", ["bricard", "car_on_turning_arm"])
def test_the_rows_that_count(name: str, method: str) -> None:
    """As many as the rank and independent, position rows first, and the same at a state off the constraints, as a stage is."""
    joint = method in IN_JOINT_COORDINATES
    assembly = made((mechanisms.MODELS if name == "bricard" else FAILING) / f"{name}.yaml", joint)
    system = assembly.system
    solved = mechanisms.formulation(system, method)
    z, row = np.zeros(solved.size), np.zeros(solved.width)
    z[system.n_v : -1] = assembly.q
    assert solved.start(0.0, assembly.q, assembly.v, z) == contracts.OK
    assert solved.expand(0.0, z, row) == contracts.OK
    work = solved.work
    rank, C = int(work.status[contracts.STATUS_RANK]), system.terms(0.0, assembly.q, assembly.v)[2]
    assert work.status[contracts.STATUS_HELD] == rank == np.linalg.matrix_rank(C, tol=1e-8) < system.n_rows
    rows = list(work.rows[:rank])
    assert np.linalg.matrix_rank(C[rows], tol=1e-8) == rank
    assert sum(i < system.n_holonomic for i in rows) == np.linalg.matrix_rank(C[: system.n_holonomic], tol=1e-8)
    rng = np.random.default_rng(1)
    for _ in range(5):
        system.functions.move(system.arrays, z[system.n_v : -1], 1e-3 * rng.standard_normal(system.n_v))
        assert solved.expand(0.0, z, row) == contracts.OK
        assert list(work.rows[:rank]) == rows


@pytest.mark.parametrize("index", [2, 3])
def test_implicit_steps_by_blocks_leave_out_velocity_rows(index: int) -> None:
    """Four such mills have eight bodies, whose steps are solved by blocks. They stopped at once."""
    one = yaml.safe_load((FAILING / "car_on_turning_arm.yaml").read_text())
    data = {name: one[name] for name in ("name", "gravity", "parameters", "simulation")}
    for block in ("bodies", "joints", "constraints", "forces"):
        data[block] = {}
        for k in range(4):
            for name, found in one[block].items():
                found = dict(found)
                for key in ("body", "center"):
                    if key in found:
                        found[key] = f"{found[key]}{k}"
                if "bodies" in found:
                    found["bodies"] = [body if body == "ground" else f"{body}{k}" for body in found["bodies"]]
                data[block][f"{name}{k}"] = found
    system = mbsim.assemble(mechanisms.model(data))
    errors = []
    for h in STEPS[:2]:
        found = mbsim.simulate(system, method=f"generalized_alpha(index={index})", step=h, end=3.0, output_step=3.0)
        errors.append(max(abs(found.select("body_angular_velocity", f"post{k}", "z")[-1] - CAR) for k in range(4)))
    assert errors[-1] < 1e-5 and errors[0] / errors[1] > 3.0, errors
