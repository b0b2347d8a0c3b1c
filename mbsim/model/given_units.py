"""The units that a file gives to what it records."""

import re
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from mbsim.model.file.errors import shown
from mbsim.model.file.plain import Plain

LONGEST_UNIT = 40  # characters
_NAMED = re.compile(r"[^\W\d_]|[%°]|^\s*1\s*$")  # a letter or a sign, or 1: a number has no unit


def _unit(value: Plain) -> str:
    if value == 1 and value is not True:
        return "1"  # `unit: 1`
    if not isinstance(value, str) or not value.isprintable() or len(value) > LONGEST_UNIT or not _NAMED.search(value):
        raise ValueError(f"expected a unit such as m or rad s-1, or 1 (got {shown(value)})")
    return value.strip()


Unit = Annotated[str, BeforeValidator(_unit), WithJsonSchema({"type": ["string", "integer"]})]
"""A unit in UDUNITS spelling, such as `m s-1`."""
