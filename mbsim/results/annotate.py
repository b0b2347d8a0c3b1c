"""Adding to a finished result what was found out about it later."""

import json
import shutil
from pathlib import Path
from typing import Any

import h5py

from mbsim.results import outputs
from mbsim.results.write import keep_text


def annotate(path: Path, name: str, values: list[Any]) -> None:
    """Write a list as the JSON dataset `name` of a result file, in place of an older one. The file is whole at any time.

    Raises OSError when it cannot be written; the result is then as it was.
    """
    with outputs.replacing(path) as copy:
        shutil.copyfile(path, copy)
        with h5py.File(copy, "r+", libver=("v108", "v108")) as file:
            if name in file:
                del file[name]
            keep_text(file, name, json.dumps(values))
