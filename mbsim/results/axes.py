"""Named axes of the datasets of a small HDF5 file: dimension scales, by which xarray knows dimensions and coordinates."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import h5py


def name_axes(file: "h5py.File", labels: Mapping[str, Sequence[str] | np.ndarray | None], axes: Mapping[str, Sequence[str]]) -> None:
    """Make the dimensions of `labels` scales of `file`, and attach them to the datasets of `axes`.

    labels: dimension -> its labels, or numbers; None where a dataset of this name has them already
    axes: dataset -> the dimension of each of its axes

    Raises ValueError where a dataset has another shape than its dimensions.
    """
    import h5py

    for dimension, values in labels.items():
        if values is not None:
            file.create_dataset(dimension, data=values, dtype=None if isinstance(values, np.ndarray) else h5py.string_dtype())
        file[dimension].make_scale(dimension)
    for name, dimensions in axes.items():
        shape = tuple(len(file[dimension]) for dimension in dimensions)
        if file[name].shape != shape:
            raise ValueError(f"{name} has the shape {file[name].shape}; {', '.join(dimensions)} have {shape}")
        for axis, dimension in enumerate(dimensions):
            file[name].dims[axis].attach_scale(file[dimension])
