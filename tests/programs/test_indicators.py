"""Events of units for model exchange: indicators, what is done in event mode, and motions that solvers outside find."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import CART, SAMPLED, needs_compiler
from test_event_mode import simulated
from test_exchange import Solved, pointer
from test_unit_events import BALL, BREAKING, RELAY, eventful, rows_of

import mbsim
from mbsim import export

fmpy = pytest.importorskip("fmpy")
pytestmark = needs_compiler


def exact(source: Any, end: float | None = None) -> Any:
    """The model with a march that is far better than the tolerances here."""
    text = yaml.safe_load(source) if isinstance(source, str) else dict(source)
    own = text["simulation"]
    settings = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
    text["simulation"] = {"output_step": own["output_step"], "end": end or own["end"], **settings}
    return mechanisms.model(text)


CASES: dict[str, tuple[Any, list[str]]] = {
    "set": (BALL, ["ball.y", "der(ball.y)"]),
    "switch after a delay": (RELAY, ["sat.x", "der(sat.x)", "force"]),
    "with constraints": (eventful(), ["cart.x", "pole.angle", "count"]),
    "with samples": (eventful(controllers=SAMPLED), ["cart.x", "pole.angle", "count"]),
    "reactions and accelerations": (BREAKING, ["bob.x", "bob.angle"]),
}
SLOW = ("with samples", "reactions and accelerations")


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("case", [pytest.param(case, marks=pytest.mark.slow) if case in SLOW else case for case in CASES])
def test_cvode_finds_the_motion_of_a_run(case: str, fmi: int, tmp_path: Path) -> None:
    """FMPy's CVODE locates the zeros of the indicators; what is done there are the events of a run, at its times."""
    from fmpy.validation import validate_fmu

    source, names = CASES[case]
    model = exact(source)
    result = mbsim.simulate(model)
    wanted = rows_of(result, names, model.simulation.output_step)
    export(model, tmp_path / "it.fmu", outputs=names, kind="me", fmi=fmi, native=True, method="lagrange")
    assert not validate_fmu(str(tmp_path / "it.fmu"))
    found, said = simulated(
        tmp_path / "it.fmu", fmi_type="ModelExchange", stop_time=model.simulation.end, output_interval=model.simulation.output_step,
        relative_tolerance=1e-10, record_events=False, output=names,
    )  # fmt: skip
    for k, name in enumerate(names):
        np.testing.assert_allclose(found[name], wanted[:, k], rtol=1e-6, atol=1e-6)
    told = sorted((line.partition("'")[2].partition("'")[0], float(line.split()[2])) for line in said)
    events = sorted((str(event["event"]), float(event["time"])) for event in result.events)
    assert [name for name, _ in told] == [name for name, _ in events]
    np.testing.assert_allclose([time for _, time in told], [time for _, time in events], atol=1e-6)


def test_euler_comes_to_the_same_motion(tmp_path: Path) -> None:
    """FMPy's method of Euler locates nothing: it does what happens at the end of the step, and comes nearer with shorter steps."""
    model = exact(BALL, end=1.0)
    export(model, tmp_path / "it.fmu", outputs=["ball.y"], kind="me", native=True)
    result = mbsim.simulate(model)
    y = float(result["q"][-1, result.labels("coordinate").index("ball.y")])
    errors = []
    for step in (1e-3, 2e-4):
        found, said = simulated(
            tmp_path / "it.fmu", fmi_type="ModelExchange", solver="Euler", stop_time=1.0, step_size=step, output_interval=step,
            record_events=False,
        )  # fmt: skip
        assert [line.split("'")[1] for line in said] == ["floor", "top"]
        errors.append(abs(float(found["ball.y"][-1]) - y))
    assert errors[1] < 0.5 * errors[0] and errors[1] < 5e-3


@pytest.mark.parametrize("fmi", [2, 3])
def test_indicators_change_their_sign_beyond_zero(fmi: int, tmp_path: Path) -> None:
    """Crossings the other way and events that happened once are none; in event mode the state is set, and the constraints hold."""
    text = yaml.safe_load(CART)
    text["events"] = {
        "hit": {"when": "pole.angle + 0.1", "direction": "down", "once": True, "do": {"set": {"der(pole.angle)": "2", "cart.x": "0.3"}}},
        "late": {"when": "t - 0.5", "after": 0.25, "do": "stop"},
    }
    export(mechanisms.model(text), tmp_path / "it.fmu", outputs=["cart.x"], kind="me", fmi=fmi, native=True)
    described = fmpy.read_model_description(str(tmp_path / "it.fmu"))
    assert described.numberOfEventIndicators == 2
    it = Solved(tmp_path / "it.fmu", tmp_path / "it")
    x, angle, speed = it.states(), it.names.index("pole.angle"), it.names.index("der(pole.angle)")

    def indicators() -> np.ndarray:
        found = np.zeros(2)
        it.unit.getEventIndicators(pointer(found), 2)
        return found

    def at(t: float, value: float) -> np.ndarray:
        x[angle] = value
        c, s = np.cos(value), np.sin(value)
        x[it.names.index("pole.x")], x[it.names.index("pole.y")] = 0.05 * c - 0.3 * s, 0.05 * s + 0.3 * c  # so the pin holds
        it.put(t, x)
        return indicators()

    np.testing.assert_allclose(at(0.1, -0.05), [0.05, -0.4], atol=1e-9)
    assert at(0.2, -0.1 - 1e-6)[0] < 0.0
    it.unit.enterEventMode()
    told = it.update()
    assert told[3] and not told[1]
    after = it.states()
    assert after[speed] == 2.0 and after[it.names.index("cart.x")] == 0.3
    assert indicators()[0] == 1.0  # it happens once
    it.unit.enterContinuousTimeMode()
    x[:] = after
    it.put(0.5 + 1e-9, x)
    assert indicators()[1] > 0.0
    it.unit.enterEventMode()
    told = it.update()
    assert not told[1] and told[4] and told[5] == pytest.approx(0.75, abs=1e-6)  # it is done later, and the time is told
    it.unit.enterContinuousTimeMode()
    it.put(told[5], x)
    it.unit.enterEventMode()
    assert it.update()[1]
    it.close()


@pytest.mark.parametrize("fmi", [2, 3])
def test_states_are_kept_and_serialised(fmi: int, tmp_path: Path) -> None:
    """On which side expressions are, what waits, and what was switched: the same bits, in another instance too."""
    export(mechanisms.model(RELAY), tmp_path / "it.fmu", outputs=["force"], kind="me", fmi=fmi, native=True)
    both = [Solved(tmp_path / "it.fmu", tmp_path / name) for name in "ab"]

    def march(it: Solved, first: int, last: int) -> list[list[float]]:
        """Euler's method, with an event wherever an indicator has changed its sign or a time is due."""
        found, z, signs = [], np.zeros(2), np.zeros(2)
        it.unit.getEventIndicators(pointer(z), 2)
        signs[:] = np.sign(z)
        for k in range(first, last):
            x = it.states()
            it.put((k + 1) * 0.005, x + 0.005 * it.rates(k * 0.005, x))
            it.unit.completedIntegratorStep()
            it.unit.getEventIndicators(pointer(z), 2)
            if (np.sign(z) != signs).any() or k % 3 == 0:
                it.unit.enterEventMode()
                it.update()
                it.unit.enterContinuousTimeMode()
                it.unit.getEventIndicators(pointer(z), 2)
                signs[:] = np.sign(z)
            found.append([*it.states(), *it.get(["force"])])
        return found

    march(both[0], 0, 55)
    state = both[0].unit.getFMUState()
    kept = both[0].unit.serializeFMUstate(state) if fmi == 2 else both[0].unit.serializeFMUState(state)
    wanted = march(both[0], 55, 300)
    assert {row[-1] for row in wanted} == {1.0, -1.0}
    both[0].unit.setFMUState(state)
    assert march(both[0], 55, 300) == wanted
    other = both[1].unit
    other.setFMUState(other.deSerializeFMUstate(kept) if fmi == 2 else other.deserializeFMUState(kept))
    assert march(both[1], 55, 300) == wanted
    for it in both:
        it.close()
