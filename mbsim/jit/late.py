"""Kernels that other kernels call by name and that are not compiled before a model needs them.

The kernels of bodies know all kinds of elements. Some kinds take as long to compile as all others together, and few models have them. Their
functions are kernels of this class. Those that call them are compiled, and loaded, without them.
"""

from collections.abc import Callable
from typing import Any

from mbsim.jit import fastload
from mbsim.jit.fastload.code import FastCode
from mbsim.jit.fastload.late import LateCode
from mbsim.jit.kernels import COMPILES, Kernel, by_symbol
from mbsim.jit.signatures import Signature
from mbsim.jit.stock import Source, StockCode


class LateKernel(Kernel):
    """A kernel that is compiled, or loaded, by `load` or by a call from Python. A kernel that calls it before raises RuntimeError there."""

    @staticmethod
    def _code_of(source: Source) -> FastCode | StockCode:
        return LateCode(source) if fastload.is_used() else StockCode(source)

    def load(self) -> None:
        """Have it ready. Its derivatives are not (`load_derivatives`)."""
        if isinstance(self._code, LateCode):
            self._code.load()

    def load_derivatives(self) -> None:
        """Have those of its derivatives ready that kernels call which are loaded, or will be."""
        if not isinstance(self._code, LateCode):
            return
        begin = f"{self._code.symbol}_along_"
        self._code.want(begin)
        for symbol, kernel in list(by_symbol.items()):
            if symbol.startswith(begin) and isinstance(kernel, LateKernel):
                kernel.load()

    def __call__(self, *arguments: object) -> Any:
        self.load()
        return super().__call__(*arguments)

    def bound(self, *arguments: object) -> Callable[[], Any]:
        """A call with these arguments that can be repeated."""
        self.load()
        return super().bound(*arguments)


def late_kernel(signature: Signature) -> Callable[[Callable[..., Any]], Any]:
    """A function of this signature, for other kernels to call, that is compiled when `load` asks for it."""
    return (lambda function: LateKernel(function, signature, allocates=False)) if COMPILES else (lambda function: function)
