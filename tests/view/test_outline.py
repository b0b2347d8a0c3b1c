"""Given shapes in schematics: what is in front, which edges are seen, and where they are drawn."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from matplotlib.figure import Figure

import mbsim
from mbsim import registry
from mbsim.model.load import load
from mbsim.plots.schematic import draw
from mbsim.scene import meshes
from mbsim.scene.camera import camera
from mbsim.scene.motion import find_drawn
from mbsim.scene.outline import NONE, outline
from mbsim.scene.read import parse
from mbsim.scene.turns import matrices


def length(lines: list[np.ndarray]) -> float:
    return sum(float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()) for line in lines)


def area(found, n: int) -> float:
    return float((found.owner == n).sum()) * found.cell**2


def test_of_a_sphere_its_circle_alone() -> None:
    found = outline([meshes.sphere(1.0, 96)])
    assert area(found, 0) == pytest.approx(np.pi, rel=0.01)
    points = np.concatenate(found.lines[0])
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < 0.01
    assert length(found.lines[0]) == pytest.approx(2.0 * np.pi, rel=0.02)


def test_of_a_box_the_nine_edges_that_are_seen() -> None:
    q = np.array([0.9, 0.3, -0.25, 0.1])
    R = matrices(q / np.linalg.norm(q))
    box = meshes.box(np.array([1.0, 2.0, 3.0])).moved(np.zeros(3), R)
    found = outline([box])
    nearest = np.argmax(((np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T * [0.5, 1.0, 1.5]) @ R.T)[:, 2])
    corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T * [0.5, 1.0, 1.5]
    hidden = -corners[nearest]  # the corner that is farthest away, and its three edges
    wanted = 0.0
    for i in range(8):
        for j in range(i):
            if (corners[i] != corners[j]).sum() == 1 and not any((corners[k] == hidden).all() for k in (i, j)):
                wanted += float(np.linalg.norm(((corners[i] - corners[j]) @ R.T)[:2]))
    assert length(found.lines[0]) == pytest.approx(wanted, rel=0.02)


def test_what_is_in_front_hides_what_is_behind() -> None:
    front = meshes.box(np.array([1.0, 1.0, 0.1])).moved(np.array([0.0, 0.0, 1.0]))
    behind = meshes.box(np.array([1.0, 0.8, 0.1])).moved(np.array([0.5, 0.0, 0.0]))
    for pair, first in (([front, behind], 0), ([behind, front], 1)):  # whatever comes first
        found = outline(pair)
        assert area(found, first) == pytest.approx(1.0, rel=0.02) and area(found, 1 - first) == pytest.approx(0.4, rel=0.02)
        assert all((line[:, 0] > 0.49).all() for line in found.lines[1 - first])
    assert (found.owner == NONE).any()


def test_nothing_of_meshes_without_extent() -> None:
    assert outline([]) is None
    assert outline([meshes.Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))]) is None
    assert outline([meshes.Mesh(np.ones((3, 3)), np.array([[0, 1, 2]]))]) is None


ARM = """
dimension: 3
bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], shape: {type: mesh, file: FILE, scale: 0.001, position: [0.2, 0, 0]}}}
joints: {O: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}}
simulation: {end: 0.1}
"""


@pytest.mark.parametrize("suffix", ["stl", "obj"])
def test_a_mesh_of_a_file_lies_where_the_body_is(tmp_path: Path, suffix: str) -> None:
    trimesh.creation.box((400.0, 100.0, 200.0)).export(tmp_path / f"m.{suffix}")
    model = load(ARM.replace("FILE", f"m.{suffix}"), registry, file=str(tmp_path / "arm.yaml"))
    scene = parse(mbsim.assemble(model).scene)
    seen = camera(scene, "front")
    found = draw(Figure().add_axes((0, 0, 1, 1)), scene, find_drawn(scene), 0, seen, tmp_path)
    bare = draw(Figure().add_axes((0, 0, 1, 1)), scene, find_drawn(scene), 0, seen, tmp_path / "elsewhere")
    assert len(found.sheet.axes.patches) == len(bare.sheet.axes.patches) + 2  # an area and its edges
    shape = min(found.sheet.axes.patches, key=lambda patch: patch.get_zorder())
    points = shape.get_path().vertices
    middle = seen.project(np.array([1.2, 0.0, 0.0]))[:2]
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [middle - [0.2, 0.1], middle + [0.2, 0.1]], atol=2e-3)


def test_without_its_file_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "m.stl")
    model = load(ARM.replace("FILE", "m.stl"), registry, file=str(tmp_path / "arm.yaml"))
    scene = parse(mbsim.assemble(model).scene)
    draw(Figure().add_axes((0, 0, 1, 1)), scene, find_drawn(scene), 0, camera(scene), tmp_path / "elsewhere")
    assert "arm:" in caplog.text and "it is drawn without its shape" in caplog.text
