"""Work arrays that stand in one place are copied at once, and what others share stays out of it."""

import mechanisms
import numpy as np
import pytest
from test_gap_contacts import WOODPECKER
from test_rough_contacts import LOADED
from test_unilateral import BALL

import mbsim
from mbsim.analyses.dynamic import Run
from mbsim.formulations import choose
from mbsim.march.formulation import Formulation, allocate
from mbsim.march.settings import resolve
from mbsim.march.snapshots import Snapshot, arrays_of, in_one_place


def of(text: str) -> tuple[Run, Formulation]:
    made = mbsim.assemble(mechanisms.model(text))
    run = Run(made, resolve(made.simulation, made.whole, {}))
    return run, run.formulation


@pytest.mark.parametrize("text", [WOODPECKER, BALL], ids=["woodpecker", "ball"])
def test_arrays_are_the_same_in_one_place(text: str) -> None:
    run, formulation = of(text)
    system = formulation.system
    work = allocate(system, choose(system, run.settings.method, run.settings.options).module(), run.settings)
    kept = [array.copy() for array in arrays_of(work)]
    moved = in_one_place(work)
    assert len(Snapshot(moved, np.zeros(0)).arrays) < 5 < len(kept)
    for name, one, other in zip(range(len(kept)), kept, arrays_of(moved), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape, name
        np.testing.assert_array_equal(one, other)


def test_a_snapshot_puts_back_all_but_the_counts() -> None:
    _, formulation = of(WOODPECKER)
    work, z = formulation.work, np.arange(3.0)
    before = [array.copy() for array in arrays_of(work)]
    snapshot = Snapshot(work, z)
    for array in (*arrays_of(work), z):
        array[...] = 7
    snapshot.restore()
    for array, was in zip(arrays_of(work), before, strict=True):
        np.testing.assert_array_equal(array, np.full_like(was, 7) if array is work.counts else was)
    np.testing.assert_array_equal(z, np.arange(3.0))


def test_a_snapshot_beside_a_run_leaves_what_is_of_the_run() -> None:
    """What slips is shared with it, and is put back, and nothing else of it is."""
    run, formulation = of(LOADED)
    beside = formulation.beside(run.settings)
    assert formulation.work.slipping.size and beside.work.slipping is formulation.work.slipping
    snapshot = Snapshot(beside.work, np.zeros(0))
    formulation.work.slipping[:], formulation.work.v[:], beside.work.v[:] = 5.0, 5.0, 5.0
    snapshot.restore()
    assert (formulation.work.v == 5.0).all() and not beside.work.v.any()
    assert not (formulation.work.slipping == 5.0).all()
