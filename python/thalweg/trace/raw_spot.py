# SPDX-License-Identifier: Apache-2.0
"""Bytes of the raw container: its description tells where each field begins."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.trace.spot import Spot, byte_within


def raw_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """Fields follow each other, each [time, level, point]."""
    try:
        about = json.loads(path.with_name(path.name + ".json").read_text(encoding="utf-8"))
        field = next(each for each in about["fields"] if each["name"] == name)
        dtype = np.dtype(field.get("type", about.get("type"))).newbyteorder("<")
        begin, shape = int(field["offset"]), tuple(field["shape"])
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise ThalwegError(f"'{path}' cannot be read as raw: {error}") from error
    if len(index) < len(shape):
        index = (index[0], 0, index[1])
    offset = begin + byte_within(index, shape, dtype)
    return Spot(path, offset, dtype, f"raw, variable at byte {begin}")
