"""Modes that move, and forces as arrows: on the page of a model, on that of a file of modes, and in files."""

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import mbsim
from mbsim.analyses import linear, linear_files
from mbsim.cli import main
from mbsim.cli._scene import modes_of
from mbsim.cli.models import list_shipped
from mbsim.plots.frames import _fitting
from mbsim.plots.roots import slow
from mbsim.results.linear import SavedLocus, choose_modes
from mbsim.scene import modes, motion
from mbsim.scene.read import scene_of
from mbsim.view import server as serving
from mbsim.view.charts import MOST
from mbsim.view.model import THE_RUN, ModelPage
from mbsim.view.modes import ModesPage
from mbsim.view.results import ResultsPage, Shown


@pytest.fixture
def server():
    found = serving.open_page("test")
    yield found
    serving.stop_server(found)


@pytest.fixture(scope="module")
def beam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modes of a beam of rods on two supports."""
    path = tmp_path_factory.mktemp("modes") / "beam.h5"
    made = mbsim.assemble(mbsim.load_model(list_shipped()["hinged_beam"]))
    linear_files.save_modes(linear.modes(made), path, scene=made.scene)
    return path


def call(*arguments: object):
    return CliRunner().invoke(main, ["view", *map(str, arguments)])


def test_a_mode_is_its_shape_over_one_period(beam: Path) -> None:
    """The second mode of the beam: a whole sine, in step, as far as the eye needs, and back after a period."""
    saved, scene = modes_of(beam)
    poses = modes.mode_motion(scene, saved, choose_modes(saved)[1])
    away = poses.position[:, :-1] - saved.places
    np.testing.assert_allclose(away[-1], away[0], atol=1e-12)
    np.testing.assert_allclose(away[modes.FRAMES // 2], -away[0], atol=1e-12)
    along = (saved.places[:, 0] - saved.places[0, 0] + 0.5 * np.diff(saved.places[:2, 0])) / (12.0 * np.diff(saved.places[:2, 0]))
    sine = np.sin(2.0 * np.pi * along)
    np.testing.assert_allclose(away[0, :, 1] / np.abs(away[0, :, 1]).max() * np.sign(away[0, 0, 1]), sine / np.abs(sine).max(), atol=0.02)
    extent = float(np.ptp(saved.places[:, 0]))
    assert 0.05 * extent < np.abs(away).max() < 0.2 * extent


@pytest.mark.parametrize("name", ["hinged_beam", "tensegrity_prism", pytest.param("hanging_chain", marks=pytest.mark.slow)])
def test_what_a_joint_holds_stays_together_in_a_mode(name: str) -> None:
    """To first order: at a small displacement the points of a joint part by its square only."""
    made = mbsim.assemble(mbsim.load_model(list_shipped()[name]))
    saved = linear_files.as_saved(linear.modes(made), made.scene)
    scene = modes.scene_of_modes(saved)
    before = modes.LARGEST
    apart = []
    for factor in (before, before / 100.0):
        modes.LARGEST = factor
        try:
            poses = modes.mode_motion(scene, saved, choose_modes(saved)[0])
        finally:
            modes.LARGEST = before
        held = [joint for joint in scene.joints if joint.type in ("revolute", "spherical", "universal")]
        gaps = [np.abs(poses.place(joint.ends[0]) - poses.place(joint.ends[1])).max() for joint in held]
        apart.append(max(gaps, default=0.0))
    assert apart[1] <= 2e-4 * apart[0] + 1e-9


def test_a_file_of_modes_is_drawn_and_shown(beam: Path, tmp_path: Path, server) -> None:
    picture = tmp_path / "mode.png"
    assert call(beam, "--mode", "2", "-o", picture, "--size", "200x150").exit_code == 0
    assert np.asarray(Image.open(picture)).std() > 5.0
    page = ModesPage(server, *modes_of(beam), tmp_path)
    assert page.playback.playing and len(page.choice.options) == 11
    page.choice.value = page.choice.options[1]
    page.choose(page.choice.value)
    page.playback.go(12)
    assert "**mode 2: " in page.playback.words.content and "90° of a period" in page.playback.words.content
    node = server.scene.get_handle_by_name("/mechanism/rod3")
    np.testing.assert_allclose(node.position, page._poses.position[12, 3], atol=1e-9)


def test_files_without_motion_and_wrong_numbers_are_refused(beam: Path, tmp_path: Path, four_bar: Path) -> None:
    output = tmp_path / "x.png"
    done = call(beam, "--mode", "99", "-o", output)
    assert done.exit_code == 2 and "--mode: the file has 11 modes that move (got 99)" in done.stderr
    for source in (four_bar, "four_bar"):
        done = call(source, "--mode", "1", "-o", output)
        assert done.exit_code == 2 and "--mode goes with a file of `mbsim modes`" in done.stderr
    old = tmp_path / "old.h5"
    old.write_bytes(beam.read_bytes())
    with h5py.File(old, "r+") as file:
        del file["scene"]
    done = call(old, "-o", output)
    assert done.exit_code == 2 and "an earlier version of mbsim wrote it; run `mbsim modes` again" in done.stderr
    with h5py.File(old, "r+") as file:
        file["scene"] = ["{"]
    done = call(old, "-o", output)
    assert done.exit_code == 2 and "damaged" in done.stderr and "Traceback" not in done.stderr


def test_the_modes_of_a_model_on_its_page(server) -> None:
    page = ModelPage(server, list_shipped()["bistable_toggle"], {})
    page._wants_modes = True
    page.tick()
    page.tick()
    assert page._mode is not None and page._which.value.startswith("1: 2.299 Hz") and page.playback.playing
    page._wanted_mode = THE_RUN
    page.tick()
    assert page._mode is None and "t = " in page.playback.words.content
    page._wanted_mode = page._which.options[1]
    page.tick()
    page._values = {"k": 1600.0}
    page._refresh()
    assert page._mode is None and not page._which.visible  # they were those of another spring


def test_a_model_without_freedom_has_no_modes(server) -> None:
    page = ModelPage(server, list_shipped()["slider_crank"], {})
    page._wants_modes = True
    page.tick()
    assert "constraints and drivers leave no motion" in page._of_modes.content and not page._which.visible


def test_applied_forces_are_arrows_at_both_ends_of_a_spring(server, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    mbsim.simulate(mbsim.load_model(list_shipped()["bistable_toggle"]), end=0.2, output=path)
    with mbsim.open_result(path) as result:
        page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), tmp_path)])
        page.shows.switches["applied forces"].value = True
        page.shows._switched("applied forces")
        k = len(page._shown[0].poses.times) // 2
        page.playback.go(k)
        arrows = server.scene.get_handle_by_name("/mechanism/force_vector").points
        ways = arrows[:, 1] - arrows[:, 0]
        force = result["force_vector"][page._shown[0].poses.rows[k], 0]
        ends = scene_of(result).forces[0].ends
        assert len(arrows) == 2
        np.testing.assert_allclose(ways[0], -ways[1], atol=1e-6)
        second = [end.body for end in ends].index(ends[1].body)
        assert ways[second] @ force > 0.99 * np.linalg.norm(ways[second]) * np.linalg.norm(force)
        places = [page._shown[0].poses.place(end)[k] for end in ends]
        np.testing.assert_allclose(arrows[:, 0, :2], np.array(places)[:, :2], atol=1e-5)


def test_plots_are_added_up_to_a_limit(server, four_bar: Path) -> None:
    with mbsim.open_result(four_bar) as result:
        page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), four_bar.parent)])
        assert page.charts.charts[0].choice.value == "▦ Body position"
        for _ in range(MOST - 1):
            page.charts.add()
        assert not page.charts.more.visible and len({chart.choice.value for chart in page.charts.charts}) == MOST
        drift = next(chart for chart in page.charts.charts if chart.choice.value == "▦ Constraint drift")
        assert drift.shown.logarithmic and min(line.values.min() for line in drift.shown.lines) > 0.0
        page.playback.go(500)
        marks = [chart.plot.data[-1] for chart in page.charts.charts]
        assert all(np.isfinite(mark).sum() == 1 for mark in marks)


@pytest.mark.parametrize(("width", "ends"), [(400, "damping 0.0125"), (200, "damping 0.0125"), (60, "...")])
def test_titles_of_small_pictures_are_smaller_then_cut(width: int, ends: str) -> None:
    words, font = _fitting("mode 12: 9.601 Hz, damping 0.0125", width)
    assert words.endswith(ends) and font.getlength(words) <= width and 9 <= font.size <= 14
    assert (font.size == 14) == (width == 400)


def test_a_locus_shows_what_is_slow_beside_what_is_fast() -> None:
    """Waves along a beam are 1e4 times as fast as it bends, and the axes of a picture would show nothing else."""
    sizes = np.array([2.0, 3.0, *(10.0 * k for k in range(1, 12)), 5e4, 6e4])
    values = np.array([[*1j * sizes, *-1j * sizes], [*1j * sizes, *-1j * sizes]])
    values[1, [14, 29]] += 0.5  # the fastest grows
    saved = SavedLocus("beam", "P", np.array([0.0, 1.0]), values, np.array([True, False]), [])
    assert slow(saved).nonzero()[0].tolist() == [*range(12), 14, *range(15, 27), 29]
    alike = replace(saved, eigenvalues=values[:, :13])
    assert slow(alike).all()
