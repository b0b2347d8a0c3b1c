"""The builder of bodies: nothing of a model gets lost in it, and it is what its class says, whatever the coordinates."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.assembly.bodies import Bodies
from mbsim.model.file.errors import ModelError
from mbsim.model.leaves import Constraint, Coupling, Force, Joint

COORDINATES = ("absolute", "joint")
FOREIGN = {"joints": Joint, "couplings": Coupling, "forces": Force, "constraints": Constraint}  # of no kind that a builder knows


def geared(coordinates: str) -> dict[str, Any]:
    """Two wheels and a sled with something of everything."""
    wheels = {f"wheel{k}": {"mass": 1.0, "inertia": 0.1, "position": [float(k), 0.0]} for k in range(2)}
    return {
        "name": "geared", "dimension": 2, "gravity": [0, -9.81], "coordinates": coordinates,
        "bodies": {**wheels, "sled": {"mass": 2.0, "inertia": 0.2, "position": [0.5, 1.0]}},
        "joints": {
            **{f"axle{k}": {"type": "revolute", "bodies": ["ground", f"wheel{k}"], "at": [float(k), 0.0]} for k in range(2)},
            "loose": {"type": "free", "bodies": ["ground", "sled"]},
            "mesh": {"type": "gear", "joints": ["axle0", "axle1"], "ratio": 0.5},
        },
        "forces": {
            "spring": {"type": "rotational_spring_damper", "joint": "axle0", "stiffness": 3.0},
            "law": {"type": "joint_torque", "joint": "axle1", "value": "-2*axle0.angle"},
        },
        "drivers": {"pull": {"points": ["sled", "ground"], "length": "1 + t + sqrt(1.25) - 1"}},
        "constraints": {"edge": {"type": "knife_edge", "point": "sled", "along": [1, 0]}},
        "simulation": {"end": 0.1, "step": 0.01},
    }  # fmt: skip


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("section", FOREIGN)
def test_a_leaf_of_an_unknown_kind_is_an_error(section: str, coordinates: str) -> None:
    """A builder takes the leaves whose kinds it knows; what is left is not lost without a word."""
    model = mechanisms.model(geared(coordinates))
    mbsim.assemble(model)
    declared = getattr(model, section)
    foreign = FOREIGN[section].model_construct(type="foreign", bodies=["ground", "sled"], joints=["axle0", "axle1"])
    with pytest.raises(ModelError, match="this was left out"):
        mbsim.assemble(replace(model, **{section: declared | {"stranger": foreign}}))


@pytest.mark.parametrize("section", ["forces", "constraints"])
def test_a_leaf_of_an_unknown_kind_on_own_coordinates_is_an_error(section: str) -> None:
    energy = {"kinetic": "der(x)^2/2"}
    model = mechanisms.model({"name": "mass", "coordinates": ["x"], "energy": energy, "simulation": {"end": 1.0, "step": 0.1}})
    mbsim.assemble(model)
    foreign = FOREIGN[section].model_construct(type="foreign")
    with pytest.raises(ModelError, match="this was left out"):
        mbsim.assemble(replace(model, **{section: getattr(model, section) | {"stranger": foreign}}))


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_builder_says_the_same_twice(coordinates: str) -> None:
    made = Bodies(mechanisms.model(geared(coordinates)))
    first, second = made.system(), made.system()
    assert (first.rows, first.loads, first.n_holonomic) == (second.rows, second.loads, second.n_holonomic)
    for name, x, y in zip(first.arrays._fields, first.arrays, second.arrays, strict=True):
        assert np.array_equal(x, y), name


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_no_attribute_appears_and_no_method_is_replaced(coordinates: str) -> None:
    made = Bodies(mechanisms.model(geared(coordinates)))
    parts = [made, made.builder, made.builder.coordinates, made.builder.reference, made.builder.relative]
    before = [set(vars(part)) for part in parts]
    assert not any(hasattr(type(part), name) and callable(getattr(part, name)) for part in parts for name in vars(part))
    made.given(made.system())
    assert [set(vars(part)) for part in parts] == before


def test_a_run_of_an_assembled_model_reads_no_models() -> None:
    """`mbsim.assembly` imports what reads models when it is asked for it."""
    code = "import sys, mbsim.analyses.dynamic, mbsim.analyses.kept\nprint({'pydantic', 'yaml', 'mbsim.assembly.models'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"
