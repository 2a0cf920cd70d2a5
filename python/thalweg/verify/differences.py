# SPDX-License-Identifier: Apache-2.0
"""Point-by-point differences between the output of two runs, matched by stream, field and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.files.streams import FieldShape, Stream, TimeSlot
from thalweg.run.progress import tracked


@dataclass(frozen=True)
class Difference:
    """How one field differs. Values that have the same bits do not differ, NaN included.

    differing          number of values with other bits, of `compared`
    largest_absolute   |one - other|, in the field's units, found at time_s, level (1-based in the
                       file, 0 = two-dimensional), point (0-based global index)
    largest_relative   |one - other| / |other|, infinite where other is 0
    problem            a sentence where the two cannot be compared at all, else ""
    """

    stream: str
    field: str
    compared: int = 0
    differing: int = 0
    largest_absolute: float = 0.0
    largest_relative: float = 0.0
    time_s: float = -1.0
    level: int = 0
    point: int = -1
    problem: str = ""

    @property
    def same(self) -> bool:
        return not self.differing and not self.problem

    def line(self, several_streams: bool) -> str:
        name = f"{self.stream}/{self.field}" if several_streams else self.field
        if self.problem:
            return f"-differ[{name}] {self.problem}"
        level = f" level {self.level}" if self.level else ""
        return (
            f"-differ[{name}] {self.differing} of {self.compared} values, "
            f"largest absolute={self.largest_absolute!r} relative={self.largest_relative!r} "
            f"at time {self.time_s:g} s{level} point {self.point}"
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def compare_streams(
    ones: Mapping[str, Stream], others: Mapping[str, Stream]
) -> tuple[list[Difference], int]:
    """(what differs, number of fields whose values were compared). Two single streams match
    whatever their names.
    """
    if len(ones) == 1 and len(others) == 1:
        others = dict(zip(ones, others.values(), strict=True))
    differences: list[Difference] = []
    compared = 0
    for name in dict.fromkeys([*ones, *others]):
        if name not in ones or name not in others:
            side = "second" if name not in others else "first"
            differences.append(Difference(name, "*", problem=f"not in the {side} run"))
            continue
        fields = list(dict.fromkeys([*ones[name].fields, *others[name].fields]))
        for field in tracked(fields, f"comparing {name}"):
            difference = compare_field(ones[name], others[name], field)
            compared += not difference.problem
            if not difference.same:
                differences.append(difference)
    return differences, compared


def compare_field(one: Stream, other: Stream, name: str) -> Difference:
    """Compares one field at all times; both runs must have the same times, shape and type."""
    problem = _mismatch(one, other, name)
    if problem:
        return Difference(one.name, name, problem=problem)
    compared, differing, largest_relative = 0, 0, 0.0
    worst: tuple[float, float, int, int] = (-1.0, -1.0, 0, -1)  # absolute, time_s, level, point
    for slot, other_slot in zip(one.slots_of(name), other.slots_of(name), strict=True):
        values, other_values = one.values(name, slot), other.values(name, other_slot)
        if values.dtype != other_values.dtype:
            types = f"{values.dtype} and {other_values.dtype}"
            problem = f"read as {types} (packed values are float64): not compared"
            return Difference(one.name, name, problem=problem)
        compared += values.size
        unequal = _other_bits(values, other_values)
        if not unequal.any():
            continue
        differing += int(unequal.sum())
        absolute, relative = _distances(values, other_values, unequal)
        largest_relative = max(largest_relative, float(relative.max()))
        here = np.unravel_index(int(absolute.argmax()), absolute.shape)
        if float(absolute[here]) > worst[0]:
            level = int(here[0]) + 1 if len(here) == 2 else 0
            worst = (float(absolute[here]), slot.time_s, level, int(here[-1]))
    if not differing:
        return Difference(one.name, name, compared=compared)
    return Difference(one.name, name, compared, differing, worst[0], largest_relative, *worst[1:])


def _mismatch(one: Stream, other: Stream, name: str) -> str:
    for stream, side in ((one, "first"), (other, "second")):
        if name not in stream.fields:
            return f"not in the {side} run"
    shapes = one.fields[name], other.fields[name]
    if _size(shapes[0]) != _size(shapes[1]):
        return f"has shape {_size(shapes[0])} and {_size(shapes[1])} (levels, points)"
    times = [_times_s(stream.slots_of(name)) for stream in (one, other)]
    if len(times[0]) != len(times[1]):
        return f"has {len(times[0])} and {len(times[1])} times"
    return "has other times" if times[0] != times[1] else ""


def _size(shape: FieldShape) -> tuple[int, int]:
    return shape.levels, shape.points


def _times_s(slots: list[TimeSlot]) -> list[float]:
    return [slot.time_s for slot in slots]


def _other_bits(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    integers = np.dtype(f"u{one.dtype.itemsize}")
    unequal: NDArray[np.bool_] = one.view(integers) != other.view(integers)
    return unequal


def _distances(
    one: NDArray[Any], other: NDArray[Any], unequal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Absolute and relative distance, 0 where the bits are equal, infinite where one is NaN."""
    with np.errstate(all="ignore"):
        absolute = np.abs(one.astype(np.float64) - other.astype(np.float64))
        relative = absolute / np.abs(other.astype(np.float64))
    for distance in (absolute, relative):
        distance[~unequal] = 0.0
        distance[np.isnan(distance)] = np.inf
    relative[absolute == 0.0] = 0.0
    return absolute, relative
