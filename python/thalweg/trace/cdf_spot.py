# SPDX-License-Identifier: Apache-2.0
"""Bytes of classic, 64-bit offset and CDF-5 files, from the header."""

from __future__ import annotations

from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.cdf_header import read_cdf_header
from thalweg.trace.spot import Spot, byte_within


def cdf_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """Contiguous, or one record after the other between those of other variables."""
    header = read_cdf_header(path)
    if header is None:
        raise ThalwegError(f"'{path}' is no classic, 64-bit offset or CDF-5 file")
    variable = header.variables[name]
    layout = f"{header.form}, variable at byte {variable.begin}"
    offset = variable.begin
    shape, within = variable.shape, index
    if variable.of_records:
        offset += index[0] * header.record_bytes
        shape, within = shape[1:], index[1:]
        layout += f", records of {header.record_bytes} bytes"
    return Spot(path, offset + byte_within(within, shape, variable.dtype), variable.dtype, layout)
