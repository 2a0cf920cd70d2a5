# SPDX-License-Identifier: Apache-2.0
"""NICAM's grid of any size: an icosahedron whose edges are bisected, and the metrics of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.nicam_metrics import cases_of
from thalweg.kernels.region import POLES, RING, Region
from thalweg.testing.kernels.ways import outputs

RADIUS_M = 6.37122e6
LATITUDE = np.arctan(0.5)  # of the corners of an icosahedron that are no poles


def on_sphere(points: Array) -> Array:
    """[…, component] at the distance 1."""
    return np.asarray(points / np.linalg.norm(points, axis=-1, keepdims=True))


def _corner(ring: int, number: int) -> Array:
    """One of the five of the northern (1) or of the southern ring (-1), half-way between them."""
    longitude = np.radians(72.0 * number + (36.0 if ring < 0 else 0.0))
    return np.array(
        [
            np.cos(LATITUDE) * np.cos(longitude),
            np.cos(LATITUDE) * np.sin(longitude),
            ring * np.sin(LATITUDE),
        ]
    )


def rhombus(north: bool, number: int, n: int) -> Array:
    """[j, i, component]: its n + 1 by n + 1 points, from the western corner to the eastern one."""
    pole = np.array([0.0, 0.0, 1.0 if north else -1.0])
    ring = 1 if north else -1
    west, east = _corner(ring, number), _corner(ring, number + 1)
    if north:
        found = np.array([[west, _corner(-1, number)], [pole, east]])
    else:
        found = np.array([[west, pole], [_corner(1, number + 1), east]])
    while len(found) <= n:
        side = 2 * len(found) - 1
        finer = np.empty((side, side, 3))
        finer[::2, ::2] = found
        finer[::2, 1::2] = found[:, :-1] + found[:, 1:]
        finer[1::2, ::2] = found[:-1] + found[1:]
        finer[1::2, 1::2] = found[:-1, :-1] + found[1:, 1:]
        found = on_sphere(finer)
    return found


def positions(n: int) -> tuple[Array, Array]:
    """[j, i, component] of the first northern rhombus with its halo, [pole, v, component]."""
    found = np.empty((n + 2, n + 2, 3))
    found[1:, 1:] = rhombus(True, 0, n)
    found[0, 1:] = rhombus(False, 4, n)[n - 1]
    found[1 : n + 1, 0] = rhombus(True, 4, n)[n - 1, n - 1 :: -1]
    found[0, 0], found[n + 1, 0], found[0, n + 1] = found[0, 1], found[n, 0], found[1, n + 1]
    poles = np.empty((POLES, RING + 1, 3))
    for v in range(
        RING
    ):  # clockwise from outside: to the west in the north, to the east in the south
        poles[0, v + 1] = rhombus(True, (RING - v) % RING, n)[n - 1, 0]
        poles[1, v + 1] = rhombus(False, v, n)[0, n - 1]
    poles[:, 0] = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
    return found, poles


def geometry(n: int) -> dict[str, Array]:
    """What a file of vectors holds of this grid; of results it has only the shapes."""
    region, side = Region(n), n + 2
    regular, around = positions(n)
    points = np.concatenate([each.reshape(-1, 3) for each in (regular, around)])
    centres = on_sphere(points[region.tables()["triangle_cells"]].sum(axis=0))
    centres[0] = centres[region.triangle(0, np.array(0), np.array(0))]
    centre, centre_pl = np.split(centres, [2 * region.points])
    made: dict[str, Array] = {
        "par_gall_1d": np.array(side),
        "par_earth_radius": np.array(RADIUS_M),
        "in_GRD_x": RADIUS_M * np.moveaxis(regular, -1, 0)[:, None, None],
        "in_GRD_x_pl": RADIUS_M * np.moveaxis(around, -1, 0)[:, :, None],
        "in_GRD_xt": RADIUS_M * centre.T.reshape(3, 2, 1, 1, side, side),
        "in_GRD_xt_pl": np.zeros((3, POLES, 1, RING + 1)),
    }
    made["in_GRD_xt_pl"][..., 1:] = RADIUS_M * centre_pl.T.reshape(3, POLES, 1, RING)
    for end in ("", "_pl"):
        x, y, z = made[f"in_GRD_x{end}"] / RADIUS_M
        made[f"in_GRD_s{end}"] = np.stack([np.arcsin(z), np.arctan2(y, x)])
    for name, front, front_pl in (
        ("GMTR_p", (8, 1, 1), (8, POLES, 1, RING + 1)),
        ("GMTR_t", (5, 2, 1, 1), (5, POLES, 1, RING + 1)),
        ("GMTR_a", (12, 3, 1, 1), (18, POLES, 1, RING + 1)),
        ("coef_intp", (1, 2, 3, 3), (POLES, 3, 3, RING + 1)),
        ("coef_diff", (1, 3, 6), (POLES, 3, RING)),
        ("coef_div", (1, 3, 7), (POLES, 3, RING + 1)),
        ("coef_rot", (1, 3, 7), (POLES, 3, RING + 1)),
        ("coef_grad", (1, 3, 7), (POLES, 3, RING + 1)),
        ("coef_lap", (1, 7), (POLES, RING + 1)),
    ):
        made[f"out_{name}"] = np.zeros((*front, side, side))
        made[f"out_{name}_pl"] = np.zeros(front_pl)
    return made


class Sphere:
    """The metrics that kernels give for a rhombus of n by n cells and both poles.

    points     [component, cell], on the unit sphere, with the halo
    cells      those that have metrics: n by n, the north pole, the south pole
    area       of these, on the unit sphere
    """

    def __init__(self, n: int, way: Configuration, folder: Path) -> None:
        self.region, self.way, self.folder = Region(n), way, folder
        cases = cases_of(geometry(n))
        self.cells = self.region.owned()
        self.neighbours = cases[0].tables["cell_neighbours"]
        self.points = cases[0].arguments["position"] / RADIUS_M
        triangle, arc, slope, cell, divergence, rotation, outward, diffusion, _ = cases
        triangles = self._run(triangle)
        arcs = self._run(arc)
        normal, tangent = arcs["face_normal"], arcs["face_tangent"]
        slopes = self._run(slope, area=triangles["area"])
        area = self._run(cell, face_normal=normal)["area"]
        given = {"corner_weight": triangles["corner_weight"], "area": area}
        self.divergence = self._run(divergence, face=normal, **given)
        self.rotation = self._run(rotation, face=tangent, **given)
        self.gradient = {**self.divergence, **self._run(outward, face=normal, **given)}
        self.laplacian = self._run(diffusion, face=normal, area=area, **slopes)
        self.area = area[self.cells] / RADIUS_M**2

    def over_the_sphere(self, values: Array) -> float:
        """The sum over all its cells of [owned cell]: the ten rhombi are alike."""
        return float(10.0 * values[:-POLES].sum() + values[-POLES:].sum())

    def _run(self, case: Case, **arguments: Array) -> dict[str, Array]:
        """What the kernel sets, NaN where it sets nothing."""
        made = replace(case, arguments={**case.arguments, **arguments})
        return outputs(made.checked(), self.way, self.folder)

    def applied(self, weights: Mapping[str, Array], field: Array) -> Array:
        """[…, owned cell]: the sum over a cell and its neighbours of weight times […, cell]."""
        cells = self.cells
        around = field[..., self.neighbours[:, cells]]
        centre = weights["centre_weight"][..., cells] * field[..., cells]
        return np.asarray(centre + (weights["weight"][..., cells] * around).sum(axis=-2))
