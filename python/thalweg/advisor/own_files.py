# SPDX-License-Identifier: Apache-2.0
"""Bytes of our own containers: values of one output, the mesh in a file, and the rest at most.

What differs between containers is a function of each in `_CONTAINERS`; a container without one is
refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thalweg.advisor.icon_meshes import Mesh
from thalweg.errors import ThalwegError

PAGE_BYTES = 4096  # variables of 64 KiB and more begin at pages of a netCDF file
_INT32_MOST = 2**31 - 1  # indices of larger grids take 8 bytes
# Bounds from above. Measured on R2B1 with 1 and 16 variables (n = 1): a file with its mesh and one
# variable 17.8 kB in netCDF-4, 4.1 in CDF-5, 1.0 raw, 20.4 in Zarr; each further variable 720, 270,
# 240 and 2900 bytes (Zarr has it twice); a GRIB2 message 250 to 310 beside its values.
_DESCRIPTION_BYTES = 12_288  # global attributes and history
_VARIABLE_BYTES = 2048
_MESH_VARIABLES = 16  # of a file, at most (src/field/mesh_variables.cpp), with time and level
_GRIB2_FRAME_BYTES = 512
_ZARR_CHUNK_BYTES = 4 << 20  # the largest chunk (src/format/zarr/shard.cpp)
_CHUNK_ENTRY_BYTES = 256  # of HDF5's index of chunks
_LEAST_RATIO, _LEAST_SHRINK = 50, 4  # bounds = "auto" (src/output/deal/describe_file.cpp)
# Mesh variables: longitude and latitude of the points, 8 bytes each; of the corners (bounds) as
# many for each of 3, 4 or 6; tables of indices: corners of cells, always, and ends of edges.
_CORNERS = {"cell": 3, "edge": 4, "vertex": 6}
_COORDINATES = 2
_NUMBER_BYTES = 8


@dataclass(frozen=True)
class OwnField:
    """A variable in a stream: levels that are written of it."""

    name: str
    place: str
    levels: int


@dataclass(frozen=True)
class OwnStore:
    """How a stream is kept. parts: writers with a file of their own for each file, 1 = one file."""

    container: str
    mesh: Mesh
    fields: tuple[OwnField, ...]
    float64: bool
    chunked: bool
    compression: str
    bits: int
    bounds: str
    parts: int
    attribute_bytes: int

    @property
    def values(self) -> int:
        return sum(self.mesh.points(each.place) * each.levels for each in self.fields)

    @property
    def levels(self) -> int:
        """Level by level, of all fields."""
        return sum(each.levels for each in self.fields)

    @property
    def width(self) -> int:
        return 8 if self.float64 else 4

    @property
    def bytes_per_output(self) -> int:
        """Of the values, before they are compressed; packed ones of GRIB2."""
        if self.container != "grib2":
            return self.values * self.width
        packed = ((self.mesh.points(each.place) * self.bits + 7) // 8 * each.levels
                  for each in self.fields)  # fmt: skip
        return sum(packed)

    def has_bounds(self, times: int) -> bool:
        if self.bounds != "auto":
            return self.bounds == "always"
        values = times * self.values * self.width
        if self.compression != "none":
            values //= _LEAST_SHRINK
        return _LEAST_RATIO * self._bounds_bytes() <= values

    def bytes_once(self, times: int) -> int:
        """Mesh and levels of a file with so many times; of its parts and their index together."""
        if self.container in ("grib2", "raw"):
            return 0  # only a name of the grid
        bounds = self.has_bounds(times)
        if self.parts == 1:
            return self._whole_mesh(bounds) + self._level_bytes()
        parts = self._points_bytes(self._places()) + bounds * self._bounds_bytes()
        parts += self.parts * self._level_bytes()
        return parts + self.has_index * (self._whole_mesh(bounds) + self._level_bytes())

    @property
    def has_index(self) -> bool:
        """A file that shows the parts as one: virtual datasets of HDF5."""
        return self.parts > 1 and self.container == "netcdf4"

    @property
    def files_of_one(self) -> int:
        """Files of one interval of files; a Zarr store, which is a directory, counts as one."""
        return (self.parts + self.has_index) * (2 if self.container == "raw" else 1)

    def header_bytes(self, times: int) -> int:
        """At most, of all that is neither values nor mesh in a file, its parts and its index."""
        if self.container not in _CONTAINERS:
            raise ThalwegError(
                f"how large files of container '{self.container}' are is not known yet; it is of "
                f"{', '.join(_CONTAINERS)}"
            )
        return _CONTAINERS[self.container](self, times)

    def _places(self) -> list[str]:
        return [place for place in _CORNERS if any(each.place == place for each in self.fields)]

    def _points_bytes(self, places: Sequence[str]) -> int:
        points = sum(self.mesh.points(place) for place in places)
        return points * _COORDINATES * _NUMBER_BYTES

    def _bounds_bytes(self) -> int:
        corners = sum(self.mesh.points(place) * _CORNERS[place] for place in self._places())
        return corners * _COORDINATES * _NUMBER_BYTES

    def _whole_mesh(self, bounds: bool) -> int:
        """With the topology: vertices and the corners of cells, whatever the places."""
        index = 8 if self.mesh.edges > _INT32_MOST else 4
        places = self._places()
        tables = self.mesh.cells * 3 + (self.mesh.edges * 2 if "edge" in places else 0)
        coordinates = self._points_bytes([*{*places, "vertex"}])
        return coordinates + tables * index + 4 + bounds * self._bounds_bytes()  # 4: "mesh"

    def _level_bytes(self) -> int:
        """int32 numbers of the levels, where a field has several."""
        several = max((each.levels for each in self.fields), default=1)
        return 4 * several if several > 1 else 0


def _netcdf(store: OwnStore, times: int) -> int:
    """Each variable described, and moved to the next page."""
    variables = len(store.fields) + _MESH_VARIABLES
    one = _DESCRIPTION_BYTES + store.attribute_bytes + 8 * times
    one += variables * (_VARIABLE_BYTES + PAGE_BYTES)
    if store.chunked or store.compression != "none":
        chunks = times * store.levels  # those of more than 4 GiB are divided: no matter here
        one += chunks * _CHUNK_ENTRY_BYTES + (times + 1) * len(store.fields) * PAGE_BYTES
    return one * (store.parts + store.has_index)


def _classic(store: OwnStore, times: int) -> int:
    """One header, which ends at a page, and values from a page on."""
    variables = len(store.fields) + _MESH_VARIABLES
    one = _DESCRIPTION_BYTES + store.attribute_bytes + 8 * times + 2 * PAGE_BYTES
    return (one + variables * _VARIABLE_BYTES // 2) * store.parts


def _grib2(store: OwnStore, times: int) -> int:
    return times * store.levels * _GRIB2_FRAME_BYTES


def _raw(store: OwnStore, times: int) -> int:
    """The description beside the file, where each time and level is a line."""
    one = _DESCRIPTION_BYTES + store.attribute_bytes + 32 * times
    return store.parts * (one + len(store.fields) * _VARIABLE_BYTES + 32 * store.levels)


def _zarr(store: OwnStore, times: int) -> int:
    """Every array has a description twice; every shard an index, and levels as long as chunks."""
    arrays = len(store.fields) + _MESH_VARIABLES
    once = 2 * (_DESCRIPTION_BYTES + store.attribute_bytes + arrays * _VARIABLE_BYTES) + 8 * times
    shards = 0
    for field in store.fields:
        points = store.mesh.points(field.place)
        chunks = -(-points * store.width // _ZARR_CHUNK_BYTES)
        shards += field.levels * (chunks * (16 + store.width) + 4)
    mesh = 16 * 2 * (store.mesh.edges * 8 * _NUMBER_BYTES // _ZARR_CHUNK_BYTES + 1)
    return once + mesh * _MESH_VARIABLES + times * shards


_CONTAINERS: dict[str, Callable[[OwnStore, int], int]] = {
    "netcdf4": _netcdf,
    "cdf5": _classic,
    "classic": _classic,
    "grib2": _grib2,
    "raw": _raw,
    "zarr": _zarr,
}
CONTAINERS = tuple(_CONTAINERS)
