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
def program(request: pytest.FixtureRequest, installed: Any) -> Path:
    source = next(each for each in SOURCES if each.suffix == request.param)
    return Path(installed.program(source))


@pytest.fixture(scope="module")
def serial(installed: Any, program: Path, tmp_path_factory: Any) -> Path:
    """All streams, written by rank 0."""
    folder = Path(tmp_path_factory.mktemp("integers"))
    (folder / "all.toml").write_text(experiment(list(STREAMS), 'mode = "serial"'))
    installed.run(3, program, "all.toml", cwd=folder)
    return folder


def assert_integers_are_right(folder: Path) -> None:
    for stream in STREAMS:
        for name, values in read(folder, stream):
            if "grib2" not in STREAMS[stream][0]:
                assert values.dtype == EXPECTED[name].dtype, (stream, name)
            np.testing.assert_array_equal(values, EXPECTED[name], f"{stream} {name}")


def test_integers_come_back_from_every_container_as_they_were(serial: Path) -> None:
    assert_integers_are_right(serial)


@pytest.mark.slow
def test_integers_come_back_where_two_compute_ranks_and_an_io_rank_share_files(
    installed: Any, program: Path, tmp_path: Path
) -> None:
    io = 'mode = "shared_file"\nranks = 1'
    (tmp_path / "all.toml").write_text(experiment(list(STREAMS), io))
    installed.run(3, program, "all.toml", cwd=tmp_path)
    assert_integers_are_right(tmp_path)


@pytest.mark.some(3)  # a language: what comes after its call is the same code
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


def assert_attributes_are_told(folder: Path, command: str, before: datetime) -> None:
    with netCDF4.Dataset(next(folder.glob("cdf5_*.nc"))) as file:
        told = {name: file.getncattr(name) for name in file.ncattrs()}
    date, _, words = told.pop("history").partition(": ")
    assert before <= datetime.fromisoformat(date) <= datetime.now(UTC)
    assert words == command
    assert told == {
        "Conventions": "CF-1.11", "institution": "a centre", "comment": "of the user",
        "references": "https://example.org",
    }  # fmt: skip


def test_global_attributes_are_those_of_model_and_user_and_the_true_history(
    program: Path, serial: Path
) -> None:
    begun_s = (serial / "all.toml").stat().st_mtime
    before = datetime.fromtimestamp(begun_s, UTC).replace(microsecond=0)
    assert_attributes_are_told(serial, f"{program.name} all.toml", before)


@pytest.mark.some(3)
def test_an_io_rank_writes_the_same_global_attributes(
    installed: Any, program: Path, tmp_path: Path
) -> None:
    (tmp_path / "told.toml").write_text(experiment(["cdf5"], 'mode = "async"\nranks = 1'))
    before = datetime.now(UTC).replace(microsecond=0)
    installed.run(2, program, "told.toml", cwd=tmp_path)
    assert_attributes_are_told(tmp_path, f"{program.name} told.toml", before)


@pytest.mark.some(5)  # each sentence once, from C and from Fortran
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
