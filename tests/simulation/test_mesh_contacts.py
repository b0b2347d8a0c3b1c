"""What a mesh touches with: the corners of its convex hull; g = 9.81 m/s2."""

from math import sqrt

import numpy as np
import pytest
from test_unilateral import G, multiplier

import mbsim

# A tetrahedron on its base, of edges 0.2 m, with a corner inside that does not touch; millimetres.
CORNERS = [
    (200.0 / sqrt(3.0), 0.0, 0.0),
    (-100.0 / sqrt(3.0), 100.0, 0.0),
    (-100.0 / sqrt(3.0), -100.0, 0.0),
    (0.0, 0.0, 200.0 * sqrt(2.0 / 3.0)),
]
FACES = [(1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 5), (1, 4, 5), (4, 3, 5)]
MODEL = """
gravity: [0, 0, -9.81]
parameters: {push: 0}
bodies:
  stone:
    mass: 1
    inertia: [0.002, 0.002, 0.002]
    position: [0, 0, 0.04]
    shape: {type: mesh, file: stone.obj, scale: 0.001, position: [0, 0, -0.04]}
forces: {wind: {type: force, body: stone, value: [push, 0, 0]}}
contacts: {floor: {bodies: [stone, ground], plane: {normal: [0, 0, 1]}, friction: 0.6}}
simulation: {end: 0.2}
"""


def folder(tmp_path, corners, faces):
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in corners) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    (tmp_path / "stone.obj").write_text(text)
    (tmp_path / "model.yaml").write_text(MODEL)
    return tmp_path / "model.yaml"


def test_a_stone_stands_on_three_corners_and_slides(tmp_path):
    path = folder(tmp_path, [*CORNERS, (0.0, -10.0, 40.0)], FACES)
    still = mbsim.simulate(mbsim.load_model(path, parameters={"push": 0.0}))
    assert [name for name in still.to_xarray()["constraint"].values if "stick" not in name] == [f"floor_{k}" for k in (1, 2, 3, 4)]
    assert sorted(multiplier(still, f"floor_{k}")[-1] for k in (1, 2, 3, 4)) == pytest.approx([0.0, G / 3.0, G / 3.0, G / 3.0], abs=1e-9)
    slides = mbsim.simulate(mbsim.load_model(path, parameters={"push": 7.0}))
    assert np.asarray(slides["v"])[-1, 0] == pytest.approx(0.2 * (7.0 - 0.6 * G), abs=1e-8)


def test_too_many_corners_and_flat_meshes_are_refused(tmp_path):
    turn = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    ring = [(100.0 * np.cos(a).item(), 100.0 * np.sin(a).item(), 0.0) for a in turn]
    cone = folder(tmp_path, [*ring, (0.0, 0.0, 50.0)], [(k + 1, (k + 1) % 40 + 1, 41) for k in range(40)])
    with pytest.raises(mbsim.ModelError, match=r"contacts\.floor: the convex hull of .*stone.obj has 41 corners, and at most 32 are taken"):
        mbsim.assemble(mbsim.load_model(cone))
    flat = folder(tmp_path, CORNERS[:3], [(1, 2, 3)])
    with pytest.raises(mbsim.ModelError, match=r"contacts\.floor: the mesh .*stone.obj has no volume"):
        mbsim.assemble(mbsim.load_model(flat))
