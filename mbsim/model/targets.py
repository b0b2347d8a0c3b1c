"""What varies from run to run: a parameter of a model by its name, or any number of its file by its path, `joints.pin.at[0]`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mbsim.model.expressions.expression import parse
from mbsim.model.file.errors import ExpressionError
from mbsim.model.file.plain import Plain
from mbsim.model.file.positions import Document, Path


class PathError(ValueError):
    """A path that leads to no number of the file."""


@dataclass(frozen=True)
class Target:
    """A number of the model that varies."""

    name: str  # as it was written
    path: Path
    add: bool = False  # whether a value is added to what the file has

    @property
    def parameter(self) -> str:
        """Its name where it is a parameter, else ''."""
        return str(self.path[1]) if len(self.path) == 2 and self.path[0] == "parameters" else ""


def target(document: Document, name: str, add: bool = False) -> Target:
    """What a name means: a parameter, or a path. Raises PathError."""
    from mbsim.model.file.errors import did_you_mean

    known = document.data.get("parameters") if isinstance(document.data, dict) else None
    known = known if isinstance(known, dict) else {}
    if name in known:
        return Target(name, ("parameters", name), add)
    path = document.split(name)
    value = document.data
    for depth, part in enumerate(path):
        inside = isinstance(value, dict) and part in value
        inside = inside or (isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value))
        if not inside:
            if len(path) == 1:
                raise PathError(f"unknown parameter '{name[:60]}'{did_you_mean(name, known) if known else '; the model has no parameters'}")
            raise PathError(_missing(value, path, depth))
        value = value[part]
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise PathError(f"'{name[:60]}' is no number of the file; a path such as joints.pin.at[0] leads to one")
    if path[0] in ("measures", "reference"):
        raise PathError(f"'{name[:60]}' is of what is recorded, and no number of the mechanism; outputs read parameters and measures")
    if isinstance(value, str) and (path[0] == "name" or path[-1] == "type"):
        raise PathError(f"'{name[:60]}' is a word and no number")
    return Target(name, path, add)


def aimed(document: Document, names: Sequence[str | Target], add: Collection[str] = ()) -> tuple[Document, list[Target]]:
    """What the names mean, and the document in which it varies; what is in `add` is added to. Raises PathError.

    A name of `let` that stands for a number becomes a parameter: laws contain what names of `let` stand for, and read parameters.
    """
    targets = [x if isinstance(x, Target) else target(document, x, x in add) for x in names]
    moved = {str(x.path[1]) for x in targets if x.path[0] == "let" and _is_number(document.data, str(x.path[1]))}
    if not moved:
        return document, targets
    let = document.data["let"]
    parameters = {**(document.data.get("parameters") or {}), **{name: let[name] for name in sorted(moved)}}
    data = {**document.data, "parameters": parameters, "let": {name: value for name, value in let.items() if name not in moved}}
    made = {**document.made, **{("parameters", name): ("let", name) for name in moved}}
    is_moved = [x.path[0] == "let" and x.path[1] in moved for x in targets]
    varied = [replace(x, path=("parameters", x.path[1])) if now else x for x, now in zip(targets, is_moved, strict=True)]
    return replace(document, data=data, made=made), varied


def _is_number(data: Any, name: str) -> bool:
    """Whether a name of `let` stands for a number or an expression of parameters alone."""
    try:
        return parse(data["let"][name]).names <= (data.get("parameters") or {}).keys()
    except ExpressionError:
        return False


def _missing(value: Plain, path: Path, depth: int) -> str:
    """What is said of a path whose part at `depth` does not exist in `value`."""
    from mbsim.model.file.errors import did_you_mean, path_text

    found = path_text(path[:depth]) or "the file"
    if isinstance(value, list):
        return f"{found} has {len(value)} items, counted from 0; there is no [{path[depth]}]"
    if isinstance(value, dict):
        return f"{found} has no '{path[depth]}'{did_you_mean(str(path[depth]), [str(key) for key in value])}"
    return f"{found} is a single value; nothing is below it"
