"""Kernels and helpers as functions of Python over traced numbers: the same code, with the functions that it calls taken from here.

Nothing is compiled or read as text. A name that a function uses is looked up in its module, and a kernel, a helper or a function of `math`
there is replaced. Other names are what they are.
"""

import builtins
import math
from collections.abc import Callable, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from mbsim.jit.kernels import Helper, Kernel, Made
from mbsim.jit.straight.graph import CALLED, TraceError, apply, larger, smaller
from mbsim.jit.straight.trigonometry import cosine, is_traced, sine


def _function(plain: Callable[..., Any], traced: Callable[..., Any]) -> Callable[..., Any]:
    """`plain` of numbers, `traced` where one of them is."""

    def either(*numbers: Any) -> Any:
        return traced(*numbers) if any(is_traced(x) for x in numbers) else plain(*numbers)

    return either


def _named(name: str) -> Callable[..., Any]:
    return _function(getattr(math, name), lambda *numbers: apply(name, *numbers))


def _extreme(plain: Callable[..., Any], of_two: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def traced(*numbers: Any) -> Any:
        found = numbers[0]
        for x in numbers[1:]:
            found = of_two(found, x)
        return found

    return _function(plain, traced)


SQRT = _function(math.sqrt, lambda x: apply("sqrt", x))
_REPLACED: dict[Any, Any] = {
    math.sqrt: SQRT,
    math.sin: _function(math.sin, sine),
    math.cos: _function(math.cos, cosine),
    math.floor: _function(math.floor, lambda x: apply("floor", x)),
    math.fabs: abs,
    **{getattr(math, name): _named(name) for name in CALLED},
    np.sqrt: SQRT,
    np.sin: _function(math.sin, sine),
    np.cos: _function(math.cos, cosine),
    np.isfinite: _function(math.isfinite, lambda x: abs(x) < math.inf),
}
_KEPT = (np.float64, np.int64, np.bool_)
_BUILTINS = {"max": _extreme(max, larger), "min": _extreme(min, smaller)}


class _Module:
    """The names of `math` or NumPy as kernels use them."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        found = getattr(self._module, name)
        if found in _KEPT or not callable(found):
            return found
        if found not in _REPLACED:
            raise TraceError(f"a kernel asks {self._module.__name__}.{name} of a number")
        return _REPLACED[found]


class Retarget:
    """The functions that were made of kernels and helpers."""

    def __init__(self, replaced: Mapping[Kernel | Helper, Any] | None = None) -> None:
        """`replaced`: kernels and helpers that are something else over traced numbers, as those that search."""
        self._made: dict[int, Any] = {}
        self._held: list[Any] = []  # whose ids are keys
        for of, found in (replaced or {}).items():
            self._keep(of, found)
        self._modules = {id(module): _Module(module) for module in (math, np)}

    def __call__(self, of: Any) -> Any:
        """What a kernel, a helper or a function is over traced numbers; anything else is itself."""
        if id(of) in self._made:
            return self._made[id(of)]
        if isinstance(of, (Kernel, Helper)):
            found = self(of.py_func)
        elif isinstance(of, Made):
            found = self(of.python)
        elif id(of) in self._modules:
            return self._modules[id(of)]
        elif isinstance(of, FunctionType) and of.__module__ != __name__:
            return self._function(of)
        else:
            try:
                found = _REPLACED.get(of, of)
            except TypeError:  # not hashable: a table
                return of
        self._keep(of, found)
        return found

    def _keep(self, of: Any, found: Any) -> None:
        self._made[id(of)] = found
        self._held.append(of)

    def _function(self, of: FunctionType) -> FunctionType:
        space: dict[str, Any] = {"__builtins__": builtins}
        cells = tuple(CellType() for _ in of.__closure__ or ())
        found = FunctionType(of.__code__, space, of.__name__, of.__defaults__, cells)
        self._keep(of, found)  # before what it calls is looked at, which may be itself
        for name in _names(of.__code__):
            if name in of.__globals__:
                space[name] = self(of.__globals__[name])
            elif name in _BUILTINS:
                space[name] = _BUILTINS[name]
        for mine, cell in zip(cells, of.__closure__ or (), strict=True):
            mine.cell_contents = self(cell.cell_contents)
        return found


def _names(code: CodeType) -> set[str]:
    """The names that a code object looks up, with those of the functions inside."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found
