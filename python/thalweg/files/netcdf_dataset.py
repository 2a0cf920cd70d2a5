# SPDX-License-Identifier: Apache-2.0
"""A netCDF file of any kind through netCDF4-python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4

from thalweg.errors import ThalwegError


def open_netcdf(path: Path) -> Any:
    """Without masking or scaling: bits as they are. Raises a sentence."""
    try:
        dataset = netCDF4.Dataset(path, "r")
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read as netCDF: {error.strerror}") from error
    dataset.set_auto_maskandscale(False)
    return dataset
