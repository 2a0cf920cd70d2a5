# SPDX-License-Identifier: Apache-2.0
"""Room for a column is used at every point: what was not set at a point is NaN all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import cpp_target
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, WAYS, different

HEAD = """from thalweg.dsl import Field, InOut, kernel
from thalweg.dsl.grid import Axis
from thalweg.dsl.grids.triangles import Cell, Level

PAIR = Axis("pair", ("one", "two"))


@kernel
def tried(t: Field[Cell, Level], o: InOut[Cell, Level], more: InOut[Cell, Level]) -> None:
"""
BODIES = {  # statements, and whether the column has to be cleared at each point
    "never set": ("for k in Level[2:]:\n        x[k] = t[k]\n    for k in Level[1:]:\n"
                  "        o[k] = x[k] + x[k - 1]", False),
    "set later": ("for k in Level[1:]:\n        x[k] = t[k]\n    for k in Level[1:]:\n"
                  "        o[k] = x[k - 1]\n    x = 2 * t\n    for k in Level[1:]:\n"
                  "        more[k] = x[k - 1]", True),
    "not yet set": ("for k in upward(Level[:-1]):\n        x[k] = t[k]\n"
                    "        o[k] = x[k + 1]", True),
    "set before": ("for k in downward(Level[:-1]):\n        x[k] = t[k]\n"
                   "        o[k] = x[k + 1]", False),
    "again": ("x = t\n    for k in upward(Level[1:]):\n        x[k] = x[k - 1] + t[k]\n"
              "    for k in Level[1:]:\n        o[k] = x[k] - x[k - 1]", False),
    "another slot": ("for k in Level[1:]:\n        y[PAIR.one, k] = t[k]\n    y[PAIR.two] = t\n"
                     "    for k in Level[1:]:\n        o[k] = y[PAIR.one, k - 1] + "
                     "y[PAIR.two, k - 1]", False),
    "a later slot": ("y[PAIR.two] = t\n    for k in Level[1:]:\n        y[PAIR.one, k] = t[k]\n"
                     "    for k in Level[1:]:\n        o[k] = y[PAIR.one, k - 1]\n"
                     "    y[PAIR.one] = t\n    more = y[PAIR.one]", True),
    "one level first": ("x[0] = t[0]\n    for k in upward(Level[1:]):\n"
                        "        x[k] = t[k] - 0.5 * x[k - 1]\n    o = x", True),
    "the last level first": ("x[-1] = 3 * t[-1]\n    for k in Level[:-1]:\n        x[k] = t[k]\n"
                             "    o = x\n    for k in Level[1:]:\n"
                             "        more[k] = x[k - 1]", True),
    "all but the first, then it": ("for k in Level[1:]:\n        x[k] = t[k]\n    x[0] = 2 * t[0]\n"
                                   "    for k in Level[1:]:\n        o[k] = x[k - 1]", False),
    "a level is left out": ("for k in Level[2:]:\n        x[k] = t[k]\n    x[0] = 2 * t[0]\n"
                            "    for k in Level[1:]:\n        o[k] = x[k - 1]\n    x[1] = t[1]\n"
                            "    for k in Level[1:]:\n        more[k] = x[k - 1]", True),
    "a whole field, read too early": ("for k in Level[1:]:\n        x[k] = t[k]\n    x += o\n"
                                      "    more = sum(x[n] for n in Cell.neighbours)", True),
}  # fmt: skip


def read(folder: Path, name: str) -> Kernel:
    (folder / "tried.py").write_text(f"{HEAD}    {BODIES[name][0]}\n")
    return load_file(folder / "tried.py")["tried"]


@pytest.mark.some(17)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(
    name: str, way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    case = made_case(read(tmp_path, name))
    assert not different(case, way, compiled), case.kernel.name


@pytest.mark.parametrize("name", BODIES)
def test_what_need_not_be_cleared_is_not(name: str, tmp_path: Path) -> None:
    code = cpp_target.translate(read(tmp_path, name).ir, WAYS[0])
    assert ("std::fill" in code) == BODIES[name][1], code
