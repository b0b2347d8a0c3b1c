"""Ways of points: where they lead, in schematics, moving pictures and pages, and the names that are none."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import mbsim
from mbsim.cli import main
from mbsim.scene.motion import of_result
from mbsim.scene.read import SceneError, scene_of
from mbsim.scene.traces import COLOURS, traces

MODEL = """
name: two rods
dimension: 2
bodies:
  first: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {tip: [0.5, 0], aside: [0.1, 0.2]}}
  second: {mass: 1, inertia: 0.1, position: [1.5, 0]}
ground: {points: {O: [0, 0]}}
joints:
  pin: {type: revolute, bodies: [ground, first], at: [0, 0]}
  knee: {type: revolute, bodies: [first, second], at: [1, 0]}
initial: {der(first.angle): 4, der(second.angle): 1}
simulation: {end: 0.2, step: 1e-2}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traces") / "two.h5"
    mbsim.simulate(mbsim.load_model(MODEL), output=path)
    return path


def typed(*words: str, code: int = 0) -> str:
    found = CliRunner().invoke(main, list(words))
    assert found.exit_code == code, found.output
    return found.output


def test_ways_of_a_point_a_body_and_a_joint(run: Path) -> None:
    with mbsim.open_result(run) as result:
        tip, body, knee = traces(scene_of(result), of_result(result), ["first.tip", "second", "knee"])
        angle = result["first.angle"]
        expected = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
        np.testing.assert_allclose(tip.path, expected, atol=1e-9)
        np.testing.assert_allclose(knee.path, expected, atol=1e-9)
        np.testing.assert_array_equal(body.path, result.select("body_position", "second"))
        assert [one.colour for one in (tip, body, knee)] == list(COLOURS[:3])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("first.tp", "there is no point 'first.tp'; did you mean 'first.tip'"),
        ("nobody", "there is no point 'nobody'"),
        ("pin.x", "there is no point 'pin.x'"),
        ("ground.O", "ground.O is a point of the ground, which does not move"),
    ],
)
def test_points_that_are_none(run: Path, name: str, words: str) -> None:
    with mbsim.open_result(run) as result, pytest.raises(SceneError, match=words):
        traces(scene_of(result), of_result(result), [name])
    for output in ("a.png", "a.gif"):
        assert words.split(";", maxsplit=1)[0] in typed("view", str(run), "--trace", name, "-o", str(run.with_name(output)), code=2)
    assert words.split(";", maxsplit=1)[0] in typed("draw", str(run), "--trace", name, "-o", str(run.with_name("a.png")), code=2)


def test_points_that_a_way_was_to_go_through(run: Path) -> None:
    """They are drawn beside it; of a file in the plane z is 0, and what is no file of points is told."""
    points = run.with_name("points.csv")
    points.write_text("t,x,y\n0,1,0.5\n0.1,0.5,1.5\n")
    with mbsim.open_result(run) as result:
        (tip,) = traces(scene_of(result), of_result(result), [f"first.tip:{points}"])
    np.testing.assert_array_equal(tip.wanted, [[1.0, 0.5, 0.0], [0.5, 1.5, 0.0]])
    assert tip.name == "first.tip"
    for command, output in (("draw", "wanted.png"), ("view", "wanted.gif")):
        pictures = []
        for trace in ("first.tip", f"first.tip:{points}"):
            path = run.with_name(f"{len(pictures)}{output}")
            typed(command, str(run), "--trace", trace, "-o", str(path))
            pictures.append(np.asarray(Image.open(path).convert("RGB"), float))
        assert pictures[0].shape != pictures[1].shape or np.abs(pictures[0] - pictures[1]).max() > 50
    for text, words in (("1,2\n", "has to name the columns x and y"), ("x,y\n1,a\n", ":2:"), ("", "holds no points")):
        points.write_text(text)
        assert words in typed("draw", str(run), "--trace", f"first.tip:{points}", "-o", str(run.with_name("c.png")), code=2)
    assert "nothing.csv" in typed("draw", str(run), "--trace", "first.tip:nothing.csv", "-o", str(run.with_name("c.png")), code=2)


def test_a_trace_needs_a_motion(run: Path) -> None:
    assert "there is one pose only" in typed("draw", "four_bar", "--trace", "coupler", "-o", str(run.with_name("b.png")), code=2)
    assert "--trace on a page is for results" in typed("view", "four_bar", "--trace", "coupler", "--no-open", code=2)
    assert "holds solids only" in typed("view", str(run), "--trace", "second", "-o", str(run.with_name("a.glb")), code=2)


def test_a_schematic_shows_the_way_and_its_name(run: Path) -> None:
    with mbsim.open_result(run) as result:
        figure = result.draw(trace="first.aside")
        (way,) = [line for line in figure.axes[0].get_lines() if line.get_color() == "#c03921" or len(line.get_xdata()) == len(result.time)]
        place = result.select("body_position", "first")[:, :2]
        turn = result["first.angle"]
        aside = place + np.column_stack([0.1 * np.cos(turn) - 0.2 * np.sin(turn), 0.1 * np.sin(turn) + 0.2 * np.cos(turn)])
        np.testing.assert_allclose(np.column_stack([way.get_xdata(), way.get_ydata()]), aside, atol=1e-9)
        assert "first.aside" in [text.get_text() for text in figure.axes[0].texts]
        assert "second" in [text.get_text() for text in result.draw(trace=["second"]).axes[0].texts]


def test_frames_and_files(run: Path, tmp_path: Path) -> None:
    """The picture has the colour of the trace where it had none of it."""
    typed("view", str(run), "-o", str(tmp_path / "plain.png"), "--camera", "front")
    typed("view", str(run), "--trace", "second", "-o", str(tmp_path / "way.png"), "--camera", "front")
    plain, way = (np.asarray(Image.open(tmp_path / f"{name}.png").convert("RGB"), int) for name in ("plain", "way"))
    coloured = [(np.abs(picture - COLOURS[0]).max(axis=2) < 40).sum() for picture in (plain, way)]
    assert coloured[0] == 0 and coloured[1] > 30
    typed("view", str(run), "--trace", "second", "-o", str(tmp_path / "way.gif"), "--size", "160x120")
    typed("view", str(run), "-o", str(tmp_path / "plain.html"))
    typed("view", str(run), "--trace", "second", "-o", str(tmp_path / "way.html"))
    sizes = [(tmp_path / f"{name}.html").stat().st_size for name in ("plain", "way")]
    assert sizes[1] > sizes[0]


def test_the_page_has_the_way(run: Path) -> None:
    with mbsim.open_result(run) as result, result.view(browser=False, trace="first.tip") as viewer:
        names = list(viewer._server.scene._handle_from_node_name)
        assert any("trace of first.tip" in name for name in names) and any(name.endswith("first/point first.tip") for name in names)
    points = run.with_name("of_page.csv")
    points.write_text("x,y\n1,0.5\n")
    with mbsim.open_result(run) as result, result.view(browser=False, trace=f"first.tip:{points}") as viewer:
        assert any("wanted of first.tip" in name for name in viewer._server.scene._handle_from_node_name)
