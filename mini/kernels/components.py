# SPDX-License-Identifier: Apache-2.0
"""Components 2 to 4 of the ICON-like benchmark: operations one after the other."""

from __future__ import annotations

from block_extremes import block_extremes
from cleared_edges import cleared_edges
from column_recurrence import column_recurrence
from divergence_of_triangles import divergence_of_triangles
from gradient import gradient
from indexed_edges import indexed_edge_levels, indexed_edges
from time_step import time_step
from vertical_integral import vertical_integral
from weighted_gradient import weighted_gradient
from weighted_neighbours import weighted_neighbours

from thalweg.dsl import Field, InOut, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Block, Cell, Edge, EdgeLevel, Level, Whole


@kernel
def component_two(
    temperature: Field[Cell, Level, "K"],
    flux: Field[Edge, Level, "K"],
    edge_weight: Field[Cell, Cell.edges],
    tendency: Field[Cell, Level, "K"],
    weight: Parameter["1"],
    slope: Out[Edge, Level, "K"],
    divergence: Out[Cell, Level, "K"],
    stepped: Out[Cell, Level, "K"],
    recurrence: Out[Cell, Level, "K"],
    rises: Out[Block, Level],
    rises_anywhere: Out[Whole, Level],
    largest_rise: Out[Block, "K"],
    largest_rise_of_all: Out[Whole, "K"],
) -> None:
    """Gradient, divergence, a step, the recurrence along columns, reductions over blocks."""
    gradient(temperature, slope)
    divergence_of_triangles(flux, edge_weight, divergence)
    stepped = temperature
    time_step(tendency, weight, stepped)
    column_recurrence(temperature, tendency, recurrence)
    block_extremes(tendency, rises, rises_anywhere, largest_rise, largest_rise_of_all)


@kernel
def component_three(
    temperature: Field[Cell, Level, "K"],
    cell_weight: Field[Cell],
    integral: InOut[Cell, "K"],
    difference: Out[Edge, Level, "K"],
    cleared: Out[Edge, Level, "K"],
    cleared_again: Out[Edge, Level, "K"],
) -> None:
    """The vertical integral, the weighted gradient, and twice nothing."""
    vertical_integral(temperature, integral)
    weighted_gradient(temperature, cell_weight, difference)
    cleared_edges(cleared)
    cleared_edges(cleared_again)


@kernel
def component_four(
    temperature: Field[Cell, Level, "K"],
    flux: Field[Edge, Level, "K"],
    flux_of_all: Field[EdgeLevel, "K"],
    edge_weight: Field[Cell, Cell.edges],
    level_weight: Field[Cell, Level],
    slope: Out[Edge, Level, "K"],
    indexed_of_all: Out[EdgeLevel, "K"],
    indexed: Out[Edge, Level, "K"],
    mixed: InOut[Cell, Level, "K"],
) -> None:
    """Gradient, two index tables, neighbours aside and above; flux_of_all is flux once more."""
    gradient(temperature, slope)
    indexed_edge_levels(flux_of_all, indexed_of_all)
    indexed_edges(flux, indexed)
    weighted_neighbours(flux, edge_weight, level_weight, mixed)
