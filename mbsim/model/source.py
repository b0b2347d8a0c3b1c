"""What a model may be given as in Python: a path, a shipped name, YAML text, or plain data -> text and the name to show in errors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from mbsim.model.file import shipped
from mbsim.model.file.nodes import MAX_DEPTH

try:
    from yaml import CSafeDumper as _Dumper
except ImportError:  # PyYAML built without libyaml: slower, same text
    from yaml import SafeDumper as _Dumper  # type: ignore[assignment]

TEXT = "the model"  # stands for the file in errors
SHOWN = 60  # characters of a place in a message
ASSEMBLED = ("Assembly", "System")  # classes of rooms above


def file_or_text(source: str | Path | Mapping[str, object]) -> tuple[str | Path, str | None]:
    """The two arguments `source` and `file` of `mbsim.model.load.load`.

    A text of several lines is YAML, one of a line a path or the name of a shipped model. Raises mbsim.model.file.shipped.NoModelError, and
    TypeError for data that a file cannot hold.
    """
    if isinstance(source, Mapping):
        return _write(plain(source)), TEXT
    if isinstance(source, str) and "\n" in source:
        return source, TEXT
    if isinstance(source, str | Path):
        return shipped.find(source), None
    raise no_model(source)


def no_model(given: object) -> TypeError:
    """The error that says what a model is given as."""
    return TypeError(f"a model is a path, the name of a shipped model, YAML text or a dictionary (got {_kind(given)})")


def _kind(source: object) -> str:
    """The kind of what is no model in a message; what is assembled already was read from a model, which is asked for."""
    name = type(source).__name__
    return f"{name}; give the model that it was assembled from" if name in ASSEMBLED else name


def _write(data: object) -> str:
    """Plain data as YAML text."""
    try:
        return str(yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True))
    except UnicodeEncodeError:  # half a surrogate pair, which libyaml cannot write: the reader says where it stands
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def plain(value: object, path: str = "", around: tuple[int, ...] = ()) -> Any:
    """Plain data with dictionaries, lists and numbers of Python's own, as YAML knows them. Raises TypeError, which names the place.

    `around`: the identities of what contains the value.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping | list | tuple):
        if id(value) in around:
            raise TypeError(f"{path}: a {type(value).__name__} that contains itself")
        if len(around) > MAX_DEPTH:
            raise TypeError(f"{path[:SHOWN]}...: blocks are nested more than {MAX_DEPTH} deep")
        inside = (*around, id(value))
        if isinstance(value, Mapping):
            return {str(key): plain(item, f"{path}.{key}".lstrip("."), inside) for key, item in value.items()}
        return [plain(item, f"{path}[{k}]", inside) for k, item in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{path}: a model consists of numbers, texts, lists and dictionaries (got {type(value).__name__})")
