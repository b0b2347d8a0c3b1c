"""Models that share a law share its machine code; where something that it reads differs, they do not."""

import numpy as np
import pytest
from mechanisms import model

from mbsim import assemble, simulate
from mbsim.jit import COMPILES, helper
from mbsim.jit.folder import stands_for
from mbsim.system.codegen import HEADER, cached_module

pytestmark = pytest.mark.skipif(not COMPILES, reason="plain Python has no machine code")

TABLE = "from numpy import array\n\nvalues = array([{table}])\n"
INNER = """

@kernel(ENERGY)
def inner(arrays, t, q, v, out):
    out[0] = {inner}*t + values[0]
"""
HELPER = """

@helper
def twice(x):
    return {helper}*x
"""
OUTER = """

@kernel(ENERGY)
def outer(arrays, t, q, v, out):
    inner(arrays, t, q, v, out)
    out[1] = twice(sin({outer}*t))
"""
SAME = {"table": "1.5", "inner": "2.0", "helper": "2.0", "outer": "3.0"}


@helper
def foreign(x):
    return 2.0 * x


def keys(name: str, after: str = "", **different: str) -> dict[str, str]:
    """The keys of both kernels of a module."""
    text = HEADER + (TABLE + INNER + HELPER + OUTER).format(**{**SAME, **different}) + after
    module = cached_module(f"test_shared_by_contents {name}", lambda: text)
    return {word: getattr(module, word)._code.source.key for word in ("inner", "outer")}


def test_another_model_with_the_same_law_compiles_nothing() -> None:
    first = keys("first")
    assert keys("second", after="\n\n@kernel(ENERGY)\ndef third(arrays, t, q, v, out):\n    out[0] = 9.0*t\n") == first
    assert len(set(first.values())) == 2


@pytest.mark.parametrize(
    ("what", "changed"), [("table", {"inner", "outer"}), ("inner", {"inner", "outer"}), ("helper", {"outer"}), ("outer", {"outer"})]
)
def test_what_is_read_counts(what: str, changed: set[str]) -> None:
    first, other = keys("first"), keys(f"other {what}", **{what: "7.0"})
    assert {word for word in first if first[word] != other[word]} == changed


DRIVEN = """
name: driven
dimension: 2
gravity: [0, 0]
bodies: {a: {mass: 2, inertia: 1}, b: {mass: 4, inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}}
drivers: {pull: {joint: rail, displacement: 0.3*sin(2*t)}}
forces: {f: {type: force, body: b, value: [FORCE, 0]}}
simulation: {end: 1, rtol: 1e-10, atol: 1e-12}
"""


def test_models_run_with_their_own_laws_and_the_shared_driver() -> None:
    """One force is 8 cos(2 t), the other -8 sin(2 t), on 4 kg from rest."""
    made = [assemble(model(DRIVEN.replace("FORCE", force))) for force in ("8*cos(2*t)", "-8*sin(2*t)")]
    t = 1.0
    for one, b in zip(made, ((1.0 - np.cos(2.0 * t)) / 2.0, np.sin(2.0 * t) / 2.0 - t), strict=True):
        assert simulate(one)["q"][-1][[0, 3]] == pytest.approx([0.3 * np.sin(2.0 * t), b], abs=1e-8)


def test_a_helper_whose_text_the_folder_does_not_stand_for_is_not_told() -> None:
    assert stands_for("mbsim.kernels.powers") and stands_for("mbsim.studies.lanes.march")
    assert not any(map(stands_for, ("mbsim.model.load", "mbsim.studies.runner", "mbsim.kernelsmith", "users.kernels")))
    foreign = (
        "\n\nfrom test_shared_by_contents import foreign\n\n@kernel(ENERGY)\ndef third(arrays, t, q, v, out):\n    out[0] = foreign(t)\n"
    )
    module = cached_module("test_shared_by_contents foreign", lambda: HEADER + foreign)
    assert module.third._code.source.key == f"{module.__name__}.third"
