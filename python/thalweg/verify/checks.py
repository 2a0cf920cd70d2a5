# SPDX-License-Identifier: Apache-2.0
"""Minimum, maximum, sum and CRC-32 of every field over all its times."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from thalweg.errors import UnreadableError
from thalweg.files.streams import Stream
from thalweg.run.progress import tracked


@dataclass(frozen=True)
class FieldCheck:
    """One field of one stream, over all times, levels and points.

    minimum, maximum, total  float64, of the values that are numbers; None where there is no such
                             value, as with infinities of both signs there is no total
    nan_count                values that are not a number: missing
    crc32                    of the bytes as stored, little-endian, in time order: the same whatever
                             the files and partitions
    """

    stream: str
    field: str
    times: int
    minimum: float | None
    maximum: float | None
    total: float | None
    nan_count: int
    crc32: str

    def line(self, several_streams: bool) -> str:
        """One line in the form of the AIMES mini-IGCMs (D3.4, 2019): +check[name] max= min= sum="""
        name = f"{self.stream}/{self.field}" if several_streams else self.field
        told = {"max": self.maximum, "min": self.minimum, "sum": self.total}
        words = [f"{word}={value!r}" for word, value in told.items() if value is not None]
        words += [f"crc32={self.crc32}"] + ([f"nan={self.nan_count}"] if self.nan_count else [])
        return f"+check[{name}] {' '.join(words)}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check_field(stream: Stream, name: str) -> FieldCheck:
    """Reads a field time by time; memory for one time only."""
    minimum, maximum, total, nan_count, checksum = np.nan, np.nan, 0.0, 0, 0
    slots = stream.slots_of(name)
    for slot in slots:
        values = stream.values(name, slot)
        little_endian = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
        checksum = zlib.crc32(little_endian.tobytes(), checksum)
        nan_count += int(np.isnan(values).sum())
        minimum = float(np.fmin(minimum, np.fmin.reduce(values, axis=None)))
        maximum = float(np.fmax(maximum, np.fmax.reduce(values, axis=None)))
        with np.errstate(invalid="ignore"):  # of infinities of both signs
            total += float(np.nansum(values, dtype=np.float64))
    return FieldCheck(
        stream=stream.name,
        field=name,
        times=len(slots),
        minimum=_number(minimum),
        maximum=_number(maximum),
        total=None if np.isnan(minimum) else _number(total),
        nan_count=nan_count,
        crc32=f"{checksum:08x}",
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def check_streams(
    streams: Mapping[str, Stream], damaged: list[str] | None = None
) -> list[FieldCheck]:
    """Every field of every stream, in file order. What cannot be decoded is added to `damaged`, or
    raised without it.
    """
    every = [(stream, name) for stream in streams.values() for name in stream.fields]
    checks = [_check_or_tell(*each, damaged) for each in tracked(every, "checking")]
    return [check for check in checks if check]


def _check_or_tell(stream: Stream, name: str, damaged: list[str] | None) -> FieldCheck | None:
    try:
        return check_field(stream, name)
    except UnreadableError as error:
        if damaged is None:
            raise
        damaged.append(error.sentence)
        return None
