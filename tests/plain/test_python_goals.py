"""`mbsim.optimize`, `fit`, `sensitivity`: what the commands of these names write; and studies of models that no file holds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.studies.runner.given import RunnerError

SPRING = """\
parameters: {m: 2.0, k: 50.0, x1: 0.1}
coordinates: [x]
energy: {kinetic: m/2*der(x)^2, potential: k/2*x^2 - m*9.81*x}
measures: {level: x1}
simulation: {end: 0.01, step: 0.002}
"""
RANGES = {"m": {"from": 0.5, "to": 3}, "k": {"from": 1, "to": 4, "start": 1.2}}
GOAL = {"f": "(m - 1)^2 + 3*(k - 2)^2 + 5", "g": "m + k"}
TIMES = np.linspace(0.0, 0.01, 12)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("spring.yaml").write_text(SPRING)
    measured = 0.4 + 1e-3 * np.random.default_rng(5).standard_normal(len(TIMES))
    rows = [f"{a!r},{b!r}\n" for a, b in zip(TIMES.tolist(), measured.tolist(), strict=True)]
    Path("m.csv").write_text("t,y\n" + "".join(rows))
    return tmp_path


def written(command: str, **blocks: Any) -> Any:
    """What a command writes of a study file with these blocks: the findings of its result."""
    Path("s.yaml").write_text(yaml.safe_dump({"model": "spring.yaml", **blocks}, sort_keys=False))
    for arguments in ([command, "s.yaml", "-o", "s.h5", "--force", "-j", "1"], ["info", "s.h5", "--json"]):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["findings"]


def as_json(plain: Any) -> Any:
    return json.loads(json.dumps(plain))


def test_optimize(folder: Path) -> None:
    limits = {"g": {"max": 2.5}}
    found = mbsim.optimize("spring.yaml", RANGES, GOAL, minimize="f", subject_to=limits, method="slsqp", workers=1)
    block = {"minimize": "f", "subject_to": limits, "method": "slsqp"}
    assert as_json(found.to_dict()) == written("optimize", vary=RANGES, outputs=GOAL, optimize=block)
    # On m + k = 2.5 the smallest is where m - 1 = 3 (k - 2).
    assert found.values == {"m": pytest.approx(0.625, abs=1e-5), "k": pytest.approx(1.875, abs=1e-5)}
    assert found.converged and found.goal == "f" and found.failed == 0 and found.violated == 0.0
    assert repr(found).startswith("minimize f: ") and "  m = 0.625" in repr(found)
    again = mbsim.optimize(SPRING, RANGES, GOAL, minimize="f", subject_to=limits, method="slsqp", workers=1, output="o.h5")
    assert again == found and Path("o.h5").is_file()


def test_fit(folder: Path) -> None:
    vary, columns = {"x1": {"from": -1, "to": 1}}, {"level": "y"}
    found = mbsim.fit("spring.yaml", vary, "m.csv", columns, time="t", workers=1)
    assert as_json(found.to_dict()) == written("fit", vary=vary, fit={"table": "m.csv", "time": "t", "columns": columns})
    table = np.loadtxt("m.csv", delimiter=",", skiprows=1)
    mean, std = table[:, 1].mean(), table[:, 1].std(ddof=1) / np.sqrt(len(table))
    assert found.values["x1"] == pytest.approx(mean, rel=1e-9) and found.std["x1"] == pytest.approx(std, rel=1e-4)
    # Arrays, with two rows in which nothing was measured, are the same measurement.
    gaps = np.vstack([table, [[0.001, np.nan], [np.nan, 3.0]]])
    again = mbsim.fit(yaml.safe_load(SPRING), vary, {"t": gaps[:, 0], "y": gaps[:, 1]}, columns, time="t", workers=1)
    assert again.values["x1"] == pytest.approx(mean, rel=1e-9) and again.residuals == len(table)


def test_sensitivity(folder: Path) -> None:
    found = mbsim.sensitivity("spring.yaml", RANGES, {"f": "m^2*k", "g": "m"}, workers=1)
    assert as_json(found.to_dict()) == written(
        "sensitivity", vary=RANGES, outputs={"f": "m^2*k", "g": "m"}, sensitivity={"type": "derivatives"}
    )
    assert found.names == ["m", "k"] and found.at == {"m": 2.0, "k": 1.2}
    assert found.array("derivative") == pytest.approx(np.array([[2 * 2 * 1.2, 4.0], [1.0, 0.0]]), abs=1e-9)
    with pytest.raises(ValueError, match="derivatives have no 'first'; they have derivative, elasticity"):
        found.array("first")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: mbsim.optimize(SPRING, {"m": {"from": 0.5}}, GOAL, minimize="h"),
            "arguments: vary.m: expected {from: ..., to: ...}, between which values are chosen",
        ),
        (lambda: mbsim.optimize(SPRING, RANGES, GOAL, minimize="h"), "arguments: optimize.minimize: unknown output 'h'"),
        (lambda: mbsim.optimize(SPRING, RANGES, GOAL), "arguments: optimize: give either minimize or maximize"),
        (lambda: mbsim.optimize(SPRING, RANGES, GOAL, minimize="f", method="slsq"), "unknown value 'slsq'; did you mean 'slsqp'"),
        (
            lambda: mbsim.optimize("sprang.yaml", RANGES, GOAL, minimize="f"),
            "arguments: model: 'sprang.yaml' is neither a file nor a shipped",
        ),
        (
            lambda: mbsim.sensitivity(SPRING, RANGES, GOAL, "sobl"),
            "arguments: sensitivity.type: unknown value 'sobl'; did you mean 'sobol'",
        ),
        (
            lambda: mbsim.fit(SPRING, RANGES, {"time": TIMES, "y": TIMES}, {"lev": "y"}),
            "arguments: fit.columns.lev: the result has no variable",
        ),
        (
            lambda: mbsim.fit(SPRING, RANGES, {"t": TIMES, "y": TIMES}, {"level": "y"}),
            "arguments: fit.time: the table has no column 'time'",
        ),
        (
            lambda: mbsim.fit(SPRING, RANGES, {"time": TIMES * 9, "y": TIMES}, {"level": "y"}),
            "times go from 0 s to 0.09 s, and the run from",
        ),
        (
            lambda: mbsim.study(SPRING.replace("m/2", "mm/2"), {"k": [1, 2]}, {"f": "k"}),
            "the model:3:19: energy.kinetic: unknown name 'mm'",
        ),
    ],
)
def test_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises(mbsim.ModelError) as error:
        call()
    assert message in str(error.value)


def test_measurements_of_different_lengths() -> None:
    with pytest.raises(ValueError, match=r"table: expected columns of the same length \(got time \(12,\), y \(11,\)\)"):
        mbsim.fit(SPRING, RANGES, {"time": TIMES, "y": TIMES[1:]}, {"level": "y"})


def test_a_model_s_own_changes_are_kept_in_studies() -> None:
    """Parameters and settings that were given when it was read; tables cannot be, and are refused."""
    model = mbsim.load_model(SPRING, {"m": 3}, {"end": 0.004})
    outputs = {"m": "m", "end": "max(t)"}
    assert mbsim.Runner(model, ["k"], outputs).run([5.0]).values.tolist() == [3.0, 0.004]
    assert mbsim.Runner(model, ["k"], outputs, parameters={"m": 4}, end=0.006).run([5.0]).values.tolist() == [4.0, 0.006]
    found = mbsim.study(model, {"k": [1, 2]}, outputs, workers=1)
    assert found["m"].values.tolist() == [3.0, 3.0] and found["end"].values.tolist() == [0.004, 0.004]
    tables = {"lift": {"points": [[0, 0], [1, 1], [2, 0]]}}
    text = SPRING.replace("coordinates", "tables: {lift: {points: [[0, 0], [1, 2], [2, 0]]}}\ncoordinates").replace("x1}", "x1*lift(t)}")
    with pytest.raises(RunnerError, match="runs take tables from the model's file, not those given beside it: lift"):
        mbsim.Runner(mbsim.load_model(text, tables=tables), ["k"], {"m": "m"})
