# SPDX-License-Identifier: Apache-2.0
"""What a stream of the shallow-water model holds, from its own table: tests count no fields."""

from __future__ import annotations

from thalweg.run.native_lists import Entry, fields_of


def fields_of_all(dimensions: int = 0) -> list[Entry]:
    """The fields of `variables = "all"`; 2 or 3: of them those of "group:2d" or "group:3d"."""
    of_all = [field for field in fields_of("shallow_water") if not field["on_request"]]
    return [field for field in of_all if dimensions in (0, field["dimensions"])]


def slices_of_all(levels: int) -> int:
    """Horizontal fields in one output of all of them."""
    return sum(levels if field["dimensions"] == 3 else 1 for field in fields_of_all())
