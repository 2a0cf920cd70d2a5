# SPDX-License-Identifier: Apache-2.0
"""An index: a netCDF-4 file without values of its own, that shows those of several writers' files.

Written by src/format/netcdf/virtual_dataset.cpp.
"""

from __future__ import annotations

from pathlib import Path

import h5py

from thalweg.errors import ThalwegError, UnreadableError, unreadable
from thalweg.files.netcdf_dataset import open_netcdf

ITSELF = "."  # HDF5's word for values of the index's own
NUMBERED = "%b"  # HDF5's for as many files as there are


def virtual_sources(path: Path) -> list[Path]:
    """The files behind the virtual datasets of a file, if it is an index."""
    if not path.is_file():
        raise ThalwegError(f"the file '{path}' does not exist")
    if not h5py.is_hdf5(path):
        return []
    names: dict[str, None] = {}
    try:
        with h5py.File(path, "r") as file:
            for item in file.values():
                if isinstance(item, h5py.Dataset) and item.is_virtual:
                    names.update((source.file_name, None) for source in item.virtual_sources())
    except (OSError, RuntimeError, KeyError) as error:  # h5py's for a damaged description
        open_netcdf(path).close()  # whose sentences are better
        raise unreadable(f"'{path}' cannot be read: {error}", error) from error
    return list(dict.fromkeys(part_of(path, name) for name in names if name != ITSELF))


def part_of(index: Path, name: str) -> Path:
    """The file that an index calls by this name: the first that is there of the places where HDF5
    looks (H5Dcreate's virtual sources), without those that HDF5_VDS_PREFIX adds.

    Beside the index as it was named, in the current folder, beside what a link leads to; an
    absolute name as it stands before, and its last word in these places.
    """
    if name == ITSELF:
        return index
    last = Path(name).name if Path(name).is_absolute() else name
    beside = index.parent / last
    places = (index.parent / name, beside, Path(last), index.resolve().parent / last)
    return next((place for place in places if place.exists()), beside)


def require_parts(path: Path) -> None:
    """Raises a sentence for an index that lacks a part: HDF5 reads fill values in its place."""
    for part in virtual_sources(path):
        if not part.is_file() and NUMBERED not in part.name:
            why = "is no file" if part.exists() else "does not exist"
            raise UnreadableError(f"'{path}' lacks a part: the file '{part}' {why}", 1)


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
