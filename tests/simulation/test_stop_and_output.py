"""Stop expressions and output times, which do not follow the integrator's steps."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import METHODS, close, model, shipped

import mbsim
from mbsim.cli import main

# x = sin(t), y = t on one mass each: crossings are known. The constraint keeps z = x.
OSCILLATOR = """
coordinates: [x, y]
parameters: {level: 0.5}
energy: {kinetic: der(x)^2/2 + der(y)^2/2, potential: x^2/2}
initial: {der(x): 1, der(y): 1}
simulation: {end: 10, step: 0.01}
"""


def run(**settings: Any) -> Any:
    return mbsim.simulate(model(OSCILLATOR), **settings)


@pytest.mark.parametrize("output_step", [None, 0.3, 0.001])
@pytest.mark.parametrize(
    ("stop", "expected"),
    [("x - level", np.pi / 6), ("level - x", np.pi / 6), ("der(x)", np.pi / 2), ("t - 2.123456789", 2.123456789), ("y - 7.77", 7.77),
     ("x", np.pi)],  # x starts at zero, and leaving zero is no crossing
)  # fmt: skip
def test_the_run_ends_at_the_crossing(stop: str, expected: float, output_step: float | None) -> None:
    result = run(stop=stop, output_step=output_step)
    close(result.time[-1], expected, 2e-9)  # the integrator's own error at step 0.01 is 2e-10
    assert np.all(np.diff(result.time) > 0)
    close(result.time[:-1], (output_step or 0.01) * np.arange(len(result.time) - 1), 1e-12)
    close(result.select("x"), np.sin(result.time), 1e-8)
    assert result.attributes["stopped"] == f"{stop} crossed zero"
    assert result.attributes["status"] == "complete"


def test_no_crossing_is_no_stop() -> None:
    result = run(stop="x - 2")
    assert result.time[-1] == 10.0 and "stopped" not in result.attributes
    same = run()
    np.testing.assert_array_equal(result["q"], same["q"])


def test_an_expression_that_stays_zero_does_not_stop() -> None:
    assert run(stop="x - x").time[-1] == 10.0


def test_a_stop_expression_that_is_not_a_number() -> None:
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = .*the stop expression is not finite") as caught:
        run(stop="sqrt(2.0005 - y) - 0.001")  # crosses just before its root becomes imaginary, within one step
    close(caught.value.time, 2.0, 1e-12)
    with pytest.raises(mbsim.SimulationError, match=r"stopped at t = 0 s: the stop expression is not finite"):
        run(stop="1/x")


def test_wrong_stop_expressions() -> None:
    for text, message in (("z", "unknown name 'z'"), ("x +", "stop: expected a number"), ("der(z)", "unknown name")):
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            run(stop=text)


@pytest.mark.parametrize("method", METHODS)
def test_the_crossing_of_a_mechanism(method: str) -> None:
    """The last row lies on the crossing and on the constraints, whatever the step."""
    for step in (0.01, 0.002):
        result = mbsim.simulate(shipped("four_bar"), method=method, step=step, stop="crank.angle - 3", end=2.0)
        close(result.select("crank.angle")[-1], 3.0, 1e-7)  # 1e-9 s at 100 rad/s
        assert result["residual_position"][-1] < (1e-3 if method == "baumgarte" else 1e-8)


def test_the_command_line(tmp_path: Path) -> None:
    path, out = tmp_path / "oscillator.yaml", tmp_path / "o.h5"
    path.write_text(OSCILLATOR)
    done = CliRunner().invoke(main, ["run", str(path), "--stop", "x - level", "--option", "hold=false", "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "stopped at t = 0.5235987" in done.stderr
    with h5py.File(out) as file:
        assert file.attrs["stop"] == b"x - level"
        assert b'"hold": false' in file.attrs["options"]
    wrong = CliRunner().invoke(main, ["run", str(path), "--stop", "z", "--option", "hodl=3", "--method", "svd(hold=2)"])
    assert wrong.exit_code == 2
    assert wrong.stderr.splitlines() == [
        "command line: simulation.hodl: unknown key 'hodl'; did you mean 'hold'?",
        "command line: simulation.method: hold: expected true or false (got '2')",
        "command line: simulation.stop: unknown name 'z'; allowed: der(x), der(y), level, t, x, y",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_output_between_the_steps(method: str) -> None:
    """The steps stay as asked; what lies between them is of order 4 like they are, and on the constraints."""
    made = mbsim.assemble(shipped("four_bar"))
    kw: dict[str, Any] = {"method": method, "end": 0.2}
    for step, bound in ((2e-3, 3e-4), (1e-3, 3e-5)):
        coarse = mbsim.simulate(made, step=step, **kw)
        fine = mbsim.simulate(made, step=step, output_step=step / 10, **kw)
        assert fine.attributes["counts"]["steps"] == coarse.attributes["counts"]["steps"] == round(0.2 / step)
        close(fine["q"][::10], coarse["q"], 1e-12)
        exact = mbsim.simulate(made, step=step / 40, output_step=step / 10, method="lagrange", end=0.2)
        at_steps = np.abs(coarse["q"] - exact["q"][::10]).max()
        assert np.abs(fine["q"] - exact["q"]).max() < at_steps + bound
        if fine.attributes["drift"] == "full":
            assert fine["residual_position"].max() <= 1e-10 and fine["residual_velocity"].max() < 2e-9


def test_chunks_do_not_matter_between_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(step=0.1, output_step=0.02)
    monkeypatch.setattr("mbsim.march.output_times.CHUNK_ROWS", 13)
    parts = run(step=0.1, output_step=0.02)
    np.testing.assert_array_equal(whole["q"], parts["q"])
    assert whole.attributes["counts"] == parts.attributes["counts"]


def test_settings_given_in_python() -> None:
    made = mbsim.assemble(model(OSCILLATOR))
    result = mbsim.simulate(made, method="svd(hold_limit=3)", hold=False, end=0.1)
    assert result.attributes["options"] == {"hold": False, "hold_limit": 3.0, "renew": "tangent", "equations": "corrected"}
    for settings, message in (
        ({"hold": 3}, "hold: expected true or false"),
        ({"hodl": True, "method": "svd"}, r"unknown option 'hodl' of svd and rk4; did you mean 'hold'\?"),
        ({"method": "svd(hold"}, "expected NAME or NAME"),
        ({"method": "lagrange", "hold": True}, "unknown option 'hold' of lagrange and rk4"),
        ({"integrator": "own"}, "needs an integrator"),
        ({"stop": "q"}, "unknown name 'q'"),
    ):
        with pytest.raises(ValueError, match=message):
            mbsim.simulate(made, **settings)
