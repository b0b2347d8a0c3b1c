"""Directional derivatives of units in which something comes and goes: those of the equations of what holds."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import needs_compiler
from stopping import CRANK, DISKS, RUB, SPHERES
from test_exchange import WEIGHTS, Solved
from test_phases import CAUGHT, caught

from mbsim import export

pytest.importorskip("fmpy")
pytestmark = needs_compiler
STEP = 1e-3


def followed(it: Solved, t: float, x: np.ndarray, direction: np.ndarray, outputs: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of the rates and of outputs along a direction of the states, by central differences of order 6."""
    rates, shown = np.zeros(it.size), np.zeros(len(outputs))
    for k, weight in WEIGHTS:
        for sign in (-1.0, 1.0):
            rates += sign * weight * it.rates(t, x + sign * k * STEP * direction) / STEP
            shown += sign * weight * it.get(outputs) / STEP
    it.put(t, x)
    return rates, shown


def check(it: Solved, t: float, outputs: list[str]) -> None:
    """Derivatives along some directions against differences."""
    random, x = np.random.default_rng(2), it.states()
    for _ in range(3):
        direction = random.normal(size=it.size)
        rates, shown = followed(it, t, x, direction, outputs)
        found = it.along([*it.rate_names, *outputs], it.names, direction.tolist())
        np.testing.assert_allclose(found[: it.size], rates, rtol=1e-7, atol=1e-7 * np.abs(rates).max())
        np.testing.assert_allclose(found[it.size :], shown, rtol=1e-7, atol=1e-7 * max(1.0, np.abs(shown).max(initial=0.0)))


def event_mode(it: Solved, t: float) -> None:
    """Do what is due at a time."""
    it.put(t, it.states())
    it.unit.enterEventMode()
    it.update()
    it.unit.enterContinuousTimeMode()


@pytest.mark.parametrize("fmi", [2, 3])
def test_what_is_locked_and_unlocked(fmi: int, tmp_path: Path) -> None:
    """Before an event, while it is due, which is refused, and after it."""
    events = {
        "free": {"when": "t - 0.1", "do": {"unlock": "weld"}},
        "catch": {"when": "t - 0.2", "do": {"lock": "weld", "switch": {"k": "9"}}},
    }
    model, outputs = mechanisms.model(caught(events=events)), ["bob.x", "multiplier.pin[1]", "multiplier.weld[0]", "energy_kinetic"]
    export(model, tmp_path / "it.fmu", ["push"], outputs, kind="me", fmi=fmi, native=True)
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    check(it, 0.0, outputs)
    it.put(0.1001, it.states())
    with pytest.raises(Exception, match="GetDirectionalDerivative"):
        it.along(it.rate_names, ["arm.angle"], [1.0])
    event_mode(it, 0.1001)
    check(it, 0.1001, outputs)
    assert it.along(["multiplier.weld[0]"], ["arm.angle"], [1.0]) == [0.0]  # it does not hold
    event_mode(it, 0.2001)
    check(it, 0.2001, outputs)
    assert np.abs(it.along(["multiplier.weld[0]"], ["arm.angle"], [1.0])).max() > 1e-3
    it.close()


def closed(text: str, **changed: Any) -> dict[str, Any]:
    """A model with other blocks."""
    read: dict[str, Any] = yaml.safe_load(text)
    for path, value in changed.items():
        block, name, key = path.split("__")
        read[block][name][key] = value
    return read


RESTING = {
    "disks": (
        closed(DISKS, bodies__one__position=[0, 0.1], bodies__one__velocity=[0, 0]),
        ["multiplier.floor_one", "multiplier.floor_two"],
    ),
    "spheres": (closed(SPHERES, bodies__two__position=[0.6, 0, 0.1]), ["multiplier.floor_two", "multiplier.floor_one"]),
    "crank": (closed(CRANK, joints__guide__stops={"lower": 0}), ["multiplier.guide_lower", "joint_force:B:x"]),
    "given friction": (closed(RUB, joints__pin__stops={"upper": 0}, forces__push__value="30"), ["multiplier.pin_upper"]),
}


@pytest.mark.parametrize("case", RESTING)
def test_what_is_closed(case: str, tmp_path: Path) -> None:
    """A contact that is closed at the start has a multiplier with a derivative, one that is open none but zero."""
    text, outputs = RESTING[case]
    export(mechanisms.model(text), tmp_path / "it.fmu", outputs=outputs, kind="me", native=True)
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    outputs = [name.replace("joint_force:B:x", "joint_force.B.x") for name in outputs]
    assert it.get(outputs[:1])[0] != 0.0
    check(it, 0.0, outputs)
    it.close()


def test_in_co_simulation(tmp_path: Path) -> None:
    """Of outputs by inputs, after a step past an event."""
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Slave

    export(mechanisms.model(CAUGHT), tmp_path / "it.fmu", ["push"], ["multiplier.weld[1]"], derivatives=True, native=True)
    description, folder = read_model_description(str(tmp_path / "it.fmu")), extract(str(tmp_path / "it.fmu"), str(tmp_path / "it"))
    unit = FMU2Slave(
        guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="it"
    )
    at = {variable.name: variable.valueReference for variable in description.modelVariables}
    unit.instantiate()
    unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()

    def derivative() -> float:
        return float(unit.getDirectionalDerivative([at["multiplier.weld[1]"]], [at["push"]], [1.0])[0])

    unit.doStep(0.0, 0.2)
    assert abs(derivative()) > 1e-3
    unit.doStep(0.2, 0.2)  # the weld is let go at 0.3 s
    assert derivative() == 0.0
    unit.terminate()
    unit.freeInstance()
