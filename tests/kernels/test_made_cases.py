# SPDX-License-Identifier: Apache-2.0
"""Made-up inputs reach both sides of a `where`, and stay where a kernel gives numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thalweg.dsl.configuration import Configuration
from thalweg.dsl.kernel_files import load_file
from thalweg.kernels.any_kernel import made_case
from thalweg.kernels.cases import Array
from thalweg.testing.kernels.ways import outputs

KERNEL = """from thalweg.dsl import Field, Out, kernel
from thalweg.dsl.grids.triangles import Cell, Level


@kernel
def tried(t: Field[Cell, Level], o: Out[Cell, Level]) -> None:
    o = {body}
"""


def made(body: str, folder: Path) -> Array:
    path = folder / "tried.py"
    path.write_text(KERNEL.format(body=body))
    case = made_case(load_file(path)["tried"])
    assert np.isfinite(outputs(case, Configuration("numpy"), folder)["o"]).all()
    return np.asarray(case.arguments["t"])


@pytest.mark.parametrize(
    ("body", "signs", "zeros"),
    [
        ("where(t > 0, t, 2 * t)", True, True),
        ("where(t != 0, 1 / t, 0)", True, True),
        ("where(t > 0, sqrt(t), exp(t))", True, True),
        ("1 / t", True, False),
        ("sqrt(t)", False, False),
        ("log(t)", False, False),
        ("t ** 0.4", False, False),
    ],
)
def test_values_have_signs_and_zeros_where_the_kernel_bears_them(
    body: str, signs: bool, zeros: bool, tmp_path: Path
) -> None:
    values = made(body, tmp_path)
    assert (values < 0).any() == signs
    assert (values > 0).any()
    for negative in (True, False):  # zeros have a sign, too
        assert ((values == 0) & (np.signbit(values) == negative)).any() == zeros
    sizes = np.abs(values[values != 0])
    assert 0.5 <= sizes.min() < sizes.max() <= 1.5
