"""Numba's work before LLVM, without what a kernel has no use for. It is most of the time of compiling: a kernel is hundreds of helpers.

Numba looks at a function in 27 passes, for generators, closures, parallel loops, lists of literals, Python objects, and finds four times
how long each variable lives. A kernel has none of these, and counts no references. `Frontend` does what changes a kernel, and in its last
pass writes short what kernels are full of (`lowering`).

Numba looks for what an operator does with each pair of types anew, by trying one rule after the other, at each place where it stands.
`remembered` lets it keep what it found.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.analysis import dead_branch_prune, rewrite_semantic_constants
from numba.core.compiler import CompilerBase
from numba.core.errors import NumbaError
from numba.core.interpreter import Interpreter, peep_hole_list_to_tuple
from numba.core.ir_utils import build_definitions
from numba.core.postproc import PostProcessor
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NoPythonBackend, NopythonTypeInference, PreLowerStripPhis
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import FixupArgs

from mbsim.jit.fastload.lowering import Lowering


class _Reader(Interpreter):
    """Byte code as statements. Of the corrections only what kernels have: arguments that a tuple gives."""

    def post_process(self, peepholes: object, func_ir: object) -> Any:
        return peep_hole_list_to_tuple(func_ir)


def _read(state: Any) -> None:
    state.func_ir = _Reader(state.func_id).interpret(state.bc)


def _order(state: Any) -> None:
    """Put the blocks in order. Numba finds besides how long each variable lives, which matters where references are counted."""
    code = state.func_ir
    if code.is_generator:
        PostProcessor(code).run()
    else:
        code.blocks = canonicalize_cfg(code.blocks)
        code.generator_info = None


def _put_constants(state: Any) -> None:
    rewrite_semantic_constants(state.func_ir, state.args)


def _prune(state: Any) -> None:
    dead_branch_prune(state.func_ir, state.args)


def _rewrite(state: Any) -> None:
    """Apply the rules that are registered for functions without types: subscripts by constants are written as such."""
    blocks = state.func_ir.blocks
    for rule in rewrite_registry.rewrites["before-inference"]:
        rewrite, left = rule(state), list(blocks.items())
        while left:
            key, block = left.pop()
            if rewrite.match(state.func_ir, block, state.typemap, state.calltypes):
                blocks[key] = rewrite.apply()
                left.append((key, blocks[key]))
    _order(state)


def _single(state: Any) -> None:
    """Give each assignment a variable of its own."""
    state.func_ir = reconstruct_ssa(state.func_ir)
    state.func_ir._definitions = build_definitions(state.func_ir.blocks)
    _order(state)


def _join(state: Any) -> None:
    """Join the variables again."""
    state.func_ir = PreLowerStripPhis()._strip_phi_nodes(state.func_ir)
    state.func_ir._definitions = build_definitions(state.func_ir.blocks)
    _order(state)


_PASSES: tuple[tuple[Callable[[Any], object], str], ...] = (
    (_read, "read the byte code"),
    (FixupArgs().run_pass, "fix up the arguments"),
    (_order, "order the blocks"),
    (_put_constants, "put constants in place"),
    (_prune, "drop branches that constants rule out"),
    (_rewrite, "write subscripts by constants as such"),
    (_single, "give each assignment a variable of its own"),
    (NopythonTypeInference().run_pass, "infer the types"),
    (_join, "join the variables again"),
    (Lowering().run_pass, "write LLVM's code"),
    (NoPythonBackend().run_pass, "hand it over"),
)


class _Known:
    """A context of Numba's that knows all rules already."""

    def __init__(self, context: object) -> None:
        self._context = context

    def refresh(self) -> None:
        """It was asked when the kernel began that this function is a part of."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)


class Frontend(CompilerBase):
    """The passes for functions without reference counting."""

    def __init__(self, typing: object, target: object, *rest: object) -> None:
        inside = ConfigStack.top_or_none() is not None
        super().__init__(_Known(typing) if inside else typing, _Known(target) if inside else target, *rest)
        self.state.typingctx = typing

    def _compile_core(self) -> Any:
        state = self.state
        with ConfigStack().enter(state.flags.copy()):
            for one, description in _PASSES:
                try:
                    one(state)
                except NumbaError as error:
                    error.args = (f"Failed in nopython mode pipeline (step: {description})\n{error}",)
                    raise
        state.pipeline = None
        return state.cr


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
