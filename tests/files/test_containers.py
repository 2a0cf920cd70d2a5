# SPDX-License-Identifier: Apache-2.0
"""Files of every container open in the tools of the field, without a plugin, with right values."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray
from numpy.typing import NDArray

from thalweg.files.streams import read_streams
from thalweg.run.native_lists import of_kind
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.model_fields import slices_of_all

CONTAINERS = {
    "deflate": ("netcdf4", "deflate", "chunked"),
    "cdf5": ("cdf5", "none", "contiguous"),
    "classic": ("classic", "none", "contiguous"),
    "grib2": ("grib2", "none", "contiguous"),
    "ccsds": ("grib2", "ccsds", "contiguous"),
    "zarr": ("zarr", "deflate", "contiguous"),
    "raw": ("raw", "none", "contiguous"),
}

CASE = """
[grid]
name = "R2B2"
[model]
case = "jet"
levels = 3
[time]
duration = "PT2H"
[io]
mode = "shared_file"
ranks = 2
timeout = 60
"""

Installed = Callable[[str], None]


@pytest.fixture
def installed() -> Installed:
    def check(program: str) -> None:
        if shutil.which(program) is None:
            pytest.skip(f"'{program}' is not installed")

    return check


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, model: Path) -> dict[str, Path]:
    """The small case with a stream in every container, in one run: the file of each."""
    folder = tmp_path_factory.mktemp("containers")
    text = CASE
    for name, (container, compression, layout) in CONTAINERS.items():
        text += f'[[output]]\nname = "{name}"\ninterval = "PT30M"\ncontainer = "{container}"\n'
        text += f'compression = "{compression}"\nlayout = "{layout}"\n'
    (folder / "case.toml").write_text(text)
    run = run_case(RunRequest(folder / "case.toml", 4, [], folder / "run", quiet=True)).path
    return {name: file_of(run, name) for name in CONTAINERS}


def file_of(run: Path, stream: str) -> Path:
    return next(f for f in (run / "files").glob(f"{stream}_2*") if f.suffix != ".json")


def reported(*words: object) -> str:
    """Output of a tool that must succeed."""
    command = [str(word) for word in words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def vorticity(small_run: Path) -> NDArray[np.float32]:
    """[time, level, cell] of the plain netCDF-4 run."""
    stream = read_streams(small_run)["main"]
    return np.stack([stream.values("vor", slot) for slot in stream.slots])


def test_every_container_is_tried_here(model: Path) -> None:
    """netCDF-4 without compression is the run that all are compared with."""
    tried = {container for container, _, _ in CONTAINERS.values()}
    assert tried == {each["name"] for each in of_kind("container")}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["deflate", "cdf5", "classic", "grib2", "ccsds"])
def test_cdo_finds_minimum_mean_maximum(
    name: str, files: dict[str, Path], small_run: Path, installed: Installed
) -> None:
    installed("cdo")
    exact = vorticity(small_run)
    selector = "-selname,vor" if CONTAINERS[name][0] != "grib2" else "-selparam,12.2.0"
    rows = reported("cdo", "-s", "infon", selector, files[name]).splitlines()
    found = [row.split(":")[-2].split() for row in rows if ":" in row and "Minimum" not in row]
    assert len(found) == exact.shape[0] * exact.shape[1]
    step = np.ptp(exact, axis=2).max() / (2**16 - 1) if CONTAINERS[name][0] == "grib2" else 0.0
    for row, values in zip(found, exact.reshape(-1, exact.shape[2]), strict=True):
        expected = [values.min(), values.max()]
        assert np.allclose([float(row[0]), float(row[-1])], expected, rtol=1e-4, atol=step), row


@pytest.mark.parametrize(
    ("name", "kind"),
    [("deflate", "netCDF-4"), ("cdf5", "cdf5"), ("classic", "64-bit offset")],
)
def test_ncdump_names_the_kind(
    name: str, kind: str, files: dict[str, Path], installed: Installed
) -> None:
    installed("ncdump")
    assert reported("ncdump", "-k", files[name]).strip() == kind
    special = ["-s"] if name == "deflate" else []
    header = reported("ncdump", "-h", *special, files[name])
    assert "CF-1.11" in header
    assert ("_DeflateLevel = " in header) == (name == "deflate")


@pytest.mark.parametrize("name", ["deflate", "cdf5", "classic"])
def test_netcdf_python_reads_the_same_bits(
    name: str, files: dict[str, Path], small_run: Path
) -> None:
    with netCDF4.Dataset(files[name]) as file:
        assert np.array_equal(np.asarray(file["vor"][...]), vorticity(small_run))


@pytest.mark.parametrize("name", ["grib2", "ccsds"])
def test_eccodes_tools_read_messages_as_icon_writes_them(
    name: str, files: dict[str, Path], installed: Installed
) -> None:
    installed("grib_get")
    keys = "gridType,numberOfGridInReference,packingType,bitsPerValue,uuidOfHGrid,forecastTime"
    rows = reported("grib_get", "-p", keys, files[name]).splitlines()
    words = [row.split() for row in rows]
    packing = {"grib2": "grid_simple", "ccsds": "grid_ccsds"}[name]
    assert len(words) == 5 * slices_of_all(levels=3)
    assert {word[0] for word in words} == {"unstructured_grid"}
    assert {word[1] for word in words} == {"1", "2", "3"}
    assert {word[2] for word in words} == {packing}
    assert {word[3] for word in words} <= {"0", "16"}  # 0: all values are the same
    assert len({word[4] for word in words}) == 1
    with netCDF4.Dataset(files["cdf5"]) as file:
        assert words[0][4] == file.uuidOfHGrid.replace("-", "")
    assert [word[5] for word in words[:: len(words) // 5]] == ["0", "30", "1", "90", "2"]
    # ecCodes' own iterator over all values of the first message
    assert len(reported("grib_get_data", "-w", "count=1", files[name]).splitlines()) > 600


def test_zarr_python_and_xarray_open_the_store(files: dict[str, Path], small_run: Path) -> None:
    zarr = pytest.importorskip("zarr", reason="zarr-python 3 needs Python 3.11")
    exact = vorticity(small_run)
    group = zarr.open_group(files["zarr"], mode="r")
    assert np.array_equal(group["vor"][...], exact)
    assert group["vor"].shards is not None
    with xarray.open_zarr(files["zarr"]) as dataset:
        assert dataset["vor"].dims == ("time", "level", "cell")
        assert dataset["vor"].attrs["units"] == "s-1"
        assert np.array_equal(dataset["vor"].values, exact)
        assert str(dataset["time"].values[1]) == "2000-01-01T00:30:00.000000000"


def test_raw_values_lie_where_the_description_says(files: dict[str, Path], small_run: Path) -> None:
    path = files["raw"]
    about = json.loads(path.with_name(path.name + ".json").read_text())
    field = next(each for each in about["fields"] if each["name"] == "vor")
    count = int(np.prod(field["shape"]))
    values = np.fromfile(path, "<f4", count, offset=field["offset"]).reshape(field["shape"])
    assert np.array_equal(values, vorticity(small_run))
