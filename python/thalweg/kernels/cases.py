# SPDX-License-Identifier: Apache-2.0
"""What a kernel is run on: sizes, neighbours, arguments, and what must come out."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.dsl import Kernel
from thalweg.dsl.arguments import ArgumentType
from thalweg.dsl.grid import Group, Relation
from thalweg.errors import ThalwegError, did_you_mean
from thalweg.kernels.compiled import Inputs

Array = NDArray[Any]
Part = tuple[Any, ...]  # slices and numbers of what is picked, axis by axis
ALL: Part = (...,)


@dataclass(frozen=True)
class Case:
    """Arrays have the shape (axes…, levels, points). `expected`: outputs; none = the reference's.

    tolerance  largest difference allowed, relative to the largest absolute value of the output
    compared   output: parts of it where it means something, as NumPy picks them; not named: all
    scales     output: what differences of each part are relative to; not named: its largest value
    times      how often the kernel is called, one call after the other
    """

    kernel: Kernel
    sizes: Mapping[str, int]
    tables: Mapping[str, Array]
    arguments: Mapping[str, Any]
    expected: Mapping[str, Array] = field(default_factory=dict)
    tolerance: float = 1e-14
    compared: Mapping[str, Sequence[Part]] = field(default_factory=dict)
    scales: Mapping[str, Sequence[float]] = field(default_factory=dict)
    times: int = 1

    @property
    def inputs(self) -> Inputs:
        return Inputs(self.sizes, self.tables, self.arguments)

    def parts(self, name: str, array: Array) -> list[Array]:
        """Of output `name`, those that are compared."""
        return [array[each] for each in self.compared.get(name, (ALL,))]

    def checked(self) -> Case:
        """Itself, if every array has its shape. Raises a sentence that names the first without."""
        levels = self.sizes.get("levels", 1)
        if levels < self.kernel.ir.least_levels:
            raise ThalwegError(
                f"kernel '{self.kernel.name}' needs at least "
                f"{self.kernel.ir.least_levels} levels, there are {levels}"
            )
        for relation in self.kernel.ir.neighbour_tables():
            self._check_table(relation)
        for name, each in self.kernel.ir.arguments.items():
            self._check_argument(name, each.type)
        return self

    def _check_table(self, relation: Relation) -> None:
        table, points = self.tables[relation.full_name], self.sizes[relation.target.plural]
        if isinstance(relation, Group):
            self._check_group(relation, table, points)
            return
        self._check_shape(
            relation.full_name, table, (relation.length, self.sizes[relation.source.plural])
        )
        if table.dtype.kind not in "iu":
            raise ThalwegError(
                f"'{relation.full_name}' is of type {table.dtype} instead of whole numbers"
            )
        if table.size and (table.min() < 0 or table.max() >= points):
            raise ThalwegError(
                f"'{relation.full_name}' names a point that there is not; "
                f"{relation.target.plural} have the numbers 0 to {points - 1}"
            )

    def _check_group(self, group: Group, firsts: Array, points: int) -> None:
        self._check_shape(group.full_name, firsts, (self.sizes[group.source.plural] + 1,))
        rising = firsts.dtype.kind in "iu" and (firsts[1:] > firsts[:-1]).all()
        if not rising or len(firsts) < 2 or (firsts[0], firsts[-1]) != (0, points):
            raise ThalwegError(
                f"'{group.full_name}' wants rising numbers from 0 to {points}: the first of each "
                f"group, and one behind the last"
            )

    def _check_argument(self, name: str, kind: ArgumentType) -> None:
        value = self.arguments[name]
        if kind.role == "points":
            self._check_points(name, kind, value)
            return
        shape = tuple(axis.length for axis in kind.axes)
        shape += (self.sizes["levels"] + kind.level.extra,) if kind.level else ()
        shape += (self.sizes[kind.place.plural],) if kind.place else ()
        self._check_shape(name, value, shape)
        if not isinstance(value, float) and value.dtype != np.float64:
            raise ThalwegError(
                f"'{name}' of kernel '{self.kernel.name}' is of type {value.dtype} "
                "instead of float64"
            )

    def _check_points(self, name: str, kind: ArgumentType, value: Array) -> None:
        size = self.sizes[kind.place.plural] if kind.place else 0
        rising = value.ndim == 1 and value.dtype.kind in "iu" and (value[1:] > value[:-1]).all()
        if not rising or (len(value) and (value[0] < 0 or value[-1] >= size)):
            raise ThalwegError(
                f"'{name}' of kernel '{self.kernel.name}' wants rising numbers from 0 to {size - 1}"
            )

    def _check_shape(self, name: str, value: Any, shape: tuple[int, ...]) -> None:
        if np.shape(value) != shape:
            raise ThalwegError(
                f"'{name}' of kernel '{self.kernel.name}' has the shape {np.shape(value)} "
                f"instead of {shape}, where points come last, and there are "
                + ", ".join(f"{number} {name}" for name, number in self.sizes.items())
            )


def read_vectors(path: Path) -> dict[str, Array]:
    """Every array of an .npz file. Raises a sentence for what is none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise ThalwegError(f"the data file '{path}' does not exist") from None
    except MemoryError:
        raise ThalwegError(f"'{path}' says that it holds more than there is memory for") from None
    except (OSError, ValueError, AttributeError, TypeError, EOFError, zipfile.BadZipFile):
        raise ThalwegError(f"'{path}' is no .npz file of vectors, or it is damaged") from None


def difference(found: Array, right: Array, scale: float | None = None) -> float:
    """The largest, relative to `scale` or the largest finite value; infinite where one of both is
    no number or infinite and the other is not the same.
    """
    is_finite = np.isfinite(right)
    if found.shape != right.shape or not np.array_equal(
        found[~is_finite], right[~is_finite], equal_nan=True
    ):
        return float("inf")
    with np.errstate(invalid="ignore"):
        apart = float(np.max(np.abs(found[is_finite] - right[is_finite]), initial=0.0))
    if np.isnan(apart):
        return float("inf")
    largest = scale or float(np.max(np.abs(right[is_finite]), initial=0.0))
    return apart / largest if largest else (0.0 if apart == 0.0 else float("inf"))


def refuse_other(name: str, found: Array, right: Array, which: str, tolerance: float) -> None:
    """Of what must come out and no kernel sets, since it is the same as `which`."""
    if not difference(found, right) <= tolerance:
        raise ThalwegError(f"'{name}' of the data file is not {which}, as it must be", exit_code=1)


def other_zeros(found: Array, right: Array) -> int:
    """Zeros of both whose signs differ: no difference of values, and one of what follows."""
    zeros = (found == 0.0) & (right == 0.0)
    return int(np.count_nonzero(zeros & (np.signbit(found) != np.signbit(right))))


class Named(dict[str, Array]):
    """Arrays by name; a missing one is a sentence.

    asked  names that were looked for, of a copy also
    """

    def __init__(self, arrays: Mapping[str, Array], source: str) -> None:
        super().__init__(arrays)
        self.source = source
        self.asked: set[str] = arrays.asked if isinstance(arrays, Named) else set()

    def __getitem__(self, name: str) -> Array:
        self.asked.add(name)
        return super().__getitem__(name)

    def whole(self, name: str) -> int:
        """A whole number. Raises a sentence for another one, or for several."""
        found = np.asarray(self[name])
        if found.size != 1 or found.dtype.kind not in "fiu" or found.item() != found.item() // 1:
            raise ThalwegError(f"'{name}' of {self.source} is {found.tolist()}, no whole number")
        return int(found.item())

    def check_numbers(self) -> None:
        """Raises a sentence where what goes in or comes out has another type than float64."""
        for name, each in self.items():
            if name.startswith(("in_", "out_")) and each.dtype != np.float64:
                raise ThalwegError(f"'{name}' of {self.source} is {each.dtype} instead of float64")

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __missing__(self, name: str) -> Array:
        raise ThalwegError(f"{self.source} holds no '{name}'.{did_you_mean(name, self)}")
