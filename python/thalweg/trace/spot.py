# SPDX-License-Identifier: Apache-2.0
"""Where a value lies in a file: what every container's own module answers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.errors import ThalwegError


@dataclass(frozen=True)
class Spot:
    """Bytes from `offset` on are the value, of type `dtype`; or, where values are packed or
    compressed together, `encoded_size` bytes hold it among others, and `decoded` is the value that
    the container's library reads from them.
    """

    file: Path
    offset: int
    dtype: np.dtype[Any]
    layout: str
    encoded_size: int = 0
    decoded: float | None = None

    @property
    def size(self) -> int:
        return self.encoded_size or self.dtype.itemsize


def byte_within(index: tuple[int, ...], shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Offset of an element of an array of this shape, last axis fastest."""
    return int(np.ravel_multi_index(index, shape)) * dtype.itemsize


def never_written(path: Path, name: str) -> ThalwegError:
    return ThalwegError(
        f"these values of '{name}' were never written to '{path}'; choose another --time",
        exit_code=1,
    )


def bytes_at(path: Path, offset: int, size: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            raw = os.pread(descriptor, size, offset)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read: {error.strerror}") from error
    if len(raw) < size:
        raise ThalwegError(f"'{path}' ends before byte {offset + size}; it was cut", exit_code=1)
    return raw
