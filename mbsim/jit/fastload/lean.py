"""Numba with two of its parts replaced: it links, optimises and emits a kernel once, and it keeps a kernel in one checked file.

What becomes an image is emitted and not loaded by LLVM: its engine keeps all modules, and goes through them for each further one.
"""

import logging
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import llvmlite.binding
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from mbsim.jit import entries
from mbsim.jit.compiler import dispatcher, numba_type
from mbsim.jit.fastload import image
from mbsim.jit.fastload.frontend import Frontend, remembered
from mbsim.jit.signatures import Signature
from mbsim.jit.uninterrupted import uninterrupted

log = logging.getLogger("mbsim")

_told: dict[str, int] = {}  # addresses of kernels that LLVM knows, by symbol
_UNLOADABLE = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, LookupError, RuntimeError, TypeError, ValueError)


class _Library(JITCodeLibrary):
    """What Numba links, optimises and emits of a function: here all of a kernel, once, and of what it contains nothing on its own.

    Numba links every function with all that it contains, optimises it, twice, and emits it, before it goes into its callers and is
    linked and optimised there again. That was more than half of the time of compiling a kernel of many helpers, and half of its memory.
    """

    kernels: ClassVar[list[str]] = []  # that are being compiled, the innermost last
    hear: ClassVar[list[Callable[[bytes], None]]] = []  # called with LLVM's bitcode of each, before it is optimised
    loads: ClassVar[list[bool]] = []  # whether LLVM loads each, too

    def __init__(self, codegen: object, name: str) -> None:
        super().__init__(codegen, name)
        self._emitted = bool(self.kernels) and name == self.kernels[-1]
        self.object_file: bytes | None = None

    def finalize(self) -> None:
        """Link what the kernel contains, directly or not; of a helper, which stays alone, nothing."""
        if self._emitted:
            self._linking_libraries = self._contained()
            super().finalize()
        else:
            self._raise_if_finalized()
            self._finalize_final_module()

    def _contained(self) -> list[Any]:
        """All libraries that this one needs, each before those that it needs: LLVM drops what nobody has called yet."""
        ordered, seen = list[Any](), set[Any]()

        def visit(library: Any) -> None:
            seen.add(library)
            for needed in library._linking_libraries:
                if needed not in seen:
                    visit(needed)
            ordered.append(library)

        visit(self)
        return ordered[-2::-1]

    def _optimize_final_module(self) -> None:
        if self._emitted:
            self.hear[-1](self._final_module.as_bitcode())
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        if self._emitted and self.loads[-1]:
            _tell([function.name for function in self._final_module.functions if function.is_declaration])
            with uninterrupted():
                super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            if self._emitted:
                self.object_file = self._codegen._tm.emit_object(self._final_module)
            self._finalized = True


@contextmanager
def _lean_libraries(kernel: str, hear: Callable[[bytes], None], loads: bool) -> Iterator[None]:
    """Numba makes libraries of our own kind within."""
    codegen = cpu_target.target_context.codegen()
    before, set_env = codegen._library_class, codegen.set_env
    codegen._library_class = _Library
    # Of what is not emitted there is no variable for the environment of Python objects, which kernels do without.
    codegen.set_env = lambda name, env: set_env(name, env) if codegen._engine.is_symbol_defined(name) else None
    _Library.kernels.append(kernel)
    _Library.hear.append(hear)
    _Library.loads.append(loads)
    try:
        yield
    finally:
        _Library.kernels.pop()
        _Library.hear.pop()
        _Library.loads.pop()
        codegen._library_class = before
        codegen.set_env = set_env


def _tell(called: list[str]) -> None:
    """Tell LLVM of the kernels among these functions, which another one calls."""
    for name in called:
        image.ask_for(name)
        address = image.kernels.get(name)
        if address is not None and _told.get(name) != address:
            llvmlite.binding.add_symbol(name, address)
            _told[name] = address


class _Cache(NullCache):
    """One kernel as a file of ours, where Numba keeps two in a form that runs whatever it holds, whole or not.

    Parsing its bitcode is most of a kernel's loading. Only inlining elsewhere takes that, so there are the names that the code defines,
    which is all that Numba reads off it otherwise, and the names of what it calls. `missed` is called when there is nothing to be loaded.
    """

    def __init__(self, path: Path, registers: bool, missed: Callable[[], None]) -> None:
        self._path, self._registers, self._missed = path, registers, missed

    def _key(self, codegen: Any) -> bytes:
        return repr((self._path.name, codegen.magic_tuple())).encode()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba's own method first registers all that its compiler knows, for which it imports scipy.linalg too: a third of a warm start.
        # What is compiled already needs none of it, and compiling does it anyway; but kernels that call back into Python do.
        if self._registers:
            target_context.refresh()
        codegen = target_context.codegen()
        data = entries.read(self._path, self._key(codegen))
        try:
            if data is not None:
                names, called, reduced = pickle.loads(data)
                _tell(called)
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
        (name, kind, (code, _)), *rest = data._reduce()
        module = library._get_module_for_linking()
        names = [x.name for group in (module.functions, module.global_variables) for x in group if not x.is_declaration]
        called = [x.name for x in module.functions if x.is_declaration]
        bitcode = llvmlite.binding.parse_assembly(f'target triple = "{llvmlite.binding.get_process_triple()}"').as_bitcode()
        entries.write(self._path, self._key(data.codegen), dumps((names, called, ((name, kind, (code, bitcode)), *rest))))


def kernel(
    function: Callable[..., Any],
    signature: Signature,
    allocates: bool,
    path: Path | None,
    missed: Callable[[], None],
    hear: Callable[[bytes], None] = lambda bitcode: None,
    loads: bool = True,
) -> Any:
    """The function compiled to its signature, as a dispatcher, which can be called if LLVM `loads` it.

    `path`: where it is kept, if it is. `missed` is called before it is compiled, `hear` with LLVM's bitcode before it is optimised.
    """
    made = dispatcher(function, allocates) if allocates else dispatcher(function, allocates, frontend=Frontend)
    if path is not None:
        made._cache = _Cache(path, allocates, missed)
    else:
        missed()
    with global_compiler_lock, _lean_libraries(function.__qualname__, hear, loads), remembered():
        made.compile(numba_type(signature))
    made.disable_compile()
    return made


def object_code(made: Any) -> tuple[bytes, str]:
    """The object file of a compiled kernel, and the name of its function."""
    (result,) = made.overloads.values()
    result.library._ensure_finalized()
    code = getattr(result.library, "object_file", None) or result.library._get_compiled_object()
    return code, result.fndesc.llvm_func_name
