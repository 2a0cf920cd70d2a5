# SPDX-License-Identifier: Apache-2.0
"""A Zarr 3 store through zarr-python."""

from __future__ import annotations

from pathlib import Path

from thalweg.errors import ThalwegError, unreadable
from thalweg.files.arrays import ArrayDataset


def open_zarr(path: Path) -> ArrayDataset:
    """All arrays of the group that name their dimensions. Raises a sentence."""
    try:
        import zarr
    except ImportError:
        raise ThalwegError(f"'{path}' needs zarr-python 3, which needs Python 3.11") from None
    try:
        group = zarr.open_group(path, mode="r")
        arrays = dict(group.arrays())
    except (OSError, ValueError, KeyError) as error:
        raise unreadable(f"'{path}' cannot be read as Zarr: {error}", error) from error
    dataset = ArrayDataset()
    for name, array in arrays.items():
        dimensions = tuple(
            str(each) for each in getattr(array.metadata, "dimension_names", None) or ()
        )
        if dimensions:
            dataset.add(name, dimensions, str(array.attrs.get("units", "")), array)
    return dataset
