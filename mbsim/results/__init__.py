"""The result of a run: the recorded variables, their names, writing and reading.

One HDF5 file per run, laid out as netCDF 4 does (dimension scales, labels as coordinates, CF attributes), so that
`xarray.open_dataset(path, engine="h5netcdf")` opens it without knowing mbsim. `SERIES` is the table of names.

Names are imported on first use: commands that only write a file (`outputs`) need no HDF5.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbsim.results.hdf5 import open_result
    from mbsim.results.read import Result, ResultError
    from mbsim.results.record import FileRecorder, MemoryRecorder
    from mbsim.results.schema import SERIES, Layout, Series, measure
    from mbsim.results.write import write_group

_HOMES = {
    "open_result": "hdf5",
    "Result": "read",
    "ResultError": "read",
    "FileRecorder": "record",
    "MemoryRecorder": "record",
    "SERIES": "schema",
    "Layout": "schema",
    "Series": "schema",
    "measure": "schema",
    "write_group": "write",
}

__all__ = ["SERIES", "FileRecorder", "Layout", "MemoryRecorder", "Result", "ResultError", "Series", "measure", "open_result", "write_group"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"mbsim.results.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mbsim.results' has no attribute {name!r}")
