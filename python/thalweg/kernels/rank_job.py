# SPDX-License-Identifier: Apache-2.0
"""What a rank is told (on_a_rank.py): its part of a grid as its code reads it; how to call that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.translation import size_names, table_names
from thalweg.kernels.cases import Array
from thalweg.kernels.compiled import Real, ranges_of, translate, written
from thalweg.kernels.compiler import build_for_ranks
from thalweg.kernels.parts import Owners, Part
from thalweg.kernels.starting_ranks import LIMIT_S

# Behind the code of a kernel: what a model has of its own.
MEET = """
extern "C" void @name@_meet(int comm) { MPI_Barrier(MPI_Comm_f2c(comm)); }
"""


@dataclass(frozen=True)
class Manner:
    """How the code in `library` is called: as OnRanks says."""

    library: str
    overlaps: bool = True
    warms_up: bool = False
    meets: bool = False
    keeps: Sequence[str] = ()
    limit_s: float = LIMIT_S


def library_for_ranks(kernel: Kernel, configuration: Configuration, folder: Path) -> Path:
    code = translate(kernel, configuration) + MEET.replace("@name@", kernel.name)
    return build_for_ranks(kernel.name, code, configuration.each_rank, folder)


def real_of(configuration: Configuration) -> type[Real]:
    return np.float32 if configuration.is_single else np.float64


def job_of(
    kernel: Kernel, configuration: Configuration, part: Part, owners: Owners, manner: Manner
) -> tuple[dict[str, Any], dict[str, Array]]:
    """owners: of the points that the part has. Arrays are laid out one by one: where the part makes
    its arguments when they are asked for, one of them is there twice at a time.
    """
    layout, ir, real = configuration.memory, kernel.ir, real_of(configuration)
    arrays: dict[str, Array] = {}
    words: list[tuple[str, Any]] = [("int", part.inputs.sizes[n]) for n in size_names(ir)]
    tables: list[tuple[str, Any]] = []
    ranges: list[str] = []
    for name in table_names(ir):
        arrays[f"table {name}"] = layout.lay_table(np.atleast_2d(part.inputs.tables[name]))
        tables.append(("array", f"table {name}"))
    words += tables
    for name, each in ir.arguments.items():
        value = part.inputs.arguments[name]
        if each.type.role == "parameter":
            words.append(("float" if configuration.is_single else "double", float(value)))
            continue
        is_points = each.type.role == "points"
        laid = ranges_of(value) if is_points else layout.lay(each.type, np.asarray(value, real))
        arrays[name] = laid
        words.append(("array", name))
        words += [("int", len(laid) // 2)] if is_points else []
        ranges += [name] if is_points else []
    places = [place.plural for place in ir.places()]
    for name in places:
        arrays[f"owners {name}"] = owners[name].astype(np.int32)
        arrays[f"globals {name}"] = part.points[name].astype(np.int64)
    job = {
        "kernel": kernel.name,
        **asdict(manner),
        "places": places,
        "own": [part.own[name] for name in places],
        "totals": [len(part.points[name]) for name in places],
        "grid": [*(("int", part.inputs.sizes[n]) for n in size_names(ir) if n != "levels"),
                 *tables],
        "words": words,
        "on_device": configuration.is_on_device,
        "of_host": ranges,
        "written": written(kernel),
    }  # fmt: skip
    return job, arrays
