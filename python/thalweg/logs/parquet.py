# SPDX-License-Identifier: Apache-2.0
"""The table of runs as a Parquet file; unit and meaning of each column are in its schema."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.errors import ThalwegError
from thalweg.logs.columns import COLUMNS, Row

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "yes_no": pa.bool_(),
    "texts": pa.list_(pa.string()),
}


def refuse_target(path: Path, overwrite: bool) -> None:
    """Before anything is read. Raises a sentence."""
    if path.is_dir():
        raise ThalwegError(f"'{path}' is a directory; give the name of a file")
    if path.exists() and not path.is_file():
        raise ThalwegError(f"'{path}' is no file but a device or a pipe; give another name")
    if path.exists() and not overwrite:
        raise ThalwegError(f"'{path}' exists; choose another name or add --overwrite")
    if not path.parent.is_dir():
        raise ThalwegError(f"the directory '{path.parent}' does not exist")


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Appears under its name only when it is complete."""
    schema = pa.schema([
        pa.field(c.name, _TYPES[c.type], metadata={"unit": c.unit, "meaning": c.meaning})
        for c in COLUMNS
    ])  # fmt: skip
    listed = [{n: list(v) if isinstance(v, tuple) else v for n, v in row.items()} for row in rows]
    aside = path.with_name(f"{path.name}.part")
    try:
        pq.write_table(pa.Table.from_pylist(listed, schema=schema), aside)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
