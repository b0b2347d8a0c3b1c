"""The one place that knows Numba. Imported when something has to be compiled, and where images are not supported.

The types of `signatures` in Numba's terms: a block is a pointer. Its words never change while a kernel runs, which LLVM is told, so that
`arrays.masses` costs no more than an argument would, and a call hands over a pointer where it would copy hundreds of words.
"""

import logging
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import llvmlite.binding
import numba
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.typing.templates import AttributeTemplate, signature
from numba.np.arrayobj import populate_array

from mbsim.jit import entries
from mbsim.jit.contracts import WORK
from mbsim.jit.signatures import Array, Block, Function, Scalar, Signature
from mbsim.jit.workspaces import Workspace

log = logging.getLogger("mbsim")

_UNLOADABLE = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, LookupError, RuntimeError, TypeError, ValueError)


class KernelType(types.Callable, types.Opaque):
    """The address of a kernel. Numba's own type of a function carries three, and a way into Python."""

    def __init__(self, signature: Any) -> None:
        self.signature = signature
        super().__init__(name=f"Kernel[{signature}]")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature, as that of a method of the function."""
        wanted = self.signature.args
        if kws or len(args) != len(wanted) or any(context.can_convert(*pair) is None for pair in zip(args, wanted, strict=True)):
            raise TypingError(f"a kernel of {self.signature} is called with ({', '.join(map(str, args))})")
        return signature(self.signature.return_type, *wanted, recvr=self)

    def get_call_signatures(self) -> Any:
        """For Numba's messages."""
        return [self.signature], False

    def get_impl_key(self, sig: Any) -> Any:
        """What `_call_kernel` is registered under."""
        return KernelType


@extending.lower_builtin(KernelType, KernelType, types.VarArg(types.Any))
def _call_kernel(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0].signature
    convention = context.call_conv
    pointer = builder.bitcast(args[0], convention.get_function_type(kind.return_type, kind.args).as_pointer())
    status, result = convention.call_function(builder, pointer, kind.return_type, kind.args, args[1:])
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result if kind.return_type != types.void else context.get_dummy_value()


class BlockType(types.Type):
    """A pointer to the words of a block."""

    def __init__(self, block: Block) -> None:
        self.block = block
        super().__init__(name=block.name)


class WorkspaceType(types.Callable, types.Opaque):
    """A declaration of work arrays: called on the work, it is a pointer to their words."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        super().__init__(name=f"Workspace[{workspace.name}]")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The work is its one argument."""
        if kws or args != (numba_type(WORK),):
            raise TypingError(f"the workspace {self.workspace.name} is taken of the work alone")
        return signature(numba_type(self.workspace), *args)

    def get_call_signatures(self) -> Any:
        """For Numba's messages."""
        return [], False

    def get_impl_key(self, sig: Any) -> Any:
        """What `_own_words` is registered under."""
        return WorkspaceType


@extending.typeof_impl.register(Workspace)
def _typeof_workspace(workspace: Workspace, _: Any) -> WorkspaceType:
    return WorkspaceType(workspace)


@lower_constant(WorkspaceType)
def _workspace_constant(context: Any, *_: Any) -> Any:
    return context.get_dummy_value()


@extending.lower_builtin(WorkspaceType, types.Any)
def _own_words(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return cgutils.gep_inbounds(builder, args[0], WORK.offsets["own"])


extending.register_model(WorkspaceType)(extending.models.OpaqueModel)
extending.register_model(KernelType)(extending.models.OpaqueModel)


@extending.register_model(BlockType)
class _BlockModel(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: BlockType) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@cache
def numba_type(kind: Any) -> Any:
    """A type of `signatures` in Numba's terms."""
    if isinstance(kind, Scalar):
        return getattr(types, kind.name)
    if isinstance(kind, Array):
        return types.Array(getattr(types, kind.dtype), kind.ndim, "C")
    if isinstance(kind, Signature):
        return numba_type(kind.returns)(*map(numba_type, kind.arguments))
    if isinstance(kind, Function):
        return KernelType(numba_type(kind.signature))
    return BlockType(kind)


@extending.infer_getattr
class _BlockAttributes(AttributeTemplate):
    key = BlockType

    def generic_resolve(self, kind: BlockType, name: str) -> Any:
        return numba_type(kind.block.kinds[name]) if name in kind.block.kinds else None


@extending.lower_getattr_generic(BlockType)
def _load_field(context: Any, builder: Any, kind: BlockType, pointer: Any, name: str) -> Any:
    field, at = kind.block.kinds[name], kind.block.offsets[name]
    if isinstance(field, Block):
        return cgutils.gep_inbounds(builder, pointer, at)
    return _load(context, builder, field, pointer, at)


def _load(context: Any, builder: Any, kind: Any, pointer: Any, at: int) -> Any:
    """The array, or the function, whose words are from `at` on."""

    def word(offset: int) -> Any:
        value = builder.load(cgutils.gep_inbounds(builder, pointer, at + offset))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(kind, Function):
        return builder.inttoptr(word(0), context.get_value_type(numba_type(kind)))
    array = context.make_array(numba_type(kind))(context, builder)
    shape = [word(1 + i) for i in range(kind.ndim)]
    strides = [context.get_constant(types.intp, 8)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.inttoptr(word(0), context.get_data_type(numba_type(kind).dtype).as_pointer())
    populate_array(array, data, shape, strides, 8, None)
    return array._getvalue()


class _Library(JITCodeLibrary):
    """What Numba links, optimises and emits of a function: here all of a kernel, once, and of what it contains nothing on its own.

    Numba optimises every function with all that it contains, twice, and emits it, before it goes into its callers and is optimised
    there again; that was more than half of the time of compiling a kernel of many helpers.
    """

    kernels: ClassVar[list[str]] = []  # that are being compiled, the innermost last

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._emitted = bool(self.kernels) and name == self.kernels[-1]

    def _optimize_final_module(self) -> None:
        if self._emitted:
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        if self._emitted:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True


@contextmanager
def _lean_libraries(kernel: str) -> Iterator[None]:
    """Numba makes libraries of our own kind within."""
    codegen = cpu_target.target_context.codegen()
    before, set_env = codegen._library_class, codegen.set_env
    codegen._library_class = _Library
    # Of what is not emitted there is no variable for the environment of Python objects, which kernels do without.
    codegen.set_env = lambda name, env: set_env(name, env) if codegen._engine.is_symbol_defined(name) else None
    _Library.kernels.append(kernel)
    try:
        yield
    finally:
        _Library.kernels.pop()
        codegen._library_class = before
        codegen.set_env = set_env


class _Cache(NullCache):
    """One kernel as a file of ours, where Numba keeps two in a form that runs whatever it holds, whole or not.

    `full`: with the bitcode that inlining elsewhere takes. Parsing it is most of a kernel's loading, so without it there are the names that
    the code defines, which is all that Numba reads off it otherwise. `missed` is called when there is nothing to be loaded.
    """

    def __init__(self, path: Path, full: bool, registers: bool, missed: Callable[[], None]) -> None:
        self._path, self._full, self._registers, self._missed = path, full, registers, missed

    def _key(self, codegen: Any) -> bytes:
        return repr((self._path.name, self._full, codegen.magic_tuple())).encode()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba's own method first registers all that its compiler knows, for which it imports scipy.linalg too: a third of a warm start.
        # What is compiled already needs none of it, and compiling does it anyway; but kernels that call back into Python do.
        if self._registers:
            target_context.refresh()
        codegen = target_context.codegen()
        data = entries.read(self._path, self._key(codegen))
        try:
            if data is not None:
                names, reduced = pickle.loads(data)
                codegen._engine._defined_symbols.update(names)
                result = CompileResult._rebuild(target_context, *reduced)
                result.library.object_file = reduced[0][2][0]  # which Numba itself lets go
                return result
        except _UNLOADABLE as error:
            log.debug("%s cannot be loaded and is made anew: %r", self._path, error)
            entries.discard(self._path)
        self._missed()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        library = data.library
        if library.has_dynamic_globals or not all(part.can_cache for part in data.lifted):
            return
        names: list[str] = []
        (name, kind, (code, bitcode)), *rest = data._reduce()
        if not self._full:
            module = library._get_module_for_linking()
            names = [x.name for group in (module.functions, module.global_variables) for x in group if not x.is_declaration]
            bitcode = llvmlite.binding.parse_assembly(f'target triple = "{llvmlite.binding.get_process_triple()}"').as_bitcode()
        entries.write(self._path, self._key(data.codegen), dumps((names, ((name, kind, (code, bitcode)), *rest))))


def dispatcher(function: Callable[..., Any], allocates: bool, fastmath: Any = False) -> Any:
    """Numba's face of a function, nothing of it compiled: without ways in from Python or C, which kernels do not need.

    Numba's reference counting is off unless the function `allocates`: counting views of the work arrays up and down, atomically, took
    two thirds of the time of a small system's step.
    """
    return numba.njit(function, error_model="numpy", _nrt=allocates, no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath=fastmath)


def kernel(
    function: Callable[..., Any], signature: Signature, allocates: bool, path: Path | None, full: bool, missed: Callable[[], None]
) -> Any:
    """The function compiled to its signature, as a dispatcher.

    `path`: where it is kept, if it is, `full` with what linking takes. `missed` is called before it is compiled.
    """
    made = dispatcher(function, allocates)
    if path is not None:
        made._cache = _Cache(path, full, allocates, missed)
    else:
        missed()
    with _lean_libraries(function.__qualname__):
        made.compile(numba_type(signature))
    made.disable_compile()
    return made


def object_code(made: Any) -> tuple[bytes, str]:
    """The object file of a compiled kernel, and the name of its function."""
    (result,) = made.overloads.values()
    result.library._ensure_finalized()
    code = getattr(result.library, "object_file", None) or result.library._get_compiled_object()
    return code, result.fndesc.llvm_func_name


def address(made: Any) -> int:
    """Where Numba put the code of a compiled kernel."""
    (result,) = made.overloads.values()
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def control_register() -> tuple[Any, Any]:
    """Intrinsics of x86 that read and write the floating-point control register MXCSR of this thread."""

    def intrinsic(write: bool) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = ir.IntType(8).as_pointer()
            slot = builder.alloca(ir.IntType(32))
            if write:
                builder.store(builder.trunc(arguments[0], ir.IntType(32)), slot)
            name = "llvm.x86.sse.ldmxcsr" if write else "llvm.x86.sse.stmxcsr"
            access = builder.module.declare_intrinsic(name, (), ir.FunctionType(ir.VoidType(), [pointer]))
            builder.call(access, [builder.bitcast(slot, pointer)])
            return arguments[0] if write else builder.zext(builder.load(slot), ir.IntType(64))

        if write:
            return extending.intrinsic(lambda context, word: (types.int64(types.int64), generate))
        return extending.intrinsic(lambda context: (types.int64(), generate))

    return intrinsic(False), intrinsic(True)
