"""What is found of a system once and asked for several times in a run: by the run itself, what it observes, and what looks at ranks."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from mbsim.system.system import System

Found = TypeVar("Found")


def remembered(find: Callable[[System], Found]) -> Callable[[System], Found]:
    """`find(system)` of what no number of the system changes, found once. It must not refer to the system, which would never be freed."""
    known: WeakKeyDictionary[System, Found] = WeakKeyDictionary()

    @wraps(find)
    def ask(system: System) -> Found:
        found = known.get(system)
        if found is None:
            found = known[system] = find(system)
        return found

    return ask
