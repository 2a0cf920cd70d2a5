# SPDX-License-Identifier: Apache-2.0
"""Monotone limiter of vertical advection (Thuburn 1996), as NICAM has it."""

from __future__ import annotations

from thalweg.dsl import Field, InOut, Parameter, kernel
from thalweg.dsl.grids.arcs import Bound, Cell, Level, Side


@kernel
def vertical_limiter(
    tracer: Field[Cell, Level],
    correction: Field[Cell, Level],
    courant: Field[Cell, Side, Level],
    least: Parameter["1"],
    face_value: InOut[Cell, Level],
) -> None:
    """Values at half levels within what their donor may give away.

    courant  of a layer through its faces, positive outward. The sign bit decides what flows in: -0
             flows in through the lower face of its layer, and +0 through the upper one.
    """
    for k in Level[1:-1]:
        from_below[k] = where(signbit(courant[Side.lower, k]), 1, 0)
        from_above[k] = where(signbit(courant[Side.lower, k + 1]), 0, 1)
        below[k] = where(from_below[k] > 0, tracer[k - 1], tracer[k])
        above[k] = where(from_above[k] > 0, tracer[k + 1], tracer[k])
        low_below[k] = min(tracer[k], below[k])
        high_below[k] = max(tracer[k], below[k])
        low_above[k] = min(tracer[k], above[k])
        high_above[k] = max(tracer[k], above[k])
        lowest[k] = min(low_below[k], low_above[k])
        highest[k] = max(high_below[k], high_above[k])
        coming_below[k] = where(from_below[k] > 0, courant[Side.lower, k], 0)
        coming_above[k] = where(from_above[k] > 0, courant[Side.upper, k], 0)
        going[k] = where(from_below[k] > 0, 0, courant[Side.lower, k]) + where(
            from_above[k] > 0, 0, courant[Side.upper, k]
        )
        coming_low[k] = coming_below[k] * low_below[k] + coming_above[k] * low_above[k]
        coming_high[k] = coming_below[k] * high_below[k] + coming_above[k] * high_above[k]
        leaving[k] = coming_below[k] + coming_above[k] + going[k] - correction[k]
        inverse[k] = 1 / going[k]
        bound[Bound.least, k] = where(
            abs(going[k]) < least,
            tracer[k],
            ((tracer[k] - highest[k]) + highest[k] * leaving[k] - coming_high[k]) * inverse[k],
        )
        bound[Bound.largest, k] = where(
            abs(going[k]) < least,
            tracer[k],
            ((tracer[k] - lowest[k]) + lowest[k] * leaving[k] - coming_low[k]) * inverse[k],
        )
    for k in Level[2:-1]:
        most[k] = where(from_below[k] > 0, bound[Bound.largest, k - 1], bound[Bound.largest, k])
        face_value[k] = max(
            min(face_value[k], most[k]),
            where(from_below[k] > 0, bound[Bound.least, k - 1], bound[Bound.least, k]),
        )
