"""What leaves of other packages give the assembly. What they do wrong is said in a sentence, with the line of their file."""

import sys
import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

from mbsim import registry
from mbsim.elements.kinds import names
from mbsim.forces._table import Load
from mbsim.model.leaves import Block

T = TypeVar("T")
OWN = "mbsim."  # modules of this package, whose faults are no input


def given_by(leaf: Block, what: str, make: Callable[[], Iterable[T]], wanted: type[T]) -> list[T]:
    """What `make` of a leaf gives, items of the class `wanted`; `what`: such as "force 'motor'".

    Raises PluginError where a leaf of another package raises anything but ValueError, which says what is wrong with the model, and where it
    gives something else.
    """
    if type(leaf).__module__.startswith(OWN):
        return list(make())
    try:
        found = list(make())
        for item in found:
            _check(item, wanted)
    except ValueError:
        raise
    except Exception as error:
        said = f"{_place(leaf, error)}{type(error).__name__}: {error}"
        raise registry.PluginError(f"the {what} is of another package, which failed: {said}") from error
    return found


def _check(item: object, wanted: type) -> None:
    if not isinstance(item, wanted):
        raise TypeError(f"it has to give a list of {wanted.__name__}, in which there is {repr(item)[:60]}")
    if isinstance(item, Load) and item.kind not in range(len(names("loads"))):
        raise TypeError(f"there is no kind of load {repr(item.kind)[:60]} (mbsim.elements.kinds)")


def _place(leaf: Block, error: Exception) -> str:
    """The file of the leaf, the line in which the error arose where it arose there, and a colon."""
    file = getattr(sys.modules.get(type(leaf).__module__), "__file__", None)
    if file is None:
        return ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{file}:{lines[-1]}: " if lines else f"{file}: "
