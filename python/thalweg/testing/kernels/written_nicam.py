# SPDX-License-Identifier: Apache-2.0
"""NICAM's kernels once more, without the language: loops over the cells of a region, as specified.

Arrays as in a file of vectors: [level, j, i] of the one region, [level, v] of a pole. Nothing of
what the tables of the product say is used here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
CORNERS = (((0, 0), (1, 0), (1, 1)), ((0, 0), (1, 1), (0, 1)))
# Triangles (which, di, dj) at both ends of the face towards neighbour e.
ENDS = (
    ((1, 0, -1), (0, 0, 0)),
    ((0, 0, 0), (1, 0, 0)),
    ((1, 0, 0), (0, -1, 0)),
    ((0, -1, 0), (1, -1, -1)),
    ((1, -1, -1), (0, -1, -1)),
    ((0, -1, -1), (1, 0, -1)),
)
DIFFUSIVE = (5, 0, 1, 2, 3, 4)  # slot of neighbour e in the diffusive order


class Written:
    """Outputs by the names that files of vectors have."""

    def __init__(self, data: Mapping[str, Array]) -> None:
        self.data = data
        self.side = int(data["par_gall_1d"])
        self.n, self.levels = self.side - 2, int(data["par_kall"])
        self.owned = [(i, j) for j in range(1, self.n + 1) for i in range(1, self.n + 1)]
        self.anchors = [(i, j) for j in range(self.n + 1) for i in range(self.n + 1)]

    def on_triangles(
        self, value: Callable[[int, int, int], Array], poles: Callable[[int, int, int], Array]
    ) -> tuple[Array, Array]:
        """Values of all triangles, and of those of the poles: [t, j, i, …], [pole, v, …]."""
        shape = value(0, 0, 0).shape
        regular = np.zeros((2, self.side, self.side, *shape))
        for i, j in self.anchors:
            for t in range(2):
                regular[t, j, i] = value(t, i, j)
        regular[0, 0, 0] = regular[1, 0, 1]
        around = np.zeros((2, 6, *shape))
        for pole in range(2):
            for v in range(1, 6):
                around[pole, v] = poles(pole, v, v % 5 + 1)
        return regular, around

    def diffusion(self) -> dict[str, Array]:
        d = self.data
        scalar, kh = d["in_scl"][0], d["in_kh"][0]
        alpha, beta = d["in_coef_intp"][0], d["in_coef_diff"][0]

        def slope(weight: Array, corners: list[Array]) -> Array:
            mean = np.mean(corners, axis=0)
            return np.stack(
                [sum(weight[s, c] * (corners[c] - mean) for c in range(3)) for s in range(3)]
            )

        def here(t: int, i: int, j: int) -> Array:
            corners = [scalar[:, j + dj, i + di] for di, dj in CORNERS[t]]
            return slope(alpha[t, :, :, j, i], corners)

        def at_pole(pole: int, v: int, after: int) -> Array:
            ring = d["in_scl_pl"][pole]
            weight = d["in_coef_intp_pl"][pole, :, :, v]
            return slope(weight, [ring[:, 0], ring[:, v], ring[:, after]])

        regular, around = self.on_triangles(here, at_pole)
        right, published = np.zeros_like(d["in_scl"]), np.zeros_like(d["in_scl"])
        poles = np.zeros_like(d["in_scl_pl"])
        for i, j in self.owned:
            for e, (di, dj) in enumerate(STEPS):
                first, second = (regular[t, j + b, i + a] for t, a, b in ENDS[e])
                weight = beta[:, DIFFUSIVE[e], j, i][:, None]
                mean = (kh[:, j, i] + kh[:, j + dj, i + di]) / 2
                right[0, :, j, i] += mean * (weight * (first + second)).sum(axis=0)
                published[0, :, j, i] += mean * (weight * (first[0] + second)).sum(axis=0)
        for pole in range(2):
            k = d["in_kh_pl"][pole]
            for v in range(1, 6):
                pair = around[pole, (v - 2) % 5 + 1] + around[pole, v]
                flux = (d["in_coef_diff_pl"][pole, :, v - 1][:, None] * pair).sum(axis=0)
                poles[pole, :, 0] += (k[:, 0] + k[:, v]) / 2 * flux
        return {"out_dscl": published, "out_dscl_math": right, "out_dscl_pl": poles}

    def divdamp(self) -> dict[str, Array]:
        d, last = self.data, self.levels - 1
        rdgz = d["in_GRD_rdgz"]

        def through(suffix: str, region: int) -> Array:
            """W at half levels: [level, points…]."""
            c = d[f"in_VMTR_C2WfactGz{suffix}"][region]
            w: Array = np.zeros_like(d[f"in_rhogw{suffix}"][region])
            for k in range(2, last):
                total = 0.0
                for s, name in enumerate("xyz"):
                    u = d[f"in_rhogv{name}{suffix}"][region]
                    total = total + c[2 * s, k] * u[k] + c[2 * s + 1, k] * u[k - 1]
                w[k] = d[f"in_VMTR_RGAMH{suffix}"][region, k] * total
                w[k] += d[f"in_VMTR_RGSQRTH{suffix}"][region, k] * d[f"in_rhogw{suffix}"][region, k]
            return w

        def divergence(weight: Array, u: list[list[Array]], w: list[Array]) -> Array:
            found = np.zeros(self.levels)
            inner = slice(1, last)
            for s in range(3):
                for c in range(3):
                    found[inner] += weight[s, c] * u[s][c][inner]
            rise = sum(each[2:] - each[1:-1] for each in w)
            found[inner] += rise / 3 * rdgz[inner]
            return found

        u = [d[f"in_rhogv{s}"][0] * d["in_VMTR_RGAM"][0] for s in "xyz"]
        w = through("", 0)
        poles_u = [d[f"in_rhogv{s}_pl"] * d["in_VMTR_RGAM_pl"] for s in "xyz"]
        poles_w = [through("_pl", pole) for pole in range(2)]

        def here(t: int, i: int, j: int) -> Array:
            at = [(j + dj, i + di) for di, dj in CORNERS[t]]
            corners = [[each[:, b, a] for b, a in at] for each in u]
            return divergence(
                d["in_coef_intp"][0, t, :, :, j, i], corners, [w[:, b, a] for b, a in at]
            )

        def at_pole(pole: int, v: int, after: int) -> Array:
            at = (0, v, after)
            corners = [[each[pole][:, p] for p in at] for each in poles_u]
            weight = d["in_coef_intp_pl"][pole, :, :, v]
            return divergence(weight, corners, [poles_w[pole][:, p] for p in at])

        regular, around = self.on_triangles(here, at_pole)
        found: dict[str, Array] = {}
        for s, name in enumerate("xyz"):
            result, poles = np.zeros_like(d["in_rhogw"]), np.zeros_like(d["in_rhogw_pl"])
            for i, j in self.owned:
                for e in range(6):
                    first, second = (regular[t, j + b, i + a] for t, a, b in ENDS[e])
                    weight = d["in_coef_diff"][0, s, DIFFUSIVE[e], j, i]
                    result[0, :, j, i] += weight * (first + second)
            for pole in range(2):
                for v in range(1, 6):
                    pair = around[pole, (v - 2) % 5 + 1] + around[pole, v]
                    poles[pole, :, 0] += d["in_coef_diff_pl"][pole, s, v - 1] * pair
            for each in (result, poles):
                each[:, [0, last]] = 0.0
            found |= {f"out_ddivd{name}": result, f"out_ddivd{name}_pl": poles}
        return found

    def flux(self) -> dict[str, Array]:
        d, n = self.data, self.n
        names = ("rhog_mean", "rhogvx", "rhogvy", "rhogvz")

        def here(t: int, i: int, j: int) -> Array:
            weight = d["in_GMTR_t"][2:, t, 0, 0, j, i]
            at = [(j + dj, i + di) for di, dj in CORNERS[t]]
            return np.stack(
                [
                    sum(weight[c] * d[f"in_{name}"][0][:, b, a] for c, (b, a) in enumerate(at))
                    for name in names
                ]
            )

        def at_pole(pole: int, v: int, after: int) -> Array:
            weight = d["in_GMTR_t_pl"][2:, pole, 0, v]
            return np.stack(
                [
                    sum(
                        weight[c] * d[f"in_{name}_pl"][pole][:, p]
                        for c, p in enumerate((0, v, after))
                    )
                    for name in names
                ]
            )

        regular, around = self.on_triangles(here, at_pole)
        flux = np.zeros((6, 1, self.levels, self.side, self.side))
        centroid = np.zeros((3, 3, 1, self.levels, self.side, self.side))
        dt, area = float(d["par_dt"]), d["in_GMTR_p"][1, 0, 0]
        for kind, first in enumerate(((0, 1), (0, 0), (1, 0))):
            for j in range(first[1], n + 1):
                for i in range(first[0], n + 1):
                    ends = [regular[t, j + b, i + a] for t, a, b in ENDS[kind]]
                    total = ends[0] + ends[1]
                    normal = d["in_GMTR_a"][:3, kind, 0, 0, j, i]
                    across = sum(total[1 + s] * normal[s] for s in range(3)) / 2
                    di, dj = STEPS[kind]
                    flux[kind, 0, :, j, i] = across * dt * area[j, i]
                    flux[kind + 3, 0, :, j + dj, i + di] = -across * dt * area[j + dj, i + di]
                    for s in range(3):
                        moved = dt / 2 * total[1 + s] / np.maximum(total[0], d["par_const_eps"])
                        start = d["in_GRD_xr"][s, kind, 0, 0, j, i]
                        centroid[s, kind, 0, :, j, i] = start - moved
        flux[5, 0, :, 1, 1] = 0.0
        flux_pl = np.zeros((2, self.levels, 6))
        centroid_pl = np.zeros((3, 2, self.levels, 6))
        for pole in range(2):
            for v in range(1, 6):
                total = around[pole, (v - 2) % 5 + 1] + around[pole, v]
                normal = d["in_GMTR_a_pl"][:3, pole, 0, v]
                across = sum(total[1 + s] * normal[s] for s in range(3)) / 2
                flux_pl[pole, :, v] = across * dt * d["in_GMTR_p_pl"][1, pole, 0, 0]
                for s in range(3):
                    moved = dt / 2 * total[1 + s] / np.maximum(total[0], d["par_const_eps"])
                    centroid_pl[s, pole, :, v] = d["in_GRD_xr_pl"][s, pole, 0, v] - moved
        return {
            "out_flx_h": flux,
            "out_flx_h_pl": flux_pl,
            "out_GRD_xc": centroid,
            "out_GRD_xc_pl": centroid_pl,
        }
