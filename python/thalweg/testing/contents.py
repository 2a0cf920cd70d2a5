# SPDX-License-Identifier: Apache-2.0
"""What lies under the final names of a run, so that two runs can be compared bit by bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

UNFINISHED = {".part", ".old", ".lock"}  # Open MPI locks what it has open

Content = dict[str, bytes]


def final_files(run: Path) -> dict[str, Path]:
    """Files and stores of the output under their final names."""
    folder = run / "files"
    done = [each for each in folder.iterdir() if not UNFINISHED.intersection(each.suffixes)]
    return {each.name: each for each in done}


def content_of(path: Path) -> Content:
    """Everything in a file that its reader sees; raises what the reader raises."""
    if path.suffix == ".nc":
        return _netcdf(path)
    if path.suffix == ".zarr":
        files = [each for each in path.rglob("*") if each.is_file()]
        group = json.loads((path / "zarr.json").read_bytes())
        group["attributes"].pop("history", "")
        store = {str(each.relative_to(path)): each.read_bytes() for each in files}
        return {**store, "zarr.json": json.dumps(group).encode()}
    content = path.read_bytes()
    if path.suffix == ".grb2":
        assert messages_of(content) > 0, f"'{path}' holds no GRIB message"
    if path.suffix == ".json":
        about = json.loads(content)
        about.pop("history", "")
        content = json.dumps(about).encode()
    return {"": content}


def messages_of(content: bytes) -> int:
    """Number of GRIB edition 2 messages, one after the other from first to last byte."""
    offset = count = 0
    while offset < len(content):
        head = content[offset : offset + 16]
        size = int.from_bytes(head[8:16], "big")
        whole = head[:4] == b"GRIB" and head[7] == 2 and size > 16
        if not whole or content[offset + size - 4 : offset + size] != b"7777":
            raise ValueError(f"no GRIB message of edition 2 at byte {offset}")
        offset += size
        count += 1
    return count


def _netcdf(path: Path) -> Content:
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_maskandscale(False)
        content = {name: _bytes(each[...]) for name, each in dataset.variables.items()}
        texts = {name: str(dataset.getncattr(name)) for name in dataset.ncattrs()}
        texts.pop("history", "")  # when and by which command: another one in every run
        sizes = {name: len(each) for name, each in dataset.dimensions.items()}
    return {**content, "": json.dumps([texts, sizes], sort_keys=True).encode()}


def _bytes(values: Any) -> bytes:
    return np.ascontiguousarray(values).tobytes()


def difference_in_beginning(one: Content, other: Content) -> str:
    """The same where `one` has fewer times, first in all its values; of raw files, whose fields lie
    behind each other, nothing is known then.
    """
    if one == other:
        return ""
    counts_times = {"", "zarr.json"}  # headers
    for name in one:
        if name.rpartition("/")[2] in counts_times and not one[name].startswith(b"GRIB"):
            continue
        if not other.get(name, b"").startswith(one[name]):
            return name or "messages"
    return ""


def difference(one: Content, other: Content) -> str:
    """The first name that differs, "" if nothing does."""
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            return name or "header"
    return ""
