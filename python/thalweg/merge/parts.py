# SPDX-License-Identifier: Apache-2.0
"""Which files belong together, and which points of the grid each of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import numpy.typing as npt

from thalweg.errors import ThalwegError
from thalweg.files.index_parts import virtual_sources
from thalweg.files.netcdf_dataset import open_netcdf
from thalweg.verify.recorded import refuse_damaged

PLACES = ("cell", "edge", "vertex")


@dataclass(frozen=True)
class Part:
    """One writer's file; first[place] = global index of its first point, from 0."""

    path: Path
    file: netCDF4.Dataset
    first: dict[str, int]

    def size(self, place: str) -> int:
        return len(self.file.dimensions[place])


@dataclass(frozen=True)
class PartSet:
    """Parts in the order of their points, and the file that describes the whole.

    template   the index, or the first part
    from_parts names of the template's variables whose values are in the parts
    """

    parts: list[Part]
    template: netCDF4.Dataset
    from_parts: list[str]

    def points(self, place: str) -> int:
        return sum(part.size(place) for part in self.parts)

    def close(self) -> None:
        for file in {
            id(f): f for f in [self.template, *(part.file for part in self.parts)]
        }.values():
            if file.isopen():
                file.close()


def find_parts(inputs: Sequence[Path]) -> PartSet:
    """The parts behind an index, or the given parts; all of them must be there and fit."""
    index = inputs[0] if len(inputs) == 1 and virtual_sources(inputs[0]) else None
    paths = virtual_sources(index) if index else list(inputs)
    for path in paths:
        if index and not path.is_file():
            raise ThalwegError(f"the index '{index}' shows the file '{path}', which is not there")
    refuse_damaged([*paths, *([index] if index else [])])
    opened: list[netCDF4.Dataset] = []
    try:
        parts = []
        for path in paths:
            opened.append(_open(path))
            parts.append(Part(path, opened[-1], _first_points(path, opened[-1])))
        _check_same(parts)
        parts = _in_order(parts)
        if index:
            opened.append(_open(index))
        template = opened[-1] if index else parts[0].file
        of_parts = parts[0].file.variables
        names = [
            name
            for name, variable in template.variables.items()
            if place_of(variable) and (not index or "time" in variable.dimensions)
        ]
        for name in names:
            if name not in of_parts:
                raise ThalwegError(f"'{index}' shows '{name}', which its parts lack")
        return PartSet(parts, template, names)
    except BaseException:
        for file in opened:
            file.close()
        raise


def place_of(variable: Any) -> str:
    """The place whose points a variable has, or ""."""
    return next((d for d in variable.dimensions if d in PLACES), "")


def _open(path: Path) -> netCDF4.Dataset:
    try:
        file: netCDF4.Dataset = open_netcdf(path)
    except ThalwegError as error:  # which has another code where a file was cut
        raise ThalwegError(error.sentence) from error
    return file


def read_values(file: netCDF4.Dataset, name: str, key: tuple[Any, ...] = ()) -> npt.NDArray[Any]:
    """As stored; key is of the first axes. Raises a sentence that names the file."""
    try:
        values: npt.NDArray[Any] = file.variables[name][(*key, ...)]
    except (OSError, RuntimeError) as error:
        raise ThalwegError(f"cannot read '{name}' from '{file.filepath()}': {error}") from error
    return values


def same_bytes(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """NaN is NaN, and 0 is not -0."""
    return (
        one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    )


def _same_attribute(one: Any, other: Any) -> bool:
    """Not there in both is the same."""
    if one is None or other is None:
        return one is other
    return same_bytes(np.asarray(one), np.asarray(other))


def _attribute(owner: Any, name: str) -> Any:
    """None = it is not there."""
    try:
        return owner.getncattr(name) if name in owner.ncattrs() else None
    except (OSError, RuntimeError) as error:
        file = owner if isinstance(owner, netCDF4.Dataset) else owner.group()
        raise ThalwegError(f"cannot read '{name}' from '{file.filepath()}': {error}") from error


def _first_points(path: Path, file: netCDF4.Dataset) -> dict[str, int]:
    told = {place: _number(file, f"{place}_first") for place in PLACES}
    first = {place: value for place, value in told.items() if value is not None}
    if not first:
        raise ThalwegError(
            f"'{path}' is no part of a divided output (it has no attribute 'cell_first'); give the "
            "files of all writers, or the index that shows them as one"
        )
    for place in first:
        if place not in file.dimensions or _number(file, f"{place}_global_size") is None:
            raise ThalwegError(
                f"'{path}' has the attribute '{place}_first', but no dimension '{place}' or no "
                f"attribute '{place}_global_size'; it is damaged"
            )
    return first


def _number(file: netCDF4.Dataset, name: str) -> int | None:
    """An attribute that counts points; None = it is not there."""
    value = _attribute(file, name)
    if value is None:
        return None
    number = np.asarray(value)
    if number.size != 1 or number.dtype.kind not in "iu" or number.item() < 0:
        what = f"its attribute '{name}' is no number of points: {number.tolist()!r}"
        raise ThalwegError(f"'{file.filepath()}' is damaged: {what}")
    return int(number.item())


def _check_same(parts: list[Part]) -> None:
    """Parts of one output differ in nothing but their points."""
    one = parts[0]
    for other in parts[1:]:
        if difference := _difference(one.file, other.file):
            raise ThalwegError(
                f"'{other.path}' and '{one.path}' are not parts of one output: they differ in "
                f"{difference}"
            )


def _difference(one: netCDF4.Dataset, other: netCDF4.Dataset) -> str:
    of_places = (f"{place}_{word}" for place in PLACES for word in ("first", "global_size"))
    for name in ("grid_name", "uuidOfHGrid", *of_places):
        mine, others = _attribute(one, name), _attribute(other, name)
        both = mine is not None and others is not None
        if not (both and name.endswith("_first")) and not _same_attribute(mine, others):
            return f"the attribute '{name}'"
    if one.data_model != other.data_model:
        return "their format"
    if list(one.variables) != list(other.variables):
        return "their variables"
    for name, variable in one.variables.items():
        twin = other.variables[name]
        if variable.dtype != twin.dtype or variable.dimensions != twin.dimensions:
            return f"type or dimensions of '{name}'"
        for word in dict.fromkeys([*variable.ncattrs(), *twin.ncattrs()]):
            if not _same_attribute(_attribute(variable, word), _attribute(twin, word)):
                return f"the attribute '{word}' of '{name}'"
        if place_of(variable):
            continue
        if not same_bytes(read_values(one, name), read_values(other, name)):
            return f"the values of '{name}'"
    return ""


def _in_order(parts: list[Part]) -> list[Part]:
    """Sorted by their points, of which none may be missing or there twice."""
    place = next(iter(parts[0].first))
    ordered = sorted(parts, key=lambda part: part.first[place])
    for each in ordered[0].first:
        expected = 0
        for part in ordered:
            if part.first[each] != expected:
                word = "twice" if part.first[each] < expected else "in no file"
                raise ThalwegError(
                    f"points of place '{each}' are {word}: '{part.path}' begins with number "
                    f"{part.first[each]}, and the files before it end at {expected}"
                )
            expected += part.size(each)
        whole = _number(ordered[0].file, f"{each}_global_size")
        if expected != whole:
            raise ThalwegError(
                f"the files hold {expected} of {whole} points of place '{each}'; give the files of "
                "all writers"
            )
    return ordered
