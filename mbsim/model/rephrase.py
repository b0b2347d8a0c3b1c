"""Pydantic's validation errors -> messages for the user: the place, the problem, the given value, the allowed values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mbsim.model.expressions.expression import ExpressionError
from mbsim.model.fields import AlreadyReportedError, ItemError
from mbsim.model.file.errors import did_you_mean, shown
from mbsim.model.file.plain import Plain, value_at
from mbsim.model.file.positions import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem whose place is still a path. `at` says whether it is about the value, its key, or a missing key of the block."""

    path: Path
    message: str
    at: Literal["value", "key", "block"] = "value"
    offset: int | None = None  # character of an expression
    related: tuple[Path, ...] = ()  # further places that the message refers to


def faults(error: ValidationError, block: type[BaseModel], data: Plain) -> Iterator[Fault]:
    """The faults of a block read from `data`, with paths relative to the block. At most one per place and kind."""
    seen: set[tuple[Path, str]] = set()
    for detail in error.errors(include_url=False):
        fault = _fault(detail, block, data)
        if fault is None:
            continue
        # A value that fits none of several types is reported once, not once per type.
        place = (fault.path, fault.message if fault.at == "block" else fault.at)
        if place not in seen:
            seen.add(place)
            yield fault


def _fault(detail: ErrorDetails, block: type[BaseModel], data: Plain) -> Fault | None:
    kind: str = detail["type"]
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, AlreadyReportedError):
        return None
    if kind == "missing":
        location = detail["loc"]
        return Fault(_real_path(location[:-1], data), f"missing key '{location[-1]}'", "block")
    path = _real_path(detail["loc"], data)
    if kind == "extra_forbidden":
        key = str(path[-1])
        meant = block.meant_by(key) if len(path) == 1 and hasattr(block, "meant_by") else ""
        hint = f"; {meant}" if meant else did_you_mean(key, _keys(block, path[:-1], data))
        return Fault(path, f"unknown key '{key[:60]}'{hint}", "key")
    if kind == "union_tag_invalid":
        tags = re.findall(r"'([^']*)'", str(detail["ctx"]["expected_tags"]))
        key, word = str(detail["ctx"]["discriminator"]).strip("'"), str(detail["ctx"]["tag"])
        return Fault((*path, key), f"unknown {path[-1] if isinstance(path[-1], str) else path[-2]} '{word[:60]}'{did_you_mean(word, tags)}")
    if kind == "union_tag_not_found":
        key = str(detail["ctx"]["discriminator"]).strip("'")
        if isinstance(detail["input"], dict) and key in detail["input"]:
            return Fault((*path, key), f"expected a word (got {shown(detail['input'][key])})")
        return Fault(path, f"missing key '{key}'", "block")
    if isinstance(cause, ItemError):
        path, cause = (*path, *cause.path), cause.error
    if isinstance(cause, ExpressionError):
        return Fault(path, cause.message, "value", cause.offset)
    if cause is not None:
        return Fault(path, str(cause))
    return Fault(path, _sentence(kind, detail))


def _sentence(kind: str, detail: ErrorDetails) -> str:
    value, context = detail.get("input"), detail.get("ctx", {})
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]} (got {shown(value)})"
    if kind in ("too_short", "too_long"):
        limit = context.get("min_length", context.get("max_length"))
        bound = "at least" if kind == "too_short" else "at most"
        return f"expected {bound} {limit} items (got {context.get('actual_length', len(value or ()))}: {shown(value)})"
    if kind in ("literal_error", "enum"):
        choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        hint = did_you_mean(value, choices) if isinstance(value, str) else f"; allowed: {', '.join(choices)}"
        return f"unknown value {shown(value)}{hint}"
    message: str = detail["msg"]
    return f"{message[:1].lower()}{message[1:]} (got {shown(value)})"


_EXPECTED = {
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping (keys and values)",
    "model_type": "a mapping (keys and values)",
    "model_attributes_type": "a mapping (keys and values)",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
}


def _real_path(location: Sequence[str | int], data: Plain) -> Path:
    """Pydantic's location without the tags that it adds for unions and validators: only steps that exist in the data."""
    path: list[str | int] = []
    for part in location:
        inside = data.keys() if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
        if part in inside:
            data = value_at(data, (part,))
            path.append(part)
    return tuple(path)


def _keys(block: type[BaseModel], path: Path, data: Plain) -> list[str]:
    """The keys that the block at `path` below `block` may have; of several kinds of block that of its `type`."""
    models = [block]
    for part in path:
        data = value_at(data, (part,))
        if isinstance(part, str):
            fields = [model.model_fields[part] for model in models if part in model.model_fields]
            models = [inner for field in fields for inner in _models(field.annotation)] or models
        if isinstance(data, dict) and len(models) > 1:
            models = [model for model in models if data.get("type") in _words_of(model)] or models
    return list(models[0].model_fields)


def _words_of(model: type[BaseModel]) -> tuple[object, ...]:
    """What the `type` of a block may be, where it is one of a few words."""
    return get_args(model.model_fields["type"].annotation) if "type" in model.model_fields else ()


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
