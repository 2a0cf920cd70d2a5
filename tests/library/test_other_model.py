# SPDX-License-Identifier: Apache-2.0
"""Fields of another model in GRIB2 and netCDF: only what tables know gets a parameter, missing
values stay missing, heights are told, and every file of a run calls a field the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.files.datasets import open_dataset

POINTS, RANKS, LEVELS = 320, 3, 4
ALL = ["h", "topo", "ta", "t2m", "t_col", "sst", "deep"]
STREAMS = {
    "all": (ALL, 'container = "grib2"'),
    "packed": (ALL, 'container = "grib2"\ncompression = "ccsds"'),
    "few": (["t_col", "deep", "h"], 'container = "grib2"'),
    "exact": (ALL, 'container = "netcdf4"'),
    "store": (ALL, 'container = "zarr"'),
}


def expected(name: str) -> NDArray[np.float64]:
    field, point = ALL.index(name), np.arange(POINTS)
    level = np.arange(LEVELS if name in ("h", "ta", "deep") else 1)[:, np.newaxis]
    values = 250.0 + field + 0.125 * level + 0.01 * (point % 17)
    if name == "sst":
        values[:, [0, -1]] = np.nan
    if name == "deep":
        values[1] = np.nan
        values[2, point % RANKS == 0] = np.nan
    return values.squeeze()


@pytest.fixture(scope="module", params=['mode = "serial"', 'mode = "shared_file"\nranks = 0'])
def files(request: Any, installed: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("other_model")
    program = installed.program(Path(__file__).with_name("other_model.c"))
    text = f'[time]\nduration = "PT1S"\n[io]\n{request.param}\n'
    for name, (fields, settings) in STREAMS.items():
        text += f'[[output]]\nname = "{name}"\ninterval = "PT1H"\n'
        text += f"{settings}\nvariables = {fields}\n"
    (folder / "other.toml").write_text(text.replace("'", '"'))
    installed.run(RANKS, program, "other.toml", cwd=folder)
    return folder


def file_of(files: Path, stream: str) -> Path:
    return next(files.glob(f"{stream}_2*"))


def tool(*words: object) -> str:
    if shutil.which(str(words[0])) is None:
        pytest.skip(f"'{words[0]}' is not installed")
    command = [str(word) for word in words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def messages(path: Path, *keys: str) -> list[list[str]]:
    return [row.split() for row in tool("grib_get", "-p", ",".join(keys), path).splitlines()]


@pytest.mark.parametrize("stream", ["all", "packed", "few"])
def test_our_reader_gives_names_values_and_what_is_missing(files: Path, stream: str) -> None:
    dataset = open_dataset(file_of(files, stream))
    names = [name for name in dataset.variables if name not in ("time", "level")]
    assert sorted(names) == sorted(STREAMS[stream][0])
    for name in names:
        values = np.asarray(dataset.variables[name][0])
        np.testing.assert_allclose(values, expected(name), atol=2.0 / 2**15, err_msg=name)
    assert dataset.variables["h"].units == "J kg-1"  # type: ignore[attr-defined]


def test_a_field_has_one_parameter_in_all_streams(files: Path) -> None:
    keys = ("parameterCategory", "parameterNumber", "typeOfFirstFixedSurface")
    of_all = {tuple(row) for row in messages(file_of(files, "all"), *keys)}
    of_few = {tuple(row) for row in messages(file_of(files, "few"), *keys)}
    assert len(of_all) == len(ALL)
    assert len(of_few) == 3
    assert of_few < of_all


def test_only_what_tables_know_gets_a_parameter(files: Path) -> None:
    rows = messages(file_of(files, "all"), "shortName", "typeOfLevel", "level", "parameterCategory")
    known = {(row[0], row[1]) for row in rows if int(row[3]) < 192}
    assert known == {
        ("t", "generalVerticalLayer"), ("2t", "heightAboveGround"), ("h", "surface"),
    }  # fmt: skip
    (two,) = [row for row in rows if row[0] == "2t"]
    assert two[2] == "2"
    assert {row[0] for row in rows if int(row[3]) >= 192} == {"unknown"}


@pytest.mark.some(2)
def test_cdo_counts_what_is_missing(files: Path) -> None:
    rows = tool("cdo", "-s", "infon", file_of(files, "all")).splitlines()
    levels = [each for name in ALL for each in np.atleast_2d(expected(name))]
    counts = [int(row.split(" : ")[1].split()[-1]) for row in rows if "Miss" not in row]
    assert sorted(counts) == sorted(int(np.isnan(each).sum()) for each in levels)


@pytest.mark.parametrize("stream", ["exact", "store"])
def test_a_height_is_a_scalar_coordinate(files: Path, stream: str) -> None:
    path = file_of(files, stream)
    if stream == "store":
        zarr = pytest.importorskip("zarr")
        group = zarr.open_group(path, mode="r")
        height, t2m = group["height_2m"], dict(group["t2m"].attrs)
        attributes, value = dict(height.attrs), height[()]
        plain = dict(group["ta"].attrs)
    else:
        with netCDF4.Dataset(path) as file:
            height = file["height_2m"]
            attributes, value = height.__dict__, height[...]
            t2m, plain = file["t2m"].__dict__, file["ta"].__dict__
    assert float(value) == 2.0
    assert attributes["standard_name"] == "height"
    assert attributes["units"] == "m"
    assert t2m["coordinates"].split()[-1] == "height_2m"
    assert "height" not in plain.get("coordinates", "")


@pytest.mark.parametrize("stream", ["exact", "store"])
def test_a_file_claims_nothing_that_the_model_did_not_say(files: Path, stream: str) -> None:
    """Own points have no topology; which way levels go, and what a field is called, who knows."""
    path = file_of(files, stream)
    if stream == "store":
        zarr = pytest.importorskip("zarr")
        group = zarr.open_group(path, mode="r")
        conventions = group.attrs["Conventions"]
        level, field = dict(group["level"].attrs), dict(group["t_col"].attrs)
    else:
        with netCDF4.Dataset(path) as file:
            conventions = file.Conventions
            level, field = dict(file["level"].__dict__), dict(file["t_col"].__dict__)
    assert conventions == "CF-1.11"
    assert level["standard_name"] == "model_level_number"
    assert "positive" not in level
    assert "" not in field.values()


def test_a_height_said_in_fortran_is_that_of_its_field_alone(
    installed: Any, tmp_path: Path
) -> None:
    text = '[time]\nduration = "PT1S"\n[io]\nmode = "serial"\n'
    for container in ("netcdf4", "grib2"):
        text += f'[[output]]\nname = "{container}"\ninterval = "PT1H"\ncontainer = "{container}"\n'
    (tmp_path / "heights.toml").write_text(text)
    program = installed.program(Path(__file__).with_name("heights.f90"))
    installed.run(2, program, cwd=tmp_path)
    with netCDF4.Dataset(file_of(tmp_path, "netcdf4")) as file:
        for name, height in (("t2m", 2.0), ("t10m", 10.0)):
            coordinate = file[file[name].coordinates.split()[-1]]
            assert (float(coordinate[...]), coordinate.standard_name) == (height, "height")
        assert "height" not in file["t"].__dict__.get("coordinates", "")
    rows = messages(file_of(tmp_path, "grib2"), "typeOfLevel", "level")
    assert sorted(rows) == [
        ["heightAboveGround", "10"], ["heightAboveGround", "2"], ["unknown", "0"],
    ]  # fmt: skip
