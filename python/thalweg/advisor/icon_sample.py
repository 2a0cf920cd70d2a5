# SPDX-License-Identifier: Apache-2.0
"""Variables in a file that an earlier run of ICON wrote, netCDF or GRIB2: only heads are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from thalweg.advisor.icon_variables import Variable
from thalweg.errors import ThalwegError

_PLACES = {1: "cell", 2: "vertex", 3: "edge"}  # number_of_grid_in_reference of ICON
_AXES_OF_PLACES = {"clon": "cell", "elon": "edge", "vlon": "vertex"}  # in `coordinates`
_LONLAT = (("lat", "lon"), ("rlat", "rlon"), ("latitude", "longitude"))
_TIME = "time"
_NETCDF = (b"CDF", b"\x89HDF")
_GRIB = b"GRIB"
_FEW_BITS = 16  # what ICON packs into without lgribout_24bit
_UNSTRUCTURED = "unstructured_grid"


@dataclass(frozen=True)
class Sampled:
    """levels: values per point in the file. place "": the file does not tell it."""

    name: str
    place: str
    levels: int
    constant: bool
    kind: str
    bits: int
    file: str

    def variable(self, full: int) -> Variable:
        """On a domain with so many full levels: as many are model levels, which m_levels cuts."""
        long = {full: "nlev", full + 1: "nlev+1"}
        levels = long.get(self.levels, str(self.levels)) if self.levels > 1 else "1"
        return Variable(
            name=self.name,
            area="",
            place=self.place,
            levels=levels,
            extra="",
            copies="",
            bits=self.bits,
            kind=self.kind,
            constant=self.constant,
            vertical="PZI",
            groups=(),
            exists_if="",
        )


Sample = Mapping[str, Sampled]  # by the name in small letters


def read_samples(paths: Sequence[Path]) -> dict[str, Sampled]:
    """Of all files; of a name in several of them the first counts."""
    found: dict[str, Sampled] = {}
    for path in paths:
        for name, sampled in _read(path).items():
            found.setdefault(name, sampled)
    return found


def _read(path: Path) -> dict[str, Sampled]:
    try:
        with path.open("rb") as file:
            begin = file.read(4)
    except OSError as error:
        raise ThalwegError(
            f"--sample '{path}' cannot be read ({error.strerror}); check its path"
        ) from error
    try:
        if begin.startswith(_NETCDF):
            found = _read_netcdf(path)
        elif begin == _GRIB:
            found = _read_grib(path)
        else:
            raise ThalwegError(
                f"--sample '{path}' is neither netCDF nor GRIB2; give an output file of ICON"
            )
    except (OSError, RuntimeError, ValueError) as error:
        raise ThalwegError(f"--sample '{path}' is damaged: {error}") from error
    if not found:
        raise ThalwegError(f"--sample '{path}' holds no variable; give an output file of ICON")
    return found


def _read_netcdf(path: Path) -> dict[str, Sampled]:
    from netCDF4 import Dataset

    found = {}
    with Dataset(path) as file:
        bounds = {str(getattr(each, "bounds", "")) for each in file.variables.values()}
        for name, each in file.variables.items():
            if name in file.dimensions or name in bounds or not each.dimensions:
                continue
            place, points = _place(each, len(each.dimensions))
            rest = [size for axis, size in zip(each.dimensions, each.shape, strict=True)
                    if axis != _TIME]  # fmt: skip
            rest = rest[: len(rest) - points]
            levels = 1
            for size in rest:
                levels *= size
            if name in _AXES_OF_PLACES or name in ("clat", "elat", "vlat") or levels < 1:
                continue
            found[name.lower()] = Sampled(
                name=name.lower(),
                place=place,
                levels=levels,
                constant=_TIME not in each.dimensions,
                kind=_kind(each.dtype),
                bits=_FEW_BITS,
                file=path.name,
            )
    return found


def _place(variable: Any, axes: int) -> tuple[str, int]:
    """And how many of the last axes are horizontal."""
    names = tuple(name.lower() for name in variable.dimensions)
    if names[-2:] in _LONLAT:
        return "lonlat", 2
    if all(name == _TIME for name in names):
        return "scalar", 0
    number = getattr(variable, "number_of_grid_in_reference", None)
    if number is not None and int(number) in _PLACES:
        return _PLACES[int(number)], 1
    words = str(getattr(variable, "coordinates", "")).split()
    told = [_AXES_OF_PLACES[word] for word in words if word in _AXES_OF_PLACES]
    if told:
        return told[0], 1
    is_mesh = getattr(variable, "CDI_grid_type", "") == "unstructured" or "cell" in names[-1]
    return ("", 1) if is_mesh else ("scalar", 0)


def _kind(dtype: Any) -> str:
    """A float is as wide as lnetcdf_flt64_output says of the run that is to be."""
    return "int32" if getattr(dtype, "kind", "f") in "iu" else "real"


@dataclass
class _Messages:
    place: str
    levels: set[tuple[str, int, int]] = field(default_factory=set)
    times: set[tuple[int, int, str]] = field(default_factory=set)
    bits: int = 0


def _read_grib(path: Path) -> dict[str, Sampled]:
    import eccodes

    found: dict[str, _Messages] = {}
    with path.open("rb") as file:
        while True:
            try:
                handle = eccodes.codes_grib_new_from_file(file, headers_only=True)
            except eccodes.CodesInternalError as error:
                raise ValueError(str(error)) from error
            if handle is None:
                break
            try:
                _take(handle, found)
            except eccodes.CodesInternalError as error:
                raise ValueError(str(error)) from error
            finally:
                eccodes.codes_release(handle)
    times = set().union(*(each.times for each in found.values())) if found else set()
    return {
        name: Sampled(
            name=name,
            place=each.place,
            levels=len(each.levels),
            constant=len(times) > 1 and len(each.times) == 1,
            kind="real",
            bits=24 if each.bits > _FEW_BITS else _FEW_BITS,
            file=path.name,
        )
        for name, each in found.items()
    }


def _take(handle: Any, found: dict[str, _Messages]) -> None:
    import eccodes

    def number(key: str) -> int:
        return int(eccodes.codes_get(handle, key))

    def text(key: str) -> str:
        return str(eccodes.codes_get(handle, key))

    name = text("shortName").lower()
    unstructured = text("gridType") == _UNSTRUCTURED
    place = _PLACES.get(number("numberOfGridInReference"), "") if unstructured else "lonlat"
    each = found.setdefault(name, _Messages(place))
    each.levels.add((text("typeOfLevel"), number("topLevel"), number("bottomLevel")))
    each.times.add((number("dataDate"), number("dataTime"), text("stepRange")))
    each.bits = max(each.bits, number("bitsPerValue"))


def with_levels_known(
    variables: Mapping[str, Variable], unsized: Sequence[str], sample: Sample, full: int
) -> dict[str, Variable]:
    """Of variables whose axis the table does not know, the number of values is the file's."""
    changed = {
        name: replace(sample[name].variable(full), place=variables[name].place)
        for name in unsized
        if name in sample
    }
    return {**variables, **changed}
