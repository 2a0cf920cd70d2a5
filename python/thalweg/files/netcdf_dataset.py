# SPDX-License-Identifier: Apache-2.0
"""A netCDF file of any kind through netCDF4-python."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Any

import netCDF4

from thalweg.errors import ThalwegError, unreadable


def open_netcdf(path: Path) -> Any:
    """Without masking or scaling: bits as they are. Raises a sentence."""
    try:
        dataset = netCDF4.Dataset(path, "r")
    except (OSError, RuntimeError) as error:
        if _is_locked(path):
            raise ThalwegError(f"'{path}' cannot be read: another program has locked it") from error
        sentence = f"'{path}' cannot be read as netCDF: {getattr(error, 'strerror', error)}"
        raise unreadable(sentence, error) from error
    dataset.set_auto_maskandscale(False)
    return dataset


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
