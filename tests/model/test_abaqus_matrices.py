"""Elastic parts of the matrices that Abaqus writes: by labels or by rows and columns, as a triangle or whole, and what is wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import beam, solid
from elastic_matrices import write as write_hdf5

import mbsim
from mbsim.model.elastic import Elastic
from mbsim.model.file.errors import ModelError

FORMS = ["labels", "lower", "upper", "coordinate"]


def entries(matrix: np.ndarray, form: str) -> Iterator[tuple[int, int, float]]:
    for i, k in zip(*np.nonzero(matrix), strict=True):
        if form in ("labels", "coordinate") or (i >= k if form == "lower" else i <= k):
            yield int(i), int(k), float(matrix[i, k])


def write(folder: Path, nodes: np.ndarray, M: np.ndarray, K: np.ndarray, form: str, per: int) -> dict[str, Any]:
    """The files of a part whose nodes are numbered 11, 21, ... in another order than that of the list; the block of it."""
    numbers = [10 * k + 11 for k in range(len(nodes))]
    listed = [f"{number}, {x!r}, {y!r}, {z!r}" for number, (x, y, z) in zip(numbers, nodes.tolist(), strict=True)]
    if form != "coordinate":
        listed.reverse()
    (folder / "part.inp").write_text("\n".join(["** a part", "*Node, nset=all", *listed, "*Element, type=B31", "1, 11, 21", ""]))
    for name, matrix in (("mass", M), ("stiff", K)):
        lines = ["** of a step"]
        for i, k, value in entries(matrix, form):
            if form == "coordinate":
                lines.append(f"{i + 1} {k + 1} {value!r}")
            else:
                lines.append(f"{numbers[i // per]},{i % per + 1}, {numbers[k // per]},{k % per + 1}, {value!r}".replace("e", "D"))
        (folder / f"{name}.mtx").write_text("\n".join([*lines, ""]))
    return {"matrices": {"nodes": "part.inp", "mass": "mass.mtx", "stiffness": "stiff.mtx"}}


def read(folder: Path, block: dict[str, Any]) -> Elastic:
    import yaml

    (folder / "m.yaml").write_text(yaml.safe_dump({"elastic": {"arm": block}, "simulation": {"end": 1}}))
    return mbsim.load_model(folder / "m.yaml").elastic["arm"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", ["beam", "solid"])
def test_matrices_of_abaqus(tmp_path: Path, form: str, made: str) -> None:
    """Every form of the files gives the part that an HDF5 file gives."""
    nodes, M, K = beam(4) if made == "beam" else solid(whole=1.0, elements=4)
    per = len(M) // len(nodes)
    first, last = ([11], [10 * len(nodes) + 1]) if made == "beam" else ([11, 21, 31, 41], [10 * (len(nodes) - k) + 1 for k in range(4)])
    part = read(tmp_path, write(tmp_path, nodes, M, K, form, per) | {"interfaces": {"hub": first, "tip": last}, "modes": 3})
    write_hdf5(tmp_path / "same.h5", nodes, M, K, ends=False)
    places = [[round((number - 11) / 10) for number in listed] for listed in (first, last)]
    same = read(tmp_path, {"matrices": "same.h5", "interfaces": dict(zip(("hub", "tip"), places, strict=True)), "modes": 3})
    np.testing.assert_allclose(part.reduced.omegas, same.reduced.omegas, rtol=1e-8)
    np.testing.assert_allclose(part.reduced.centre, same.reduced.centre, atol=1e-12)
    assert part.reduced.total == pytest.approx(same.reduced.total, rel=1e-9)


WRONG = {
    "11,1, 11,1": "stiff.mtx, line 2: expected `node, direction, node, direction, value`",
    "11,1, 11,1, 2, 3": "stiff.mtx, line 2: expected",
    "11,1, 11,1, nan": "stiff.mtx, line 2: expected",
    "1 1 2": "mass.mtx has 5 numbers a line and stiff.mtx 3",
    "": "stiff.mtx has no entries",
    "12,1, 11,1, 2": "stiff.mtx has the node 12, and the list of nodes has not",
    "-3,1, 11,1, 2": "numbers below 1 are nodes inside of elements",
    "11,8, 11,1, 2": "stiff.mtx has the direction 8: expected 1 to 3 along and 4 to 6 about",
    "11,1, 11,1, 1e36": "stiff.mtx has 1e+30 or more on its diagonal, as Abaqus writes where a degree of freedom is held",
    "%%MatrixMarket matrix": "mass.mtx is a matrix of Abaqus, and the other one is not",
}


@pytest.mark.parametrize("line", WRONG)
def test_matrices_that_are_wrong(tmp_path: Path, line: str) -> None:
    block = write(tmp_path, *beam(1), "lower", 6) | {"interfaces": {"hub": 11}, "modes": 2}
    (tmp_path / "stiff.mtx").write_text(line if line.startswith("%") else f"** K\n{line}\n")
    with pytest.raises(ModelError) as caught:
        read(tmp_path, block)
    assert any(WRONG[line] in str(problem) for problem in caught.value.problems), caught.value


def test_a_list_of_degrees_of_freedom_is_not_needed(tmp_path: Path) -> None:
    block = write(tmp_path, *beam(1), "lower", 6) | {"interfaces": {"hub": 11}, "modes": 2}
    (tmp_path / "arm.dof").write_text("11.1\n")
    block["matrices"]["dofs"] = "arm.dof"
    with pytest.raises(ModelError, match=r"arm.dof is not needed: these matrices name their nodes"):
        read(tmp_path, block)
