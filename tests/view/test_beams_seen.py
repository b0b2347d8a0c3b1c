"""Beams and elastic parts on the page of a result, and the colours of what they carry."""

import re
from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.scene import motion
from mbsim.scene.read import scene_of
from mbsim.view.beam_colours import NOTHING, SCALE, colour_at, of_nodes
from mbsim.view.results import ResultsPage, Shown
from mbsim.view.shows import WORDS
from mbsim.view.stage import KINDS

BEAM = """
dimension: 2
gravity: [0, -9.81]
beams:
  boom: {from: [0, 0], to: [1, 0], elements: 4, clamped: [start], damping: {stiffness: 1.0e-3},
    section: {rectangle: [0.02, 0.02]}, material: {E: 5.0e+6, nu: 0.3, density: 1000}}
simulation: {end: 0.02, step: 2.0e-3}
"""


@pytest.fixture(scope="module")
def shown() -> Shown:
    result = mbsim.simulate(mbsim.load_model(BEAM))
    return Shown("beam", scene_of(result), result, motion.of_result(result), Path())


def test_nodes_have_the_mean_of_the_elements_beside_them(shown: Shown) -> None:
    moment = np.abs(shown.result["beam_moment"][:, :, 2])
    found = of_nodes(shown.scene, shown.result, "bending moment")
    assert list(found) == shown.scene.beams[0].nodes and moment[-1, 0] > 0.0
    np.testing.assert_allclose(found[shown.scene.beams[0].nodes[0]], moment[:, 0])
    np.testing.assert_allclose(found[shown.scene.beams[0].nodes[2]], moment[:, 1:3].mean(axis=1))


def test_colours_go_from_nothing_to_most() -> None:
    assert (colour_at(-1.0), colour_at(0.0), colour_at(0.25), colour_at(1.0), colour_at(2.0)) == (*SCALE[:1] * 2, SCALE[1], *SCALE[-1:] * 2)


def test_every_kind_of_solid_has_a_switch() -> None:
    """The first words of the names that `scene` gives, so that no page stops at one that it does not know."""
    files = Path(mbsim.__file__).parent.joinpath("scene").glob("*.py")
    words = {word for file in files for word in re.findall(r'f"(\w+)/\{', file.read_text(encoding="utf-8"))}
    assert words == set(KINDS) == WORDS.keys() and {"beam", "cable", "elastic"} <= words


def test_the_page_colours_beams_on_request(shown: Shown, server) -> None:
    page = ResultsPage(server, [shown])
    assert page.beams is not None and "torsional moment" not in page.beams.choice.options
    nodes = [page._stages[0].meshes[b][0] for b in shown.scene.beams[0].nodes]
    own = [node.color for node in nodes]
    page.beams.choice.value = "bending moment"
    page.show(len(shown.poses.times) - 1)
    values = of_nodes(shown.scene, shown.result, "bending moment")
    most = max(float(x.max()) for x in values.values())
    assert [node.color for node in nodes] == [colour_at(float(values[b][-1]) / most) for b in shown.scene.beams[0].nodes]
    assert "N m" in page.beams.words.content and len({node.color for node in nodes}) > 2
    page.beams.choice.value = NOTHING
    assert [node.color for node in nodes] == own
