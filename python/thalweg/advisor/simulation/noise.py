# SPDX-License-Identifier: Apache-2.0
"""How much longer than its mean a thing takes, from a seed."""

from __future__ import annotations

import math
from random import Random
from statistics import NormalDist

_NORMAL = NormalDist()
_BELOW_ONE = 1.0 - 2.0**-53
# Logarithms are rounded to this, so that ranks fall into a few dozen speeds (pools of fluid.py).
# It moves the mean by 1/24 of its square: 0.004 %.
_GRID = 1.0 / 32.0
_ROUNDED = 1e-9  # steps over squared variation
_UNSEEN = 1e-12  # the inverse: a spread of one in a million


class Noise:
    """service: standard deviation over mean of an output's time (lognormal); step: of a step's."""

    def __init__(self, seed: int, service: float, step: float) -> None:
        self._random = Random(seed)
        self._sigma = math.sqrt(math.log1p(service**2))  # of the logarithm
        self._step = step

    def stretch(self, members: int) -> float:
        """The slowest of `members` independent ranks, over the mean of one; 1 without variation.

        If F is the distribution of one, the largest of n is distributed as F^n: draw from it.
        """
        if self._sigma == 0.0:
            return 1.0
        drawn = min(max(self._random.random() ** (1.0 / members), 2.0**-53), _BELOW_ONE)
        # Mean 1: exp(-sigma^2 / 2) is the median.
        logarithm = self._sigma * (_NORMAL.inv_cdf(drawn) - 0.5 * self._sigma)
        return math.exp(round(logarithm / _GRID) * _GRID)

    def steps(self, count: float) -> float:
        """Time of `count` steps in mean steps: gamma distributions add, so one draw is enough."""
        squared = self._step**2
        # Parts of a step that rounding left, and variation that nobody sees: gammavariate fails
        # or does not end beyond these.
        if squared <= _UNSEEN * count or count <= _ROUNDED * squared:
            return max(0.0, count)
        return self._random.gammavariate(count / squared, squared)
