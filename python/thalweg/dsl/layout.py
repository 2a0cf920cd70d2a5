# SPDX-License-Identifier: Apache-2.0
"""How values lie in memory. Kernels never say it; a configuration chooses one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.dsl.arguments import ArgumentType

Array = NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """`level_innermost`: [point][axes…][level], so that all levels of a point lie together."""

    name: str

    def levels(self, kind: ArgumentType) -> str:
        """How many levels a field of `kind` has, as C++ says it."""
        extra = kind.level.extra if kind.level else 0
        return f"(levels + {extra})" if extra else "levels"

    def index(
        self, kind: ArgumentType, point: str | None, level: str | None, axes: list[tuple[int, int]]
    ) -> str:
        """Where a value lies. `axes`: number and length of each."""
        text = point or ""
        for number, length in axes:
            text = f"{_factor(text)} * {length}" if text else ""
            text = (f"{text} + {number}" if number else text) if text else str(number)
        if level is not None:
            text = f"{_factor(text)} * {self.levels(kind)} + {level}" if text else level
        return text or "0"

    def lay(self, kind: ArgumentType, array: Array) -> Array:
        """`array` of the reference, (axes…, levels, points), as C++ reads it."""
        last = array if kind.place is None else np.moveaxis(array, -1, 0)
        return np.array(last, dtype=np.float64, order="C")

    def reference(self, kind: ArgumentType, array: Array) -> Array:
        """The other way."""
        return array if kind.place is None else np.moveaxis(array, 0, -1)


def _factor(text: str) -> str:
    return f"({text})" if " + " in text else text


LAYOUTS = {"level_innermost": Layout("level_innermost")}
