"""The section `elastic`: what is wrong is said at its place, and what a part is made of."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import beam, write
from scipy.io import mmwrite
from scipy.sparse import coo_array

from mbsim import registry
from mbsim.model.file.errors import ModelError
from mbsim.model.load import load


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("arm") / "arm.h5", *beam(2, 3))


def problems(text: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        load(text, registry, file="m")
    return [str(problem) for problem in caught.value.problems]


def source(arm: str, block: str = "modes: 2", more: str = "") -> str:
    return f"elastic:\n  arm: {{matrices: {arm}, {block}}}\n{more}simulation: {{end: 1}}\n"


BAD = {
    "modes: 2.5": "m:2:{at}: elastic.arm.modes: expected a whole number from 0 to 200 (got 2.5)",
    "modes: -1": "expected a whole number from 0 to 200 (got -1)",
    "interfaces: {hub: []}": "the interface hub has no nodes",
    "interfaces: {hub: [77]}": "m:2:3: elastic.arm: the interface hub: there is no node 77",
    "interfaces: {hub: [0, 0]}": "the interface hub has a node twice",
    "interfaces: {hub: tip}": "the interface hub: expected numbers of nodes (got 'tip')",
    "interfaces: {}": "a part needs an interface",
    "interfaces: {hub: 0}": "the part would be rigid",
    "mass: 2": "the matrices give a mass of 1 kg, and `mass` says 2: are the units those of SI?",
    "damping: {ratio: -1}": "elastic.arm.damping.ratio",
    "stiffness: 3": "unknown key 'stiffness'",
    "stations: 2.5": "m:2:{at}: elastic.arm.stations: expected a whole number from 0 to 50, or lists of nodes (got 2.5)",
    "stations: [[a]]": "elastic.arm.stations: expected a number, or lists of numbers of nodes (got [['a']])",
    "stations: [77]": "m:2:3: elastic.arm: the station 1: there is no node 77",
    "stations: 49": "m:2:3: elastic.arm: there are no nodes for the station 1 of 49",
    "stations: [1, 1]": "m:2:3: elastic.arm: stations are listed from the first interface on",
    "interfaces: {hub: 0}, modes: 0, stations: 1": "the part would be rigid",
    "interfaces: {hub: 2}, modes: 4, stations: 1": "stations need the first interface at an end of the part, and nodes reach",
    "interfaces: {station1: 0, tip: 1}, stations: 1": "an interface has the name of a station (station1 ...)",
    "mesh: {file: a.msh, E: 1, density: 1}": "give either matrices or a mesh",
}


@pytest.mark.parametrize("block", BAD)
def test_blocks_that_are_wrong(block: str, arm: str) -> None:
    text = source(arm, block)
    said = BAD[block].replace("{at}", str(text.splitlines()[1].find(block.rsplit(": ", maxsplit=1)[-1]) + 1))
    assert any(said in one for one in problems(text)), problems(text)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("coordinates: joint\n", "m:1:1: elastic: elastic parts need absolute coordinates"),
        ("dimension: 2\n", "elastic parts are spatial"),
        (
            "joints: {a: {type: fixed, bodies: [ground, arm], at: [0, 0, 0]}}\n",
            "m:3:10: joints.a: the elastic part arm is held at its interfaces",
        ),
        ("forces: {a: {type: force, body: arm_m1, value: [0, 0, 1]}}\n", "held at its interfaces: arm.hub, arm.tip (got arm_m1)"),
        ("forces: {a: {type: force, body: arm.tup, value: [0, 0, 1]}}\n", "unknown point 'tup' of arm; did you mean 'tip'?"),
        ("bodies: {arm_tip: {mass: 1, inertia: [1, 1, 1]}}\n", "m:2:3: elastic.arm: its body 'arm_tip' has a name that bodies have"),
    ],
)
def test_what_does_not_go_with_parts(more: str, said: str, arm: str) -> None:
    assert any(said in one for one in problems(source(arm, more=more))), problems(source(arm, more=more))


FILES = {
    "text.h5": "cannot be read as HDF5 of an elastic part",
    "none.h5": "there is no file",
    "arm.txt": "expected a file .h5 or .hdf5, or the files {nodes, mass, stiffness}",
    "bare.h5": "bare.h5 has no 'stiffness'; needed: nodes, mass, stiffness",
    "sizes.h5": "the mass matrix is 12 x 12 and the stiffness matrix 30 x 30",
    "nodes.h5": "3 nodes and matrices of 30 rows: expected 3 or 6 rows a node",
    "loose.h5": "the lines are not pairs of nodes",
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_wrong(name: str, tmp_path: Path) -> None:
    import h5py

    nodes, M, K = beam(2, 3)
    (tmp_path / "text.h5").write_text("solid")
    with h5py.File(tmp_path / "bare.h5", "w") as file:
        file["nodes"], file["mass"] = nodes, M
    write(tmp_path / "sizes.h5", nodes, M[:12, :12], K)
    write(tmp_path / "nodes.h5", nodes[:3], M, K)
    write(tmp_path / "loose.h5", nodes, M, K)
    with h5py.File(tmp_path / "loose.h5", "a") as file:
        file["lines"][0] = [0, 99]
    found = problems(source(str(tmp_path / name)))
    assert any(FILES[name] in one for one in found), found


def test_the_same_part_from_several_formats(tmp_path: Path) -> None:
    """HDF5 dense and sparse, Matrix Market, and CalculiX's files with their list of degrees of freedom."""
    import h5py

    nodes, M, K = beam(2, 3)
    write(tmp_path / "dense.h5", nodes, M, K)
    with h5py.File(tmp_path / "sparse.h5", "w") as file:
        file["nodes"] = nodes
        for key, matrix in (("mass", coo_array(M)), ("stiffness", coo_array(K))):
            file[f"{key}/row"], file[f"{key}/column"], file[f"{key}/value"] = *matrix.coords, matrix.data
    (tmp_path / "nodes.csv").write_text(
        "# number, x, y, z\n" + "".join(f"{k + 11}, {x!r}, {y!r}, {z!r}\n" for k, (x, y, z) in enumerate(nodes.tolist()))
    )
    for key, matrix, name in (("mass", M, "mas"), ("stiffness", K, "sti")):
        mmwrite(tmp_path / f"{key}.mtx", coo_array(matrix))
        low = coo_array(np.tril(matrix))
        lines = [f"{r + 1} {c + 1} {v!r}" for r, c, v in zip(*(x.tolist() for x in low.coords), low.data.tolist(), strict=True)]
        (tmp_path / f"arm.{name}").write_text("\n".join(lines))
    (tmp_path / "arm.dof").write_text("".join(f"{k + 11}.{c + 1}\n" for k in range(len(nodes)) for c in range(6)))
    here, own = {"hub": 0, "tip": 4}, {"hub": 11, "tip": 15}
    blocks: list[dict[str, Any]] = [
        {"matrices": "dense.h5"}, {"matrices": "sparse.h5", "interfaces": here},
        {"matrices": {"nodes": "nodes.csv", "mass": "mass.mtx", "stiffness": "stiffness.mtx"}, "interfaces": own},
        {"matrices": {"nodes": "nodes.csv", "mass": "arm.mas", "stiffness": "arm.sti", "dofs": "arm.dof"}, "interfaces": own},
    ]  # fmt: skip
    text = yaml_of([{**block, "modes": 3} for block in blocks])
    (tmp_path / "m.yaml").write_text(text)
    parts = list(load(tmp_path / "m.yaml", registry).elastic.values())
    assert len(parts) == 4 and len(parts[0].reduced.omegas) == 9
    for part in parts[1:]:
        np.testing.assert_allclose(part.reduced.omegas, parts[0].reduced.omegas, rtol=1e-9)
        np.testing.assert_allclose(part.reduced.centre, parts[0].reduced.centre, atol=1e-12)


def yaml_of(blocks: list[dict[str, Any]]) -> str:
    import yaml

    return str(yaml.safe_dump({"elastic": {f"arm{k}": block for k, block in enumerate(blocks)}, "simulation": {"end": 1}}))


def test_names_of_interfaces_and_modes(arm: str) -> None:
    """The frame in its mean axes, the interfaces, what carries modes; all turned and moving with the part."""
    more = "measures: {up: arm.tip.z - 2*arm.mode4, first: arm.mode1}\ninitial: {arm.mode2: 0.25}\n"
    block = "modes: 2, position: [1, 2, 3], orientation: {axis: [0, 0, 1], angle: pi/2}, velocity: [0, 0, 1], angular_velocity: [0, 0, 2]"
    model = load(source(arm, block, more), registry, file="m")
    assert list(model.bodies) == ["arm", "arm_hub", "arm_tip", "arm_m1", "arm_m2", "arm_m3"]
    np.testing.assert_allclose(model.bodies["arm_tip"].position, [1, 3, 3], atol=1e-12)
    np.testing.assert_allclose(model.bodies["arm_tip"].velocity, [-2, 0, 1], atol=1e-12)
    np.testing.assert_allclose(model.bodies["arm"].position, [1, 2.5, 3], atol=1e-12)
    assert model.initial.values == {"arm_m1.y": 0.25}
    assert set(model.measures["up"].value.names) >= {"arm_tip.z", "arm_m2.x"}


def test_interfaces_of_a_part_that_is_not_read_are_not_wrong() -> None:
    text = (
        "elastic: {a: {matrices: none.h5, modes: -1}}\n"
        "joints: {j: {type: revolute, bodies: [ground, a.tip], at: [0, 0, 0], axis: [0, 0, 0]}}\nsimulation: {end: 1}\n"
    )
    found = problems(text)
    assert len(found) == 2 and "1:41: elastic.a.modes" in found[0] and "joints.j.axis: a direction must not be" in found[1]
