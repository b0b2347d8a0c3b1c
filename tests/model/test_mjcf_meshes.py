"""Meshes of MJCF files: the masses that they give, how their polygons are cut, and what is no mesh."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import close
from mjcf_texts import HINGE, imported, mjcf

from mbsim.importers.urdf_elements import RobotError


def test_a_mesh_gives_mass_where_it_stands(tmp_path: Path) -> None:
    """A cuboid far from its origin, scaled: MuJoCo moves its frame, the mass stays in place."""
    import trimesh

    mesh = trimesh.creation.box([200, 400, 600])
    mesh.apply_translation([1000, 0, 500])
    mesh.export(tmp_path / "box.stl")
    asset = '<compiler meshdir="."/><asset><mesh file="box.stl" scale="0.001 0.001 0.001"/></asset>'
    body = f'<body name="rod" pos="0 1 0">{HINGE}<geom type="mesh" mesh="box" pos="0 0 2" density="100"/></body>'
    rod = imported(tmp_path, mjcf(body, asset))["bodies"]["rod"]
    close(rod["mass"], 100 * 0.2 * 0.4 * 0.6, atol=1e-12)
    close(rod["position"], [1, 1, 2.5], atol=1e-14)
    close(rod["inertia"][:3], np.array([0.52, 0.40, 0.20]) * rod["mass"] / 12, atol=1e-14)
    assert rod["shape"][0]["file"] == "box.stl" and rod["shape"][0]["scale"] == [0.001] * 3


def _cone(outline: np.ndarray) -> str:
    """The OBJ text of a cone: a polygon (n, 3), and triangles from its sides to a tip; corners in all ways of counting them."""
    tip = outline.mean(axis=0) + np.array([0.1, 0.2, 1.0]) * np.ptp(outline)
    n = len(outline)
    lines = ["# a cone", *(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in [*outline, tip])]
    lines.append("f " + " ".join(f"{k + 1}//1" for k in reversed(range(n))))
    lines += [f"f {k + 1}/2 {(k + 1) % n - n - 1} {n + 1}" for k in range(n)]
    return "\n".join(lines) + "\n"


def _outlines() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    turn = np.linspace(0, 2 * np.pi, 11, endpoint=False)
    star = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn]) * np.where(np.arange(11) % 2, 0.4, 1.0)[:, None]
    bent = star + rng.standard_normal((11, 3)) * 0.15
    comb = np.array([[0, 0, 0], [6, 0, 0], [6, 2, 0], [5, 2, 0], [5, 1, 0], [3, 1, 0], [3, 2, 0], [1, 2, 0], [1, 1, 0], [0, 1, 0]], float)
    many = np.linspace(0, 2 * np.pi, 101, endpoint=False)
    ring = np.column_stack([np.cos(many), np.sin(many), 0 * many])
    quad = np.array([[0, 0, 0], [2, 0, 0.3], [2.1, 1, 0], [0, 1, 0.5]])
    small = np.array([[0, 0, 0], [2, 0, 0], [3, 1, 0.3], [1, 2, 0.6], [0, 1, 0.2]]) * 1e-4  # no corner of it counts as one
    return {"star": star, "bent": bent, "turned": bent[:, [2, 0, 1]], "comb": comb + [3, -2, 1], "quad": quad, "small": small, "101": ring}


@pytest.mark.parametrize("name", _outlines())
def test_polygons_of_meshes_are_cut_as_in_mujoco(name: str, tmp_path: Path) -> None:
    """Where it cuts decides the mass of what is not flat; it leaves out a polygon with more than 100 corners, and the rest of some."""
    mujoco: Any = pytest.importorskip("mujoco")
    (tmp_path / f"{name}.obj").write_text(_cone(_outlines()[name]))  # a name of its own: MuJoCo keeps what it has read
    asset = f'<asset><mesh name="m" file="{name}.obj" scale="3 3 3"/></asset>'
    text = mjcf(f'<body name="rod">{HINGE}<geom type="mesh" mesh="m"/></body>', asset)
    (tmp_path / "robot.xml").write_text(text)
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    rod = imported(tmp_path, text)["bodies"]["rod"]
    close(rod["mass"], theirs.body_mass[1], atol=1e-12 * theirs.body_mass[1])
    xx, yy, zz, xy, xz, yz = rod["inertia"]
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    close(moments, np.sort(theirs.body_inertia[1]), atol=1e-11 * moments[-1])
    close(rod["position"], theirs.body_ipos[1], atol=1e-12)


NO_MESHES = ("v 0 0 0\\nf 1 2 3\\n", "v 0 0\\nf 1 1 1\\n", "f a b c\\n", "v 1 2 3\\n", "v 0 0 nan\\nf 1 1 1\\n", "v 1e999 0 0\\nf 1 1 1")


@pytest.mark.parametrize("text", NO_MESHES)
def test_what_is_no_mesh_is_said(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(text)
    asset = '<asset><mesh name="m" file="m.obj"/></asset>'
    with pytest.raises(RobotError, match="is not a mesh"):
        imported(tmp_path, mjcf(f'<body name="rod">{HINGE}<geom type="mesh" mesh="m"/></body>', asset))
