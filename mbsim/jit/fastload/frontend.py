"""Numba's work before LLVM, without what a kernel has no use for. It is most of the time of compiling: a kernel is hundreds of helpers.

Numba looks at a function in 27 passes, for generators, closures, parallel loops, lists of literals, Python objects. A kernel has
none of these. `Frontend` holds the passes that change a kernel. Their output, and the machine code, is the same byte for byte.

Numba looks for what an operator does with each pair of types anew, by trying one rule after the other, at each place where it stands.
`remembered` lets it keep what it found.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import NativeLowering, NoPythonBackend, NopythonTypeInference, PreLowerStripPhis
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

_PASSES = (
    (TranslateByteCode, "read the byte code"),
    (FixupArgs, "fix up the arguments"),
    (IRProcessing, "process the statements"),
    (RewriteSemanticConstants, "put constants in place"),
    (DeadBranchPrune, "drop branches that constants rule out"),
    (GenericRewrites, "write subscripts by constants as such"),
    (ReconstructSSA, "give each assignment a variable of its own"),
    (NopythonTypeInference, "infer the types"),
    (PreLowerStripPhis, "join the variables again"),
    (NativeLowering, "write LLVM's code"),
    (NoPythonBackend, "hand it over"),
)


class Frontend(CompilerBase):
    """The passes for functions without reference counting."""

    def define_pipelines(self) -> list[PassManager]:
        """One sequence of passes, as Numba asks for it."""
        manager = PassManager("nopython")  # as messages of Numba begin
        for one, description in _PASSES:
            manager.add_pass(one, description)
        manager.finalize()
        return [manager]


@contextmanager
def remembered() -> Iterator[None]:
    """Numba keeps, with each function of its own, which signature a tuple of types has. A new rule makes a new function, so none is old."""
    functions: Any = BaseFunction
    found = functions.get_call_type

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return found(self, context, args, kws)
        kept = vars(self).setdefault("_mbsim_signatures", {})
        key = (context, tuple(args))
        if key not in kept:
            kept[key] = found(self, context, args, kws)
        return kept[key]

    functions.get_call_type = get_call_type
    try:
        yield
    finally:
        functions.get_call_type = found
