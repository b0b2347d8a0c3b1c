"""Numbers and starts of many runs as tables: bit for bit those that each run has by itself, or none where they are not found so."""

from pathlib import Path

import numpy as np
import pytest

from mbsim.model.expressions.columns import Column, spread
from mbsim.model.expressions.program import UnfitError
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner

MODELS = Path(__file__).resolve().parents[2] / "models"
TWO = """
name: two
parameters: {m: 1.0, M: PARAMETER, k: 40.0}
coordinates: [x, y]
energy: {kinetic: M*der(x)^2/2 + m*der(y)^2/2, potential: k*x^2/2 + k*(y - x)^2/2}
initial: {x: 0.1 + m/4, y: 0.2, der(x): m*2 - 0.5, der(y): 0.3}
simulation: {end: 0.1, step: 1e-3, integrator: rk4}
"""


def runner_of(parameter: str, vary: list[str], plain: tuple[str, ...] = ()) -> Runner:
    return Runner(TWO.replace("PARAMETER", parameter), vary, {"last": "final(y)", "m": "final(x)*M"}, plain=plain)


@pytest.mark.parametrize("vary", [["m"], ["m", "k"], ["initial.x", "m"], ["initial.y"], ["initial.der(y)", "k"]])
def test_tables_are_what_each_run_puts_into_the_arrays(vary: list[str]) -> None:
    runner = runner_of("2*m + k/(80 - 1)", vary)
    values = np.random.default_rng(1).uniform(0.5, 1.5, (6, len(runner.targets)))
    table = runner.table(values)
    assert table is not None
    for k, row in enumerate(values):
        begun = runner.begun(runner.numbers(row))
        assert begun is not None
        assert [x.tobytes() for x in begun] == [table.q[k].tobytes(), table.v[k].tobytes()]
        assert runner.made.system.arrays.parameters[: table.parameters.shape[1]].tobytes() == table.parameters[k].tobytes()


@pytest.mark.parametrize(
    ("parameter", "values"), [("sin(m)", [0.5, 1.0]), ("m^2", [0.5, 1.0]), ("'max(m, 2)'", [0.5, 3.0]), ("2*m", [0.5, np.inf])]
)
def test_what_is_no_arithmetic_or_does_not_fit_is_asked_of_each_run(parameter: str, values: list[float]) -> None:
    assert runner_of(parameter, ["m"]).table(np.array(values)[:, None]) is None


def test_a_quotient_by_zero_is_no_column() -> None:
    column = Column(np.array([1.0, 2.0]))
    for quotient in (lambda: 1.0 / (column - 1.0), lambda: column / (column - 2.0), lambda: column / 0.0):
        with pytest.raises(UnfitError):
            quotient()
    np.testing.assert_array_equal((1.0 - 3.0 / -column).values, [4.0, 2.5])


def test_constraints_and_bodies_have_no_tables() -> None:
    for model, vary in (("four_bar", "omega"), ("pendulum_dae", "initial.x")):
        runner = Runner(MODELS / f"{model}.yaml", [vary])
        assert runner.table(np.array([[1.0], [2.0]])) is None


def test_columns_and_numbers_become_a_table() -> None:
    found = spread([Column(np.array([1.0, 2.0])), 3.0], 2)
    np.testing.assert_array_equal(found, [[1.0, 3.0], [2.0, 3.0]])
    with pytest.raises(UnfitError):
        spread(["x"], 2)


def test_runs_in_lanes_are_the_same_with_tables_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).uniform(0.5, 1.5, (13, 2))
    lanes = InLanes(runner_of("2*m", ["m", "initial.y"]), values, 10**6)
    tabled = lanes.run_many(values, ("y",))
    monkeypatch.setattr(Runner, "table", lambda self, values: None)
    one_by_one = lanes.run_many(values, ("y",))
    for a, b in zip(tabled, one_by_one, strict=True):
        assert a.values.tobytes() == b.values.tobytes() and a.wanted["y"].tobytes() == b.wanted["y"].tobytes()


def test_a_run_of_a_table_that_does_not_begin_is_marched_by_itself() -> None:
    """Its mass is zero, so that it has no accelerations: the tile is filled run by run."""
    lanes = InLanes(runner_of("2*m", ["m"]), np.linspace(0.5, 1.5, 9)[:, None], 10**6)
    values = np.array([[0.5], [1.0], [0.0], [1.5]])
    found = lanes.run_many(values)
    assert [one.failed for one in found] == [False, False, True, False]
    np.testing.assert_array_equal(found[3].values, lanes.run_many(values[3:])[0].values)
