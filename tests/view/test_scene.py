"""What a mechanism looks like: described, kept in the result, read back, and recognised."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.cli.models import list_shipped
from mbsim.observe.pose import pose_at
from mbsim.scene import motion
from mbsim.scene.camera import PRESETS, camera
from mbsim.scene.figures import Ball, Block, Box, Disk, Plate, Rod, figures, rails
from mbsim.scene.parts import Lifted, place
from mbsim.scene.read import End, SceneError, parse, scene_of
from mbsim.scene.shapes import solid
from mbsim.scene.sizes import sizes
from mbsim.scene.solids import solids
from mbsim.scene.surfaces import LINES

COINCIDE = {"revolute", "spherical", "universal", "fixed", "constant_velocity"}  # joints that keep their two points together


def assembled(name: str) -> "mbsim.assembly.Assembly":
    return mbsim.assemble(mbsim.load_model(list_shipped()[name]))


def pose(made) -> motion.Motion:
    position, orientation = pose_at(made.system, made.start, made.q)
    return motion.motion(np.zeros(1), position[None], orientation[None])


@pytest.mark.parametrize("name", ["four_bar", "flyball_governor", "spatial_slider_crank", "space_robot"])
def test_joint_points_of_both_bodies_coincide_along_the_run(name: str) -> None:
    """In the plane and in space, in absolute and in joint coordinates: the scene and the poses of the result agree."""
    made = assembled(name)
    result = mbsim.simulate(made, end=0.1)
    scene, poses = scene_of(result), motion.of_result(result)
    tested = [joint for joint in scene.joints if joint.type in COINCIDE]
    assert tested
    for joint in tested:
        apart = np.abs(poses.place(joint.ends[0]) - poses.place(joint.ends[1])).max()
        assert apart < 1e-8, joint.name


@pytest.mark.parametrize("name", ["four_bar", "space_robot", "planetary_gear"])
def test_the_pose_of_the_start_is_the_first_row(name: str) -> None:
    made = assembled(name)
    result = mbsim.simulate(made, end=0.01)
    position, orientation = pose_at(made.system, made.start, made.q)
    np.testing.assert_allclose(position, result["body_position"][0], atol=1e-12)
    np.testing.assert_allclose(np.abs(np.sum(orientation * result["body_orientation"][0], axis=1)), 1.0, atol=1e-12)


def test_a_result_file_holds_the_scene(tmp_path: Path) -> None:
    made = assembled("four_bar")
    mbsim.simulate(made, end=0.01, output=tmp_path / "run.h5")
    with mbsim.open_result(tmp_path / "run.h5") as result:
        assert result.scene == made.scene
        scene = scene_of(result)
    assert [body.name for body in scene.bodies] == ["crank", "coupler", "rocker"]
    assert scene.planar and scene.up.tolist() == [0.0, 1.0, 0.0]


def test_the_scene_is_made_once_and_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from mbsim.scene import describe

    calls = []
    real = describe.describe
    monkeypatch.setattr(describe, "describe", lambda model, reference: calls.append(1) or real(model, reference))
    made = assembled("four_bar")
    result = mbsim.simulate(made, end=0.01)
    assert not calls
    assert made.scene == result.scene == pickle.loads(pickle.dumps(result)).scene != ""
    assert len(calls) == 1


def test_own_coordinates_have_no_scene() -> None:
    made = mbsim.assemble(mbsim.load_model(list_shipped()["double_pendulum"]))
    assert made.scene == ""
    result = mbsim.simulate(made, end=0.01)
    with pytest.raises(SceneError, match="no bodies: its own coordinates have no shape"):
        scene_of(result)


def assert_one_line(error: SceneError) -> None:
    assert "damaged" in str(error) and "\n" not in str(error)


def test_any_damage_is_one_sentence() -> None:
    """Every value of the data replaced in turn by each of some wrong ones: SceneError or a scene, nothing else."""
    data = json.loads(assembled("planetary_gear").scene)
    refused = 0

    def places(value, path=()):
        yield path
        for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
            yield from places(item, (*path, key))

    wrong: tuple[object, ...] = (None, -7, 1e400, "x", [], {}, True)
    for n, path in enumerate(p for p in places(data) if p):
        inside = data
        for key in path[:-1]:
            inside = inside[key]
        kept, inside[path[-1]] = inside[path[-1]], wrong[n % len(wrong)]
        try:
            parse(json.dumps(data))
        except SceneError as error:
            refused += 1
            assert_one_line(error)
        inside[path[-1]] = kept
    assert refused > 150


@pytest.mark.parametrize("name", list(list_shipped()))
def test_every_shipped_model_of_bodies_has_figures(name: str) -> None:
    model = mbsim.load_model(list_shipped()[name])
    from mbsim.assembly.reference import ReferenceConfiguration
    from mbsim.scene.describe import describe

    if model.coordinates:
        pytest.skip("its own coordinates")
    scene = parse(describe(model, ReferenceConfiguration(model)))
    size = sizes(scene)
    assert 0.0 < size.link < 0.05 * size.extent
    nodes = {b for beam in scene.beams for b in beam.nodes}  # drawn as a beam
    for b, (body, found) in enumerate(zip(scene.bodies, figures(scene, size), strict=True)):
        assert found or b in nodes, body.name


def kinds(name: str) -> dict[str, list[type]]:
    scene = parse(assembled(name).scene)
    return {body.name: [type(figure) for figure in of] for body, of in zip(scene.bodies, figures(scene, sizes(scene)), strict=True)}


def test_shapes_are_recognised() -> None:
    assert kinds("four_bar") == {"crank": [Rod], "coupler": [Rod], "rocker": [Rod]}
    assert kinds("quick_return")["ram"] == [Block] and kinds("quick_return")["block"] == [Block]
    assert kinds("andrews_squeezer")["K3"] == [Plate]
    assert kinds("whipple_bicycle")["front"] == [Disk]
    assert kinds("chrono_spherical")["pendulum"] == [Rod, Ball]
    assert kinds("space_robot")["hub"] == [Box]
    assert list(kinds("free_body").values()) == [[Box]]


def test_what_touches_is_drawn_as_its_shape() -> None:
    turn = {"position": [0.0, 0.1, 0.0], "rotation": {"axis": [1, 0, 0], "angle": 0.5 * np.pi}}
    shapes = {"a": {"type": "box", "size": [0.3, 0.2, 0.1]}, "b": {"type": "sphere", "radius": 0.1}}
    shapes["c"] = {"type": "capsule", "radius": 0.1, "length": 0.4, **turn}
    bodies = {n: {"mass": 1, "inertia": [1, 1, 1], "position": [k, 0, 1], "shape": shapes[n]} for k, n in enumerate(shapes)}
    floor = {"bodies": [*shapes, "ground"], "plane": {"normal": [0, 0, 1]}}
    scene = parse(
        mbsim.assemble({"gravity": [0, 0, -9.81], "bodies": bodies, "contacts": {"floor": floor}, "simulation": {"end": 1}}).scene
    )
    (crate,), (ball,), (pill,) = figures(scene, sizes(scene))
    assert isinstance(crate, Box) and crate.edges.tolist() == [0.3, 0.2, 0.1]
    assert isinstance(ball, Ball) and ball.radius == 0.1
    assert isinstance(pill, Rod) and pill.radius == 0.1
    assert pill.ends == pytest.approx(np.array([[0.0, 0.3, 0.0], [0.0, -0.1, 0.0]]), abs=1e-12)


def test_a_uniform_rod_ends_where_it_does() -> None:
    """A pendulum of inertia m l^2/12 about a centre of mass at l/2 is a rod of length l."""
    scene = parse(assembled("swinging_rod").scene)
    (rod,) = figures(scene, sizes(scene))[0]
    assert isinstance(rod, Rod)
    length = 2.0 * np.linalg.norm(scene.joints[0].ends[1].point)
    assert np.linalg.norm(rod.ends[1] - rod.ends[0]) == pytest.approx(length, rel=1e-6)


def test_pitch_circles_touch() -> None:
    scene = parse(assembled("planetary_gear").scene)
    by_name = {gear.name: gear for gear in scene.gears}
    sun, planet = by_name["sun_planet"].circles
    again, ring = by_name["planet_ring"].circles
    assert sun.radius + planet.radius == pytest.approx(0.042)
    assert ring.radius - again.radius == pytest.approx(0.042)
    assert again.radius == pytest.approx(planet.radius)
    assert ring.radius / sun.radius == pytest.approx(60 / 24)
    assert (scene.name_of(sun.at.body), scene.name_of(planet.at.body), scene.name_of(ring.at.body)) == ("sun", "planet", "ground")
    assert by_name["rope"].circles[0].radius == pytest.approx(0.06)


def test_a_rail_is_as_long_as_the_motion() -> None:
    result = mbsim.simulate(assembled("slider_crank"), end=0.2)
    scene, poses = scene_of(result), motion.of_result(result)
    (rail,) = rails(scene, sizes(scene), poses)
    x = result.select("slider.x")
    assert rail.ends[:, 0].min() < x.min() and rail.ends[:, 0].max() > x.max()
    assert np.ptp(rail.ends[:, 0]) < np.ptp(x) + 20.0 * sizes(scene).link


SHAPES = """
dimension: 2
parameters: {l: 2}
ground: {points: {O: [0.5, 0]}, shape: {type: box, size: [l, 0.1], position: [1, 0]}}
bodies:
  rod: {mass: 1, inertia: 1, position: [1.5, 0], points: {O: [-1, 0]}, shape: {type: box, size: [l, 0.1], position: [l/4, 0]}}
  heavy: {density: 10, position: [3, 0], angle: 1, shape: {type: box, size: [l, 0.2, 0.1], position: [l/2, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], points: [O, O]}}
simulation: {end: 1}
"""


def test_shapes_in_the_file_come_along(tmp_path: Path) -> None:
    """With expressions evaluated, and from the centre of mass on, where a density puts it, too; points of the ground with them."""
    (tmp_path / "shapes.yaml").write_text(SHAPES)
    made = mbsim.assemble(mbsim.load_model(tmp_path / "shapes.yaml"))
    scene = parse(made.scene)
    rod, heavy = (body.shape[0] for body in scene.bodies)
    assert (rod["type"], rod["size"], rod["position"]) == ("box", [2.0, 0.1], [0.5, 0.0, 0.0])
    np.testing.assert_allclose(heavy["position"], 0.0, atol=1e-12)
    assert scene.ground_shape[0]["size"] == [2.0, 0.1] and scene.ground_points["O"].tolist() == [0.5, 0.0, 0.0]
    found = solids(scene, pose(made))
    (box,) = [part for part in found.parts if part.name == "body/rod"]
    assert (np.ptp(box.mesh.vertices[:, 0]), box.mesh.vertices[:, 0].mean()) == (pytest.approx(2.0), pytest.approx(0.5))


@pytest.mark.parametrize(("file", "kept"), [("rod.stl", 1), ("sub/rod.stl", 1), ("../rod.stl", 0), ("/etc/rod.stl", 0)])
def test_a_result_does_not_say_which_files_are_read(tmp_path: Path, caplog: pytest.LogCaptureFixture, file: str, kept: int) -> None:
    """Unless its model file lies beside it and says so."""
    path, here = tmp_path / "pendulum.h5", assembled("pendulum")
    with mbsim.simulate(here, end=0.01, output=path) as made:
        data = json.loads(made.scene)
        data["bodies"][0]["shape"] = [{"type": "mesh", "file": file}]
        made._scene = json.dumps(data)
        assert len(scene_of(made).bodies[0].shape) == 1 and not caplog.messages  # of this process
    with mbsim.open_result(path) as result:
        result._scene = json.dumps(data)
        assert len(scene_of(result).bodies[0].shape) == kept
        assert (not caplog.messages) == kept and all("1 mesh of other folders" in said for said in caplog.messages)
        (tmp_path / "mine.yaml").write_bytes(here.text.encode())
        assert len(scene_of(result).bodies[0].shape) == 1
        (tmp_path / "mine.yaml").write_bytes(here.text.encode().replace(b"1", b"2"))
        assert len(scene_of(result).bodies[0].shape) == kept


def test_a_run_in_memory_finds_the_meshes_of_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their names begin at the folder of the model, wherever the process is."""
    (tmp_path / "models").mkdir()
    (tmp_path / "rod.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    model = tmp_path / "models" / "rod.yaml"
    text = "bodies:\n  rod: {mass: 1, inertia: [1, 1, 1], shape: [{type: mesh, file: ../rod.obj}]}\nsimulation: {end: 0.01, step: 0.01}\n"
    model.write_text(text)
    result = mbsim.simulate(model)
    monkeypatch.chdir("/")
    for one in (result, pickle.loads(pickle.dumps(result))):
        (part,) = [part for part in solids(scene_of(one), motion.of_result(one), Path(one.folder)).parts if part.body == 0]
        assert part.mesh.vertices.max() == pytest.approx(1.0) and len(part.mesh.faces) == 4


def test_thinning_keeps_the_ends_and_the_pace() -> None:
    times = np.concatenate([np.linspace(0.0, 1.0, 1000), np.linspace(1.01, 10.0, 900)])
    rows = motion.evenly(times, 101)
    assert rows[0] == 0 and rows[-1] == len(times) - 1 and len(rows) <= 101
    assert np.abs(np.diff(times[rows]) - 0.1).max() < 0.02
    assert motion.row_at(times, 5.0) == int(np.abs(times - 5.0).argmin())


@pytest.mark.parametrize("name", ["four_bar", "heavy_top"])
@pytest.mark.parametrize("view", [None, *PRESETS, "30,-20"])
def test_cameras_are_rotations(name: str, view: str | None) -> None:
    found = np.array(camera(parse(assembled(name).scene), view))
    np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(found) == pytest.approx(1.0)


def test_a_planar_mechanism_is_seen_in_its_plane() -> None:
    made = assembled("four_bar")
    seen = camera(parse(made.scene)).project(pose(made).place(End(0, np.zeros(3)))[0])
    np.testing.assert_allclose(seen[:2], pose(made).position[0, 0, :2])


def test_unknown_cameras_are_refused() -> None:
    scene = parse(assembled("heavy_top").scene)
    for wrong in ("plane", "fromt", "1", "1,2,3", "10,100", "nan,0"):
        with pytest.raises(ValueError, match="camera"):
            camera(scene, wrong)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data["bodies"][0].update(position=[1e40, 0.0, 0.0]), "a length is too large"),
        (lambda data: data["bodies"][0].update(mass=1e200), "a number is too large"),
        (lambda data: data["joints"][0]["points"].__setitem__(0, [0.0, 1e31, 0.0]), "a length is too large"),
    ],
)
def test_numbers_beyond_what_can_be_drawn_are_refused(change, words: str) -> None:
    data = json.loads(assembled("four_bar").scene)
    change(data)
    with pytest.raises(SceneError, match=words):
        parse(json.dumps(data))


def test_a_shape_beyond_what_can_be_drawn_is_refused() -> None:
    with pytest.raises(SceneError, match="it is too large"):
        solid({"type": "sphere", "radius": 1e200}, Path())
    with pytest.raises(SceneError, match="it is too large"):
        solid({"type": "box", "size": [1, 1, 1], "position": [float("nan"), 0, 0]}, Path())


WHEEL = """
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 5, inertia: [1, 1, 1]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.2, 0, 0.1]}
  coin: {mass: 1, inertia: [0.01, 0.01, 0.02], position: [-0.3, 0, 0.08], orientation: {axis: [1, 0, 0], angle: acos(0.6)}}
joints: {guide: {type: prismatic, bodies: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}}
drivers: {lift: {joint: guide, displacement: 0.1*sin(3*t)}}
constraints:
  ball_rolls: {type: rolling_ball, center: ball, radius: 0.1, plane: {PLANE}}
  coin_rolls: {type: rolling_disk, center: coin, radius: 0.1, axis: [0, -0.8, 0.6], plane: {PLANE}}
simulation: {end: 0.2, output_step: 0.02}
"""


@pytest.mark.parametrize("moved_by", ["body", "time"])
def test_a_plane_that_moves_is_under_what_rolls_on_it(moved_by: str) -> None:
    """On a table that a driver lifts, and on the same plane given as a function of time: at the height of the driver in every row."""
    plane = "body: table" if moved_by == "body" else 'point: [0, 0, "0.1*sin(3*t)"]'
    result = mbsim.simulate(WHEEL.replace("PLANE", plane), method="lagrange")
    poses, height = motion.of_result(result), 0.1 * np.sin(3 * result.time)
    made = solids(scene_of(result), poses)
    lifted = [piece for piece in made.stretches if isinstance(piece, Lifted) and piece.colour != LINES]
    fixed = [part for part in made.parts if part.name in ("body/ball_rolls", "body/coin_rolls") and part.colour != LINES]
    assert [len(lifted), len(fixed)] == ([0, 1] if moved_by == "body" else [1, 0])
    for part in fixed:
        upper = part.mesh.vertices[:, 2].max() + poses.position[:, part.body, 2]
        np.testing.assert_allclose(upper, height, atol=1e-9)
    for piece in lifted:
        upper = piece.mesh.vertices[:, 2].max() + place(piece, poses)[0][:, 2]
        np.testing.assert_allclose(upper, height, atol=1e-9)


def test_bodies_without_shape_among_shapes_are_frames() -> None:
    """Sensors of robots have made-up inertias: a box that has theirs would hide the robot."""
    arm, sensor = "mass: 1, inertia: [1, 1, 1], points: {A: [-1, 0, 0]}", "mass: 1.0e-4, inertia: [1.0e-3, 1.0e-3, 1.0e-3]"
    for shape, figure in (("shape: [{type: sphere, radius: 0.1}]", Ball), ("points: {B: [1, 0, 0]}", Box)):
        text = f"bodies:\n  one: {{{arm}, shape: [{{type: sphere, radius: 0.1}}]}}\n  two: {{mass: 1, inertia: [1, 2, 3], {shape}}}\n"
        text += f"  sensor: {{{sensor}, position: [1, 0, 0]}}\nsimulation: {{end: 1, step: 0.1}}\n"
        scene = parse(mbsim.assemble(text).scene)
        found = figures(scene, sizes(scene, motion.find_drawn(scene)))
        assert isinstance(found[2][-1], figure)
