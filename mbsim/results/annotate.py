"""Adding to a finished result what was found out about it later."""

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import h5py


def annotate(path: Path, name: str, values: list[Any]) -> None:
    """Write a list as the JSON dataset `name` of a result file, in place of an older one. The file is whole at any time.

    Raises OSError when it cannot be written; the result is then as it was.
    """
    data = json.dumps(values).encode()
    handle, made = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.absolute().parent)
    os.close(handle)
    copy = Path(made)
    try:
        shutil.copy(path, copy)
        with h5py.File(copy, "r+", libver=("v108", "v108")) as file:
            if name in file:
                del file[name]
            file.create_dataset(name, data=data, dtype=h5py.string_dtype("utf-8", len(data)))
        with copy.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(copy, path)
    finally:
        copy.unlink(missing_ok=True)
