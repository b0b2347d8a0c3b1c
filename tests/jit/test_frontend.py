"""Numba's work before LLVM, shortened: the same passes in the same order, the same code, and nothing of it left for other programs."""

from types import SimpleNamespace

import numpy as np
import pytest

from mbsim import jit

if not jit.COMPILES:
    pytest.skip("nothing is compiled", allow_module_level=True)

import numba
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.types.functions import BaseFunction

from mbsim.jit import A1, f8
from mbsim.jit.compiler import dispatcher, numba_type
from mbsim.jit.fastload import frontend, lean

SPACE = False


def small(x):
    """Constants that are known, branches that they rule out, variables with several values, tuples, loops, and operators of all kinds."""
    total, k = 0.0, 0
    for i in range(x.shape[0]):
        if SPACE:
            total += "never"
        pair = (x[i], x[0] - x[i] ** 2)
        while k < 3 and pair[0] > k:
            k += 1
        total += pair[1] / (1.0 + abs(pair[0])) if pair[0] > 0.0 else -pair[1] // 2.0
        x[i] = max(total, k)
    return total + k % 2


def code(passes: object) -> list[str]:
    """The machine code of it by these passes, without the names in it."""
    made = dispatcher(small, False, frontend=passes)
    made.compile(numba_type(f8(A1)))
    (result,) = made.overloads.values()
    text = result.library.get_asm_str()
    return [line for line in text.splitlines() if line.startswith("\t") and not line.lstrip().startswith(".") and "_ZN" not in line]


def test_the_machine_code_is_that_of_all_passes() -> None:
    short, long = code(frontend.Frontend), code(Compiler)
    assert len(short) > 20 and short == long


def test_the_passes_are_some_of_numbas_in_its_order() -> None:
    flags = SimpleNamespace(auto_parallel=SimpleNamespace(enabled=False), no_rewrites=False, enable_ssa=True)
    whole = [one for one, _ in DefaultPassBuilder.define_nopython_pipeline(SimpleNamespace(flags=flags, func_ir=None)).passes]
    rest = iter(whole)
    assert all(one in rest for one, _ in frontend._PASSES)


def test_what_is_remembered_is_so_for_our_kernels_alone() -> None:
    before = BaseFunction.get_call_type
    with frontend.remembered():
        assert BaseFunction.get_call_type is not before
    assert BaseFunction.get_call_type is before
    with pytest.raises(numba.core.errors.TypingError), frontend.remembered():
        numba.njit("f8(f8)")(lambda x: x + "text")  # what failed is not remembered
    assert BaseFunction.get_call_type is before


def test_a_new_rule_is_seen_by_kernels_that_are_compiled_later() -> None:
    class Weight:
        pass

    kind = type("WeightType", (numba.types.Opaque,), {})("Weight")
    numba.extending.register_model(type(kind))(numba.extending.models.OpaqueModel)
    numba.extending.typeof_impl.register(Weight)(lambda value, context: kind)
    numba.core.imputils.lower_constant(type(kind))(lambda context, *_: context.get_dummy_value())
    weight = Weight()
    with pytest.raises(numba.core.errors.TypingError), frontend.remembered():
        numba.njit("f8(f8)")(lambda x: x + weight)

    @numba.extending.overload(__import__("operator").add)
    def add(x, y):
        return (lambda x, y: x + 9.81) if y is kind else None

    with frontend.remembered():
        assert numba.njit("f8(f8)")(lambda x: x + weight)(1.0) == 10.81


def test_libraries_are_linked_each_before_those_that_it_needs() -> None:
    class Library(lean._Library):
        def __init__(self, *needed: "Library") -> None:
            self._linking_libraries = list(needed)

    deep = Library()
    middle = Library(deep)
    top = Library(deep, middle, Library(middle))
    order = top._contained()
    assert len(order) == 3 and top not in order and len(set(order)) == 3
    assert all(order.index(needed) > order.index(one) for one in order for needed in one._linking_libraries)


def test_a_kernel_of_helpers_that_share_one() -> None:
    @jit.helper
    def deep(x):
        return 2.0 * x

    @jit.helper
    def middle(x):
        return deep(x) + 1.0

    @jit.kernel(f8(A1))
    def top(x):
        return deep(x[0]) + middle(x[1])

    assert top(np.array([1.0, 2.0])) == 7.0
