"""The result of a run: the recorded variables, their names, writing and reading.

One HDF5 file per run, laid out as netCDF 4 does (dimension scales, labels as coordinates, CF attributes), so that
`xarray.open_dataset(path, engine="h5netcdf")` opens it without mbsim. `SERIES` is the table of names.
"""

from mbsim.results.hdf5 import open_result
from mbsim.results.read import Result, ResultError
from mbsim.results.record import FileRecorder, MemoryRecorder
from mbsim.results.schema import SERIES, Layout, Series, measure
from mbsim.results.write import write_group

__all__ = ["SERIES", "FileRecorder", "Layout", "MemoryRecorder", "Result", "ResultError", "Series", "measure", "open_result", "write_group"]
