# SPDX-License-Identifier: Apache-2.0
"""Sums, minima and maxima over groups of points: of any length, in one order everywhere."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.errors import ThalwegError
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, different, outputs

HEAD = """from __future__ import annotations

from thalweg.dsl import Field, InOut, Points, kernel
from thalweg.dsl.grids.triangles import Block, Cell, Edge, Level, Whole


@kernel
def tried(
    t: Field[Cell, Level],
    flat: Field[Cell],
    flux: Field[Edge, Level],
    scale: Field[Block, Level],
    few: Points[Block],
    o: InOut[Block, Level],
    low: InOut[Block],
    all_: InOut[Whole, Level],
    profile: InOut[Level],
) -> None:
"""
BODIES = {
    "levels": "o = sum(scale * t[c] ** 2 for c in Block.cells) / 3",
    "one level": "low = min(flat[c] * t[c, 0] for c in Block.cells) + max(t[c, -1] for c in "
    "Block.cells)",
    "set in a loop": "total = sum(t[c] for c in Block.cells)\n    for k in upward(Level[1:]):\n"
    "        o[k] = o[k - 1] + total[k]",
    "some blocks": "with few:\n        o = max(t[c] for c in Block.cells)",
    "levels of some blocks": "with few:\n        low = max(low * scale[k] for k in Level)",
    "of groups": "o = sum(t[c] for c in Block.cells)\n    all_ = sum(o[b] for b in Whole.blocks)",
    "of what is computed": "x = t + sum(flux[e] for e in Cell.edges)\n"
    "    o = max(x[c] for c in Block.cells)",
    "of no place, for all points": "total = sum(profile[k] for k in Level)\n    low = low * total",
    "columns of no place": "for k in Level[1:]:\n        x[k] = profile[k - 1]\n"
    "    for k in Level[2:]:\n        profile[k] = x[k] + x[k - 1]",
    "a sum of no place": "profile = profile * sum(profile[k] for k in Level)",
}


def read(folder: Path, body: str) -> Kernel:
    (folder / "tried.py").write_text(f"{HEAD}    {body}\n")
    return load_file(folder / "tried.py")["tried"]


@pytest.mark.some(17)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(
    name: str, way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    case = made_case(read(tmp_path, BODIES[name]))
    assert not different(case, way, compiled), case.kernel.name


def test_groups_of_any_length_are_summed_up(tmp_path: Path, compiled: Path) -> None:
    case = made_case(read(tmp_path, BODIES["levels"]))
    cells = case.sizes["cells"]
    ends = np.sort(np.random.default_rng(4).permutation(cells - 1)[:9] + 1)
    firsts = np.array([0, *ends, cells])
    arguments = {
        name: value[..., :10] if case.kernel.ir.arguments[name].type.place and name in "o scale low"
        else value
        for name, value in case.arguments.items()
    }  # fmt: skip
    arguments["few"] = np.arange(3)
    sizes = {**case.sizes, "cell_blocks": 10}
    case = replace(
        case, sizes=sizes, tables={"cell_block_cells": firsts}, arguments=arguments
    ).checked()
    t, scale = arguments["t"], arguments["scale"]
    for way in (REFERENCE, WAYS[0], WAYS[4]):
        found = outputs(case, way, compiled)["o"]
        for block, (begin, end) in enumerate(pairwise(firsts)):
            right = (scale[:, block : block + 1] * t[:, begin:end] ** 2).sum(axis=1) / 3
            np.testing.assert_allclose(found[:, block], right, 1e-12)


REFUSED = {
    "for k in Level:\n        o[k] = sum(t[c, k] for c in Block.cells)": "in a loop over levels",
    "low = max(sum(t[c, k] for c in Block.cells) for k in Level)": "in a sum, min or max",
    "o = sum(sum(flux[e, c] for e in Cell.edges) for c in Block.cells)": "neighbours inside a sum",
    "o = sum(flux[c] for c in Block.cells)": "has no 'cells'",
    "o = sum(t[c + 1] for c in Block.cells)": "'cells' are no ring",
    "o = t[Block.cells[0]]": "names no neighbour and no level",
    "for c in Block.cells:\n        o = t[c]": "some points here and others there",
    "o = sum(t[lane] for lane in Block.cells)": "the name 'lane' is taken",
    "o = sum(t[flat] for flat in Block.cells)": "'flat' stands for another thing here",
    "o = sum(t[level] for level in Block.cells)": "the name 'level' is taken",
    "o = t": "'o' has values on cell_blocks, the expression values on cells",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_makes_no_sense_is_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(KernelError) as refusal:
        _ = read(tmp_path, body).ir
    assert REFUSED[body] in refusal.value.sentence


def test_a_group_is_no_axis_of_a_field(tmp_path: Path) -> None:
    text = HEAD.replace("scale: Field[Block, Level]", "scale: Field[Block, Block.cells]")
    (tmp_path / "tried.py").write_text(f"{text}    low = 0\n")
    with pytest.raises(KernelError, match="'cell_block_cells' has another length at every point"):
        _ = load_file(tmp_path / "tried.py")["tried"].ir


@pytest.mark.parametrize("wrong", ["empty", "beyond", "later", "short"])
def test_a_table_of_groups_that_leaves_points_out_is_refused(wrong: str, tmp_path: Path) -> None:
    case = made_case(read(tmp_path, BODIES["levels"]))
    firsts = case.tables["cell_block_cells"].copy()
    if wrong == "empty":
        firsts[3] = firsts[4]
    elif wrong == "beyond":
        firsts[-1] += 1
    elif wrong == "later":
        firsts[0] = 1
    else:
        firsts = firsts[:-1]
    with pytest.raises(ThalwegError, match="'cell_block_cells'"):
        replace(case, tables={"cell_block_cells": firsts}).checked()
