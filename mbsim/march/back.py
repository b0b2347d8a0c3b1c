"""Calls back to what holds the caller, by references that do not keep it: what a run has made is freed at its end, without a collection."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast
from weakref import WeakMethod

P = ParamSpec("P")
R = TypeVar("R")


def back(method: Callable[P, R]) -> Callable[P, R]:
    """A call of a method of an object that lives longer than who calls it."""
    found = WeakMethod(method)

    def call(*arguments: P.args, **named: P.kwargs) -> R:
        return cast("Callable[P, R]", found())(*arguments, **named)

    return call
