# SPDX-License-Identifier: Apache-2.0
"""How far predictions of runs are off, whatever kind of run: errors, and shares of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from thalweg.advisor.shapes import Prediction


class Timed(Protocol):
    """A run that exists."""

    @property
    def total_s(self) -> float: ...


RunT = TypeVar("RunT", bound=Timed)


@dataclass(frozen=True)
class Tried(Generic[RunT]):
    """A measured run and its prediction from others."""

    run: RunT
    prediction: Prediction

    @property
    def error(self) -> float:
        return abs(self.prediction.total_s / self.run.total_s - 1.0)

    @property
    def inside(self) -> bool:
        return self.prediction.low_s <= self.run.total_s <= self.prediction.high_s


class ErrorFigures:
    """Of `tried`, of which there is one at least."""

    @property
    def median_error(self) -> float:
        return float(np.median(self._errors()))

    @property
    def p90_error(self) -> float:
        return float(np.quantile(self._errors(), 0.9))

    @property
    def inside_80(self) -> float:
        return float(np.mean([each.inside for each in self._tried()]))

    def _errors(self) -> list[float]:
        return [each.error for each in self._tried()]

    def _tried(self) -> Sequence[Tried[Timed]]:
        found: Sequence[Tried[Timed]] = self.__dict__["tried"]
        return found


def mean_of(values: Sequence[float]) -> float | None:
    """None of none."""
    return float(np.mean(values)) if values else None
