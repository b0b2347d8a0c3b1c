"""What mechanisms look like: bicycles, wishbones, springs that are stretched, muscles, lines on planes, names, modes side by side."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import mbsim
from mbsim.analyses import linear, linear_files
from mbsim.cli import main
from mbsim.cli.models import list_shipped
from mbsim.plots.beside import layout
from mbsim.plots.labels import Label, half_size, place_labels
from mbsim.scene.figures import Ball, Box, Disk, Rod, figures, outlines
from mbsim.scene.hinges import with_hinges_beside
from mbsim.scene.meshes import spindle, torus
from mbsim.scene.motion import find_drawn, motion
from mbsim.scene.parts import place, places
from mbsim.scene.read import Scene, parse
from mbsim.scene.sizes import sizes
from mbsim.scene.solids import DARK, MUSCLE, solids
from mbsim.scene.surfaces import LINES

CORNER = """
name: corner
dimension: 3
bodies:
  lower: {mass: 5, inertia: [0.3, 0.3, 0.3], position: [0, 0.5, 0.2], points: {f: [0.15, -0.2, 0], r: [-0.15, -0.2, 0], out: [0, 0.2, 0]}}
  upper: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0, 0.55, 0.5], points: {in: [0, -0.13, 0], out: [0, 0.13, 0]}}
  upright: {mass: 20, inertia: [0.4, 0.8, 0.4], position: [0, 0.75, 0.35], points: {low: [0, -0.05, -0.15], high: [0, -0.07, 0.15]}}
joints:
  low: {type: spherical, points: [lower.out, upright.low]}
  high: {type: spherical, points: [upper.out, upright.high]}
  swing: {type: revolute, bodies: [ground, lower], at: [0, 0.3, 0.2], axis: [1, 0, 0]}
forces:
  strut: {type: spring_damper, bodies: [ground, lower], at: [[0, 0.45, 0.75], [0, 0.6, 0.2]], stiffness: 3e4, damping: 2000}
  pull: {type: spring_damper, bodies: [ground, upright], at: [[0.2, 0.4, 0.6], [0.1, 0.7, 0.4]], value: "50 + 10*rate"}
simulation: {end: 1}
"""


def scene_of(model) -> Scene:
    return parse(mbsim.assemble(mbsim.load_model(model)).scene)


@pytest.fixture(scope="module")
def bicycle() -> Scene:
    return scene_of(list_shipped()["whipple_bicycle"])


@pytest.fixture(scope="module")
def corner() -> Scene:
    return scene_of(CORNER)


def test_the_head_of_a_bicycle_is_drawn_at_the_handlebar(bicycle: Scene) -> None:
    """The model gives the steer axis by its point on the road. The joint is drawn on the axis, beside the fork's centre of mass."""
    given, drawn = bicycle.joint("head"), with_hinges_beside(bicycle).joint("head")
    poses = find_drawn(bicycle)
    road, place_ = poses.place(given.ends[0])[0], poses.place(drawn.ends[0])[0]
    axis = np.array([-np.sin(np.pi / 10), 0.0, np.cos(np.pi / 10)])
    assert road == pytest.approx([1.1, 0.0, 0.0], abs=1e-9)
    np.testing.assert_allclose(np.cross(place_ - road, axis), 0.0, atol=1e-7)
    assert (place_ - [0.9, 0.0, 0.7]) @ axis == pytest.approx(0.0, abs=1e-7)
    np.testing.assert_allclose(poses.place(drawn.ends[1])[0], place_, atol=1e-7)
    assert bicycle.joint("head") is given  # the scene itself is as it was


def test_hinges_beside_what_they_hold_stay(corner: Scene) -> None:
    for name in ("four_bar", "spatial_slider_crank", "space_robot"):
        scene = scene_of(list_shipped()[name])
        assert with_hinges_beside(scene) is scene
    assert with_hinges_beside(corner) is corner


def test_a_bicycle_has_spokes_and_a_frame(bicycle: Scene) -> None:
    """More inertia than a uniform disk: rim and spokes. The rider's centre of mass stands above the line between hub and head."""
    drawn = with_hinges_beside(bicycle)
    found = dict(zip([body.name for body in bicycle.bodies], figures(drawn, sizes(drawn)), strict=True))
    assert [type(figure) for figure in found["frame"]] == [Rod, Rod, Rod, Ball]
    assert [type(figure) for figure in found["fork"]] == [Rod]
    for name in ("rear", "front"):
        (wheel,) = found[name]
        assert isinstance(wheel, Disk) and wheel.spokes
    uniform = scene_of("""
name: coin
dimension: 3
bodies: {coin: {mass: 2, inertia: [0.005, 0.01, 0.005], position: [0, 0, 0.1]}}
constraints: {roll: {type: rolling_disk, center: coin, radius: 0.1, axis: [0, 1, 0]}}
simulation: {end: 1}
""")
    (disk,) = [figure for of in figures(uniform, sizes(uniform)) for figure in of if isinstance(figure, Disk)]
    assert not disk.spokes


def test_a_wheel_with_spokes_touches_at_its_radius(bicycle: Scene) -> None:
    parts = [part for part in solids(bicycle, find_drawn(bicycle)).parts if part.name == "body/front"]
    reach = max(float(np.linalg.norm(part.mesh.vertices[:, [0, 2]], axis=1).max()) for part in parts)
    assert reach == pytest.approx(0.35, rel=1e-3)
    assert any(part.colour == DARK for part in parts)


def test_wishbones_are_rods_that_hide_nothing(corner: Scene) -> None:
    """The inertia of the upper one is that of a cube as thick as it is long; a link is drawn all the same."""
    lower, upper, _ = figures(corner, sizes(corner))
    assert [type(figure) for figure in upper] == [Rod]
    assert not any(isinstance(figure, Box) for figure in lower)
    robot = scene_of(list_shipped()["space_robot"])
    hub = [body.name for body in robot.bodies].index("hub")
    assert [type(figure) for figure in figures(robot, sizes(robot))[hub]] == [Box]


@pytest.mark.parametrize("stretched", [0.3, 1.0, 2.0, 6.0])
def test_a_damper_is_whole_however_long_it_is(stretched: float) -> None:
    """A slider that goes far away: what reaches from one end leaves no gap to what comes from the other."""
    text = """
name: far
dimension: 2
bodies: {block: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {guide: {type: prismatic, bodies: [ground, block], at: [1, 0], axis: [1, 0]}}
forces: {strut: {type: spring_damper, bodies: [ground, block], at: [[0, 0], [1, 0]], stiffness: 10, damping: 1}}
simulation: {end: 1}
"""
    scene = scene_of(text)
    position = np.array([[[1.0, 0.0, 0.0]], [[stretched, 0.0, 0.0]]])
    poses = motion(np.array([0.0, 1.0]), position, np.tile([1.0, 0.0, 0.0, 0.0], (2, 1, 1)))
    pieces = [piece for piece in solids(scene, poses).stretches if piece.name == "force/strut"]
    assert len(pieces) == 3  # coil, rod and tube
    for k, length in enumerate((1.0, stretched)):
        covered = []
        for piece in pieces:
            at, _, scale = place(piece, poses.at(k))
            reach = piece.mesh.vertices[:, 2] * scale[0, 2]
            start = at[0, 0]
            covered.append((start + reach.min(), start + reach.max()))
            assert reach.max() <= length * (1.0 + 1e-9)
        assert max(end for _, end in covered) == pytest.approx(length) and min(begin for begin, _ in covered) == pytest.approx(0.0)
        assert sum(end - begin == pytest.approx(length) for begin, end in covered) == 2  # coil and rod go from point to point


@pytest.mark.parametrize("model", ["corner", "tensegrity_prism", "differential_hoist", "whipple_bicycle"])
def test_pieces_are_where_each_of_them_is(model: str) -> None:
    scene = scene_of(CORNER if model == "corner" else list_shipped()[model])
    poses = find_drawn(scene)
    pieces = solids(scene, poses).stretches
    for array, *ones in zip(places(pieces, poses), *(place(piece, poses) for piece in pieces), strict=True):
        np.testing.assert_allclose(array, np.reshape([one[0] for one in ones], array.shape), atol=1e-14)


def test_a_law_along_a_line_is_a_muscle(corner: Scene, tmp_path: Path) -> None:
    assert [force.law for force in corner.forces] == [False, True]
    found = [piece for piece in solids(corner, find_drawn(corner)).stretches if piece.colour == MUSCLE]
    assert [piece.name for piece in found] == ["force/pull"] and found[0].scaled
    (tmp_path / "corner.yaml").write_text(CORNER)
    done = CliRunner().invoke(main, ["draw", str(tmp_path / "corner.yaml"), "-o", str(tmp_path / "corner.svg")])
    assert done.exit_code == 0 and "#8e2f2b" in (tmp_path / "corner.svg").read_text()


def test_planes_have_lines(bicycle: Scene) -> None:
    """At whole multiples of a round number of metres, on the plane."""
    (lines,) = [part.mesh for part in solids(bicycle, find_drawn(bicycle)).parts if part.colour == LINES]
    middles = lines.vertices.reshape(-1, 4, 3).mean(axis=1)
    assert len(middles) > 3 and np.abs(lines.vertices[:, 2]).max() < 1e-3
    across = np.unique(np.round(middles[np.ptp(lines.vertices.reshape(-1, 4, 3)[..., 0], axis=1) < 0.05, 0], 6))
    step = np.diff(across).min()
    shares = np.log10(step / np.array([1.0, 2.0, 5.0]))
    assert np.abs(shares - np.round(shares)).min() < 1e-6
    np.testing.assert_allclose(across / step, np.round(across / step), atol=1e-6)


@pytest.mark.parametrize("mesh", [torus(1.0, 0.1), spindle(0.3, 0.05)])
def test_new_solids_are_closed_and_outwards(mesh) -> None:
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert (np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0) > 0.0
    if len(np.unique(mesh.vertices, axis=0)) == len(mesh.vertices):  # each edge is there once in either direction
        assert {tuple(edge) for edge in edges.tolist()} == {(j, i) for i, j in edges.tolist()}


def test_the_volume_of_a_torus() -> None:
    """2 pi^2 R r^2, but for what its flat sides cut off."""
    mesh = torus(1.0, 0.1, 256, 64)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0 == pytest.approx(2.0 * np.pi**2 * 0.01, rel=3e-3)


def test_names_make_room_for_each_other() -> None:
    """Names of points that lie close: no two boxes overlap, also not that of the first one, which was placed before the others came."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.12, 0.12, (9, 2))
    labels = [Label(at, f"joint_{n}") for n, at in enumerate(points)]
    point = 0.002
    placed = place_labels(labels, [], 0.005, point)
    for n, (first, at) in enumerate(placed):
        for second, other in placed[n + 1 :]:
            apart = np.abs(at - other) - half_size(first, point) - half_size(second, point)
            assert apart.max() > 0.0, (first.words, second.words)


def test_a_name_at_the_edge_is_within_the_picture(tmp_path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from mbsim.plots.drawing import draw_schematic

    scene = scene_of(list_shipped()["four_bar"])
    figure = draw_schematic(scene, find_drawn(scene), 0)
    renderer = FigureCanvasAgg(figure).get_renderer()
    for text in figure.axes[0].texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0.0 and box.x1 <= figure.bbox.x1, text.get_text()


@pytest.fixture(scope="module")
def pendulums(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pendulums that a spring ties: they swing together, and against each other."""
    text = """
name: coupled pendulums
dimension: 2
gravity: [0, -9.81]
bodies:
  left:  {mass: 1, inertia: 0.02, position: [0, -0.5], points: {side: [0, 0.1]}}
  right: {mass: 1, inertia: 0.02, position: [0.6, -0.5], points: {side: [0, 0.1]}}
joints:
  a: {type: revolute, bodies: [ground, left], at: [0, 0]}
  b: {type: revolute, bodies: [ground, right], at: [0.6, 0]}
forces: {tie: {type: spring_damper, points: [left.side, right.side], stiffness: 20}}
simulation: {end: 1}
"""
    path = tmp_path_factory.mktemp("modes") / "two.h5"
    made = mbsim.assemble(mbsim.load_model(text))
    linear_files.save_modes(linear.modes(made), path, scene=made.scene)
    return path


def test_all_modes_move_side_by_side(pendulums: Path, tmp_path: Path) -> None:
    output = tmp_path / "modes.gif"
    done = CliRunner().invoke(main, ["view", str(pendulums), "-o", str(output), "--size", "320x160", "--fps", "10"])
    assert (done.exit_code, done.stdout) == (0, f"{output}\n"), done.output
    with Image.open(output) as picture:
        assert picture.size == (320, 160) and picture.n_frames == 16
        frames = []
        for k in (0, 7):
            picture.seek(k)
            frames.append(np.asarray(picture.convert("RGB")).astype(int))
    moved = np.abs(frames[1] - frames[0]).max(axis=2) > 60
    assert moved[:, :160].sum() > 100 and moved[:, 160:].sum() > 100
    one = tmp_path / "one.png"
    done = CliRunner().invoke(main, ["view", str(pendulums), "-o", str(one), "--mode", "2"])
    assert done.exit_code == 0, done.output
    with Image.open(one) as picture:
        assert picture.size == (640, 480)


def test_the_picture_of_modes_has_all_of_them(pendulums: Path) -> None:
    from mbsim.plots.linear import figure
    from mbsim.results.linear import read

    made = figure(read(pendulums), None)
    titles = [axes.get_title() + axes.get_title("left") for axes in made.axes]
    assert len(made.axes) == 3 and [title.partition(":")[0] for title in titles[1:]] == ["mode 1", "mode 2"]
    assert all(len(axes.patches) > 4 for axes in made.axes[1:])  # links and supports, not lines alone


def test_cells_are_as_large_as_can_be() -> None:
    assert [layout(n, (640, 480)) for n in (1, 4, 6, 12)] == [(1, 1), (2, 2), (3, 2), (4, 3)]
    for count in range(1, 13):
        columns, rows = layout(count, (640, 480))
        assert columns * rows >= count and (columns - 1) * rows < count


def test_outlines_show_every_figure() -> None:
    for name in ("four_bar", "free_body", "planetary_gear", "quick_return"):
        scene = scene_of(list_shipped()[name])
        for of in figures(scene, sizes(scene)):
            ways = outlines(of)
            assert all(way.ndim == 2 and way.shape[1] == 3 and len(way) > 1 for way in ways)
