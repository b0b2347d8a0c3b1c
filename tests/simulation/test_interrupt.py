"""Ctrl-C ends any run soon and keeps what there is; pauses of the march change no number; a run that gets nowhere ends by itself."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import ADAPTIVE, INTEGRATORS

import mbsim
from mbsim.march import pieces as march
from mbsim.march.ending import SimulationInterrupted

FAILING = Path(__file__).parent.parent / "failing"
STEP_METHODS = ("broyden", "rattle", "generalized_alpha")
RUNS = [("lagrange", integrator) for integrator in INTEGRATORS] + [(method, None) for method in STEP_METHODS]
AGES = 1e6  # s: no run gets there


def settings(method: str, integrator: str | None, **given: Any) -> dict[str, Any]:
    """Steps so small that a row takes ages."""
    small = {"max_step": 1e-5, "first_step": 1e-6} if integrator in ADAPTIVE else {"step": 1e-5}
    return {"method": method, "integrator": integrator, **small, **given}


@pytest.mark.parametrize(("method", "integrator"), RUNS)
def test_a_run_ends_in_the_middle_of_a_row(method: str, integrator: str | None) -> None:
    """The signal comes while the first row, which takes ages, is marched; what is kept is the start and the state at the end."""

    def progress(t: float) -> None:
        signal.raise_signal(signal.SIGINT)

    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as caught:
        mbsim.simulate(made, end=AGES, output_step=AGES, progress=progress, **settings(method, integrator))
    assert signal.getsignal(signal.SIGINT) is handler
    assert isinstance(caught.value, SimulationInterrupted)
    result = caught.value.result
    assert result is not None
    assert result.attributes["status"] == "interrupted"
    assert len(result.time) == 2
    assert 0.0 < result.time[-1] == caught.value.time < AGES
    assert result["residual_position"].max() < 1e-6
    assert f"interrupted at t = {caught.value.time:.9g} s" in str(caught.value)


@pytest.mark.parametrize(("method", "integrator"), RUNS)
def test_pauses_change_nothing(method: str, integrator: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A march that pauses before every step it can takes the same steps: rows, counts and all, also between the steps and with a stop."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    given: dict[str, Any] = {"end": 0.05, "method": method, "integrator": integrator, "step": 2e-3}
    for rows in ({"output_step": 0.01}, {"output_step": 5e-4}, {"output_step": 0.01, "stop": "crank.angle - 1.8"}):
        whole = mbsim.simulate(made, **given, **rows)
        pieces: list[float] = []
        with monkeypatch.context() as patch:
            patch.setattr(march, "PIECE", 0.0)
            patch.setattr(march, "FIRST", 1)
            paused = mbsim.simulate(made, **given, **rows, progress=pieces.append)
        assert len(pieces) > 2
        assert paused.attributes["counts"] == whole.attributes["counts"]
        for name in ("time", "q", "v", "acceleration", "multiplier", "energy_work"):
            np.testing.assert_array_equal(paused[name], whole[name])


def test_what_progress_raises_ends_the_run() -> None:
    """Also in a thread, where no signal is heard: the rows so far are kept, and the exception is the caller's."""

    class EnoughError(Exception):
        pass

    found: list[BaseException] = []

    def progress(t: float) -> None:
        raise EnoughError

    def run() -> None:
        try:
            mbsim.simulate(mechanisms.shipped("pendulum"), end=AGES, output_step=AGES, step=1e-5, progress=progress)
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert isinstance(found[0], EnoughError)


def test_a_callable_is_not_left_half_way() -> None:
    """The signal comes while the user's function runs, called from compiled code: it returns, and the march ends after the step."""
    calls = []

    def h(t: float, q: Any, v: Any) -> Any:
        calls.append(t)
        if len(calls) == 100:
            signal.raise_signal(signal.SIGINT)
        return -q

    system = mbsim.callable_system(["x"], lambda t, q: np.eye(1), h)
    with pytest.raises(SimulationInterrupted) as caught:
        mbsim.simulate(system, [1.0], [0.0], end=AGES, output_step=AGES, step=1e-3)
    assert caught.value.result is not None
    assert len(calls) < 120
    assert caught.value.result.select("x")[-1] == pytest.approx(np.cos(caught.value.time), abs=1e-9)


RUN = """
import sys, mbsim
made = mbsim.assemble(mbsim.load_model(sys.argv[1]))
mbsim.simulate(made, output=sys.argv[2], progress=lambda t: print(t, flush=True), **eval(sys.argv[3]))
"""


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (mechanisms.MODELS / "four_bar.yaml", {"end": 100.0, "output_step": 100.0, "step": 1e-6}),
        (mechanisms.MODELS / "four_bar.yaml", {"end": 1e3, "integrator": "lsoda", "max_step": 1e-5, "output_step": 1e-3}),
        (FAILING / "hang1.yaml", {"integrator": "rk4", "step": 1e-14, "output_step": 0.05}),
    ],
    ids=["long row", "many rows", "hang1"],
)
def test_a_signal_from_outside(model: Path, given: dict[str, Any], tmp_path: Path) -> None:
    """The process is interrupted once it has reported progress; the result is whole and holds what it had."""
    output = tmp_path / "out.h5"
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(model), str(output), repr(given)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        told = child.stdout.readline()
        child.send_signal(signal.SIGINT)
        errors = child.communicate(timeout=120)[1]
    assert "SimulationInterrupted: interrupted at t = " in errors
    with mbsim.open_result(output) as result:
        assert result.attributes["status"] == "interrupted"
        assert result.time[-1] >= float(told) > 0.0
        assert np.isfinite(result["q"]).all()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("method", ["nullspace", "riemann"])
@pytest.mark.parametrize("name", ["cranks_1", "cranks_3", "cranks_5"])
def test_parallel_cranks_end(name: str, method: str) -> None:
    """Through a position where all cranks are in line a run ends, or stops and names what is singular or what asks for small steps."""
    made = mbsim.assemble(mbsim.load_model(FAILING / f"{name}.yaml"))
    failure: mbsim.SimulationError | None = None
    result: Any = None
    try:
        result = mbsim.simulate(made, method=method, integrator="dop853", rtol=1e-10, atol=1e-10, output_step=0.05)
    except mbsim.SimulationError as error:
        failure, result = error, error.result
    assert result.time[-1] == (1.0 if failure is None else failure.time)
    names = [*made.system.rows, *made.system.speeds, *made.system.coordinates]
    assert failure is None or any(name in str(failure) for name in names)


def test_no_headway(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spring drawn to 1e12 m spins a mechanism up to 1e9 rad/s: 1e10 steps for 0.05 s. The run says so."""
    monkeypatch.setattr(march, "STRETCH", 10_000)
    monkeypatch.setattr(march, "NO_WAY", 1e-7)
    made = mbsim.assemble(mbsim.load_model(FAILING / "hang1.yaml"))
    with pytest.raises(mbsim.SimulationError, match=r"the steps that the tolerance in .*K\d.* asks for are so small") as caught:
        mbsim.simulate(made, integrator="dop853")
    assert caught.value.result is not None
    assert 0.0 < caught.value.time < 1e-6
    assert caught.value.result.attributes["counts"]["evaluations"] < 30_000
