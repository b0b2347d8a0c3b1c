"""What mbsim asks of Numba. Imported when something has to be compiled, and where images are not supported.

It expresses the types of `signatures` in Numba's types. A block is a pointer. LLVM is told that the words of a block do not change while a
kernel runs. So `arrays.masses` costs no more than an argument, and a call passes a pointer instead of copying hundreds of words.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numba
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AttributeTemplate, signature
from numba.np.arrayobj import populate_array

from mbsim.jit.folder import CACHE_FOLDER
from mbsim.jit.signatures import Array, Block, Function, Scalar, Signature
from mbsim.jit.uninterrupted import uninterrupted
from mbsim.jit.workspaces import Workspace


class KernelType(types.Callable, types.Opaque):
    """The address of a kernel. Numba's own function type carries three addresses and an entry from Python."""

    def __init__(self, signature: Any) -> None:
        self.signature = signature
        super().__init__(name=f"Kernel[{signature}]")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, as Numba asks for it."""
        wanted = self.signature.args
        if kws or len(args) != len(wanted) or any(context.can_convert(*pair) is None for pair in zip(args, wanted, strict=True)):
            raise TypingError(f"a kernel of {self.signature} is called with ({', '.join(map(str, args))})")
        return signature(self.signature.return_type, *wanted, recvr=self)

    def get_call_signatures(self) -> Any:
        """The signatures, for Numba's messages."""
        return [self.signature], False

    def get_impl_key(self, sig: Any) -> Any:
        """The key under which `_call_kernel` is registered."""
        return KernelType


@extending.lower_builtin(KernelType, KernelType, types.VarArg(types.Any))
def _call_kernel(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0].signature
    pointer = builder.bitcast(args[0], context.call_conv.get_function_type(kind.return_type, kind.args).as_pointer())
    return _call(context, builder, kind, pointer, args[1:])


def _call(context: Any, builder: Any, kind: Any, function: Any, args: Any) -> Any:
    convention = context.call_conv
    status, result = convention.call_function(builder, function, kind.return_type, kind.args, args)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result if kind.return_type != types.void else context.get_dummy_value()


class SymbolType(types.Callable, types.Opaque):
    """A kernel that another kernel calls by name: a symbol, which is resolved when the caller is loaded. Linking the kernel itself into the
    caller would optimise and emit all of its code again, for each law that a user writes."""

    def __init__(self, symbol: str, signature: Any) -> None:
        self.symbol, self.kind = symbol, KernelType(signature)
        super().__init__(name=f"Symbol[{symbol}]")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, as Numba asks for it."""
        return self.kind.get_call_type(context, args, kws).replace(recvr=self)

    def get_call_signatures(self) -> Any:
        """The signatures, for Numba's messages."""
        return self.kind.get_call_signatures()

    def get_impl_key(self, sig: Any) -> Any:
        """The key under which `_call_symbol` is registered."""
        return SymbolType


@lower_constant(SymbolType)
def _symbol_constant(context: Any, *_: Any) -> Any:
    return context.get_dummy_value()


@extending.lower_builtin(SymbolType, SymbolType, types.VarArg(types.Any))
def _call_symbol(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    symbol, kind = sig.args[0].symbol, sig.args[0].kind
    wanted = context.call_conv.get_function_type(kind.signature.return_type, kind.signature.args)
    function = cgutils.get_or_insert_function(builder.module, wanted, symbol)
    return _call(context, builder, kind.signature, function, args[1:])


class CodeType(types.Dispatcher):
    """A function that is linked into its callers. Numba's own type writes the address of the Python object into them, although nothing
    reads it, and does not keep code with such an address."""


@lower_constant(CodeType)
def _code_constant(context: Any, *_: Any) -> Any:
    return context.get_dummy_value()


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
        if kws or args != (numba_type(Workspace.holder),):
            raise TypingError(f"the workspace {self.workspace.name} is taken of {Workspace.holder} alone")
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
    return cgutils.gep_inbounds(builder, args[0], Workspace.holder.offsets[Workspace.field])


extending.register_model(CodeType)(extending.models.OpaqueModel)
extending.register_model(WorkspaceType)(extending.models.OpaqueModel)
extending.register_model(KernelType)(extending.models.OpaqueModel)
extending.register_model(SymbolType)(extending.models.OpaqueModel)


@extending.register_model(BlockType)
class _BlockModel(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: BlockType) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@cache
def numba_type(kind: Any) -> Any:
    """The Numba type for a type of `signatures`."""
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
    """The array, or the function, whose words begin at `at`."""

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


def dispatcher(
    function: Callable[..., Any], allocates: bool, fastmath: Any = False, forced: bool = False, frontend: Any = numba.core.compiler.Compiler
) -> Any:
    """Numba's dispatcher of a function, not compiled yet, without entries from Python or C, which kernels do not need.

    Numba's reference counting is off unless the function `allocates`: atomic counting of views of the work arrays took two thirds of
    the time of a step of a small system. `forced`: the function is called nowhere, its code stands in its callers. `frontend`: Numba's
    passes, its own if nothing is said.
    """
    options = {"_nrt": allocates, "fastmath": fastmath, "forceinline": forced, "pipeline_class": frontend}
    return numba.njit(function, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


def kernel(function: Callable[..., Any], signature: Signature, allocates: bool, cached: bool) -> Any:
    """The function compiled to its signature by stock Numba, as a dispatcher. `cached`: kept in Numba's own cache (`MBSIM_FASTLOAD=0`)."""
    made = dispatcher(function, allocates)
    if cached:
        numba.config.CACHE_DIR = str(CACHE_FOLDER / "stock")
        with suppress(RuntimeError):  # of a function that no file holds
            made.enable_caching()
    with uninterrupted():
        made.compile(numba_type(signature))
    made.disable_compile()
    return made


def address(made: Any) -> int:
    """The address of the code of a compiled kernel."""
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


def calls_by_address() -> tuple[Any, ...]:
    """The intrinsics of `mbsim.jit.calls`, in the order of their numbers there."""
    word, number, status = ir.IntType(64), ir.DoubleType(), ir.IntType(32)
    made = types.int64

    def start(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(context.make_array(signature.args[0])(context, builder, arguments[0]).data, word)

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], word.as_pointer()))

    def store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], builder.inttoptr(arguments[0], word.as_pointer()))
        return arguments[1]

    def call(*kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            function = builder.inttoptr(arguments[0], ir.FunctionType(status, kinds).as_pointer())
            return builder.sext(builder.call(function, arguments[1:]), word)

        return generate

    def of(n: int) -> Any:
        return made(*[made] * (n + 1)), call(*[word] * n)

    intrinsic = extending.intrinsic  # it counts the arguments of what it is given
    return (
        intrinsic(lambda context, array: (made(array), start)),
        intrinsic(lambda context, a: (made(made), load)),
        intrinsic(lambda context, a, x: (made(made, made), store)),
        intrinsic(lambda context, f, a, t: (made(made, made, types.float64), call(word, number))),
        intrinsic(lambda context, f, a: of(1)),
        intrinsic(lambda context, f, a, b: of(2)),
        intrinsic(lambda context, f, a, b, c: of(3)),
        intrinsic(lambda context, f, a, b, c, d: of(4)),
        intrinsic(lambda context, f, a, b, c, d, e: of(5)),
        intrinsic(lambda context, f, a, b, c, d, e, g, h: of(7)),
    )
