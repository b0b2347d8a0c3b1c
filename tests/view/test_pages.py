"""Pages that live: their controls without a browser, and in a real one."""

import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.analyses.dragging import Dragging
from mbsim.cli import main
from mbsim.cli.models import list_shipped
from mbsim.observe.pose import pose_at
from mbsim.scene import motion
from mbsim.scene.camera import camera
from mbsim.scene.read import parse, scene_of
from mbsim.view import charts
from mbsim.view import model as model_page
from mbsim.view import server as serving
from mbsim.view.model import ModelPage
from mbsim.view.plots import PlotsPage
from mbsim.view.results import ResultsPage, Shown
from mbsim.view.shows import WORDS
from mbsim.view.stage import KINDS, VIEW, Stage, fit_camera


def shown(path: Path, name: str = "run") -> Shown:
    result = mbsim.open_result(path)
    return Shown(name, scene_of(result), result, motion.of_result(result), path.parent)


def until(page, condition, patience: float = 60.0) -> None:
    """Let a page go on until something holds."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        page.tick()
        time.sleep(0.02)


# without a browser


def test_nodes_stand_where_the_result_says(server, four_bar: Path) -> None:
    page = ResultsPage(server, [shown(four_bar)])
    with mbsim.open_result(four_bar) as result:
        for k in (0, 321, 1000):
            page.playback.go(k)
            for b, name in enumerate(result.labels("body")):
                node = server.scene.get_handle_by_name(f"/mechanism/{name}")
                np.testing.assert_allclose(node.position, result["body_position"][k, b], atol=1e-12)
                np.testing.assert_allclose(node.wxyz, result["body_orientation"][k, b], atol=1e-12)


@pytest.mark.parametrize("name", ["bend_45", "spin_up", "catenary", "four_bar"])
def test_each_kind_of_solid_has_its_switch(server, name: str) -> None:
    made = mbsim.assemble(mbsim.load_model(list_shipped()[name]))
    position, orientation = pose_at(made.system, made.start, made.q)
    poses = motion.motion(np.zeros(1), position[None], orientation[None])
    stage = Stage(server, parse(made.scene), poses)
    drawn = {part.name.partition("/")[0] for part in [*stage.solids.parts, *stage.solids.stretches]}
    assert drawn <= set(KINDS) == set(WORDS) and ("beam" in drawn) == (name in ("bend_45", "spin_up"))
    assert all(stage.nodes[kind] for kind in drawn)


def test_playback(server, four_bar: Path) -> None:
    """It plays at its speed, stops at the end without loop, begins anew with it, steps and scrubs."""
    page = ResultsPage(server, [shown(four_bar)])
    playback = page.playback
    playback.speed.value = "10"
    playback.loop.value = False
    playback.play(True)
    until(page, lambda: not playback.playing)
    assert playback.k == 1000 and "**t = 1 s**" in playback.words.content
    playback._step("back")
    assert playback.k == 999
    playback.loop.value = True
    playback.play(True)
    until(page, lambda: playback.k < 900)
    assert playback.playing
    playback.slider.value = 500
    playback._scrubbed()
    assert playback.k == 500 and not playback.playing and playback.t == pytest.approx(0.5)


def test_switches(server, four_bar: Path) -> None:
    """Whatever can be shown is, and arrows are the reactions at the joints."""
    page = ResultsPage(server, [shown(four_bar)])
    for name, box in page.shows.switches.items():
        box.value = True
        page.shows._switched(name)
        assert all(node.visible for node in page.shows._made[name]), name
    page.playback.go(700)
    arrows = server.scene.get_handle_by_name("/mechanism/joint_force").points
    with mbsim.open_result(four_bar) as result:
        force = result["joint_force"][700]
    ways = arrows[:, 1] - arrows[:, 0]
    cosines = np.sum(ways * force, axis=1) / (np.linalg.norm(ways, axis=1) * np.linalg.norm(force, axis=1))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-5)
    page.facts.choose(1)
    page.show(700)
    assert "**coupler**, 4 kg" in page.facts._words.content and "joints: A, B" in page.facts._words.content
    page.cameras.follow.value = "coupler"
    page.playback.go(10)


def test_several_results_are_compared(server, four_bar: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.h5"
    mbsim.simulate(mbsim.load_model(list_shipped()["four_bar"], {"omega": 9}), end=0.5, output=other)
    page = ResultsPage(server, [shown(four_bar, "a"), shown(other, "b")])
    chart = page.charts.charts[0]
    chart.choice.value = "q:crank.angle"
    chart.draw()
    first, second = (line.values for line in chart.shown.lines)
    assert np.isfinite(first).all() and np.isnan(second[-1]) and np.isfinite(second[100])
    np.testing.assert_allclose(chart.difference.data[1], second - first)
    chart.choice.value = "▦ Body position"
    chart.draw()
    labels = [line.label for line in chart.shown.lines]
    assert labels[0] == "a: crank x" and "b: crank x" in labels and len(chart.shown.apart) == len(labels) // 2
    np.testing.assert_allclose(chart.difference.data[1], chart.shown.lines[len(labels) // 2].values - chart.shown.lines[0].values)
    with mbsim.open_result(other) as result:
        page.playback.go(400)
        node = server.scene.get_handle_by_name("/1/crank")
        np.testing.assert_allclose(node.position, result["body_position"][400, 0], atol=1e-9)


def test_results_without_bodies_are_plotted(server, own_coordinates: Path) -> None:
    with mbsim.open_result(own_coordinates) as result:
        page = PlotsPage(server, [result], ["run"])
        page.playback.go(len(result.time) // 2)
        assert len(page.charts.charts[0].shown.lines[0].values) > 10


def test_a_parameter_slider_runs_the_model_anew(server) -> None:
    page = ModelPage(server, list_shipped()["four_bar"], {"omega": "8"})
    before = page._result["body_position"].copy()
    page._parameters["c"].value = 2.8
    page._moved_parameter("c", 2.8)
    until(page, lambda: page._changed is None)
    assert page._result.parameters["c"] == 2.8
    assert np.abs(page._result["body_position"][: len(before)] - before).max() > 0.05
    names = [body.name for body in page._scene.bodies]
    node = server.scene.get_handle_by_name(f"{page._stage.root}/{names[2]}")
    np.testing.assert_allclose(node.position, page._result["body_position"][page._poses.rows[page.playback.k], 2], atol=1e-12)


def test_a_slider_keeps_the_nodes_and_moves_their_vertices(server, tmp_path: Path) -> None:
    """The picture is that of a page opened with the new value. Another mechanism gets nodes of its own."""
    path = tmp_path / "model.yaml"
    path.write_text(list_shipped()["four_bar"].read_text())
    page = ModelPage(server, path, {})
    stage, before = page._stage, [node.vertices.copy() for node in page._stage._parts]
    page._values["c"] = 2.9
    page._refresh()
    assert page._stage is stage and page.shows._stage is stage
    apart = [float(np.abs(node.vertices - old).max()) for node, old in zip(stage._parts, before, strict=True)]
    assert max(apart) > 0.01
    another = serving.open_page("fresh")
    fresh = ModelPage(another, path, {"c": "2.9"})._stage
    serving.stop_server(another)
    for node, other in zip(stage._parts, fresh._parts, strict=True):
        np.testing.assert_array_equal(node.vertices, other.vertices)
        assert node.color == other.color
    path.write_text(path.read_text().replace("rocker", "arm"))
    page._values.clear()
    page._refresh()
    assert page._stage is not stage and [body.name for body in page._stage.scene.bodies] == ["crank", "coupler", "arm"]


def test_a_variable_of_many_has_a_list_of_its_own(server, four_bar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MANY", 8)
    chart = ResultsPage(server, [shown(four_bar)]).charts.charts[0]
    assert "body_position …" in chart.choice.options and "body_position:crank:x" not in chart.choice.options
    assert "residual_velocity" in chart.choice.options and not chart.of.visible
    chart.choice.value = "body_position …"
    chart._chosen()
    assert chart.of.visible and list(chart.of.options) == [f"body_position:{b}:{x}" for b in ("crank", "coupler", "rocker") for x in "xyz"]
    chart.of.value = "body_position:coupler:y"
    chart.draw()
    assert chart.item == "body_position:coupler:y" and chart.shown.title.startswith("body_position:coupler:y")
    chart.choice.value = charts.NOTHING
    chart._chosen()
    assert not chart.of.visible and chart.plot is None


@pytest.mark.parametrize("camera", ["behind", "400,0"])
def test_what_is_wrong_is_said_before_the_address(four_bar: Path, camera: str) -> None:
    done = CliRunner().invoke(main, ["view", str(four_bar), "--no-open", "--camera", camera])
    assert done.exit_code == 2 and f"unknown camera '{camera}'" in done.output and "http" not in done.output


def test_a_newer_value_ends_the_run_of_an_older_one(server, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown is the run of the newest value, and only that one was run to its end."""
    page = ModelPage(server, list_shipped()["four_bar"], {})
    ended, real = [], model_page.simulate

    def simulate(made, progress, **settings):
        if len(ended) == 0:
            page._moved_parameter("c", 2.9)  # while the run of 2.8 begins
        ended.append("begun")
        result = real(made, progress=progress, **settings)
        ended.append(result.parameters["c"])
        return result

    monkeypatch.setattr(model_page, "simulate", simulate)
    page._moved_parameter("c", 2.8)
    until(page, lambda: page._changed is None)
    assert ended == ["begun", "begun", 2.9] and page._result.parameters["c"] == 2.9


def test_a_page_holds_as_many_rows_as_it_shows(server) -> None:
    """The steps are those of the file: its rows are every seventh of a run of the model."""
    page = ModelPage(server, list_shipped()["four_bar"], {})
    whole = mbsim.simulate(mbsim.load_model(list_shipped()["four_bar"]))
    assert len(whole.time) == 10_001 and len(page._result.time) == 1430
    np.testing.assert_allclose(page._result.time[:-1], whole.time[::7], atol=1e-12)
    np.testing.assert_allclose(page._result["q"][:800], whole["q"][::7][:800], atol=1e-6)


def test_a_result_of_one_row(server, tmp_path: Path) -> None:
    """An equilibrium stands still: there is nothing to play."""
    path = tmp_path / "rest.h5"
    done = CliRunner().invoke(main, ["equilibrium", "pendulum", "-o", str(path)])
    assert done.exit_code == 0, done.output
    page = ResultsPage(server, [shown(path)])
    assert page.playback.slider.disabled and not page.playback.steps.visible
    page.playback.play(True)
    page.tick()
    assert not page.playback.playing


def test_a_saved_file_is_read_again_and_its_errors_are_shown(server, tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    text = list_shipped()["four_bar"].read_text()
    path.write_text(text)
    page = ModelPage(server, path, {})
    assert "1 degree of freedom" in page._title.content
    path.write_text(text.replace("type: revolute, points: [crank.A", "type: revolut, points: [crank.A"))
    until(page, lambda: page._problems.visible)
    assert "model.yaml:" in page._problems.content and "did you mean 'revolute'?" in page._problems.content
    kept = page._result
    path.write_text(text.replace("c: 2.5 ", "c: 2.75"))
    until(page, lambda: not page._problems.visible)
    assert page._result is not kept and page._result.parameters["c"] == 2.75
    assert page._parameters["c"].value == 2.75


def test_values_that_cannot_run_are_said_beside_their_slider(server, tmp_path: Path) -> None:
    """A rocker of 9 m closes no loop. The folders of the sliders keep their places when the file is saved."""
    path = tmp_path / "model.yaml"
    text = list_shipped()["four_bar"].read_text()
    path.write_text(text)
    page = ModelPage(server, path, {})
    page._moved_parameter("c", 9.0)
    until(page, lambda: page._changed is None)
    assert page._refused.visible and not page._problems.visible
    assert "cannot run with c = 9" in page._refused.content and "acos" in page._refused.content
    places = [folder.order for folder in page._folders]
    path.write_text(text.replace("coupler", "link"))
    until(page, lambda: page._assembly.system.bodies[1] == "link")
    assert [folder.order for folder in page._folders] == places and not page._refused.visible
    page._moved_parameter("c", 2.6)
    until(page, lambda: page._changed is None)
    assert not page._refused.visible and page._result.parameters["c"] == 2.6


def test_what_assembly_moves_is_said(server, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(list_shipped()["four_bar"].read_text().replace("position: [(d + xb)/2, yb/2]", "position: [(d + xb)/2 + 0.3, yb/2]"))
    page = ModelPage(server, path, {})
    assert "**assembly moved rocker by" in page._title.content
    page._as_drawn.value = True
    page._draw_ghost()
    assert page._pale


def test_equilibrium_on_the_page(server) -> None:
    """The pendulum goes down, and the page says that it is stable there."""
    page = ModelPage(server, list_shipped()["pendulum"], {})
    page._wants_rest = True
    until(page, lambda: not page._wants_rest)
    assert "a stable equilibrium" in page._reached.content
    np.testing.assert_allclose(page._stage.bodies[0].position[:2], [0.0, -page._result["body_position"][0, 0, 0]], atol=1e-6)


def test_dependent_joints_are_red(server) -> None:
    from mbsim.view.stage import FAULT

    page = ModelPage(server, list_shipped()["bricard"], {})
    assert "redundant; they depend on each other (red)" in page._title.content
    assert FAULT in {tuple(node.color) for node in page._stage.nodes["joint"]}
    plain = ModelPage(server, list_shipped()["four_bar"], {})
    assert FAULT not in {tuple(node.color) for node in plain._stage.nodes["joint"]}


@pytest.mark.parametrize("name", ["four_bar", "planetary_gear", "spatial_slider_crank", "flyball_governor"])
def test_dragging_keeps_the_constraints(name: str) -> None:
    """Free coordinates go where they are told, in the plane and in space, and the mechanism stays together."""
    made = mbsim.assemble(mbsim.load_model(list_shipped()[name]))
    drag = Dragging(made)
    assert len(drag.free) == made.system.n_v - np.linalg.matrix_rank(made.system.C(made.start, made.q)[: made.system.n_holonomic])
    for i in range(len(drag.free)):
        goal = drag.value(i) + 0.1
        assert drag.go(i, goal), drag.names[i]
        assert drag.value(i) == pytest.approx(goal, abs=1e-6)
        assert np.abs(made.system.phi(made.start, drag.q)).max(initial=0.0) < 1e-9
    assert np.abs(pose_at(made.system, made.start, drag.q)[0] - pose_at(made.system, made.start, made.q)[0]).max() > 1e-3


def test_dragging_ends_at_a_dead_point() -> None:
    """A rocker cannot leave its range: it says so, and the mechanism is still together."""
    made = mbsim.assemble(mbsim.load_model(list_shipped()["four_bar"]))
    drag = Dragging(made)
    drag.free, drag.names, drag.turns = [made.system.speeds.index("der(rocker.angle)")], ["rocker.angle"], [True]
    assert not drag.go(0, drag.value(0) + 3.0)
    assert np.abs(made.system.phi(made.start, drag.q)).max() < 1e-9


def test_results_of_different_mechanisms_are_refused(four_bar: Path, own_coordinates: Path) -> None:
    done = CliRunner().invoke(main, ["view", str(four_bar), str(own_coordinates), "--no-open"])
    assert done.exit_code == 2 and "its bodies are not those of" in done.stderr


@pytest.mark.slow
def test_a_slider_is_answered_at_once(server) -> None:
    """From the release of a slider to the new picture of the four-bar: under 0.3 s of the processor."""
    page = ModelPage(server, list_shipped()["four_bar"], {})
    took = []
    for value in (2.6, 2.7, 2.8):
        page._values["c"] = value
        began = time.process_time()
        page._refresh()
        took.append(time.process_time() - began)
    assert min(took) < 0.3


@pytest.mark.slow
def test_a_hundred_bodies_and_many_rows_open_quickly(server) -> None:
    """100 bodies and 20 000 rows: the page is ready in under 3 s of the processor."""
    from mbsim import registry
    from mbsim.assembly.reference import ReferenceConfiguration
    from mbsim.model.load import load
    from mbsim.results.read import in_memory
    from mbsim.scene.describe import describe

    n = 100
    bodies = "\n".join(f"  b{i}: {{mass: 1, inertia: 0.1, position: [{i + 0.5}, 0]}}" for i in range(n))
    joints = "\n".join(f"  j{i}: {{type: revolute, bodies: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0]}}" for i in range(n))
    text = f"dimension: 2\nbodies:\n{bodies}\njoints:\n{joints}\nsimulation: {{end: 1}}\n"
    model = load(text, registry, file="chain.yaml")
    rows = 20_000
    position, orientation = np.zeros((rows, n, 3)), np.zeros((rows, n, 4))
    position[..., 0], orientation[..., 0] = np.arange(n) + 0.5, 1.0
    position[..., 1] = np.sin(np.linspace(0.0, 10.0, rows))[:, None]
    arrays = {"time": np.linspace(0.0, 10.0, rows), "body_position": position, "body_orientation": orientation}
    labels = {"body": list(model.bodies), "xyz": ["x", "y", "z"], "quaternion": ["w", "x", "y", "z"]}
    result = in_memory(arrays, labels, {}, {}, text, {}, scene=describe(model, ReferenceConfiguration(model)))
    began = time.process_time()
    page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), Path())])
    assert time.process_time() - began < 3.0
    page.playback.go(700)


@pytest.mark.parametrize("name", ["plane", "iso", "top", "-30,10"])
@pytest.mark.parametrize(
    ("window", "panel"), [((1280, 800), 340), ((1920, 900), 340), ((700, 900), 340), ((400, 800), 340), ((1280, 800), 0)]
)
def test_the_whole_motion_is_seen_beside_the_panel(four_bar: Path, name: str, window: tuple[int, int], panel: int) -> None:
    """Each place of the motion, projected with the camera's opening, lies in what the panel leaves of the window, and fills half of it."""
    with mbsim.open_result(four_bar) as result:
        scene, poses = scene_of(result), motion.of_result(result)
    seen, extent = camera(scene, name), 4.0
    centre, distance = fit_camera(seen, poses, extent, window, panel)
    across = seen.project(poses.position[:, :-1].reshape(-1, 3) - centre)
    up = np.tan(np.deg2rad(VIEW) / 2.0)
    places = across[:, :2] / ((distance - across[:, 2:]) * up * np.array([window[0] / window[1], 1.0]))
    left = 1.0 - 2.0 * panel / window[0] if panel <= 0.6 * window[0] else 1.0
    assert (np.abs(places[:, 1]) < 1.0).all() and (places[:, 0] > -1.0).all() and (places[:, 0] < left).all()
    spans = np.ptp(places, axis=0) / [left + 1.0, 2.0]
    assert spans.max() > 0.25, "and it is not a spot"


def test_a_planar_mechanism_opens_in_its_plane(four_bar: Path) -> None:
    server = serving.open_page("test")
    try:
        page = ResultsPage(server, [shown(four_bar)])
        assert page.cameras.choice.value == "plane"
        start = server.initial_camera
        assert start.position[:2] == pytest.approx(start.look_at[:2]) and start.up == pytest.approx((0.0, 1.0, 0.0))
    finally:
        serving.stop_server(server)
