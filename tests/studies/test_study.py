"""Studies: samples, files with mistakes, where they run, what is killed and goes on, what fails, the file and the table."""

import json
import os
import signal
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from click.testing import CliRunner, Result

import mbsim
from mbsim.cli import main
from mbsim.results.study_read import read_study_file
from mbsim.results.study_write import OtherStudyError, UnfinishedError
from mbsim.studies.engine.pool import PoolError, make_pool
from mbsim.studies.sampled import run as running
from mbsim.studies.sampled.read import read_study
from mbsim.studies.sampled.sampling import Axis, Distribution, Plan, Sampling, SamplingError, probabilities

STUDY = """\
study: tolerances of a pendulum
model: pendulum
vary:
  l: {from: 0.8, to: 1.2, count: 3}
  m: {normal: {mean: 2.0, std: 0.02}, within: [1.9, 2.1]}
  joints.pin.at[0]: {uniform: {loc: -1.0e-4, scale: 2.0e-4}, add: true}
sampling: {type: latin_hypercube, count: 8, seed: 1}
simulation: {end: 0.04}
outputs:
  peak: max(norm(joint_force:pin))
  last: final(rod.angle)
keep: {variables: [rod.angle, "joint_force:pin"], every: 10}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tolerances.yaml"
    path.write_text(STUDY)
    return path


def content(path: Path) -> dict[str, object]:
    """All that a study file holds."""
    with h5py.File(path, "r") as found:
        return {name: np.asarray(found[name][()]).tobytes() for name in found} | {name: str(value) for name, value in found.attrs.items()}


def test_the_same_on_every_place(file: Path, tmp_path: Path) -> None:
    study = read_study(file)
    assert study.plan.runs == 24 and study.units == {"peak": "N", "last": "rad"} and study.runner.in_place
    contents = []
    for name, at in {"one": make_pool(1), "threads": make_pool(2, "threads"), "three": make_pool(3, "threads")}.items():
        running.run_study(study, tmp_path / f"{name}.h5", at)
        at.close()
        contents.append(content(tmp_path / f"{name}.h5"))
    assert contents[0] == contents[1] == contents[2]
    opened = xarray.open_dataset(tmp_path / "one.h5", engine="h5netcdf")
    assert opened.peak.dims == ("run",) and opened.history.dims == ("run", "time", "label")
    assert opened.history.sel(label="rod.angle", run=3).values[-1] == opened["last"].values[3]
    model = mbsim.load_model(
        "models/pendulum.yaml", parameters={"l": float(opened.l[5]), "m": float(opened.m[5])}, simulation={"end": 0.04}
    )
    alone = mbsim.simulate(model)
    assert alone.evaluate("max(norm(joint_force:pin))") == pytest.approx(float(opened.peak[5]), rel=1e-3)  # but for the pin's place
    opened.close()


@pytest.mark.slow
def test_processes_give_the_same(file: Path, tmp_path: Path) -> None:
    study = read_study(file)
    for name, at in {"one": make_pool(1), "processes": make_pool(2, "processes")}.items():
        running.run_study(study, tmp_path / f"{name}.h5", at)
        at.close()
    assert content(tmp_path / "one.h5") == content(tmp_path / "processes.h5")


def killed_after(study: object, path: Path, runs: int, resume: bool) -> None:
    """Run a study in a child process that is killed, as by kill -9, when so many runs are handed over."""
    child = os.fork()
    if child == 0:

        def say(progress: running.Progress) -> None:
            if progress.done >= runs:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            running.run_study(study, path, make_pool(1), resume=resume, say=say)  # type: ignore[arg-type]
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def test_killed_anywhere_it_goes_on(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.results.study_write.EVERY", 0.0)
    monkeypatch.setattr(running, "BATCH", 0.0)  # a run at a time
    study = read_study(file)
    running.run_study(study, tmp_path / "whole.h5", make_pool(1))
    path = tmp_path / "killed.h5"
    for k, runs in enumerate((1, 5, 6, 17, 23)):
        killed_after(study, path, runs, resume=k > 0)
        assert not path.exists() and (tmp_path / "killed.h5.part").exists()
    with read_study_file(tmp_path / "killed.h5.part") as part:
        assert 22 <= part.count < 24 and part.status == "running"
    with pytest.raises(UnfinishedError, match="go on with --resume"):
        running.run_study(study, path, make_pool(1))
    progress = running.run_study(study, path, make_pool(1), resume=True)
    assert progress.resumed >= 22 and progress.done == 24
    assert content(path) == content(tmp_path / "whole.h5")
    assert running.run_study(study, path, make_pool(1), resume=True).resumed == 24
    other = tmp_path / "other.yaml"
    other.write_text(STUDY.replace("seed: 1", "seed: 2"))
    with pytest.raises(OtherStudyError, match="is of another study"):
        running.run_study(read_study(other), path, make_pool(1), resume=True)


def test_killed_while_it_takes_over_what_there_is(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.results.study_write.EVERY", 0.0)
    monkeypatch.setattr(running, "BATCH", 0.0)
    study = read_study(file)
    path = tmp_path / "s.h5"
    killed_after(study, path, 11, resume=False)
    os.replace(tmp_path / "s.h5.part", tmp_path / "s.h5.before")  # as a kill between the two leaves it
    (tmp_path / "s.h5.part").write_bytes(b"")
    assert running.run_study(study, path, make_pool(1), resume=True).resumed >= 10
    assert not (tmp_path / "s.h5.before").exists() and not (tmp_path / "s.h5.part").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_study_that_is_replaced_keeps_its_permissions(file: Path, tmp_path: Path) -> None:
    path, study = tmp_path / "s.h5", read_study(file)
    running.run_study(study, path, make_pool(1))
    path.chmod(0o640)
    running.run_study(study, path, make_pool(1), force=True)
    assert path.stat().st_mode & 0o777 == 0o640


def test_failed_runs_are_rows(tmp_path: Path) -> None:
    wanted = ("--output", "p=max(norm(joint_force:A))", "--output", "late=at(t, 9)")
    done = run("sweep", "four_bar", "--vary", "a=1,6,7", *wanted, "--end", "0.01", "-o", str(tmp_path / "s.h5"))
    assert done.exit_code == 1 and "2 of 3 runs failed" in done.output and "acos" in done.output
    with read_study_file(tmp_path / "s.h5") as saved:
        assert saved.failed.tolist() == [False, True, True] and np.isnan(saved["p"][1:]).all() and saved["p"][0] > 0.0
        assert "late: the run has no value at t = 9 s" in saved.reasons[0] and "acos" in saved.reasons[1]
    facts = json.loads(run("info", str(tmp_path / "s.h5"), "--json").output)
    assert sorted(facts["reasons"].values()) == [1, 2]  # two runs whose numbers differ failed alike
    assert facts["failed"] == 2 and facts["outputs"]["p"]["count"] == 1 and facts["outputs"]["late"]["none"] == 1


def test_runs_that_failed_before_a_resume_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.results.study_write.EVERY", 0.0)
    monkeypatch.setattr(running, "BATCH", 0.0)
    words = ("sweep", "four_bar", "--vary", "a=1,6,7,1.01", "--output", "last=final(t)", "--end", "0.01", "-j", "1")
    monkeypatch.chdir(tmp_path)

    def interrupted(progress: running.Progress) -> None:
        if progress.done == 3 and not progress.resumed:
            raise KeyboardInterrupt

    monkeypatch.setattr("mbsim.cli._study._Painted.__call__", lambda _, progress: interrupted(progress))
    assert run(*words).exit_code == 1 and Path("four_bar.study.h5.part").exists()
    for part in ("the last run is left", "nothing is left"):
        done = run(*words, "--resume")
        assert done.exit_code == 1 and "2 of 4 runs failed" in done.output and "acos" in done.output, part
    assert Path("four_bar.study.h5").exists()


def test_info_and_csv(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("study", str(file), "-j", "1")
    assert done.exit_code == 0 and done.output.splitlines()[-1] == "tolerances.study.h5"
    told = run("info", "tolerances.study.h5").output
    assert "24 of 24 runs of pendulum.yaml, 0 failed (complete)" in told and "correlation of ranks" in told
    assert run("info", "tolerances.study.h5", "-o", "t.csv").exit_code == 0
    rows = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()]
    assert rows[0] == ["run", "l", "m", "joints.pin.at[0]", "peak", "last", "failed", "reason"] and len(rows) == 25
    with read_study_file(tmp_path / "tolerances.study.h5") as saved:
        assert [float(row[4]) for row in rows[1:]] == saved["peak"].tolist()
    assert run("study", str(file), "-j", "1").exit_code == 0  # over its own file
    (tmp_path / "tolerances.study.h5").write_text("a letter")
    assert run("study", str(file)).exit_code == 2


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    path = tmp_path / "example.yaml"
    path.write_text(text.partition("```yaml study\n")[2].partition("```")[0])
    study = read_study(path)
    assert study.plan.runs == 41 * 3 * 1000 and study.names[-1] == "joints.C.at[0]" and list(study.labels) == ["crank.angle"]


def test_the_schema_accepts_the_shipped_studies_and_refuses_mistakes() -> None:
    import yaml
    from jsonschema import Draft202012Validator

    schema = json.loads(run("schema", "--study").output)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    shipped = sorted((Path(__file__).parents[2] / "models" / "studies").glob("*.yaml"))
    studies = [found for path in shipped if "vary" in (found := yaml.safe_load(path.read_text()))]
    assert len(studies) == 6
    for found in [*studies, yaml.safe_load(STUDY)]:
        assert not list(validator.iter_errors(found))
    assert list(validator.iter_errors({**studies[0], "sampling": {"type": "sobl"}}))
    assert list(validator.iter_errors({**studies[0], "vary": {"l": {"from": "a", "to": 2}}}))


WRONG = """\
studdy: tolerances
model: pendulum
vary:
  mm: {normal: {mean: 2.0, std: 0.02}}
  m: {normal: {mean: 2.0, sd: 0.02}}
  joints.pin.at[3]: {uniform: {loc: 1, scale: 2}, add: true}
  l: {from: 1, to: 0, count: 3}
  gravity[1]: {norml: {loc: 1}}
  gravity[0]: {normal: {mean: 0, std: -1}}
sampling: {type: sobl, count: 0}
simulation: {end: 1}
outputs:
  peak: max(norm(joint_force:pin)
  m: max(t)
"""
FAULTS = (
    ":1:1: studdy: unknown key 'studdy'; did you mean 'study'?",
    ":4:3: vary.mm: unknown parameter 'mm'; did you mean 'm'?",
    ":5:31: vary.m.normal.sd: unknown parameter 'sd'; did you mean 'std'?",
    ":6:3: vary.joints.pin.at[3]: joints.pin.at has 2 items, counted from 0; there is no [3]",
    ":7:20: vary.l.to: must be greater than 'from' (got 1 to 0)",
    ":8:23: vary.gravity[1].norml: unknown distribution 'norml'; did you mean 'normal'?",
    ":9:24: vary.gravity[0].normal: there is no normal distribution with mean 0, std -1",
    ":10:18: sampling.type: unknown value 'sobl'; did you mean 'sobol'?",
    ":10:31: sampling.count: input should be greater than or equal to 1 (got 0)",
    ":13:12: outputs.peak: '(' is never closed",
    ":14:3: outputs.m: the name 'm' is already used in vary",
)


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG)
    done = run("study", str(path))
    assert done.exit_code == 2
    assert done.output.splitlines() == [f"{path}{fault}" for fault in FAULTS]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("peak: max(norm(joint_force:pin))", "peak: max(norm(joint_force:pim))", ":10:18: outputs.peak: the result has no joint 'pim'"),
        ("peak: max(norm(joint_force:pin))", "peak: rod.angle", ":10:9: outputs.peak: this is a history and not a number"),
        ("[rod.angle,", "[rod.angel,", ":12:20: keep.variables[0]: the result has no variable or label 'rod.angel'"),
        ("[rod.angle,", "[l,", ":12:20: keep.variables[0]: 'l' is one number of a run and no history"),
        ("model: pendulum", "model: pendulun", ":2:8: model: 'pendulun' is neither a file nor a shipped model"),
        ("end: 0.04", "end: -1", ":8:13: simulation: end must be later than start"),
        ("end: 0.04", "emd: 1", ":8:19: simulation.emd: unknown key 'emd'"),
        ("within: [1.9, 2.1]", "within: [2.1, 1.9]", ":5:47: vary.m.within: the distribution has nothing within [2.1, 1.9]"),
        ("type: latin_hypercube", "type: grid", ":5:3: vary.m: a distribution needs"),
        ("count: 3}", "steps: 3}", ":4:34: vary.l.steps: unknown key 'steps'"),
    ],
)
def test_one_mistake(file: Path, old: str, new: str, words: str) -> None:
    file.write_text(STUDY.replace(old, new))
    done = run("study", str(file))
    assert done.exit_code == 2 and f"{file}{words}" in done.output, done.output


def test_what_varies_is_a_mapping(file: Path) -> None:
    file.write_text("model: pendulum\nvary: 1.5\noutputs: {last: final(rod.angle)}\n")
    done = run("study", str(file))
    assert done.exit_code == 2 and f"{file}:2:7: vary: " in done.output, done.output


def test_a_measurement_without_rows(file: Path) -> None:
    (file.parent / "m.csv").write_text("t,phi\n")
    file.write_text("model: pendulum\nvary: {l: {from: 1, to: 2}}\nfit: {table: m.csv, time: t, columns: {rod.angle: phi}}\n")
    done = run("study", str(file))
    assert done.exit_code == 2 and "m.csv holds no points, only the names of its columns" in done.output, done.output


def test_a_fit_to_a_vector_asks_for_a_component(file: Path) -> None:
    file.write_text('model: pendulum\nvary: {l: {from: 1, to: 2}}\nfit: {table: m.csv, time: t, columns: {"joint_force:pin": f}}\n')
    done = run("study", str(file))
    assert done.exit_code == 2 and "'joint_force:pin' is a vector; name a component, joint_force:pin:x" in done.output, done.output


def test_a_mistake_of_the_command_line() -> None:
    for words, expected in {
        ("--vary", "aa=1:2:3"): "command line: vary.aa: unknown parameter 'aa'",
        ("--vary", "a=1:2"): "--vary takes NAME=FROM:TO:COUNT",
        ("--sample", "a~normal(1"): "--sample takes NAME~DISTRIBUTION",
        ("--sample", "a~gamma(1, 2)"): "name the parameters of gamma",
        ("--sample", "a~gamma(loc=1)"): "missing parameter 'a' of gamma",
        ("--sample", "a~nrmal(1, 2)"): "--sample a~nrmal(1, 2): unknown distribution 'nrmal'; did you mean 'normal'?",
        ("--vary", "a=1,2", "--vary", "a=3,4"): "--vary, --sample: 'a' is given twice",
        ("--vary", "a=1,2", "--sample", "a~normal(1, 2)"): "--vary, --sample: 'a' is given twice",
        ("--vary", "a=1,2", "--output", "x=final(t)", "--output", "x=initial(t)"): "--output: 'x' is given twice",
    }.items():
        done = run("sweep", "four_bar", *words, "--output", "final(t)")
        assert done.exit_code == 2 and expected in done.output, done.output


def test_places_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(PoolError, match=r"pip install 'mbsim\[dask\]'"):
        make_pool(1, dask="tcp://127.0.0.1:1")


# samples


def test_moments_of_samples() -> None:
    """A linear model has the mean and the variance that the distributions give it."""
    drawn = {0: Distribution("normal", (("mean", 2.0), ("std", 0.1))), 1: Distribution("uniform", (("loc", -1.0), ("scale", 2.0))),
             2: Distribution("lognormal", (("sigma", 0.25), ("median", 3.0)))}  # fmt: skip
    for kind, tolerance in {"random": 0.05, "latin_hypercube": 0.02, "sobol": 0.005, "halton": 0.01}.items():
        plan = Plan(3, {}, drawn, Sampling(kind, 4096, 3))
        x = plan.values(0, plan.runs)
        y = 3.0 * x[:, 0] - 2.0 * x[:, 1]
        assert y.mean() == pytest.approx(6.0, abs=tolerance), kind
        assert y.var() == pytest.approx(9.0 * 0.01 + 4.0 / 3.0, rel=4.0 * tolerance), kind
        assert np.median(x[:, 2]) == pytest.approx(3.0, rel=tolerance), kind
        assert np.array_equal(plan.values(100, 200), x[100:200])
        assert np.array_equal(Plan(3, {}, drawn, Sampling(kind, 4096, 3)).values(0, 9), x[:9])
        assert not np.array_equal(Plan(3, {}, drawn, Sampling(kind, 4096, 4)).values(0, 9), x[:9]) or kind == "halton"


def test_grid_times_samples() -> None:
    plan = Plan(3, {2: Axis((1.0, 2.0)), 0: Axis((5.0, 6.0, 7.0))}, {1: Distribution("normal", ())}, Sampling("random", 4, 0))
    x = plan.values(0, plan.runs)
    assert plan.runs == 24 and np.array_equal(x[:, 2], np.repeat([1.0, 2.0], 12)) and np.array_equal(x[:4, 1], x[20:, 1])
    assert np.array_equal(x[:12, 0], np.repeat([5.0, 6.0, 7.0], 4))


def test_a_distribution_that_is_cut_off() -> None:
    cut = Distribution("normal", (("mean", 0.0), ("std", 1.0)), -0.5, 1.0)
    cut.check()
    x = cut.at(probabilities(Sampling("sobol", 1024, 0), 1)[:, 0])
    assert -0.5 <= x.min() < -0.49 and 0.99 < x.max() <= 1.0
    for wrong in (Distribution("normal", (("mean", 0.0),), 2.0, 1.0), Distribution("beta", ()), Distribution("rv_continuous", ())):
        with pytest.raises(SamplingError):
            wrong.check()


# Python


def test_from_python(tmp_path: Path) -> None:
    model = mbsim.load_model("models/four_bar.yaml", parameters={"omega": 7.0})
    found = mbsim.study(
        model,
        vary={"c": np.array([2.5, 2.6])},
        outputs={"last": "final(crank.angle)"},
        simulation={"end": 0.02},
        workers=1,
        keep=["crank.angle"],
    )
    expected = mbsim.simulate(model, end=0.02).evaluate("final(crank.angle)")
    assert float(found["last"][0]) == expected != float(found["last"][1]) and found.history.shape == (2, 21, 1)
    written = mbsim.study("models/four_bar.yaml", {"c": [2.5]}, {"end": "final(t)"}, simulation={"end": 0.02}, output=tmp_path / "s.h5")
    assert float(written.end[0]) == 0.02
    written.close()
    with pytest.raises(mbsim.ModelError, match=r"arguments: vary\.cc: unknown parameter 'cc'"):
        mbsim.study("models/four_bar.yaml", {"cc": [2.5]}, {"end": "final(t)"})
