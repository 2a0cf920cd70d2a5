# SPDX-License-Identifier: Apache-2.0
"""Bytes of a netCDF-4 file: contiguous, in chunks, compressed, or in the files behind an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py

from thalweg.errors import ThalwegError
from thalweg.files.index_parts import part_of
from thalweg.files.netcdf_dataset import open_netcdf
from thalweg.trace.spot import Spot, byte_within, never_written


def hdf5_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """HDF5 tells where the variable, or its chunk, begins."""
    with h5py.File(path, "r") as file:
        dataset = _dataset(path, file, name)
        if dataset.is_virtual:
            source, its_name, its_index = _source(path, dataset, index)
        elif dataset.chunks is None:
            start = dataset.id.get_offset()
            if start is None:
                raise never_written(path, name)
            offset = start + byte_within(index, dataset.shape, dataset.dtype)
            return Spot(path, offset, dataset.dtype, f"contiguous, variable at byte {start}")
        else:
            return _chunk_spot(path, name, dataset, index)
    return hdf5_spot(source, its_name, its_index)


def _dataset(path: Path, file: h5py.File, name: str) -> Any:
    try:
        found = file[name]
    except KeyError as error:  # h5py's for a damaged description, too
        raise ThalwegError(f"'{name}' in '{path}' cannot be read: {error.args[0]}", 1) from error
    if not isinstance(found, h5py.Dataset):
        raise ThalwegError(f"'{name}' in '{path}' is no variable: the file is damaged", 1)
    return found


def _chunk_spot(path: Path, name: str, dataset: Any, index: tuple[int, ...]) -> Spot:
    corner = tuple(i - i % size for i, size in zip(index, dataset.chunks, strict=True))
    chunk = dataset.id.get_chunk_info_by_coord(corner)
    if chunk.byte_offset is None:
        raise never_written(path, name)
    start = int(chunk.byte_offset)
    filters = _filter_names(dataset)
    if filters:
        layout = f"chunk {corner}, {filters}"
        return Spot(
            path, start, dataset.dtype, layout, int(chunk.size), _decoded(path, name, index)
        )
    within = tuple(i % size for i, size in zip(index, dataset.chunks, strict=True))
    offset = start + byte_within(within, dataset.chunks, dataset.dtype)
    return Spot(path, offset, dataset.dtype, f"chunk {corner} at byte {start}")


def _filter_names(dataset: Any) -> str:
    properties = dataset.id.get_create_plist()
    found = [properties.get_filter(number) for number in range(properties.get_nfilters())]
    return ", ".join(each[3].decode() or f"filter {each[0]}" for each in found)


def _decoded(path: Path, name: str, index: tuple[int, ...]) -> float:
    file = open_netcdf(path)
    try:
        return float(file.variables[name][index])
    except (OSError, RuntimeError) as error:
        raise ThalwegError(
            f"'{name}' of '{path}' cannot be decoded here ({error}): it is damaged, or HDF5's "
            "plugin for its compression is not installed"
        ) from error
    finally:
        file.close()


def _source(path: Path, dataset: Any, index: tuple[int, ...]) -> tuple[Path, str, tuple[int, ...]]:
    """The file behind an index that holds this element, its variable, and the element there."""
    for source in dataset.virtual_sources():
        first, last = source.vspace.get_select_bounds()
        if all(a <= i <= b for a, i, b in zip(first, index, last, strict=True)):
            every = source.src_space.get_select_type() == h5py.h5s.SEL_ALL
            begin = (0,) * len(index) if every else source.src_space.get_select_bounds()[0]
            inner = tuple(b + i - a for a, i, b in zip(first, index, begin, strict=True))
            return part_of(path, source.file_name), source.dset_name, inner
    raise never_written(path, dataset.name.lstrip("/"))
