"""Numba's work before LLVM, shortened: the same steps in the same order, the same numbers, and nothing of it left for other programs."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from mbsim import jit

if not jit.COMPILES:
    pytest.skip("nothing is compiled", allow_module_level=True)

import numba
from numba.core import typed_passes, untyped_passes
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.types.functions import BaseFunction

from mbsim.jit import A1, f8
from mbsim.jit.compiler import dispatcher, numba_type
from mbsim.jit.fastload import frontend, lean, lowering

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


def subscripts(x, found, whole):
    """Numbers and parts of arrays by indices of all kinds, from both ends, within their bounds and, of parts, beyond."""
    n, rows = x.shape[0], found[8:32].reshape(8, 3)
    for i in range(-n, n):
        found[i % 5] += x[i] - 2.0 * x[-1] * x[0]
        rows[i % 8, -1] += x[i]
        rows[i % 8][1] -= rows[-(i % 8) - 1, 2]
    for a, b in ((0, 3), (-2, 9), (-99, 2), (2, 1), (4, -1), (5, 5), (7, 9)):
        part = x[a:b]
        found[32] += part.shape[0] * (a + 1.5)
        if part.shape[0] > 1:
            found[33] += part[1] - part[-1]
            part[0] = 1.0 + part[part.shape[0] - 1]
    turned, column = x[::-1], rows[:, 1]
    found[34] = turned[0] + column[2] + column[-1:][0] + rows.shape[0] * rows.shape[-1]
    column[3] = turned[n - 1]
    found[35:][0] = rows[2, 1:][0]
    whole[1, 2, -1] = 7.9
    whole[-1][0][1] += n // 2
    triple = (x[1], n, found[0])
    found[36] = whole[1, 2, 1] - 3 * whole[1][0, 1] + triple[-1] + triple[1]
    return x[0]


def operations(x, found, whole):
    """Sums, products, quotients and comparisons of numbers, of zero, infinity and what is no number, and of integers."""
    zero, place = x[0] * 0.0, 0
    for a in (x[0], -x[1], zero, 1.0 / zero, zero / zero):
        for b in (x[2], zero, -1.0 / zero, zero / zero):
            for kind, holds in enumerate((a < b, a <= b, a > b, a >= b, a == b, a != b)):
                whole[0, 0, 0] += (kind + 1) * (place + 1) * holds
            found[place] = a * b - a / b + (a - b) * 0.5
            place += 1
    for i in range(-3, 4):
        for kind, holds in enumerate((i < 2, i <= 2, i > 2, i >= 2, i == 2, i != 2)):
            whole[1, 0, 0] -= kind * holds * (i * i - 7 + i)
    return found[0] + place


STEPS = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


def compiled(passes: object, function: object, *arguments: object) -> object:
    """By these passes, with an entry from Python."""
    made = numba.njit(function, error_model="numpy", pipeline_class=passes, _nrt=False)
    made.compile(tuple(map(numba.typeof, arguments)))
    return made


@pytest.mark.parametrize("function", [subscripts, operations])
def test_numbers_are_those_of_numba(function: Callable[..., float]) -> None:
    """Bit for bit, by our steps, by Numba's own and by Python."""
    kept = []
    for passes in (frontend.Frontend, Compiler, None):
        arrays = np.array([1.25, -3.5, 2.75, 0.1, -7.0, 4.5]), np.zeros(40), np.zeros((2, 3, 2), np.int64)
        run = function if passes is None else compiled(passes, function, *arrays)
        with np.errstate(all="ignore"):
            returned = run(*arrays)
        kept.append((returned, *arrays))
    assert kept[0][2].any() and kept[0][3].any()
    for others in kept[1:]:
        for mine, other in zip(kept[0], others, strict=True):
            np.testing.assert_array_equal(mine, other, strict=True)


def test_a_function_of_the_simplest_kinds_is_the_same_code() -> None:
    """Sums, tuples, loops, branches, constants that are known: LLVM makes the same of what is written short."""

    def code(passes: object) -> list[str]:
        made = dispatcher(small, False, frontend=passes)
        made.compile(numba_type(f8(A1)))
        (result,) = made.overloads.values()
        text = result.library.get_asm_str()
        return [line for line in text.splitlines() if line.startswith("\t") and not line.lstrip().startswith(".") and "_ZN" not in line]

    short, long = code(frontend.Frontend), code(Compiler)
    assert len(short) > 20 and short == long


def test_less_is_written() -> None:
    """Little more than half of the statements, before LLVM looks at them."""

    def statements(lower: object) -> int:
        found: list[int] = []

        class Heard(lower):  # type: ignore[misc, valid-type]
            def lower_normal_function(self, description: object) -> None:
                super().lower_normal_function(description)
                found.append(sum(len(block.instructions) for block in self.function.blocks))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lowering, "_Lower", Heard)
            compiled(frontend.Frontend, subscripts, np.zeros(6), np.zeros(40), np.zeros((2, 3, 2), np.int64))
        return found[-1]

    assert statements(lowering._Lower) < 0.6 * statements(numba.core.lowering.Lower)


def test_what_cannot_be_written_is_said_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, expression: object) -> None:
        raise numba.core.errors.LoweringError("for a test")

    monkeypatch.setattr(lowering._Lower, "lower_inst", fail)
    with pytest.raises(numba.core.errors.LoweringError, match=r"for a test[\s\S]*lowering \"[\s\S]*test_frontend.py"):
        compiled(frontend.Frontend, lambda x: x + 1.0, 1.0)


def test_the_steps_are_some_of_numbas_in_its_order() -> None:
    flags = SimpleNamespace(auto_parallel=SimpleNamespace(enabled=False), no_rewrites=False, enable_ssa=True)
    whole = [one for one, _ in DefaultPassBuilder.define_nopython_pipeline(SimpleNamespace(flags=flags, func_ir=None)).passes]
    rest = iter(whole)
    assert all(one in rest for one in STEPS) and len(STEPS) == len(frontend._PASSES)


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
