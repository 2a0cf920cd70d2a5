# SPDX-License-Identifier: Apache-2.0
"""Variables and datasets made of arrays, for containers whose readers have no such thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ArrayVariable:
    """`read` gives the values of one index of the first dimension, or of all (a slice)."""

    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    units: str
    read: Callable[[Any], NDArray[Any]]
    message: Callable[[int, int], tuple[int, int]] | None = None  # (time, level) -> (offset, size)

    def __getitem__(self, index: Any) -> NDArray[Any]:
        return self.read(index)


@dataclass
class ArrayDataset:
    variables: dict[str, ArrayVariable] = field(default_factory=dict)

    def add(self, name: str, dimensions: tuple[str, ...], units: str, values: Any) -> None:
        """A variable of an array, or of what is indexed and has a shape as one."""
        read = lambda index: np.asarray(values[index])  # noqa: E731
        self.variables[name] = ArrayVariable(dimensions, tuple(values.shape), units, read)

    def close(self) -> None:
        self.variables.clear()
