"""What a model is given as."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mbsim.model.file.errors import ExpressionError
from mbsim.model.file.overrides import Overrides
from mbsim.model.file.positions import Document, read, read_file
from mbsim.model.schema import Model
from mbsim.model.source import TEXT, file_or_text
from mbsim.model.targets import Target
from mbsim.system.system import Floats


class RunnerError(ValueError):
    """What a runner is asked for does not fit its model."""


def document_of(model: str | Path | Mapping[str, object] | Document | Model) -> Document:
    """The document that is read. Raises ModelError."""
    if isinstance(model, Document):
        return model
    if isinstance(model, Model):
        return model.document
    given, name = file_or_text(model)
    return read(read_file(given), str(given)) if isinstance(given, Path) else read(given, name or TEXT)


def changes_of(model: Model) -> Overrides:
    """What replaced values of the file of a model. Raises RunnerError for tables, which runs take from the file."""
    if model.overrides.tables:
        raise RunnerError(f"runs take tables from the model's file, not those given beside it: {', '.join(model.overrides.tables)}")
    return model.overrides


def base_of(document: Document, model: Model, targets: Sequence[Target]) -> Floats:
    """What the file has for each target (n,); 0 of what is added, NaN of a law over time or state."""
    from mbsim.model.expressions.evaluation import evaluate
    from mbsim.model.expressions.expression import parse

    found = np.zeros(len(targets))
    for k, one in enumerate(targets):
        if one.add:
            continue
        value = model.parameters.get(one.parameter)
        if value is None:
            raw = document.data
            for part in one.path:
                raw = raw[part]
            try:
                value = evaluate(parse(raw), model.parameters)
            except ExpressionError:
                value = float("nan")
        found[k] = value
    return found
