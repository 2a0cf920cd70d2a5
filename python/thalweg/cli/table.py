# SPDX-License-Identifier: Apache-2.0
"""Prints a list of objects as aligned columns or as JSON."""

from __future__ import annotations

import json
from typing import Any


def print_entries(entries: list[dict[str, Any]], as_json: bool) -> None:
    """Columns are the keys of the first entry, left-aligned."""
    if as_json:
        print(json.dumps(entries, indent=1))
        return
    columns = list(entries[0]) if entries else []
    rows = [columns, *([str(entry[column]) for column in columns] for entry in entries)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
