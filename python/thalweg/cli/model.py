# SPDX-License-Identifier: Apache-2.0
"""Commands that hand over to the compiled programs: grid, fields and modes."""

from __future__ import annotations

import json
from pathlib import Path

from thalweg.config.checkout import program
from thalweg.errors import ThalwegError
from thalweg.run.launch import output_of
from thalweg.run.native_lists import Entry, fields_of, listed
from thalweg.tables import print_entries

_PLACES = {"cell": "cells", "edge": "edges", "vertex": "vertices"}


def write_grid(name: str, out: Path, overwrite: bool, as_json: bool) -> None:
    """`thalweg_grid` checks the name and writes the file; its sizes are read back."""
    if (out.is_file() or out.is_symlink()) and not overwrite:
        raise ThalwegError(f"'{out}' exists; choose another name or add --overwrite")
    output_of([str(program("thalweg_grid")), name, "-o", str(out)])
    import netCDF4  # takes longer to load than the lists take to print

    with netCDF4.Dataset(out) as grid:
        sizes = {words: len(grid.dimensions[place]) for place, words in _PLACES.items()}
    if as_json:
        print(json.dumps({"grid": name, "out": str(out), **sizes}))
    else:
        print(f"'{out}': {name}, " + ", ".join(f"{n} {words}" for words, n in sizes.items()))


def print_fields(as_json: bool) -> None:
    """A table for each of [model] equations."""
    entries = listed("fields")
    columns = ("name", "place", "dimensions", "units", "long_name")
    if as_json:
        print_entries(entries, as_json, columns=columns)
        return
    for number, equations in enumerate(dict.fromkeys(entry["equations"] for entry in entries)):
        if number:
            print()
        rows = [_marked(field) for field in fields_of(str(equations))]
        print_entries(rows, False, title=str(equations), columns=columns)


def _marked(field: Entry) -> Entry:
    asked = " (on request)" if field["on_request"] else ""
    return field | {"long_name": f"{field['long_name']}{asked}"}


def print_modes(as_json: bool) -> None:
    """A table for each kind; the keys of a kind are its columns."""
    entries = listed("modes")
    if as_json:
        print_entries(entries, as_json=True)
        return
    for number, kind in enumerate(dict.fromkeys(entry["kind"] for entry in entries)):
        if number:
            print()
        chosen = [
            {key: value for key, value in entry.items() if key != "kind"}
            for entry in entries
            if entry["kind"] == kind
        ]
        print_entries(chosen, as_json=False, title=str(kind))
