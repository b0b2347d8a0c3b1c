"""`mbsim view STUDY`: runs are chosen and made again, points are marked, pictures are drawn; files of single runs."""

import time
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, ended, local, started, wait_for
from click.testing import CliRunner, Result

from mbsim.cli import main
from mbsim.cli.models import list_shipped
from mbsim.results.study_read import read_study_file
from mbsim.studies.sampled.again import AgainError, RunsAgain
from mbsim.view import server as serving
from mbsim.view.study import StudyPage


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A four-bar with three cranks, the last of which cannot be assembled."""
    path = tmp_path_factory.mktemp("study") / "cranks.h5"
    wanted = ("--output", "peak=max(norm(joint_force:A))", "--output", "last=final(crank.angle)")
    done = run("sweep", "four_bar", "--vary", "a=1.1,1,7", "--set", "omega=9", *wanted, "--end", "0.02", "-o", path)
    assert done.exit_code == 1 and "1 of 3 runs failed" in done.output
    return path


@pytest.fixture
def page(study: Path):
    server = serving.open_page("study")
    with read_study_file(study) as saved:
        runs = RunsAgain(saved)
        yield StudyPage(server, saved, runs, runs.folder)
    serving.stop_server(server)


def until(page: StudyPage, condition) -> None:
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        page.tick()
        time.sleep(0.02)


def test_a_run_is_made_again(study: Path) -> None:
    """With all that the study set, and the numbers of its outputs to the last bit."""
    with read_study_file(study) as saved:
        runs = RunsAgain(saved)
        assert runs.values(0) == {"a": 1.1}
        for k in (0, 1):
            found = runs(k)
            assert found.result.parameters["omega"] == 9.0 and found.result.time[-1] == 0.02
            assert found.result.evaluate("final(crank.angle)") == saved["last"][k]
            assert found.result.evaluate("max(norm(joint_force:A))") == pytest.approx(saved["peak"][k], rel=1e-12)
        with pytest.raises(AgainError, match="acos"):
            runs(2)


def test_added_numbers_and_a_model_that_changed_since(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added is added; the model is the one of the study, whatever its file says now."""
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "model.yaml"
    model.write_text(list_shipped()["pendulum"].read_text())
    assert run("sweep", model, "--sample", "+joints.pin.at[0]~uniform(0, 0.1)", "-n", 1, "--output", "x=final(rod.x)", "--end", "0.02",
               "-o", "s.h5").exit_code == 0  # fmt: skip
    model.write_text("name: something else\n")
    with read_study_file(tmp_path / "s.h5") as saved:
        runs = RunsAgain(saved)
        added = runs.values(0)["joints.pin.at[0]"]
        assert 0.0 < added < 0.1
        assert runs(0).result.evaluate("final(rod.x)") == pytest.approx(saved["x"][0], rel=1e-12)
        assert runs.folder == tmp_path


def test_choosing_a_run(page: StudyPage) -> None:
    """The slider goes through the runs in the order of what is chosen, and the bodies are those of the run."""
    assert page.run == 0 and page.along.value == "a" and page.slider.value == 1  # 1 < 1.1 < 7
    first = page._result["body_position"].copy()
    assert "**run 0**: a = 1.1" in page._words.content and "peak = " in page._words.content
    page._step("first")
    until(page, lambda: page._changed is None)
    assert page.run == 1 and page._result.parameters["a"] == 1.0
    assert np.abs(page._result["body_position"] - first).max() > 0.01
    node = page._server.scene.get_handle_by_name(f"{page._stage.root}/crank")
    np.testing.assert_allclose(node.position, page._result["body_position"][page._poses.rows[page.playback.k], 0], atol=1e-12)
    x, y, chosen = page._plot.data
    marked = np.flatnonzero(np.isfinite(chosen))
    assert x[marked].tolist() == [1.0] and chosen[marked] == page._study["peak"][1] and (np.diff(x) >= 0.0).all() and len(y) == len(x)
    page.playback.go(len(page._poses.times) - 1)
    page.along.value = "run"
    page._sort()
    assert page.slider.value == 1


def test_a_failed_run_says_why(page: StudyPage) -> None:
    """What is shown stays; the point has no place in the plot."""
    kept = page._result
    page._step("last")
    until(page, lambda: page._changed is None)
    assert page.run == 2 and "the run failed: " in page._words.content and "acos" in page._words.content
    assert page._result is kept and not np.isfinite(page._plot.data[2]).any()


def test_pictures_of_the_study(page: StudyPage) -> None:
    page.tick()
    assert page.picture.value == "curves:peak" and 'alt="curves:peak"' in page._image.content
    first = page._image.content
    page._wanted_picture = "histogram:last"
    page.tick()
    assert page._image.content != first and len(page._image.content) > 5000
    page._wanted_picture = "(none)"
    page.tick()
    assert page._image is None


def test_the_first_run_may_be_one_that_failed(study: Path) -> None:
    server = serving.open_page("study")
    try:
        with read_study_file(study) as saved:
            runs = RunsAgain(saved)
            page = StudyPage(server, saved, runs, runs.folder, first=2)
            assert page._stage is None and "the run failed: " in page._words.content
            page._step("first")
            until(page, lambda: page._stage is not None)
            assert page.run == 1
    finally:
        serving.stop_server(server)


@pytest.mark.parametrize(("analysis", "rows"), [("equilibrium", 1), ("modes", 49)])
def test_runs_that_are_no_march(tmp_path: Path, analysis: str, rows: int) -> None:
    """The equilibrium stands, and a mode moves."""
    output = {"equilibrium": "angle=rod.angle", "modes": "f=mode(1).frequency"}[analysis]
    done = run("sweep", "pendulum", "--vary", "l=0.8,1.2", "--analysis", analysis, "--output", output, "-o", tmp_path / "s.h5")
    assert done.exit_code == 0, done.output
    server = serving.open_page("study")
    try:
        with read_study_file(tmp_path / "s.h5") as saved:
            runs = RunsAgain(saved)
            page = StudyPage(server, saved, runs, runs.folder, first=1)
            assert len(page._poses.times) == rows and page.charts is None
            assert ("mode 1: " in page._words.content) is (analysis == "modes")
    finally:
        serving.stop_server(server)


def test_files_of_a_run(study: Path, tmp_path: Path) -> None:
    done = run("view", study, "--run", 1, "-o", tmp_path / "run.png")
    assert done.exit_code == 0 and (tmp_path / "run.png").stat().st_size > 1000
    run("view", study, "--run", 0, "-o", tmp_path / "other.png")
    assert (tmp_path / "run.png").read_bytes() != (tmp_path / "other.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--run", 3), "--run: the study has the runs 0 to 2 (got 3)"),
        (("--run", 2, "-o", "x.png"), "run 2 cannot be made again: "),
        (("--mode", 2, "-o", "x.png"), "--mode goes with a study of modes"),
        (("--camera", "behind"), "behind"),
    ],
)
def test_refused(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("view", study, *arguments, "--no-open")
    assert done.exit_code == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_refused_together(study: Path, four_bar: Path) -> None:
    done = run("view", study, four_bar, "--no-open")
    assert done.exit_code == 2 and "a study is shown alone" in done.stderr
    done = run("view", four_bar, "--run", 0, "--no-open")
    assert done.exit_code == 2 and "--run goes with the file of a study" in done.stderr


def test_the_run_that_was_found_is_first(tmp_path: Path) -> None:
    """Of an optimisation the optimum."""
    file = tmp_path / "best.yaml"
    file.write_text(
        "model: pendulum\nvary: {l: {from: 0.8, to: 1.2}}\nsimulation: {end: 0.02}\noutputs: {p: max(norm(joint_force:pin))}\n"
        "optimize: {minimize: p, method: nelder-mead, options: {maxiter: 3}}\n"
    )
    assert run("optimize", file, "-o", tmp_path / "best.h5", "-j", 1).exit_code == 0
    with read_study_file(tmp_path / "best.h5") as saved:
        assert saved["l"][saved.best] == saved.findings["values"]["l"] and saved["p"][saved.best] == np.nanmin(saved["p"])


@pytest.mark.slow
def test_the_page_of_a_study_in_a_browser(study: Path, tmp_path: Path) -> None:
    """A step to the next run changes what is said and drawn, without an error on the console or a request beyond the page."""
    browser = Browser(tmp_path / "profile")
    process, url = started(study)
    try:
        browser.open(url)
        wait_for(lambda: "run 0: a = 1.1" in browser.text(), "the page says nothing of a run")
        wait_for(lambda: browser.run("!!document.querySelector('img[alt=\"curves:peak\"]')?.naturalWidth"), "there is no picture")
        browser.click("first")
        wait_for(lambda: "run 1: a = 1" in browser.text(), "the step does not choose another run")
        assert local(browser.requests, url) and not browser.errors
    finally:
        browser.close()
        ended(process)
