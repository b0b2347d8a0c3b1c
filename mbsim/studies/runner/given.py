"""What a model is given as."""

from collections.abc import Mapping
from pathlib import Path

from mbsim.model.file.positions import Document, read, read_file
from mbsim.model.schema import Model
from mbsim.model.source import TEXT, file_or_text


def document_of(model: str | Path | Mapping[str, object] | Document | Model) -> Document:
    """The document that is read. Raises ModelError."""
    if isinstance(model, Document):
        return model
    if isinstance(model, Model):
        return model.document
    given, name = file_or_text(model)
    return read(read_file(given), str(given)) if isinstance(given, Path) else read(given, name or TEXT)
