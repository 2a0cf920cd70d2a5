# SPDX-License-Identifier: Apache-2.0
"""The bars of a validation of runs of ours: the one list behind `--check`."""

from __future__ import annotations

from thalweg.advisor.own.validation import OwnResult
from thalweg.advisor.prediction.bars import BELOW_RULES, Bar

OWN_BARS: tuple[Bar[OwnResult], ...] = (
    Bar("within_repeats", "at least 80 % of the points that were repeated",
        lambda result: result.within_repeats, lambda result, value: value >= 0.8),
    BELOW_RULES,
)  # fmt: skip
