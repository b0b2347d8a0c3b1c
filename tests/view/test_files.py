"""Files of a motion: GIF, MP4, PNG, glTF, a page; what they show, and what is refused."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import mbsim
from mbsim.cli import main
from mbsim.plots import moving, raster
from mbsim.plots.frames import PAPER, frame, stage
from mbsim.results.outputs import is_ours
from mbsim.scene import meshes, motion
from mbsim.scene.camera import camera
from mbsim.scene.parts import place
from mbsim.scene.read import SceneError, scene_of
from mbsim.scene.shapes import solid
from mbsim.scene.solids import COLOURS, solids


def invoke(*arguments: object):
    return CliRunner().invoke(main, [*map(str, arguments)])


def seen(path: Path):
    with mbsim.open_result(path) as result:
        return scene_of(result), motion.of_result(result)


def test_a_gif_moves_and_says_the_time(tmp_path: Path, four_bar: Path) -> None:
    output = tmp_path / "m.gif"
    for _ in range(2):  # the second time over the first
        done = invoke("view", four_bar, "-o", output, "--size", "160x120", "--fps", "5", "--speed", "0.5")
        assert (done.exit_code, done.stdout) == (0, f"{output}\n"), done.output
    with Image.open(output) as picture:
        assert picture.size == (160, 120) and picture.n_frames == 11 and picture.info["duration"] == 200
        first = np.asarray(picture.convert("RGB")).astype(int)
        picture.seek(5)
        assert np.abs(np.asarray(picture.convert("RGB")).astype(int) - first).max() > 100
    assert is_ours(output)


@pytest.mark.parametrize("k", [0, 300, 700])
def test_a_frame_shows_each_body_where_the_result_says(four_bar: Path, k: int) -> None:
    """Seen from the front the pixels of each link's colour have their middle at its centre of mass."""
    scene, poses = seen(four_bar)
    shown = stage(solids(scene, poses), poses, camera(scene, "front"), (400, 320))
    pixels = np.asarray(frame(shown, poses, k)).astype(float)
    for b in range(3):
        colour = np.array(COLOURS[b], float)
        cosine = pixels @ colour / np.maximum(np.linalg.norm(pixels, axis=2) * np.linalg.norm(colour), 1.0)
        own = (cosine > 0.9995) & (np.abs(pixels - PAPER).max(axis=2) > 30)
        rows, columns = np.nonzero(own)
        assert len(rows) > 100
        x = (columns + 0.5 - 200.0) / shown.scale + shown.centre[0]
        y = (160.0 - rows - 0.5) / shown.scale + shown.centre[1]
        reach = 0.06 * shown.solids.size.extent  # other links hide some of it
        np.testing.assert_allclose([x.mean(), y.mean()], poses.position[k, b, :2], atol=reach)


def test_nearer_triangles_hide_others() -> None:
    square = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
    tilted = np.column_stack([square, [0.0, 10.0, 10.0, 0.0]])  # nearer to the right
    level = np.column_stack([square, np.full(4, 5.0)])
    corners = np.array([surface[list(i)] for surface in (tilted, level) for i in ((0, 3, 2), (0, 2, 1))])
    shown = raster.nearest(corners, raster.Places(10, 10, np.arange(11) * 10)).reshape(10, 10)
    assert (shown[:, :5] >= 2).all() and (shown[:, 5:] < 2).all()


def _triangles(corners: np.ndarray, tone: int) -> raster.Triangles:
    n = len(corners)
    return raster.Triangles(corners, np.full((n, 3), float(tone)), np.ones((n, 3)), np.zeros(n, int))


def test_edges_are_as_dark_as_their_share_of_a_pixel() -> None:
    """A black triangle on white: the darkness of the whole picture is its area."""
    corners = np.array([[[3.3, 4.1, 0.0], [8.2, 33.7, 0.0], [37.4, 20.9, 0.0]]])
    painted = raster.paint(_triangles(corners, 0), 40, 40, (255, 255, 255))
    ab, ac = corners[0, 1] - corners[0, 0], corners[0, 2] - corners[0, 0]
    area = abs(ab[0] * ac[1] - ab[1] * ac[0]) / 2.0
    assert ((255 - painted[..., 0].astype(int)).sum() / 255.0) == pytest.approx(area, rel=0.02)
    assert len(np.unique(painted[..., 0])) > 3  # not black and white alone


@pytest.mark.parametrize("slope", [0.0, 0.013, 0.4, 3.0])
def test_a_wire_thinner_than_a_pixel_stays_whole(slope: float) -> None:
    """Where a picture looked at pixels' middles only, such a wire would have gaps."""
    along = np.array([1.0, slope]) / np.hypot(1.0, slope)
    across = 0.3 * np.array([-along[1], along[0]])
    start, end = np.array([5.0, 5.1]), np.array([5.0, 5.1]) + min(80.0, 80.0 / max(slope, 1.0)) * along
    outline = np.array([start - across, start + across, end + across, end - across])
    flat = np.column_stack([outline, np.zeros(4)])
    painted = raster.paint(_triangles(flat[[[0, 1, 2], [0, 2, 3]]], 0), 100, 100, (255, 255, 255))
    for share in np.linspace(0.03, 0.97, 60):
        x, y = np.floor(start + share * (end - start)).astype(int)
        assert painted[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].min() < 200


def glb(path: Path) -> tuple[dict, bytes]:
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    return json.loads(data[20 : 20 + size]), data[20 + size + 8 :]


def test_gltf_holds_the_motion(tmp_path: Path, four_bar: Path) -> None:
    """The keys of a body's animation are the poses of the result; trimesh reads the file."""
    output = tmp_path / "m.glb"
    for _ in range(2):
        assert invoke("view", four_bar, "-o", output).exit_code == 0
    document, buffer = glb(output)

    def values(i: int) -> np.ndarray:
        accessor = document["accessors"][i]
        view = document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        return np.frombuffer(buffer, np.float32, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)

    _, poses = seen(four_bar)
    (animation,) = document["animations"]
    node = next(i for i, one in enumerate(document["nodes"]) if one["name"] == "coupler")
    paths = {c["target"]["path"]: animation["samplers"][c["sampler"]] for c in animation["channels"] if c["target"]["node"] == node}
    times = values(paths["translation"]["input"])[:, 0]
    rows = [motion.row_at(poses.times, t) for t in times]
    np.testing.assert_allclose(values(paths["translation"]["output"]), poses.position[rows, 1], atol=1e-6)
    turns = np.abs(np.sum(values(paths["rotation"]["output"])[:, [3, 0, 1, 2]] * poses.quaternion[rows, 1], axis=1))
    np.testing.assert_allclose(turns, 1.0, atol=1e-6)
    trimesh = pytest.importorskip("trimesh")
    bounds = trimesh.load(output).bounds
    assert 3.5 < bounds[1][0] - bounds[0][0] < 4.5 and document["asset"]["generator"].startswith("mbsim")


def test_springs_reach_from_end_to_end() -> None:
    from mbsim.cli.models import list_shipped

    result = mbsim.simulate(mbsim.load_model(list_shipped()["andrews_squeezer"]), end=0.005)
    scene, poses = scene_of(result), motion.of_result(result)
    (spring,) = [stretch for stretch in solids(scene, poses).stretches if stretch.name == "force/spring"]
    position, quaternion, scale = place(spring, poses)
    from mbsim.scene.turns import matrices

    tip = position + np.einsum("tij,j->ti", matrices(quaternion), [0.0, 0.0, 1.0]) * scale[:, 2:]
    np.testing.assert_allclose(tip, poses.place(spring.ends[1]), atol=1e-12)
    assert np.ptp(scale[:, 2]) > 0.0


CLOSED = {
    "box": (meshes.box(np.array([1.0, 2.0, 3.0])), 6.0),
    "cylinder": (meshes.cylinder(1.0, 0.0, 2.0, 200), 2.0 * np.pi),
    "sphere": (meshes.sphere(1.0, 160), 4.0 / 3.0 * np.pi),
    "capsule": (meshes.capsule(1.0, 0.0, 2.0, 160), 10.0 / 3.0 * np.pi),
    "annulus": (meshes.annulus(1.0, 2.0, 0.0, 1.0, 200), 3.0 * np.pi),
    "gear": (meshes.gear(1.0, 0.01, -0.5, 0.5), np.pi),
}


@pytest.mark.parametrize("name", list(CLOSED))
def test_solids_are_closed_and_point_outwards(name: str) -> None:
    """The divergence theorem: the volume of a closed mesh whose faces point outwards; and no face is without a neighbour."""
    (vertices, faces), exact = CLOSED[name]
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    volume = float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
    assert volume > 0.0 and volume == pytest.approx(exact, rel=4e-3)
    normals = np.cross(b - a, c - a).sum(axis=0)
    np.testing.assert_allclose(normals, 0.0, atol=1e-9)


def test_any_polygon_is_cut_into_triangles() -> None:
    """The area of a polygon that is not convex is that of its triangles, each counterclockwise."""
    star = np.array([[np.cos(a), np.sin(a)] * np.array(1.0 + 0.6 * (i % 2)) for i, a in enumerate(np.linspace(0.0, 2.0 * np.pi, 14)[:-1])])
    hook = np.array([[0, 0], [4, 0], [4, 3], [3, 3], [3, 1], [1, 1], [1, 3], [0, 3]], float)
    for outline in (star, hook):
        a, b, c = (outline[meshes.triangles(outline)[:, i]] for i in range(3))
        areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        x, y = outline.T
        assert (areas > 0.0).all() and areas.sum() == pytest.approx(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def test_a_mesh_that_is_gone_is_said(four_bar: Path, caplog: pytest.LogCaptureFixture) -> None:
    scene, poses = seen(four_bar)
    scene.bodies[1].shape[:] = [{"type": "mesh", "file": "gone.stl"}]
    found = solids(scene, poses)
    assert "coupler: a shape of type mesh cannot be drawn" in caplog.text and "without its shape" in caplog.text
    assert any(part.name == "body/coupler" for part in found.parts)


def test_given_shapes() -> None:
    turned = solid(
        {"type": "box", "size": [2.0, 1.0, 1.0], "position": [1.0, 0.0, 0.0], "rotation": {"axis": [0, 0, 1], "angle": np.pi / 2}}, Path()
    )
    np.testing.assert_allclose([turned.vertices.min(axis=0), turned.vertices.max(axis=0)], [[0.5, -1, -0.5], [1.5, 1, 0.5]], atol=1e-12)
    for wrong in ({"type": "cone"}, {"type": "box"}, {"type": "mesh", "file": "nowhere.stl"}, {"type": "sphere", "radius": "x"}):
        with pytest.raises(SceneError, match="cannot be drawn"):
            solid(wrong, Path())


def test_frames_last_three_to_ten_seconds() -> None:
    for span, frames, speed in ((5.0, 101, 1.0), (0.03, 61, 0.01), (100.0, 201, 10.0)):
        rows, found = moving.choose_rows(np.linspace(0.0, span, 2000), 20.0, None)
        assert (len(rows), found) == (frames, pytest.approx(speed))
    with pytest.raises(moving.PlotError, match="1001 frames are too many"):
        moving.choose_rows(np.linspace(0.0, 50.0, 100), 20.0, 1.0)


def test_mp4_needs_an_encoder(tmp_path: Path, four_bar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    done = invoke("view", four_bar, "-o", tmp_path / "m.mp4")
    assert done.exit_code == 2 and "no encoder for .mp4 is installed: `pip install imageio-ffmpeg`" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{run}", "-o", "m.avi"], "the suffix says the format, one of .html, .gif, .mp4, .glb, .png"),
        (["{run}", "-o", "m.png", "--at", "7"], "--at: the result is from 0 s to 1 s (got 7)"),
        (["{run}", "-o", "m.gif", "--at", "0"], "--at goes with .png (got .gif)"),
        (["{run}", "-o", "m.png", "--size", "10x10"], "--size takes WIDTHxHEIGHT in pixels, each from 64 to 4096 (got '10x10')"),
        (["{run}", "-o", "m.png", "--camera", "behind"], "unknown camera 'behind'"),
        (["{run}", "-o", "m.html", "--camera", "behind"], "unknown camera 'behind'"),
        (["{run}", "{run}", "-o", "m.gif"], "a file shows one result"),
        (["{run}", "four_bar"], "several sources have to be results; give one model"),
        (["{run}", "--fps", "10"], "--fps goes with --output"),
        (["{run}", "--set", "a=1"], "--set: the parameters of a result are those of its run"),
        (["{own}", "-o", "m.gif"], "the model has no bodies: its own coordinates have no shape to draw"),
        (["double_pendulum", "-o", "m.html"], "the model has no bodies: its own coordinates have no shape to draw"),
        (["nothing.h5", "-o", "m.gif"], "there is no result file nothing.h5"),
        (["four_bar", "--set", "a=x", "-o", "m.png"], "a"),
    ],
)  # fmt: skip
def test_refused(
    tmp_path: Path, four_bar: Path, own_coordinates: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [argument.replace("{run}", str(four_bar)).replace("{own}", str(own_coordinates)) for argument in arguments]
    done = invoke("view", *given)
    assert done.exit_code == 2 and words in done.stderr, done.output
    assert "Traceback" not in done.output and not list(tmp_path.iterdir())
