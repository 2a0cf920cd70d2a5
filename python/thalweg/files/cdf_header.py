# SPDX-License-Identifier: Apache-2.0
"""Headers of classic, 64-bit offset and CDF-5 files: where values lie, which no library tells.

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

# nc_type: 1 byte, 2 char, 3 short, 4 int, 5 float, 6 double, and those of CDF-5
_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8",
          7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}  # fmt: skip
_NAMES = {1: "classic", 2: "64-bit offset", 5: "CDF-5"}
_STREAMING = {1: 2**32 - 1, 2: 2**32 - 1, 5: 2**64 - 1}  # the number of records is not told


@dataclass(frozen=True)
class CdfVariable:
    """size: bytes of one record, or of all, rounded up to four."""

    shape: tuple[int, ...]  # 0: along records
    dtype: np.dtype[Any]
    size: int
    begin: int

    @property
    def of_records(self) -> bool:
        return bool(self.shape) and self.shape[0] == 0

    @property
    def value_bytes(self) -> int:
        """Of one record, or of all, without what rounds them up."""
        shape = self.shape[1:] if self.of_records else self.shape
        return math.prod(shape) * self.dtype.itemsize


@dataclass(frozen=True)
class CdfHeader:
    form: str  # its name
    records: int | None
    variables: dict[str, CdfVariable]

    @property
    def record_bytes(self) -> int:
        """From one record to the next; that of a single variable is not rounded up."""
        of_records = [each for each in self.variables.values() if each.of_records]
        if len(of_records) == 1:
            return of_records[0].value_bytes
        return sum(each.size for each in of_records)

    @property
    def end(self) -> int:
        """Where the last value ends: a shorter file was cut, and is read as zeros from there on."""
        ends = [0]
        for each in self.variables.values():
            if not each.of_records:
                ends.append(each.begin + each.value_bytes)
            elif self.records:
                last = each.begin + (self.records - 1) * self.record_bytes
                ends.append(last + each.value_bytes)
        return max(ends)


def read_cdf_header(path: Path) -> CdfHeader | None:
    """Nothing if it is no such file. Raises a sentence if its header is damaged."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            if magic[:3] != b"CDF" or magic[3] not in _NAMES:
                return None
            return _Reader(file, magic[3]).read()
    except (struct.error, KeyError, IndexError, UnicodeDecodeError) as error:
        raise ThalwegError(f"the header of '{path}' is damaged ({error})", exit_code=1) from error


class _Reader:
    def __init__(self, file: IO[bytes], version: int) -> None:
        self._file, self._version = file, version
        self._size = ">q" if self._version == 5 else ">i"  # of counts, lengths and numbers
        self._begin = ">i" if self._version == 1 else ">q"

    def read(self) -> CdfHeader:
        records = self._number(self._size.upper())
        dimensions = [(self._name(), self._number(self._size))[1] for _ in range(self._list())]
        self._attributes()
        variables = dict(self._variable(dimensions) for _ in range(self._list()))
        known = None if records == _STREAMING[self._version] else records
        return CdfHeader(_NAMES[self._version], known, variables)

    def _variable(self, dimensions: list[int]) -> tuple[str, CdfVariable]:
        name = self._name()
        rank = self._number(self._size)
        shape = tuple(dimensions[self._number(self._size)] for _ in range(rank))
        self._attributes()
        dtype = np.dtype(_TYPES[self._number(">i")])
        size = self._number(self._size)
        return name, CdfVariable(shape, dtype, size, self._number(self._begin))

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
