# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels meet the vectors; where these hold a zero, every target gives its sign, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thalweg.config.checkout import ROOT
from thalweg.dsl.configuration import Configuration
from thalweg.kernels.cases import difference, other_zeros
from thalweg.kernels.vectors import find_cases
from thalweg.testing.kernels.ways import outputs

VECTORS = ROOT.parent / "shared" / "reference"
FILES = sorted(VECTORS.glob("*/*.npz"))


def test_signs_of_zeros_are_counted() -> None:
    one, other = np.array([0.0, -0.0, 1.0, 0.0, -0.0]), np.array([0.0, 0.0, -1.0, -0.0, -0.0])
    assert other_zeros(one, other) == 2
    assert other_zeros(one, one) == 0


@pytest.mark.skipif(not FILES, reason="the reference vectors are not here")
@pytest.mark.some(12, 2)
@pytest.mark.parametrize("target", ["numpy", "serial", "simd", "openmp"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_zeros_have_the_signs_of_the_vectors(file: Path, target: str, compiled: Path) -> None:
    name = "icon_like" if file.parent.name == "icon" else file.stem
    for case in find_cases(name, file):
        found = outputs(case, Configuration(target), compiled)
        for output, right in case.expected.items():
            both = case.parts(output, found[output]), case.parts(output, right)
            for ours, theirs in zip(*both, strict=True):
                apart = difference(ours, theirs)
                assert apart <= case.tolerance, (case.kernel.name, output)
                zeros = theirs == 0.0
                wrong = np.signbit(ours[zeros]) != np.signbit(theirs[zeros])
                assert not wrong.any(), (case.kernel.name, output, int(wrong.sum()))
