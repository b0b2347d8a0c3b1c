"""How a result is shown. Pictures and pages are made by rooms above this one, so they are registered here (`mbsim/__init__.py` does it)."""

from collections.abc import Callable
from typing import Any

_ways: dict[str, Callable[..., Any]] = {}


def register(way: str, show: Callable[..., Any]) -> None:
    """Let `show` do what `Result.plot` or `Result.view` is asked for; `way` is the name of the method."""
    _ways[way] = show


def show(way: str, *arguments: Any) -> Any:
    """Do what is registered for `way`."""
    return _ways[way](*arguments)
