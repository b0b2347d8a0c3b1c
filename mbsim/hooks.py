"""How a model, a result or modes are shown: `Result.plot`, `Model.draw`. Rooms above theirs make pictures and pages, and register here
what they are asked for (`mbsim/__init__.py` does it).
"""

from collections.abc import Callable
from typing import Any

_ways: dict[str, Callable[..., Any]] = {}


def register(way: str, show: Callable[..., Any]) -> None:
    """Let `show` do what is asked for by the name `way`."""
    _ways[way] = show


def show(way: str, *arguments: object) -> Any:
    """Do what is registered for `way`."""
    return _ways[way](*arguments)
