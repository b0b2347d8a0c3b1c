"""What is recorded of a contact that does not touch: how near it is. What it would slip by is not looked for, which takes long in space."""

import numpy as np
import pytest

import mbsim
from mbsim.kernels.relative import NEVER, WHEN
from mbsim.observe.forces import Forces

BOXES = """
bodies:
  low: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1], shape: {type: box, size: [0.4, 0.4, 0.2]}}
  high: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1], shape: {type: box, size: [0.3, 0.3, 0.2]}}
gravity: [0, 0, -10]
joints: {hold: {type: fixed, bodies: [ground, low], at: [0, 0, 0]}}
contacts: {pile: {between: [low, high], friction: 0.3}}
simulation: {end: 0.1, output_step: 0.05}
"""


def test_slips_of_open_contacts_are_not_looked_for(monkeypatch) -> None:
    begun, looked = Forces.begun, list[np.ndarray]()

    def spy(self, times, rows, variables):
        kernel = self._kernel

        def call(functions, arrays, *others):
            looked.append(arrays.relative[:, WHEN].copy())
            return kernel(functions, arrays, *others)

        self._kernel = call
        try:
            return begun(self, times, rows, variables)
        finally:
            self._kernel = kernel

    monkeypatch.setattr(Forces, "begun", spy)
    result = mbsim.simulate(BOXES)
    assert looked
    assert all((when == NEVER).sum() == 2 * 52 for when in looked)  # two slips of each contact
    lengths = np.asarray(result["force_length"])
    assert lengths[[0, -1], 0] == pytest.approx([0.7, 0.65], abs=1e-12)
