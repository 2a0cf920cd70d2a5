# SPDX-License-Identifier: Apache-2.0
"""Lengths, directions and areas on the sphere, for points of any place."""

from __future__ import annotations

from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grid import ANYWHERE
from thalweg.dsl.grids.arcs import XYZ


@kernel
def angle_between(
    start: Field[ANYWHERE, XYZ, "m"],
    end: Field[ANYWHERE, XYZ, "m"],
    angle: Out[ANYWHERE],
) -> None:
    """Seen from the middle of the sphere; exact for small angles, too."""
    x = start[XYZ.y] * end[XYZ.z] - start[XYZ.z] * end[XYZ.y]
    y = start[XYZ.z] * end[XYZ.x] - start[XYZ.x] * end[XYZ.z]
    z = start[XYZ.x] * end[XYZ.y] - start[XYZ.y] * end[XYZ.x]
    angle = atan2(sqrt(x * x + y * y + z * z), sum(start[s] * end[s] for s in XYZ))


@kernel
def great_circle(
    start: Field[ANYWHERE, XYZ, "m"],
    end: Field[ANYWHERE, XYZ, "m"],
    radius: Parameter["m"],
    normal: Out[ANYWHERE, XYZ, "m"],
    tangent: Out[ANYWHERE, XYZ, "m"],
) -> None:
    """Its length times a unit vector to the left of the way, and times one along its chord."""
    angle_between(start, end, angle)
    length = radius * angle
    cross[XYZ.x] = start[XYZ.y] * end[XYZ.z] - start[XYZ.z] * end[XYZ.y]
    cross[XYZ.y] = start[XYZ.z] * end[XYZ.x] - start[XYZ.x] * end[XYZ.z]
    cross[XYZ.z] = start[XYZ.x] * end[XYZ.y] - start[XYZ.y] * end[XYZ.x]
    across = sqrt(sum(cross[s] * cross[s] for s in XYZ))
    chord = sqrt(sum((end[s] - start[s]) * (end[s] - start[s]) for s in XYZ))
    for s in XYZ:
        normal[s] = length * cross[s] / across
        tangent[s] = length * (end[s] - start[s]) / chord


@kernel
def triangle_area(
    first: Field[ANYWHERE, XYZ, "m"],
    second: Field[ANYWHERE, XYZ, "m"],
    third: Field[ANYWHERE, XYZ, "m"],
    radius: Parameter["m"],
    area: Out[ANYWHERE, "m2"],
) -> None:
    """Of a spherical triangle, by l'Huilier's theorem; 0 where two corners are one."""
    angle_between(second, third, a)
    angle_between(third, first, b)
    angle_between(first, second, c)
    half = (a + b + c) / 2
    product = tan(half / 2) * tan((half - a) / 2) * tan((half - b) / 2) * tan((half - c) / 2)
    area = 4 * atan(sqrt(max(product, 0))) * radius * radius
