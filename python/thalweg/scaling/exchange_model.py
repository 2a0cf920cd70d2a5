# SPDX-License-Identifier: Apache-2.0
"""The time of a call on any number of ranks, from a point's, a message's and a byte's.

    call = points of a rank * point_s + messages * message_s + bytes * byte_s

Nothing is hidden behind computing, every rank has a core of its own, and all are equally far from
each other: a network adds hops and is shared, waits for the slowest add up, so real curves lie
above. Parts are taken to be compact: n cells have a rim of 4 sqrt(n) and six neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.lab.results import Line

NEIGHBOURS = 6


@dataclass(frozen=True)
class ExchangeModel:
    """point_s: of a cell and level with its edges and corners. rim_bytes: that leave for a cell of
    the rim and level, in a call; exchanges: of a call.
    """

    point_s: float
    message_s: float
    byte_s: float
    rim_bytes: float
    exchanges: int

    def call_s(self, cells: float, levels: int, messages: float, size: float) -> float:
        """Of a rank with so many cells."""
        return cells * levels * self.point_s + messages * self.message_s + size * self.byte_s

    def compact_s(self, cells: float, levels: int, ranks: int) -> float:
        """Of a grid of so many cells, in compact parts."""
        own = cells / ranks
        if ranks == 1:
            return self.call_s(own, levels, 0.0, 0.0)
        rim = min(4.0 * math.sqrt(own), own)
        neighbours = min(NEIGHBOURS, ranks - 1)
        size = rim * levels * self.rim_bytes
        return self.call_s(own, levels, self.exchanges * neighbours, size)

    def weak_efficiency(self, cells: float, levels: int, ranks: Sequence[int]) -> list[float]:
        """Of as many cells for each rank."""
        alone = self.compact_s(cells, levels, 1)
        return [alone / self.compact_s(cells * each, levels, each) for each in ranks]


def fit(lines: Sequence[Line], target: str, row: int) -> ExchangeModel | None:
    """From trials of one thread a rank, those that exchange without overlap. `row`: cells along i
    of the strong and weak trials. Nothing where too few were measured.
    """
    from scipy.optimize import nnls

    own = [each for each in lines if each["target"] == target and each["threads"] == 1]
    alone = [each for each in own if each["ranks"] == 1]
    together = [each for each in own if each["ranks"] > 1 and not each["overlaps"]]
    if not alone or len(together) < 2:
        return None
    point_s = float(np.median([each["median"] / each["cells"] / each["levels"] for each in alone]))
    took = np.array([each["packing_s"] + each["waiting_s"] for each in together])
    words = np.array([[each["messages"], each["bytes"]] for each in together], float)
    scale = np.maximum(took, 1e-9)  # relative errors count alike
    (message_s, byte_s), _ = nnls(words / scale[:, None], took / scale)
    rows = [each for each in together if each["kind"] in ("strong", "weak")]
    rim_bytes = float(np.median([each["bytes"] / (2 * row * each["levels"]) for each in rows]))
    return ExchangeModel(point_s, message_s, byte_s, rim_bytes, int(rows[0]["exchanges"]))
