# SPDX-License-Identifier: Apache-2.0
"""One kernel in one way: its values are compared before it is timed beside STREAM triad."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.compiled import LINE_BYTES, Bound, bind
from thalweg.lab.results import Line, spread

# Largest relative difference of a function of the compiler's library to NumPy's.
LARGEST_DIFFERENCE = {"double": 1e-12, "single": 1e-4}


@dataclass(frozen=True)
class Way:
    configuration: Configuration
    threads: int = 1

    @property
    def name(self) -> str:
        chosen = self.configuration
        words = [chosen.target, chosen.layout, str(self.threads)]
        words += ["streaming"] if chosen.stores == "streaming" else []
        words += [f"ahead {chosen.prefetch}"] if chosen.prefetch else []
        words += ["into first"] if chosen.prefetch and chosen.prefetch_into == "first" else []
        words += ["vector"] if chosen.functions == "vector" else []
        words += [f"tile {chosen.tile}"] if chosen.tile else []
        words += [chosen.order] if chosen.order != "numbered" else []
        words += [chosen.precision] if chosen.is_single else []
        return " ".join(words)

    @property
    def target(self) -> str:
        return self.configuration.target

    @property
    def layout(self) -> str:
        return self.configuration.layout

    @property
    def order(self) -> str:
        return self.configuration.order

    @property
    def precision(self) -> str:
        return self.configuration.precision

    @property
    def is_single(self) -> bool:
        return self.configuration.is_single


class AnyWay(Protocol):
    """Ours, or that of a peer."""

    @property
    def name(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def target(self) -> str: ...
    @property
    def layout(self) -> str: ...
    @property
    def order(self) -> str: ...
    @property
    def precision(self) -> str: ...
    @property
    def is_single(self) -> bool: ...


@dataclass
class Trial:
    case: Case
    way: AnyWay
    bound: Bound
    wrong: str = ""
    apart: tuple[Trial, ...] = ()  # the same by kernels one after the other
    seconds: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    triad_bytes_s: list[float] = field(default_factory=list)

    @property
    def median_s(self) -> float:
        return float(np.median(self.seconds))

    def run(self, triad_bytes_s: float, calls: int = 1) -> None:
        """`calls` one after the other, so that short ones can be timed."""
        self.bound.begin_again()
        if calls > 1:
            self.bound.run()  # its fields are in the caches now
            self.bound.wait()
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(calls):
            self.bound.run()
        self.bound.wait()
        wall_s = (time.perf_counter() - wall) / calls
        self.cpu_s.append((time.process_time() - cpu) / calls)
        self.seconds.append(wall_s)
        self.triad_bytes_s.append(triad_bytes_s)
        self.shares.append(self.size_bytes / wall_s / triad_bytes_s)

    @property
    def size_bytes(self) -> int:
        """Every array counts once, tables as the indices of four bytes that they are."""
        arrays = [each for each in self.case.arguments.values() if isinstance(each, np.ndarray)]
        values = sum(_float_bytes(each) for each in arrays)
        tables = self.case.kernel.ir.neighbour_tables()
        indices = sum(4 * self.case.tables[each.full_name].size for each in tables)
        return values // (2 if self.way.is_single else 1) + indices

    def line(self, where: str = "") -> Line:
        """`where`: "" beyond the caches, or what else is said of the case."""
        way = self.way
        name = f"{self.case.kernel.name}{f' {where}' if where else ''}: {way.name}"
        line: Line = {"bench": "kernels", "method": name}
        if self.wrong:
            return line | {"wrong": self.wrong}
        return line | {
            "unit": "of triad",
            **spread(self.shares),
            "kernel": self.case.kernel.name,
            "where": where or "beyond caches",
            "target": way.target,
            "layout": way.layout,
            "order": way.order,
            "precision": way.precision,
            "bytes": self.size_bytes,
            "gb_s": self.size_bytes / self.median_s / 1e9,
            "triad_gb_s": float(np.median(self.triad_bytes_s)) / 1e9,
            "wall_s": self.median_s,
            "cpu_s": float(np.median(self.cpu_s)),
            "threads": way.threads,
            "sizes": dict(self.case.sizes),
        }


def set_threads(threads: int) -> None:
    """Of kernels and of triad, from now on; tiles are found for as many."""
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(threads)


def make_trial(case: Case, way: Way, folder: Path) -> Trial:
    """Says in `wrong` what has other values than the reference."""
    set_threads(way.threads)
    inputs = case.inputs
    bound = bind(case.kernel, way.configuration, inputs, folder)
    for array in bound.arrays():
        assert array.flags.c_contiguous  # strides are those of the layout, nothing between
        assert array.ctypes.data % LINE_BYTES == 0
    bound.run()
    wrong = difference_to_reference(case, bound, way.precision, folder)
    return Trial(case, way, bound, wrong)


def difference_to_reference(case: Case, bound: Bound, precision: str, folder: Path) -> str:
    """Which output of a kernel that has run once is wrong, as a sentence; none: ""."""
    inputs = case.inputs
    reference = bind(case.kernel, Configuration("numpy", precision=precision), inputs, folder)
    reference.run()
    found = bound.outputs()
    for name, right in reference.outputs().items():
        near = LARGEST_DIFFERENCE[precision]
        if not np.allclose(found[name], right, near, 0.0, equal_nan=True):
            return f"'{name}' is not what the reference has"
    return ""


def _float_bytes(array: Array) -> int:
    return array.nbytes if array.dtype == np.float64 else 0
