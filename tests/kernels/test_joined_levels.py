# SPDX-License-Identifier: Apache-2.0
"""Loops over levels that become one where points are innermost: the same bits, for long columns and
for the shortest, and one only where no level misses what it needs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.passes.joined_levels import joined
from thalweg.dsl.targets import cpp_target
from thalweg.dsl.translation import plan_of
from thalweg.kernels.any_kernel import Shape, made_case
from thalweg.kernels.library import all_kernels
from thalweg.testing.kernels.ways import different

BLOCKED = Configuration("simd", "blocked", 16)
WAYS = (
    BLOCKED,
    replace(BLOCKED, prefetch=3, stores="streaming"),
    Configuration("openmp", "blocked", 4, prefetch=1, prefetch_into="first"),
    Configuration("serial", "point_innermost", 8, prefetch=2),
)
HEAD = """from thalweg.dsl import Field, InOut, Points, kernel
from thalweg.dsl.grids.hexagons import Cell, HalfLevel, Level


@kernel
def tried(
    a: Field[Cell, Level], b: Field[Cell, Level], some: Points[Cell],
    h: InOut[Cell, HalfLevel], o: InOut[Cell, Level], p: InOut[Cell, Level],
) -> None:
    x = a * b
    BODY
"""
LOOP = "for k in {}:\n        {} = {}\n    "
TOGETHER = {
    "what lies before": LOOP.format("Level", "x[k]", "a[k] + b[k]")
    + LOOP.format("Level[1:]", "o[k]", "x[k] - x[k - 1]"),
    "what lies behind, downward": LOOP.format("downward(Level[:-1])", "o[k]", "o[k + 1] * a[k]")
    + LOOP.format("Level[:-2]", "p[k]", "o[k] + o[k + 1]"),
    "a recurrence, and what is made of it":
    LOOP.format("upward(Level[1:])", "o[k]", "o[k - 1] + a[k]")
    + LOOP.format("Level[:-1]", "p[k]", "o[k] / b[k]") + "x = x + o\n    p += x",
    "layers and half levels": LOOP.format("HalfLevel[1:-1]", "h[k]", "a[k - 1] + a[k]")
    + LOOP.format("Level[2:]", "o[k]", "h[k] * h[k - 1]"),
    "read before it is set again": LOOP.format("Level[:-1]", "o[k]", "p[k + 1]")
    + LOOP.format("Level[1:]", "p[k]", "a[k]"),
    "some points": "with some:\n        o = a\n        for k in upward(Level[1:]):\n"
                   "            o[k] = where(o[k - 1] > a[k], o[k - 1], o[k] * b[k])",
}  # fmt: skip
APART = {
    "what lies behind": LOOP.format("Level", "h[k]", "a[k]")
    + LOOP.format("Level[:-1]", "o[k]", "h[k + 1]"),
    "two directions": LOOP.format("upward(Level[1:])", "o[k]", "o[k - 1] + a[k]")
    + LOOP.format("downward(Level[:-1])", "p[k]", "p[k + 1] + o[k]"),
    "set before it is read": LOOP.format("Level[1:]", "o[k]", "p[k - 1]")
    + LOOP.format("Level[:-1]", "p[k]", "a[k]"),
    "two, and one that turns them": LOOP.format("Level", "o[k]", "a[k] * b[k]")
    + LOOP.format("Level[1:]", "p[k]", "o[k - 1] + a[k]")
    + LOOP.format("downward(Level[:-1])", "h[k]", "h[k + 1] * b[k]"),
    "a local value, and one that turns it": LOOP.format("Level[1:]", "p[k]", "x[k] - x[k - 1]")
    + LOOP.format("downward(Level[:-1])", "o[k]", "o[k + 1] * b[k]"),
    "one level of all": LOOP.format("Level", "o[k]", "a[k]")
    + LOOP.format("Level", "p[k]", "o[-1] * b[k]"),
}  # fmt: skip


@pytest.mark.some(24)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.target}-{way.layout}-{way.prefetch}")
@pytest.mark.parametrize("levels", [3, 4, 11])
@pytest.mark.parametrize("name", [*TOGETHER, *APART])
def test_bits_stay(
    name: str, levels: int, way: Configuration, tmp_path: Path, compiled: Path
) -> None:
    body = (TOGETHER | APART)[name]
    (tmp_path / "tried.py").write_text(HEAD.replace("BODY", body))
    kernel = load_file(tmp_path / "tried.py")["tried"]
    case = made_case(kernel, shape=Shape(7, 5, levels))
    assert different(case, way, compiled) == []


@pytest.mark.parametrize("name", [*TOGETHER, *APART])
def test_they_become_one_where_nothing_is_missed(name: str, tmp_path: Path) -> None:
    (tmp_path / "tried.py").write_text(HEAD.replace("BODY", (TOGETHER | APART)[name]))
    kernel = load_file(tmp_path / "tried.py")["tried"].ir
    plan = joined(plan_of(kernel, BLOCKED))
    of_each = [{step.name for step in loop.steps} for sweep in plan.sweeps for loop in sweep.loops]
    last = {step.name for step in plan.sweeps[-1].parts[-1].steps}
    before = {step.name for step in plan.sweeps[-1].parts[-2].steps}
    assert any(last | before <= names for names in of_each) == (name in TOGETHER)


def test_a_value_of_one_level_is_kept_nowhere() -> None:
    kernel = all_kernels()["vertical_limiter"].ir
    plan = plan_of(kernel, BLOCKED)
    assert plan.kept["from_below"] == "column"  # two loops use it
    assert joined(plan).kept["from_below"] == "scalar"
    assert joined(plan).kept["bound"] == "column"  # of the level before, too


def test_rows_of_later_levels_are_called() -> None:
    kernel = all_kernels()["vertical_solver"].ir
    code = cpp_target.translate(kernel, replace(BLOCKED, prefetch=3))
    assert code.count("__builtin_prefetch(&pressure[(block * levels + k + 3) * 16 + from]") == 1
    assert "__builtin_prefetch(&inverse_half_volume[(block * levels + k - 3) * 16" in code
    assert "prefetch" not in cpp_target.translate(kernel, BLOCKED)
