# SPDX-License-Identifier: Apache-2.0
"""How far what is done again differs from itself: as measured, or what is assumed without."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

# Of a logarithm. The longest of three repeats took 1.21 times the shortest (median of 80 points on
# two idle cores, docs/propose-own.md), which are 1.69 standard deviations apart in a normal law.
ASSUMED = float(np.log(1.21) / 1.69)
LEAST_SAMPLES = 3  # fewer tell no spread: two of one law are as often near each other as not


def spread_of_repeats(times_s: Iterable[tuple[Hashable, float]]) -> float | None:
    """Standard deviation of logarithms, pooled over keys: runs with the same repeat each other.
    None where there are too few to tell.
    """
    by_key: dict[Hashable, list[float]] = {}
    for key, time_s in times_s:
        by_key.setdefault(key, []).append(float(np.log(time_s)))
    again = [each for each in by_key.values() if len(each) > 1]
    freedom = sum(len(each) - 1 for each in again)
    if freedom < LEAST_SAMPLES - 1:
        return None
    return float(np.sqrt(sum(np.var(each) * len(each) for each in again) / freedom))
