"""Events on pages: the list to jump to, marks on plots."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, ended, local, started, wait_for
from click.testing import CliRunner
from PIL import Image

import mbsim
from mbsim.cli import main
from mbsim.plots.frames import EVENT
from mbsim.results import Result
from mbsim.scene.moments import SHOWN, moments, named
from mbsim.scene.motion import of_result
from mbsim.view.happened import MOST, entries, rows_to_show
from mbsim.view.live import prepare
from mbsim.view.page import show_names

BALL = """
name: bouncing ball
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {mass: 1, inertia: 0.01, position: [0, 1]}
events:
  floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -0.8*der(ball.y)}}}
simulation: {end: 2}
"""
FIRST = np.sqrt(2.0 / 9.81)  # s


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("events")
    (folder / "ball.yaml").write_text(BALL)
    mbsim.simulate(folder / "ball.yaml", output=folder / "ball.h5")
    return folder / "ball.h5"


def page_of(server: Any, result: Result) -> Any:
    return prepare([result], ["run"])(server)


def test_the_list_goes_to_the_pose_at_an_event(server, ball: Path) -> None:
    with mbsim.open_result(ball) as result:
        page = page_of(server, result)
        assert page.events is not None
        named = list(page.events.choice.options)[1:]
        assert named == list(entries(result.events)) and named[0] == f"1: floor, set, {FIRST:.6g} s"
        page.playback.play(True)
        page.events.choice.value = named[1]
        page.events.go()
        assert not page.playback.playing
        assert page.playback.times[page.playback.k] == pytest.approx(FIRST * 2.6, abs=1e-9)


def test_plots_have_marks_at_events(server, ball: Path) -> None:
    with mbsim.open_result(ball) as result:
        chart = page_of(server, result).charts.charts[0]
        times, *_, marks, _ = chart.plot.data
        assert [series["label"] for series in chart.plot.series][-2] == "events"
        assert times[np.isfinite(marks)] == pytest.approx([FIRST, 2.6 * FIRST, 3.88 * FIRST], abs=np.diff(times).max())


def test_a_page_of_a_run_without_events_has_no_list(server, tmp_path: Path) -> None:
    (tmp_path / "ball.yaml").write_text(BALL.replace("end: 2", "end: 0.2"))
    assert page_of(server, mbsim.simulate(tmp_path / "ball.yaml")).events is None


def test_names_of_events_at_one_time_are_told_apart() -> None:
    events = [{"event": "a", "do": "record", "time": 1.0}] * 3
    assert len(entries(events)) == 3 and MOST >= 100


@pytest.fixture
def browser(tmp_path: Path):
    found = Browser(tmp_path / "profile")
    yield found
    found.close()


@pytest.mark.slow
def test_events_in_a_browser(browser: Browser, ball: Path) -> None:
    process, url = started(ball)
    try:
        browser.open(url)
        wait_for(lambda: "Events (3)" in browser.text(), "the page has no list of events")
        wait_for(lambda: "events" in browser.text(), "the plot has no marks")
        assert local(browser.requests, url) and not browser.errors
    finally:
        ended(process)


def test_poses_at_events_are_among_those_that_are_shown() -> None:
    times, happened = np.sort(np.append(np.linspace(0.0, 10.0, 5001), [1.00013, 7.77777])), np.array([1.00013, 7.77777])
    rows = rows_to_show(times, 50, happened)
    assert len(rows) <= 52 and np.isin(happened, times[rows]).all() and len(rows_to_show(times, 50, np.zeros(0))) == 50


def test_names_stay_for_a_while() -> None:
    of = moments(
        [
            {"event": name, "time": time}
            for name, time in (("a", 1.0), ("b", 1.1), ("a", 1.2), ("c", 3.0), ("d", 3.0), ("e", 3.0), ("f", 3.0))
        ]
    )
    assert named(of, 0.9, 0.99, 1.0) == "" and named(of, 0.9, 1.0, 1.0) == "a"
    assert named(of, 1.1, 1.2, 1.0) == "b, a"  # the latest last, each once
    assert named(of, 1.9, 2.0, 1.0) == "" and named(of, 1.9, 2.0, 2.0) == "b, a"
    assert named(of, 0.5, 1.05, 1e-3) == "a"  # since the frame before
    assert named(of, 2.9, 3.0, 1.0) == "d, e, f, ..."


def test_a_moving_picture_names_events(ball: Path, tmp_path: Path) -> None:
    """Below the frames that follow the first impact, and not below those before it."""
    picture = tmp_path / "ball.gif"
    assert CliRunner().invoke(main, ["view", str(ball), "-o", str(picture), "--speed", "1", "--fps", "20"]).exit_code == 0
    with Image.open(picture) as film:
        marked = []
        for k in range(film.n_frames):
            film.seek(k)
            colours = np.asarray(film.convert("RGB"), int)[-30:, :120]
            marked.append(bool((np.abs(colours - EVENT).sum(axis=2) < 60).any()))
    times = np.linspace(0.0, 2.0, len(marked))
    expected = [any(0.0 <= t - bounce < SHOWN for bounce in (FIRST, 2.6 * FIRST, 3.88 * FIRST)) for t in times]
    assert sum(a != b for a, b in zip(marked, expected, strict=True)) <= 4 and not any(marked[: int(FIRST / 0.05)])


def test_an_exported_page_names_events(server, ball: Path) -> None:
    """One label for each text, at the poses that follow an impact."""
    with mbsim.open_result(ball) as result:
        poses = of_result(result)
        ((label, shown),) = show_names(server, np.zeros(3), poses, moments(result.events), 1.0)
    assert label.text == "floor" and not label.visible
    first = np.argmax(shown)
    assert poses.times[first] == pytest.approx(FIRST, abs=0.01) and not shown[:first].any()
