# SPDX-License-Identifier: Apache-2.0
"""One output stream of ICON: what is in it, and its bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from thalweg.advisor.icon_levels import Levels
from thalweg.advisor.icon_meshes import Mesh
from thalweg.advisor.icon_names import GRID_PREFIX
from thalweg.advisor.icon_times import GRIB2, Steps
from thalweg.advisor.icon_variables import Variable
from thalweg.config.calendars import Interval

FILETYPES = {2: "GRIB2", 4: "netCDF-2", 5: "netCDF-4"}
# Coordinates of the mesh that output_grid writes, values per point in netCDF: longitude and
# latitude of the point and of its 3, 4 or 6 corners. 8 bytes each.
_COORDINATES = {"cell": 8, "edge": 10, "vertex": 14}
_COORDINATE_BYTES = 8
_PLACE_LETTERS = {"cell": "c", "edge": "e", "vertex": "v"}  # grid:CLON, grid:ELAT, ...
_GRIB2_BYTES = {16: 2, 24: 3}


@dataclass(frozen=True)
class Stream:
    """One file series: an output_nml, on one domain, on one kind of levels; all its partitions.

    place                the line of its output_nml
    points               of the mesh: cells, or those of a longitude-latitude mesh
    variables            in small letters; unknown_variables are not in the sums
    interval_s           of its first output to the next: months differ
    values_per_output    time-dependent values; of a given size, as many of value_bytes as it holds
    value_bytes          of a real value in its files: 8, 4; GRIB2: 2 before it is packed
    size_is_given        by --bytes-per-output: unknown variables are in it
    bytes_once_per_file  time-invariant variables and coordinates
    group_number         of its output_nml among those of the atmosphere, from 1
    placement            I/O rank of each partition, -1 where ICON chooses; () for all of them
    at_steps             after so many steps of the run each of its outputs comes, ascending
    has_last             the last one is there by include_last alone, which no partitions have
    """

    name: str
    place: str
    domain: int
    level_type: str
    mesh: str
    points: int
    filetype: str
    operation: str
    partitions: int
    interval: Interval
    interval_s: float
    outputs: int
    files: int
    variables: tuple[str, ...]
    unknown_variables: tuple[str, ...]
    values_per_output: int
    bytes_per_output: int
    bytes_once_per_file: int
    group_number: int = 0
    value_bytes: int = 4
    size_is_given: bool = False
    placement: tuple[int, ...] = ()
    at_steps: Steps = field(default_factory=lambda: np.empty(0, np.int64), compare=False)
    has_last: bool = False

    def of_size(self, size_bytes: int) -> Stream:
        """With an output of so many bytes, as a user gave them."""
        values = -(-size_bytes // self.value_bytes)
        return replace(
            self, bytes_per_output=size_bytes, values_per_output=values, size_is_given=True
        )

    @property
    def bytes_in_all(self) -> int:
        return self.outputs * self.bytes_per_output + self.files * self.bytes_once_per_file


@dataclass(frozen=True)
class Store:
    """How values of a stream are kept. lonlat_points: 0 on the mesh of the model."""

    mesh: Mesh
    lonlat_points: int
    filetype: int
    float64: bool
    bits24: bool
    output_grid: bool

    @property
    def value_bytes(self) -> int:
        """Of most values."""
        return _GRIB2_BYTES[16] if self.filetype == GRIB2 else 8 if self.float64 else 4

    def points(self, variable: Variable) -> int:
        if variable.place not in _COORDINATES and variable.place not in ("lonlat", ""):
            return 1  # one value per level
        return self.lonlat_points or self.mesh.points(variable.place)

    def width(self, variable: Variable) -> int:
        """Bytes of a value; GRIB2 before it is packed."""
        if self.filetype == GRIB2:
            return _GRIB2_BYTES[variable.bits if self.bits24 else 16]
        return 8 if self.float64 and variable.kind == "real" else 4

    def coordinate_bytes(self, places: Collection[str], removed: Collection[str]) -> int:
        """Once per file, for the places that occur. GRIB2: a record each, if none removed it."""
        if not self.output_grid or self.lonlat_points:
            return 0
        found = [place for place in _COORDINATES if place in places]
        if self.filetype == GRIB2:
            names = {
                f"{GRID_PREFIX}{_PLACE_LETTERS[place]}{axis}": place
                for place in found
                for axis in ("lon", "lat")
            }
            kept = [place for name, place in names.items() if name not in removed]
            return sum(self.mesh.points(place) * _GRIB2_BYTES[16] for place in kept)
        return sum(
            self.mesh.points(place) * _COORDINATES[place] * _COORDINATE_BYTES for place in found
        )


@dataclass(frozen=True)
class Sums:
    """unsized  variables with an axis of unknown length, which are in no sum"""

    values: int
    bytes_per_output: int
    bytes_once: int
    unsized: tuple[str, ...]


def add_up(variables: Mapping[str, Variable], levels: Levels, store: Store) -> Sums:
    values = each_output = once = 0
    unsized = []
    for name, variable in variables.items():
        count = levels.count(variable)
        if count is None:
            unsized.append(name)
            continue
        numbers = store.points(variable) * count
        if variable.constant:
            once += numbers * store.width(variable)
        else:
            values += numbers
            each_output += numbers * store.width(variable)
    return Sums(values, each_output, once, tuple(unsized))
