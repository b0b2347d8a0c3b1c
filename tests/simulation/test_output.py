"""Output times, chunks, memory and the parameters of a run."""

import tracemalloc
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close

import mbsim
from mbsim.march import output_times

OSCILLATOR = """
name: oscillator
coordinates: [x]
parameters: {k: 1}
energy: {kinetic: der(x)^2/2, potential: k*x^2/2}
initial: {x: 1}
simulation: {end: 1, step: 0.01}
"""


def run(**settings: Any) -> Any:
    return mbsim.simulate(mechanisms.model(OSCILLATOR), **settings)


@pytest.mark.parametrize(
    ("settings", "times"),
    [
        ({"step": 0.3}, [0, 0.3, 0.6, 0.9, 1.0]),
        ({"step": 0.25}, [0, 0.25, 0.5, 0.75, 1.0]),
        ({"step": 0.01, "output_step": 0.3}, [0, 0.3, 0.6, 0.9, 1.0]),
        ({"step": 0.2, "output_step": 0.3}, [0, 0.3, 0.6, 0.9, 1.0]),
        ({"step": 0.5, "output_step": 0.1}, np.linspace(0, 1, 11)),
        ({"step": 3.0}, [0, 1.0]),
        ({"step": 0.1, "end": 0.1 * 3}, [0, 0.1, 0.2, 0.3]),
        ({"step": 1e-3, "output_step": 7.0}, [0, 1.0]),
    ],
)
def test_times(settings: dict[str, Any], times: Any) -> None:
    result = run(**settings)
    close(result.time, times, atol=1e-14)
    assert result.time[-1] == settings.get("end", 1.0)
    largest = settings["step"]
    close(result.select("x"), np.cos(result.time), atol=max(1e-9, 0.02 * largest**4))


def test_steps_are_equal_and_no_longer_than_asked() -> None:
    """An output interval is divided into the fewest equal steps."""
    assert run(step=0.2, output_step=0.3).attributes["counts"]["steps"] == 3 * 2 + 1
    assert run(step=0.01).attributes["counts"]["steps"] == 100
    assert run(step=0.1, end=0.1 * 3).attributes["counts"]["steps"] == 3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["CHUNK_ROWS", "CHUNK_STEPS", "CHUNK_BYTES"])
def test_chunks_do_not_change_the_result(method: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"method": method, "end": 0.5, "step": 5e-3, "output_step": 0.01}
    whole = mbsim.simulate(mechanisms.shipped("rolling_disk"), **settings)
    monkeypatch.setattr(output_times, name, 7 if name != "CHUNK_BYTES" else 1000)
    chunks = mbsim.simulate(mechanisms.shipped("rolling_disk"), **settings)
    for variable in set(whole.names()) - {"error_estimate"}:  # looks at some places of each chunk
        np.testing.assert_array_equal(chunks[variable], whole[variable])
    assert chunks.attributes["counts"] == whole.attributes["counts"]


def test_progress_is_told() -> None:
    told: list[float] = []
    run(end=2.0, step=1e-5, output_step=0.1, progress=told.append)
    assert len(told) > 1 and told == sorted(told) and told[-1] == pytest.approx(2.0)


def test_energy_terms_do_not_depend_on_what_is_recorded() -> None:
    often = mbsim.simulate(mechanisms.shipped("slider_crank"), step=1e-3)
    seldom = mbsim.simulate(mechanisms.shipped("slider_crank"), step=1e-3, output_step=0.1)
    close(seldom["energy_work"], often["energy_work"][::100], atol=1e-8)


def test_parameters_and_start_given_in_python() -> None:
    stiff = mbsim.simulate(mechanisms.model(OSCILLATOR, parameters={"k": 4}), step=1e-3)
    close(stiff.select("x"), np.cos(2 * stiff.time), atol=1e-10)
    model = mechanisms.model(OSCILLATOR)
    moved = mbsim.simulate(mbsim.assemble(model), [0.0], [1.0], step=1e-3)
    close(moved.select("x"), np.sin(moved.time), atol=1e-10)


def _peak(steps: int) -> int:
    """Bytes at most held by Python and numpy beyond those at the start, over a run that writes one row in 1000 steps."""
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    tracemalloc.start()
    try:
        mbsim.simulate(made, end=steps * 1e-3, step=1e-3, output_step=1.0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_steps() -> None:
    """A million steps hold what ten thousand hold, but for their 990 rows more of about 60 numbers."""
    few, many = _peak(10_000), _peak(1_000_000)
    assert many - few < 1000 * 60 * 8 * 5


@pytest.mark.slow
def test_ten_million_steps_in_constant_memory(tmp_path: Any) -> None:
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    tracemalloc.start()
    try:
        with mbsim.simulate(made, end=1e4, step=1e-3, output_step=1.0, output=tmp_path / "long.h5") as result:
            assert result.time[-1] == 1e4
            assert result.attributes["counts"]["steps"] == 10_000_000
        assert tracemalloc.get_traced_memory()[1] < 30e6
    finally:
        tracemalloc.stop()


def test_memory_of_one_chunk_bounds_a_run_that_writes_every_step(tmp_path: Any) -> None:
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    peaks = []
    for steps in (50_000, 200_000):
        tracemalloc.start()
        mbsim.simulate(made, end=steps * 1e-3, step=1e-3, output=tmp_path / f"{steps}.h5").close()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 1e6
