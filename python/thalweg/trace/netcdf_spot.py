# SPDX-License-Identifier: Apache-2.0
"""netCDF files are of two kinds that share nothing but their name."""

from __future__ import annotations

from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.trace.cdf_spot import cdf_spot
from thalweg.trace.hdf5_spot import hdf5_spot
from thalweg.trace.spot import Spot, bytes_at


def netcdf_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    magic = bytes_at(path, 0, 4)
    if magic.startswith(b"CDF"):
        return cdf_spot(path, name, index)
    if magic == b"\x89HDF":
        return hdf5_spot(path, name, index)
    raise ThalwegError(f"'{path}' is neither netCDF, Zarr, GRIB2 nor raw, so its bytes are unknown")
