# SPDX-License-Identifier: Apache-2.0
"""ICON-like kernels in the language of GT4Py (gt4py.next, needs it), with our names of arguments.

What they compute stands in mini/kernels; here it is said as GT4Py's users would say it.
"""

import gt4py.next as gtx
from gt4py.next import Dims, neighbor_sum

Cell = gtx.Dimension("Cell")
Edge = gtx.Dimension("Edge")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
C2EDim = gtx.Dimension("C2E", kind=gtx.DimensionKind.LOCAL)
E2CDim = gtx.Dimension("E2C", kind=gtx.DimensionKind.LOCAL)
C2CDim = gtx.Dimension("C2C", kind=gtx.DimensionKind.LOCAL)
C2E = gtx.FieldOffset("C2E", source=Edge, target=(Cell, C2EDim))
E2C = gtx.FieldOffset("E2C", source=Cell, target=(Edge, E2CDim))
C2C = gtx.FieldOffset("C2C", source=Cell, target=(Cell, C2CDim))

OnCells = gtx.Field[Dims[Cell, K], gtx.float64]
OnEdges = gtx.Field[Dims[Edge, K], gtx.float64]
Weights = gtx.Field[Dims[Cell, C2EDim], gtx.float64]


@gtx.field_operator
def _gradient(temperature: OnCells) -> OnEdges:
    return temperature(E2C[0]) - temperature(E2C[1])


@gtx.program
def gradient(temperature: OnCells, difference: OnEdges):
    _gradient(temperature, out=difference)


@gtx.field_operator
def _divergence(flux: OnEdges, weight: Weights) -> OnCells:
    return neighbor_sum(weight * flux(C2E), axis=C2EDim)


@gtx.program
def divergence_of_triangles(flux: OnEdges, weight: Weights, divergence: OnCells):
    _divergence(flux, weight, out=divergence)


@gtx.field_operator
def _laplacian(temperature: OnCells, weight: Weights) -> OnCells:
    return _divergence(_gradient(temperature), weight)


@gtx.program
def laplacian(temperature: OnCells, weight: Weights, result: OnCells):
    _laplacian(temperature, weight, out=result)


@gtx.field_operator
def _neighbour_mean(temperature: OnCells) -> OnCells:
    return neighbor_sum(temperature(C2C), axis=C2CDim) / 3.0


@gtx.program
def neighbour_mean(temperature: OnCells, mean: OnCells):
    _neighbour_mean(temperature, out=mean)


PROGRAMS = {
    "gradient": gradient,
    "divergence_of_triangles": divergence_of_triangles,
    "laplacian": laplacian,
    "neighbour_mean": neighbour_mean,
}
PLACES = {"cells": Cell, "edges": Edge}
AXES = {"cell_edges": C2EDim}  # of arguments, by the table that their places follow
# By our name of the table: GT4Py's, and what is needed to make one of it.
TABLES = {
    "cell_edges": ("C2E", Cell, C2EDim, Edge),
    "edge_cells": ("E2C", Edge, E2CDim, Cell),
    "cell_neighbours": ("C2C", Cell, C2CDim, Cell),
}
