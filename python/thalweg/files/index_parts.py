# SPDX-License-Identifier: Apache-2.0
"""An index: a netCDF-4 file without values of its own, that shows those of several writers' files.

Written by src/format/netcdf/virtual_dataset.cpp.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from thalweg.errors import ThalwegError, UnreadableError, unreadable
from thalweg.files.netcdf_dataset import open_netcdf

ITSELF = "."  # HDF5's word for values of the index's own
NUMBERED = "%b"  # HDF5's for as many files as there are


def virtual_sources(path: Path) -> list[Path]:
    """The files behind the virtual datasets of a file, if it is an index."""
    return list(_shown_by(path))


def _shown_by(path: Path) -> dict[Path, list[str]]:
    """The files behind the virtual datasets of a file, and the names of what it shows of each."""
    if not path.is_file():
        is_what = "is no file" if path.exists() else "does not exist"
        raise ThalwegError(f"'{path}' {is_what}; give the path of an output file")
    if not h5py.is_hdf5(path):
        return {}
    shown: dict[str, dict[str, None]] = {}
    try:
        with h5py.File(path, "r") as file:
            for item in file.values():
                if isinstance(item, h5py.Dataset) and item.is_virtual:
                    for source in item.virtual_sources():
                        shown.setdefault(source.file_name, {})[source.dset_name] = None
    except (OSError, RuntimeError, KeyError) as error:  # h5py's for a damaged description
        open_netcdf(path).close()  # whose sentences are better
        raise unreadable(f"'{path}' cannot be read: {error}", error) from error
    return {part_of(path, name): list(names) for name, names in shown.items() if name != ITSELF}


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
    """Raises a sentence for an index that lacks a part, or a variable of one: HDF5 reads fill
    values in its place. And where a part is of other times.
    """
    times = _times(path)
    for part, names in _shown_by(path).items():
        if NUMBERED in part.name:
            continue
        if not part.is_file():
            why = "is no file" if part.exists() else "does not exist"
            raise UnreadableError(f"'{path}' lacks a part: the file '{part}' {why}", 1)
        try:
            with h5py.File(part, "r") as file:
                lost = [name for name in names if name not in file]
                own = _times_of(file)
        except (OSError, RuntimeError):  # who reads it says what is wrong
            continue
        if lost:
            told = f"'{path}' shows '{lost[0]}' of the file '{part}', which lacks it"
            raise UnreadableError(told, 1)
        if own is not None and times is not None and own.tobytes() != times.tobytes():
            raise UnreadableError(f"'{path}' shows the file '{part}', which has other times", 1)


def _times(path: Path) -> NDArray[Any] | None:
    try:
        with h5py.File(path, "r") as file:
            return _times_of(file)
    except (OSError, RuntimeError):
        return None


def _times_of(file: h5py.File) -> NDArray[Any] | None:
    """Of its own; None where it has none."""
    times = file.get("time")
    if not isinstance(times, h5py.Dataset) or times.is_virtual:
        return None
    return np.asarray(times[...])


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
