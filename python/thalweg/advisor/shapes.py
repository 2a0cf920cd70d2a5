# SPDX-License-Identifier: Apache-2.0
"""What proposals for ICON and for our own model share: what is asked, and what is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COVERAGE = 0.8
NORMAL_80 = 1.2816  # so many standard deviations on either side hold 80 % of a normal law


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
