"""The ground of a given surface in pictures: it goes through where the ball touches, and the result alone tells where it is."""

import numpy as np

import mbsim
from mbsim.scene import heights, motion
from mbsim.scene.read import scene_of
from mbsim.scene.solids import solids

HILLS = """
name: hills
gravity: [0, 0, -9.81]
parameters: {a: 0.4}
bodies: {ball: {mass: 1, inertia: [0.001, 0.001, 0.001], position: [0.3, 0.1, 0.1]}}
constraints: {hills: {type: rolling_ball, center: ball, radius: 0.05, surface: {z: a*(x^2 + y^2) + 0.01*sin(9*x)}}}
simulation: {end: 0.5, output_step: 0.05}
"""
ROAD = """
name: road
dimension: 2
gravity: [0, -9.81]
tables: {road: {points: [[-2, 0], [-1, 0.02], [-0.5, -0.05], [0, 0.06], [0.7, 0], [2, -0.1]]}}
bodies: {wheel: {mass: 2, inertia: 0.01, position: [-0.5, 0.1], velocity: [1, 0]}}
constraints: {rim: {type: rolling_disk, center: wheel, radius: 0.1, surface: {y: road(x)}}}
simulation: {end: 0.5, output_step: 0.05}
"""


def test_a_surface_is_drawn_where_the_ball_rolls() -> None:
    result = mbsim.simulate(HILLS, method="lagrange")
    scene, poses = scene_of(result), motion.of_result(result)
    (sheet, lines) = [part for part in solids(scene, poses).parts if part.name == "ground/hills"]
    x, y, z = sheet.mesh.vertices[: len(sheet.mesh.vertices) // 2].T
    np.testing.assert_allclose(z, 0.4 * (x**2 + y**2) + 0.01 * np.sin(9 * x), atol=1e-12)
    centres = result.select("body_position", "ball")
    assert (x.min() < centres[:, 0].min() - 0.05) and (y.max() > centres[:, 1].max() + 0.05)
    nearest = [np.linalg.norm(sheet.mesh.vertices - centre, axis=1).min() for centre in centres]
    np.testing.assert_allclose(nearest, 0.05, atol=2e-3)  # the vertices are so far apart
    assert len(lines.mesh.faces) > 100


def test_a_line_is_drawn_under_the_wheel() -> None:
    result = mbsim.simulate(ROAD, method="lagrange")
    scene, poses = scene_of(result), motion.of_result(result)
    (road,) = [part for part in solids(scene, poses).parts if part.name == "ground/rim"]
    centres = result.select("body_position", "wheel")[:, :2]
    nearest = [np.linalg.norm(road.mesh.vertices[:, :2] - centre, axis=1).min() for centre in centres]
    np.testing.assert_allclose(nearest, 0.1, atol=1e-3)


def test_where_there_is_no_height_nothing_is_drawn() -> None:
    height = heights.read_height({"text": "sqrt(1 - x^2)", "values": {"t": 0.0}, "tables": {}, "flat": True})
    found = height.at(np.array([0.0, 0.6, 2.0]), np.zeros(3))
    np.testing.assert_allclose(found[:2], [1.0, 0.8])
    assert np.isnan(found[2])


def test_schematics_have_the_ground() -> None:
    """A net of lines in space; in the plane a line that the wheel touches."""
    net = mbsim.load_model(HILLS).draw()
    assert sum(line.get_color() == "#9aa5b1" for line in net.axes[0].lines) == 24
    road = mbsim.load_model(ROAD)
    centre = mbsim.assemble(road).q[:2]
    (line,) = [line.get_xydata() for line in road.draw().axes[0].lines if len(line.get_xydata()) == 160]
    np.testing.assert_allclose(np.linalg.norm(line - centre, axis=1).min(), 0.1, atol=1e-3)
