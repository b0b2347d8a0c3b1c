"""Kernels as object files that a linker takes: position-independent, and without Python.

Numba's functions are functions of LLVM. What numbers a kernel needs from elsewhere are arguments, so its object file asks for other kernels
and for functions of the C library alone; `FOREIGN` says which ones are let through. The name of a kernel says what it was compiled from:
two programs that contain the same one agree on it. An object file is kept in the cache beside the image of the kernel.
"""

import hashlib
import importlib
import re
import zlib
from collections.abc import Sequence
from typing import Any

from mbsim.jit import entries
from mbsim.jit.fastload.code import FastCode
from mbsim.jit.folder import CACHE_FOLDER
from mbsim.jit.forward import derived_kernel
from mbsim.jit.kernels import Kernel, by_symbol

CONTROL = re.compile(r"@llvm\.x86\.sse\.(?:st|ld)mxcsr\b")  # by which marches count numbers below 2.2e-308 as zero
BASELINE = {"x86_64": "x86-64"}  # of a kind of processors the oldest that code for all of them runs on
# of the C library: what compilers call by themselves, and the functions of math.h
FOREIGN = frozenset({
    "memcpy", "memmove", "memset", "memcmp", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign",
    "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ldexp",
    "lgamma", "log", "log10", "log1p", "log2", "modf", "nearbyint", "pow", "remainder", "rint", "round", "sin", "sincos", "sinh",
    "sqrt", "tan", "tanh", "tgamma", "trunc",
})  # fmt: skip


class NotPortableError(ValueError):
    """A kernel needs Python, or what belongs to this process."""


class Objects:
    """The object files of kernels and of all kernels that these call by name."""

    def __init__(self, native: bool, triple: str = "") -> None:
        """`native`: for processors such as this one, else for all of its kind. `triple`: of LLVM, a machine of another kind.

        The second are slower, and round where the first do not: they do not multiply and add at once.
        """
        self.files: dict[str, bytes] = {}  # by the name of the kernel in C
        self._native, self._triple = native, triple
        self._kind = "native" if native else triple or "baseline"

    def add(self, kernel: object) -> str:
        """The name in C of a kernel, which is added. Raises NotPortableError."""
        code = getattr(kernel, "_code", None)
        if not isinstance(kernel, Kernel) or not isinstance(code, FastCode):
            raise NotPortableError(f"{kernel!r} was not compiled by mbsim itself (MBSIM_FASTLOAD, NUMBA_DISABLE_JIT)")
        if code.source.allocates:
            raise NotPortableError(f"{kernel!r} calls Python")
        name = self._name(code)
        if name not in self.files:
            self.files[name] = b""  # it may call itself by way of another
            self.files[name] = self._object(code, name)
        return name

    def program(self, modules: Sequence[str], shown: str) -> bytes:
        """The object file of modules in LLVM's language together, for these machines. `shown`: how names begin that others see.

        Where one has a constant that another declares, its value is put in.
        """
        return _Emitter(self._native, self._triple).together(modules, shown)

    def _name(self, code: FastCode) -> str:
        made = "\0".join([code.symbol, CACHE_FOLDER.name, self._kind])
        return f"mbsim_{hashlib.sha256(made.encode()).hexdigest()[:20]}"

    def _object(self, code: FastCode, name: str) -> bytes:
        """As an earlier export left it, or made now. Behind the file stand the symbols of the kernels that it calls."""
        path = CACHE_FOLDER / f"{code.source.key}.{self._kind}"
        kept = entries.read(path, path.name.encode()) if code.source.key else None
        if kept is None:
            file, called = _Emitter(self._native, self._triple).emit(code, name, self._name)
            kept = zlib.compress("\n".join(called).encode() + b"\0" + file, 1)
            if code.source.key:
                entries.write(path, path.name.encode(), kept)
        called_by_it, _, file = zlib.decompress(kept).partition(b"\0")
        for symbol in filter(None, called_by_it.decode().split("\n")):
            self.add(_by_symbol(symbol, code.symbol))
        return file


class _Emitter:
    """LLVM, set up for position-independent code."""

    def __init__(self, native: bool, given: str) -> None:
        """`given`: the triple of another kind of machine than this one, or nothing."""
        import llvmlite.binding as llvm
        from numba.core import config
        from numba.core.registry import cpu_target

        here = cpu_target.target_context.codegen()  # initialises LLVM
        self._llvm, self._config = llvm, config
        if given:
            llvm.initialize_all_targets()
            llvm.initialize_all_asmprinters()
        triple = given or llvm.get_process_triple()
        self._given, self._triple = given, triple
        processor = llvm.get_host_cpu_name() if native else BASELINE.get(triple.partition("-")[0], "generic")
        target = llvm.Target.from_triple(triple)
        features = here._tm_features if native else ""
        self._machine = target.create_target_machine(cpu=processor, features=features, opt=config.OPT, reloc="pic", codemodel="default")

    def emit(self, code: FastCode, name: str, name_of: Any) -> tuple[bytes, list[str]]:
        """The object file of a kernel, and the symbols of the kernels that it calls."""
        module = self._read(code)
        (own,) = [function.name for function in module.functions if not function.is_declaration and function.linkage.name == "external"]
        self._optimise(module)
        called = []
        for function in list(module.functions):
            if function.name == own:
                function.name = name
                function.visibility = "hidden"
            elif not function.is_declaration:
                function.linkage = "internal"
            elif not function.name.startswith("llvm.") and function.name not in FOREIGN:
                called.append(function.name)
                function.name = name_of(_by_symbol(function.name, code.symbol)._code)
        for variable in module.global_variables:
            variable.linkage = "internal"
        module.verify()
        return bytes(self._machine.emit_object(module)), called

    def together(self, modules: Sequence[str], shown: str) -> bytes:
        """The object file of modules that are linked and optimised as one."""
        first, *others = (self._set_up(self._llvm.parse_assembly(text)) for text in modules)
        for other in others:
            first.link_in(other)
        for function in first.functions:
            if function.is_declaration:
                continue
            if not function.name.startswith(shown):
                function.linkage = "internal"
            elif "windows" in self._given:
                function.storage_class = "dllexport"
        for variable in first.global_variables:
            if not variable.name.startswith(shown):
                variable.linkage = "internal"
        self._optimise(first)
        first.verify()
        return bytes(self._machine.emit_object(first))

    def _set_up(self, module: Any) -> Any:
        """A module for the machine that is wanted."""
        module.triple, module.data_layout = self._triple, str(self._machine.target_data)
        return module

    def _read(self, code: FastCode) -> Any:
        """The functions of a kernel, for the machine that is wanted."""
        module = self._llvm.parse_bitcode(code.bitcode())
        if not self._given:
            return module
        if not self._given.startswith("x86_64"):
            module = self._llvm.parse_assembly(without_control(str(module)))
        return self._set_up(module)

    def _optimise(self, module: object) -> None:
        """As Numba does it."""
        from numba.core.codegen import create_pass_builder

        config = self._config
        builder = create_pass_builder(
            self._machine, opt=config.OPT, loop_vectorize=config.LOOP_VECTORIZE, slp_vectorize=config.SLP_VECTORIZE
        )
        builder.getModulePassManager().run(module, builder)


def without_control(text: str) -> str:
    """The functions of a module, in LLVM's language, without the control register of x86, which other processors do not have."""
    lines = [line for line in text.splitlines() if not (line.startswith("declare") and CONTROL.search(line))]
    found = CONTROL.search("\n".join(lines))
    nothing = "define internal void @no_control_register(ptr %place) {\n  store i32 0, ptr %place\n  ret void\n}\n"
    return "\n".join(CONTROL.sub("@no_control_register", line) for line in lines) + "\n" + nothing * (found is not None)


def _by_symbol(symbol: str, caller: str) -> Any:
    """The kernel that others call by this name. Raises NotPortableError."""
    found: Any = by_symbol.get(symbol)  # also of those that a function has made, which no module has under their name
    if found is None:
        module, _, name = symbol.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError):
            found = derived_kernel(symbol)
    if not isinstance(found, Kernel):
        raise NotPortableError(f"{caller} calls {symbol}, which is no function of the C library")
    return found
