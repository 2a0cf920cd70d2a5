# SPDX-License-Identifier: Apache-2.0
"""Which values of a netCDF file lie in a range of its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from thalweg.errors import ThalwegError
from thalweg.files.cdf_header import CdfHeader, read_cdf_header
from thalweg.files.netcdf_dataset import open_netcdf

_NAMED = 3  # variables; a block of a chunked file may hold all of them


@dataclass(frozen=True)
class _Piece:
    """Bytes [begin, end) of one time of a variable; time is an index, -1 = it has none."""

    name: str
    time: int
    begin: int
    end: int


def values_at(path: Path, begin: int, end: int) -> str:
    """Those in bytes [begin, end): "'ta' and 'ps' at 900 s"; "" where no values lie there, or a
    damaged description does not tell.
    """
    try:
        dataset = open_netcdf(path)
        try:
            pieces = _pieces(path, dataset)
            found = [each for each in pieces if each.begin < end and begin < each.end]
            if not found:
                return ""
            indices = sorted({each.time for each in found if each.time >= 0})
            times_s = [float(dataset.variables["time"][index]) for index in indices]
        finally:
            dataset.close()
    except (ThalwegError, OSError, RuntimeError, ValueError, LookupError):
        return ""
    return _names(list(dict.fromkeys(each.name for each in found))) + _times(times_s)


def _names(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > _NAMED:
        quoted = [*quoted[:_NAMED], f"{len(quoted) - _NAMED} more"]
    *most, last = quoted
    return f"{', '.join(most)} and {last}" if most else last


def _times(times_s: list[float]) -> str:
    if not times_s:
        return ""
    words = f" at {times_s[0]:g}"
    return f"{words} s" if len(times_s) == 1 else f"{words} to {times_s[-1]:g} s"


def _pieces(path: Path, dataset: Any) -> Iterator[_Piece]:
    timed = {n for n, v in dataset.variables.items() if v.dimensions[:1] == ("time",)} - {"time"}
    header = read_cdf_header(path)
    return _of_hdf5(path, timed) if header is None else _of_cdf(header, timed)


def _of_cdf(header: CdfHeader, timed: set[str]) -> Iterator[_Piece]:
    for name, each in header.variables.items():
        size = each.value_bytes
        if each.of_records:
            yield from _rows(
                name, name in timed, each.begin, header.records or 0, header.record_bytes, size
            )
        else:
            rows = each.shape[0] if name in timed else 1
            yield from _rows(name, name in timed, each.begin, rows, size // rows, size // rows)


def _of_hdf5(path: Path, timed: set[str]) -> Iterator[_Piece]:
    with h5py.File(path, "r") as file:
        for name, dataset in file.items():
            if not isinstance(dataset, h5py.Dataset) or dataset.is_virtual:
                continue
            if dataset.chunks is None:
                begin = dataset.id.get_offset()  # None: nothing was written
                rows = dataset.shape[0] if name in timed else 1
                if begin is not None and rows:
                    size = dataset.nbytes // rows
                    yield from _rows(name, name in timed, begin, rows, size, size)
                continue
            for number in range(dataset.id.get_num_chunks()):
                chunk = dataset.id.get_chunk_info(number)
                times = dataset.chunks[0] if name in timed else 1
                for row in range(times):
                    time = chunk.chunk_offset[0] + row if name in timed else -1
                    if time < dataset.shape[0]:
                        end = chunk.byte_offset + chunk.size
                        yield _Piece(name, time, chunk.byte_offset, end)


def _rows(
    name: str, timed: bool, begin: int, rows: int, stride: int, size: int
) -> Iterator[_Piece]:
    """Of a variable whose rows lie `stride` bytes apart."""
    for row in range(rows):
        at = begin + row * stride
        yield _Piece(name, row if timed else -1, at, at + size)
