"""Kernels that are compiled when a model needs them: what their callers do before and after, also in processes that find all code."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from mbsim import jit
from mbsim.elements import dispatch
from mbsim.elements.kinds import SLIP_ROUND
from mbsim.jit import A1, LateKernel, f8, kernel, late_kernel, void
from mbsim.jit.fastload import code, image
from mbsim.jit.forward import derivative
from mbsim.system.arrays import zeros

pytestmark = pytest.mark.skipif(
    not (jit.COMPILES and image.SUPPORTED and code.IMAGES), reason="kernels are late where there are images of them"
)


def made(name: str) -> tuple[Any, Any]:
    """A late kernel in the cache under this name, and one that calls it."""

    def inner(x, y):
        y[0] = 3.0 * x[0] * x[0]

    inner.__module__, inner.__name__, inner.__qualname__ = "mbsim.made_by_tests", name, name
    called = late_kernel(void(A1, A1))(inner)

    def outer(x, y):
        called(x, y)
        return y[0] + 1.0

    outer.__module__, outer.__name__, outer.__qualname__ = "mbsim.made_by_tests", f"outer_{name}", f"outer_{name}"
    return called, kernel(f8(A1, A1))(outer)


def test_a_caller_is_compiled_without_it_and_fails_until_it_is_loaded() -> None:
    called, outer = made("late_plain")
    x, y = np.array([2.0]), np.zeros(1)
    with pytest.raises(RuntimeError, match="outer_late_plain raised an exception"):
        outer(x, y)
    assert y[0] == 0.0
    called.load()
    assert outer(x, y) == 13.0
    called.load()  # again: nothing
    assert outer(x, y) == 13.0


def test_a_call_from_python_loads_it() -> None:
    called, outer = made("late_from_python")
    x, y = np.array([2.0]), np.zeros(1)
    called(x, y)
    assert y[0] == 12.0
    assert outer(x, y) == 13.0


@pytest.mark.parametrize("first", [False, True])
def test_its_derivative_is_late_as_well(first: bool) -> None:
    """Whether its caller is loaded before it is said that derivatives are needed, or after."""
    called, _ = made(f"late_derivative_{first}")
    along = derivative(called, True, True).helper
    assert isinstance(along, LateKernel)

    def outer(x, x_d, y, y_d):
        along(x, x_d, y, y_d)

    outer.__module__, outer.__name__, outer.__qualname__ = "mbsim.made_by_tests", f"outer_along_{first}", f"outer_along_{first}"
    caller = kernel(void(A1, A1, A1, A1))(outer)
    x, x_d, y, y_d = np.array([2.0]), np.array([0.5]), np.zeros(1), np.zeros(1)
    called.load()
    if not first:
        with pytest.raises(RuntimeError, match="outer_along_False raised an exception"):
            caller(x, x_d, y, y_d)
    called.load_derivatives()
    caller(x, x_d, y, y_d)
    assert (y[0], y_d[0]) == (12.0, 6.0)


NAMED = """
from mbsim.elements import dispatch
from mbsim.jit.kernels import by_symbol
from mbsim.system.bodies import kernels
for one in kernels(False, 3, False):
    one.address
named = sorted(symbol for symbol in by_symbol if symbol.startswith("mbsim.elements.dispatch."))
print(*named)
print(any(by_symbol[symbol]._code._is_there for symbol in named))
"""


def test_a_process_that_finds_its_callers_finds_it_by_its_name() -> None:
    """The kernels of bodies in space ask for those of all groups, and none of them is loaded."""
    for _ in range(2):  # at the latest the second finds all of them
        done = subprocess.run([sys.executable, "-c", NAMED], capture_output=True, text=True, check=True)
        symbols, loaded = done.stdout.splitlines()
        wanted = {f"mbsim.elements.dispatch.spatial_{group}_row" for group in dispatch.apart_kinds("rows", 3)}
        assert wanted <= set(symbols.split())
        assert loaded == "False"


def test_names_are_those_of_kernels() -> None:
    assert dispatch.spatial_solids_row is dispatch.apart("row", 3, "solids")
    assert dispatch.spatial_solids_row_along_010000000 is derivative(dispatch.spatial_solids_row, *[i == 1 for i in range(9)]).helper
    for name in ("spatial_solids_force", "planar_solids_row", "flat_solids_row", "spatial_bells_row", "solids"):
        with pytest.raises(AttributeError, match="there is no kernel"):
            getattr(dispatch, name)


def test_a_system_loads_those_of_its_kinds() -> None:
    arrays = zeros(n_primitives=1, b=6)
    dispatch.load_apart(arrays)
    arrays.primitives[0, 0] = SLIP_ROUND
    dispatch.load_apart(arrays)
    assert dispatch.spatial_rounds_row._code._is_there


HANGING = """
import mbsim
model = mbsim.load_model('''
dimension: 2
gravity: [0, -g]
parameters: {g: 9.81}
bodies: {load: {mass: 50, inertia: 0.1, position: [0.1, -3]}}
constraints:
  rope:
    type: pulley_cable
    path:
      - {center: ground, at: [-2, 0], radius: 0.1, wraps: clockwise}
      - {center: ground, at: [0, 0], radius: 0.1, wraps: clockwise}
      - load
simulation: {end: 0.5}
''')
KIND
"""
LENGTH, MASS = 3.0, 50.0  # m, kg of what hangs below the pulley
SMALL = "print(abs(mbsim.modes(model).eigenvalues).max())"
SLOPE = """
study = mbsim.sensitivity(model, {'g': {'from': 9, 'to': 10}}, {'T': 'final(multiplier:rope)'}, method='direct')
print(study.array('derivative')[0, 0])
"""


@pytest.mark.parametrize(("asked", "expected"), [(SMALL, np.sqrt(9.81 / LENGTH)), (SLOPE, MASS)])
def test_derivatives_of_what_is_late_are_found_in_a_new_process(asked: str, expected: float) -> None:
    """No kernel that calls them is loaded when the system says that it needs them. They were missing then."""
    source = HANGING.replace("KIND", asked)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(expected, rel=1e-6)
