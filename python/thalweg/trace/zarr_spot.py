# SPDX-License-Identifier: Apache-2.0
"""Bytes of a Zarr 3 store: the file of a chunk, or a chunk within the file of a shard."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.files.datasets import open_dataset
from thalweg.trace.spot import Spot, byte_within, never_written

_ENTRY = np.dtype([("offset", "<u8"), ("size", "<u8")])  # of a shard's index, one for each chunk
_EMPTY = np.iinfo(np.uint64).max
_CHECKSUM_BYTES = 4


def zarr_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """Zarr 3 core specification, and its codec sharding_indexed."""
    try:
        about: dict[str, Any] = json.loads((path / name / "zarr.json").read_text(encoding="utf-8"))
        outer = tuple(about["chunk_grid"]["configuration"]["chunk_shape"])
        codecs = about["codecs"]
        dtype = np.dtype(about["data_type"]).newbyteorder("<")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ThalwegError(f"'{path / name}' cannot be read as Zarr: {error}") from error
    numbers = [i // size for i, size in zip(index, outer, strict=True)]
    file = path.joinpath(name, "c", *map(str, numbers))
    if not file.is_file():
        raise never_written(path, name)
    within = tuple(i % size for i, size in zip(index, outer, strict=True))
    shape, start, size = outer, 0, file.stat().st_size
    layout = "chunk, a file of its own"
    if codecs[0]["name"] == "sharding_indexed":
        shard = codecs[0]["configuration"]
        codecs, shape = shard["codecs"], tuple(shard["chunk_shape"])
        chunk = tuple(i // each for i, each in zip(within, shape, strict=True))
        chunks = tuple(-(-a // b) for a, b in zip(outer, shape, strict=True))
        entry = _index_entry(file, chunks, chunk, at_end=shard["index_location"] == "end")
        if int(entry["offset"]) == _EMPTY:
            raise never_written(path, name)
        start, size = int(entry["offset"]), int(entry["size"])
        within = tuple(i % each for i, each in zip(within, shape, strict=True))
        layout = f"chunk {chunk} of a shard, {size} bytes from byte {start} on"
    words = [codec["name"] for codec in codecs]
    if words == ["bytes"]:
        return Spot(file, start + byte_within(within, shape, dtype), dtype, layout)
    values = open_dataset(path, alone=True).variables[name][index[0]]
    decoded = float(np.asarray(values)[index[1:]])
    return Spot(file, start, dtype, f"{layout}, {', '.join(words[1:])}", size, decoded)


def _index_entry(
    file: Path, chunks: tuple[int, ...], chunk: tuple[int, ...], at_end: bool
) -> np.void:
    content = file.read_bytes()
    size = math.prod(chunks) * _ENTRY.itemsize
    begin = len(content) - size - _CHECKSUM_BYTES if at_end else 0
    if begin < 0:
        raise ThalwegError(f"the shard '{file}' is too short; it was cut", exit_code=1)
    entries = np.frombuffer(content[begin : begin + size], _ENTRY)
    entry: np.void = entries[int(np.ravel_multi_index(chunk, chunks))]
    return entry
