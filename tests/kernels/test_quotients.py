# SPDX-License-Identifier: Apache-2.0
"""A row is divided by one number without dividing each time: the bits are those of division."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.dsl.targets import cpp_target
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.cases import Array, Case
from thalweg.kernels.library import find_kernel
from thalweg.testing.kernels.ways import IDS, REFERENCE, WAYS, outputs

TEXT = """from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def tried(
    value: Field[Cell, Level],
    weight: Field[Cell],
    scale: Parameter["1"],
    each: Out[Cell, Level],
    third: Out[Cell, Level],
    beside: Out[Cell, Level],
    above: Out[Cell, Level],
) -> None:
    each = value / weight
    third = value / 3 + where(weight > 1, value / (2 * weight), value / scale)
    beside = value / sum(weight[n] for n in Cell.neighbours)
    for k in Level[1:]:
        above[k] = (value[k] - value[k - 1]) / weight / value[k]
"""
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -3.0, 1e-30, 1e30, 2.0**-60)
EXTREME = (5e-324, 1e-310, -2.3e-308, 1e-290, 1.7e308, -1e301)  # as divisors: they divide


@pytest.fixture
def tried(tmp_path: Path) -> Kernel:
    (tmp_path / "tried.py").write_text(TEXT)
    return load_file(tmp_path / "tried.py")["tried"]


def numbers(count: int, special: tuple[float, ...], seed: int) -> Array:
    """Of every size that is divided quickly, with mantissas near 1 and 2, and what is special."""
    random = np.random.default_rng(seed)
    mantissa = random.integers(0, 2**52, count)
    near = random.integers(0, 64, count)
    kind = random.integers(0, 3, count)
    mantissa = np.where(kind == 0, mantissa, np.where(kind == 1, near, 2**52 - 1 - near))
    sign = random.choice([-1.0, 1.0], count)
    found = sign * np.ldexp(1 + mantissa / 2.0**52, random.integers(-90, 90, count))
    places = random.choice(count, len(special), replace=False)
    found[places] = special
    return np.asarray(found)


def case_of(kernel: Kernel, seed: int) -> Case:
    made = made_case(kernel)
    arguments = dict(made.arguments)
    value, weight = np.asarray(arguments["value"]), np.asarray(arguments["weight"])
    arguments["value"] = numbers(value.size, SPECIAL, seed).reshape(value.shape)
    arguments["weight"] = numbers(weight.size, (*SPECIAL, *EXTREME), seed + 1)
    arguments["scale"] = 7.0
    return replace(made, arguments=arguments)


@pytest.mark.some(7)
@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_every_way_gives_the_same_bits(way: Configuration, tried: Kernel, compiled: Path) -> None:
    for seed in range(5):
        case = case_of(tried, seed)
        right = outputs(case, REFERENCE, compiled)
        for output, found in outputs(case, way, compiled).items():
            both = np.isnan(found) & np.isnan(right[output])
            assert np.array_equal(found.view(np.int64)[~both], right[output].view(np.int64)[~both])


def test_the_only_division_of_a_loop_is_one(tmp_path: Path) -> None:
    """It hides behind the memory; the corrections of a quotient do not."""
    for kernel in ("gradient", "neighbour_mean", "diffusion"):
        code = cpp_target.translate(find_kernel(kernel).ir, Configuration("simd"))
        assert "quotient" not in code
    assert "quotient(quick" in cpp_target.translate(find_kernel("pvort").ir, Configuration("simd"))


@pytest.mark.parametrize("layout", ["level_innermost", "blocked"])
def test_only_what_changes_along_a_row_divides(layout: str, tried: Kernel) -> None:
    code = cpp_target.translate(tried.ir, Configuration("simd", layout))
    rows = [line for line in code.splitlines() if "quotient(quick" in line]
    assert [row.count("quotient(quick") for row in rows] == [1, 3, 1, 1]
    assert sum(row.count(" / ") for row in rows) == 1
    assert "quotient" not in cpp_target.translate(tried.ir, Configuration("serial", layout))
    single = Configuration("simd", layout, precision="single")
    assert "quotient" not in cpp_target.translate(tried.ir, single)
