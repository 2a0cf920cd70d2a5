# SPDX-License-Identifier: Apache-2.0
"""Monotone limiter of horizontal advection (Thuburn 1996), as NICAM has it."""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Out, Parameter, Points, kernel
from thalweg.dsl.grids.arcs import Arc, Bound, Cell, Level


@kernel
def inflow_bounds(
    tracer: Field[Cell, Level],
    limited_arcs: Points[Arc],
    bounds: Out[Arc, Bound, Level],
) -> None:
    """What flows through an arc lies between the values around it."""
    with limited_arcs:
        bounds[Bound.least] = min(tracer[c] for c in Arc.around)
        bounds[Bound.largest] = max(tracer[c] for c in Arc.around)


@kernel
def outflow_bounds(
    tracer: Field[Cell, Level],
    correction: Field[Cell, Level],
    courant: Field[Cell, Cell.arcs, Level],
    inflow: Field[Arc, Level],
    orientation: Field[Cell, Cell.arcs],
    pole: Field[Cell],
    huge: Parameter["1"],
    least: Parameter["1"],
    limited_arcs: Points[Arc],
    owned: Points[Cell],
    halo: Points[Cell],
    bounds: InOut[Cell, Bound, Level],
) -> None:
    """Between which values a cell may give away, so that it keeps no new extreme.

    inflow       of an arc: 1 where the anchor is flowed into, else 0
    orientation  1 where a cell is the anchor, -1 where not; 0: there is no such arc
    pole         1 at a pole, where `inflow` says what flows in; elsewhere 0, and its sign does
    correction   of the density, without dimension
    """
    inflow_bounds(tracer, limited_arcs, around)
    with halo:
        bounds[Bound.least] = tracer
        bounds[Bound.largest] = tracer
    with owned:
        for f in Cell.arcs:
            enters[f] = where(orientation[f] > 0, inflow[f], (1 - inflow[f]) * abs(orientation[f]))
            low[f] = where(enters[f] > 0, around[f, Bound.least], huge)
            high[f] = where(enters[f] > 0, around[f, Bound.largest], -huge)
        lowest = min(tracer, min(low[f] for f in Cell.arcs))
        highest = max(tracer, max(high[f] for f in Cell.arcs))
        for f in Cell.arcs:
            into[f] = where(pole > 0, enters[f] * courant[f], min(courant[f], 0))
        coming = sum(into[f] for f in Cell.arcs)
        going = sum(courant[f] - into[f] for f in Cell.arcs)
        coming_low = sum(into[f] * low[f] for f in Cell.arcs)
        coming_high = sum(into[f] * high[f] for f in Cell.arcs)
        staying = 1 - coming - going + correction
        inverse = 1 / going
        bounds[Bound.least] = where(
            abs(going) < least, tracer, (tracer - coming_high - highest * staying) * inverse
        )
        bounds[Bound.largest] = where(
            abs(going) < least, tracer, (tracer - coming_low - lowest * staying) * inverse
        )


@kernel
def horizontal_limiter(
    tracer: Field[Cell, Level],
    inflow: Field[Arc, Level],
    orientation: Field[Cell, Cell.arcs],
    bounds: Field[Cell, Bound, Level],
    limited_arcs: Points[Arc],
    face_value: InOut[Cell, Cell.arcs, Level],
) -> None:
    """Values at the faces within the bounds of what flows in and, of its donor, flows out.

    `bounds` are those of `outflow_bounds`, with the halo exchanged. The outflow bound of the least
    comes last: it holds where a cell gives away more than it has.
    """
    inflow_bounds(tracer, limited_arcs, around)
    with limited_arcs:
        for b in Bound:
            donor[b] = where(inflow > 0, bounds[Arc.cells.other, b], bounds[Arc.cells.anchor, b])
    for f in Cell.arcs:
        within[f] = min(max(face_value[f], around[f, Bound.least]), around[f, Bound.largest])
        face_value[f] = where(
            orientation[f] == 0,
            face_value[f],
            max(min(within[f], donor[f, Bound.largest]), donor[f, Bound.least]),
        )
