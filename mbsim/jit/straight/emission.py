"""A kernel of straight-line code for LANES runs at once, of a graph: its operations on vectors, one lane a run.

LLVM is handed vectors, not loops to make vectors of. Every lane goes through the same operations whatever the others hold, so what a run
comes to depends neither on its lane nor on its neighbours. Products and sums may be rounded once.

A kernel reads and writes an array (slots, LANES). The slot of guards is 0 as long as comparisons come out as they were recorded. In a lane
where the first one does not, it becomes OTHER_CASE where that comparison chose what is done, else OUT_OF_RANGE, and stays so.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mbsim.jit import folder
from mbsim.jit.kernels import GENERATED, Kernel, kernel
from mbsim.jit.signatures import A2, void
from mbsim.jit.straight.graph import CALLED, CONSTANT, INPUT, LIST, Graph

LANES = 8  # two vectors of AVX2, one of AVX-512
STRAIGHT = void(A2)  # slots
OTHER_CASE, OUT_OF_RANGE = 1.0, 2.0  # in the slot of guards: a law has another case; a number is not where the code serves
_INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "neg": "fneg"}
_INTRINSICS = {"abs": "fabs", "sqrt": "sqrt", "rint": "rint", "floor": "floor"}
_FLAGS = ("contract",)


@dataclass(frozen=True, eq=False)
class Straight:
    """The code of a graph: which place of it goes into which slot, and the slot of guards."""

    graph: Graph
    outputs: tuple[tuple[int, int], ...]  # slot, place
    guards: int

    @cached_property
    def places(self) -> list[int]:
        """The operations that count, in their order."""
        return self.graph.live([*(at for _, at in self.outputs), *self.graph.guards])

    @cached_property
    def size(self) -> int:
        """Operations but inputs and constants."""
        return sum(self.graph.operations[at][0] not in (INPUT, CONSTANT, LIST) for at in self.places)

    @cached_property
    def key(self) -> str:
        """A hash of all that the code depends on."""
        graph = self.graph
        told = [(at, graph.operations[at]) for at in self.places], sorted(graph.guards.items()), self.outputs, self.guards, LANES
        return hashlib.sha256(f"{folder.derivation()} {told}".encode()).hexdigest()[:24]

    @cached_property
    def kernel(self) -> Kernel:
        """It compiled, of the signature STRAIGHT."""
        emit: Any = _Emission(self)

        def straight(slots):
            emit(slots)

        straight.__module__, straight.__qualname__ = f"{GENERATED}{self.key}", "straight"
        return kernel(STRAIGHT)(straight)


class _Emission:
    """What a kernel calls to have the operations written into it."""

    def __init__(self, of: Straight) -> None:
        self._of = of

    @cached_property
    def _numba_type_(self) -> Any:
        """How Numba sees it, which asks for this when it compiles a function that calls it."""
        from numba import types
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            write(self._of, builder, array.data)
            return context.get_dummy_value()

        made = intrinsic(lambda context, slots: (types.void(slots), generate))
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(made)


def write(of: Straight, builder: Any, slots: Any) -> None:
    """Write the operations with a builder of LLVM's; `slots` is the pointer to the numbers."""
    _Writer(of, builder, slots).write()


class _Writer:
    def __init__(self, of: Straight, builder: Any, slots: Any) -> None:
        from llvmlite import ir

        self._of, self._builder, self._slots, self._ir = of, builder, slots, ir
        self._number = ir.DoubleType()
        self._vector = ir.VectorType(self._number, LANES)
        self._found: dict[int, Any] = {}

    def write(self) -> None:
        of, graph = self._of, self._of.graph
        for at in of.places:
            self._found[at] = self._one(*graph.operations[at])
        for slot, at in of.outputs:
            self._builder.store(self._found[at], self._pointer(slot), align=8)
        builder, pointer, graph = self._builder, self._pointer(of.guards), of.graph
        for code, decides in ((OTHER_CASE, True), (OUT_OF_RANGE, False)):
            broken = self._broken({at: outcome for at, outcome in graph.guards.items() if (at in graph.decided) == decides})
            if broken is not None:
                kept = builder.load(pointer, align=8)
                first = builder.and_(broken, builder.fcmp_ordered("==", kept, self._constant(0.0)))
                builder.store(builder.select(first, self._constant(code), kept), pointer, align=8)

    def _broken(self, guards: dict[int, bool]) -> Any:
        """Where one of these comparisons is not what was recorded."""
        found: Any = None
        for at, outcome in sorted(guards.items()):
            holds = self._found[at]
            wrong = self._builder.not_(holds) if outcome else holds
            found = wrong if found is None else self._builder.or_(found, wrong)
        return found

    def _pointer(self, slot: int) -> Any:
        place = self._builder.gep(self._slots, [self._ir.Constant(self._ir.IntType(64), slot * LANES)])
        return self._builder.bitcast(place, self._vector.as_pointer())

    def _constant(self, value: float) -> Any:
        return self._ir.Constant(self._vector, [self._ir.Constant(self._number, value)] * LANES)

    def _one(self, name: str, *operands: Any) -> Any:
        builder = self._builder
        if name == INPUT:
            return builder.load(self._pointer(operands[0]), align=8)
        if name == CONSTANT:
            return self._constant(operands[0])
        if name == LIST:
            return self._list(operands[0])
        given = [self._found[at] for at in operands]
        if name in _INSTRUCTIONS:
            return getattr(builder, _INSTRUCTIONS[name])(*given, flags=_FLAGS)
        if name in _INTRINSICS:
            return builder.call(self._function(f"llvm.{_INTRINSICS[name]}.v{LANES}f64", self._vector, 1), given)
        if name in CALLED:
            return self._lane_by_lane(name, given)
        if name == "select":
            return builder.select(*given)
        if name == "pick":
            return self._picked(*given)
        if name in ("and", "or"):
            return (builder.and_ if name == "and" else builder.or_)(*given)
        return builder.fcmp_ordered(name, *given) if name != "!=" else builder.fcmp_unordered("!=", *given)

    def _list(self, values: tuple[float, ...]) -> Any:
        """The pointer to numbers that stand beside the code."""
        ir, kind = self._ir, self._ir.ArrayType(self._number, len(values))
        found = ir.GlobalVariable(self._builder.module, kind, self._builder.module.get_unique_name("straight.list"))
        found.linkage, found.global_constant = "internal", True
        found.initializer = ir.Constant(kind, [ir.Constant(self._number, x) for x in values])
        return found

    def _picked(self, numbers: Any, which: Any) -> Any:
        """Of a list the number of each lane."""
        builder, index = self._builder, self._ir.IntType(32)
        found, none = self._ir.Constant(self._vector, self._ir.Undefined), self._ir.Constant(index, 0)
        for lane in range(LANES):
            place = self._ir.Constant(index, lane)
            number = builder.load(builder.gep(numbers, [none, builder.fptosi(builder.extract_element(which, place), index)]))
            found = builder.insert_element(found, number, place)
        return found

    def _lane_by_lane(self, name: str, given: "Sequence[Any]") -> Any:
        """A function of the C library."""
        function, builder, index = self._function(name, self._number, len(given)), self._builder, self._ir.IntType(32)
        found = self._ir.Constant(self._vector, self._ir.Undefined)
        for lane in range(LANES):
            place = self._ir.Constant(index, lane)
            numbers = [builder.extract_element(x, place) for x in given]
            found = builder.insert_element(found, builder.call(function, numbers), place)
        return found

    def _function(self, name: str, kind: Any, count: int) -> Any:
        module = self._builder.module
        known = module.globals.get(name)
        return known or self._ir.Function(module, self._ir.FunctionType(kind, [kind] * count), name)
