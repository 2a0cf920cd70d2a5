# SPDX-License-Identifier: Apache-2.0
"""A translated kernel that can be called: the reference as Python, other targets compiled."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.layout import Layout
from thalweg.dsl.targets import cpp_target, cuda_target, numpy_target, ranks_target
from thalweg.dsl.translation import is_ordered, size_names, table_names
from thalweg.errors import ThalwegError
from thalweg.kernels.compiler import FLAGS, MORE_FLAGS, build, build_for_device
from thalweg.kernels.order import inverse, renumbered

Array = NDArray[Any]
Real = np.float32 | np.float64
LINE_BYTES = 64  # of a cache


def translate(kernel: Kernel, configuration: Configuration) -> str:
    """The code of a kernel."""
    if configuration.target == "numpy":
        return numpy_target.translate(kernel.ir, configuration)
    if configuration.target == "cuda":
        return cuda_target.translate(kernel.ir, configuration)
    if configuration.is_on_ranks:
        return ranks_target.translate(kernel.ir, configuration)
    return cpp_target.translate(kernel.ir, configuration)


class Bound(Protocol):
    """A kernel with its arguments, laid out as its target has them."""

    def run(self) -> None:
        """The kernel alone: this is what is timed. A device may still be at it."""

    def wait(self) -> None:
        """Until it is done."""

    def begin_again(self) -> None:
        """What it sets is as it was before the first run."""

    def outputs(self) -> dict[str, Array]:
        """What it set, with the shapes of the reference."""

    def arrays(self) -> list[Array]:
        """What it is called with, as it lies in memory."""


@dataclass(frozen=True)
class Inputs:
    """Arrays have the shape (axes…, levels, points), tables (neighbours, points)."""

    sizes: Mapping[str, int]
    tables: Mapping[str, Array]
    arguments: Mapping[str, Any]


def within_range(inputs: Inputs, configuration: Configuration) -> Inputs:
    """The largest number of double precision, as a parameter, is that of single there: infinity
    times 0 would be no number.
    """
    if not configuration.is_single:
        return inputs
    largest = float(np.finfo(np.float32).max)
    cut = {
        name: float(np.clip(value, -largest, largest))
        for name, value in inputs.arguments.items()
        if isinstance(value, float) and np.isfinite(value)
    }
    return replace(inputs, arguments={**inputs.arguments, **cut})


def bind(kernel: Kernel, configuration: Configuration, inputs: Inputs, folder: Path) -> Bound:
    """`folder`: where compiled code is kept, found again by its text."""
    code = translate(kernel, configuration)
    inputs = within_range(inputs, configuration)
    real = np.float32 if configuration.is_single else np.float64
    if configuration.target == "numpy":
        return _Reference(kernel, code, inputs, real)
    if configuration.is_on_ranks:
        raise ThalwegError(
            f"target '{configuration.target}' needs ranks, and here is one process; "
            "thalweg kernels run starts them"
        )
    if configuration.target == "cuda":
        library = build_for_device(kernel.name, code, folder)
        return _OnDevice(kernel, configuration, library, inputs, real)
    flags = (*FLAGS, *MORE_FLAGS[configuration.target])
    library = build(kernel.name, code, flags, folder)
    return _Compiled(kernel, configuration, library, inputs, real)


class _Reference:
    def __init__(self, kernel: Kernel, code: str, inputs: Inputs, real: type[Real]) -> None:
        names: dict[str, Any] = {}
        try:
            exec(compile(code, f"<{kernel.name} for numpy>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError):  # Python nests some hundred parentheses
            raise ThalwegError(
                f"kernel '{kernel.name}' has an expression of too many terms for NumPy; give parts "
                "of it names of their own"
            ) from None
        ir = kernel.ir
        self.kernel, self.function = kernel, names[kernel.name]
        self.arguments = {
            name: np.array(value, np.int64 if ir.arguments[name].type.role == "points" else real)
            for name, value in inputs.arguments.items()
        }
        self.before = {name: self.arguments[name].copy() for name in written(kernel)}
        self.words = [
            *(inputs.sizes[name] for name in size_names(ir)),
            *(inputs.tables[name] for name in table_names(ir)),
            *(self.arguments[name] for name in ir.arguments),
        ]

    def run(self) -> None:
        with np.errstate(all="ignore"):  # as compiled code has it
            self.function(*self.words)

    def wait(self) -> None:
        """It is."""

    def begin_again(self) -> None:
        for name, before in self.before.items():
            self.arguments[name][...] = before

    def outputs(self) -> dict[str, Array]:
        return {name: self.arguments[name] for name in written(self.kernel)}

    def arrays(self) -> list[Array]:
        return list(self.arguments.values())


class _Compiled:
    def __init__(
        self,
        kernel: Kernel,
        configuration: Configuration,
        library: Path,
        inputs: Inputs,
        real: type[Real],
    ) -> None:
        layout = configuration.memory
        self.kernel, self.layout, self.sizes = kernel, layout, inputs.sizes
        functions = ctypes.CDLL(str(library))
        self.functions = functions
        self.rooms: dict[int, int] = {}  # of a device: address of an array here: that there
        self.function = getattr(functions, kernel.name)
        self.function.restype = None
        ir = kernel.ir
        self.orders: dict[str, Array] = {}
        if is_ordered(ir, configuration):
            find = getattr(functions, f"{kernel.name}_order")
            self.orders = _orders(kernel, find, layout, inputs)
            inputs = renumbered(ir, inputs, self.orders)
        self.words: list[Any] = [ctypes.c_int64(inputs.sizes[name]) for name in size_names(ir)]
        self.kept = [layout.lay_table(inputs.tables[name]) for name in table_names(ir)]
        self.words += [self._pointer(each) for each in self.kept]
        self.grid = list(self.words)  # what tiles are found from
        self.laid: dict[str, Array] = {}
        for name, variable in ir.arguments.items():
            if variable.type.role == "parameter":
                number = ctypes.c_float if real is np.float32 else ctypes.c_double
                self.words.append(number(inputs.arguments[name]))
                continue
            if variable.type.role == "points":
                self.kept.append(ranges_of(inputs.arguments[name]))
                ranges = self.kept[-1]
                both = [ctypes.c_void_p(ranges.ctypes.data), ctypes.c_int64(len(ranges) // 2)]
                self.words += both
                self.grid += both
                continue
            laid = layout.lay(variable.type, np.asarray(inputs.arguments[name], real))
            self.laid[name] = aligned(laid)
            self.words.append(self._pointer(self.laid[name]))
        self.before = {name: self.laid[name].copy() for name in written(kernel)}
        if configuration.tile and hasattr(functions, f"{kernel.name}_tiles"):
            self.words.insert(0, self._tiles(functions))

    def _pointer(self, array: Array) -> ctypes.c_void_p:
        """What the kernel gets for a table or field."""
        return ctypes.c_void_p(array.ctypes.data)

    def _tiles(self, functions: ctypes.CDLL) -> ctypes.c_void_p:
        """Of this grid; given back with the object."""
        name = self.kernel.name
        find, free = getattr(functions, f"{name}_tiles"), getattr(functions, f"{name}_free_tiles")
        find.restype = ctypes.c_void_p
        tiles = ctypes.c_void_p(find(*self.grid))
        weakref.finalize(self, free, tiles)
        return tiles

    def begin_again(self) -> None:
        for name, before in self.before.items():
            self.laid[name][...] = before

    def run(self) -> None:
        self.function(*self.words)

    def wait(self) -> None:
        """It is done."""

    def arrays(self) -> list[Array]:
        return list(self.laid.values())

    def outputs(self) -> dict[str, Array]:
        arguments = self.kernel.ir.arguments
        found = {}
        for name in written(self.kernel):
            kind = arguments[name].type
            points = self.sizes[kind.place.plural] if kind.place else 0
            found[name] = self.layout.reference(kind, self.laid[name], points)
            if kind.place and self.orders:
                found[name] = found[name][..., inverse(self.orders[kind.place.plural])]
        return found


class _OnDevice(_Compiled):
    """Tables and fields have a copy in the memory of the device, which the kernel works on."""

    def _pointer(self, array: Array) -> ctypes.c_void_p:
        room = self._function("room")(ctypes.c_size_t(array.nbytes + 1))
        weakref.finalize(self, self._function("free"), ctypes.c_void_p(room))
        self.rooms[array.ctypes.data] = room
        self._copy("in", room, array)
        return ctypes.c_void_p(room)

    def _function(self, what: str) -> Any:
        function = getattr(self.functions, f"{self.kernel.name}_{what}")
        function.restype = ctypes.c_void_p if what == "room" else None
        return function

    def _copy(self, way: str, room: int, array: Array) -> None:
        here, there = ctypes.c_void_p(array.ctypes.data), ctypes.c_void_p(room)
        ends = (there, here) if way == "in" else (here, there)
        self._function(way)(*ends, ctypes.c_size_t(array.nbytes))

    def wait(self) -> None:
        self._function("wait")()

    def begin_again(self) -> None:
        super().begin_again()
        for name in self.before:
            self._copy("in", self.rooms[self.laid[name].ctypes.data], self.laid[name])

    def outputs(self) -> dict[str, Array]:
        for name in self.before:
            self._copy("out", self.rooms[self.laid[name].ctypes.data], self.laid[name])
        return super().outputs()


def _orders(kernel: Kernel, find: Any, layout: Layout, inputs: Inputs) -> dict[str, Array]:
    """Place: old number of each new point."""
    ir, places = kernel.ir, [place.plural for place in kernel.ir.places()]
    tables = [layout.lay_table(inputs.tables[name]) for name in table_names(ir)]
    ranges = [
        ranges_of(inputs.arguments[name])
        for name, each in ir.arguments.items()
        if each.type.role == "points"
    ]
    orders = {place: np.empty(inputs.sizes[place], np.int32) for place in places}
    words: list[Any] = [ctypes.c_int64(inputs.sizes[name]) for name in size_names(ir)]
    words += [ctypes.c_void_p(each.ctypes.data) for each in tables]
    for each in ranges:
        words += [ctypes.c_void_p(each.ctypes.data), ctypes.c_int64(len(each) // 2)]
    find.restype = None
    find(*words, *(ctypes.c_void_p(each.ctypes.data) for each in orders.values()))
    return orders


def aligned(array: Array) -> Array:
    """A copy that begins where a line of the cache does, as models allocate their fields."""
    room = np.empty(array.nbytes + LINE_BYTES, np.uint8)
    begin = -room.ctypes.data % LINE_BYTES
    found = room[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def ranges_of(points: Array) -> Array:
    """Rising numbers of points as pairs: first of a part without gaps, one behind its last."""
    gaps = np.flatnonzero(np.diff(points) != 1) + 1
    parts = np.split(points, gaps) if len(points) else []
    return np.array([end for part in parts for end in (part[0], part[-1] + 1)], dtype=np.int64)


def written(kernel: Kernel) -> list[str]:
    """Names of the arguments that the kernel sets."""
    return [name for name, each in kernel.ir.arguments.items() if each.type.is_written]
