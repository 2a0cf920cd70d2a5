# SPDX-License-Identifier: Apache-2.0
"""CDO, ncdump, xarray and a CF checker read the files of a run without complaint."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

from thalweg.testing.model_fields import fields_of_all

STREAMS = ["main", "flat"]
# The checker knows CF 1.11 but not the part of it that is UGRID (CF 1.11, section 5.9 and cf_role
# in appendix A), and takes the one horizontal dimension of a mesh for something else than X and Y.
EXCUSED = (
    "_connectivity is not a valid cf_role value",
    "mesh_topology is not a valid cf_role value",
    "['mesh', 'face_nodes', 'edge_nodes']",
    "spatio-temporal dimensions are not in the recommended order",
)


def tool(*words: object) -> str:
    """Output of a tool that must succeed and must not warn. Skips where it is not installed."""
    command = [str(word) for word in words]
    if shutil.which(command[0]) is None:
        pytest.skip(f"'{command[0]}' is not installed")
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    for word in ("warning", "error", "unsupported", "inconsistent"):
        assert word not in result.stderr.lower(), result.stderr
    return result.stdout


@pytest.fixture(params=STREAMS)
def file(request: pytest.FixtureRequest, small_run: Path) -> Path:
    return sorted((small_run / "files").glob(f"{request.param}_*.nc"))[0]


def test_cdo_sees_unstructured_grids(file: Path) -> None:
    report = tool("cdo", "-s", "sinfo", file)
    assert "unstructured" in report
    assert "points=1280" in report
    grids = report.partition("Grid coordinates :")[2].partition("Vertical coordinates :")[0]
    assert grids.count("unstructured") == 3
    assert "generic" not in grids, "CDO knows the coordinates of every grid"


def test_cdo_reads_every_value(file: Path) -> None:
    rows = tool("cdo", "-s", "infon", file).splitlines()
    with xarray.open_dataset(file) as dataset:
        fields = [v for v in dataset.data_vars.values() if "time" in v.dims]
        slices = sum(v.sizes["time"] * v.sizes.get("level", 1) for v in fields)
    assert sum(":" in row and "Date" not in row for row in rows) == slices


def test_cdo_remaps_to_a_regular_grid(file: Path, tmp_path: Path) -> None:
    with xarray.open_dataset(file) as dataset:
        name = next(n for n, v in dataset.data_vars.items() if {"time", "cell"} <= set(v.dims))
        low, high = float(dataset[name].min()), float(dataset[name].max())
    tool("cdo", "-s", "remapnn,r360x180", f"-selname,{name}", file, tmp_path / "regular.nc")
    with xarray.open_dataset(tmp_path / "regular.nc") as regular:
        assert regular[name].shape[-2:] == (180, 360)
        assert low <= float(regular[name].min()) <= float(regular[name].max()) <= high


def test_ncdump_prints_the_header(file: Path) -> None:
    header = tool("ncdump", "-h", file)
    assert ':Conventions = "CF-1.11 UGRID-1.0"' in header
    assert 'cf_role = "mesh_topology"' in header


def test_xarray_reads_times_and_coordinates(file: Path) -> None:
    with xarray.open_dataset(file) as dataset:
        assert dataset["time"].values[0] == np.datetime64("2000-01-01T00:00:00")
        fields = {name: v for name, v in dataset.data_vars.items() if "time" in v.dims}
        expected = fields_of_all(2 if file.name.startswith("flat_") else 0)
        assert set(fields) == {field["name"] for field in expected}
        for field in fields.values():
            assert field.attrs["units"]
            assert field.attrs["long_name"]
            assert {"clon", "elon", "vlon"} & set(field.coords)
            assert np.isfinite(field.values).all()


@pytest.mark.some(2)  # 'flat' has fields of 'main', in another precision and layout
def test_a_cf_checker_has_no_complaint(file: Path, tmp_path: Path) -> None:
    checker = Path(sys.executable).with_name("compliance-checker")
    if not checker.is_file():
        pytest.skip("'compliance-checker' is not installed beside this Python")
    report = tmp_path / "cf.json"
    command = [checker, "--test=cf:1.11", "--criteria=strict", "-f", "json", "-o", report, file]
    subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    (result,) = json.loads(report.read_text()).values()
    complaints = [
        message
        for level in ("high_priorities", "medium_priorities", "low_priorities")
        for entry in result[level]
        for message in entry["msgs"]
        if not any(words in message for words in EXCUSED)
    ]
    assert not complaints, "\n".join(complaints)
