"""Decorators that compile functions: `kernel` at its first use, or from an image of an earlier run; `helper` inside kernels only."""

import atexit
import ctypes
import logging
import marshal
import os
import platform
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, cached_property, partial, update_wrapper
from importlib.util import source_hash
from pathlib import Path
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from mbsim.jit import contents, fastload
from mbsim.jit.fastload.code import FastCode
from mbsim.jit.folder import CACHE_FOLDER, is_empty, stands_for
from mbsim.jit.signatures import Block, Signature, converter, machine_types
from mbsim.jit.stock import Source, StockCode

log = logging.getLogger("mbsim")

COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
_COLD = COMPILES and is_empty()
GENERATED = "mbsim_"  # and 24 hexadecimal digits: names of modules that `mbsim.system.codegen` makes


def is_generated(module: str) -> bool:
    """Whether this is the name of a module that was generated from a model."""
    return module.startswith(GENERATED) and len(module) == len(GENERATED) + 24 and set(module[len(GENERATED) :]) <= set("0123456789abcdef")


def is_cold() -> bool:
    """True if nothing was compiled with these sources when the process began, so that the first run will take a while."""
    return _COLD


@cache
def _announce() -> None:
    """Tell the user, once, that something has to be compiled."""
    log.info("Compiling kernels that no earlier run needed, up to 20 s; they are kept in %s", CACHE_FOLDER)
    atexit.register(_prune)


def has_compiled() -> bool:
    """Whether this process has compiled something that no earlier run needed."""
    return _announce.cache_info().currsize > 0


def _prune() -> None:
    """Keep the cache within its size limit if something was added to it."""
    from mbsim.jit import housekeeping

    housekeeping.prune(CACHE_FOLDER.parent)


by_symbol: "WeakValueDictionary[str, Kernel]" = WeakValueDictionary()  # by what their callers know them under


GIVEN: Any = object()  # in place of a number, of a call that can be repeated: each call is given it


class Kernel:
    """A compiled function that is called through a contract or from Python. A call from Python releases the interpreter's lock.

    A call raises TypeError for arguments of other types than those of the signature.
    """

    __qualname__: str

    def __init__(self, function: "Callable[..., Any] | Made", signature: Signature, allocates: bool) -> None:
        update_wrapper(self, function, updated=())
        self.py_func, self.signature = function, signature
        source = Source(function, signature, allocates, self._key, _announce)
        self._code = self._code_of(source)
        by_symbol[getattr(self._code, "symbol", "")] = self

    @cached_property
    def address(self) -> int:
        """Where its code is in memory: of an earlier run, or compiled now. Until somebody asks it costs nothing."""
        return self._code.address()

    @staticmethod
    def _code_of(source: Source) -> FastCode | StockCode:
        return FastCode(source) if fastload.is_used() else StockCode(source)

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled as the name that its module has it under

    def __call__(self, *arguments: object) -> Any:
        if len(arguments) != len(self._blocks):
            return self._native(arguments, False)()
        words: list[Any] = []
        held = []  # plain tuples become blocks here, and live until the call is done
        for block, convert, value in zip(self._blocks, self._converters, arguments, strict=True):
            if block is None:
                words += convert(value)
            else:
                held.append(block.instance(value))
                words.append(held[-1].address)
        out, error = self._returned(), ctypes.c_void_p()
        if self._function(ctypes.byref(out), ctypes.byref(error), *words):
            self._raise()
        return None if self.signature.returns.name == "void" else out.value

    def bound(self, *arguments: object) -> Callable[..., Any]:
        """A call with these arguments that can be repeated; it uses the contents of the arrays at each call.

        Numbers that are GIVEN are the arguments of each call, in their order.
        """
        return self._native(arguments, True)

    def _native(self, arguments: tuple[Any, ...], repeated: bool) -> Callable[..., Any]:
        if len(arguments) != len(self._blocks):
            raise TypeError(f"{self.__qualname__} takes {len(self._blocks)} arguments (got {len(arguments)})")
        # Plain tuples become blocks here, and are held by the call, because it is their addresses that are handed over.
        held = [value if block is None else block.instance(value) for block, value in zip(self._blocks, arguments, strict=True)]
        found, given = list[Any](), list[int]()
        for convert, value in zip(self._converters, held, strict=True):
            if value is GIVEN:
                given.append(len(found))
            found += (0,) if value is GIVEN else convert(value)
        function, returns = self._function, self.signature.returns.name
        if repeated:  # ctypes takes its own numbers quicker than Python's
            found = [kind(word) for kind, word in zip(self._word_types, found, strict=True)]
        out = self._returned()
        first, second = ctypes.byref(out), ctypes.byref(ctypes.c_void_p())
        numbers = [found[k] for k in given]

        def call_with(*values: float, _held: object = held) -> Any:
            for number, value in zip(numbers, values, strict=True):
                number.value = value
            return call()

        def call(_held: object = held) -> Any:
            if function(first, second, *found):
                self._raise()
            return None if returns == "void" else out.value

        return call_with if given else call

    def _raise(self) -> NoReturn:
        raise RuntimeError(f"{self.__qualname__} raised an exception, which compiled code cannot pass on")

    @cached_property
    def _returned(self) -> Any:
        """The ctypes type of what is returned."""
        return ctypes.c_double if self.signature.returns.name == "float64" else ctypes.c_int64

    @cached_property
    def _blocks(self) -> list[Block | None]:
        return [kind if isinstance(kind, Block) else None for kind in self.signature.arguments]

    @cached_property
    def _converters(self) -> list[Callable[[Any], tuple[Any, ...]]]:
        return [converter(kind) for kind in self.signature.arguments]

    @cached_property
    def _function(self) -> Any:
        # Numba's calling convention: where to put what is returned, where to put an exception, then the arguments' words
        return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *self._word_types)(self.address)

    @cached_property
    def _word_types(self) -> list[Any]:
        """The ctypes types of the words of the arguments."""
        return [kind for argument in self.signature.arguments for kind in machine_types(argument)]

    @cached_property
    def _numba_type_(self) -> Any:
        """How Numba, which asks for this, sees the kernel when it compiles another one that calls it by name."""
        return self._code.numba_type

    @property
    def _key(self) -> str:
        """The name of its files; '' if there can be none.

        The folder identifies the sources of mbsim. What it is compiled from identifies a kernel of a generated module (`contents.py`), or
        the name of the module where that cannot be told. The file identifies other kernels.
        """
        name = f"{self.__module__}.{self.__qualname__}".replace("<", "").replace(">", "")
        if is_generated(self.__module__):
            return self._key_by_contents() or name
        if self.__module__.startswith("mbsim."):
            return name
        function: Any = self.py_func
        code = function.__code__
        source = Path(code.co_filename)
        try:  # the form without references is the same in each process
            cells = marshal.dumps([cell.cell_contents for cell in function.__closure__ or ()], 2)
        except ValueError:  # what the function is closed over is not plain data
            return ""
        parts = [source.read_bytes() if source.is_file() else b"", marshal.dumps(code, 2), cells, repr(self.signature).encode()]
        return f"{name}.{source_hash(b''.join(parts)).hex()}"

    def _key_by_contents(self) -> str:
        """'' where it is not told."""
        function: Any = self.py_func
        if getattr(function, "__globals__", {}).get("__name__") != self.__module__:  # not of the module's source
            return ""
        try:
            found = contents.told(function, _key_of)
        except contents.UnknownError:
            return ""
        name = self.__qualname__.rpartition(".")[2]
        return f"{GENERATED}{name}.{source_hash(repr(self.signature).encode()).hex()}{found}"


def _key_of(value: object) -> str | None:
    """What stands for a kernel, or for a helper in a file that the cache folder stands for, in the key of a kernel that reads it.

    Raises contents.UnknownError.
    """
    if isinstance(value, Kernel):
        key: str = value._code.source.key
        if not key:
            raise contents.UnknownError(f"{value!r} is not kept")
        return key
    if isinstance(value, Helper):
        module, name = value.py_func.__module__, value.py_func.__qualname__
        if stands_for(module) and vars(sys.modules[module]).get(name) is value:
            return f"{module}.{name}"
        if is_generated(module):
            return f"{value._fastmath} {value._forced} {contents.told(value.py_func, _key_of)}"
        raise contents.UnknownError(f"{name} is no helper of a file")
    return None


class Helper:
    """A function that is compiled into the kernels that call it. From Python it runs as Python."""

    def __init__(self, function: Callable[..., Any], fastmath: object = False, forced: bool = False) -> None:
        update_wrapper(self, function)
        self.py_func, self._fastmath, self._forced = function, fastmath, forced

    def __call__(self, *arguments: object) -> Any:
        return self.py_func(*arguments)

    @cached_property
    def _compiled(self) -> Any:
        from mbsim.jit import compiler

        return compiler.dispatcher(self.py_func, False, self._fastmath, self._forced, **fastload.options())

    @cached_property
    def _numba_type_(self) -> Any:
        """The Numba type of the helper. Numba asks for it when it compiles a function that calls it."""
        from mbsim.jit import compiler

        return compiler.CodeType(self._compiled)


class Made(ABC):
    """A helper whose source is made when a kernel that calls it is compiled, or when it is called from Python."""

    @abstractmethod
    def source(self) -> tuple[str, dict[str, Any]]:
        """The text of a function `made`, and the names that it uses."""

    @cached_property
    def python(self) -> Any:
        """The function."""
        text, space = self.source()
        exec(compile(text, "<made>", "exec"), space)
        return space["made"]

    @cached_property
    def helper(self) -> Any:
        """The function, for kernels to call."""
        return unfolded(self.python)

    def __call__(self, *arguments: object) -> Any:
        return self.helper(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """How Numba sees it, which asks for this when it compiles a function that calls it."""
        return self.helper._numba_type_


def kernel(signature: Signature, allocates: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile to `signature` at the first use, or load the code of an earlier run: for functions called through a contract or from Python.

    `allocates`: with Numba's reference counting, for kernels that make arrays or call back into Python.
    """
    return (lambda function: Kernel(function, signature, allocates)) if COMPILES else (lambda function: function)


def helper(function: Callable[..., Any]) -> Any:
    """Compile into the kernels that call it; never loaded on its own, so a warm start does not pay for it."""
    return Helper(function) if COMPILES else function


def unfolded(function: Callable[..., Any]) -> Any:
    """A helper that becomes a part of its callers in any case, where LLVM might call it instead, with all the words of its arrays."""
    return Helper(function, forced=True) if COMPILES else function


def fused(function: Callable[..., Any]) -> Any:
    """A helper whose products and sums may be rounded once instead of twice: a third faster for pure multiply-and-add loops."""
    return Helper(function, {"contract"}) if COMPILES else function


def summed(function: Callable[..., Any]) -> Any:
    """A helper whose sums may be added up in any order, so several at a time: a fourth of the time of a long dot product."""
    return Helper(function, {"contract", "reassoc", "nsz"}) if COMPILES else function


def inlined(compiled: Any) -> Any:
    """The source of a kernel compiled again as a helper, to be contained in another kernel."""
    return helper(getattr(compiled, "py_func", compiled))


def bound(compiled: Any, *arguments: Any) -> Callable[..., Any]:
    """A call of a kernel with these arguments that can be repeated; it uses the contents of the arrays at each call.

    Numbers that are GIVEN are the arguments of each call, in their order.
    """
    if isinstance(compiled, Kernel):
        return compiled.bound(*arguments)
    if not any(value is GIVEN for value in arguments):
        return partial(compiled, *arguments)

    def call(*values: float) -> Any:
        left = iter(values)
        return compiled(*(next(left) if value is GIVEN else value for value in arguments))

    return call


@helper
def index(x):
    """An index x >= 0 from a table. Numba then does not check at each use whether to count from the end, a fifth of the time of a sweep."""
    return x & 0x7FFFFFFF


_FLUSH = 0x8040  # of the control register MXCSR: results and operands below 2.2e-308 count as zero


class Intrinsic:
    """One of the intrinsics that a function of `compiler` makes, by its number, made on Numba's request."""

    def __init__(self, maker: str, number: int) -> None:
        self._maker, self._number = maker, number

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        made = _intrinsics(self._maker)[self._number]
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(made)


@cache
def _intrinsics(maker: str) -> tuple[Any, ...]:
    from mbsim.jit import compiler

    made: tuple[Any, ...] = getattr(compiler, maker)()
    return made


if COMPILES and platform.machine() in ("x86_64", "AMD64"):
    _read_control: Any = Intrinsic("control_register", 0)
    _write_control: Any = Intrinsic("control_register", 1)

    @helper
    def flush_subnormals():
        """Count numbers below 2.2e-308 as zero, and return what `restore_subnormals` needs.

        Arithmetic with them takes a hundred times as long, and bodies that come to rest, or lie far down a chain, produce many of them.
        """
        kept = _read_control()
        _write_control(kept | _FLUSH)
        return kept

    @helper
    def restore_subnormals(kept):
        """Restore the treatment of these numbers to that before the flush."""
        _write_control(kept)

else:

    @helper
    def flush_subnormals():
        """Do nothing on this kind of processor."""
        return 0

    @helper
    def restore_subnormals(kept):
        return kept
