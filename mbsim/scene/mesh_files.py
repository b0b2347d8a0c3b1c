"""Which files of meshes the scene of a file may name: a result need not be trusted, so it does not say what is read of this machine."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from mbsim.model.file.shipped import SUFFIXES

ELSEWHERE = (
    "%d mesh%s of other folders than the result's %s not read, because a result need not be trusted: "
    "put the model file beside the result, or view the model file itself"
)
log = logging.getLogger("mbsim")

Shapes = list[dict[str, Any]]  # of a body or of the ground


def is_elsewhere(shape: dict[str, Any]) -> bool:
    """Whether a shape is a mesh whose file is neither in the folder of the result nor below it."""
    path = PurePath(str(shape.get("file", "")))
    return path.is_absolute() or ".." in path.parts


def leave_out_elsewhere(lists: Iterable[Shapes]) -> None:
    """Take the meshes that are elsewhere out of lists of shapes, and say how many there were."""
    left_out = 0
    for shapes in lists:
        kept = [shape for shape in shapes if not is_elsewhere(shape)]
        left_out += len(shapes) - len(kept)
        shapes[:] = kept
    if left_out:
        log.warning(ELSEWHERE, left_out, "es" * (left_out > 1), "are" if left_out > 1 else "is")


def is_model_beside(model_yaml: str, folder: Path) -> bool:
    """Whether a folder holds a model file with this text: then the file names the meshes, as it does where itself is shown."""
    text = model_yaml.encode()
    with suppress(OSError):
        for path in folder.iterdir():
            if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size == len(text) and path.read_bytes() == text:
                return True
    return False
