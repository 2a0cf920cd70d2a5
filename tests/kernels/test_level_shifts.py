# SPDX-License-Identifier: Apache-2.0
"""Statements of one loop over levels, or of two, that set and read what the others set at other
levels: each is done at all levels before the next, as NumPy does it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, WAYS, different

HEAD = """from thalweg.dsl import Field, InOut, kernel
from thalweg.dsl.grids.hexagons import Cell, HalfLevel, Level


@kernel
def tried(
    a: Field[Cell, Level], b: Field[Cell, Level], w: Field[Cell, Cell.neighbours],
    h: InOut[Cell, HalfLevel], o: InOut[Cell, Level], f: InOut[Cell],
) -> None:
    BODY
    f = f + sum(w[n, Cell.neighbours[0]] for n in Cell.neighbours)
"""
TWO = "for k in {}:\n        {} = a[k]\n    for k in {}:\n        {} = b[k]"
BODIES = {
    "one loop": "for k in Level:\n        h[k] = a[k]\n        h[k + 1] = b[k]",
    "two loops": TWO.format("Level", "h[k]", "Level", "h[k + 1]"),
    "the other way": TWO.format("Level", "h[k + 1]", "Level", "h[k]"),
    "before, then here": TWO.format("Level[1:]", "o[k - 1]", "Level[1:]", "o[k]"),
    "here, then before": TWO.format("Level[1:]", "o[k]", "Level[1:]", "o[k - 1]"),
    "other ranges": TWO.format("HalfLevel[:-1]", "h[k]", "Level[2:]", "h[k + 1]"),
    "upward twice": TWO.format("upward(Level)", "h[k]", "upward(Level)", "h[k + 1]"),
    "another between": "for k in Level:\n        h[k] = a[k]\n    o = a\n    for k in Level:\n"
                       "        h[k + 1] = b[k]",
    "a local": TWO.format("Level[1:]", "x[k]", "Level[1:]", "x[k - 1]") + "\n    o = x",
    "set before, read here": "for k in Level[1:]:\n        o[k - 1] = a[k]\n"
                             "    for k in Level[1:]:\n        h[k] = o[k]",
    "set behind, read here": "for k in Level[:-1]:\n        o[k + 1] = a[k]\n"
                             "        h[k] = o[k]",
    "read before it is set": "for k in Level[1:]:\n        o[k] = h[k - 1]\n"
                             "        h[k] = b[k]",
    "one level for all": "h[0] = a[0]\n    for k in Level:\n        o[k] = h[0] + a[k]\n"
                         "    h[0] = b[0]",
    "the same level, shifted": "for k in Level:\n        h[k + 1] = a[k]\n"
                               "        o[k] = h[k + 1] * b[k]",
}  # fmt: skip


@pytest.mark.some(30)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(
    name: str, way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    (tmp_path / "tried.py").write_text(HEAD.replace("BODY", BODIES[name]))
    case = made_case(load_file(tmp_path / "tried.py")["tried"])
    assert not different(case, way, compiled), case.kernel.name
