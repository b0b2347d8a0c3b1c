"""Numba's step from typed statements to LLVM's code, short for what kernels are full of: subscripts of arrays, sums, products, comparisons.

Numba writes some forty instructions for `x[i, j]`, by way of memory, which LLVM removes again. They are written, printed, read and removed
at a cost of half of the time of compiling. Here are the few that are left of them. What stands in another form than those below, Numba
writes itself.
"""

import operator
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from llvmlite import ir as llvm
from numba import types
from numba.core import ir
from numba.core.cgutils import alloca_once
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

_DATA, _SHAPE, _STRIDES = 4, 5, 6  # places in the value of an array, after who holds it, twice, how many numbers there are, and their size
_ERRORS: Any = import_module("numba.core.errors")  # not all names are in its text
_WORD = llvm.IntType(64)
_PLAIN = (types.float64, types.int64, types.complex128)
_FLOATS = {
    operator.add: "fadd",
    operator.iadd: "fadd",
    operator.sub: "fsub",
    operator.isub: "fsub",
    operator.mul: "fmul",
    operator.imul: "fmul",
    operator.truediv: "fdiv",
    operator.itruediv: "fdiv",
}
_INTEGERS = {
    operator.add: "add",
    operator.iadd: "add",
    operator.sub: "sub",
    operator.isub: "sub",
    operator.mul: "mul",
    operator.imul: "mul",
}
_COMPARISONS = {operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=", operator.eq: "==", operator.ne: "!="}


def is_plain(kind: Any) -> bool:
    """Whether these are arrays that kernels have: of numbers, one after the other or in equal steps."""
    return type(kind) is types.Array and kind.layout in "CA" and kind.aligned and kind.dtype in _PLAIN and kind.ndim > 0


def array_value(builder: Any, made: Any, data: Any, shape: Sequence[Any], strides: Sequence[Any], before: Any = None) -> Any:
    """The value, of LLVM's type `made`, of an array of numbers of 8 or 16 bytes; who holds it is as in the value `before`."""
    count = shape[0]
    for length in shape[1:]:
        count = builder.mul(count, length, flags=["nsw"])
    size = 16 if isinstance(made.elements[_DATA].pointee, llvm.LiteralStructType) else 8
    value = llvm.Constant(made, llvm.Undefined)
    for place in range(2):
        held = llvm.Constant(made.elements[place], None) if before is None else builder.extract_value(before, place)
        value = builder.insert_value(value, held, place)
    for place, part in ((2, count), (3, llvm.Constant(_WORD, size)), (_DATA, data)):
        value = builder.insert_value(value, part, place)
    for place, words in ((_SHAPE, shape), (_STRIDES, strides)):
        for k, word in enumerate(words):
            value = builder.insert_value(value, word, [place, k])
    return value


class _Lower(Lower):
    """One function's statements as LLVM's code, without reference counting and without information for debuggers."""

    def init(self) -> None:
        super().init()
        context = self.context
        checks = context.enable_boundscheck or context.error_model.raise_on_fp_zero_division
        self._short = not (checks or context.enable_nrt or self._disable_sroa_like_opt)

    # statements

    def lower_block(self, block: Any) -> None:
        self.pre_block(block)
        try:
            for inst in block.body:
                self.loc = inst.loc
                self.lower_inst(inst)
        except Exception:
            failed = partial(_ERRORS.LoweringError, loc=self.loc)
            with _ERRORS.new_error_context('lowering "{inst}" at {loc}', inst=inst, loc=self.loc, errcls_=failed):
                raise
        self.post_block(block)

    def lower_inst(self, inst: Any) -> Any:
        kind = type(inst)
        if self._short and kind is ir.Assign and type(inst.value) is not ir.Arg:
            name = inst.target.name
            self.storevar(self.lower_assign(self.typeof(name), inst), name)
            return None
        if self._short and kind in (ir.SetItem, ir.StaticSetItem):
            index = inst.index if kind is ir.SetItem else inst.index_var
            if self._set_item(inst, index):
                return None
        return super().lower_inst(inst)

    def _set_item(self, inst: Any, index: Any) -> bool:
        """Whether this is a number of an array, which is then set."""
        signature = self.fndesc.calltypes[inst]
        kind = signature.args[0]
        if index is None or not is_plain(kind) or self.typeof(inst.target.name) != kind:
            return False
        indices = self._integers(index, signature.args[1])
        if indices is None or len(indices) != kind.ndim:
            return False
        value = self.loadvar(inst.value.name)
        value = self.context.cast(self.builder, value, self.typeof(inst.value.name), signature.args[2])
        value = self.context.cast(self.builder, value, signature.args[2], kind.dtype)
        place = self._place(kind, self.loadvar(inst.target.name), indices)
        self.context.pack_value(self.builder, kind.dtype, value, place)
        return True

    def alloca_lltype(self, name: str, lltype: object, datamodel: object = None) -> Any:
        """Room for a variable, of which debuggers, where they are not asked for, need not know the size."""
        return alloca_once(self.builder, lltype, name=name) if self._short else super().alloca_lltype(name, lltype, datamodel)

    # expressions

    def lower_call(self, resty: Any, expr: Any) -> Any:
        kind, signature = self.typeof(expr.func.name), self.fndesc.calltypes[expr]
        if not (self._short and isinstance(kind, types.Dispatcher)) or expr.kws or expr.vararg or len(expr.args) != len(signature.args):
            return super().lower_call(resty, expr)
        values = [self._cast_var(part, wanted) for part, wanted in zip(expr.args, signature.args, strict=True)]
        found = self.context.get_function(kind, signature)(self.builder, values, self.loc)
        return self.context.cast(self.builder, found, signature.return_type, resty)

    def lower_expr(self, resty: object, expr: object) -> Any:
        if self._short:
            found = self._short_form(resty, expr)
            if found is not None:
                return found
        return super().lower_expr(resty, expr)

    def _short_form(self, resty: Any, expr: Any) -> Any:
        """The value, or None where the expression has no short form."""
        op = expr.op
        if op in ("getitem", "static_getitem"):
            kind = self.typeof(expr.value.name)
            if is_plain(kind):
                index = expr.index if op == "getitem" else expr.index_var
                return None if index is None else self._item(resty, expr, kind, index)
            if op == "static_getitem" and isinstance(kind, types.BaseTuple) and type(expr.index) is int:
                k = expr.index
                if -len(kind) <= k < len(kind) and kind[k] == resty:
                    return self.builder.extract_value(self.loadvar(expr.value.name), k % len(kind))
        elif op == "getattr":
            if expr.attr == "shape" and is_plain(self.typeof(expr.value.name)):
                return self.builder.extract_value(self.loadvar(expr.value.name), _SHAPE)
        elif op in ("binop", "inplace_binop"):
            return self._operation(resty, expr)
        return None

    def _operation(self, resty: Any, expr: Any) -> Any:
        signature = self.fndesc.calltypes[expr]
        first, second = signature.args
        if first is not second or first not in (types.float64, types.int64):
            return None
        builder, real, returned = self.builder, first is types.float64, signature.return_type
        name, word = (_FLOATS if real else _INTEGERS).get(expr.fn, ""), _COMPARISONS.get(expr.fn, "")
        if returned is not (first if name else types.boolean) or not (name or word):
            return None
        x, y = (self.context.cast(builder, self.loadvar(part.name), self.typeof(part.name), first) for part in (expr.lhs, expr.rhs))
        if name:
            found = getattr(builder, name)(x, y) if real else getattr(builder, name)(x, y, flags=["nsw"])
        elif real:
            found = builder.fcmp_unordered(word, x, y) if word == "!=" else builder.fcmp_ordered(word, x, y)
        else:
            found = builder.icmp_signed(word, x, y)
        return self.context.cast(builder, found, returned, resty)

    # subscripts

    def _item(self, resty: Any, expr: Any, kind: Any, index: Any) -> Any:
        """A number of an array, or a view of some."""
        signature = self.fndesc.calltypes[expr]
        if signature.args[0] != kind:
            return None
        returned = signature.return_type
        indices = self._integers(index, signature.args[1])
        builder, array = self.builder, self.loadvar(expr.value.name)
        if indices is None:
            return self._slice(resty, returned, kind, array, index, signature.args[1])
        place = self._place(kind, array, indices)
        if len(indices) == kind.ndim:
            found = self.context.unpack_value(builder, kind.dtype, place)
            return self.context.cast(builder, found, returned, resty)
        if not is_plain(returned) or returned != resty:
            return None
        shape = [builder.extract_value(array, [_SHAPE, k]) for k in range(len(indices), kind.ndim)]
        strides = [builder.extract_value(array, [_STRIDES, k]) for k in range(len(indices), kind.ndim)]
        return array_value(builder, self.context.get_value_type(returned), place, shape, strides, array)

    def _slice(self, resty: Any, returned: Any, kind: Any, array: Any, index: Any, index_type: Any) -> Any:
        """x[a:b] of an array of one dimension."""
        if index_type is not types.slice2_type or kind.ndim != 1 or not is_plain(returned) or returned != resty:
            return None
        if self.typeof(index.name) != index_type:
            return None
        builder, given = self.builder, self.loadvar(index.name)
        length, none = builder.extract_value(array, [_SHAPE, 0]), llvm.Constant(_WORD, 0)
        stride = builder.extract_value(array, [_STRIDES, 0])

        def bound(place: int) -> Any:
            at = self._from_begin(builder.extract_value(given, place), length)
            at = builder.select(builder.icmp_signed("<", at, none), none, at)
            return builder.select(builder.icmp_signed(">=", at, length), length, at)

        start, stop = bound(0), bound(1)
        count = builder.sub(stop, start)
        count = builder.select(builder.icmp_signed("<=", count, none), none, count)
        place = self._at(kind, array, [start])
        return array_value(builder, self.context.get_value_type(returned), place, [count], [stride], array)

    def _integers(self, index: Any, kind: Any) -> list[Any] | None:
        """The indices, if they are integers."""
        builder, given = self.builder, self.typeof(index.name)
        if types.unliteral(kind) == types.int64:
            return [self.context.cast(builder, self.loadvar(index.name), given, types.int64)]
        if not isinstance(kind, types.BaseTuple) or any(types.unliteral(part) != types.int64 for part in kind) or not len(kind):
            return None
        value = self.loadvar(index.name)
        if not isinstance(given, types.BaseTuple) or len(given) != len(kind):
            return None
        parts = [builder.extract_value(value, k) for k in range(len(kind))]
        return [self.context.cast(builder, part, mine, types.int64) for part, mine in zip(parts, given, strict=True)]

    def _from_begin(self, index: object, length: object) -> Any:
        """An index that may count from the end."""
        if isinstance(index, llvm.Constant) and isinstance(index.constant, int) and index.constant >= 0:
            return index
        builder = self.builder
        return builder.select(builder.icmp_signed("<", index, llvm.Constant(_WORD, 0)), builder.add(index, length), index)

    def _place(self, kind: object, array: object, indices: list[Any]) -> Any:
        """The address of the number at these indices, or of the first one of a view."""
        builder = self.builder
        return self._at(kind, array, [self._from_begin(i, builder.extract_value(array, [_SHAPE, k])) for k, i in enumerate(indices)])

    def _at(self, kind: Any, array: Any, indices: list[Any]) -> Any:
        builder, at = self.builder, None
        data = builder.extract_value(array, _DATA)
        if kind.layout == "C":
            for k, i in enumerate(indices):
                for other in range(k + 1, kind.ndim):
                    i = builder.mul(i, builder.extract_value(array, [_SHAPE, other]))
                at = i if at is None else builder.add(at, i)
            return builder.gep(data, [at])
        for k, i in enumerate(indices):
            step = builder.mul(builder.extract_value(array, [_STRIDES, k]), i)
            at = step if at is None else builder.add(at, step)
        bytes_ = builder.gep(builder.bitcast(data, llvm.IntType(8).as_pointer()), [at])
        return builder.bitcast(bytes_, data.type)


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(NativeLowering):
    """Numba's pass with the short forms."""

    _name = "short_native_lowering"

    @property
    def lowering_class(self) -> Any:
        """What Numba asks for."""
        return _Lower
