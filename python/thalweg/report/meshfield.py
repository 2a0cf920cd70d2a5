# SPDX-License-Identifier: Apache-2.0
"""Reads one field at one level and time, and the mesh it lives on, from a UGRID file or store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg.errors import ThalwegError, UnreadableError, did_you_mean
from thalweg.files.index_parts import broken_part, require_parts
from thalweg.files.netcdf_dataset import open_netcdf, require_end
from thalweg.files.readers import reader_of
from thalweg.report.rundata import FloatArray, IntArray

if TYPE_CHECKING:
    import xarray

OTHER_SUFFIXES = (".nc4",)  # of files that others wrote
LEVELS = ("level", "half_level")  # scalar coordinates of a field of which the file has one level
# What a word where a number is due leads to, a number for a word, a list for either.
UNFIT = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
LOCATIONS = ("face", "edge", "node")  # UGRID's words for triangle, side, hexagon centre


@dataclass(frozen=True)
class MeshField:
    """Values of one field on the sphere; positions are unit vectors."""

    name: str
    long_name: str
    units: str
    location: str  # one of LOCATIONS
    values: FloatArray  # [points]
    positions: FloatArray  # [points, 3]
    nodes: FloatArray  # [nodes, 3], empty if the file has none
    faces: IntArray  # [faces, 3] indices of nodes, empty if the file has none
    level: int  # number of the model level, 1 = first; 0 = the field has no levels
    time_text: str  # date, or '' without a time axis


def unit_vectors(longitude_deg: FloatArray, latitude_deg: FloatArray) -> FloatArray:
    """[points, 3], z along the axis of rotation."""
    lon, lat = np.radians(longitude_deg), np.radians(latitude_deg)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


@contextmanager
def open_mesh_file(path: Path) -> Iterator[xarray.Dataset]:
    """A netCDF file or Zarr store; fill values are NaN, times numbers. Raises a sentence."""
    import xarray

    reader = reader_of(path)
    if not (path.is_dir() if reader.is_store else path.is_file()):
        raise ThalwegError(f"the file '{path}' does not exist; give the path of an output file")
    if not reader.engine or path.suffix not in (reader.suffix, *OTHER_SUFFIXES):
        raise ThalwegError(f"'{path}' names no mesh: only netCDF and Zarr have room for one")
    if not reader.is_store:
        require_end(path)
        require_parts(path)
    options: dict[str, Any] = {"consolidated": False} if reader.engine == "zarr" else {}
    try:
        file = xarray.open_dataset(
            path, decode_times=False, cache=False, engine=reader.engine, **options
        )
    except (OSError, RuntimeError, *UNFIT):
        if not reader.is_store:
            open_netcdf(path).close()  # says better what is wrong
        kind = "Zarr store" if reader.is_store else "netCDF file"
        raise UnreadableError(f"'{path}' is not a {kind} that can be read") from None
    with file:
        try:
            yield file
        except (OSError, RuntimeError) as error:
            told = broken_part(path) or f"'{path}' cannot be read: {error}"
            raise UnreadableError(told) from error
        except UNFIT as error:
            raise UnreadableError(
                f"'{path}' has attributes or values that do not fit its conventions (CF, UGRID): "
                f"{error}; it cannot be drawn"
            ) from error


def fields_and_last_time(path: Path) -> tuple[list[str], float]:
    """Names of the variables of a file that live on its mesh, 'vor' and those with levels first,
    and the last value of its time axis in the file's own units; -inf without one.

    Raises a sentence if the file cannot be read or holds only a part of the points.
    """
    with open_mesh_file(path) as file:
        for place in ("cell", "edge", "vertex"):
            if file.attrs.get(f"{place}_global_size", 0) > file.sizes.get(place, 0) > 0:
                raise ThalwegError(
                    f"'{path.name}' holds some of the points only; 'thalweg merge' makes one file "
                    "of all parts"
                )
        found = [
            (name != "vor", variable.ndim < 3, str(name))
            for name, variable in file.variables.items()
            if variable.attrs.get("location") in LOCATIONS and "mesh" in variable.attrs
            and "time" in variable.dims
        ]  # fmt: skip
        fields = [name for _, _, name in sorted(found)]
        if "time" not in file.variables or not file.variables["time"].size:
            return fields, -np.inf
        return fields, float(np.nanmax(file.variables["time"].values))


def read_field(path: Path, field: str, level: int, time: int) -> MeshField:
    """Read a field; level 1 = the model's first, 0 = the file's first; time -1 = the file's last.

    Raises ThalwegError with one sentence if the file has no such field, level, time or mesh.
    """
    with open_mesh_file(path) as file:
        if field not in file.variables:
            hint = did_you_mean(field, map(str, file.variables))
            raise ThalwegError(f"'{path}' has no variable '{field}'.{hint}")
        variable = file.variables[field]
        location = str(variable.attrs.get("location", ""))
        mesh = file.variables.get(str(variable.attrs.get("mesh", "")))
        if location not in LOCATIONS or mesh is None:
            raise UnreadableError(
                f"'{field}' in '{path}' names no mesh and location (UGRID), so it cannot be drawn"
            )
        nodes = _positions(file, str(mesh.attrs.get("node_coordinates", "")))
        # xarray keeps a variable's "coordinates" apart from its attributes
        names = mesh.attrs.get(f"{location}_coordinates") or variable.encoding.get("coordinates")
        faces = _faces(file, str(mesh.attrs.get("face_node_connectivity", "")))
        if faces.size and not 0 <= faces.min() <= faces.max() < max(1, len(nodes)):
            raise UnreadableError(
                f"'{path}' has triangles with corners {faces.min()} to {faces.max()} (from 0) of "
                f"{len(nodes)} nodes; it cannot be drawn"
            )
        positions = nodes if location == "node" and len(nodes) else _positions(file, str(names))
        if not len(positions) and location == "face" and len(faces) and len(nodes):
            positions = nodes[faces].mean(axis=1)
            positions /= np.linalg.norm(positions, axis=1, keepdims=True)
        if not len(positions):
            told = f"'{path}' lacks the coordinates of '{field}'; it cannot be drawn"
            raise UnreadableError(told)
        values, its_level, time_index = _slice(file, field, path, level, time)
        if len(values) != len(positions):
            raise UnreadableError(
                f"'{field}' in '{path}' has {len(values)} values along its last dimension and "
                f"coordinates of {len(positions)} points; it cannot be drawn"
            )
        if not (np.isfinite(positions).all() and np.isfinite(nodes).all()):
            raise UnreadableError(f"'{path}' has coordinates that are no numbers")
        return MeshField(
            name=field,
            long_name=str(variable.attrs.get("long_name", field)),
            units=str(variable.attrs.get("units", "")),
            location=location,
            values=values,
            positions=positions,
            nodes=nodes,
            faces=faces,
            level=its_level,
            time_text=_time_text(file, time_index),
        )


def _slice(
    file: xarray.Dataset, field: str, path: Path, level: int, time: int
) -> tuple[FloatArray, int, int | None]:
    """Values [points], the level (0 = none) and the index of time (None = none)."""
    variable = file.variables[field]
    index: list[Any] = []
    its_level, time_index = 0, None
    for name, size in zip(variable.dims, variable.shape, strict=True):
        if len(index) == variable.ndim - 1:
            index.append(slice(None))
        elif name == "time":
            if not -size <= time < size:
                raise ThalwegError(f"'{field}' in '{path}' has {size} times, there is no {time}")
            time_index = time % size
            index.append(time_index)
        else:
            # Model levels, 1 = first: a stream may hold some of them only.
            known = file.variables[name].values if name in file.variables else range(1, size + 1)
            numbers = [int(number) for number in known]
            its_level = level or numbers[0]
            if its_level not in numbers:
                words = f"{numbers[0]} to {numbers[-1]}"
                raise ThalwegError(f"'{field}' in '{path}' has levels {words}, not {level}")
            index.append(numbers.index(its_level))
    if variable.ndim == 1 + (time_index is not None):
        its_level = _only_level(file, field, path, level)
    values = np.asarray(variable[tuple(index)].values, np.float64)
    return values, its_level, time_index


def _only_level(file: xarray.Dataset, field: str, path: Path, level: int) -> int:
    """Of a field without a level axis: which one the file has of its levels, 0 = it has none."""
    named = str(file.variables[field].encoding.get("coordinates", "")).split()
    found = [
        file.variables[name]
        for name in LEVELS
        if name in named
        and name in file.variables
        and file.variables[name].attrs.get("standard_name") == "model_level_number"
        and file.variables[name].ndim == 0
    ]
    only = int(found[0].values) if found else 0
    if only and level not in (0, only):
        raise ThalwegError(f"'{field}' in '{path}' has level {only} only, not {level}")
    return only


def _positions(file: xarray.Dataset, names: str) -> FloatArray:
    """Unit vectors of the two coordinate variables named, whichever order and angle unit."""
    angles: dict[str, FloatArray] = {}
    for name in names.split():
        if name not in file.variables:
            return np.empty((0, 3))
        variable = file.variables[name]
        units = str(variable.attrs.get("units", "degrees"))
        values = np.asarray(variable.values, np.float64)
        degrees = np.degrees(values) if units.startswith("rad") else values
        standard_name = str(variable.attrs.get("standard_name", "")) or units
        if "lat" in standard_name or "north" in units:
            angles["latitude"] = degrees
        elif "lon" in standard_name or "east" in units:
            angles["longitude"] = degrees
    if len(angles) != 2:
        return np.empty((0, 3))
    return unit_vectors(angles["longitude"], angles["latitude"])


def _faces(file: xarray.Dataset, name: str) -> IntArray:
    if name not in file.variables:
        return np.empty((0, 3), np.int64)
    variable = file.variables[name]
    faces = np.asarray(variable.values, np.int64) - int(variable.attrs.get("start_index", 0))
    return faces.T if faces.shape[0] == 3 and faces.shape[1] != 3 else faces


def _time_text(file: xarray.Dataset, index: int | None) -> str:
    import netCDF4

    if index is None or "time" not in file.variables:
        return ""
    variable = file.variables["time"]
    value = float(variable.values[index])
    try:
        dates: Any = netCDF4.num2date(
            [value], variable.attrs["units"], variable.attrs.get("calendar", "standard")
        )
        return str(dates[0].strftime("%Y-%m-%d %H:%M"))
    except (KeyError, ValueError, AttributeError, TypeError, OverflowError):
        return f"{value:g}"
