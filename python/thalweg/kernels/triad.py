# SPDX-License-Identifier: Apache-2.0
"""STREAM triad (McCalpin 1995), compiled as kernels are: what a core and its memory can do."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

import numpy as np

from thalweg.kernels.compiled import aligned
from thalweg.kernels.compiler import FLAGS, MORE_FLAGS, build

CODE = """// a = b + scalar c
#include <cstdint>
extern "C" void triad(std::int64_t n, double* __restrict a, const double* __restrict b,
                      const double* __restrict c, double scalar) {
  #pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
}
"""
VALUES = 8 * 1024 * 1024  # 64 MiB an array: beyond every cache
BYTES_PER_VALUE = 24  # as STREAM counts: two read, one written


class Triad:
    """Arrays that were touched once; `measure` may be called at any time between others."""

    def __init__(self, folder: Path) -> None:
        library = build("triad", CODE, (*FLAGS, *MORE_FLAGS["openmp"]), folder)
        self.function = ctypes.CDLL(str(library)).triad
        self.function.restype = None
        self.arrays = [aligned(np.full(VALUES, float(value))) for value in (0, 1, 2)]

    def measure(self) -> float:
        """Bytes a second of the best of three."""
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in self.arrays]
        best_s = np.inf
        for _ in range(3):
            begin = time.perf_counter()
            self.function(ctypes.c_int64(VALUES), *pointers, ctypes.c_double(3.0))
            best_s = min(best_s, time.perf_counter() - begin)
        assert self.arrays[0][-1] == 7.0
        return BYTES_PER_VALUE * VALUES / best_s
