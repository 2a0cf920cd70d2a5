# SPDX-License-Identifier: Apache-2.0
"""A netCDF file of any kind through netCDF4-python."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path
from typing import Any

import h5py
import netCDF4

from thalweg.errors import ThalwegError, UnreadableError, unreadable
from thalweg.files.cdf_header import read_cdf_header


def open_netcdf(path: Path) -> Any:
    """Without masking or scaling: bits as they are. Raises a sentence."""
    try:
        dataset = netCDF4.Dataset(path, "r")
    except (OSError, RuntimeError) as error:
        if _is_locked(path):
            raise ThalwegError(f"'{path}' cannot be read: another program has locked it") from error
        reason = f"cannot be read as netCDF: {getattr(error, 'strerror', error)}"
        raise unreadable(f"'{path}' {_how_cut(path) or reason}", error) from error
    dataset.set_auto_maskandscale(False)
    try:
        if path.suffix != ".part":  # which may not have its length yet
            require_end(path)
    except ThalwegError:
        dataset.close()
        raise
    return dataset


def require_end(path: Path) -> None:
    """Raises a sentence for a classic file, or a CDF-5 one, that was cut: the library reads zeros
    beyond its end.
    """
    header = read_cdf_header(path)
    size = path.stat().st_size
    if header is not None and size < header.end:
        raise UnreadableError(
            f"'{path}' was cut: it ends at byte {size}, its values at byte {header.end}", 1
        )


def _how_cut(path: Path) -> str:
    """HDF5 says how a file was cut, netCDF "HDF error"; "" = it was not, or is no such file."""
    try:
        h5py.File(path, "r").close()
    except OSError as error:
        if ends := re.search(r"truncated file: eof = (\d+),.* stored_eof = (\d+)", str(error)):
            return f"was cut: it ends at byte {ends[1]} instead of {ends[2]}"
    return ""


def _is_locked(path: Path) -> bool:
    """Tried as HDF5 does, which calls a lock of another program the same as damage."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
