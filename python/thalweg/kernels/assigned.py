# SPDX-License-Identifier: Apache-2.0
"""Which values of its arguments a kernel sets, as it says itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thalweg.dsl import Kernel, ir
from thalweg.kernels.cases import Array


def assigned(kernel: Kernel, name: str, arguments: Mapping[str, Any]) -> Array:
    """Of argument `name`, as it lies in `arguments`: True where some statement sets it."""
    kind = kernel.ir.arguments[name].type
    found = np.zeros(arguments[name].shape, bool)
    for statement in kernel.ir.body:
        levels = statement.levels if isinstance(statement, ir.ForLevels) else None
        for each in ir.assigns_of(statement):
            if each.name != name:
                continue
            index: list[Any] = [
                slice(None) if slot.name else slot.index for slot in ir.own_slots(each.slots, kind)
            ]
            if kind.level:
                layers = found.shape[len(kind.axes)] - kind.level.extra
                index.append(_levels(each.level, levels, layers, kind.level.extra))
            points = arguments[each.points] if each.points else np.arange(found.shape[-1])
            part = found[tuple(index)]  # a view: the points of a place are its last axis
            part[... if kind.place is None else (..., points)] = True
    return found


def _levels(at: ir.LevelAt | None, levels: ir.LevelRange | None, layers: int, extra: int) -> slice:
    if at is None:
        return slice(None)
    if levels is None or at.base in ("first", "last"):
        begin = _number(at, layers + extra)
        return slice(begin, begin + 1)
    size = layers + levels.axis.extra  # half levels may be set by a loop over full ones
    return slice(*(_number(each, size) + at.shift for each in (levels.begin, levels.end)))


def _number(at: ir.LevelAt, size: int) -> int:
    return at.shift if at.base == "first" else size - 1 + at.shift
