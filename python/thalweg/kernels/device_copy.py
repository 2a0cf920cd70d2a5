# SPDX-License-Identifier: Apache-2.0
"""A copy from memory of a device to memory of the device: what a GPU and its memory can do."""

from __future__ import annotations

import ctypes
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl.targets.cpp_includes import with_includes
from thalweg.dsl.targets.cuda_text import prelude
from thalweg.kernels.compiler import build_for_device
from thalweg.kernels.device import has_gpu

NAME = "device_copy"
CODE = """
SWEEP copy_value(std::int64_t count, const double* from, double* to) {
  const std::int64_t i = thread_index();
  if (i < count) to[i] = from[i];
}
extern "C" void device_copy(std::int64_t count, const double* from, double* to) {
  launch(count, 1, copy_value, count, from, to);
}
"""
VALUES = (1 << 27) if has_gpu() else (1 << 20)  # 1 GiB an array: beyond every cache of a GPU
BYTES_PER_VALUE = 16  # one read, one written
CALLS, TIMES = 10, 3


class DeviceCopy:
    """Two arrays; `measure` may be called at any time between others."""

    def __init__(self, folder: Path) -> None:
        code = with_includes(prelude(NAME) + CODE)
        self.functions = ctypes.CDLL(str(build_for_device(NAME, code, folder)))
        values = np.arange(VALUES, dtype=np.float64)
        size = ctypes.c_size_t(values.nbytes)
        self.rooms = [ctypes.c_void_p(self._call("_room", size)) for _ in range(2)]
        for room in self.rooms:
            weakref.finalize(self, getattr(self.functions, f"{NAME}_free"), room)
        self._call("_in", self.rooms[0], ctypes.c_void_p(values.ctypes.data), size)

    def _call(self, what: str, *words: Any) -> Any:
        function = getattr(self.functions, f"{NAME}{what}")
        function.restype = ctypes.c_void_p if what == "_room" else None
        return function(*words)

    def measure(self) -> float:
        """Bytes a second of the best of three."""
        best_s = np.inf
        for _ in range(TIMES):
            self._call("_wait")
            begin = time.perf_counter()
            for _ in range(CALLS):
                self._call("", ctypes.c_int64(VALUES), *self.rooms)
            self._call("_wait")
            best_s = min(best_s, (time.perf_counter() - begin) / CALLS)
        found = np.empty(1)
        there = ctypes.c_void_p((self.rooms[1].value or 0) + 8 * (VALUES - 1))
        self._call("_out", ctypes.c_void_p(found.ctypes.data), there, ctypes.c_size_t(8))
        assert found[0] == VALUES - 1
        return BYTES_PER_VALUE * VALUES / best_s
