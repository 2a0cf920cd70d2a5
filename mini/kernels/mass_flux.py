# SPDX-License-Identifier: Apache-2.0
"""Mass flux through the face between two hexagons."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Edge, Level, Vertex


@kernel
def mass_flux(
    thickness: Field[Vertex, Level, "m"],
    velocity: Field[Edge, Level, "m s-1"],
    flux: Out[Edge, Level, "m2 s-1"],
) -> None:
    """F_e = (h_v0 + h_v1) / 2 u_e (Ringler et al. 2010: centred, as energy demands).

    Positive from the first vertex to the second, as the velocity.
    """
    flux = (thickness[Edge.vertices.first] + thickness[Edge.vertices.second]) / 2 * velocity
