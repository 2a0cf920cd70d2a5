# SPDX-License-Identifier: Apache-2.0
"""Values that are made up from numbers alone: everyone makes the same for the same point.

A value is the counter of its argument, row and point, mixed by splitmix64 (Steele, Lea and Flood,
OOPSLA 2014, fig. 16), whose outputs for counters one apart pass tests of random numbers.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from thalweg.kernels.any_kernel import ZEROS
from thalweg.kernels.cases import Array

STEP = 0x9E3779B97F4A7C15  # odd, 2^64 over the golden ratio
MASK = (1 << 64) - 1
CHANCES = 1 << 10  # of a zero: what the bits 1 to 10 say; the sign is bit 0, the size bits 11 to 63


def made_values(
    keys: tuple[int, int], rows: int, total: int, points: Array, kinds: Collection[str]
) -> Array:
    """[row, point], sizes from 0.5 to 1.5. keys: seed and number of the argument; total: points of
    the whole grid; kinds: "signs", "zeros" as in any_kernel.py, there may be.
    """
    first = mixed_number(mixed_number(keys[0]) + keys[1])
    found = np.empty((rows, len(points)))
    counters = points.astype(np.uint64) * np.uint64(STEP)
    for row in range(rows):
        bits = _mixed(counters + np.uint64((first + row * total * STEP) & MASK))
        values = found[row]
        values[...] = (bits >> np.uint64(11)) * 2.0**-53
        values += 0.5
        if "signs" in kinds:
            values *= 1.0 - 2.0 * (bits & np.uint64(1))
        if "zeros" in kinds:
            chance = (bits >> np.uint64(1)) & np.uint64(CHANCES - 1)
            values *= chance >= np.uint64(int(ZEROS * CHANCES))  # a negative one has its sign
    return found


def mixed_number(number: int) -> int:
    return int(_mixed(np.array([number & MASK], np.uint64))[0])


def _mixed(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
