# SPDX-License-Identifier: Apache-2.0
"""What proposals for ICON and for our own model share: what is asked, and what is predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.run.metrics import chsy

COVERAGE = 0.8
NORMAL_80 = 1.2816  # so many standard deviations on either side hold 80 % of a normal law
VALUE_BYTES = 8  # in which predictions of ICON count, whatever moves and whatever files have
_MOST_RANKS = 2**24


@dataclass(frozen=True)
class Asked:
    """Words of the command. nodes, ranks_per_node: 0 = not given."""

    machine: Path
    nodes: int
    ranks_per_node: int
    step: str = ""
    write: Path | None = None
    picture: Path | None = None
    simulate: str = ""


@dataclass(frozen=True)
class Prediction:
    """Seconds; low to high holds 80 % of runs. `reason`: why there is no prediction, or ""."""

    total_s: float
    low_s: float
    high_s: float
    reason: str = ""


@dataclass(frozen=True)
class Nodes:
    """empty: so many ranks fewer than on full nodes. Raises a sentence for more ranks than any
    machine has.
    """

    count: int
    ranks_per_node: int
    empty: int = 0

    def __post_init__(self) -> None:
        if self.ranks > _MOST_RANKS:
            raise ThalwegError(
                f"{self.count} nodes with {self.ranks_per_node} ranks each are more than "
                f"{_MOST_RANKS} ranks: no machine has as many"
            )

    @property
    def ranks(self) -> int:
        return self.count * self.ranks_per_node - self.empty


def spread_over(ranks: int, count: int) -> Nodes:
    """So many ranks and no more, as evenly as it goes."""
    each = -(-ranks // count)
    return Nodes(count, each, count * each - ranks)


@dataclass(frozen=True, kw_only=True)
class WayFigures:
    """What is predicted of a way to run. Times in s, of the run; limit: what takes longest.

    simulated_s   model time of the run
    waiting_s     run time of compute ranks beyond what they do for the model
    """

    prediction: Prediction
    nodes: Nodes
    simulated_s: float
    steps_s: float
    waiting_s: float
    limit: str
    bytes_on_io_rank: int

    @property
    def node_hours(self) -> float:
        return self.prediction.total_s * self.nodes.count / 3600.0

    @property
    def chsy(self) -> float:
        """Core hours for a simulated year, one core a rank (Balaji et al. 2017)."""
        return chsy(self.prediction.total_s * self.nodes.ranks / 3600.0, self.simulated_s)

    def figures_as_json(self) -> dict[str, object]:
        return {
            "total_s": self.prediction.total_s,
            "low_s": self.prediction.low_s,
            "high_s": self.prediction.high_s,
            "steps_s": self.steps_s,
            "waiting_s": self.waiting_s,
            "limited_by": self.limit,
            "node_hours": self.node_hours,
            "chsy_core_hours_per_year": self.chsy,
            "bytes_on_an_io_rank": self.bytes_on_io_rank,
        }


def reach_of(scores: Sequence[float], independent: int | None = None) -> float:
    """Half-width of an interval, in what scores are in: split conformal prediction, of n scores
    that of rank (n + 1) x coverage (Vovk et al. 2005). Fewer than four have no such rank: no
    narrower than a normal law, then.

    independent: as many of them tell something of their own; None: all
    """
    count = len(scores) if independent is None else min(independent, len(scores))
    rank = math.ceil(COVERAGE * (count + 1) * len(scores) / max(count, 1))
    if rank > len(scores):
        return max(NORMAL_80, *scores, 0.0)
    return sorted(scores)[rank - 1]
