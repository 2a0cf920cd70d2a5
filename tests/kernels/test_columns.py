# SPDX-License-Identifier: Apache-2.0
"""Room for a column is used at every point: what was not set at this one is not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.problem import KernelError
from thalweg.dsl.targets import cpp_target
from thalweg.kernels.any_kernel import made_case
from thalweg.testing.kernels.ways import IDS, WAYS, different

HEAD = """from thalweg.dsl import Field, InOut, Out, Points, kernel
from thalweg.dsl.grid import Axis
from thalweg.dsl.grids.triangles import Cell, Level

PAIR = Axis("pair", ("one", "two"))


@kernel
def tried(
    t: Field[Cell, Level], some: Points[Cell], o: InOut[Cell, Level], more: InOut[Cell, Level],
    made: Out[Cell, Level],
) -> None:
"""
BODIES = {
    "again": ("x = t\n    for k in upward(Level[1:]):\n        x[k] = x[k - 1] + t[k]\n"
              "    for k in Level[1:]:\n        o[k] = x[k] - x[k - 1]"),
    "one level first": ("x[0] = t[0]\n    for k in upward(Level[1:]):\n"
                        "        x[k] = t[k] - 0.5 * x[k - 1]\n    o = x"),
    "the last level first": ("x[-1] = 3 * t[-1]\n    for k in Level[:-1]:\n        x[k] = t[k]\n"
                             "    o = x\n    for k in Level[1:]:\n"
                             "        more[k] = x[k - 1]"),
    "all but the first, then it": ("for k in Level[1:]:\n        x[k] = t[k]\n    x[0] = 2 * t[0]\n"
                                   "    for k in Level[1:]:\n        o[k] = x[k - 1]"),
    "levels that nobody reads": ("for k in Level[2:-1]:\n        x[k] = t[k]\n"
                                 "    for k in Level[3:-1]:\n        o[k] = x[k] + x[k - 1]"),
    "slots one by one": ("for k in Level[1:]:\n        y[PAIR.one, k] = t[k]\n    y[PAIR.two] = t\n"
                         "    for k in Level[1:]:\n        o[k] = y[PAIR.one, k] + "
                         "y[PAIR.two, k - 1]"),
    "a field, level by level": ("for k in Level[1:]:\n        x[k] = t[k]\n    x[0] = o[0]\n"
                                "    more = sum(x[n] for n in Cell.neighbours)"),
    "some points of a field": ("with some:\n        x = t\n    for k in Level[1:]:\n"
                               "        o[k] = x[k - 1]\n"
                               "    more = where(t > 0, 1.0, sum(x[n] for n in Cell.neighbours))"),
    "some points, then levels of all": ("with some:\n        x = t\n    for k in Level[1:]:\n"
                                        "        x[k] = o[k]\n    more = x\n"
                                        "    o = sum(x[n] for n in Cell.neighbours)"),
}  # fmt: skip
UNSET = {  # statements, and what is said of the first read of what is not set
    "never": ("for k in Level[2:]:\n        x[k] = t[k]\n    for k in Level[1:]:\n"
              "        o[k] = x[k] + x[k - 1]", "'x' is read at its 2."),
    "later": ("for k in Level[1:]:\n        x[k] = t[k]\n    for k in Level[1:]:\n"
              "        o[k] = x[k - 1]\n    x = 2 * t", "'x' is read at its first"),
    "not yet": ("for k in upward(Level[:-1]):\n        x[k] = t[k]\n"
                "        o[k] = x[k + 1]", "'x' is read at its 2."),
    "the last": ("for k in downward(Level[:-1]):\n        x[k] = t[k]\n"
                 "        o[k] = x[k + 1]", "'x' is read at its last"),
    "in another slot": ("for k in Level[1:]:\n        y[PAIR.one, k] = t[k]\n    y[PAIR.two] = t\n"
                        "    o = y[PAIR.one] + y[PAIR.two]",
                        "'y' is read in pair.one at its first"),
    "by itself": ("for k in Level[1:]:\n        x[k] = t[k]\n    x += o",
                  "'x' is read at its first"),
    "at neighbours": ("for k in Level[:-3]:\n        x[k] = t[k]\n"
                      "    more = sum(x[n] for n in Cell.neighbours)",
                      "'x' is read at its last but 2"),
    "in a sum": ("for k in Level[1:]:\n        x[k] = t[k]\n    more = sum(x[k] for k in Level)",
                 "'x' is read at its first"),
    "from the end, far away": ("for k in Level[-5:]:\n        x[k] = t[k]\n"
                               "    for k in Level[3:4]:\n        o[k] = x[k + 4]",
                               "'x' is read at its 8."),
    "in a slot without levels": ("y[PAIR.one] = sum(t[k] for k in Level)\n    o[0] = y[PAIR.two]",
                                 "'y' is read in pair.two,"),
    "of an Out": ("for k in Level[:-1]:\n        made[k] = t[k]\n    o = made",
                  "'made' is read at its last"),
}  # fmt: skip


def read(folder: Path, body: str) -> Kernel:
    (folder / "tried.py").write_text(f"{HEAD}    {body}\n    made = t\n")
    return load_file(folder / "tried.py")["tried"]


@pytest.mark.some(7)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(
    name: str, way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    case = made_case(read(tmp_path, BODIES[name]))
    assert not different(case, way, compiled), case.kernel.name


@pytest.mark.parametrize("name", UNSET)
def test_a_level_that_is_not_set_is_not_read(name: str, tmp_path: Path) -> None:
    statements, told = UNSET[name]
    with pytest.raises(KernelError) as refused:
        _ = read(tmp_path, statements).ir
    assert told in str(refused.value)
    assert " which is not set before" in str(refused.value)


@pytest.mark.parametrize(
    ("statements", "least"),
    [
        (
            "for k in Level[:-3]:\n        x[k] = t[k]\n"
            "    for k in Level[:3]:\n        o[k] = x[k]",
            6,
        ),
        ("for k in Level[1:]:\n        x[k] = t[k]\n    x[0] = x[1]\n    o = x", 2),
        ("x[0] = t[0]\n    for k in Level[1:-1]:\n        x[k] = t[k]\n    o[0] = x[1]", 3),
    ],
)
def test_a_column_is_so_long_that_what_is_read_is_set(
    statements: str, least: int, tmp_path: Path
) -> None:
    assert read(tmp_path, statements).ir.least_levels == least


def test_a_column_is_not_cleared(tmp_path: Path) -> None:
    for name, statements in BODIES.items():
        code = cpp_target.translate(read(tmp_path, statements).ir, WAYS[0])
        assert ("std::fill" in code) == name.startswith("some points"), code
