"""Units whose events watch what an element of a beam carries."""

from pathlib import Path

import mechanisms
import pytest
from exported import needs_compiler
from test_library import Library

import mbsim

pytestmark = needs_compiler
BEAM = """
dimension: 2
gravity: [0, -9.81]
beams:
  boom: {from: [0, 0], to: [1, 0], elements: 2, clamped: [start], damping: {stiffness: 1e-3},
    section: {rectangle: [0.02, 0.03]}, material: {E: 7e8, nu: 0.33, density: 2700}}
events: {snap: {when: "beam_moment.boom[0].z + 3", do: stop}}
simulation: {end: 0.2, step: 1e-3, output_step: 0.01, method: generalized_alpha}
"""


def test_a_unit_ends_where_a_run_does(tmp_path: Path) -> None:
    model = mechanisms.model(BEAM)
    library, stepper = Library(tmp_path, model, outputs=["boom_end.y"], native=True), mbsim.Stepper(model)
    unit, ended = library.create(), 0
    while not ended:
        ended = library.step(unit, 0.01)
        stepper.step(0.01)
        assert library.c.unit_time(unit) == pytest.approx(stepper.time, abs=1e-12)
        assert library.outputs(unit, 1) == pytest.approx([stepper["boom_end.y"]], abs=1e-12)
    assert ended == 1 and stepper.stopped == "the event 'snap'" and 0.0 < stepper.time < 0.2
    library.c.unit_free(unit)
