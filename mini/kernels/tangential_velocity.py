# SPDX-License-Identifier: Apache-2.0
"""Velocity along the face between two hexagons, from the normal velocities around."""

from __future__ import annotations

from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Edge, Level


@kernel
def tangential_velocity(
    velocity: Field[Edge, Level, "m s-1"],
    perpendicular_weight: Field[Edge, Edge.ring],
    tangential: Out[Edge, Level, "m s-1"],
) -> None:
    """v_e = 1/d_e sum_e' w_ee' l_e' u_e' (Thuburn et al. 2009).

    From the first cell to the second: 90 degrees clockwise of the velocity.

    perpendicular_weight  w_ee' l_e' / d_e
    """
    tangential = sum(perpendicular_weight[n] * velocity[n] for n in Edge.ring)
