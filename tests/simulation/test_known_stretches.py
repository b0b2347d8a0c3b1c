"""Where contacts come and go, a run takes the systems and the arrays of before, with the numbers that new ones would have."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from test_gap_contacts import WOODPECKER
from test_rough_contacts import by
from test_rows_that_wait import same

import mbsim
from mbsim.analyses.dynamic import Run
from mbsim.assembly.phases import Systems
from mbsim.diagnosis.redundancy import DEPENDS, _dependencies
from mbsim.march.beside import MarchBeside
from mbsim.march.lengths import MEASURED, Lengths
from mbsim.march.settings import resolve
from mbsim.march.stretch import Stretch, Stretches

PECKING = by(WOODPECKER, end=0.3, output_step=0.01, rtol=1e-9, atol=1e-10)


def test_known_rows_need_no_new_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """The woodpecker has five systems, and changes between them some thirty times a second."""
    model, made, begun = mechanisms.model(PECKING), list[object](), list[Stretch]()
    change, begin = Systems.change, Stretch._begin

    def counted(self: Systems, *given: Any) -> Any:
        made.append(given)
        return change(self, *given)

    def counted_begin(self: Stretch, *given: Any) -> None:
        begun.append(self)
        begin(self, *given)

    monkeypatch.setattr(Systems, "change", counted)
    monkeypatch.setattr(Stretch, "_begin", counted_begin)
    result = mbsim.simulate(model)
    assert len(made) <= 5 and len(begun) > 8
    monkeypatch.setattr(Stretches, "again", lambda self, before, event, later=False: None)
    made.clear()
    other = mbsim.simulate(model)
    assert len(made) > 8
    same(result, other)


def test_marches_beside_are_made_once_for_a_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, each time that a run came to a system its rows were looked at with new arrays."""
    made, begin = list[object](), MarchBeside.__init__

    def counted(self: MarchBeside, *given: Any) -> None:
        made.append(self)
        begin(self, *given)

    monkeypatch.setattr(MarchBeside, "__init__", counted)
    mbsim.simulate(mechanisms.model(by(WOODPECKER, end=0.6, output_step=None, rtol=1e-9, atol=1e-10)))
    assert 0 < len(made) <= 5


FALLS = """
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {mass: 2, inertia: 0.1, position: [0, 0.5], angle: 0.3}, block: {mass: 1, inertia: 1, position: [2, 0]}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, radius: 0.1, restitution: 0.8}}
simulation: {end: 0.1}
"""


@pytest.mark.parametrize("text", [WOODPECKER, FALLS], ids=["own coordinates", "bodies"])
def test_the_short_way_to_measure_is_the_long_one(text: str) -> None:
    made = mbsim.assemble(mechanisms.model(text))
    run = Run(made, resolve(made.simulation, made.whole, {}))
    work, found = run.formulation.work, list[list[np.ndarray]]()
    lengths = Lengths(made.system, work)
    for lengths._plain in (True, False):
        for name in MEASURED:
            getattr(work, name)[:] = 3.0
        lengths.measure(made.start, made.q)
        found.append([getattr(work, name).copy() for name in MEASURED])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_groups_of_redundant_rows_are_what_hangs_together() -> None:
    """As SciPy's connected components, of random rows of which some depend on each other."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        sizes = rng.integers(1, 5, 4)
        blocks = [rng.standard_normal((size, max(1, size - 1))) for size in sizes]
        rows = np.zeros((sizes.sum(), sum(block.shape[1] for block in blocks)))
        i = j = 0
        for block in blocks:
            rows[i : i + len(block), j : j + block.shape[1]] = block
            i, j = i + len(block), j + block.shape[1]
        order = rng.permutation(len(rows))
        U = np.linalg.qr(rows[order])[0]
        unique, groups = _dependencies(U)
        depends = np.flatnonzero(~unique)
        count, label = connected_components(csr_array(np.abs(U[depends] @ U[depends].T) > DEPENDS), directed=False)
        assert groups == sorted((depends[label == k].tolist() for k in range(count)), key=min)
