# SPDX-License-Identifier: Apache-2.0
"""Tracer from its mass."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Level, Vertex


@kernel
def tracer_content(
    tracer_mass: Field[Vertex, Level, "m"],
    thickness: Field[Vertex, Level, "m"],
    tracer: Out[Vertex, Level],
) -> None:
    """q = (h q) / h."""
    tracer = tracer_mass / thickness
