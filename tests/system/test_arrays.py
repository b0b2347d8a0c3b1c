"""The arrays of a system have the extents that `mbsim.jit.Arrays` declares."""

from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.contracts import Arrays
from mbsim.system import arrays
from mbsim.system.system import empty_arrays

WIDER = ("load_data", "relative_data")  # some kinds have more numbers


def sizes_of(system: Any) -> dict[str, int]:
    """What a system has, by the names of the declaration."""
    found = system.arrays
    n_b = len(system.bodies)
    b = 3 if system.dimension == 2 else 6
    return {
        "n_parameters": found.parameters.size, "n_laws": len(found.laws), "n_b": n_b, "b": b, "m": system.n_rows,
        "n_primitives": len(found.primitives), "n_loads": len(found.loads), "n_nodes": len(found.tree),
        "n_laden": n_b if found.wrenches.size else 0, "n_relative": len(found.relative), "n_tables": len(found.tables),
    }  # fmt: skip


MADE = {
    "planar": lambda: mechanisms.system(mechanisms.chain(2)),
    "spatial": lambda: mechanisms.system(mechanisms.chain(3)),
    "planar tree": lambda: mechanisms.system(mechanisms.every_row_of_a_tree(2)),
    "spatial tree": lambda: mechanisms.system(mechanisms.every_row_of_a_tree(3)),
    "relative coordinates": lambda: mbsim.assemble(mechanisms.shipped("tensegrity_prism")).system,
}


@pytest.mark.parametrize("name", MADE)
def test_an_assembled_model_has_the_declared_extents(name: str) -> None:
    system = MADE[name]()
    expected = arrays.zeros(**sizes_of(system))
    for field in Arrays._fields:
        found, declared = getattr(system.arrays, field), getattr(expected, field)
        assert found.dtype == declared.dtype, field
        if field in WIDER:
            assert found.shape[0] == declared.shape[0] and found.shape[1] >= declared.shape[1], field
        else:
            assert found.shape == declared.shape, field


def test_a_system_without_bodies_has_none_of_their_rows() -> None:
    made = empty_arrays(2, [1.5])
    assert made.parameters.tolist() == [1.5] and (made.row_shares == np.ones(2)).all()
    for field in ("masses", "primitives", "geometry", "loads", "load_data", "tree", "tree_data", "tree_work", "relative", "tables"):
        assert getattr(made, field).shape == (0, arrays.width(field)), field


def test_a_size_that_no_array_has_is_refused() -> None:
    with pytest.raises(TypeError, match="no array has the size n_bodies; there are b, event_columns, event_constants, m, n_b, "):
        arrays.zeros(n_bodies=3)
