# SPDX-License-Identifier: Apache-2.0
"""Which reader opens the files of which container: the suffixes of src/format/containers.cpp.

A container names its reader in that table; a test compares the two. To add a reader: its file, and
its line here.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Reader:
    """`opener` of `module` takes a path; it is imported when the first file is opened.

    engine    what xarray opens a mesh with; "" where the container has no room for one
    is_store  a file is a directory
    """

    name: str
    suffix: str
    module: str
    opener: str
    engine: str = ""
    is_store: bool = False

    def open(self, path: Path) -> Any:
        return getattr(importlib.import_module(f"thalweg.files.{self.module}"), self.opener)(path)


READERS = (
    Reader("netcdf", ".nc", "netcdf_dataset", "open_netcdf", engine="netcdf4"),
    Reader("grib2", ".grb2", "grib2_dataset", "open_grib2"),
    Reader("zarr", ".zarr", "zarr_dataset", "open_zarr", engine="zarr", is_store=True),
    Reader("raw", ".raw", "raw_dataset", "open_raw"),
)
SUFFIXES = tuple(reader.suffix for reader in READERS)


def reader_of(path: Path) -> Reader:
    """By the suffix its container gave the file; any other is taken for netCDF."""
    return next((reader for reader in READERS if reader.suffix == path.suffix), READERS[0])


def is_output(path: Path) -> bool:
    """One file or store, not a run directory."""
    return path.is_file() or reader_of(path).is_store
