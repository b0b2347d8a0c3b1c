"""Distances between two motions."""

import mechanisms
import numpy as np

import mbsim
from mbsim.studies.compare.measures import distance

PASSED = 0.708434667697  # s: where the links of the four-bar lie in one line


def test_reactions_beside_a_singular_position_are_not_compared() -> None:
    """They are errors of positions over how far it is: no steps made them converge, and `compare` called good methods unresolved."""
    model = mechanisms.shipped("n_four_bar_1")
    run, other = (mbsim.simulate(model, step=step, end=1.0, output_step=(PASSED + 1e-4) / 71) for step in (0.01, 0.005))
    beside = int(np.abs(run.time - PASSED).argmin())
    apart = np.abs(run["joint_force"] - other["joint_force"]).max(axis=(1, 2)) / np.abs(other["joint_force"]).max()
    found = distance(run, other).reaction
    assert found is not None and apart[beside] > 20 * np.delete(apart, beside).max()
    assert np.flatnonzero(found == 0.0).tolist() == [0, beside]
    np.testing.assert_allclose(np.delete(found, beside), np.delete(apart, beside), rtol=1e-12)
