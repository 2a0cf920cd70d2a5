# SPDX-License-Identifier: Apache-2.0
"""In single precision, too, every target gives the bits of the reference, near those of double."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.targets import cpp_target, fortran_target
from thalweg.kernels import dynamico, icon_like, made_dynamico, made_nicam, nicam
from thalweg.kernels.cases import Case
from thalweg.kernels.run import run_case
from thalweg.testing.kernels.ways import REFERENCE, WAYS, outputs

NEAR = 1e-5  # a hundred units in the last place of the largest value
SINGLE = replace(REFERENCE, precision="single")


def icon() -> list[Case]:
    return icon_like.cases_of(icon_like.made_up(8, 5, 3))


def hexagons(vectors: str) -> list[Case]:
    return dynamico.cases_of(vectors, made_dynamico.made_up(9, 7, 19))


def region(vectors: str) -> list[Case]:
    return nicam.cases_of(vectors, made_nicam.made_up(8, 17))


CASES: dict[str, Callable[[], list[Case]]] = {
    "weighted_neighbours": icon,
    "vertical_solver": partial(region, "dyn_vi_rhow_solver"),
    "pvort": partial(hexagons, "comp_pvort"),
    "component_two": icon,
    "horizontal_limiter": partial(region, "dyn_horiz_adv_limiter"),
    "caldyn_vert": partial(hexagons, "comp_caldyn_vert"),
    "component_four": icon,
    "diffusion": partial(region, "dyn_diffusion"),
}


@pytest.mark.some(4, 1)
@pytest.mark.parametrize("name", CASES)
def test_every_target_gives_the_same_bits(name: str, compiled: Path) -> None:
    case = next(each for each in CASES[name]() if each.kernel.name == name)
    right, exact = outputs(case, SINGLE, compiled), outputs(case, REFERENCE, compiled)
    for way in (WAYS[0], WAYS[2], WAYS[4]):
        for output, found in outputs(case, replace(way, precision="single"), compiled).items():
            assert found.dtype == right[output].dtype == np.float32
            assert found.tobytes() == right[output].tobytes(), (output, way)
    for output, found in right.items():
        there = ~np.isnan(exact[output])
        largest = np.abs(exact[output][there]).max()
        assert np.abs(found[there] - exact[output][there]).max() <= NEAR * largest, output


def test_the_tolerance_of_a_run_is_that_of_the_precision() -> None:
    case = next(each for each in icon() if each.kernel.name == "gradient")
    outcome = run_case(case, SINGLE, 1)
    assert outcome.passed
    assert outcome.tolerance == pytest.approx(case.tolerance * 2**29)
    assert outcome.as_json()["precision"] == "single"


def test_code_of_single_precision_has_no_other() -> None:
    """A number without its mark would make everything around it double."""
    way = Configuration("simd", "blocked", precision="single")
    for case in icon():
        code = cpp_target.translate(case.kernel.ir, way)
        assert "double" not in code
        assert "double" not in fortran_target.translate(case.kernel.ir, way)


@pytest.mark.parametrize("target", ["numpy", "simd"])
def test_the_largest_number_is_that_of_the_precision(target: str, compiled: Path) -> None:
    """`huge` of double precision, as NICAM's limiter is given it: infinity times 0 is none."""
    case = next(
        each for each in nicam.cases_of("dyn_horiz_adv_limiter", made_nicam.made_up(4, 2, 5))
    )
    assert case.kernel.name == "outflow_bounds"
    assert case.arguments["huge"] > float(np.finfo(np.float32).max)
    found = outputs(case, Configuration(target, precision="single"), compiled)
    assert np.isfinite(found["bounds"]).all()
