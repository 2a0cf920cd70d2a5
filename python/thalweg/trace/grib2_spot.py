# SPDX-License-Identifier: Apache-2.0
"""The message of a GRIB2 file that holds a value among others, packed into few bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from thalweg.files.datasets import open_dataset
from thalweg.trace.spot import Spot


def grib2_spot(path: Path, name: str, index: tuple[int, ...]) -> Spot:
    """Values share bytes, so it is the whole message, and what ecCodes decodes of it."""
    variable: Any = open_dataset(path, alone=True).variables[name]
    level = index[1] if len(index) == 3 else 0
    offset, size = variable.message(index[0], level)
    value = np.asarray(variable[index[0]])[index[1:]]
    return Spot(path, offset, np.dtype("u1"), "one GRIB2 message", size, float(value))
