# SPDX-License-Identifier: Apache-2.0
"""A recurrence along each column."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def column_recurrence(
    temperature: Field[Cell, Level, "K"],
    tendency: Field[Cell, Level, "K"],
    result: Out[Cell, Level, "K"],
) -> None:
    """y_k = (T_k + T_k-1) / 2 + 0.05 R_k-1 with R_k = D_k + D_k-1; y_0 = T_0, R_0 = D_0."""
    for k in Level[1:]:
        both[k] = tendency[k] + tendency[k - 1]
    both[0] = tendency[0]
    for k in Level[1:]:
        result[k] = 0.5 * (temperature[k] + temperature[k - 1]) + 0.05 * both[k - 1]
    result[0] = temperature[0]
