"""`mbsim compare`: exit codes, what goes where, and every way to use it wrong."""

import json

import pytest
import samples
from click.testing import CliRunner

from mbsim.cli import compare as command
from mbsim.cli import main

QUICK = ["--methods", "svd", "--steps", "0.02,1e-2", "--repeats", "1"]


def call(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)], prog_name="mbsim")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "oscillator.yaml"
    path.write_text(samples.OSCILLATOR, encoding="utf-8")
    return path


def test_rows_that_agree(file, tmp_path):
    outputs = [tmp_path / f"x.{suffix}" for suffix in ("html", "json", "h5")]
    result = call(file, *QUICK, *(word for path in outputs for word in ("-o", path)))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("oscillator: oscillator\n") and result.stdout.count("  agrees\n") == 2
    assert "2 rows: 2 agree" in result.stderr and "oscillator: svd, rk4, step 0.02" in result.stderr
    assert all(path.is_file() for path in outputs)
    assert json.loads(outputs[1].read_text(encoding="utf-8"))["command"] == f"mbsim compare {file} {' '.join(QUICK)} " + " ".join(
        f"-o {path}" for path in outputs
    )


def test_rows_that_disagree_and_rows_that_fail(file):
    text = "reference: {source: a book, values: [{time: 1, of: x, value: 0.5, tolerance: 1e-3}]}\n"
    file.write_text(samples.OSCILLATOR + text, encoding="utf-8")
    result = call(file, *QUICK)
    assert result.exit_code == 1 and "2 rows: 2 disagree" in result.stderr
    file.write_text(samples.OSCILLATOR.replace("2*x^2", "-x^4"), encoding="utf-8")  # it goes to infinity before 1 s
    result = call(file, *QUICK)
    assert result.exit_code == 1 and "2 rows: 2 failed" in result.stderr
    assert "no reference: " in result.stdout and "svd, rk4, step 0.02: failed: stopped at t = " in result.stdout


def test_a_time_limit(file):
    result = call(file, *QUICK, "--timeout", "0.001")
    assert result.exit_code == 1
    assert "not finished after 0.001 s, the limit" in result.stderr + result.stdout


def test_every_unknown_word_is_named(file):
    result = call(file, "--methods", "svdd,svd(holdd=1)", "--integrators", "rk5", "--steps", "1e-2,-1", "--drift", "fulll")
    assert result.exit_code == 2 and result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0] == "unknown method 'svdd'; did you mean 'svd'?"
    assert lines[1].startswith("method svd(holdd=1): unknown option 'holdd'")
    assert lines[2].startswith("unknown integrator 'rk5'")
    assert lines[3:] == ["a step is a number greater than 0 (got '-1')", "unknown drift 'fulll'; did you mean 'full'?"]


def test_a_model_with_errors(file):
    file.write_text("coordinates: [x]\nenergy: {kinetic: y}\nsimulation: {ennd: 1}\n", encoding="utf-8")
    result = call(file, *QUICK)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].startswith(f"{file}:2:19: energy.kinetic: unknown name 'y'")
    assert f"{file}:3:14: simulation.ennd: unknown key 'ennd'; did you mean 'end'?" in result.stderr


def test_reference_files_that_do_not_fit(file, tmp_path):
    assert call(file, *QUICK, "--reference", tmp_path / "absent.h5").stderr == f"Error: there is no result file {tmp_path / 'absent.h5'}\n"
    (tmp_path / "x.h5").write_text("no result")
    result = call(file, *QUICK, "--reference", tmp_path / "x.h5")
    assert result.exit_code == 2 and "is not a result of mbsim" in result.stderr


@pytest.mark.parametrize("output", ["x.pdf", "absent/x.html"])
def test_outputs_that_cannot_be_written(file, tmp_path, output):
    result = call(file, *QUICK, "-o", tmp_path / output)
    assert result.exit_code == 2 and "cannot write" in result.stderr and result.stdout == ""


def test_without_a_model_the_examples_of_the_papers_run(file, monkeypatch):
    asked = []
    monkeypatch.setattr(command, "find_model", lambda name: asked.append(name) or file)
    assert call(*QUICK).exit_code == 0
    assert asked == ["rolling_disk", "pendulum_dae", "quick_return", "space_robot"]


def test_an_unknown_model():
    result = call("rolling_dsk")
    assert result.exit_code == 2 and "did you mean 'rolling_disk'?" in result.stderr


def test_a_preset_runs_a_papers_example_with_its_settings(file):
    from mbsim import registry
    from mbsim.studies.compare.presets import PRESETS

    result = call(file, "--preset", "paper:svd", "--steps", "0.02", "--repeats", "1", "--wide")
    assert result.exit_code == 0, result.stderr
    assert [line.split()[0] for line in result.stdout.splitlines() if " rk4  " in line] == list(PRESETS["paper:svd"].methods)
    result = call(file, "--preset", "svd", *QUICK)  # what is given takes precedence
    assert sum(line.endswith("agrees") and " rk4  " in line for line in result.stdout.splitlines()) == 2
    wrong = call("--preset", "paper:svdd")
    assert (wrong.exit_code, wrong.stderr.strip().partition(";")[0]) == (2, "Error: unknown preset 'paper:svdd'")
    for preset in PRESETS.values():
        for text in preset.methods:
            word, options = registry.variant(text)
            assert options.keys() <= registry.options("methods", word).keys()
