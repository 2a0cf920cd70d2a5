# SPDX-License-Identifier: Apache-2.0
"""A GRIB2 file through ecCodes: messages gathered into variables over time and level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import UnreadableError, unreadable
from thalweg.files.arrays import ArrayDataset, ArrayVariable

PLACES = {1: "cell", 2: "vertex", 3: "edge"}  # numberOfGridInReference, as in ICON
_MISSING = 9.9692099683868690e36  # what ecCodes puts where the bitmap says so, for us to see it
SECONDS = {0: 60, 1: 3600, 13: 1}  # code table 4.4, as far as we write it


@dataclass
class _Messages:
    """The messages of one variable: where each time and level lies in the file."""

    place: str
    points: int
    units: str
    levels: str  # dimension of levels
    offsets: dict[tuple[float, int], tuple[int, int]] = field(default_factory=dict)

    def axis(self, which: int) -> list[Any]:
        return sorted({key[which] for key in self.offsets})


def open_grib2(path: Path) -> ArrayDataset:
    """Reads the heads of all messages. Raises a sentence where one is damaged or missing."""
    of_kinds: dict[tuple[str, str], _Messages] = {}
    try:
        for name, about, key, where in _heads(path):
            of_kinds.setdefault((name, about.levels), about).offsets[key] = where
    except (OSError, ValueError) as error:
        raise unreadable(f"'{path}' cannot be read as GRIB2: {error}", error) from error
    if not of_kinds:
        raise UnreadableError(f"'{path}' holds no GRIB message")
    found = {
        # Messages of others may have one name in layers and on their faces.
        f"{name}_{kind}" if kind != "level" and (name, "level") in of_kinds else name: each
        for (name, kind), each in of_kinds.items()
    }
    times = sorted({time_s for each in found.values() for time_s in each.axis(0)})
    dataset = ArrayDataset()
    dataset.add("time", ("time",), "s", np.array(times))
    for axis in sorted({each.levels for each in found.values() if len(each.axis(1)) > 1}):
        of_axis = [each.axis(1) for each in found.values() if each.levels == axis]
        numbers = sorted({n for each in of_axis if len(each) > 1 for n in each})
        dataset.add(axis, (axis,), "1", np.array(numbers))
    for name, each in found.items():
        dataset.variables[name] = _variable(path, name, each, times)
    return dataset


def _variable(path: Path, name: str, each: _Messages, times: list[float]) -> ArrayVariable:
    levels = each.axis(1)
    if len(each.offsets) != len(times) * len(levels):
        raise UnreadableError(f"'{path}' lacks messages of '{name}'")

    def read(index: int) -> NDArray[Any]:
        rows = [_values(path, name, *each.offsets[times[index], level]) for level in levels]
        return np.stack(rows) if len(levels) > 1 else rows[0]

    def message(index: int, level_index: int) -> tuple[int, int]:
        return each.offsets[times[index], levels[level_index]]

    dimensions: tuple[str, ...] = ("time", each.levels, each.place)
    shape: tuple[int, ...] = (len(times), len(levels), each.points)
    if len(levels) == 1:
        dimensions, shape = ("time", each.place), (len(times), each.points)
    return ArrayVariable(dimensions, shape, each.units, read, message=message)


def _heads(path: Path) -> Iterator[tuple[str, _Messages, tuple[float, int], tuple[int, int]]]:
    import eccodes

    end = 0
    with path.open("rb") as file:
        while True:
            handle = _next(file)
            if handle is None:
                break
            try:
                offset, size = (
                    int(eccodes.codes_get(handle, k)) for k in ("offset", "totalLength")
                )
                place = PLACES[int(eccodes.codes_get(handle, "numberOfGridInReference"))]
                name, units = _own_words(path, offset) or _words_of_tables(handle, place)
                points = int(eccodes.codes_get(handle, "numberOfDataPoints"))
                kind = str(eccodes.codes_get(handle, "typeOfLevel"))
                levels = "half_level" if kind == "generalVertical" else "level"
                about = _Messages(place, points, units, levels)
                unit = SECONDS[int(eccodes.codes_get(handle, "indicatorOfUnitOfTimeRange"))]
                time_s = float(unit * int(eccodes.codes_get(handle, "forecastTime")))
                yield name, about, (time_s, _level(handle)), (offset, size)
                end = offset + size
            finally:
                eccodes.codes_release(handle)
    if end != path.stat().st_size:
        raise ValueError(f"{path.stat().st_size - end} bytes behind the last message")


def _next(file: Any) -> Any:
    import eccodes

    try:
        return eccodes.codes_grib_new_from_file(file, headers_only=True)
    except eccodes.CodesInternalError as error:
        raise ValueError(str(error)) from error


def _own_words(path: Path, offset: int) -> tuple[str, str] | None:
    """Name and units as the run gave them, from section 2 (src/format/grib2/message.cpp); None in
    messages of others.
    """
    with path.open("rb") as file:
        file.seek(offset + 16)
        for _ in range(2):
            head = file.read(5)
            rest = file.read(max(0, min(int.from_bytes(head[:4], "big") - 5, 1 << 16)))
    if head[4:5] != b"\2":
        return None
    text = rest.partition(b"thalweg: ")[2].partition(b"\0")[0].decode("utf-8", "replace")
    words = re.match(r"name=(.*?); units=(.*?); standard_name=", text)
    return (words[1], words[2]) if words else None


def _words_of_tables(handle: Any, place: str) -> tuple[str, str]:
    """ecCodes' short name and units, or the numbers of a parameter it does not know."""
    import eccodes

    name = str(eccodes.codes_get(handle, "shortName"))
    if name == "unknown":
        keys = ("discipline", "parameterCategory", "parameterNumber")
        name = "p" + "_".join(str(eccodes.codes_get(handle, key)) for key in keys)
    return f"{name}_{place}", str(eccodes.codes_get(handle, "parameterUnits"))


def _level(handle: Any) -> int:
    import eccodes

    return int(eccodes.codes_get(handle, "level"))


def _values(path: Path, name: str, offset: int, size: int) -> NDArray[Any]:
    import eccodes

    with path.open("rb") as file:
        file.seek(offset)
        message = file.read(size)
    if not message.endswith(b"7777"):
        raise ValueError(f"the message at byte {offset} has no end")
    try:
        handle = eccodes.codes_new_from_message(message)
    except eccodes.CodesInternalError as error:
        raise ValueError(str(error)) from error
    try:
        eccodes.codes_set(handle, "missingValue", _MISSING)
        values = np.asarray(eccodes.codes_get_values(handle))
        if eccodes.codes_get(handle, "bitmapPresent"):
            values[values == _MISSING] = np.nan
        return values
    except eccodes.CodesInternalError as error:
        raise ValueError(str(error)) from error
    finally:
        eccodes.codes_release(handle)
