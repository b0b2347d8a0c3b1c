"""What a model is given as."""

from collections.abc import Mapping
from pathlib import Path

from mbsim.model.file.overrides import Overrides
from mbsim.model.file.positions import Document, read, read_file
from mbsim.model.schema import Model
from mbsim.model.source import TEXT, file_or_text


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
