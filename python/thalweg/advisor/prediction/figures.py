# SPDX-License-Identifier: Apache-2.0
"""How far predictions of runs are off, whatever kind of run: errors, intervals, and regret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, TypeVar

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


class Decided(Protocol):
    """Runs that are one decision. Regrets: of what was chosen over the shortest, less 1.

    rules   regret of each rule
    """

    @property
    def regret(self) -> float: ...

    @property
    def rules(self) -> dict[str, float]: ...


class Figures:
    """Of `tried`, of which there is one at least, and of `decisions`.

    rule_names   that each decision has a regret of
    """

    rule_names: ClassVar[tuple[str, ...]]

    @property
    def median_error(self) -> float:
        return float(np.median(self._errors()))

    @property
    def p90_error(self) -> float:
        return float(np.quantile(self._errors(), 0.9))

    @property
    def inside_80(self) -> float:
        return float(np.mean([each.inside for each in self._tried()]))

    @property
    def regret(self) -> float | None:
        """Mean of decisions. None where no group leaves a choice."""
        return mean_of([each.regret for each in self._decisions()])

    @property
    def rules(self) -> dict[str, float | None]:
        """The same of each rule."""
        decisions = self._decisions()
        return {n: mean_of([each.rules[n] for each in decisions]) for n in self.rule_names}

    def _errors(self) -> list[float]:
        return [each.error for each in self._tried()]

    def _tried(self) -> Sequence[Tried[Timed]]:
        found: Sequence[Tried[Timed]] = self.__dict__["tried"]
        return found

    def _decisions(self) -> Sequence[Decided]:
        found: Sequence[Decided] = self.__dict__["decisions"]
        return found


def mean_of(values: Sequence[float]) -> float | None:
    """None of none."""
    return float(np.mean(values)) if values else None
