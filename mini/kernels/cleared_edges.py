# SPDX-License-Identifier: Apache-2.0
"""Nothing on every edge, as two kernels of the benchmark have it. What they meant: upwind.py."""

from __future__ import annotations

from thalweg.dsl import Out, kernel
from thalweg.dsl.grids.triangles import Edge, Level


@kernel
def cleared_edges(result: Out[Edge, Level, "K"]) -> None:
    """0 everywhere."""
    result = 0
