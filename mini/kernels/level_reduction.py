# SPDX-License-Identifier: Apache-2.0
"""Reductions of a field over its levels, for two-dimensional output."""

from __future__ import annotations

from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grid import LevelAxis, Place

Point = Place("point", "points")  # cell, edge or vertex
Level = LevelAxis("level")


@kernel
def level_maximum(values: Field[Point, Level], reduced: Out[Point]) -> None:
    """The largest value of a column."""
    reduced = max(values[k] for k in Level)


@kernel
def level_minimum(values: Field[Point, Level], reduced: Out[Point]) -> None:
    """The smallest value of a column."""
    reduced = min(values[k] for k in Level)


@kernel
def level_sum(values: Field[Point, Level], reduced: Out[Point]) -> None:
    """The sum of a column, from the first level on."""
    reduced = sum(values[k] for k in Level)


@kernel
def level_mean(values: Field[Point, Level], count: Parameter["1"], reduced: Out[Point]) -> None:
    """The mean of a column of `count` levels."""
    reduced = sum(values[k] for k in Level) / count


@kernel
def first_level(values: Field[Point, Level], reduced: Out[Point]) -> None:
    """The first value of a column."""
    reduced = values[0]
