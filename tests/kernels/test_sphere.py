# SPDX-License-Identifier: Apache-2.0
"""Operators on triangles of the sphere come nearer to calculus with every halving of the edges."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.dsl.configuration import Configuration
from thalweg.kernels.cases import Case
from thalweg.kernels.library import find_kernel
from thalweg.testing.kernels.ways import REFERENCE, WAYS, outputs

Array = NDArray[Any]
GRIDS = ("R2B1", "R2B2", "R2B3")
LEVELS = 3  # the same field times 1, 2, 3


class Sphere:
    """A grid of ours, by the file that `thalweg grid` writes; on the unit sphere."""

    def __init__(self, file: netCDF4.Dataset) -> None:
        file.set_auto_mask(False)
        self.radius_m = np.sqrt(file["cell_area"][:].sum() / (4.0 * np.pi))
        self.area = file["cell_area"][:] / self.radius_m**2
        self.length = file["edge_length"][:] / self.radius_m
        self.distance = file["dual_edge_length"][:] / self.radius_m
        self.cells = self._points(file, "c")
        self.edges = self._points(file, "e")
        ends = self._points(file, "v")[file["edge_nodes"][:]]
        along = ends[:, 1] - ends[:, 0]
        self.normals = np.cross(along, self.edges)  # from the left triangle to the right one
        self.normals /= np.linalg.norm(self.normals, axis=1, keepdims=True)
        self.cell_edges = np.asarray(file["face_edges"][:]).T
        self.edge_cells = np.asarray(file["edge_faces"][:]).T
        left = self.edge_cells[0][self.cell_edges] == np.arange(len(self.cells))
        self.outward = np.where(left, 1.0, -1.0)

    @staticmethod
    def _points(file: netCDF4.Dataset, place: str) -> Array:
        lon, lat = np.radians(file[f"{place}lon"][:]), np.radians(file[f"{place}lat"][:])
        return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1)

    def run(self, name: str, way: Configuration, folder: Path, **arguments: Array) -> Array:
        kernel = find_kernel(name)
        sizes = {"cells": len(self.cells), "edges": len(self.edges), "levels": LEVELS}
        known = {"cell_edges": self.cell_edges, "edge_cells": self.edge_cells}
        tables = {each.full_name: known[each.full_name] for each in kernel.ir.neighbour_tables()}
        (out,) = (each for each in kernel.ir.arguments if each not in arguments)
        place = kernel.ir.arguments[out].type.place
        assert place is not None
        shape = (LEVELS, sizes[place.plural])
        case = Case(kernel, sizes, tables, arguments | {out: np.full(shape, np.nan)}).checked()
        return outputs(case, way, folder)[out]


@pytest.fixture(scope="module")
def spheres(cli: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Sphere]:
    found = []
    for name in GRIDS:
        path = tmp_path_factory.mktemp("grid") / f"{name}.nc"
        made = cli("grid", name, "-o", path)
        assert made.returncode == 0, made.stderr
        with netCDF4.Dataset(path) as file:
            found.append(Sphere(file))
    return found


def harmonic(points: Array) -> Array:
    """x z: of degree 2, so that its Laplacian on the unit sphere is -6 x z."""
    return points[:, 0] * points[:, 2]


def gradient_of_harmonic(points: Array) -> Array:
    x, _, z = points.T
    whole = np.stack([z, np.zeros_like(x), x], -1)
    return whole - 2.0 * (x * z)[:, None] * points  # without what points up


def on_levels(values: Array) -> Array:
    return np.arange(1.0, LEVELS + 1.0)[:, None] * values


def error(found: Array, right: Array, weights: Array) -> float:
    """Root mean square by area, of what is right."""
    return float(np.sqrt((weights * (found - right) ** 2).sum() / (weights * right**2).sum()))


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("way", [REFERENCE, WAYS[1]], ids=["numpy", "simd-blocked"])
def test_the_divergence_of_a_gradient_converges_to_the_laplacian(
    way: Configuration, spheres: list[Sphere], compiled: Path
) -> None:
    errors = []
    for sphere in spheres:
        through = (gradient_of_harmonic(sphere.edges) * sphere.normals).sum(-1)
        weight = sphere.outward * sphere.length[sphere.cell_edges] / sphere.area
        found = sphere.run(
            "divergence_of_triangles", way, compiled, flux=on_levels(through), weight=weight
        )
        assert abs((found * sphere.area).sum()) < 1e-12  # nothing comes from nowhere
        errors.append(error(found, on_levels(-6.0 * harmonic(sphere.cells)), sphere.area))
    assert errors[0] < 0.1
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine > 1.8  # of first order at least


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("way", [REFERENCE, WAYS[1]], ids=["numpy", "simd-blocked"])
def test_differences_across_edges_converge_to_the_slope(
    way: Configuration, spheres: list[Sphere], compiled: Path
) -> None:
    errors = []
    for sphere in spheres:
        found = sphere.run("gradient", way, compiled, temperature=on_levels(harmonic(sphere.cells)))
        slope = -found / sphere.distance  # the kernel takes the left from the right
        through = (gradient_of_harmonic(sphere.edges) * sphere.normals).sum(-1)
        errors.append(error(slope, on_levels(through), sphere.length * sphere.distance))
    assert errors[0] < 0.1
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine > 1.8
