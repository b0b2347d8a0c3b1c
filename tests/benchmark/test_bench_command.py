"""`mbsim bench`: what it prints and writes, its exit codes, and the search for the fastest setting, on models of a few lines."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mbsim.cli import bench as command
from mbsim.cli import main
from mbsim.studies.bench import search
from mbsim.studies.bench.cases import MET, MISSED, Setting, Trial, read_case
from mbsim.studies.bench.measure import bench
from mbsim.studies.compare.verdict import Check

OSCILLATOR = """name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: 2*x^2}
initial: {x: 1}
simulation: {end: 1, step: 0.05}
reference:
  source: x = cos(2 t)
  values:
    - {time: 1, of: x, value: cos(2), tolerance: 1e-5}
    - {time: 0.33, of: der(x), value: -2*sin(0.66), tolerance: 1e-4}
"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", *map(str, arguments)], prog_name="mbsim")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "oscillator.yaml"
    path.write_text(OSCILLATOR, encoding="utf-8")
    return path


def test_a_case_that_is_met(file: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / f"x.{suffix}" for suffix in ("csv", "json", "md")]
    for path in outputs:
        result = call(file, "--repeats", "1", "-o", path)
        assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0].split()[0] == "case" and result.stdout.splitlines()[1].endswith("met")
    assert "1 benchmarks, 1 met" in result.stderr
    (row,) = csv.DictReader(outputs[0].read_text(encoding="utf-8").splitlines())
    facts = json.loads(outputs[1].read_text(encoding="utf-8"))
    assert facts["ok"] is True
    (found,) = facts["rows"]
    assert float(row["ratio"]) == pytest.approx(found["ratio"], rel=1e-6) and 0.0 < found["ratio"] < 1.0
    worst = max(found["values"], key=lambda value: value["ratio"])
    assert found["worst"] == {k: worst[k] for k in ("of", "time", "required")} | {"error": abs(worst["found"] - worst["published"])}
    assert found["method"] == "lagrange" and found["integrator"] == "rk4" and found["step"] == 0.05 and found["steps"] == 20
    assert 0.0 < found["march_time"] <= found["run_time"]
    assert outputs[2].read_text(encoding="utf-8").count("\n") == 3 + 1  # and the mark


def test_a_value_that_is_missed(file: Path) -> None:
    file.write_text(OSCILLATOR.replace("value: cos(2)", "value: cos(2) + 2e-5"), encoding="utf-8")
    result = call(file, "--repeats", "1", "--json")
    assert result.exit_code == 1 and "1 benchmarks, 0 met" in result.stderr
    (row,) = json.loads(result.stdout)["rows"]
    assert row["verdict"] == MISSED and row["worst"]["of"] == "x" and row["ratio"] == pytest.approx(2.0, rel=0.2)
    assert row["reason"].startswith("x at 1 s is -0.41614") and "published -0.416126" in row["reason"]


def test_a_run_that_breaks_down(file: Path) -> None:
    file.write_text(OSCILLATOR.replace("2*x^2", "-x^4").replace("0.05", "0.02"), encoding="utf-8")  # it goes to infinity before 1 s
    result = call(file, "--repeats", "1")
    assert result.exit_code == 1 and "failed: stopped at t = " in result.stdout


def test_a_time_limit(file: Path) -> None:
    result = call(file, "--timeout", "0.001")
    assert result.exit_code == 1 and "not finished after 0.001 s, the limit" in result.stdout


def test_the_list_needs_no_run() -> None:
    result = call("--list", "bricard", "free_body")
    assert result.exit_code == 0 and [line.split()[0] for line in result.stdout.splitlines()] == ["bricard", "free_body"]
    assert "closed form in Jacobi's elliptic functions" in result.stdout


def test_without_a_model_every_shipped_benchmark_is_run(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = tmp_path / "plain.yaml"
    plain.write_text(OSCILLATOR[: OSCILLATOR.index("reference")], encoding="utf-8")
    monkeypatch.setattr(command, "list_shipped", lambda: {"oscillator": file, "plain": plain})
    result = call("--list")
    assert result.exit_code == 0 and result.stdout.split()[:2] == ["oscillator", "2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pendulum",), "has no `reference` block"),
        (("bricrd",), "did you mean 'bricard'?"),
        (("bricard", "-o", "x.pdf"), "the suffix says the format, one of .csv, .json, .md"),
        (("bricard", "-o", "absent/x.csv"), "the folder absent does not exist"),
        (("bricard", "--methods", "svd"), "go with --search"),
        (("bricard", "--search", "--methods", "svdd"), "unknown method 'svdd'; did you mean 'svd'?"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.exit_code == 2 and message in result.stderr and result.stdout == ""


def test_models_with_errors_are_all_reported(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(OSCILLATOR.replace("tolerance: 1e-5", "tolerance: -1"), encoding="utf-8")
    file.write_text(OSCILLATOR.replace("of: x", "of: y"), encoding="utf-8")
    result = call(file, other)
    assert result.exit_code == 2
    assert f"{file}:9:21: reference.values[0].of: unknown name 'y'" in result.stderr and f"{other}:9:" in result.stderr


def test_the_search_finds_a_setting_that_meets_the_values_with_a_margin(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for patience in ("PATIENCE", "HOPELESS"):  # no combination is given up because this machine does something else meanwhile
        monkeypatch.setattr(search, patience, 1e9)
    result = call(file, "--search", "--methods", "svd,lagrange", "--integrators", "rk4,dop853", "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert {(row["method"], row["integrator"]) for row in rows} == {(m, i) for m in ("svd", "lagrange") for i in ("rk4", "dop853")}
    assert all(row["verdict"] == MET and row["ratio"] <= search.MARGIN for row in rows)
    assert [row["run_time"] for row in rows] == sorted(row["run_time"] for row in rows)
    assert "oscillator: the fastest is method: " in result.stderr


def test_the_search_says_when_nothing_meets_the_values(file: Path) -> None:
    file.write_text(OSCILLATOR.replace("value: cos(2)", "value: 2"), encoding="utf-8")
    result = call(file, "--search", "--methods", "svd", "--integrators", "rk4")
    assert result.exit_code == 1 and "no setting meets the values" in result.stderr


def fake(errors: dict[float, float], seen: list[float]):
    """In place of `trial`: an error, in units of the tolerance, for each step."""

    def trial(runner: object, case: object, setting: Setting, repeats: int) -> Trial:
        seen.append(setting.level)
        ratio = errors[setting.level]
        return Trial(setting, MET if ratio <= 1.0 else MISSED, checks=[Check(1.0, "x", 0.0, 1.0, ratio)], run_time=1.0 / setting.level)

    return trial


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({0.1: 0.3, 0.05: 0.01, 0.2: 2.0, 0.025: 0.0}, 0.1),  # coarser is missed
        ({0.1: 3.0, 0.05: 0.4, 0.025: 0.02}, 0.05),  # finer is needed
        ({0.1: 0.8, 0.05: 0.4, 0.025: 0.02}, 0.05),  # met, but not with the margin
        ({0.1: 0.1, 0.05: 3.0, 0.025: 0.2, 0.0125: 0.01, 0.2: 9.0}, 0.025),  # the error of 0.1 only changes its sign
    ],
)
def test_the_coarsest_level_is_one_whose_next_finer_passes_too(
    errors: dict[float, float], expected: float, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = read_case(file)
    assert case is not None
    monkeypatch.setattr(search, "trial", fake(errors, []))
    monkeypatch.setattr(search, "COARSEST", 5)
    found = search.coarsest(None, case, Setting("svd", "rk4", 0.1, False, 0.1), fastest=1e9)
    assert found is not None and found.setting.level == expected


def test_a_level_that_takes_too_long_ends_a_combination(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, seen = read_case(file), []
    assert case is not None
    monkeypatch.setattr(search, "trial", fake(dict.fromkeys((0.1 / 2**k for k in range(20)), 9.0), seen))
    assert search.coarsest(None, case, Setting("svd", "rk4", 0.1, False, 0.1), fastest=10.0) is None
    assert seen == [0.1, 0.05, 0.025]  # 1/0.025 s is more than PATIENCE times 10 s


def test_a_tolerance_of_the_file_is_the_level(tmp_path: Path) -> None:
    path = tmp_path / "tight.yaml"
    path.write_text(OSCILLATOR.replace("step: 0.05", "output_step: 0.1, integrator: dop853, rtol: 1e-9"), encoding="utf-8")
    case = read_case(path)
    assert case is not None and case.own.adaptive and case.own.level == 1e-9
    (found,) = bench([case], repeats=1)
    assert found.verdict == MET and found.integrator == "dop853" and found.setting.words()["options"]["rtol"] == 1e-9
