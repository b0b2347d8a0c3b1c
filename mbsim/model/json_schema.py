"""JSON Schema of the model file, for editors (`# yaml-language-server: $schema=...`) and other tools."""

from mbsim.model.catalogue import SOLVERS, Catalogue
from mbsim.model.file.plain import Mapped, Plain
from mbsim.model.leaves import Block
from mbsim.model.names import GROUND
from mbsim.model.schema import Body, Simulation
from mbsim.model.schemas import NUMBER, named
from mbsim.model.sections import SECTIONS, Section


def json_schema(catalogue: Catalogue) -> Mapped:
    """The schema (draft 2020-12) of a whole file, with every leaf of `catalogue` by its `type`."""
    definitions: Mapped = {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mbsim model",
        "type": "object",
        "properties": {key: _section(key, section, catalogue, definitions) for key, section in SECTIONS.items()},
        "additionalProperties": False,
        "required": ["simulation"],
        "$defs": definitions,
    }


def _section(key: str, section: Section, catalogue: Catalogue, definitions: Mapped) -> Mapped:
    if section.noun:
        schema = _leaves(key, catalogue, definitions)
    elif section.block is not None:
        schema = _block(section.block, definitions)
    else:
        schema = dict(section.schema or {})
    if section.short:
        schema = {"anyOf": [NUMBER, schema]}
    if section.names:
        schema = named(schema)
    if section.block is Simulation:
        _add_options(schema["properties"], catalogue)
    if key == GROUND:
        schema["type"] = ["object", "null"]
    return {**schema, "description": section.help} if section.help else schema


def _add_options(properties: Plain, catalogue: Catalogue) -> None:
    """Methods and integrators with their options, which are further keys of the block."""
    assert isinstance(properties, dict)
    own = set(properties)
    for key, kind in SOLVERS.items():
        words = ["auto", *catalogue.names(kind)]
        solver = properties[key]
        assert isinstance(solver, dict)
        solver.pop("type", None)  # only these words, with or without options in parentheses
        solver["anyOf"] = [{"enum": [*words]}, {"type": "string", "pattern": rf"^({'|'.join(words)})\(.*\)$"}]
        for word in words[1:]:
            for name, option in catalogue.options(kind, word).items():
                if name in own:  # then it is given in parentheses only
                    continue
                described = properties.setdefault(name, option.schema())
                assert isinstance(described, dict)
                before = f"{described['description']}; " if "description" in described else ""
                described["description"] = f"{before}{key} {word}: {option.help}"


def _block(kind: type[Block], definitions: Mapped) -> Mapped:
    schema: Mapped = kind.model_json_schema()
    own = schema.pop("$defs", {})
    assert isinstance(own, dict)
    definitions |= own
    _drop_titles(schema)
    if kind is Body:
        schema["anyOf"] = [{"required": ["mass", "inertia"]}, {"required": ["density", "shape"]}]
    return schema


def _leaves(kind: str, catalogue: Catalogue, definitions: Mapped) -> Mapped:
    """Any leaf of a kind; an unknown `type` fits none of them."""
    alternatives: list[Plain] = []
    words = catalogue.names(kind)
    for word in words:
        leaf = catalogue.leaf(kind, word)
        schema = _block(leaf, definitions)
        properties = schema["properties"]
        assert isinstance(properties, dict)
        properties["type"] = {"const": word, "description": leaf.model_fields["type"].description}
        alternatives.append({"if": {"properties": {"type": {"const": word}}}, "then": schema})
    # Conditions instead of anyOf: an editor then shows the errors of the type that was written, not those of all types.
    return {"type": "object", "properties": {"type": {"enum": [*words]}}, "required": ["type"], "allOf": alternatives}


def _drop_titles(schema: Plain) -> None:
    """Pydantic's titles repeat the keys ("Free Length") and hide the descriptions in editors."""
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            del schema["title"]
        for value in schema.values():
            _drop_titles(value)
    elif isinstance(schema, list):
        for value in schema:
            _drop_titles(value)
