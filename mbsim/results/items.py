"""What may be asked for of a result: a name, or an expression of names, perhaps in a unit. `plot` and `export` read items this way."""

import re
from collections.abc import Sequence

import numpy as np

from mbsim.model.file.errors import ExpressionError
from mbsim.results import functionals
from mbsim.results.recorded_names import RecordedNames
from mbsim.results.variables import ResultError, Variables

OPERATORS = re.compile(r"[(+\-*/^<>,]")  # of expressions; a name has none but in `der(...)`


class ItemError(ValueError):
    """An expression that cannot be used."""


def split(item: str) -> tuple[str, str | None]:
    """`crank.angle in deg` -> what, and the unit that it is asked for in, None without one."""
    what, word, unit = item.rpartition(" in ")
    return (what.strip(), unit.strip()) if word and what.strip() and unit.strip() else (item.strip(), None)


def items(texts: Sequence[str]) -> list[str]:
    """The items of arguments `ITEM[,ITEM...]`. A comma within brackets belongs to its item."""
    found: list[str] = []
    for text in texts:
        depth, begin = 0, 0
        for place, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth <= 0:
                found.append(text[begin:place])
                begin = place + 1
        found.append(text[begin:])
    return [item.strip() for item in found if item.strip()]


def find_recorded(result: Variables, item: str) -> tuple[str, ...] | None:
    """The variable and the labels of an item; None where it is an expression. Raises ResultError for a mere name that is not known."""
    if OPERATORS.search(item.replace("der(", "")):
        return None
    try:
        return result.resolve(*item.split(":"))
    except ResultError:
        if not _is_known(result, item):
            raise
    return None


def _is_known(result: Variables, name: str) -> bool:
    """Whether a name is that of a point, as `rod.B.x`, or of another quantity that a body's motion gives."""
    try:
        RecordedNames(result).find(name)
    except functionals.FunctionalError:
        return False
    return True


def evaluate_item(result: Variables, item: str) -> tuple[np.ndarray, str]:
    """The history of an expression, (k,) or (k, 3) of a vector, and its units. Raises ItemError."""
    try:
        return functionals.history(functionals.parse(item), RecordedNames(result))
    except ExpressionError as error:
        raise ItemError(f"{error.message} (character {error.offset + 1})") from None
