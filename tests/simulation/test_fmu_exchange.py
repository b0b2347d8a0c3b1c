"""Units for model exchange as continuous controllers: they equal what is built in, and who knows them."""

import shutil
from pathlib import Path
from typing import Any

import fmpy
import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner
from simulation.exchanged_units import CONTINUOUS, FINE, PENDULUM, SAID, SATELLITE, UNIT, arm, with_tanks
from simulation.test_fmu_controllers import ARM, LIBRARY, archive

import mbsim
from mbsim.cli import main
from mbsim.system.native import VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")


@pytest.fixture(scope="module")
def units(exchanged: Path) -> Path:
    return exchanged


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_an_exported_controller_equals_the_one_built_in(fmi: int, coordinates: str, units: Path) -> None:
    """Its integral is a state of the model. A run that is repeated has the same bits."""
    given = {"coordinates": "joint"} if coordinates == "joint" else {}
    model = arm(UNIT.replace("FILE", f"{units}/pid{fmi}.fmu"), **given)
    found = [mbsim.simulate(model, **FINE) for _ in range(2)]
    wanted = mbsim.simulate(arm(CONTINUOUS, **given), **FINE)
    np.testing.assert_allclose(found[0]["q"], wanted["q"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[0]["force_effort"], wanted["force_effort"], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found[0]["motor.torque"], found[0]["force_effort"][:, 0])
    np.testing.assert_allclose(found[0]["motor.angle"], found[0]["shoulder.angle" if given else "arm.angle"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found[0]["motor.z"], wanted["motor.integral"], rtol=0, atol=1e-11)
    for name in ("q", "v", "states"):
        np.testing.assert_array_equal(found[0][name], found[1][name])


@pytest.mark.parametrize(
    ("settings", "near"),
    [
        ({"integrator": "rk4", "step": 0.002}, 1e-9), ({"integrator": "rk45", "rtol": 1e-10, "atol": 1e-11}, 1e-8),
        ({"integrator": "predictor_corrector", "step": 0.002}, 1e-9),
    ],
    ids=["rk4", "rk45", "predictor_corrector"],
)  # fmt: skip
def test_explicit_integrators_take_units(settings: dict[str, Any], near: float, units: Path) -> None:
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid2.fmu")), **settings)
    np.testing.assert_allclose(found["q"], mbsim.simulate(arm(CONTINUOUS), **settings)["q"], rtol=0, atol=near)


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_unit_hears_of_completed_steps(fmi: int, units: Path) -> None:
    """A pendulum in absolute coordinates, which asks then to put its states back onto its constraints."""
    motor = f"{{type: fmu, file: {units}/pendulum{fmi}.fmu, outputs: [bob.angle]}}"
    found = mbsim.simulate(arm(motor, simulation={"end": 5, "output_step": 0.5}), rtol=1e-10, atol=1e-11)
    wanted = mbsim.simulate(mechanisms.model(PENDULUM), **FINE)
    np.testing.assert_allclose(found["motor.bob_angle"], wanted["bob.angle"], rtol=0, atol=1e-7)
    length = np.hypot(found["motor.bob_x"], found["motor.bob_y"])
    np.testing.assert_allclose(length, 1.0, rtol=0, atol=1e-9)


def test_a_unit_without_states(units: Path) -> None:
    archive(units / "gain.fmu", SAID.replace('<Unknown index="3"/>', ""), {LIBRARY: (units / "tank.so").read_bytes()})
    text = with_tanks(units, gain={"inputs": {"u": "arm.angle"}, "outputs": ["y"]})
    text["controllers"]["gain"]["file"] = f"{units}/gain.fmu"
    found = mbsim.simulate(mechanisms.model(text), **FINE)
    np.testing.assert_allclose(found["gain.y"], 3.0 * found["arm.angle"], rtol=1e-14)


@pytest.mark.parametrize("fmi", [2, 3])
def test_as_fmpy_finds_it(fmi: int, units: Path) -> None:
    """FMPy with CVODE as the peer: the same unit, in the hands of another program."""
    file = f"{units}/pendulum{fmi}.fmu"
    found = mbsim.simulate(arm(f"{{type: fmu, file: {file}, outputs: [bob.angle]}}", simulation={"end": 2, "output_step": 0.5}), **FINE)
    given = {"fmi_type": "ModelExchange", "relative_tolerance": 1e-9, "output": ["bob.angle"]}
    peer = fmpy.simulate_fmu(file, stop_time=2.0, output_interval=0.5, **given)
    for time, angle in zip(found.time, found["motor.bob_angle"], strict=True):
        near = np.argmin(np.abs(peer["time"] - time))
        assert abs(peer["time"][near] - time) < 1e-9
        assert angle == pytest.approx(float(peer["bob.angle"][near]), abs=2e-5)


def test_units_read_each_other_in_order(units: Path) -> None:
    """The second gives what the first reads, and its output follows its input at once."""
    first = {"inputs": {"u": "second.y + t"}, "outputs": ["y"]}
    second = {"inputs": {"u": "2*first.slow"}, "outputs": ["y", "slow"]}
    text = with_tanks(units, first=first | {"outputs": ["y", "slow"]}, second=second)
    text["measures"] = {"sum": {"value": "first.y + second.y", "unit": "1"}}
    found = mbsim.simulate(mechanisms.model(text), **FINE)
    np.testing.assert_allclose(found["second.y"], 6.0 * found["first.slow"], rtol=1e-14)
    np.testing.assert_allclose(found["first.y"], 3.0 * (found["second.y"] + found.time), rtol=1e-14)
    np.testing.assert_allclose(found["first.slow"], found["first.level"], rtol=1e-14)
    np.testing.assert_allclose(found["sum"], found["first.y"] + found["second.y"], rtol=1e-14)
    assert found["first.level"][-1] > 0.01


def test_functions_of_python_act_beside_units(units: Path) -> None:
    """The system has other parameters then, which hold the addresses of the units, too."""
    text = mechanisms.yaml.safe_load(ARM.replace("MOTOR", UNIT.replace("FILE", f"{units}/pid2.fmu")))
    text["forces"] = {"wind": {"type": "joint_torque", "joint": "shoulder", "value": "sin(3*t)"}}
    found = mbsim.simulate(mechanisms.model(text), forces={"wind": lambda t, q, v: np.sin(3.0 * t)}, **FINE)
    np.testing.assert_allclose(found["q"], mbsim.simulate(mechanisms.model(text), **FINE)["q"], rtol=0, atol=1e-11)
    assert np.abs(found["motor.torque"]).max() > 10.0


def test_a_force_between_two_points_reads_a_unit(units: Path) -> None:
    """The unit gives three times the elongation: a spring."""
    text = mechanisms.yaml.safe_load(SATELLITE)
    text["bodies"]["sat"] |= {"position": [1.5, 0.2], "points": {"A": [0.1, 0]}}
    text["ground"] = {"points": {"O": [0, 0]}}
    unit = {"type": "fmu", "file": f"{units}/tank.fmu", "inputs": {"u": "distance(sat.A, ground.O) - 1"}, "outputs": ["y"]}
    strut = {"type": "spring_damper", "points": ["ground.O", "sat.A"]}
    found = mbsim.simulate(
        mechanisms.model(text | {"controllers": {"spring": unit}, "forces": {"strut": strut | {"value": "spring.y"}}}), **FINE
    )
    wanted = mbsim.simulate(mechanisms.model(text | {"forces": {"strut": strut | {"stiffness": 3, "free_length": 1}}}), **FINE)
    last = np.searchsorted(found.time, wanted.time + 1e-9) - 1
    np.testing.assert_allclose(found["q"][last], wanted["q"], rtol=0, atol=1e-10)


def test_algebraic_loops_are_refused_by_their_names(units: Path, tmp_path: Path) -> None:
    loop = {"first": {"inputs": {"u": "second.y"}, "outputs": ["y"]}, "second": {"inputs": {"u": "first.y"}, "outputs": ["y"]}}
    for given, chain in (
        (loop, "first.u <- second.y <- second.u <- first.y <- first.u"),
        ({"a": {"inputs": {"u": "a.y"}, "outputs": ["y"]}}, "a.u <- a.y <- a.u"),
    ):
        path = tmp_path / "arm.yaml"
        path.write_text(mechanisms.yaml.safe_dump(with_tanks(units, **given)))
        done = CliRunner().invoke(main, ["run", str(path)])
        assert done.exit_code == 2
        assert f"an algebraic loop, {chain}" in done.output
        assert "arm.yaml:" in done.output and ".inputs.u" in done.output


def test_studies_have_instances_of_their_own(units: Path) -> None:
    """Runs of a sweep in two processes have the numbers of runs alone."""
    text = mechanisms.yaml.safe_load(
        ARM.replace("MOTOR", UNIT.replace("FILE", f"{units}/pid2.fmu").replace("}, outputs", "}, parameters: {kp: gain}, outputs"))
    )
    text["parameters"] = {"gain": 60}
    text["simulation"] = text["simulation"] | FINE
    vary, outputs = {"gain": [40, 60, 80]}, {"end": "final(arm.angle)"}
    found = mbsim.study(mechanisms.model(text), vary, outputs, executor="processes", workers=2)
    for gain, value in zip((40, 60, 80), found["end"].values.ravel(), strict=True):
        alone = mbsim.simulate(mechanisms.model(text | {"parameters": {"gain": gain}}))
        assert value == pytest.approx(alone["arm.angle"][-1], abs=1e-12)


@pytest.mark.parametrize("settings", [{"method": "generalized_alpha"}, {"method": "rattle"}], ids=str)
def test_methods_that_need_derivatives_of_laws_are_refused(settings: dict[str, Any], units: Path) -> None:
    word = settings["method"]
    with pytest.raises(
        ValueError, match=f"{word} needs derivatives of what the units for model exchange .motor. do.*dop853.*with `sample`"
    ):
        mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid2.fmu")), **settings)


@pytest.mark.parametrize("integrator", ["lsoda", "bdf", "radau"])
def test_implicit_integrators_take_units(integrator: str, units: Path) -> None:
    """Their Jacobians are differences; events are located in Python."""
    settings = {"integrator": integrator, "rtol": 1e-9, "atol": 1e-11}
    found = mbsim.simulate(arm(UNIT.replace("FILE", f"{units}/pid3.fmu")), **settings)
    np.testing.assert_allclose(found["q"], mbsim.simulate(arm(CONTINUOUS), **settings)["q"], rtol=0, atol=1e-8)
    tank = {"inputs": {"u": "1"}, "outputs": ["y"], "parameters": {"weak": -1}}
    model = mechanisms.model(with_tanks(units, tank=tank) | {"simulation": {"end": 0.9, "output_step": 0.05}})
    found = mbsim.simulate(model, **settings)
    assert next(event["time"] for event in found.events if event["event"] == "tank.indicator.z1") == pytest.approx(0.8047189562, abs=1e-8)
    assert found["tank.level"][-1] == pytest.approx(0.5 - 0.4 * np.exp(-2.0 * (0.9 + np.log(0.2) / 2.0)), abs=1e-7)


def test_what_does_not_know_units_says_so(units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = arm(UNIT.replace("FILE", f"{units}/pid2.fmu"))
    with pytest.raises(ValueError, match="not copied"):
        mbsim.Stepper(model).step(0.1).copy()
    with pytest.raises(ValueError, match="no unit contains others"):
        mbsim.export(model, tmp_path / "x.fmu")
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(ValueError, match="native code"):
        mbsim.simulate(model)
    assert mbsim.assemble(model).system.units.controllers == ("motor",)  # nothing of the unit runs for that


def test_steppers_have_the_numbers_of_runs(units: Path) -> None:
    model = arm(UNIT.replace("FILE", f"{units}/pid2.fmu"))
    stepper = mbsim.Stepper(model, **FINE)
    for _ in range(2):
        stepper.reset()
        while stepper.time < 0.5 - 1e-9:
            stepper.step(0.1)
        assert stepper["arm.angle"] == pytest.approx(mbsim.simulate(model, **FINE)["arm.angle"][-1], abs=1e-11)
