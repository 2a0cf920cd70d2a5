# SPDX-License-Identifier: Apache-2.0
"""An index: a netCDF-4 file without values of its own, that shows those of several writers' files.

Written by src/format/netcdf/virtual_dataset.cpp.
"""

from __future__ import annotations

from pathlib import Path

import h5py

from thalweg.errors import ThalwegError, UnreadableError, unreadable
from thalweg.files.netcdf_dataset import open_netcdf


def virtual_sources(path: Path) -> list[Path]:
    """The files behind the virtual datasets of a file, if it is an index."""
    if not path.is_file():
        raise ThalwegError(f"the file '{path}' does not exist")
    if not h5py.is_hdf5(path):
        return []
    open_netcdf(path).close()  # whose sentences are better
    found: dict[Path, None] = {}
    try:
        with h5py.File(path, "r") as file:
            for item in file.values():
                if isinstance(item, h5py.Dataset) and item.is_virtual:
                    for source in item.virtual_sources():
                        if source.file_name != ".":  # its own values
                            found[_part(path, source.file_name)] = None
    except (OSError, RuntimeError, KeyError) as error:  # h5py's for a damaged description
        raise unreadable(f"'{path}' cannot be read: {error}", error) from error
    return list(found)


def _part(index: Path, name: str) -> Path:
    """Where HDF5 looks: beside the index as it was named, then beside what a link leads to."""
    beside = index.parent / name
    return beside if beside.exists() else index.resolve().parent / name


def require_parts(path: Path) -> None:
    """Raises a sentence for an index that lacks a part: HDF5 reads fill values in its place."""
    for part in virtual_sources(path):
        if not part.is_file():
            raise UnreadableError(f"'{path}' lacks a part: the file '{part}' does not exist", 1)


def broken_part(index: Path) -> str:
    """HDF5 blames the index: a sentence for the first file behind it that cannot be opened, "" =
    all can, or it is no index.
    """
    try:
        for part in virtual_sources(index):
            if part.is_file():
                open_netcdf(part).close()
    except ThalwegError as error:
        return error.sentence
    return ""
