"""Models with beams and elastic parts, read again with other numbers: what these do not reach is kept; the model is that of a load."""

from pathlib import Path

import numpy as np
import pytest

from mbsim import registry
from mbsim.assembly import assemble, load_model
from mbsim.model.file.positions import read
from mbsim.model.reread import Rereading
from mbsim.model.schema import Model
from mbsim.model.targets import target
from tests import elastic_matrices

BOOM = """
name: boom
gravity: [0, 0, -9.81]
parameters: {P: 3, m: 5, stiff: 7e10, place: 1, turned: 0}
bodies:
  mast: {mass: 20, inertia: [2, 2, 2], position: [0, 0, place], points: {top: [0, 0, 1]}}
  load: {mass: m, inertia: [0.1, 0.1, 0.1], position: [2, 0, place + 1]}
joints:
  foot: {type: fixed, bodies: [ground, mast], at: [0, 0, 0]}
  hook: {type: revolute, bodies: [boom.end, load], axis: [0, 1, 0], at: [2, turned, place + 1]}
beams:
  boom: {from: mast.top, to: [2, 0, place + 1], elements: 4, clamped: [start], section: {rectangle: [0.02, 0.03]},
         material: {E: stiff, nu: 0.33, density: 2700}, damping: {stiffness: 1e-3}}
forces: {pull: {type: force, body: boom.at(0.5), value: [0, 2*P + boom.end.y, -P]}}
measures: {sag: P*boom.end.z}
simulation: {end: 0.01}
"""


def rereading(text: str, *names: str, file: str = "boom.yaml") -> Rereading:
    document = read(text, file)
    return Rereading(document, registry, [target(document, name) for name in names])


@pytest.mark.parametrize(("name", "value"), [("P", 7.0), ("m", 6.0), ("turned", 0.1)])
def test_beams_that_the_numbers_do_not_reach_are_kept(name: str, value: float) -> None:
    again = rereading(BOOM, name)
    found = again.with_values([value])
    assert found.beams["boom"] is again.model.beams["boom"]
    assert found.bodies["boom_1"] is again.model.bodies["boom_1"]
    same(found, load_model(BOOM, {name: value}))


@pytest.mark.parametrize(("name", "value"), [("stiff", 1e10), ("place", 1.5)])
def test_beams_are_laid_anew_where_numbers_reach_them(name: str, value: float) -> None:
    again = rereading(BOOM, name)
    found = again.with_values([value])
    assert found.beams["boom"] is not again.model.beams["boom"]
    same(found, load_model(BOOM, {name: value}))


def test_numbers_by_their_paths() -> None:
    document = read(BOOM, "boom.yaml")
    again = Rereading(document, registry, [target(document, "bodies.load.mass")])
    same(again.with_values([6.0]), load_model(BOOM, {"m": 6.0}), of_file=False)


def test_elastic_parts_are_kept(tmp_path: Path) -> None:
    nodes, M, K = elastic_matrices.beam(elements=2)
    elastic_matrices.write(tmp_path / "arm.h5", nodes, M, K)
    text = """
name: arm
parameters: {P: 1}
elastic: {arm: {matrices: arm.h5, modes: 2}}
joints: {clamp: {type: fixed, bodies: [ground, arm.hub], at: [0, 0, 0]}}
forces: {load: {type: force, body: arm.tip, value: [0, 0, -P]}}
simulation: {end: 0.1}
"""
    (tmp_path / "arm.yaml").write_text(text)
    again = rereading(text, "P", file=str(tmp_path / "arm.yaml"))
    found = again.with_values([2.0])
    assert found.elastic["arm"] is again.model.elastic["arm"]
    same(found, load_model(tmp_path / "arm.yaml", {"P": 2.0}))


def same(one: Model, other: Model, of_file: bool = True) -> None:
    """Two models assemble to the same arrays and the same start, to the bit."""
    a, b = assemble(one), assemble(other)
    for name, mine, its in zip(a.system.arrays._fields, a.system.arrays, b.system.arrays, strict=True):
        if name == "parameters" and not of_file:
            continue
        assert np.array_equal(mine, its, equal_nan=mine.dtype.kind == "f"), name
    assert np.array_equal(a.q, b.q)
    assert np.array_equal(a.v, b.v)
