"""Kernels that are made of one source for the plane and for space, with the common elements and with all: what each is called.

A kernel is found by its name, in the cache and by kept models (`mbsim.kept`): `spatial_all_dynamics` is that of spatial bodies that knows
all elements, `planar_dynamics` that of planar bodies that knows the common ones.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from mbsim.jit import kernel

_DIMENSIONS = {"planar": 2, "spatial": 3}


class Kernels(NamedTuple):
    """Those of a system, by their contracts; `measure` where relative coordinates are known."""

    constraints: Any
    dynamics: Any
    residual: Any
    rates: Any
    move: Any
    energy: Any
    measure: Any = None


def prefix(dimension: int, common: bool) -> str:
    """What the names begin with."""
    return f"{'planar' if dimension == 2 else 'spatial'}{'' if common else '_all'}_"


def named(dimension: int, common: bool) -> Callable[..., Callable[[Callable[..., Any]], Any]]:
    """`kernel` for functions whose names get the prefix."""

    def decorator(contract: Any, linked: bool = False) -> Callable[[Callable[..., Any]], Any]:
        def made(function: Callable[..., Any]) -> Any:
            function.__name__ = function.__qualname__ = prefix(dimension, common) + function.__name__
            return kernel(contract, linked=linked)(function)

        return made

    return decorator


def lookup(name: str, kernels: Callable[[int, bool], Kernels], motion: Callable[[int], tuple[Any, Any]]) -> Any:
    """The kernel of a name; `motion` makes `rates` and `move`, which know no elements. Raises AttributeError."""
    space, _, rest = name.partition("_")
    what = rest.removeprefix("all_")
    if space not in _DIMENSIONS or what not in Kernels._fields:
        raise AttributeError(f"no kernel is called {name}")
    dimension, common = _DIMENSIONS[space], rest == what
    if what in ("rates", "move"):
        return motion(dimension)[what == "move"]
    return getattr(kernels(dimension, common), what)
