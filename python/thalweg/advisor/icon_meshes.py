# SPDX-License-Identifier: Apache-2.0
"""Points of meshes: by the name or the file of a grid, or of longitudes and latitudes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from thalweg.advisor.items import Section
from thalweg.errors import ThalwegError

_RESOLUTION = re.compile(r"R0*([0-9]+)_?B0*([0-9]+)", re.IGNORECASE)
_TORUS = re.compile(r"torus\D*0*([0-9]+)x0*([0-9]+)", re.IGNORECASE)
# Signs of a regional, limited or ocean grid, whose cells no name tells; DOM01 and G are global.
_PARTIAL = re.compile(
    r"DOM0*(?:[2-9]|1[0-9])|_N0*[0-9]+(?![0-9]*B)|_(?:L|LR|R|O)(?=$|[_.-])|lam(?=$|[_.\W])|nest",
    re.IGNORECASE,
)
_FINEST = 20  # bisections; the Earth has no grid finer than that
_COUNT_FROM = 5.0  # a second number above it counts points (reg_def_mode 0)
_CIRCLE = 360.0  # degrees
_LONGEST_AXIS = 10_000_000
_TINY = 1e-6  # of a step: what rounding leaves of the last point


@dataclass(frozen=True)
class Mesh:
    """regional: edges and vertices are taken from the cells, as no file told them"""

    name: str
    cells: int
    edges: int
    vertices: int
    regional: bool = False

    def points(self, place: str) -> int:
        return {"cell": self.cells, "edge": self.edges, "vertex": self.vertices}.get(place, 1)


def icosahedral(root: int, bisections: int) -> Mesh:
    """RnBk: 20 n^2 4^k triangles; Euler's formula gives the rest."""
    if not 1 <= root <= 1000 or bisections > _FINEST:
        raise ThalwegError(f"grid 'R{root}B{bisections}' does not exist; check its name")
    cells = 20 * root**2 * 4**bisections
    return Mesh(f"R{root}B{bisections}", cells, 3 * cells // 2, cells // 2 + 2)


def torus(columns: int, rows: int) -> Mesh:
    cells = 2 * columns * rows
    return Mesh(f"torus {columns}x{rows}", cells, 3 * cells // 2, cells // 2)


def mesh_of_cells(name: str, cells: int) -> Mesh:
    found = _RESOLUTION.search(name)
    if found and not _PARTIAL.search(name):
        whole = icosahedral(int(found[1]), int(found[2]))
        if whole.cells == cells:
            return whole
    label = f"{_label(name)}, {cells} cells"
    return Mesh(label, cells, (3 * cells + 1) // 2, cells // 2 + 2, regional=True)


def mesh_of_name(name: str, *, limited: bool) -> Mesh | None:
    """None where the name does not tell the number of cells."""
    if found := _TORUS.search(name):
        return torus(int(found[1]), int(found[2]))
    found = _RESOLUTION.search(name)
    if found is None or limited or _PARTIAL.search(name):
        return None
    return icosahedral(int(found[1]), int(found[2]))


def mesh_of_file(path: Path) -> Mesh | None:
    """From the dimensions of a grid file; None where it is no netCDF file with cells."""
    from netCDF4 import Dataset

    try:
        with Dataset(path) as grid:
            sizes = {name: len(dimension) for name, dimension in grid.dimensions.items()}
    except OSError:
        return None
    if not {"cell", "edge", "vertex"} <= set(sizes):
        return None
    return Mesh(_label(path.name), sizes["cell"], sizes["edge"], sizes["vertex"])


def _label(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".nc")


def lonlat(section: Section) -> tuple[str, int]:
    """Name and points of the mesh that reg_lon_def and reg_lat_def describe."""
    mode = section.integer("reg_def_mode", 0)
    longitudes, latitudes = (
        _axis(section, name, mode, circle=name == "reg_lon_def")
        for name in ("reg_lon_def", "reg_lat_def")
    )
    return f"lonlat {longitudes}x{latitudes}", longitudes * latitudes


def _from_zero(longitude: float) -> float:
    """As ICON compares both ends of an axis: -180 and 180 are two meridians there."""
    return longitude - _CIRCLE if longitude >= _CIRCLE else longitude


def _axis(section: Section, name: str, mode: int, *, circle: bool) -> int:
    """Points along an axis; the second number is their count, or their distance."""
    values = section.numbers(name)
    if section.is_open(name):
        return 1
    if len(values) != 3:
        raise section.wrong(name, f"has {len(values)} numbers; give start, step or count, and end")
    start, second, end = values
    if mode == 2 or (mode == 0 and second > _COUNT_FROM):
        count = round(second)
    else:
        if abs(second) < _TINY * _TINY or (end - start) * second < 0.0:
            raise section.wrong(
                name, f"goes from {start} to {end} in steps of {second}; correct it"
            )
        count = int(min((end - start) / second, _LONGEST_AXIS)) + 1
        if circle and count > 1 and abs(_from_zero(end) - _from_zero(start)) < _TINY * _CIRCLE:
            count -= 1  # start and end are the same meridian
    if not 1 <= count <= _LONGEST_AXIS:
        raise section.wrong(name, f"gives {count} points; give 1 to {_LONGEST_AXIS}")
    return count
