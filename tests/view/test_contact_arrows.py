"""The forces of rigid contacts as arrows: they accelerate the bodies as Newton's law asks, and the page shows them where they act."""

from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.scene import motion
from mbsim.scene.pressures import pressures
from mbsim.scene.read import scene_of
from mbsim.view.results import ResultsPage, Shown

SPACE = """
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.005, 0.005, 0.005], position: [0, 0.1*0.2/sqrt(1.04), 0.1/sqrt(1.04)], velocity: [2, 1, -0.2]}
  box: {mass: 1, inertia: [0.005, 0.005, 0.005], position: [2, 0, 0.1],
    points: {a: [0.1, 0.1, -0.1], b: [-0.1, 0.1, -0.1], c: [0, -0.1, -0.1]}}
forces: {push: {type: force, body: box, value: [1, 0.5, 0]}}
contacts:
  slope: {bodies: [ball, ground], plane: {normal: [0, 0.2, 1]}, friction: 0.3, radius: 0.1}
  floor: {bodies: [box, ground], plane: {normal: [0, 0, 1]}, points: [a, b, c], friction: 0.3}
simulation: {end: 0.2, output_step: 0.05}
"""
PLANE = """
dimension: 2
gravity: [0, -9.81]
parameters: {mu: 0.2}
bodies:
  table: {mass: 5, inertia: 1, position: [0, -1], angle: 0.3}
  block: {mass: 2, inertia: 0.01, position: [-0.05*sin(0.3), 0.05*cos(0.3)], angle: 0.3, points: {a: [-0.2, -0.05], b: [0.2, -0.05]}}
joints: {fixed: {type: fixed, bodies: [ground, table], at: [0, -1]}}
contacts: {floor: {bodies: [block, table], plane: {through: [0, 0], normal: [-sin(0.3), cos(0.3)]}, points: [a, b], friction: mu}}
simulation: {end: 0.2, output_step: 0.05}
"""


BLOCK = {"block": [0, -2 * 9.81, 0]}


@pytest.mark.parametrize(
    ("text", "loads"),
    [(SPACE, {"ball": [0, 0, -9.81], "box": [1, 0.5, -9.81]}), (PLANE, BLOCK), (PLANE.replace("0.2}", "0.5}"), BLOCK)],
)
def test_they_make_the_accelerations(text: str, loads: dict[str, list[float]]) -> None:
    """A ball that slides and rolls, a box and a block that stick, a block that slides down a plane that is another body's."""
    result = mbsim.simulate(mbsim.load_model(text))
    scene, poses = scene_of(result), motion.of_result(result)
    found = pressures(scene, poses, result)
    assert [one.contact.name for one in found] == [contact.name for contact in scene.contacts]
    size = 6 if scene.dimension == 3 else 3
    for name, load in loads.items():
        b = [body.name for body in scene.bodies].index(name)
        acting = np.array(load) + sum(one.force for one in found if one.contact.at.body == b)
        moved = scene.bodies[b].mass * result["acceleration"][:, size * b : size * b + scene.dimension]
        np.testing.assert_allclose(acting[:, : scene.dimension], moved, atol=1e-8)
    for one in found:
        assert one.contact.plane is not None
        normal, through = one.contact.plane.normal, poses.place(one.contact.plane.at)
        gap = (one.place - through) @ poses.turn(one.contact.plane.at.body, normal)[0]
        np.testing.assert_allclose(gap, 0.0, atol=1e-9)


def test_the_page_shows_them(server, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    mbsim.simulate(mbsim.load_model(SPACE), output=path)
    with mbsim.open_result(path) as result:
        page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), tmp_path)])
        page.shows.switches["contact forces"].value = True
        page.shows._switched("contact forces")
        page.playback.go(2)
        arrows = server.scene.get_handle_by_name("/mechanism/contact_force").points
        found = pressures(scene_of(result), page._shown[0].poses, result)
        assert len(arrows) == 4
        forces, ways = np.array([one.force[2] for one in found]), arrows[:, 1] - arrows[:, 0]
        np.testing.assert_allclose(ways / ways[0, 2], forces / forces[0, 2], atol=1e-5)
        np.testing.assert_allclose(arrows[:, 0], [one.place[2] for one in found], atol=1e-5)


def test_a_model_without_contacts_has_no_such_switch(server, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    mbsim.simulate("pendulum", end=0.1, output=path)
    with mbsim.open_result(path) as result:
        page = ResultsPage(server, [Shown("run", scene_of(result), result, motion.of_result(result), tmp_path)])
        assert "contact forces" not in page.shows.switches
