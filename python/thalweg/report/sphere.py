# SPDX-License-Identifier: Apache-2.0
"""Finds for every pixel of a map the mesh point it shows, in three dimensions: no seam, no pole."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.report.meshfield import unit_vectors
from thalweg.report.rundata import FloatArray, IntArray

MOST_DEGREE = 6  # triangles around a vertex
SLICE = 1 << 18  # pixels worked on at once, to bound memory
OUTSIDE = 1e-6  # share of a corner below zero that rounding cannot be the cause of
INSIDE = 1e-9  # least share of a point that rounding cannot have put into a triangle


@dataclass(frozen=True)
class Canvas:
    """Pixels of a map: [height, width] longitude and latitude in degrees, nan outside the Earth."""

    longitude: FloatArray
    latitude: FloatArray
    extent: tuple[float, float, float, float]  # left, right, bottom, top in map units

    def directions(self) -> tuple[Any, FloatArray]:
        """(mask of pixels on the Earth [height, width], their unit vectors [pixels, 3])."""
        on_earth = np.isfinite(self.longitude)
        return on_earth, unit_vectors(self.longitude[on_earth], self.latitude[on_earth])


def mollweide_canvas(width: int, centre_deg: float = 0.0) -> Canvas:
    """The whole Earth with true areas (Snyder 1987, Map Projections, p. 249), radius 1."""
    half = 2.0 * np.sqrt(2.0)
    x = (np.arange(width) + 0.5) / width * 2.0 * half - half
    height = width // 2
    y = np.sqrt(2.0) * (1.0 - (np.arange(height) + 0.5) / height * 2.0)
    theta = np.arcsin(y / np.sqrt(2.0))[:, None]
    latitude = np.arcsin(np.clip((2.0 * theta + np.sin(2.0 * theta)) / np.pi, -1.0, 1.0))
    longitude = np.pi * x[None, :] / (half * np.cos(theta))
    outside = np.abs(longitude) > np.pi
    degrees = np.where(outside, np.nan, np.degrees(longitude) + centre_deg)
    return Canvas(
        degrees,
        np.where(outside, np.nan, np.degrees(latitude)),
        (-half, half, -float(np.sqrt(2.0)), float(np.sqrt(2.0))),
    )


def mollweide_forward(longitude_deg: FloatArray, latitude_deg: FloatArray) -> tuple[Any, Any]:
    """Map coordinates of points; longitude relative to the centre."""
    table = np.linspace(-np.pi / 2, np.pi / 2, 20001)
    sine = (2.0 * table + np.sin(2.0 * table)) / np.pi
    theta = np.interp(np.sin(np.radians(latitude_deg)), sine, table)
    x = 2.0 * np.sqrt(2.0) / np.pi * np.radians(longitude_deg) * np.cos(theta)
    return x, np.sqrt(2.0) * np.sin(theta)


def lonlat_canvas(extent: tuple[float, float, float, float], width: int) -> Canvas:
    """A plain longitude-latitude map; extent = west, east, south, north in degrees, east > west."""
    west, east, south, north = extent
    height = max(1, round(width * (north - south) / (east - west)))
    longitude = west + (np.arange(width) + 0.5) / width * (east - west)
    latitude = north - (np.arange(height) + 0.5) / height * (north - south)
    grid = np.meshgrid(longitude, latitude)
    return Canvas(grid[0], grid[1], extent)


def nearest_points(positions: FloatArray, directions: FloatArray) -> IntArray:
    """Index of the point nearest to each direction. For hexagon centres: the hexagon around it."""
    return _nearest(_tree(positions), directions)


def _tree(positions: FloatArray) -> Any:
    try:
        # Through importlib because scipy has no type information of its own.
        spatial = importlib.import_module("scipy.spatial")
    except ModuleNotFoundError:
        raise ThalwegError(
            "maps need the Python package 'scipy'; install it with 'pip install scipy'"
        ) from None
    return spatial.cKDTree(positions, balanced_tree=False, compact_nodes=False)


def _nearest(tree: Any, directions: FloatArray) -> IntArray:
    found: IntArray = np.asarray(tree.query(directions, workers=-1)[1], np.int64)
    return found


def faces_around(faces: IntArray, nodes: int) -> IntArray:
    """Faces that touch each node: [nodes, most], -1 where there are fewer."""
    order = np.argsort(faces, axis=None, kind="stable")
    node = faces.ravel()[order]
    first = np.searchsorted(node, np.arange(nodes))
    place = np.arange(len(node)) - first[node]
    result = np.full((nodes, max(MOST_DEGREE, int(place.max(initial=0)) + 1)), -1, np.int64)
    result[node, place] = order // faces.shape[1]
    return result


def containing_faces(
    nodes: FloatArray, faces: IntArray, directions: FloatArray
) -> tuple[IntArray, FloatArray]:
    """The triangle that each direction lies in, and its barycentric weights: [pixels] and
    [pixels, 3]; -1 and nan where the mesh has none.

    The nearest corner of a point in an acute triangle of a Delaunay mesh is a corner of that
    triangle, so only the triangles around the nearest node need a look.
    """
    tree = _tree(nodes)
    around = faces_around(faces, len(nodes))
    # cross[f, j] = b x c of the side opposite to corner j: its product with p is p's share of j.
    corner = [nodes[faces[:, j]] for j in range(3)]
    cross = np.stack([np.cross(corner[(j + 1) % 3], corner[(j + 2) % 3]) for j in range(3)], 1)
    cross *= np.sign(np.einsum("fi,fi->f", corner[0], cross[:, 0]))[:, None, None]
    best = np.empty(len(directions), np.int64)
    weights = np.empty((len(directions), 3))
    # Pixels in a row mostly share a triangle: a quarter of its width, in pixels, is asked for one.
    run = max(1, math.isqrt(len(directions) // max(1, len(faces))) // 4)
    for start in range(0, len(directions), SLICE):
        part = slice(start, start + SLICE)
        asked = directions[part]
        if run > 1:
            first, _ = _best_candidate(around[_nearest(tree, asked[::run])], cross, asked[::run])
            best[part] = np.repeat(first, run)[: len(asked)]
            weights[part] = _shares(cross, best[part], asked)
            well_inside = (best[part] >= 0) & (weights[part].min(axis=1) > INSIDE)
            rest = start + np.flatnonzero(~well_inside)
        else:
            rest = np.arange(start, start + len(asked))
        near = _nearest(tree, directions[rest])
        best[rest], weights[rest] = _best_candidate(around[near], cross, directions[rest])
    with np.errstate(invalid="ignore"):
        weights /= weights.sum(axis=1, keepdims=True)
    outside = ~(weights.min(axis=1) > -OUTSIDE)
    best[outside], weights[outside] = -1, np.nan
    return best, weights


def _shares(cross: FloatArray, face: IntArray, directions: FloatArray) -> FloatArray:
    """Share of every corner of its face in a point, all positive within it: [pixels, 3]."""
    shares: FloatArray = np.einsum("pji,pi->pj", cross[face], directions)
    return shares


def _best_candidate(
    candidates: IntArray, cross: FloatArray, directions: FloatArray
) -> tuple[IntArray, FloatArray]:
    best = np.full(len(directions), -1, np.int64)
    share = np.full((len(directions), 3), -np.inf)
    least = np.full(len(directions), -np.inf)
    for column in range(candidates.shape[1]):
        # A point well within a triangle lies in no other.
        open_ones = np.flatnonzero((least <= INSIDE) & (candidates[:, column] >= 0))
        face = candidates[open_ones, column]
        its_share = _shares(cross, face, directions[open_ones])
        its_least = its_share.min(axis=1)
        better = its_least > least[open_ones]
        found = open_ones[better]
        best[found], share[found], least[found] = face[better], its_share[better], its_least[better]
    return best, share
