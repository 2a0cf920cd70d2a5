# SPDX-License-Identifier: Apache-2.0
"""Layers and their faces are told apart in every container, and which one of them a file has."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray
from numpy.typing import NDArray

from thalweg.files.datasets import open_dataset

POINTS, LAYERS = 320, 4
CONTAINERS = ("netcdf4", "cdf5", "raw", "zarr", "grib2")
KINDS = {  # of streams: fields, levels
    "layers": ("ta,ps,pfull", []),
    "faces": ("ps,phalf", []),
    "third": ("ta,ps", [3]),
    "ground": ("phalf,ps", [5]),
    "two": ("phalf", [1, 4]),
}


def expected(name: str) -> NDArray[np.float64]:
    """[level, point]"""
    faces = 1000.0 * np.arange(1, LAYERS + 2)[:, np.newaxis] + np.arange(1, POINTS + 1)
    return {"ta": faces[:-1] / 20, "pfull": faces[:-1] + 500, "phalf": faces, "ps": faces[-1:] - 7}[
        name
    ]


@pytest.fixture(scope="module", params=['mode = "serial"', 'mode = "async"\nranks = 2'])
def files(request: Any, installed: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("levels")
    program = installed.program(Path(__file__).with_name("levels.f90"))
    text = f'[time]\nduration = "PT1S"\n[io]\n{request.param}\n'
    for container in CONTAINERS:
        for kind, (fields, levels) in KINDS.items():
            text += f'[[output]]\nname = "{kind}_{container}"\ncontainer = "{container}"\n'
            text += f'interval = "PT1H"\nlevels = {levels}\n'
            text += f"variables = {fields.split(',')}\n".replace("'", '"')
    (folder / "levels.toml").write_text(text)
    installed.run(4, program, cwd=folder)
    return folder


def file_of(files: Path, kind: str, container: str) -> Path:
    (found,) = (each for each in files.glob(f"{kind}_{container}_2*") if each.suffix != ".json")
    return found


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", KINDS)
def test_our_readers_tell_layers_from_faces(files: Path, kind: str, container: str) -> None:
    fields, levels = KINDS[kind]
    dataset = open_dataset(file_of(files, kind, container))
    other = "level" if "phalf" in fields else "half_level"
    assert other not in dataset.variables
    for name in fields.split(","):
        right = expected(name)
        if levels and name != "ps":
            right = right[np.array(levels) - 1]
        found = np.asarray(dataset.variables[name][0])
        close = {"atol": 5000.0 / 2**15} if container == "grib2" else {"rtol": 1e-6}
        np.testing.assert_allclose(np.atleast_2d(found), right, **close)
        axis = "half_level" if name == "phalf" else "level"
        if len(right) > 1:
            assert dataset.variables[name].dimensions == ("time", axis, "cell")
            numbers = list(np.asarray(dataset.variables[axis][:]))
            assert numbers == (levels or list(range(1, len(right) + 1)))


@pytest.mark.parametrize(
    ("kind", "axis", "number"), [("third", "level", 3), ("ground", "half_level", 5)]
)
def test_a_file_of_one_level_says_which(files: Path, kind: str, axis: str, number: int) -> None:
    (name,) = (each for each in KINDS[kind][0].split(",") if each != "ps")
    for container in ("netcdf4", "cdf5"):
        with netCDF4.Dataset(file_of(files, kind, container)) as file:
            assert (int(file[axis][...]), file[axis].dtype) == (number, np.int32)
            assert file[name].dimensions == ("time", "cell")
            assert file[name].coordinates == axis
            assert "coordinates" not in file["ps"].ncattrs()
    with xarray.open_zarr(file_of(files, kind, "zarr"), consolidated=False) as store:
        assert (int(store[name][axis]), store[axis].dtype) == (number, np.int32)
        assert "coordinates" not in store["ps"].encoding


def test_messages_of_others_in_layers_and_on_faces_are_told_apart(
    files: Path, tmp_path: Path
) -> None:
    """Without our words in section 2 both are 'pres' of ecCodes' tables."""
    if shutil.which("cdo") is None:
        pytest.skip("'cdo' is not installed")
    both = b""
    for kind in ("layers", "faces"):
        copy = tmp_path / f"{kind}.grb2"
        words = ["cdo", "-s", "-P", "1", "-f", "grb2", "copy", file_of(files, kind, "grib2"), copy]
        subprocess.run([str(word) for word in words], timeout=60, check=True)
        both += copy.read_bytes()
    path = tmp_path / "both.grb2"
    path.write_bytes(both)
    dataset = open_dataset(path)
    found = {name: each.shape[1] for name, each in dataset.variables.items() if "pres" in name}
    assert found == {"pres_cell": LAYERS, "pres_cell_half_level": LAYERS + 1}
    for name, ours in (("pres_cell", "pfull"), ("pres_cell_half_level", "phalf")):
        values = np.asarray(dataset.variables[name][0])
        np.testing.assert_allclose(values, expected(ours), atol=1.0)


def test_grib_has_parameters_of_tables_for_both(files: Path) -> None:
    if shutil.which("grib_get") is None:
        pytest.skip("'grib_get' is not installed")

    def told(kind: str) -> list[list[str]]:
        keys = "parameterCategory,parameterNumber,typeOfLevel,level"
        keys += ",scaledValueOfSecondFixedSurface:s,nlev"
        path = file_of(files, kind, "grib2")
        words = ["grib_get", "-p", keys, "-w", "typeOfLevel!=surface", str(path)]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
        return sorted(row.split() for row in result.stdout.splitlines())

    half = [["3", "0", "generalVertical", str(level), "MISSING", "5"] for level in range(1, 6)]
    assert told("faces") == half
    assert told("ground") == half[4:]
    assert told("two") == [half[0], half[3]]
    layers = [["generalVerticalLayer", str(k), str(k + 1), "5"] for k in range(1, 5)]
    assert told("layers") == [
        [*numbers, *row] for numbers in (("0", "0"), ("3", "0")) for row in layers
    ]
    assert told("third") == [["0", "0", *layers[2]]]
