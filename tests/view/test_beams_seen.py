"""Beams and elastic parts on the page of a result, and the colours of what they carry."""

import re
from pathlib import Path

import numpy as np
import pytest
from elastic_matrices import beam, write

import mbsim
from mbsim.scene import motion
from mbsim.scene.read import scene_of
from mbsim.view.beam_colours import NOTHING, SCALE, colour_at, of_nodes
from mbsim.view.results import ResultsPage, Shown
from mbsim.view.shows import WORDS
from mbsim.view.stage import KINDS
from mbsim.view.stress_colours import STRESS

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


@pytest.fixture(scope="module")
def bent(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """A cantilever under its weight with the stress of its root alone, and none at its tip."""
    folder = tmp_path_factory.mktemp("parts")
    stress = np.zeros((2, 6, 30))
    stress[0, 0, [1, 5, 7, 11]] = [6.0, 1.0, -6.0, 0.5]  # of the first element, l = 1/4: no stress by a rigid motion
    file = write(folder / "arm.h5", *beam(4, 2), stress=stress, stress_nodes=[0, 4])
    clamp = {"clamp": {"type": "fixed", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0]}}
    settings = {"end": 0.2, "output_step": 0.1, "method": "generalized_alpha", "step": 0.01}
    source = {"elastic": {"arm": {"matrices": file}}, "joints": clamp, "gravity": [0, -1, 0], "simulation": settings}
    result = mbsim.simulate(source)
    return Shown("arm", scene_of(result), result, motion.of_result(result), Path())


def test_the_page_colours_elastic_parts_on_request(bent: Shown, server) -> None:
    page = ResultsPage(server, [bent])
    assert page.stresses is not None and page.beams is None
    stage, last = page._stages[0], len(bent.poses.times) - 1
    own = [node.color for node in stage.stretches]
    page.stresses.choice.value = STRESS
    page.show(last)
    found = [node.color for node in stage.stretches]
    mises = bent.result["elastic_mises"]
    assert mises[-1, 0] > 0.0 and list(bent.result.labels("stress_point")) == ["arm.1", "arm.2"]
    assert found == [colour_at(float(mises[-1, p] / mises.max())) for p in (0, 0, 1, 1)] and found[0] != found[-1]
    page.stresses.choice.value = NOTHING
    assert [node.color for node in stage.stretches] == own


def test_a_page_without_places_of_stresses_has_no_such_list(shown: Shown, server) -> None:
    assert ResultsPage(server, [shown]).stresses is None
