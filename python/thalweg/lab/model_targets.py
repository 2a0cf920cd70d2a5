# SPDX-License-Identifier: Apache-2.0
"""Both mini-models on kernels for every target: whether each writes the bits of the usual one."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thalweg.files.streams import read_streams
from thalweg.kernels.comparison_page import replace_table
from thalweg.run.launch import MODEL_TARGETS
from thalweg.run.runner import RunRequest, run_case
from thalweg.tables import print_table

USUAL = MODEL_TARGETS[0]
HEADS = ("model", *MODEL_TARGETS)
BEGIN = "<!-- thalweg kernels compare --models --markdown -->\n"
# All terms of the equations, and all fields that are put.
ALL_FIELDS = """levels = 9
[time]
duration = "PT6H"
[[output]]
name = "layers"
variables = ["all"]
interval = "PT3H"
precision = "float64"
"""
MODELS = {
    "shallow water": f"""
[grid]
name = "R2B3"
[model]
case = "jet"
tracers = 2
viscosity = 1e5
{ALL_FIELDS}""",
    "primitive equations": f"""
[grid]
name = "R2B3"
[model]
equations = "primitive"
case = "baroclinic_wave"
{ALL_FIELDS}[[output]]
name = "faces"
variables = ["phalf", "zghalf", "wmass"]
interval = "PT3H"
precision = "float64"
""",
}
SERIAL = '[io]\nmode = "serial"\n[machine]\nranks = 1\n'

Values = dict[tuple[str, str, float], NDArray[np.float64]]


@dataclass(frozen=True)
class ModelCompared:
    """Of one model. found: target: "same bits", or how many of `values` are others."""

    model: str
    values: int
    found: dict[str, str]

    @property
    def passed(self) -> bool:
        return set(self.found.values()) == {"same bits"}


def compare_models(ranks: int, markdown: bool) -> bool:
    """Whether every target writes what the usual one writes on one rank; prints the table."""
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    with tempfile.TemporaryDirectory(prefix="thalweg-models-") as folder:
        rows = [compare_model(name, MODEL_TARGETS, ranks, Path(folder)) for name in MODELS]
    cells = [[row.model, *row.found.values()] for row in rows]
    if markdown:
        replace_table(BEGIN, [HEADS, *cells])
    print_table(HEADS, cells)
    for row in rows:
        print(f"{row.model}: {row.values} values of all fields after 0, 3 and 6 h, {ranks} ranks")
    return all(row.passed for row in rows)


def compare_model(name: str, targets: tuple[str, ...], ranks: int, folder: Path) -> ModelCompared:
    case = folder / f"{name.replace(' ', '_')}.toml"
    case.write_text(MODELS[name] + SERIAL, encoding="utf-8")
    right = _values_of(case, "one_rank", USUAL, 1)
    count = sum(each.size for each in right.values())
    found = {}
    for target in targets:
        print(f"thalweg: {name} on {target}", file=sys.stderr)
        values = _values_of(case, target, target, ranks)
        others = sum(_others(values.get(key), each) for key, each in right.items())
        same = values.keys() == right.keys() and others == 0
        found[target] = "same bits" if same else f"{others} others"
    return ModelCompared(name, count, found)


def _values_of(case: Path, name: str, target: str, ranks: int) -> Values:
    made = RunRequest(
        case, ranks, directory=case.with_name(f"{case.stem}_{name}"), quiet=True, target=target
    )
    values = {}
    for stream in read_streams(run_case(made).path).values():
        for field in stream.fields:
            for slot in stream.slots_of(field):
                values[stream.name, field, slot.time_s] = stream.values(field, slot)
        stream.close()
    return values


def _others(found: NDArray[np.float64] | None, right: NDArray[np.float64]) -> int:
    """Signs of zeros and NaNs count, too."""
    if found is None or found.shape != right.shape or found.dtype != right.dtype:
        return right.size
    return int(np.count_nonzero(found.view(np.int64) != right.view(np.int64)))
