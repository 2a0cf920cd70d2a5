# SPDX-License-Identifier: Apache-2.0
"""Reads one field at one level and time, and the mesh it lives on, from a UGRID file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg.config.errors import ThalwegError, did_you_mean
from thalweg.report.rundata import FloatArray, IntArray

if TYPE_CHECKING:
    import netCDF4

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


def plottable_fields(path: Path) -> list[str]:
    """Names of the variables of a file that live on its mesh, 'vor' and those with levels first."""
    import netCDF4

    with netCDF4.Dataset(path) as file:
        found = [
            (name != "vor", variable.ndim < 3, name)
            for name, variable in file.variables.items()
            if getattr(variable, "location", "") in LOCATIONS and hasattr(variable, "mesh")
            and "time" in variable.dimensions
        ]  # fmt: skip
    return [name for _, _, name in sorted(found)]


def last_time_s(path: Path) -> float:
    """The last value of the file's time axis in the file's own units; -inf without one."""
    import netCDF4

    with netCDF4.Dataset(path) as file:
        if "time" not in file.variables or not file.variables["time"].size:
            return -np.inf
        return float(np.max(np.ma.filled(file.variables["time"][:], -np.inf)))


def read_field(path: Path, field: str, level: int, time: int) -> MeshField:
    """Read a field; level 1 = the model's first, 0 = the file's first; time -1 = the file's last.

    Raises ThalwegError with one sentence if the file has no such field, level, time or mesh.
    """
    import netCDF4

    if not path.is_file():
        raise ThalwegError(f"the file '{path}' does not exist; give the path of an output file")
    try:
        file = netCDF4.Dataset(path)
    except OSError:
        raise ThalwegError(f"'{path}' is not a netCDF file that can be read") from None
    with file:
        if field not in file.variables:
            hint = did_you_mean(field, list(file.variables))
            raise ThalwegError(f"'{path}' has no variable '{field}'.{hint}")
        variable = file.variables[field]
        location = str(getattr(variable, "location", ""))
        mesh = file.variables.get(str(getattr(variable, "mesh", "")))
        if location not in LOCATIONS or mesh is None:
            raise ThalwegError(
                f"'{field}' in '{path}' names no mesh and location (UGRID), so it cannot be drawn"
            )
        nodes = _positions(file, str(getattr(mesh, "node_coordinates", "")))
        names = str(getattr(mesh, f"{location}_coordinates", "")) or str(
            getattr(variable, "coordinates", "")
        )
        faces = _faces(file, str(getattr(mesh, "face_node_connectivity", "")))
        positions = nodes if location == "node" and len(nodes) else _positions(file, names)
        if not len(positions) and location == "face" and len(faces) and len(nodes):
            positions = nodes[faces].mean(axis=1)
            positions /= np.linalg.norm(positions, axis=1, keepdims=True)
        if not len(positions):
            raise ThalwegError(f"'{path}' lacks the coordinates of '{field}'; it cannot be drawn")
        values, its_level, time_index = _slice(variable, field, path, level, time)
        return MeshField(
            name=field,
            long_name=str(getattr(variable, "long_name", field)),
            units=str(getattr(variable, "units", "")),
            location=location,
            values=values,
            positions=positions,
            nodes=nodes,
            faces=faces,
            level=its_level,
            time_text=_time_text(file, time_index),
        )


def _slice(
    variable: Any, field: str, path: Path, level: int, time: int
) -> tuple[FloatArray, int, int | None]:
    """Values [points], the level (0 = none) and the index of time (None = none)."""
    index: list[Any] = []
    its_level, time_index = 0, None
    for number, name in enumerate(variable.dimensions):
        size = variable.shape[number]
        if number == variable.ndim - 1:
            index.append(slice(None))
        elif name == "time":
            if not -size <= time < size:
                raise ThalwegError(f"'{field}' in '{path}' has {size} times, there is no {time}")
            time_index = time % size
            index.append(time_index)
        else:
            numbers = _level_numbers(variable.group(), name, size)
            its_level = level or numbers[0]
            if its_level not in numbers:
                known = f"{numbers[0]} to {numbers[-1]}"
                raise ThalwegError(f"'{field}' in '{path}' has levels {known}, not {level}")
            index.append(numbers.index(its_level))
    values = np.ma.filled(np.ma.asarray(variable[tuple(index)], np.float64), np.nan)
    return np.asarray(values, np.float64), its_level, time_index


def _level_numbers(file: netCDF4.Dataset, dimension: str, size: int) -> list[int]:
    """Model levels along a dimension, 1 = first: a stream may hold some of them only."""
    if dimension in file.variables:
        return [int(number) for number in file.variables[dimension][:]]
    return list(range(1, size + 1))


def _positions(file: netCDF4.Dataset, names: str) -> FloatArray:
    """Unit vectors of the two coordinate variables named, whichever order and angle unit."""
    angles: dict[str, FloatArray] = {}
    for name in names.split():
        if name not in file.variables:
            return np.empty((0, 3))
        variable = file.variables[name]
        units = str(getattr(variable, "units", "degrees"))
        values = np.asarray(variable[:], np.float64)
        degrees = np.degrees(values) if units.startswith("rad") else values
        standard_name = str(getattr(variable, "standard_name", "")) or units
        if "lat" in standard_name or "north" in units:
            angles["latitude"] = degrees
        elif "lon" in standard_name or "east" in units:
            angles["longitude"] = degrees
    if len(angles) != 2:
        return np.empty((0, 3))
    return unit_vectors(angles["longitude"], angles["latitude"])


def _faces(file: netCDF4.Dataset, name: str) -> IntArray:
    if name not in file.variables:
        return np.empty((0, 3), np.int64)
    variable = file.variables[name]
    faces = np.asarray(variable[:], np.int64) - int(getattr(variable, "start_index", 0))
    return faces.T if faces.shape[0] == 3 and faces.shape[1] != 3 else faces


def _time_text(file: netCDF4.Dataset, index: int | None) -> str:
    import netCDF4

    if index is None or "time" not in file.variables:
        return ""
    variable = file.variables["time"]
    try:
        date: Any = netCDF4.num2date(
            variable[index], variable.units, getattr(variable, "calendar", "standard")
        )
        return str(date.strftime("%Y-%m-%d %H:%M"))
    except (AttributeError, ValueError):
        return f"{float(variable[index]):g}"
