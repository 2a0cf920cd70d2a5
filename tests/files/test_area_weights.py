# SPDX-License-Identifier: Apache-2.0
"""CDO weighs our files by area and remaps them conservatively; NCO joins and averages records."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.config.checkout import program
from thalweg.run.runner import RunRequest, run_case


def tool(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in words]
    if shutil.which(command[0]) is None:
        pytest.skip(f"'{command[0]}' is not installed")
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def quietly(*words: object) -> None:
    """A tool that must succeed and has nothing to say."""
    result = tool(*words)
    assert result.returncode == 0, result.stderr
    assert not result.stderr.strip()


def run_with(case: Path, folder: Path, *settings: str) -> Path:
    overrides = ["io.mode=serial", "io.ranks=0", *settings]
    return run_case(RunRequest(case, 2, overrides, folder, quiet=True)).path


def main_files(run: Path) -> list[Path]:
    return sorted((run / "files").glob("main_*.nc"))


@pytest.fixture(scope="module")
def case(small_run: Path) -> Path:
    return small_run.parent / "small.toml"


@pytest.fixture(scope="module")
def with_bounds(case: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bounds") / "run"
    return main_files(run_with(case, folder, "output.main.bounds=always"))[0]


def areas(file: netCDF4.Dataset) -> NDArray[np.float64]:
    """Of the spherical triangles of the topology (Oosterom and Strackee, 1983, equation 8)."""
    lon, lat = np.radians(file["vlon"][...]), np.radians(file["vlat"][...])
    corners = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1)
    a, b, c = (corners[file["face_nodes"][:, j]] for j in range(3))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = 1 + np.sum(a * b, 1) + np.sum(b * c, 1) + np.sum(c * a, 1)
    return 2 * np.arctan2(np.abs(above), below)


def test_the_mean_over_a_field_is_weighed_by_area(with_bounds: Path, tmp_path: Path) -> None:
    mean = tmp_path / "mean.nc"
    quietly("cdo", "-s", "-L", "fldmean", "-selname,ke,vor,vn,ua", with_bounds, mean)
    with netCDF4.Dataset(with_bounds) as file, netCDF4.Dataset(mean) as means:
        weights = areas(file)
        assert np.isclose(weights.sum(), 4 * np.pi)
        assert np.ptp(weights) > 0.05 * weights.mean(), "weighing changes nothing"
        for name in ("vor", "ua"):
            values = np.asarray(file[name][...], np.float64)
            expected = (values * weights).sum(axis=-1) / weights.sum()
            scale = np.abs(values).max()
            np.testing.assert_allclose(
                np.asarray(means[name][...]).reshape(expected.shape), expected, atol=1e-6 * scale
            )


def test_conservative_remapping_keeps_the_mean(with_bounds: Path, tmp_path: Path) -> None:
    """Of triangles, hexagons and edges, at two of the times."""
    names = ("vor", "h", "vn")
    some, regular, before, after = (tmp_path / f"{each}.nc" for each in "srba")
    choose = ("-selname," + ",".join(names), "-seltimestep,1,5")
    quietly("cdo", "-s", "-L", "copy", *choose, with_bounds, some)
    quietly("cdo", "-s", "-L", "remapcon,r90x45", some, regular)
    quietly("cdo", "-s", "-L", "fldmean", some, before)
    quietly("cdo", "-s", "-L", "fldmean", regular, after)
    for name in names:
        with netCDF4.Dataset(before) as one, netCDF4.Dataset(after) as other:
            size = np.abs(np.asarray(one[name][...])).max()
            difference = np.asarray(one[name][...]).ravel() - np.asarray(other[name][...]).ravel()
        with netCDF4.Dataset(with_bounds) as file:
            size = max(size, 1e-2 * float(np.abs(file[name][...]).max()))
        assert np.abs(difference).max() < 2e-3 * size, name


@pytest.fixture(scope="module")
def without_bounds(case: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Chunked files of an hour each."""
    settings = [f"output.main.{word}" for word in ("bounds=never", "layout=chunked")]
    settings.append("output.main.file_interval=PT1H")
    return main_files(run_with(case, tmp_path_factory.mktemp("chunked") / "run", *settings))


def test_files_without_bounds_take_the_grid_from_a_grid_file(
    without_bounds: list[Path], tmp_path: Path
) -> None:
    file = without_bounds[0]
    with netCDF4.Dataset(file) as dataset:
        assert not [name for name in dataset.variables if name.endswith("_bnds")]
    grid = tmp_path / "grid.nc"
    words = [program("thalweg_grid"), "R2B2", "-o", grid]
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=60)
    chain = ("-setgrid," + str(grid), "-selname,vor", file)
    for operator in ("fldmean", "remapcon,r90x45"):
        result = tool("cdo", "-s", "-L", operator, *chain, tmp_path / "out.nc")
        assert result.returncode == 0, result.stderr
        # HDF5-DIAG: netCDF-C's own noise in a chain that opens two files (docs/grid.md).
        assert "arning" not in result.stderr


@pytest.mark.parametrize(("duration", "there"), [("PT2H", False), ("P1D", True)])
def test_bounds_are_there_where_they_take_less_than_a_fiftieth(
    duration: str, there: bool, case: Path, tmp_path: Path
) -> None:
    run = run_with(
        case, tmp_path / "run", f"time.duration={duration}", "output.main.variables=ua,va,vor,pv",
        "output.main.precision=float64", "output.flat.interval=P1D",
        "output.flat.file_interval=P1D",
    )  # fmt: skip
    file = main_files(run)[0]
    with netCDF4.Dataset(file) as dataset:
        bounds = [each for name, each in dataset.variables.items() if name.endswith("_bnds")]
        assert bool(bounds) == there
        size = sum(each.size * 8 for each in bounds)
    assert size <= file.stat().st_size / 50


def test_nco_joins_and_averages_the_records_of_chunked_files(
    without_bounds: list[Path], tmp_path: Path
) -> None:
    files = without_bounds
    assert len(files) > 1
    quietly("ncrcat", "-O", *files, tmp_path / "joined.nc")
    quietly("ncra", "-O", "-v", "vor", *files, tmp_path / "mean.nc")
    parts = []
    for path in files:
        with netCDF4.Dataset(path) as dataset:
            assert dataset.dimensions["time"].isunlimited()
            parts.append(np.asarray(dataset["vor"][...]))
    whole = np.concatenate(parts)
    with netCDF4.Dataset(tmp_path / "joined.nc") as joined:
        assert np.array_equal(np.asarray(joined["vor"][...]), whole)
    with netCDF4.Dataset(tmp_path / "mean.nc") as mean:
        expected = whole.mean(axis=0, dtype=np.float64)
        assert np.allclose(mean["vor"][0], expected, atol=1e-5 * np.abs(whole).max())
