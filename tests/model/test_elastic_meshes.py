"""Elastic parts of a mesh: matrices against CalculiX and closed forms, interfaces by sets, and what is wrong with meshes."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial import cKDTree

import mbsim
from mbsim.model.elastic_files import read_calculix, read_dofs
from mbsim.model.elastic_mesh import assembled, read_mesh
from mbsim.model.elastic_reduction import PartError

pytest.importorskip("skfem")
meshio: Any = pytest.importorskip("meshio")

E, NU, DENSITY = 2.1e11, 0.3, 7850.0
SIZE = (1.0, 0.1, 0.12)  # m
# Six tetrahedra of a box, by its corners x + 2 y + 4 z, and the edges that have a node in the middle.
SIX = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))
EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))


def box(cells: int = 8, size: tuple[float, float, float] = SIZE) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and linear tetrahedra (e, 4) of a bar along x."""
    places = [(x, y, z) for x in range(cells + 1) for z in (0, 1) for y in (0, 1)]
    index = {place: k for k, place in enumerate(places)}
    corners = [(c & 1, c >> 1 & 1, c >> 2) for c in range(8)]
    solids = [[index[x + corners[c][0], corners[c][1], corners[c][2]] for c in four] for x in range(cells) for four in SIX]
    return np.array(places) * np.array(size) / [cells, 1, 1], np.array(solids)


def quadratic(points: np.ndarray, solids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same with nodes in the middles of edges."""
    made, found, cells = [*points], dict[tuple[int, int], int](), []
    for solid in solids.tolist():
        middles = []
        for a, b in EDGES:
            key = min(solid[a], solid[b]), max(solid[a], solid[b])
            if key not in found:
                found[key] = len(made)
                made.append(0.5 * (points[key[0]] + points[key[1]]))
            middles.append(found[key])
        cells.append([*solid, *middles])
    return np.array(made), np.array(cells)


def written(path: Path, points: np.ndarray, solids: np.ndarray) -> Path:
    """A file of Abaqus and CalculiX with the sets LEFT and RIGHT and a step that stores matrices."""
    kind = "C3D10" if solids.shape[1] == 10 else "C3D4"
    lines = ["*NODE, NSET=ALL", *(f"{k + 1}, {x!r}, {y!r}, {z!r}" for k, (x, y, z) in enumerate(points.tolist()))]
    lines += [f"*ELEMENT, TYPE={kind}, ELSET=BOX"]
    lines += [", ".join(map(str, [k + 1, *(c + 1 for c in solid)])) for k, solid in enumerate(solids.tolist())]
    for name, at in (("LEFT", 0.0), ("RIGHT", SIZE[0])):
        lines += [f"*NSET, NSET={name}", *(f"{k + 1}," for k in np.flatnonzero(np.abs(points[:, 0] - at) < 1e-9))]
    lines += ["*MATERIAL, NAME=STEEL", "*ELASTIC", f"{E}, {NU}", "*DENSITY", f"{DENSITY}", "*SOLID SECTION, ELSET=BOX, MATERIAL=STEEL"]
    lines += ["*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "10", "*END STEP", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_stiffness_is_that_of_calculix(tmp_path: Path) -> None:
    """C3D10, all entries. Its mass matrix is another one: CalculiX takes four points, which leave it singular, and here it is exact."""
    if shutil.which("ccx") is None:
        pytest.skip("CalculiX (ccx) is not here")
    points, solids = quadratic(*box(4))
    subprocess.run(["ccx", "box"], cwd=written(tmp_path / "box.inp", points, solids).parent, capture_output=True, check=True)
    part, _ = assembled(read_mesh(tmp_path / "box.inp"), E, NU, DENSITY)
    listed = read_dofs(tmp_path / "box.dof", list(range(1, len(points) + 1))).tolist()
    at, place = {tuple(one): k for k, one in enumerate(listed)}, cKDTree(points).query(part.nodes)[1]
    order = [at[int(place[node]), axis] for node, axis in part.dofs.tolist()]
    theirs = read_calculix(tmp_path / "box.sti").toarray()[np.ix_(order, order)]
    assert np.abs(part.stiffness.toarray() - theirs).max() < 1e-12 * np.abs(theirs).max()
    assert part.mass.sum() == pytest.approx(read_calculix(tmp_path / "box.mas").sum(), rel=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_frequencies_of_a_free_bar(tmp_path: Path, order: int) -> None:
    """Euler's 22.3733 sqrt(EI/rho A L^4), to half a percent; shear and rotary inertia take 0.2 % at L/h = 40."""
    size = (1.0, 0.02, 0.025)
    points, solids = box(16, size) if order == 1 else quadratic(*box(16, size))
    part, sets = assembled(read_mesh(written(tmp_path / "bar.inp", points, solids)), E, NU, DENSITY)
    assert part.mass.sum() / 3.0 == pytest.approx(DENSITY * np.prod(size), rel=1e-12)
    squares = eigh(part.stiffness.toarray(), part.mass.toarray(), eigvals_only=True)
    assert np.abs(squares[:6]).max() < 1e-6 * squares[6]
    np.testing.assert_allclose(np.sqrt(squares[6:8]), [22.3732854 * np.sqrt(E * h**2 / (12 * DENSITY)) for h in size[1:]], rtol=5e-3)
    assert sorted(sets) == ["LEFT", "RIGHT"] and {len(nodes) for nodes in sets.values()} == {9}


def model(file: Path, **more: Any) -> dict[str, Any]:
    part = {"mesh": {"file": str(file), "E": E, "nu": NU, "density": DENSITY}, "interfaces": {"hub": "LEFT", "tip": "RIGHT"}, **more}
    return {"name": "bar", "elastic": {"bar": part}, "simulation": {"end": 1}}


def test_a_part_of_a_mesh(tmp_path: Path) -> None:
    """Its mass, its interfaces by the names of sets, or all sets of the mesh, and stations on its layers of nodes."""
    file = written(tmp_path / "bar.inp", *quadratic(*box()))
    read = mbsim.load_model(model(file, modes=4, stations=5, mass=DENSITY * float(np.prod(SIZE)))).elastic["bar"]
    assert read.frames == ["hub", "tip"] and len(read.seats) == 7
    np.testing.assert_allclose(read.place("tip"), [1.0, 0.05, 0.06], atol=1e-12)
    source = model(file)
    del source["elastic"]["bar"]["interfaces"]
    assert sorted(mbsim.load_model(source).elastic["bar"].frames) == ["LEFT", "RIGHT"]


WRONG = {
    "no such set": ({"interfaces": {"hub": "LEFTT"}}, r"the mesh has no set 'LEFTT'; did you mean 'LEFT'\?; it has LEFT, RIGHT"),
    "numbers": ({"interfaces": {"hub": [1, 2]}}, r"of a mesh it has the name of a set"),
    "both": ({"matrices": "a.h5"}, r"give either matrices or a mesh"),
    "nu": ({"mesh": {"file": "bar.inp", "E": E, "nu": 0.5, "density": 1.0}}, r"expected a number between -1 and 0\.5 \(got 0\.5\)"),
    "no file": ({"mesh": {"file": "none.msh", "E": E, "density": 1.0}}, r"there is no file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong(tmp_path: Path, case: str) -> None:
    part, message = WRONG[case]
    with pytest.raises(mbsim.ModelError, match=message):
        mbsim.load_model(model(written(tmp_path / "bar.inp", *box()), **part))


def test_meshes_that_are_wrong(tmp_path: Path) -> None:
    points, solids = box(2)
    turned = solids.copy()
    turned[3, :2] = turned[3, 1::-1]
    with pytest.raises(PartError, match="1 tetrahedra that are turned inside out, or flat, of 12"):
        read_mesh(written(tmp_path / "turned.inp", points, turned))
    meshio.Mesh(points, [("hexahedron", np.array([[0, 1, 3, 2, 4, 5, 7, 6]]))]).write(tmp_path / "hex.vtk")
    with pytest.raises(PartError, match=r"has no tetrahedra \(its cells: hexahedron\)"):
        read_mesh(tmp_path / "hex.vtk")
    both = [("tetra", solids), ("hexahedron", np.array([[0, 1, 3, 2, 4, 5, 7, 6]]))]
    meshio.Mesh(points, both).write(tmp_path / "both.vtk")
    with pytest.raises(PartError, match="has cells of other kinds beside tetra: hexahedron; give tetrahedra of one kind alone"):
        read_mesh(tmp_path / "both.vtk")
    (tmp_path / "text.msh").write_text("no mesh\n", encoding="utf-8")
    with pytest.raises(PartError, match="cannot be read as a mesh"):
        read_mesh(tmp_path / "text.msh")


def test_stresses_of_a_mesh(tmp_path: Path) -> None:
    """A bent bar: P (L - x) c / I at the corners of a section, a length of the section away from its ends; a set, and the whole surface."""
    size = (1.0, 0.04, 0.05)
    points, solids = quadratic(*box(20, size))
    file = written(tmp_path / "bar.inp", points, solids)
    middle = np.flatnonzero(np.abs(points[:, 0] - 0.5) < 1e-9)
    lines = file.read_text().replace("*MATERIAL", "*NSET, NSET=MIDDLE\n" + "".join(f"{k + 1},\n" for k in middle) + "*MATERIAL")
    file.write_text(lines)
    P = 1000.0
    source = model(file, modes=4, damping={"ratio": 0.7})
    source["elastic"]["bar"]["mesh"]["stress"] = "MIDDLE"
    source |= {"gravity": [0, 0, 0], "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "bar.hub"], "at": [0, 0.02, 0.025]}}}
    source["forces"] = {"push": {"type": "force", "body": "bar.tip", "value": [0, 0, P]}}
    source["simulation"] = {"end": 0.1, "start_from": "equilibrium", "output_step": 0.1}
    result = mbsim.simulate(source)
    heights = {str(k + 1): points[k, 2] - 0.5 * size[2] for k in middle}
    expected = [-P * 0.5 * heights[label.removeprefix("bar.")] / (size[1] * size[2] ** 3 / 12.0) for label in result.labels("stress_point")]
    assert len(expected) == 4 and max(expected) == pytest.approx(3e7)
    np.testing.assert_allclose(result["elastic_stress"][0, :, 0], expected, rtol=0.03)
    assert np.abs(result["elastic_stress"][0, :, 1:]).max() < 0.05 * max(expected)
    source["elastic"]["bar"]["mesh"]["stress"] = True
    part = mbsim.load_model(source).elastic["bar"].reduced
    assert len(part.points) == 4 * 21 and len(set(part.points)) == len(part.points)
    source["elastic"]["bar"]["mesh"]["stress"] = "MIDLE"
    with pytest.raises(mbsim.ModelError, match=r"stress: the mesh has no set 'MIDLE'; did you mean 'MIDDLE'\?"):
        mbsim.load_model(source)
