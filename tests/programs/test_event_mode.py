"""Events of FMUs as importers see them: the end of a motion, event mode and early return of FMI 3.0, log messages, states."""

from pathlib import Path
from typing import Any

import exported
import mechanisms
import numpy as np
import pytest
import yaml
from exported import CART, needs_compiler
from test_unit_events import BALL, RELAY, eventful, rows_of

import mbsim
from mbsim import export

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler
NAMES = ["cart.x", "pole.angle", "count"]


def simulated(path: Path, **given: Any) -> tuple[Any, list[str]]:
    """What FMPy finds, and what the unit tells of its events."""
    said: list[str] = []

    def hear(*arguments: Any) -> None:
        if arguments[-2] in (b"logEvents", "logEvents"):
            said.append(arguments[-1].decode())

    return exported.simulated(path, hear, debug_logging=True, **given), said


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_fmu_gives_the_numbers_of_a_run_and_tells_of_events(fmi: int, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    model = mechanisms.model(eventful())
    export(model, tmp_path / "cart.fmu", outputs=[*NAMES, "event_count(seen)"], fmi=fmi, native=True)
    assert not validate_fmu(str(tmp_path / "cart.fmu"))
    result = mbsim.simulate(model)
    found, said = simulated(tmp_path / "cart.fmu", stop_time=1.0, step_size=0.02, output_interval=0.02)
    wanted = rows_of(result, NAMES, 0.02)
    for k, name in enumerate(NAMES):
        np.testing.assert_allclose(found[name], wanted[:, k], rtol=1e-12, atol=1e-12)
    seen = [event["time"] for event in result.events if event["event"] == "seen"]
    assert seen and found["event_count(seen)"].tolist() == [sum(at <= t for at in seen) for t in found["time"]]
    assert said == [f"t = {event['time']:.12g} s: the event '{event['event']}' ({event['do']})" for event in result.events]


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_stop_ends_the_simulation(fmi: int, tmp_path: Path) -> None:
    """FMI 2.0: the step is discarded, and the unit says that it wants to end. FMI 3.0: `terminateSimulation`, early where it may."""
    text = yaml.safe_load(CART) | {"events": {"wall": {"when": "pole.angle + 0.3", "do": "stop"}}}
    result = mbsim.simulate(mechanisms.model(text))
    end = float(result.time[-1])
    export(mechanisms.model(text), tmp_path / "cart.fmu", outputs=["cart.x"], fmi=fmi, native=True)
    early = {"early_return_allowed": True} if fmi == 3 else {}
    found, _ = simulated(tmp_path / "cart.fmu", stop_time=1.0, step_size=0.02, output_interval=0.02, **early)
    assert found["time"][-1] == pytest.approx(end, abs=1e-12)
    wanted = float(result["q"][-1, result.labels("coordinate").index("cart.x")])
    assert found["cart.x"][-1] == pytest.approx(wanted, abs=1e-12)


def test_event_mode_ends_steps_early(tmp_path: Path) -> None:
    """Each event that acts is a pair of rows, before it and after it; between them the numbers are those of a unit without event mode."""
    model = mechanisms.model(BALL)
    names = ["ball.y", "der(ball.y)"]
    export(model, tmp_path / "ball.fmu", outputs=names, fmi=3, native=True)
    described = fmpy.read_model_description(str(tmp_path / "ball.fmu")).coSimulation
    assert described.hasEventMode and described.mightReturnEarlyFromDoStep
    events = [event for event in mbsim.simulate(model).events if event["event"] == "floor"]
    given = {"stop_time": 1.5, "step_size": 0.01, "output_interval": 0.01}
    plain, _ = simulated(tmp_path / "ball.fmu", **given)
    found, _ = simulated(tmp_path / "ball.fmu", use_event_mode=True, early_return_allowed=True, **given)
    assert len(events) == 2
    for event in events:
        pair = found[np.abs(found["time"] - event["time"]) < 1e-12]
        np.testing.assert_allclose(pair["der(ball.y)"], event["changes"]["der(ball.y)"], rtol=1e-9)
        np.testing.assert_allclose(pair["ball.y"], 0.0, atol=1e-12)
    late, _ = simulated(tmp_path / "ball.fmu", use_event_mode=True, **given)  # no early return: events within a step are done within it
    assert late["time"].tolist() == plain["time"].tolist() and late["ball.y"].tolist() == plain["ball.y"].tolist()
    at_rows = np.array([row for row in found if np.abs(plain["time"] - row["time"]).min() < 1e-9])
    np.testing.assert_allclose(at_rows["ball.y"], plain["ball.y"], rtol=1e-9, atol=1e-9)


def test_inputs_are_given_in_event_mode(tmp_path: Path) -> None:
    """An input that is given where an event waits holds when it is done; the event does not happen again for that."""
    from fmpy.fmi3 import FMU3Slave

    text = yaml.safe_load(CART)
    text["parameters"]["kick"] = 0
    text["events"] = {"hit": {"when": "pole.angle + 0.1", "do": {"set": {"der(pole.angle)": "kick - 0.7*der(pole.angle)"}}}}
    shown = ["der(pole.angle)", "pole.angle"]
    export(mechanisms.model(text), tmp_path / "cart.fmu", ["push", "kick"], shown, fmi=3, native=True)
    description = fmpy.read_model_description(str(tmp_path / "cart.fmu"))
    at = {variable.name: variable.valueReference for variable in description.modelVariables}
    folder = fmpy.extract(str(tmp_path / "cart.fmu"), str(tmp_path / "it"))
    unit = FMU3Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="cart", instanceName="it")
    unit.instantiate(eventModeUsed=True, earlyReturnAllowed=True)
    unit.enterInitializationMode(startTime=0.0)
    unit.exitInitializationMode()
    assert not unit.updateDiscreteStates()[0]
    unit.enterStepMode()
    event, ends, early, reached = unit.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.5)
    assert event and early and not ends and 0.0 < reached < 0.5
    before, angle = unit.getFloat64([at[name] for name in shown])
    assert angle == pytest.approx(-0.1, abs=1e-12)
    unit.enterEventMode()
    unit.setFloat64([at["push"], at["kick"]], [1.0, 0.05])
    assert not unit.updateDiscreteStates()[1]
    (after,) = unit.getFloat64([at["der(pole.angle)"]])
    assert after == pytest.approx(0.05 - 0.7 * before, rel=1e-12)
    unit.enterStepMode()
    event, ends, early, again = unit.doStep(currentCommunicationPoint=reached, communicationStepSize=0.01)
    assert not event and not ends and not early and again == pytest.approx(reached + 0.01)
    with pytest.raises(Exception, match="fmi3EnterStepMode"):
        unit.enterStepMode()
    unit.terminate()
    unit.freeInstance()


@pytest.mark.parametrize("fmi", [2, 3])
def test_rollback_and_serialisation_through_events(fmi: int, tmp_path: Path) -> None:
    """What waits, is switched, was counted and set belongs to the state: the same bits, in another instance too, and after a reset."""
    from fmpy.fmi2 import FMU2Slave
    from fmpy.fmi3 import FMU3Slave

    export(mechanisms.model(RELAY), tmp_path / "sat.fmu", outputs=["sat.x", "der(sat.x)", "force"], fmi=fmi, native=True)
    description = fmpy.read_model_description(str(tmp_path / "sat.fmu"))
    folder = fmpy.extract(str(tmp_path / "sat.fmu"), str(tmp_path / "it"))
    its: Any = FMU2Slave if fmi == 2 else FMU3Slave
    both = [its(guid=description.guid, unzipDirectory=folder, modelIdentifier="sat", instanceName=name) for name in "ab"]
    references = [variable.valueReference for variable in description.modelVariables if variable.causality == "output"]

    def begin(unit: Any) -> None:
        if fmi == 2:
            unit.setupExperiment(startTime=0.0)
            unit.enterInitializationMode()
        else:
            unit.enterInitializationMode(startTime=0.0)
        unit.exitInitializationMode()

    def march(unit: Any, first: int, last: int) -> list[list[float]]:
        found = []
        for k in range(first, last):
            unit.doStep(currentCommunicationPoint=0.005 * k, communicationStepSize=0.005)
            found.append((unit.getReal if fmi == 2 else unit.getFloat64)(references))
        return found

    for unit in both:
        unit.instantiate()
        begin(unit)
    first = march(both[0], 0, 55)  # at 0.275 s: after `right`, before what it does 0.013 s later
    assert first[-1][2] == 1.0
    state = both[0].getFMUState()
    kept = both[0].serializeFMUstate(state) if fmi == 2 else both[0].serializeFMUState(state)
    wanted = march(both[0], 55, 300)
    assert {row[2] for row in wanted} == {1.0, -1.0}
    both[0].setFMUState(state)
    assert march(both[0], 55, 300) == wanted
    other = both[1]
    march(other, 0, 100)
    other.setFMUState(other.deSerializeFMUstate(kept) if fmi == 2 else other.deserializeFMUState(kept))
    assert march(other, 55, 300) == wanted
    other.reset()
    begin(other)
    assert march(other, 0, 300) == first + wanted
    for unit in both:
        unit.terminate()
        unit.freeInstance()
