"""Adds later findings to a finished result."""

import json
import shutil
from pathlib import Path
from typing import Any

import h5py

from mbsim.results import outputs
from mbsim.results.write import keep_text


def annotate(path: Path, name: str, values: list[Any]) -> None:
    """Write a list as the JSON dataset `name` of a result file, in place of an older one. The file is complete at any time.

    Raises OSError if it cannot be written; the result is then unchanged.
    """
    with outputs.replacing(path) as copy:
        shutil.copyfile(path, copy)
        with h5py.File(copy, "r+", libver=("v108", "v108")) as file:
            if name in file:
                del file[name]
            keep_text(file, name, json.dumps(values))
