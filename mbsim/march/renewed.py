"""Copies of records and of objects with other values: events make many of them."""

from typing import TypeVar

T = TypeVar("T")


def renewed(record: T, **values: object) -> T:
    """The same with other values: as `dataclasses.replace` of a frozen one and `copy.copy` do, in a tenth of the time.

    It asks no field by its name, so that these have to exist; nothing may be worked out from them in the object.
    """
    made = object.__new__(type(record))
    vars(made).update(vars(record), **values)
    return made
