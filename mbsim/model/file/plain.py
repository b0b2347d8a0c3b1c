"""Plain data: what a YAML or JSON text holds."""

from collections.abc import Sequence
from typing import TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
Mapped: TypeAlias = dict[str, Plain]


def value_at(data: Plain, path: Sequence[str | int]) -> Plain:
    """What stands at a path; None where a block on the way has no such key."""
    for part in path:
        if isinstance(part, int):
            data = data[part] if isinstance(data, list) else None
        else:
            data = data.get(part) if isinstance(data, dict) else None
    return data
