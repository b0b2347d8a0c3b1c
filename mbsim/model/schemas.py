"""The JSON schemas of kinds of values. A kind of value is an annotated type: how it is read, and one of these."""

from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema

from mbsim.model.file.plain import Mapped

NUMBER: Mapped = {"type": ["number", "string"]}  # a number, or an expression
NAME: Mapped = {"type": "string"}
NUMBER_OR_LIST: Mapped = {"type": ["number", "string", "array"]}


def array(item: Mapped, least: int, most: int = 0) -> Mapped:
    """A list of `least` to `most` items; 0: of `least`."""
    return {"type": "array", "items": item, "minItems": least, "maxItems": most or least}


VECTOR = array(NUMBER, 2, 3)  # one number per dimension
TWO_NAMES = array(NAME, 2)


def named(item: Mapped) -> Mapped:
    """Items under names that the user chooses."""
    return {"type": ["object", "null"], "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9_]*$"}, "additionalProperties": item}


class OneOrMore:
    """Says in the JSON Schema that an item may stand for a list of one."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        every = dict(handler(core))
        return {"anyOf": [every["items"], every]}


class OrNumber:
    """Says in the JSON Schema that a number may stand for a block."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [dict(NUMBER), dict(handler(core))]}
