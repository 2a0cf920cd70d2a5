# SPDX-License-Identifier: Apache-2.0
"""Bytes of classic, 64-bit offset and CDF-5 files, from the header: no library tells them.

The format: https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html and, for
CDF-5, https://parallel-netcdf.github.io/wiki/PnetCDF.html (64-bit sizes in place of 32-bit ones).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.trace.spot import Spot, byte_within

# nc_type: 1 byte, 2 char, 3 short, 4 int, 5 float, 6 double, and those of CDF-5
_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8",
          7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}  # fmt: skip
_NAMES = {1: "classic", 2: "64-bit offset", 5: "CDF-5"}


@dataclass(frozen=True)
class _Variable:
    shape: tuple[int, ...]  # 0: along records
    dtype: np.dtype[Any]
    size: int  # [B] of one record, or of all
    begin: int

    @property
    def of_records(self) -> bool:
        return bool(self.shape) and self.shape[0] == 0


def cdf_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """Contiguous, or one record after the other between those of other variables."""
    try:
        with path.open("rb") as file:
            version, variables = _Header(file).read()
    except (struct.error, KeyError, IndexError, UnicodeDecodeError) as error:
        raise ThalwegError(f"the header of '{path}' is damaged ({error})", exit_code=1) from error
    variable = variables[name]
    layout = f"{_NAMES[version]}, variable at byte {variable.begin}"
    offset = variable.begin
    shape, within = variable.shape, index
    if variable.of_records:
        of_records = [each for each in variables.values() if each.of_records]
        record = sum(each.size for each in of_records)
        if len(of_records) == 1:  # the only one is not padded
            record = math.prod(variable.shape[1:]) * variable.dtype.itemsize
        offset += index[0] * record
        shape, within = shape[1:], index[1:]
        layout += f", records of {record} bytes"
    return Spot(path, offset + byte_within(within, shape, variable.dtype), variable.dtype, layout)


class _Header:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._version = file.read(4)[3]
        self._size = ">q" if self._version == 5 else ">i"  # of counts, lengths and numbers
        self._begin = ">i" if self._version == 1 else ">q"

    def read(self) -> tuple[int, dict[str, _Variable]]:
        self._number(self._size)  # records
        dimensions = [(self._name(), self._number(self._size))[1] for _ in range(self._list())]
        self._attributes()
        return self._version, dict(self._variable(dimensions) for _ in range(self._list()))

    def _variable(self, dimensions: list[int]) -> tuple[str, _Variable]:
        name = self._name()
        rank = self._number(self._size)
        shape = tuple(dimensions[self._number(self._size)] for _ in range(rank))
        self._attributes()
        dtype = np.dtype(_TYPES[self._number(">i")])
        size = self._number(self._size)
        return name, _Variable(shape, dtype, size, self._number(self._begin))

    def _attributes(self) -> None:
        for _ in range(self._list()):
            self._name()
            dtype = np.dtype(_TYPES[self._number(">i")])
            self._text(self._number(self._size) * dtype.itemsize)

    def _list(self) -> int:
        """Number of entries; a list that is not there has tag and number 0."""
        self._number(">i")
        return self._number(self._size)

    def _name(self) -> str:
        return self._text(self._number(self._size)).decode("utf-8")

    def _text(self, size: int) -> bytes:
        return self._file.read(size + -size % 4)[:size]

    def _number(self, form: str) -> int:
        return int(struct.unpack(form, self._file.read(struct.calcsize(form)))[0])
