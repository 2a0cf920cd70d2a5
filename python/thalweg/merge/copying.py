# SPDX-License-Identifier: Apache-2.0
"""Writes a file of all points, slab by slab, and compares it with the parts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import numpy.typing as npt

from thalweg.merge.parts import PLACES, PartSet, place_of, read_values

SLAB_BYTES = 32 << 20  # values in memory at once, twice: from the parts, and together
_PART_ATTRIBUTES = {f"{place}_{word}" for place in PLACES for word in ("first", "global_size")}

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Slab:
    """Some times or levels of all points of one variable."""

    name: str
    key: Key  # of the axes before the points
    values: int


def slabs_of(parts: PartSet) -> list[Slab]:
    """All slabs of the variables whose values are in the parts."""
    return [
        Slab(name, key, values)
        for name in parts.from_parts
        for key, values in _keys(parts, parts.parts[0].file.variables[name])
    ]


def _keys(parts: PartSet, variable: Any) -> Iterator[tuple[Key, int]]:
    axis = variable.dimensions.index(place_of(variable))
    lead = variable.shape[:axis]
    row = parts.points(place_of(variable)) * math.prod(variable.shape[axis + 1 :])
    if not lead:
        yield (), row
        return
    rows = max(1, SLAB_BYTES // (row * variable.dtype.itemsize))
    for outer in np.ndindex(*lead[:-1]):
        for begin in range(0, lead[-1], rows):
            end = min(begin + rows, lead[-1])
            yield (*outer, slice(begin, end)), row * (end - begin)


def read_slab(parts: PartSet, slab: Slab) -> npt.NDArray[Any]:
    """The slab's values, all points in global order."""
    pieces = [read_values(part.file, slab.name, slab.key) for part in parts.parts]
    variable = parts.parts[0].file.variables[slab.name]
    axis = variable.dimensions.index(place_of(variable))
    whole = sum(type(k) is slice for k in slab.key)  # axes before the points that are left
    return np.concatenate(pieces, axis=min(axis, whole))


def create_whole(parts: PartSet, path: Path) -> netCDF4.Dataset:
    """The new file with everything but the values of slabs_of(parts)."""
    template = parts.template
    out = netCDF4.Dataset(path, "w", format=template.data_model)
    out.set_auto_maskandscale(False)
    out.set_fill_off()
    out.setncatts(
        {k: template.getncattr(k) for k in template.ncattrs() if k not in _PART_ATTRIBUTES}
    )
    out.history = _history(parts)
    for name, dimension in template.dimensions.items():
        size = parts.points(name) if name in PLACES and name in parts.parts[0].first else None
        unlimited = dimension.isunlimited()
        out.createDimension(name, None if unlimited else size or len(dimension))
    for name in template.variables:
        _create_variable(parts, out, name)
    for name in template.variables:
        if name not in parts.from_parts:
            out.variables[name][...] = read_values(template, name)
    return out


def _history(parts: PartSet) -> str:
    """Lines of all parts (some may tell of dropped times), each once."""
    lines: dict[str, None] = {}
    for part in parts.parts:
        lines.update(dict.fromkeys(str(getattr(part.file, "history", "")).splitlines()))
    return "\n".join([*lines, f"merged from {len(parts.parts)} files by thalweg merge"])


def _create_variable(parts: PartSet, out: netCDF4.Dataset, name: str) -> None:
    """Stored as in the parts; a chunk that had all points of a part has all points."""
    described = parts.template.variables[name]
    stored = parts.parts[0].file.variables[name] if name in parts.from_parts else described
    storage: dict[str, Any] = {}
    if out.data_model == "NETCDF4":
        chunks = stored.chunking()
        unlimited = any(out.dimensions[d].isunlimited() for d in stored.dimensions)
        if chunks == "contiguous":
            storage["contiguous"] = not unlimited
        elif chunks:
            storage["chunksizes"] = [
                len(out.dimensions[d]) if d in PLACES else c
                for d, c in zip(stored.dimensions, chunks, strict=True)
            ]
        storage |= _compression(dict(stored.filters()))
    fill = stored.getncattr("_FillValue") if "_FillValue" in stored.ncattrs() else None
    variable = out.createVariable(
        name, described.dtype, described.dimensions, fill_value=fill, **storage
    )
    variable.setncatts(
        {k: described.getncattr(k) for k in described.ncattrs() if k != "_FillValue"}
    )


def _compression(filters: dict[str, Any]) -> dict[str, Any]:
    level = filters.get("complevel", 0)
    for name in ("zlib", "zstd"):
        if filters.get(name):
            return {"compression": name, "complevel": level, "shuffle": bool(filters["shuffle"])}
    return {}
