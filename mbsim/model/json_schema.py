"""JSON Schema of the model file, for editors (`# yaml-language-server: $schema=...`) and other tools."""

from collections.abc import Mapping
from typing import Any

from mbsim.model.drivers import Driver
from mbsim.model.leaves import Block
from mbsim.model.measures import MeasureBlock
from mbsim.model.reference import Reference
from mbsim.model.schema import Body, Energy, Ground, Simulation
from mbsim.model.states import State
from mbsim.model.table_block import TableBlock

_NUMBER: dict[str, Any] = {"type": ["number", "string"]}
_NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$"


def json_schema(catalogue: Any) -> dict[str, Any]:
    """The schema (draft 2020-12) of a whole file, with every leaf of `catalogue` (`names(kind)`, `leaf(kind, word)`) by its `type`."""
    definitions: dict[str, Any] = {}
    vector = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 3}
    simulation = _block(Simulation, definitions)
    for key, kind in (("method", "methods"), ("integrator", "integrators")):
        _enumerate(simulation["properties"][key], ["auto", *catalogue.names(kind)])
        for word in catalogue.names(kind):
            for name, option in catalogue.options(kind, word).items():
                described = simulation["properties"].setdefault(name, _option(option))
                described["description"] = f"{described['description']}; {key} {word}: {option.help}".removeprefix("; ")
    properties = {
        "name": {"type": "string", "description": "title of the model"},
        "dimension": {"enum": [2, 3], "default": 3, "description": "2: bodies live in the x-y plane"},
        "gravity": {**vector, "description": "acceleration of gravity, global frame, m/s^2"},
        "parameters": _named(_NUMBER, "numbers, or expressions over other parameters"),
        "tables": _named(_block(TableBlock, definitions), "functions of one argument, given by points, that laws call by name"),
        "coordinates": {
            "anyOf": [{"enum": ["absolute", "joint"]}, {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True}],
            "description": "absolute coordinates of the bodies (default), those of the joints, or the user's own",
        },
        "ground": {**_block(Ground, definitions), "type": ["object", "null"], "description": "the fixed body"},
        "bodies": _named(_block(Body, definitions), "rigid bodies"),
        "joints": _named(_leaves("joints", catalogue, definitions), "joints between bodies"),
        "drivers": _named(_block(Driver, definitions), "prescribed motions"),
        "forces": _named(_leaves("forces", catalogue, definitions), "forces"),
        "controllers": _named(_leaves("controllers", catalogue, definitions), "controllers of coordinates"),
        "constraints": _named(_leaves("constraints", catalogue, definitions), "constraint equations"),
        "states": _named(
            {"anyOf": [_NUMBER, _block(State, definitions)]}, "quantities with a rate of their own, such as the integral of a controller"
        ),
        "energy": _block(Energy, definitions),
        "initial": {
            "type": "object",
            "properties": {"fix": {"type": "array", "items": {"type": "string"}, "description": "names that assembly must keep"}},
            "additionalProperties": {"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER}]},
            "description": "start values: theta, der(theta), crank.velocity ...",
        },
        "steady": {
            "type": ["object", "null"],
            "additionalProperties": _NUMBER,
            "description": "speeds of a steady motion, which mbsim equilibrium then finds: der(theta), wheel.omega.y ...",
        },
        "simulation": simulation,
        "measures": _named(
            {"anyOf": [_NUMBER, _block(MeasureBlock, definitions)]}, "expressions over what a run records, recorded beside it"
        ),
        "reference": _block(Reference, definitions),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mbsim model",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": ["simulation"],
        "$defs": definitions,
    }


def _enumerate(field: dict[str, Any], words: list[str]) -> None:
    """Only these words, with or without options in parentheses."""
    text = {"anyOf": [{"enum": words}, {"type": "string", "pattern": rf"^({'|'.join(words)})\\(.*\\)$"}]}
    field.pop("type", None)
    field |= text


def _option(option: Any) -> dict[str, Any]:
    """The schema of a method's or integrator's option."""
    if option.choices:
        return {"enum": list(option.choices), "description": ""}
    if option.names:
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}], "description": ""}
    return {"type": "boolean" if isinstance(option.default, bool) else ["number", "string"], "description": ""}


def _named(item: Mapping[str, Any], description: str) -> dict[str, Any]:
    """A section: names chosen by the user, each with a block."""
    return {
        "type": ["object", "null"],
        "propertyNames": {"pattern": _NAME_PATTERN},
        "additionalProperties": dict(item),
        "description": description,
    }


def _block(kind: type[Block], definitions: dict[str, Any]) -> dict[str, Any]:
    schema = kind.model_json_schema()
    definitions |= schema.pop("$defs", {})
    _drop_titles(schema)
    if "position" in schema["properties"] and kind is Body:
        schema["anyOf"] = [{"required": ["mass", "inertia"]}, {"required": ["density", "shape"]}]
    return schema


def _leaves(kind: str, catalogue: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Any leaf of a kind; an unknown `type` fits none of them."""
    alternatives = []
    words = catalogue.names(kind)
    for word in words:
        schema = _block(catalogue.leaf(kind, word), definitions)
        schema["properties"]["type"] = {"const": word, "description": schema["properties"]["type"].get("description", "")}
        alternatives.append({"if": {"properties": {"type": {"const": word}}}, "then": schema})
    # Conditions instead of anyOf: an editor then shows the errors of the type that was written, not those of all types.
    return {"type": "object", "properties": {"type": {"enum": words}}, "required": ["type"], "allOf": alternatives}


def _drop_titles(schema: Any) -> None:
    """Pydantic's titles repeat the keys ("Free Length") and hide the descriptions in editors."""
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            del schema["title"]
        for value in schema.values():
            _drop_titles(value)
    elif isinstance(schema, list):
        for value in schema:
            _drop_titles(value)
