# SPDX-License-Identifier: Apache-2.0
"""Integers reach every container as integers of their width, through every language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

from thalweg.files.datasets import open_dataset

SOURCES = sorted((Path(__file__).parent / "integers").iterdir())
POINTS = np.arange(600)
EXPECTED = {
    "near": (16777217 + POINTS).astype("i4"),
    "ends": np.choose(POINTS % 3, [-(2**31), 2**31 - 1, 2**24 + 1]).astype("i4"),
    "long": 2**53 + 1 + 10 * POINTS.astype("i8") + np.arange(3)[:, np.newaxis],
    "real": (0.5 * POINTS).astype("f4"),
}
STREAMS = {  # name of a stream: its settings, its fields
    "netcdf4": ('container = "netcdf4"', list(EXPECTED)),
    "chunked": ('container = "netcdf4"\nlayout = "chunked"', list(EXPECTED)),
    "deflate": ('container = "netcdf4"\ncompression = "deflate"', list(EXPECTED)),
    "cdf5": ('container = "cdf5"', list(EXPECTED)),
    "classic": ('container = "classic"', ["near", "ends", "real"]),
    "zarr": ('container = "zarr"', list(EXPECTED)),
    "zarr_zstd": ('container = "zarr"\ncompression = "zstd"', list(EXPECTED)),
    "raw": ('container = "raw"', list(EXPECTED)),
    "grib2": ('container = "grib2"\nbits = 10', ["near"]),
    "ccsds": ('container = "grib2"\nbits = 10\ncompression = "ccsds"', ["near"]),
}
COMPILERS = {".c": ("mpicc", ""), ".cpp": ("mpicxx", ""), ".f90": ("mpifort", "_fortran")}


def experiment(names: list[str], io: str) -> str:
    streams = "".join(
        f'[[output]]\nname = "{name}"\ninterval = "PT1H"\nvariables = {STREAMS[name][1]}\n'
        f"{STREAMS[name][0]}\n"
        for name in names
    )
    said = '[attributes]\ncomment = "of the user"\nreferences = "https://example.org"\n'
    return f'[time]\nduration = "PT1S"\n[io]\n{io}\n{said}{streams}'.replace("'", '"')


def read(folder: Path, stream: str) -> Iterator[tuple[str, Any]]:
    path = next(each for each in folder.glob(f"{stream}_2*") if each.suffix != ".json")
    dataset = open_dataset(path)
    for name in STREAMS[stream][1]:
        yield name, np.asarray(dataset.variables[name][0])
    dataset.close()


@pytest.fixture(scope="module", params=[source.suffix for source in SOURCES])
def program(request: pytest.FixtureRequest, installed: Any, tmp_path_factory: Any) -> Path:
    source = next(each for each in SOURCES if each.suffix == request.param)
    compiler, suffix = COMPILERS[source.suffix]
    target = tmp_path_factory.mktemp("integers") / "whole_numbers"
    return Path(installed.compile(compiler, source, f"thalweg{suffix}", target))


@pytest.mark.some(2)
@pytest.mark.parametrize("io", ['mode = "serial"', 'mode = "shared_file"\nranks = 1'])
def test_integers_come_back_from_every_container_as_they_were(
    installed: Any, program: Path, tmp_path: Path, io: str
) -> None:
    (tmp_path / "all.toml").write_text(experiment(list(STREAMS), io))
    installed.run(3, program, "all.toml", cwd=tmp_path)
    for stream in STREAMS:
        for name, values in read(tmp_path, stream):
            if "grib2" not in STREAMS[stream][0]:
                assert values.dtype == EXPECTED[name].dtype, (stream, name)
            np.testing.assert_array_equal(values, EXPECTED[name], f"{stream} {name}")


def test_an_index_over_the_parts_of_a_file_has_integers_too(
    installed: Any, program: Path, tmp_path: Path
) -> None:
    io = 'mode = "file_parallel"'
    (tmp_path / "parts.toml").write_text(experiment(["netcdf4"], io))
    installed.run(3, program, "parts.toml", cwd=tmp_path)
    with netCDF4.Dataset(next(tmp_path.glob("netcdf4_*Z.nc"))) as file:
        file.set_auto_maskandscale(False)
        for name, values in EXPECTED.items():
            assert file[name].dtype == values.dtype
            np.testing.assert_array_equal(file[name][0], values)


@pytest.mark.parametrize("io", ['mode = "serial"', 'mode = "async"\nranks = 1'])
def test_global_attributes_are_those_of_model_and_user_and_the_true_history(
    installed: Any, program: Path, tmp_path: Path, io: str
) -> None:
    (tmp_path / "told.toml").write_text(experiment(["cdf5"], io))
    before = datetime.now(UTC).replace(microsecond=0)
    installed.run(2, program, "told.toml", cwd=tmp_path)
    with netCDF4.Dataset(next(tmp_path.glob("cdf5_*.nc"))) as file:
        told = {name: file.getncattr(name) for name in file.ncattrs()}
    date, _, command = told.pop("history").partition(": ")
    assert before <= datetime.fromisoformat(date) <= datetime.now(UTC)
    assert command == "whole_numbers told.toml"
    assert told == {
        "Conventions": "CF-1.11", "institution": "a centre", "comment": "of the user",
        "references": "https://example.org",
    }  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("stream", "settings", "fields", "sentence"),
    [
        ("classic", 'container = "classic"', ["long"],
         "container 'classic' has no 64-bit integers, which field 'long' consists of; use"),
        ("grib2", 'container = "grib2"', ["ends"],
         "field 'ends' has integers from -2147483648 to 2147483647, which GRIB2 cannot hold "
         "exactly with bits = 16; choose more bits"),
    ],
)  # fmt: skip
def test_what_cannot_be_exact_is_refused_in_a_sentence(
    installed: Any, program: Path, tmp_path: Path, stream: str, settings: str, fields: list[str],
    sentence: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(STREAMS, stream, (settings, fields))
    (tmp_path / "wrong.toml").write_text(experiment([stream], 'mode = "serial"'))
    result = installed.result(1, program, "wrong.toml", cwd=tmp_path)
    assert result.returncode != 0
    assert sentence in result.stderr
