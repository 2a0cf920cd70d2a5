# SPDX-License-Identifier: Apache-2.0
"""The table of runs as a Parquet file; unit and meaning of each column are in its schema."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.errors import ThalwegError, UnreadableError
from thalweg.files.targets import written_aside
from thalweg.logs.columns import BY_NAME, COLUMNS, Column, Row, Value

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "yes_no": pa.bool_(),
    "texts": pa.list_(pa.string()),
}


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Appears under its name only when it is complete."""
    schema = pa.schema([
        pa.field(c.name, _TYPES[c.type], metadata={"unit": c.unit, "meaning": c.meaning})
        for c in COLUMNS
    ])  # fmt: skip
    listed = [{n: list(v) if isinstance(v, tuple) else v for n, v in row.items()} for row in rows]
    try:
        with written_aside(path) as aside:
            pq.write_table(pa.Table.from_pylist(listed, schema=schema), aside)
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be written: {error.strerror or error}") from error


def read_table(path: Path) -> list[Row]:
    """Rows of such a file; columns that it lacks are empty. Raises a sentence with file and row."""
    try:
        table = pq.read_table(path)
        names = [name for name in table.column_names if name in BY_NAME]
        told = table.select(names).to_pylist()
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UnreadableError(f"'{path}' cannot be read as a Parquet file: {reason}") from None
    if missing := [name for name in ("run", "total_s") if name not in table.column_names]:
        raise ThalwegError(
            f"'{path}' is no table of `thalweg logs import`: it has no column '{missing[0]}'"
        )
    if table.num_rows == 0:
        raise ThalwegError(f"'{path}' is a table without runs")
    rows = []
    for number, cells in enumerate(told, start=1):
        where = f"'{path}', row {number}"
        row = Row(**{name: _value(where, BY_NAME[name], cells[name]) for name in names})
        if not row.text("run"):
            raise ThalwegError(f"{where}: the run has no name")
        row["sources"] = row.texts("sources") or (str(path),)
        rows.append(row)
    return rows


def _value(where: str, column: Column, value: object) -> Value:
    """Of the type of its column; numbers are finite and not below zero, as they were written."""
    if column.type == "texts":
        return tuple(str(each) for each in value) if isinstance(value, list) else ()
    if value is None or (column.type == "text" and isinstance(value, str)):
        return value
    if column.type == "yes_no" and isinstance(value, bool):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        sound = math.isfinite(value) and value >= 0
        if column.type == "number" and sound:
            return float(value)
        if column.type == "integer" and sound and value == int(value):
            return int(value)
    asked = {"text": "text", "yes_no": "True or False", "integer": "a whole number from 0 on"}
    needed = asked.get(column.type, "a number from 0 on")
    raise ThalwegError(f"{where}: {column.name} is '{value}'; {needed} is needed")
