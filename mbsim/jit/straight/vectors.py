"""Operations on rows of LANES numbers as vectors, for kernels that march lanes.

A loop over lanes that Numba compiles goes from one number to the next, because it cannot know that arrays do not overlap. Rows are those of
arrays (k, LANES). Each product and each sum is rounded, so the numbers are those of such a loop.
"""

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from mbsim.jit.straight.emission import LANES


class _Operation:
    """What a kernel calls to have an operation written into it."""

    def __init__(self, write: Callable[..., None]) -> None:
        self._write, self.__doc__ = write, write.__doc__

    @cached_property
    def _numba_type_(self) -> Any:
        """How Numba sees it, which asks for this when it compiles a function that calls it."""
        from numba import types
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            given = [
                context.make_array(kind)(context, builder, x).data if isinstance(kind, types.Array) else x
                for kind, x in zip(signature.args, arguments, strict=True)
            ]
            self._write(_Builder(builder), *given)
            return context.get_dummy_value()

        def typed(context: Any, *given: Any) -> Any:
            return types.void(*given), generate

        typed.__signature__ = inspect.signature(self._write)  # type: ignore[attr-defined]  # by which Numba counts the arguments
        made = intrinsic(typed)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(made)


class _Builder:
    """A builder of LLVM's for vectors of LANES numbers."""

    def __init__(self, builder: Any) -> None:
        from llvmlite import ir

        self._ir, self.builder = ir, builder
        self._word, self._number = ir.IntType(64), ir.DoubleType()
        self._vector = ir.VectorType(self._number, LANES)

    def _pointer(self, array: Any, row: Any) -> Any:
        place = self.builder.gep(array, [self.builder.mul(row, self._ir.Constant(self._word, LANES))])
        return self.builder.bitcast(place, self._vector.as_pointer())

    def load(self, array: Any, row: Any) -> Any:
        """A row."""
        return self.builder.load(self._pointer(array, row), align=8)

    def store(self, value: Any, array: Any, row: Any) -> None:
        """Put a row there."""
        self.builder.store(value, self._pointer(array, row), align=8)

    def number(self, array: Any, at: Any) -> Any:
        """A number of an array of one dimension."""
        return self.builder.load(self.builder.gep(array, [at]))

    def spread(self, number: Any) -> Any:
        """The same number in all lanes."""
        ir = self._ir
        one = self.builder.insert_element(ir.Constant(self._vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
        kind = ir.VectorType(ir.IntType(32), LANES)
        return self.builder.shuffle_vector(one, ir.Constant(self._vector, ir.Undefined), ir.Constant(kind, [0] * LANES))

    def none(self) -> Any:
        """Zeros."""
        return self._ir.Constant(self._vector, [self._ir.Constant(self._number, 0.0)] * LANES)

    def repeat(self, count: Any, each: Callable[[Any], None]) -> None:
        """Write what is done for each number below `count`."""
        from numba.core import cgutils

        with cgutils.for_range(self.builder, count, intp=self._word) as loop:
            each(loop.index)

    def total(self, begin: Any, count: Any, each: Callable[[Any, Any], Any]) -> Any:
        """What begins as `begin` and becomes each(index, it), for each index below `count`."""
        from numba.core import cgutils

        kept = cgutils.alloca_once(self.builder, self._vector)
        self.builder.store(begin, kept)
        self.repeat(count, lambda k: self.builder.store(each(k, self.builder.load(kept)), kept))
        return self.builder.load(kept)

    def row_of(self, first: Any, stride: Any, k: Any) -> Any:
        """first + k stride."""
        return self.builder.add(first, self.builder.mul(k, stride))

    def added(self, a: Any, b: Any) -> Any:
        """a + b."""
        return self.builder.fadd(a, b)

    def multiplied(self, a: Any, b: Any) -> Any:
        """a b."""
        return self.builder.fmul(a, b)

    def unless_zero(self, x: Any, then: Any, otherwise: Any) -> Any:
        """`then` where a number is not 0, else `otherwise`."""
        return self.builder.select(self.builder.fcmp_unordered("!=", x, self._ir.Constant(self._number, 0.0)), then, otherwise)

    def before_last(self, count: Any, k: Any) -> Any:
        """count - 1 - k."""
        return self.builder.sub(self.builder.sub(count, self._ir.Constant(self._word, 1)), k)


def _copy(b: Any, source: Any, at: Any, target: Any, to: Any, count: Any) -> None:
    """target[to:] <- source[at:], `count` rows."""
    b.repeat(count, lambda k: b.store(b.load(source, b.builder.add(at, k)), target, b.builder.add(to, k)))


def _weighed(b: Any, weights: Any, count: Any, source: Any, first: Any, stride: Any, target: Any, to: Any) -> None:
    """target[to] <- the sum of weights[k] source[first + k stride], k < count, without those of no weight."""

    def each(k: Any, so_far: Any) -> Any:
        x = b.number(weights, k)
        return b.unless_zero(x, b.added(so_far, b.multiplied(b.spread(x), b.load(source, b.row_of(first, stride, k)))), so_far)

    b.store(b.total(b.none(), count, each), target, to)


def _moved(b: Any, start: Any, at: Any, h: Any, of: Any, rates: Any, k: Any, target: Any, to: Any) -> None:
    """target[to] <- start[at] + h[of] rates[k]."""
    b.store(b.added(b.load(start, at), b.multiplied(b.load(h, of), b.load(rates, k))), target, to)


def _add_products(b: Any, target: Any, to: Any, weights: Any, at: Any, count: Any, source: Any, first: Any, stride: Any) -> None:
    """target[to] += the sum of weights[at + k] source[first + k stride], k < count."""

    def each(k: Any, so_far: Any) -> Any:
        product = b.multiplied(b.load(weights, b.builder.add(at, k)), b.load(source, b.row_of(first, stride, k)))
        return b.added(so_far, product)

    b.store(b.total(b.load(target, to), count, each), target, to)


def _polynomial(b: Any, numbers: Any, count: Any, x: Any, at: Any, h: Any, of: Any, target: Any, to: Any) -> None:
    """target[to] <- h[of] times the sum of numbers[k] x[at]^(k + 1), k < count."""
    where = b.load(x, at)

    def each(k: Any, so_far: Any) -> Any:
        return b.multiplied(b.added(so_far, b.spread(b.number(numbers, b.before_last(count, k)))), where)

    b.store(b.multiplied(b.total(b.none(), count, each), b.load(h, of)), target, to)


copy_rows: Any = _Operation(_copy)
weigh_rows: Any = _Operation(_weighed)
move_row: Any = _Operation(_moved)
add_products: Any = _Operation(_add_products)
find_polynomial: Any = _Operation(_polynomial)
