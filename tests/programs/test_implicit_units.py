"""Units with the coupled stages of `radau`: the numbers of a stepper, states that go on, what a stiff model gets by itself."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import pytest
from exported import SAMPLED, needs_compiler
from test_library import Library
from test_unit_events import eventful

from mbsim import Stepper
from mbsim.programs.unit import unit_of

HINGE = """
name: stiff hinge
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces: {hinge: {type: rotational_spring_damper, bodies: [ground, rod], stiffness: 1e8, damping: 1e6}}
simulation: {end: 20, MORE}
"""
RADAU = {"method": "lagrange", "integrator": "radau", "rtol": 1e-6, "atol": 1e-8, "output_step": 0.02, "end": 1}


def chain(links: int) -> dict[str, Any]:
    """A hanging chain of stiff hinges: stages by blocks of bodies."""
    bodies = {f"b{k}": {"mass": 0.1, "inertia": 1e-4, "position": [0.1 * k + 0.05, 0]} for k in range(links)}
    joints, forces, before = {}, {}, "ground"
    for k, body in enumerate(bodies):
        joints[f"j{k}"] = {"type": "revolute", "bodies": [before, body], "at": [0.1 * k, 0]}
        forces[f"f{k}"] = {"type": "rotational_spring_damper", "bodies": [before, body], "stiffness": 1e3, "damping": 1.0}
        before = body
    return {
        "name": "chain", "dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "forces": forces,
        "simulation": {**RADAU, "method": "cfa"},
    }  # fmt: skip


CASES: dict[str, tuple[Any, list[str], list[str]]] = {
    "samples and events": (eventful(simulation=RADAU, controllers=SAMPLED), ["push"], ["cart.x", "pole.angle", "count"]),
    "blocks": (chain(11), [], ["b0.angle", "b10.x"]),
}


@needs_compiler
@pytest.mark.parametrize("case", ["samples and events", pytest.param("blocks", marks=pytest.mark.slow)])
def test_the_bits_of_a_stepper(case: str, tmp_path: Path) -> None:
    """With inputs that jump; and again from a state that is restored, in another instance."""
    source, inputs, names = CASES[case]
    library = Library(tmp_path, mechanisms.model(source), inputs=inputs, outputs=names, native=True)
    stepper, c = Stepper(mechanisms.model(source), inputs), library.c
    unit, other, found = library.create(), library.create(), []
    kept = ctypes.create_string_buffer(c.unit_state_size())
    for k in range(40):
        if k == 15:
            c.unit_save(unit, kept)
        if inputs and k % 8 == 0:
            assert library.set(unit, 0, 0.1 * k) == 0
        assert library.step(unit, 0.02) == 0, c.unit_message(unit)
        stepper.step(0.02, dict.fromkeys(inputs, 0.1 * k) if k % 8 == 0 else {})
        found.append(library.outputs(unit, len(names)))
        assert found[-1] == [stepper[name] for name in names]
    assert c.unit_restore(other, kept) == 0
    for k in range(15, 40):
        if inputs and k % 8 == 0:
            assert library.set(other, 0, 0.1 * k) == 0
        assert library.step(other, 0.02) == 0
        assert library.outputs(other, len(names)) == found[k]
    for each in (unit, other):
        c.unit_free(each)


@pytest.mark.parametrize(("more", "rtol"), [("output_step: 0.01", 1e-6), ("output_step: 0.01, rtol: 1e-7", 1e-7)])
def test_a_stiff_model_gets_the_steps_of_a_run(more: str, rtol: float) -> None:
    """A run takes `radau` by itself; so does the unit, at the tolerance that the file gives."""
    model = mechanisms.model(HINGE.replace("MORE", more))
    settings = unit_of(model).inside.settings
    assert settings.integrator == Stepper(model).inside().settings.integrator == "radau" and settings.options["rtol"] == rtol
