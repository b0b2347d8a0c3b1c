"""What a second process compiles for a first run with contacts."""

from collections.abc import Iterator
from contextlib import contextmanager

import mechanisms
import pytest

from mbsim import jit
from mbsim.cli._model import prepared_to_run
from mbsim.march import kernels

BALL = """
name: ball
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {mass: 1, inertia: 0.1, position: [0, 1], shape: {type: cylinder, radius: 0.1, length: 0.1}}}
simulation: {end: 0.1}
"""
FLOOR = "contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, %s}}\n"

BEAM = """
name: beam
dimension: 2
beams:
  rod: {from: [0, 0], to: [1, 0], elements: 2, section: {circle: 0.02}, material: {E: 7e10, G: 2.7e10, density: 2700}, clamped: [start]}
simulation: {end: 0.1, integrator: %s}
"""


@pytest.mark.parametrize(("contact", "decides"), [("friction: 0.3", "_rubbing"), ("restitution: 0.3", "_settling"), ("", "")])
def test_what_decides_of_contacts_is_compiled_beside_where_only_that_is_not_kept(
    contact: str, decides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process compiled it after all others: 48 s of a processor passed at the first model with a contact, and now 31 s."""
    beside, ahead, kept = list[str](), list[str](), set[str]()

    @contextmanager
    def compiling_beside(*modules: str) -> Iterator[None]:
        beside.extend(modules)
        yield

    monkeypatch.setattr(jit, "is_cold", lambda: False)
    monkeypatch.setattr(jit, "is_kept", kept.__contains__)
    monkeypatch.setattr(jit, "compiling_beside", compiling_beside)
    monkeypatch.setattr(jit, "compile_kernels", lambda *modules: ahead.extend(modules))
    model = mechanisms.model(BALL + (FLOOR % contact if contact else ""))
    prepared_to_run(model)
    assert (f"mbsim.integrators.{decides}" in beside) == ("mbsim.singular.orientation" in ahead) == bool(decides)
    kept.update(beside)
    beside.clear()
    prepared_to_run(model)
    assert not beside


@pytest.mark.parametrize(("integrator", "taken"), [("auto", True), ("radau", True), ("dop853", False)])
def test_the_march_by_stages_is_compiled_beside(integrator: str, taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first process compiled it after the derivatives of beams."""
    beside = list[str]()

    @contextmanager
    def compiling_beside(*modules: str) -> Iterator[None]:
        beside.extend(modules)
        yield

    monkeypatch.setattr(jit, "is_cold", lambda: False)
    monkeypatch.setattr(jit, "is_kept", lambda module: False)
    monkeypatch.setattr(jit, "compiling_beside", compiling_beside)
    monkeypatch.setattr(kernels, "compile_shared", lambda: None)
    monkeypatch.setattr(kernels, "compile_stepper_and_observer", lambda settings, system: None)
    prepared_to_run(mechanisms.model(BEAM % integrator))
    assert ("mbsim.integrators._implicit" in beside) == taken


def test_a_module_is_kept_where_the_cache_has_kernels_of_it() -> None:
    from mbsim.system import plain

    _ = plain.rates.address
    assert jit.is_kept("mbsim.system.plain")
    assert not jit.is_kept("mbsim.system.plai")
    assert not jit.is_kept("mbsim.never_there")
