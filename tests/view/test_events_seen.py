"""Events on pages: the list to jump to, marks on plots."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, ended, local, started, wait_for

import mbsim
from mbsim.results import Result
from mbsim.view.happened import MOST, entries, rows_to_show
from mbsim.view.live import prepare

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
