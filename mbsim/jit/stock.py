"""Where the machine code of a kernel comes from, in the plain way: Numba compiles it, or loads it from its own cache."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from mbsim.jit.signatures import Signature


class Source(NamedTuple):
    """What a kernel is compiled from."""

    function: Callable[..., Any]
    signature: Signature
    allocates: bool  # with Numba's reference counting
    key: str  # name of the files that keep it; empty where there can be none
    missed: Callable[[], None]  # called when it has to be compiled


class StockCode:
    """The machine code of one kernel."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba has compiled."""
        from mbsim.jit import compiler

        source = self.source
        function = getattr(source.function, "python", source.function)  # of what is made on demand: only here
        made = compiler.kernel(function, source.signature, source.allocates, cached=bool(source.key))
        if not made.stats.cache_hits:
            source.missed()
        return made

    @property
    def numba_type(self) -> Any:
        """How Numba sees the kernel where another one calls it by name: it links the kernel into the caller."""
        from mbsim.jit import compiler

        return compiler.CodeType(self.dispatcher)

    def address(self) -> int:
        """Where the code is in memory."""
        from mbsim.jit import compiler

        return compiler.address(self.dispatcher)
