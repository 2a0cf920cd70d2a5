# SPDX-License-Identifier: Apache-2.0
"""Geometry on the sphere: NICAM's metrics against their vectors, and what must hold on any grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError
from thalweg.kernels import run
from thalweg.kernels.cases import Case, read_vectors
from thalweg.kernels.library import find_kernel
from thalweg.kernels.nicam_metrics import cases_of
from thalweg.kernels.run import run_case
from thalweg.testing.kernels.ways import REFERENCE, WAYS, outputs

VECTORS = ROOT.parent / "shared" / "reference" / "nicam" / "dyn_metrics.npz"
Array = NDArray[Any]
RADIUS_M = 6.37122e6
NAMES = [
    "triangle_metrics", "arc_metrics", "gradient_weights", "cell_metrics", "operator_weights",
    "operator_weights", "outward_sum", "laplacian_weights", "arc_metrics",
]  # fmt: skip


@pytest.mark.skipif(not VECTORS.is_file(), reason="the reference vectors are not here")
@pytest.mark.parametrize("way", [REFERENCE, WAYS[1]], ids=["numpy", "simd-blocked"])
def test_the_vectors_of_the_original_are_met(
    way: Any, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BUILT", compiled)
    cases = cases_of(read_vectors(VECTORS))
    assert [case.kernel.name for case in cases] == NAMES
    for case in cases:
        outcome = run_case(case, way, 1)
        assert outcome.differences.keys() == outcome.outputs.keys()
        assert outcome.passed, (case.kernel.name, outcome.differences)


@pytest.mark.skipif(not VECTORS.is_file(), reason="the reference vectors are not here")
def test_weights_of_neighbours_are_those_of_the_divergence() -> None:
    data = read_vectors(VECTORS)
    weights = data["out_coef_grad"].copy()
    weights[:, :, 3] *= 2
    with pytest.raises(ThalwegError, match="'out_coef_grad' of the data file is not"):
        cases_of({**data, "out_coef_grad": weights})


@pytest.mark.skipif(not VECTORS.is_file(), reason="the reference vectors are not here")
def test_divergence_and_rotation_have_the_bits_of_the_original(compiled: Path) -> None:
    """So that what cancels leaves the same there, a zero of the same sign included."""
    cases = [each for each in cases_of(read_vectors(VECTORS)) if "weight" in each.expected]
    for case in (each for each in cases if each.kernel.name == "operator_weights"):
        found = outputs(case, REFERENCE, compiled)
        for name, right in case.expected.items():
            assert name in case.compared
            both = case.parts(name, found[name]), case.parts(name, right)
            assert [each.tobytes() for each in both[0]] == [each.tobytes() for each in both[1]], (
                name
            )


def called(name: str, folder: Path, **arguments: Any) -> dict[str, Array]:
    """A kernel of any place on some points."""
    points = next(each.shape[-1] for each in arguments.values() if np.ndim(each))
    kernel = find_kernel(f"mini/kernels/great_circles.py:{name}")
    for each, variable in kernel.ir.arguments.items():
        shape = (*(axis.length for axis in variable.type.axes), points)
        arguments.setdefault(each, np.full(shape, np.nan))
    case = Case(kernel, {"points": points}, {}, arguments).checked()
    return outputs(case, WAYS[0], folder)


def on_sphere(count: int, seed: int) -> Array:
    found = np.random.default_rng(seed).standard_normal((3, count))
    return np.asarray(RADIUS_M * found / np.sqrt((found**2).sum(axis=0)))


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_an_octant_is_an_eighth_of_the_sphere(compiled: Path) -> None:
    x, y, z = (RADIUS_M * np.eye(3)[:, [n]] for n in range(3))
    areas = [
        called("triangle_area", compiled, first=a, second=b, third=c, radius=RADIUS_M)["area"]
        for a, b, c in ((x, y, z), (z, y, x), (x, x, y))
    ]
    eighth = 4 * np.pi * RADIUS_M**2 / 8
    assert np.allclose(areas[:2], eighth, rtol=1e-14)
    assert areas[2] == 0.0, "two corners are one"


def test_parts_of_a_triangle_are_the_whole(compiled: Path) -> None:
    """Seen from any point inside; and the area is that of the angles' excess."""
    a, b, c = (on_sphere(50, seed) for seed in (1, 2, 3))
    inside = a + 2 * b + 0.5 * c
    inside *= RADIUS_M / np.sqrt((inside**2).sum(axis=0))
    common = {"radius": RADIUS_M}
    whole = called("triangle_area", compiled, first=a, second=b, third=c, **common)["area"]
    parts = sum(
        called("triangle_area", compiled, first=inside, second=p, third=q, **common)["area"]
        for p, q in ((a, b), (b, c), (c, a))
    )
    assert np.allclose(parts, whole, rtol=1e-9)
    corner = np.zeros_like(whole)
    for p, q, r in ((a, b, c), (b, c, a), (c, a, b)):
        first, second = np.cross(p, q, axis=0), np.cross(p, r, axis=0)
        along = (first * second).sum(axis=0)
        across = np.sqrt((np.cross(first, second, axis=0) ** 2).sum(axis=0))
        corner += np.arctan2(across, along)
    assert np.allclose(whole, (corner - np.pi) * RADIUS_M**2, rtol=1e-7)


def test_a_great_circle_has_its_length_and_turns_left(compiled: Path) -> None:
    start, end = on_sphere(20, 4), on_sphere(20, 5)
    found = called("great_circle", compiled, start=start, end=end, radius=RADIUS_M)
    length = RADIUS_M * np.arccos((start * end).sum(axis=0) / RADIUS_M**2)
    for vector in (found["normal"], found["tangent"]):
        assert np.allclose(np.sqrt((vector**2).sum(axis=0)), length, rtol=1e-10)
    assert np.allclose((found["normal"] * start).sum(axis=0) / length / RADIUS_M, 0, atol=1e-12)
    left = np.cross(start, end, axis=0)
    assert ((found["normal"] * left).sum(axis=0) > 0).all()
    assert ((found["tangent"] * (end - start)).sum(axis=0) > 0).all()
