# SPDX-License-Identifier: Apache-2.0
"""The tables of the compiled programs: fields of the mini-model, modes, containers."""

from __future__ import annotations

import json
from functools import cache

from thalweg.config.checkout import program
from thalweg.run.launch import output_of

Entry = dict[str, str | int | bool]


@cache
def listed(what: str) -> list[Entry]:
    """`what`: "fields" or "modes", as `thalweg_mini --WHAT` prints them."""
    entries: list[Entry] = json.loads(output_of([str(program("thalweg_mini")), f"--{what}"]))
    return entries


def fields_of(equations: str) -> list[Entry]:
    """The output fields of the mini-model with these [model] equations."""
    return [entry for entry in listed("fields") if entry["equations"] == equations]


def of_kind(kind: str) -> list[Entry]:
    """Of the modes: "output mode", "restart mode" or "container"."""
    return [entry for entry in listed("modes") if entry["kind"] == kind]


def whole_grids_only() -> list[str]:
    """Containers that a mode with own files for every writer cannot divide."""
    return [str(each["name"]) for each in of_kind("container") if not each["parts"]]
