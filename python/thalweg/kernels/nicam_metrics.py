# SPDX-License-Identifier: Apache-2.0
"""Cases of NICAM's geometry: each kernel on what the file has, its results against the file's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thalweg.dsl import Kernel
from thalweg.kernels.cases import Array, Case, Named, refuse_other
from thalweg.kernels.library import all_kernels
from thalweg.kernels.nicam import LIMITED_ARCS, TOLERANCE, Arrays, check_counts, parts_of
from thalweg.kernels.region import POLES, RING, Region

NAME = "dyn_metrics"
KERNELS = (
    "triangle_metrics", "arc_metrics", "gradient_weights", "cell_metrics", "operator_weights",
    "outward_sum", "laplacian_weights",
)  # fmt: skip
# The weights of the centre and of the neighbours are one array in the file.
STENCILS = {
    "operator_weights": "out_coef_div",
    "operator_weights of rotation": "out_coef_rot",
    "outward_sum": "out_coef_grad",
    "laplacian_weights": "out_coef_lap",
}
FACE_ARCS = ((0, 1), (0, 0), (1, 0))


def cases_of(data: Mapping[str, Array]) -> list[Case]:
    """One after the other: each begins with the results of the file, not with those of ours."""
    named = Named(data, "the data file")
    named.check_numbers()
    geometry = _Geometry(named)
    check_counts(named)
    geometry.check_copies()
    kernels, tables = all_kernels(), geometry.tables
    sizes = geometry.region.sizes(1)
    found = []
    for name, (arguments, expected) in geometry.made().items():
        kernel = kernels[name.partition(" ")[0]]
        full = {**arguments}
        for each, (array, _) in expected.items():
            full.setdefault(each, np.full_like(array, np.nan))
        right = {each: array for each, (array, _) in expected.items()}
        compared = {each: parts_of(geometry.region, *there) for each, there in expected.items()}
        scales = {}
        if name in STENCILS:
            of_file = geometry.stencil(STENCILS[name])
            scales = {
                each: [max(_largest(array[part]) for array in of_file) for part in parts]
                for each, parts in compared.items()
            }
        case = Case(kernel, sizes, tables, full, right, TOLERANCE, compared, scales)
        found.append(case.checked())
    found.append(geometry.rings(kernels["arc_metrics"]).checked())
    return found


def _largest(array: Array) -> float:
    return float(np.abs(array).max(initial=0.0))


class _Geometry:
    def __init__(self, named: Named) -> None:
        self.named = named
        self.arrays = Arrays(named)
        self.region: Region = self.arrays.region
        self.tables = _tables(self.region)
        self.radius = float(named["par_earth_radius"])
        self.normal = self._arcs("out_GMTR_a", slice(0, 3))
        self.tangent = self._arcs("out_GMTR_a", slice(3, 6))
        self.area = self._cells("out_GMTR_p")[0]
        self.orientation = self._orientation()

    def _cells(self, name: str) -> Array:
        """[…, cell] of […, l, 1, j, i] and […, l, 1, v]."""
        found = self.named[name], self.named[f"{name}_pl"]
        front = found[0].shape[:-4]
        return np.concatenate([each.reshape(*front, -1) for each in found], axis=-1)

    def _triangles(self, name: str) -> Array:
        """[n, triangle] of [n, t, l, 1, j, i] and [n, l, 1, v]."""
        found = self.named[name], self.named[f"{name}_pl"][..., 1:]
        return np.concatenate([each.reshape(len(each), -1) for each in found], axis=-1)

    def _arcs(self, name: str, which: slice) -> Array:
        found = self.named[name][which], self.named[f"{name}_pl"][which, ..., 1:]
        return np.concatenate([each.reshape(len(each), -1) for each in found], axis=-1)

    def _orientation(self) -> Array:
        found = self.region.orientation(self.region.arcs(LIMITED_ARCS))
        found[5, self.pentagon] = 0.0
        return found

    @property
    def pentagon(self) -> int:
        return int(self.region.cell(np.array(1), np.array(1)))

    def stencil(self, name: str) -> tuple[Array, Array]:
        """Centre [s, cell] and neighbours [s, face, cell] of [l, s, 7, j, i] and [l, s, v]."""
        region, poles = self.named[name][0], self.named[f"{name}_pl"]
        front = region.shape[:-3]
        around = np.zeros((*front, 7, POLES, RING + 1))
        around[..., : RING + 1, :, 0] = np.moveaxis(poles, 0, -1)
        flat = np.concatenate(
            [region.reshape(*front, 7, -1), around.reshape(*front, 7, -1)], axis=-1
        )
        return flat[..., 0, :], flat[..., 1:, :]

    def made(self) -> dict[str, tuple[dict[str, Any], dict[str, tuple[Array, Array]]]]:
        """Kernel: what goes in; what must come out and where."""
        region, named = self.region, self.named
        position, centre = self._cells("in_GRD_x"), self._triangles("in_GRD_xt")
        triangles, owned = region.owned_triangles(), region.owned()
        metric = self._triangles("out_GMTR_t")
        used = np.setdiff1d(triangles, self._unused_triangles())
        faces, sides = self._face_arcs(), self._side_arcs()
        place = {"position": position, "radius": self.radius}
        cells = self._cells("out_GMTR_p")
        seen = self._seen()
        grad_centre, grad_around = self.stencil("out_coef_grad")
        div_centre, div_around = self.stencil("out_coef_div")
        refuse_other("out_coef_grad", grad_around[..., owned], div_around[..., owned],
                     "'out_coef_div' of the neighbours", TOLERANCE)  # fmt: skip
        rot_centre, rot_around = self.stencil("out_coef_rot")
        lap_centre, lap_around = self.stencil("out_coef_lap")
        around_centre = {
            **{name: seen[name] for name in ("arc_sign", "following_sign", "centre_after")},
            "corner_weight": metric[2:],
            "area": self.area,
            "owned": owned,
            "pole": region.is_pole(),
        }
        weights = {**around_centre, **seen}
        alpha = _interpolation(named)
        return {
            "triangle_metrics": (
                {**place, "centre": centre, "owned_triangles": triangles},
                {
                    "area": (metric[0], used),
                    "inverse_area": (metric[1], used),
                    "corner_weight": (metric[2:], used),
                },
            ),
            "arc_metrics": (
                {**place, "centre": centre, "face_arcs": faces, "side_arcs": sides},
                {
                    "face_normal": (self.normal, faces),
                    "face_tangent": (self.tangent, faces),
                    "side_normal": (self._arcs("out_GMTR_a", slice(6, 9)), sides),
                    "side_tangent": (self._arcs("out_GMTR_a", slice(9, 12)), sides),
                },
            ),
            "gradient_weights": (
                {**place, "area": metric[0], "owned_triangles": triangles},
                {"triangle_weight": (alpha, used)},
            ),
            "cell_metrics": (
                {
                    **place,
                    "centre": centre,
                    "longitude": self._cells("in_GRD_s")[1],
                    "face_normal": self.normal,
                    "orientation": self.orientation,
                    "owned": owned,
                },
                {
                    "area": (cells[0], owned),
                    "inverse_area": (cells[1], owned),
                    "east": (cells[2:5], owned),
                    "north": (cells[5:8], owned),
                    "face_weight": (_diffusive(named), owned),
                },
            ),
            "operator_weights": (
                {**weights, "face": self.normal},
                {"centre_weight": (div_centre, owned), "weight": (div_around, owned)},
            ),
            "operator_weights of rotation": (
                {**weights, "face": self.tangent},
                {"centre_weight": (rot_centre, owned), "weight": (rot_around, owned)},
            ),
            "outward_sum": (
                {**around_centre, "face": self.normal, "orientation": self.orientation},
                {"centre_weight": (grad_centre, owned)},
            ),
            "laplacian_weights": (
                {
                    "face": self.normal,
                    "triangle_weight": alpha,
                    "area": self.area,
                    "owned_triangles": triangles,
                    "owned": owned,
                    **seen,
                },
                {"centre_weight": (lap_centre, owned), "weight": (lap_around, owned)},
            ),
        }

    def rings(self, kernel: Kernel) -> Case:
        """The vectors between the cells around a pole, which are no arcs of the region."""
        pole, points = self.region.pole_cells()[:, None], POLES * RING
        v = np.arange(RING)
        ends = np.stack([(pole + 1 + v).ravel(), (pole + 1 + (v + 1) % RING).ravel()])
        there = self.named["out_GMTR_a_pl"][12:, ..., 1:].reshape(6, -1)
        right = {"side_normal": there[:3], "side_tangent": there[3:]}
        unset = np.full((3, points), np.nan)  # of no faces
        right |= {"face_normal": unset, "face_tangent": unset}
        arguments = {
            "position": self._cells("in_GRD_x"),
            "centre": self._triangles("in_GRD_xt"),
            "radius": self.radius,
            "face_arcs": np.arange(0),
            "side_arcs": np.arange(points),
            **dict.fromkeys(right, unset),
        }
        tables = {**self.tables, "arc_cells": ends, "arc_triangles": np.zeros((2, points), int)}
        sizes = {**self.region.sizes(1), "arcs": points}
        return Case(kernel, sizes, tables, arguments, right, TOLERANCE)

    def check_copies(self) -> None:
        """Of triangles at the corners of the rhombus, where there are none of their own."""
        n, name = self.region.n, "out_GMTR_t"
        given = self.named[name]
        for (which, i, j), (other, k, m) in (
            ((0, n, 0), (1, n, 0)), ((1, 0, n), (0, 0, n)), ((0, 0, 0), (1, 1, 0)),
        ):  # fmt: skip
            copy, of = given[:, which, ..., j, i], given[:, other, ..., m, k]
            refuse_other(name, copy, of, f"T{other}({k},{m}) at T{which}({i},{j})", 0.0)

    def _unused_triangles(self) -> Array:
        """Those that the file fills with another one's values."""
        n, cell = self.region.n, self.region.cell
        first = [cell(np.array(0), np.array(0)), cell(np.array(n), np.array(0))]
        return np.array([*first, self.region.points + cell(np.array(0), np.array(n))], dtype=int)

    def _face_arcs(self) -> Array:
        return self.region.arcs(FACE_ARCS)

    def _side_arcs(self) -> Array:
        """Between all cells of the rhombus, in each of the three directions."""
        i, j = self.region.at()
        n, points = self.region.n, self.region.points
        inside = [(i <= n), (i <= n) & (j <= n), (j <= n)]
        found = [np.flatnonzero(each) + kind * points for kind, each in enumerate(inside)]
        return np.concatenate([*found, np.arange(POLES * RING) + 3 * points])

    def _seen(self) -> dict[str, Array]:
        """Which corner of the triangles at both ends of a face a cell and its neighbours are."""
        cells = np.arange(len(self.area))
        tables, pentagon = self.tables, self.pentagon
        corners = self.tables["triangle_cells"]

        def corner_of(point: Array, triangle: Array) -> Array:
            """[face, corner, cell]: 1 where the corner of the triangle is the point."""
            return np.asarray((corners[:, triangle] == point).astype(float).swapaxes(0, 1))

        there = tables["cell_neighbours"]
        after, before = tables["cell_after"], tables["cell_before"]
        centre_after = corner_of(np.broadcast_to(cells, after.shape), after)
        there_after, there_before = corner_of(there, after), corner_of(there, before)
        sign = self.orientation.copy()
        # The triangle at the pentagon's missing corner is met once: its sixth face is its fifth.
        sign[5, pentagon] = sign[4, pentagon]
        for each in (centre_after, there_after):
            each[4, :, pentagon] = 0.0
        there_before[5, :, pentagon] = 0.0
        poles = self.region.pole_cells()
        for each in (centre_after, there_after, there_before):
            each[5][:, poles] = 0.0
        following, preceding = np.roll(sign, -1, axis=0), np.roll(sign, 1, axis=0)
        following[RING - 1, poles], preceding[0, poles] = sign[0, poles], sign[RING - 1, poles]
        return {
            "arc_sign": sign,
            "following_sign": following,
            "preceding_sign": preceding,
            "centre_after": centre_after,
            "there_after": there_after,
            "there_before": there_before,
        }


def _tables(region: Region) -> dict[str, Array]:
    """With the ways around the corners of the rhombus, where cells and triangles are missing."""
    tables, n, points = region.tables(), region.n, region.points
    ends, sides = tables["arc_triangles"], tables["arc_cells"]

    def cell(i: int, j: int) -> int:
        return int(region.cell(np.array(i), np.array(j)))

    def triangle(which: int, i: int, j: int) -> int:
        return which * points + cell(i, j)

    for kind, at, start, end in (
        (1, (n, 0), triangle(1, n, 0), triangle(0, n, 1)),
        (1, (0, n), triangle(1, 1, n), triangle(0, 0, n)),
        (2, (1, 0), triangle(0, 1, 1), triangle(1, 1, 0)),
    ):
        ends[:, kind * points + cell(*at)] = end, start  # before and after
    for kind, at, start, end in (
        (0, (n, 0), cell(n, 0), cell(n, 1)),
        (0, (0, n + 1), cell(1, n + 1), cell(1, n)),
        (0, (0, 0), cell(1, 0), cell(2, 1)),
        (2, (n + 1, 0), cell(n + 1, 1), cell(n, 1)),
        (2, (0, n), cell(0, n), cell(1, n)),
    ):
        sides[:, kind * points + cell(*at)] = start, end
    poles = slice(3 * points, None)
    ends[:, poles] = ends[::-1, poles]  # clockwise: out of the pole is the other way around
    arcs, pentagon = tables["cell_arcs"], cell(1, 1)
    arcs[5, pentagon] = arcs[4, pentagon]
    following, preceding = np.roll(arcs, -1, axis=0), np.roll(arcs, 1, axis=0)
    around = region.pole_cells()
    following[RING - 1, around], preceding[0, around] = arcs[0, around], arcs[RING - 1, around]
    return {**tables, "cell_following": following, "cell_preceding": preceding}


def _interpolation(named: Named) -> Array:
    """[component, corner, triangle]."""
    region = np.moveaxis(named["out_coef_intp"], 0, 3)  # [t, s, c, l, j, i]
    region = np.moveaxis(region, 0, 2).reshape(3, 3, -1)
    poles = np.moveaxis(named["out_coef_intp_pl"], 0, 2)[..., 1:].reshape(3, 3, -1)
    return np.concatenate([region, poles], axis=-1)


def _diffusive(named: Named) -> Array:
    """[component, face, cell]; the file begins with the second face."""
    region = np.roll(named["out_coef_diff"][0], 1, axis=1).reshape(3, 6, -1)
    poles = np.zeros((3, 6, POLES, RING + 1))
    poles[:, :RING, :, 0] = np.moveaxis(named["out_coef_diff_pl"], 0, 2)
    return np.concatenate([region, poles.reshape(3, 6, -1)], axis=-1)
