"""Optimisations by `auto`: a method that is chosen by the problem; the best so far, and a limit of runs."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.studies.engine.journal import Progress
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.optimise import STARTS, optimise
from mbsim.studies.sampled.read import read_study

SPRING = """\
parameters: {m: 2.0, k: 50.0, x1: 0.1, x2: 0.2}
coordinates: [x]
energy: {kinetic: m/2*der(x)^2, potential: k/2*x^2 - m*9.81*x}
simulation: {end: 0.01, step: 0.01}
"""
# Two valleys over x1, the one at 0.8 deeper by 0.1; a search that begins at 0.1 and goes down ends in the other one.
VALLEYS = """\
vary: {x1: {from: 0, to: 1, start: 0.1}, x2: {from: -1, to: 1}}
outputs: {f: 20*(x1 - 0.2)^2*(x1 - 0.8)^2*25 - x1/6 + (x2 - 0.3)^2}
"""


def found(folder: Path, text: str):
    (folder / "spring.yaml").write_text(SPRING)
    (folder / "s.yaml").write_text("model: spring.yaml\n" + text)
    study = read_study(folder / "s.yaml")
    said: list[str] = []
    evaluations = Evaluations(study, make_pool(1), None, lambda progress: said.append(progress.line()))
    return optimise(study, evaluations), said


def test_several_starts_find_the_deeper_valley_in_few_runs(tmp_path: Path) -> None:
    """Against the smallest of 100,001 x values: by SLSQP, in less than a tenth of the runs of populations."""
    best, said = found(tmp_path, VALLEYS + "optimize: {minimize: f, method: auto}\n")
    x = np.linspace(0.0, 1.0, 100_001)
    f = 500.0 * (x - 0.2) ** 2 * (x - 0.8) ** 2 - x / 6.0
    assert (best["method"], best["violated"]) == ("slsqp", 0.0)
    assert best["values"] == {"x1": pytest.approx(x[f.argmin()], abs=1e-4), "x2": pytest.approx(0.3, abs=1e-4)}
    assert best["outputs"]["f"] == pytest.approx(f.min(), abs=1e-7)
    assert f"of {STARTS} starts lead to this value" in best["message"]
    local, _ = found(tmp_path, VALLEYS + "optimize: {minimize: f, method: slsqp}\n")
    assert local["outputs"]["f"] > best["outputs"]["f"] + 0.05
    everywhere, _ = found(tmp_path, VALLEYS + "optimize: {minimize: f, method: differential_evolution}\n")
    assert everywhere["outputs"]["f"] == pytest.approx(best["outputs"]["f"], abs=1e-7)
    assert best["evaluations"] < everywhere["evaluations"] / 2
    assert said[-1].startswith(f"{best['evaluations']} runs, ") and "best f -0." in said[-1] and "left" not in said[-1]


def test_limits_of_outputs_are_kept(tmp_path: Path) -> None:
    """m + k is largest at sqrt(2) where m^2 + k^2 is at most 1."""
    text = "vary: {x1: {from: 0.1, to: 2}, x2: {from: 0.1, to: 2}}\noutputs: {f: x1 + x2, r: x1^2 + x2^2}\n"
    best, _ = found(tmp_path, text + "optimize: {maximize: f, subject_to: {r: {max: 1}}, method: auto}\n")
    assert best["method"] == "slsqp" and best["outputs"]["f"] == pytest.approx(np.sqrt(2.0), abs=1e-4)
    assert best["violated"] == 0.0


def test_options_are_those_of_populations(tmp_path: Path) -> None:
    best, _ = found(tmp_path, VALLEYS + "optimize: {minimize: f, method: auto, options: {maxiter: 3, popsize: 4}}\n")
    assert best["method"] == "differential_evolution"


@pytest.mark.parametrize("method", ["auto", "differential_evolution", "nelder-mead"])
def test_as_many_runs_as_are_allowed(tmp_path: Path, method: str) -> None:
    """What comes back is the best of the runs that were made; populations that began end first."""
    best, said = found(tmp_path, VALLEYS + f"optimize: {{minimize: f, method: {method}, max_runs: 10}}\n")
    assert not best["converged"] and "(max_runs), with the best so far" in best["message"]
    assert best["evaluations"] >= 10 and "of at most 10 runs" in said[-1]
    begun = 500.0 * (0.1 - 0.2) ** 2 * (0.1 - 0.8) ** 2 - 0.1 / 6.0 + 0.09
    assert best["outputs"]["f"] <= begun + 1e-12


def test_a_limit_that_is_not_kept_is_told(tmp_path: Path) -> None:
    text = "vary: {x1: {from: 0, to: 1}, x2: {from: 0, to: 1}}\noutputs: {f: x1 + x2, r: x1 - x2}\n"
    best, said = found(tmp_path, text + "optimize: {minimize: f, subject_to: {r: {min: 5}}, method: slsqp, options: {maxiter: 3}}\n")
    assert best["violated"] > 0.0 and "limits not kept" in said[-1]


def test_progress_of_what_has_no_known_end() -> None:
    progress = Progress(300, done=200, open_ended=True, best="best f 1.5", failed=2)
    assert " left" not in progress.line() and progress.line().endswith("a second, best f 1.5, 2 failed")
    assert " left" in Progress(300, done=200).line()


def test_the_command_says_what_was_chosen(tmp_path: Path) -> None:
    (tmp_path / "spring.yaml").write_text(SPRING)
    (tmp_path / "s.yaml").write_text("model: spring.yaml\n" + VALLEYS + "optimize: {minimize: f, method: auto}\n")
    done = CliRunner().invoke(main, ["optimize", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "s.h5"), "-j", "1"])
    assert done.exit_code == 0 and "by slsqp, " in done.stdout, done.output
    shown = CliRunner().invoke(main, ["info", str(tmp_path / "s.h5"), "--json"])
    assert "starts lead to this value" in json.dumps(json.loads(shown.stdout))
