# SPDX-License-Identifier: Apache-2.0
"""The raw container: bare values PATH beside their description PATH.json (src/format/raw.cpp)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from thalweg.errors import UnreadableError, unreadable
from thalweg.files.arrays import ArrayDataset


def open_raw(path: Path) -> ArrayDataset:
    """Maps the file; its description must be there and its size must fit. Raises a sentence."""
    try:
        about = json.loads(path.with_name(path.name + ".json").read_text(encoding="utf-8"))
        types = [np.dtype(field["type"]).newbyteorder("<") for field in about["fields"]]
        size = path.stat().st_size
        shapes = [tuple(int(n) for n in field["shape"]) for field in about["fields"]]
        expected = sum(
            int(np.prod(shape)) * dtype.itemsize for shape, dtype in zip(shapes, types, strict=True)
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise unreadable(f"'{path}' cannot be read as raw: {error}", error) from error
    if size != expected:
        raise UnreadableError(f"'{path}' holds {size} bytes, but its description {expected}")
    dataset = ArrayDataset()
    dataset.add("time", ("time",), about["time"]["units"], np.array(about["time"]["values"]))
    axis = "half_level" if "half_level" in about else "level"
    if about[axis]:
        dataset.add(axis, (axis,), "1", np.array(about[axis]))
    for field, shape, dtype in zip(about["fields"], shapes, types, strict=True):
        values = np.memmap(path, dtype, "r", int(field["offset"]), shape)
        place = str(field["place"])
        if shape[1] == 1:
            dataset.add(field["name"], ("time", place), field["units"], values[:, 0])
        else:
            dataset.add(field["name"], ("time", axis, place), field["units"], values)
    return dataset
