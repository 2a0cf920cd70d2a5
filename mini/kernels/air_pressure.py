# SPDX-License-Identifier: Apache-2.0
"""Pressure of a hybrid vertical coordinate, in layers and on their faces."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.hexagons import Cell, HalfLevel, Level


@kernel
def layer_pressure(
    surface_pressure: Field[Cell, "Pa"],
    mean_a: Field[Level, "Pa"],
    mean_b: Field[Level],
    pressure: Out[Cell, Level, "Pa"],
) -> None:
    """p = A + B p_s (Simmons and Burridge 1981), means of the two faces."""
    pressure = mean_a + mean_b * surface_pressure


@kernel
def face_pressure(
    surface_pressure: Field[Cell, "Pa"],
    face_a: Field[HalfLevel, "Pa"],
    face_b: Field[HalfLevel],
    pressure: Out[Cell, HalfLevel, "Pa"],
) -> None:
    """The same on the faces."""
    pressure = face_a + face_b * surface_pressure
