"""Schematics: symbols lie where the result says, every shipped model is drawn, and what is refused."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import mbsim
from mbsim.cli import main
from mbsim.cli.models import list_shipped
from mbsim.plots.schematic import Schematic, draw
from mbsim.plots.sheet import FILLS
from mbsim.scene import motion
from mbsim.scene.camera import camera
from mbsim.scene.read import End, parse, scene_of


def invoke(*arguments: object):
    return CliRunner().invoke(main, [*map(str, arguments)])


def picture(path: Path, k: int) -> tuple[Schematic, motion.Motion]:
    with mbsim.open_result(path) as result:
        scene, poses = scene_of(result), motion.of_result(result)
    axes = Figure().add_axes((0, 0, 1, 1))
    return draw(axes, scene, poses, k, camera(scene)), poses


def outlines(found: Schematic) -> list[np.ndarray]:
    return [patch.get_path().vertices for patch in found.sheet.axes.patches]


@pytest.mark.parametrize("k", [0, 400, 999])
def test_symbols_lie_where_the_result_says(four_bar: Path, k: int) -> None:
    """A circle about each hinge, and each link's outline around its centre of mass, at several times."""
    found, poses = picture(four_bar, k)
    centres = [outline[:-1].mean(axis=0) for outline in outlines(found)]
    for joint in found.scene.joints:
        at = poses.place(joint.ends[1])[k, :2]
        assert min(np.linalg.norm(centre - at) for centre in centres) < 1e-9, joint.name
    for b, body in enumerate(found.scene.bodies):
        at = poses.position[k, b, :2]
        around = [outline for outline in outlines(found) if matplotlib.path.Path(outline).contains_point(at)]
        assert around, body.name


def test_a_spring_reaches_from_end_to_end() -> None:
    result = mbsim.simulate(mbsim.load_model(list_shipped()["andrews_squeezer"]), end=0.005)
    scene, poses = scene_of(result), motion.of_result(result)
    axes = Figure().add_axes((0, 0, 1, 1))
    draw(axes, scene, poses, len(poses.times) - 1, camera(scene))
    (force,) = [force for force in scene.forces if force.type == "spring_damper"]
    ends = [poses.place(end)[-1, :2] for end in force.ends]
    lines = [line.get_xydata() for line in axes.lines]
    assert any(np.allclose(line[0], ends[0]) and np.allclose(line[-1], ends[1]) and len(line) > 8 for line in lines)


def test_pixels_are_the_links_colour_there_and_paper_elsewhere(tmp_path: Path, four_bar: Path) -> None:
    assert invoke("draw", four_bar, "--at", 0.5, "--no-names", "-o", tmp_path / "p.png").exit_code == 0
    _, poses = picture(four_bar, 500)
    pixels = matplotlib.image.imread(tmp_path / "p.png")[..., :3]
    middles = []
    for fill in FILLS[:3]:
        rows, columns = np.nonzero(np.abs(pixels - np.array(matplotlib.colors.to_rgb(fill))).max(axis=2) < 0.01)
        assert len(rows) > 1000
        middles.append([columns.mean(), -rows.mean()])
    # The middles of the links' pixels make the triangle of their centres of mass.
    seen, bodies = np.diff(middles, axis=0), np.diff(poses.position[500, :3, :2], axis=0)
    scale = np.linalg.norm(seen) / np.linalg.norm(bodies)
    np.testing.assert_allclose(seen, scale * bodies, atol=0.05 * np.linalg.norm(seen))


@pytest.mark.parametrize("suffix", ["svg", "png", pytest.param("pdf", marks=pytest.mark.slow)])
def test_formats(tmp_path: Path, four_bar: Path, suffix: str) -> None:
    output = tmp_path / f"p.{suffix}"
    for _ in range(1 + (suffix == "svg")):  # the second time over the first: mbsim knows its own
        done = invoke("draw", four_bar, "--at", 0.25, "-o", output)
        assert (done.exit_code, done.stdout) == (0, f"{output}\n")
    head = output.read_bytes()
    assert head.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[suffix])
    if suffix == "svg":
        assert all(f">{word}<" in head.decode() for word in ("O", "A", "B", "C", "crank", "coupler", "rocker"))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(list_shipped()))
def test_every_shipped_model(tmp_path: Path, name: str) -> None:
    done = invoke("draw", name, "-o", tmp_path / "p.svg")
    if mbsim.load_model(list_shipped()[name]).coordinates:
        assert done.exit_code == 2 and "its own coordinates have no shape to draw" in done.stderr
    else:
        assert done.exit_code == 0, done.output


def test_as_drawn_differs_from_as_assembled(tmp_path: Path) -> None:
    """A rocker drawn in a wrong place is drawn there with --as-drawn, and where assembly puts it without."""
    text = list_shipped()["four_bar"].read_text().replace("position: [(d + xb)/2, yb/2]", "position: [(d + xb)/2 + 0.3, yb/2]")
    model = tmp_path / "wrong.yaml"
    model.write_text(text)
    for flags in ([], ["--as-drawn"]):
        assert invoke("draw", model, *flags, "--no-names", "-o", tmp_path / f"{len(flags)}.svg").exit_code == 0
    assert (tmp_path / "0.svg").read_text() != (tmp_path / "1.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{run}", "--at", "5"], "--at: the result is from 0 s to 1 s (got 5)"),
        (["{run}", "-o", "p.bmp"], "cannot write p.bmp: the suffix says the format, one of .png, .pdf, .svg"),
        (["{run}", "--camera", "above"], "unknown camera 'above'; give one of iso, front, back, left, right, top, bottom, or AZIMUTH"),
        (["{run}", "--set", "a=2"], "--set: the parameters of a result are those of its run"),
        (["four_bar", "--at", "0.1"], "--at takes a time of a result; a model has its start only"),
        (["nothing.h5"], "there is no result file nothing.h5"),
        (["double_pendulum"], "double_pendulum: the model has no bodies: its own coordinates have no shape to draw"),
        (["four_baar"], "did you mean 'four_bar'?"),
    ],
)
def test_refused(tmp_path: Path, four_bar: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("draw", *[argument.replace("{run}", str(four_bar)) for argument in arguments])
    assert done.exit_code == 2 and words in done.stderr, done.output
    assert "Traceback" not in done.output and not list(tmp_path.iterdir())


def test_a_folder_is_not_replaced(tmp_path: Path, four_bar: Path) -> None:
    (tmp_path / "p.png").write_text("mine")
    done = invoke("draw", four_bar, "-o", tmp_path / "p.png")
    assert done.exit_code == 2 and "was not written by mbsim" in done.stderr
    assert (tmp_path / "p.png").read_text() == "mine"


def test_a_cut_joint_and_a_projected_hinge_are_drawn() -> None:
    """A spatial mechanism: both ends of a hinge's cylinder lie about its point."""
    made = mbsim.assemble(mbsim.load_model(list_shipped()["bricard"]))
    from mbsim.observe.pose import pose_at
    from mbsim.scene.read import parse

    scene = parse(made.scene)
    position, orientation = pose_at(made.system, made.start, made.q)
    poses = motion.motion(np.zeros(1), position[None], orientation[None])
    found = draw(Figure().add_axes((0, 0, 1, 1)), scene, poses, 0, camera(scene))
    for joint in scene.joints:
        at = found.at(End(joint.ends[1].body, joint.ends[1].point))[:2]
        assert any(matplotlib.path.Path(outline).contains_point(at) for outline in outlines(found)), joint.name


SYMBOLS = """
dimension: 2
bodies: {{arm: {{mass: 1, inertia: 0.1, position: [0.5, 0]}}, ram: {{mass: 1, inertia: 0.1, position: [1, -0.8]}}}}
joints:
  O: {{type: revolute, bodies: [ground, arm], at: [0, 0]}}
  guide: {{type: prismatic, bodies: [ground, ram], at: [1, -0.8], axis: [1, 0]}}
{forces}
simulation: {{end: 0.5}}
"""


@pytest.mark.parametrize(
    ("force", "at"),
    [
        ("{type: joint_friction, joint: O, coulomb: 0.1, transition_speed: 0.01}", (0.0, 0.0)),
        ("{type: joint_friction, joint: guide, coulomb: 0.1, transition_speed: 0.01}", (1.0, -0.8)),
        ("{type: joint_limit, joint: O, lower: -1, upper: 1, stiffness: 1000}", (0.0, 0.0)),
        ("{type: joint_limit, joint: guide, lower: -1, upper: 1, stiffness: 1000}", (1.0, -0.8)),
        ("{type: drag, body: arm, linear: 0.3}", (0.5, 0.0)),
    ],
)
def test_friction_limits_and_drag_have_symbols_where_they_act(tmp_path: Path, force: str, at: tuple[float, float]) -> None:
    drawn = []
    for name, forces in (("plain", ""), ("with", f"forces: {{f: {force}}}")):
        path = tmp_path / f"{name}.yaml"
        path.write_text(SYMBOLS.format(forces=forces))
        made = mbsim.assemble(mbsim.load_model(path))
        scene = parse(made.scene)
        found = draw(Figure().add_axes((0, 0, 1, 1)), scene, motion.find_drawn(scene), 0, camera(scene))
        drawn.append(found)
    plain, more = drawn
    known = {tuple(point) for points in plain.sheet.points for point in points.round(9)}
    new = np.array([point for points in more.sheet.points for point in points if tuple(point.round(9)) not in known])
    assert len(new) and np.linalg.norm(new - at, axis=1).max() < 5.0 * more.size.link
    assert np.linalg.norm(new.mean(axis=0) - at) < 3.0 * more.size.link
