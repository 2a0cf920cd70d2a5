# SPDX-License-Identifier: Apache-2.0
"""How values lie in memory. Kernels never say it; a configuration chooses one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.grid import Relation

Array = NDArray[Any]
Axes = list[tuple[int, int]]  # number and length of each axis of a value's own
Levels = Callable[[ArgumentType], str]  # how many levels a row has room for


class Layout(Protocol):
    """`point`: what C++ calls the number of a point; `block`, where points are in blocks: of it."""

    @property
    def block(self) -> int:
        """Points whose values lie together; 1: levels of a point do."""

    def index(self, kind: ArgumentType, point: str | None, level: str | None, axes: Axes) -> str:
        """Where a value lies."""

    def own_index(self, kind: ArgumentType, point: str, level: str | None, axes: Axes) -> str:
        """The same for the point of the loop, which is number `lane` of its block."""

    def start(self, kind: ArgumentType, point: str) -> str:
        """Where the first of the values of a point lies."""

    def row(self, kind: ArgumentType, level: str | None, axes: Axes) -> str:
        """How far from there that of a level lies."""

    def values(self, kind: ArgumentType) -> str:
        """How many values a point has."""

    def size(self, kind: ArgumentType) -> str:
        """How many values a field of a place has room for."""

    def table(self, relation: Relation, point: str, number: int | str) -> str:
        """Where a table of neighbours has the `number`th of `point`."""

    def lay(self, kind: ArgumentType, array: Array) -> Array:
        """`array` of the reference, (axes…, levels, points), as C++ reads it."""

    def reference(self, kind: ArgumentType, array: Array, points: int) -> Array:
        """The other way."""

    def lay_table(self, table: Array) -> Array:
        """`table` of the reference, (neighbours, points), as C++ reads it."""


def levels_of(kind: ArgumentType) -> str:
    """How many levels a field of `kind` has, as C++ says it."""
    extra = kind.level.extra if kind.level else 0
    return f"(levels + {extra})" if extra else "levels"


def levels_in_lines(kind: ArgumentType) -> str:
    """The same with room up to the end of a line of the cache."""
    extra = kind.level.extra if kind.level else 0
    return f"line_levels_{extra}" if extra else "line_levels"


def row(
    kind: ArgumentType, first: str, level: str | None, axes: Axes, levels: Levels = levels_of
) -> str:
    """(first * axes + number) * levels + level; what is not there is left out."""
    text = first
    for number, length in axes:
        text = f"{factor(text)} * {length}" if text else ""
        text = (f"{text} + {number}" if number else text) if text else str(number)
    if level is not None:
        text = f"{factor(text)} * {levels(kind)} + {level}" if text not in ("", "0") else level
    return text or "0"


def factor(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text else text


def count(kind: ArgumentType) -> int:
    """Of values at a point and level."""
    return int(np.prod([axis.length for axis in kind.axes], dtype=int))


@dataclass(frozen=True)
class LevelInnermost:
    """[point][axes…][level]: all levels of a point lie together."""

    block: int = 1

    def index(self, kind: ArgumentType, point: str | None, level: str | None, axes: Axes) -> str:
        return row(kind, point or "", level, axes)

    def own_index(self, kind: ArgumentType, point: str, level: str | None, axes: Axes) -> str:
        return row(kind, point, level, axes)

    def start(self, kind: ArgumentType, point: str) -> str:
        return _product([point, *_sizes(kind)])

    def row(self, kind: ArgumentType, level: str | None, axes: Axes) -> str:
        return row(kind, "", level, axes)

    def values(self, kind: ArgumentType) -> str:
        return _product(_sizes(kind))

    def size(self, kind: ArgumentType) -> str:
        return _product([kind.place.plural if kind.place else "", *_sizes(kind)])

    def table(self, relation: Relation, point: str, number: int | str) -> str:
        return f"{point} * {relation.length}" + (f" + {number}" if number else "")

    def lay(self, kind: ArgumentType, array: Array) -> Array:
        last = array if kind.place is None else np.moveaxis(array, -1, 0)
        return np.array(last, order="C")

    def reference(self, kind: ArgumentType, array: Array, points: int) -> Array:
        return array if kind.place is None else np.moveaxis(array, 0, -1)

    def lay_table(self, table: Array) -> Array:
        return np.array(table.T, dtype=np.int32, order="C")


@dataclass(frozen=True)
class PointInnermost:
    """[axes…][level][point]: a level of all points lies together."""

    block: int

    def index(self, kind: ArgumentType, point: str | None, level: str | None, axes: Axes) -> str:
        if kind.place is None or point is None:
            return row(kind, "", level, axes)
        outer = self.row(kind, level, axes)
        return point if outer == "0" else f"{outer} + {point}"

    def own_index(self, kind: ArgumentType, point: str, level: str | None, axes: Axes) -> str:
        return self.index(kind, point, level, axes)

    def start(self, kind: ArgumentType, point: str) -> str:
        return point

    def row(self, kind: ArgumentType, level: str | None, axes: Axes) -> str:
        outer, points = row(kind, "", level, axes), kind.place.plural if kind.place else "1"
        return "0" if outer == "0" else f"{factor(outer)} * {points}"

    def values(self, kind: ArgumentType) -> str:
        return _product(_sizes(kind))

    def size(self, kind: ArgumentType) -> str:
        return _product([kind.place.plural if kind.place else "", *_sizes(kind)])

    def table(self, relation: Relation, point: str, number: int | str) -> str:
        return f"{number} * {relation.source.plural} + {point}" if number else point

    def lay(self, kind: ArgumentType, array: Array) -> Array:
        return np.array(array, order="C")

    def reference(self, kind: ArgumentType, array: Array, points: int) -> Array:
        return array

    def lay_table(self, table: Array) -> Array:
        return np.array(table, dtype=np.int32, order="C")


@dataclass(frozen=True)
class Blocked:
    """[block][axes…][level][point of the block], the last block filled up, as ICON has it."""

    block: int

    def index(self, kind: ArgumentType, point: str | None, level: str | None, axes: Axes) -> str:
        if kind.place is None or point is None:
            return row(kind, "", level, axes)
        outer = row(kind, f"{point} / {self.block}", level, axes)
        return f"{factor(outer)} * {self.block} + {point} % {self.block}"

    def own_index(self, kind: ArgumentType, point: str, level: str | None, axes: Axes) -> str:
        if kind.place is None:
            return row(kind, "", level, axes)
        return f"{factor(row(kind, 'block', level, axes))} * {self.block} + lane"

    def start(self, kind: ArgumentType, point: str) -> str:
        rows = _product([f"{point} / {self.block}", *_sizes(kind), str(self.block)])
        return f"{rows} + {point} % {self.block}"

    def row(self, kind: ArgumentType, level: str | None, axes: Axes) -> str:
        outer = row(kind, "", level, axes)
        return "0" if outer == "0" else f"{factor(outer)} * {self.block}"

    def values(self, kind: ArgumentType) -> str:
        return _product(_sizes(kind))

    def size(self, kind: ArgumentType) -> str:
        if kind.place is None:
            return self.values(kind)
        blocks = f"(({kind.place.plural} + {self.block - 1}) / {self.block})"
        return _product([blocks, *_sizes(kind), str(self.block)])

    def table(self, relation: Relation, point: str, number: int | str) -> str:
        return f"{number} * {relation.source.plural} + {point}" if number else point

    def lay(self, kind: ArgumentType, array: Array) -> Array:
        if kind.place is None:
            return np.array(array, order="C")
        points = array.shape[-1]
        blocks = -(-points // self.block)
        room = np.zeros((*array.shape[:-1], blocks * self.block), array.dtype)
        room[..., :points] = array
        apart = room.reshape(*array.shape[:-1], blocks, self.block)
        return np.array(np.moveaxis(apart, -2, 0), order="C")

    def reference(self, kind: ArgumentType, array: Array, points: int) -> Array:
        if kind.place is None:
            return array
        apart = np.moveaxis(array, 0, -2)
        return apart.reshape(*apart.shape[:-2], -1)[..., :points]

    def lay_table(self, table: Array) -> Array:
        return np.array(table, dtype=np.int32, order="C")


def room_index(kind: ArgumentType, room: str, level: str | None, axes: Axes) -> str:
    """Where a local value lies that has a room, [room][axes…][level]; each row begins a line."""
    return row(kind, room, level, axes, levels_in_lines)


def room_values(kind: ArgumentType) -> str:
    """How many values a room has."""
    return _product(_sizes(kind, levels_in_lines))


def _sizes(kind: ArgumentType, levels: Levels = levels_of) -> list[str]:
    return [*(str(axis.length) for axis in kind.axes), *([levels(kind)] if kind.level else [])]


def _product(words: list[str]) -> str:
    return " * ".join(word for word in words if word) or "1"


LAYOUTS: dict[str, Callable[[int], Layout]] = {
    "level_innermost": lambda block: LevelInnermost(),
    "point_innermost": PointInnermost,
    "blocked": Blocked,
}
