# SPDX-License-Identifier: Apache-2.0
"""The output of a run as streams: all times in order, whatever the partitions and files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import ThalwegError, unreadable
from thalweg.files.datasets import PLACES, open_dataset
from thalweg.files.names import DATE, PARTITION, SUFFIX
from thalweg.files.readers import is_output
from thalweg.files.run_directory import RunDirectory

_FILE_NAME_END = rf"({PARTITION})?_{DATE}Z(\.000)?{SUFFIX}"


_BROKEN = (OSError, RuntimeError, ValueError)  # of all readers, where bytes cannot be decoded


@dataclass(frozen=True)
class FieldShape:
    """A data variable: dimensions (time, level, place) or (time, place)."""

    name: str
    place: str
    levels: int
    points: int
    units: str


@dataclass(frozen=True)
class TimeSlot:
    """One output time and where it lies."""

    time_s: float
    file: Path
    index: int  # position on the file's time axis


@dataclass
class Stream:
    """One output stream, open for reading; close() when done. A run may be continued with other
    variables: then a field is in some of its files only.
    """

    name: str
    slots: list[TimeSlot]
    fields: dict[str, FieldShape]
    _names: dict[Path, set[str]] = field(default_factory=dict, repr=False)
    _datasets: dict[Path, Any] = field(default_factory=dict, repr=False)

    def slots_of(self, name: str) -> list[TimeSlot]:
        """Those whose files have the field."""
        return [slot for slot in self.slots if name in self._names[slot.file]]

    def values(self, name: str, slot: TimeSlot) -> NDArray[Any]:
        """Values of one field at one time as stored, [level, point] or [point]. Raises a sentence
        where they cannot be decoded.
        """
        variable = self._dataset(slot.file).variables[name]
        try:
            return np.asarray(variable[slot.index])
        except _BROKEN as error:
            what = f"'{name}' at {slot.time_s:g} s in '{slot.file}' cannot be read"
            raise _refused(what, error) from error

    def level_numbers(self, name: str, slot: TimeSlot) -> list[int]:
        """Model levels that the file has of a field, 1 = first; [] where it has no level axis."""
        variables = self._dataset(slot.file).variables
        axis = variables[name].dimensions[1]
        return [int(level) for level in variables[axis][:]] if self.is_layered(name, slot) else []

    def is_layered(self, name: str, slot: TimeSlot) -> bool:
        """Has the field a level axis in the file, if only one level long?"""
        return len(self._dataset(slot.file).variables[name].dimensions) == 3

    def _dataset(self, path: Path) -> Any:
        if path not in self._datasets:
            self._datasets[path] = open_dataset(path)
        return self._datasets[path]

    def close(self) -> None:
        for dataset in self._datasets.values():
            dataset.close()
        self._datasets.clear()


def read_streams(path: Path | str) -> dict[str, Stream]:
    """Streams of a run directory by name, or the one stream of a single file."""
    path = Path(path)
    if is_output(path):
        return {path.stem: _stream(path.stem, [path])}
    run = RunDirectory.open(path)
    files = run.complete_files()
    if not files:
        raise ThalwegError(f"the run '{path}' has no complete output file in 'files'")
    names = run.experiment().stream_names()
    groups: dict[str, list[Path]] = {}
    for file in files:
        groups.setdefault(stream_of(file, names), []).append(file)
    order = [name for name in names if name in groups] + [n for n in groups if n not in names]
    return {name: _stream(name, groups[name]) for name in order}


def stream_of(file: Path, names: list[str]) -> str:
    """The stream a file belongs to, from its name; the file's own name if no stream fits."""
    known = [name for name in names if re.fullmatch(re.escape(name) + _FILE_NAME_END, file.name)]
    return known[0] if known else file.stem


def _stream(name: str, files: list[Path]) -> Stream:
    stream = Stream(name, [], {})
    for file in files:
        dataset = stream._dataset(file)
        stream.slots += list(_slots(dataset, file))
        fields = {shape.name: shape for shape in _shapes(dataset)}
        stream.fields = fields | stream.fields
        stream._names[file] = set(fields)
    stream.slots.sort(key=lambda slot: slot.time_s)
    if not stream.fields:
        stream.close()
        raise ThalwegError(f"'{files[0]}' has no field on cells, edges or vertices over time")
    return stream


def _refused(what: str, error: Exception) -> ThalwegError:
    """Of a file that could be opened, so it is one of its format."""
    if "Filter error" in str(error):
        return ThalwegError(f"{what} here ({error}); is HDF5's plugin for its compression there?")
    return unreadable(f"{what}: {error}", error, exit_code=1)


def _slots(dataset: Any, file: Path) -> Iterator[TimeSlot]:
    if "time" in dataset.variables:
        try:
            times_s = np.atleast_1d(dataset.variables["time"][:])
        except _BROKEN as error:
            raise _refused(f"the times of '{file}' cannot be read", error) from error
        for index, time_s in enumerate(times_s):
            yield TimeSlot(float(time_s), file, index)


def _shapes(dataset: Any) -> Iterator[FieldShape]:
    """Data variables in file order: first dimension time, last one a place."""
    for name, variable in dataset.variables.items():
        dimensions = variable.dimensions
        if len(dimensions) < 2 or dimensions[0] != "time" or dimensions[-1] not in PLACES:
            continue
        levels = variable.shape[1] if len(dimensions) == 3 else 1
        units = str(getattr(variable, "units", ""))
        yield FieldShape(name, dimensions[-1], int(levels), int(variable.shape[-1]), units)
