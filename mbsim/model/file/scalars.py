"""Plain YAML scalars by the YAML 1.2 core schema, and the place of a character of a scalar in its source."""

import re

_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULL = {"", "~", "null", "Null", "NULL"}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_INTEGER = 300  # digits; Python refuses 4300, and above 308 the value is no finite float


def read_scalar(text: str) -> str | int | float | bool | None:
    """`1e-3` is a float, `010` is ten, `on`, `yes` and `12:30` are text, `.inf` is read (and refused later as not finite)."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= _LONGEST_INTEGER else float(text)
    if _BASED.fullmatch(text):
        return int(text, 0) if len(text) <= _LONGEST_INTEGER else float("inf")
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def offset_in_source(source: str, value: str, offset: int) -> int | None:
    """The place of character `offset` of a scalar's value in its source (with quotes, block header, line folding).

    Folding changes blanks only, so the n-th non-blank character of the value is the n-th of the source. None if quotes are
    escaped inside the scalar, because that does not hold there.
    """
    begin = 0
    if source[:1] in ("|", ">") and "\n" in source:
        begin = source.index("\n") + 1  # the header line, with its comment
    elif source[:1] in ("'", '"') and source[:1] != value[:1]:
        begin = 1
        if "\\" in source or "''" in source[1:-1]:
            return None
    # At a blank, or at the end, the place is that after the last character before it.
    wanted = sum(not character.isspace() for character in value[:offset])
    on_character = offset < len(value) and not value[offset].isspace()
    index = begin - 1
    for _ in range(wanted + on_character):
        index += 1
        while index < len(source) and source[index].isspace():
            index += 1
    if index >= len(source):
        return None
    return max(index if on_character else index + 1, begin)
