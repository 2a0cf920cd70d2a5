# SPDX-License-Identifier: Apache-2.0
"""`**` of several values at once: as near to the exact power as it says, and right at the ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl import Kernel
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.cases import Array, Case
from thalweg.testing.kernels.ways import outputs

TEXT = """from thalweg.dsl import Field, Out, Parameter, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def raised(
    base: Field[Cell, Level],
    exponent: Field[Cell, Level],
    kappa: Parameter["1"],
    each: Out[Cell, Level],
    root: Out[Cell, Level],
) -> None:
    each = base**exponent
    root = base**kappa
"""
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, np.inf, -np.inf, np.nan)
EXTREME = (5e-324, -1e-310, 2.3e-308, 1.7e308, -1e301, 2.0**53, 1.0 + 2.0**-52, 1.0 - 2.0**-53)
MOST_UNITS = 2.0  # in the last place
WAYS = (
    Configuration("simd", functions="vector"),
    Configuration("openmp", functions="vector"),
    Configuration("simd", "blocked", 64, functions="vector"),
    Configuration("simd", "point_innermost", 16, functions="vector"),
)


@pytest.fixture
def raised(tmp_path: Path) -> Kernel:
    (tmp_path / "raised.py").write_text(TEXT)
    return load_file(tmp_path / "raised.py")["raised"]


def case_of(kernel: Kernel, base: Array, exponent: Array, kappa: float) -> Case:
    made = made_case(kernel)
    shape = np.asarray(made.arguments["base"]).shape
    values = {"base": np.resize(base, shape), "exponent": np.resize(exponent, shape)}
    return replace(made, arguments={**made.arguments, **values, "kappa": kappa})


def exact(base: Array, exponent: Array) -> np.ndarray:
    """To 64 digits of two: what is rounded to 53 of them is right but for halves."""
    with np.errstate(all="ignore"):
        return np.power(base.astype(np.longdouble), exponent.astype(np.longdouble))


def units_off(found: Array, right: np.ndarray) -> float:
    """Largest distance in units of the last place of double precision, of what is finite."""
    with np.errstate(over="ignore"):
        rounded = right.astype(np.float64)
    normal = np.isfinite(rounded) & (rounded != 0)
    distance = np.abs(found[normal].astype(np.longdouble) - right[normal])
    return float((distance / np.spacing(np.abs(rounded[normal]))).max(initial=0.0))


@pytest.mark.some(2)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.target}-{way.layout}")
def test_powers_of_all_sizes_are_near(way: Configuration, raised: Kernel, compiled: Path) -> None:
    assert np.finfo(np.longdouble).nmant >= 63
    random = np.random.default_rng(5)
    size = 40_000
    for widest in (1.0, 3.0, 1070.0):  # of the logarithm of the result
        base = np.ldexp(1 + random.random(size), random.integers(-1022, 1023, size))
        base[::3] = 1 + random.uniform(-0.3, 0.4, len(base[::3]))  # where logarithms are small
        exponent = random.uniform(-widest, widest, size) / np.log2(base)
        kappa = float(random.uniform(-1.0, 1.0) * min(widest, 10.0))
        case = case_of(raised, base, exponent, kappa)
        given = {name: np.asarray(case.arguments[name]) for name in ("base", "exponent")}
        found = outputs(case, way, compiled)
        right = exact(given["base"], given["exponent"])
        assert units_off(found["each"], right) <= MOST_UNITS, widest
        right = exact(given["base"], np.full_like(given["base"], kappa))
        assert units_off(found["root"], right) <= MOST_UNITS, kappa


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.target}-{way.layout}")
def test_powers_of_what_is_special_are_those_of_the_library(
    way: Configuration, raised: Kernel, compiled: Path
) -> None:
    pairs = [(one, other) for one in SPECIAL + EXTREME for other in SPECIAL + EXTREME]
    base, exponent = (np.array(column) for column in zip(*pairs, strict=True))
    for kappa in SPECIAL:
        case = case_of(raised, base, exponent, kappa)
        found = outputs(case, way, compiled)
        given = {name: np.asarray(case.arguments[name]) for name in ("base", "exponent")}
        # A number as the exponent 0.5 would be a square root to NumPy, of -inf, too.
        powers = {"each": given["exponent"], "root": np.full_like(given["base"], kappa)}
        for output, of in powers.items():
            with np.errstate(all="ignore"):
                right = np.power(given["base"], of)
            np.testing.assert_array_equal(np.isnan(found[output]), np.isnan(right))
            there = ~np.isnan(right)
            assert (np.signbit(found[output]) == np.signbit(right))[there].all()
            np.testing.assert_array_max_ulp(found[output][there], right[there], 2)
