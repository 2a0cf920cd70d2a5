# SPDX-License-Identifier: Apache-2.0
"""Areas, normals and the weights of operators on the sphere, as NICAM has them.

Source: Tomita et al. 2001. Much of this cancels: a weight that should vanish is what the rounding
of its sum leaves. So sums are in the order that NICAM's own results tell, and what is 0 there is 0
here, of the same sign.
"""

from __future__ import annotations

from diffusion import corner_weights
from great_circles import great_circle, triangle_area

from thalweg.dsl import Field, Out, Parameter, Points, constant, kernel
from thalweg.dsl.grids.arcs import XYZ, Arc, Cell, Triangle

zero = constant(0)
zero_length = constant(0, "m")
zero_area = constant(0, "m2")


@kernel
def corners(
    position: Field[Cell, XYZ, "m"],
    first: Out[Triangle, XYZ, "m"],
    second: Out[Triangle, XYZ, "m"],
    third: Out[Triangle, XYZ, "m"],
) -> None:
    """Where the three cells of a triangle are."""
    for s in XYZ:
        first[s] = position[Triangle.cells[0], s]
        second[s] = position[Triangle.cells[1], s]
        third[s] = position[Triangle.cells[2], s]


@kernel
def triangle_metrics(
    position: Field[Cell, XYZ, "m"],
    centre: Field[Triangle, XYZ, "m"],
    radius: Parameter["m"],
    owned_triangles: Points[Triangle],
    area: Out[Triangle, "m2"],
    inverse_area: Out[Triangle, "m-2"],
    corner_weight: Out[Triangle, Triangle.cells],
) -> None:
    """How much of a triangle lies opposite each corner, seen from its centre."""
    with owned_triangles:
        corners(position, first, second, third)
        triangle_area(centre, second, third, radius, part0)
        triangle_area(centre, third, first, radius, part1)
        triangle_area(centre, first, second, radius, part2)
        area = part0 + part1 + part2
        inverse_area = 1 / area
        corner_weight[Triangle.cells[0]] = part0 / area
        corner_weight[Triangle.cells[1]] = part1 / area
        corner_weight[Triangle.cells[2]] = part2 / area


@kernel
def arc_metrics(
    position: Field[Cell, XYZ, "m"],
    centre: Field[Triangle, XYZ, "m"],
    radius: Parameter["m"],
    face_arcs: Points[Arc],
    side_arcs: Points[Arc],
    face_normal: Out[Arc, XYZ, "m"],
    face_tangent: Out[Arc, XYZ, "m"],
    side_normal: Out[Arc, XYZ, "m"],
    side_tangent: Out[Arc, XYZ, "m"],
) -> None:
    """Of the face between two cells, out of its anchor, and of the way from cell to cell."""
    with face_arcs:
        for s in XYZ:
            face_start[s] = centre[Arc.triangles.after, s]
            face_end[s] = centre[Arc.triangles.before, s]
        great_circle(face_start, face_end, radius, face_normal, face_tangent)
    with side_arcs:
        for s in XYZ:
            side_start[s] = position[Arc.cells.anchor, s]
            side_end[s] = position[Arc.cells.other, s]
        great_circle(side_start, side_end, radius, side_normal, side_tangent)


@kernel
def gradient_weights(
    position: Field[Cell, XYZ, "m"],
    area: Field[Triangle, "m2"],
    radius: Parameter["m"],
    owned_triangles: Points[Triangle],
    triangle_weight: Out[Triangle, XYZ, Triangle.cells, "m-1"],
) -> None:
    """Half the outward normals of the sides that meet at a corner, over the area."""
    with owned_triangles:
        corners(position, first, second, third)
        great_circle(first, second, radius, normal0, tangent0)
        great_circle(second, third, radius, normal1, tangent1)
        great_circle(first, third, radius, normal2, tangent2)
        outward = where(sum(normal0[s] * third[s] for s in XYZ) > 0, -1, 1)
        inverse = 1 / (2 * area)
        for s in XYZ:
            side0 = outward * normal0[s]
            side1 = outward * normal1[s]
            side2 = -outward * normal2[s]  # the other way around the triangle than these two
            triangle_weight[s, Triangle.cells[0]] = (side0 + side2) * inverse
            triangle_weight[s, Triangle.cells[1]] = (side0 + side1) * inverse
            triangle_weight[s, Triangle.cells[2]] = (side1 + side2) * inverse


@kernel
def cell_metrics(
    position: Field[Cell, XYZ, "m"],
    centre: Field[Triangle, XYZ, "m"],
    longitude: Field[Cell],
    radius: Parameter["m"],
    face_normal: Field[Arc, XYZ, "m"],
    orientation: Field[Cell, Cell.arcs],
    owned: Points[Cell],
    area: Out[Cell, "m2"],
    inverse_area: Out[Cell, "m-2"],
    east: Out[Cell, XYZ],
    north: Out[Cell, XYZ],
    face_weight: Out[Cell, XYZ, Cell.arcs, "m-1"],
) -> None:
    """The area, the unit vectors to the east and north, and the weights of diffusion.

    `orientation` is 1 where a cell is the anchor of its arc, -1 where not, 0 where there is none.
    """
    with owned:
        total = zero_area
        for f in Cell.arcs:
            for s in XYZ:
                before[s] = centre[Cell.before[f], s]
                after[s] = centre[Cell.after[f], s]
            triangle_area(position, before, after, radius, part_area)
            total += part_area * abs(orientation[f])
        area = total
        inverse_area = 1 / area
        half_inverse = 1 / (2 * total)
        east[XYZ.x] = -sin(longitude)
        east[XYZ.y] = cos(longitude)
        east[XYZ.z] = 0
        north[XYZ.x] = -position[XYZ.z] * cos(longitude) / radius
        north[XYZ.y] = -position[XYZ.z] * sin(longitude) / radius
        north[XYZ.z] = (
            position[XYZ.x] * cos(longitude) + position[XYZ.y] * sin(longitude)
        ) / radius
        for s in XYZ:
            for f in Cell.arcs:
                there = orientation[f] * face_normal[f, s] * half_inverse
                face_weight[s, f] = where(orientation[f] == 0, 0, there)  # and never -0


@kernel
def sum_at_centre(
    face: Field[Arc, XYZ, "m"],
    corner_weight: Field[Triangle, Triangle.cells],
    arc_sign: Field[Cell, Cell.arcs],
    following_sign: Field[Cell, Cell.arcs],
    centre_after: Field[Cell, Cell.arcs, Triangle.cells],
    pole: Field[Cell],
    owned: Points[Cell],
    total: Out[Cell, XYZ, "m"],
) -> None:
    """How much of a cell itself is in the sum over the faces of face times both its ends.

    An end belongs to the face before it and to the following one. NICAM adds one product after the
    other, and at the poles, where `pole` is 1, the two of an end first.
    """
    with owned:
        for s in XYZ:
            by_product[s] = zero_length
            by_end[s] = zero_length
        for f in Cell.arcs:
            in_centre = sum(
                centre_after[f, c] * corner_weight[Cell.after[f], c] for c in Triangle.cells
            )
            for s in XYZ:
                own = in_centre * (arc_sign[f] * face[f, s])
                following = in_centre * (following_sign[f] * face[Cell.following[f], s])
                by_product[s] = by_product[s] + own + following
                by_end[s] = by_end[s] + (own + following)
        for s in XYZ:
            total[s] = where(pole == 1, by_end[s], by_product[s])


@kernel
def operator_weights(
    face: Field[Arc, XYZ, "m"],
    corner_weight: Field[Triangle, Triangle.cells],
    area: Field[Cell, "m2"],
    arc_sign: Field[Cell, Cell.arcs],
    following_sign: Field[Cell, Cell.arcs],
    preceding_sign: Field[Cell, Cell.arcs],
    centre_after: Field[Cell, Cell.arcs, Triangle.cells],
    there_after: Field[Cell, Cell.arcs, Triangle.cells],
    there_before: Field[Cell, Cell.arcs, Triangle.cells],
    pole: Field[Cell],
    owned: Points[Cell],
    centre_weight: Out[Cell, XYZ, "m-1"],
    weight: Out[Cell, XYZ, Cell.neighbours, "m-1"],
) -> None:
    """Of a cell and its neighbours in the sum over the faces of face times mean of both its ends.

    `face` is the normal for a divergence, the tangent for a rotation. The end after a face is that
    before the following one. `centre_after` is 1 for the corner of that triangle that the cell is,
    `there_after` for the one that the neighbour is, `there_before` the same of the end before.
    """
    sum_at_centre(
        face, corner_weight, arc_sign, following_sign, centre_after, pole, owned, at_centre
    )
    with owned:
        inverse = 1 / (2 * area)
        for f in Cell.arcs:
            after = sum(there_after[f, c] * corner_weight[Cell.after[f], c] for c in Triangle.cells)
            before = sum(
                there_before[f, c] * corner_weight[Cell.before[f], c] for c in Triangle.cells
            )
            for s in XYZ:
                own = arc_sign[f] * face[f, s]
                following = following_sign[f] * face[Cell.following[f], s]
                preceding = preceding_sign[f] * face[Cell.preceding[f], s]
                there = zero_length + before * own + before * preceding
                weight[s, Cell.neighbours[f]] = (there + after * own + after * following) * inverse
        for s in XYZ:
            centre_weight[s] = at_centre[s] * inverse


@kernel
def outward_sum(
    face: Field[Arc, XYZ, "m"],
    corner_weight: Field[Triangle, Triangle.cells],
    area: Field[Cell, "m2"],
    orientation: Field[Cell, Cell.arcs],
    arc_sign: Field[Cell, Cell.arcs],
    following_sign: Field[Cell, Cell.arcs],
    centre_after: Field[Cell, Cell.arcs, Triangle.cells],
    pole: Field[Cell],
    owned: Points[Cell],
    centre_weight: Out[Cell, XYZ, "m-1"],
) -> None:
    """Of a cell itself in a gradient, which is a divergence that is 0 where values are constant.

    Without the sum of all faces, which is not quite 0 on a sphere. The neighbours have the weights
    of the divergence. Arguments as above.
    """
    sum_at_centre(
        face, corner_weight, arc_sign, following_sign, centre_after, pole, owned, at_centre
    )
    with owned:
        inverse = 1 / (2 * area)
        for s in XYZ:
            rest = at_centre[s]
            for f in Cell.arcs:
                rest = rest - 2 * (orientation[f + 1] * face[f + 1, s])
            centre_weight[s] = rest * inverse


@kernel
def laplacian_weights(
    face: Field[Arc, XYZ, "m"],
    triangle_weight: Field[Triangle, XYZ, Triangle.cells, "m-1"],
    area: Field[Cell, "m2"],
    arc_sign: Field[Cell, Cell.arcs],
    following_sign: Field[Cell, Cell.arcs],
    preceding_sign: Field[Cell, Cell.arcs],
    centre_after: Field[Cell, Cell.arcs, Triangle.cells],
    there_after: Field[Cell, Cell.arcs, Triangle.cells],
    there_before: Field[Cell, Cell.arcs, Triangle.cells],
    owned_triangles: Points[Triangle],
    owned: Points[Cell],
    centre_weight: Out[Cell, "m-2"],
    weight: Out[Cell, Cell.neighbours, "m-2"],
) -> None:
    """Of a cell and its neighbours in diffusion with a diffusivity of 1. Arguments as above."""
    corner_weights(triangle_weight, owned_triangles, corner)
    with owned:
        sum_of_centre = zero
        for f in Cell.arcs:
            there = zero
            for s in XYZ:
                in_centre = sum(
                    centre_after[f, c] * corner[Cell.after[f], s, c] for c in Triangle.cells
                )
                after = sum(there_after[f, c] * corner[Cell.after[f], s, c] for c in Triangle.cells)
                before = sum(
                    there_before[f, c] * corner[Cell.before[f], s, c] for c in Triangle.cells
                )
                both_after = (
                    arc_sign[f] * face[f, s] + following_sign[f] * face[Cell.following[f], s]
                )
                both_before = (
                    arc_sign[f] * face[f, s] + preceding_sign[f] * face[Cell.preceding[f], s]
                )
                sum_of_centre += in_centre * both_after
                there += after * both_after + before * both_before
            weight[Cell.neighbours[f]] = there / (2 * area)
        centre_weight = sum_of_centre / (2 * area)
