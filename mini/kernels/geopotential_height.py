# SPDX-License-Identifier: Apache-2.0
"""Geopotential height of the faces of layers."""

from __future__ import annotations

from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.hexagons import Cell, HalfLevel


@kernel
def geopotential_height(
    geopotential: Field[Cell, HalfLevel, "m2 s-2"],
    gravity: Parameter["m s-2"],
    height: Out[Cell, HalfLevel, "m"],
) -> None:
    """z = Phi / g."""
    height = geopotential / gravity
