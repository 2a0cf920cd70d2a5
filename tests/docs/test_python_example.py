# SPDX-License-Identifier: Apache-2.0
"""examples/python/area_mean.py reads a run's output, netCDF and Zarr, and weighs by area."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from thalweg.config.checkout import ROOT
from thalweg.run.runner import RunRequest, run_case

EXAMPLE = ROOT / "examples" / "python" / "area_mean.py"


def read_with_example(path: Path, name: str, picture: Path) -> list[str]:
    words = [sys.executable, str(EXAMPLE), str(path), name, str(picture)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr  # matplotlib's first use may tell of its font cache
    assert picture.read_bytes()[:4] == b"\x89PNG"
    return result.stdout.splitlines()


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 50


@pytest.fixture(scope="module")
def told(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Of the relative vorticity in netCDF-4."""
    (path,) = (small_run / "files").glob("main_*.nc")
    return read_with_example(path, "vor", tmp_path_factory.mktemp("example") / "map.png")


def test_the_area_mean_is_that_of_the_sphere(small_run: Path, told: list[str]) -> None:
    """The relative vorticity of a whole sphere is 0 in its area mean, layer by layer (Stokes)."""
    (path,) = (small_run / "files").glob("main_*.nc")
    sphere, *lines = told
    assert sphere == "area of the sphere: 4.000000 pi"
    with netCDF4.Dataset(path) as file:
        largest = float(np.abs(file["vor"][:]).max())
        assert [line.split()[0] for line in lines] == [
            f"2000-01-01T{minutes // 60:02}:{minutes % 60:02}"
            for minutes in (file["time"][:] / 60).astype(int)
        ]
    means = np.array([[float(word) for word in line.split()[1:]] for line in lines])
    assert means.shape == (5, 3)
    assert np.abs(means).max() < 0.01 * largest


@pytest.mark.some(2)
@pytest.mark.parametrize("container", ["cdf5", "zarr"])
def test_other_containers_give_the_same(
    container: str, small_case: Path, told: list[str], tmp_path: Path
) -> None:
    settings = [f"output.main.container={container}", "time.duration=PT30M"]
    run = run_case(RunRequest(small_case, 0, settings, tmp_path / "run", quiet=True)).path
    (path,) = (run / "files").glob("main_*")
    lines = read_with_example(path, "vor", tmp_path / "map.png")
    assert lines == told[: len(lines)]
