# SPDX-License-Identifier: Apache-2.0
"""One way to look at a file of any container: named variables with dimensions and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thalweg.files.arrays import ArrayDataset, ArrayVariable
from thalweg.files.names import MEMBER
from thalweg.files.readers import READERS, reader_of

PLACES = ("cell", "edge", "vertex")
PART = re.compile(r"\.000(\.\w+)$")  # src/output/deal/describe_file.cpp


class Variable(Protocol):
    """Values as stored; attributes such as `units` where the file has them."""

    @property
    def dimensions(self) -> tuple[str, ...]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, index: Any) -> Any: ...


class Dataset(Protocol):
    @property
    def variables(self) -> Mapping[str, Variable]: ...
    def close(self) -> None: ...


def parts_of(path: Path) -> list[Path]:
    """The parts of a divided file by its first one (jet_20000101T000000Z.000.nc), else the file."""
    first = PART.search(path.name)
    if first is None:
        return [path]
    stem, suffix = path.name[: first.start()], first[1]
    member = re.compile(f"{re.escape(stem)}{MEMBER}{re.escape(suffix)}")
    found = (each for each in path.parent.glob("*") if member.fullmatch(each.name))
    return sorted(found, key=lambda each: (len(each.name), each.name))


def open_dataset(path: Path, alone: bool = False) -> Dataset:
    """Opens a file by the suffix its container gave it; any other is taken for netCDF. Where the
    file is the first of several parts, all of them together, unless `alone`.
    """
    files = parts_of(path)
    reader = reader_of(path)
    if len(files) < 2 or alone:
        if reader is READERS[0] and not alone and path.is_file():
            from thalweg.files.index_parts import require_parts

            require_parts(path)
        dataset: Dataset = reader.open(path)
        return dataset
    return _joined([reader.open(file) for file in files])


def _joined(parts: list[Dataset]) -> Dataset:
    """Parts follow each other along cells, edges and vertices."""
    whole = ArrayDataset()
    for name, variable in parts[0].variables.items():
        dimensions, shape = variable.dimensions, variable.shape
        pieces = [part.variables[name] for part in parts]
        if dimensions and dimensions[-1] in PLACES:
            shape = (*shape[:-1], sum(piece.shape[-1] for piece in pieces))
        else:
            pieces = pieces[:1]
        units = str(getattr(variable, "units", ""))
        whole.variables[name] = ArrayVariable(dimensions, shape, units, _Joined(pieces))
    return whole


@dataclass(frozen=True)
class _Joined:
    pieces: list[Variable]

    def __call__(self, index: Any) -> NDArray[Any]:
        return np.concatenate([np.asarray(piece[index]) for piece in self.pieces], axis=-1)
