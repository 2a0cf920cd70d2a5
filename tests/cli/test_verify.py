# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` finds a flipped bit and tells where; files and partitions do not matter."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import netCDF4
import numpy as np
import pytest

from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import read_streams
from thalweg.run.record import RunRecord
from thalweg.verify.checks import check_field
from thalweg.verify.differences import compare_field

Cli = Callable[..., "CompletedProcess[str]"]
FIELD = "h"
VALUES = np.random.default_rng(1).normal(size=(4, 2, 10)).astype(np.float32)  # [time, level, cell]


def write_file(path: Path, times: list[int], values: np.ndarray = VALUES) -> Path:
    """A file of some of the times, an hour apart."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", len(times)), ("level", 2), ("cell", 10)):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",))[:] = np.array(times) * 3600.0
        file.createVariable("level", "i4", ("level",))[:] = [1, 2]
        variable = file.createVariable(FIELD, "f4", ("time", "level", "cell"))
        variable[:] = values[times]
    return path


def make_run(folder: Path, files: dict[str, list[int]], values: np.ndarray = VALUES) -> Path:
    (folder / "files").mkdir(parents=True)
    (folder / "experiment.toml").write_text('[[output]]\nname = "out"\n')
    for name, times in files.items():
        write_file(folder / "files" / name, times, values)
    RunRecord(RunDirectory(folder), {}).end("complete")
    return folder


def test_partitions_and_files_do_not_matter(here: Cli, tmp_path: Path) -> None:
    one = make_run(tmp_path / "one", {"out_20000101T000000Z.nc": [0, 1, 2, 3]})
    two = make_run(
        tmp_path / "two",
        {"out_p1of2_20000101T000000Z.nc": [0, 2], "out_p2of2_20000101T010000Z.nc": [1, 3]},
    )
    result = here("verify", one, "--against", two)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1].startswith("same bits")
    checks = [json.loads(here("verify", run, "--json").stdout)["fields"] for run in (one, two)]
    assert checks[0] == checks[1]


def test_the_check_line_has_the_form_of_the_mini_igcms(here: Cli, tmp_path: Path) -> None:
    path = write_file(tmp_path / "single.nc", [0, 1, 2, 3])
    (line,) = here("verify", path).stdout.splitlines()
    words = dict(word.split("=") for word in line.removeprefix(f"+check[{FIELD}] ").split())
    assert float(words["max"]) == VALUES.max()
    assert float(words["min"]) == VALUES.min()
    assert float(words["sum"]) == pytest.approx(VALUES.astype(np.float64).sum(), abs=1e-12)


def test_a_flipped_bit_is_found_and_placed(here: Cli, tmp_path: Path) -> None:
    values = VALUES.copy()
    values.view(np.uint32)[2, 1, 7] ^= 1
    one = make_run(tmp_path / "one", {"out_20000101T000000Z.nc": [0, 1, 2, 3]})
    two = make_run(tmp_path / "two", {"out_20000101T000000Z.nc": [0, 1, 2, 3]}, values)
    result = here("verify", one, "--against", two, "--json")
    assert result.returncode == 1
    (difference,) = json.loads(result.stdout)["differences"]
    assert (difference["differing"], difference["compared"]) == (1, 80)
    assert (difference["time_s"], difference["level"], difference["point"]) == (7200.0, 2, 7)
    distance = abs(float(values[2, 1, 7]) - float(VALUES[2, 1, 7]))
    assert difference["largest_absolute"] == distance > 0.0
    assert "1 of 80 values" in here("verify", one, "--against", two).stdout
    checks = {
        json.loads(here("verify", run, "--json").stdout)["fields"][0]["crc32"] for run in (one, two)
    }
    assert len(checks) == 2


def test_not_a_number_and_minus_zero_are_bits_too(tmp_path: Path) -> None:
    values = VALUES.copy()
    values[0, 0, 0], values[0, 0, 1] = np.nan, 0.0
    others = values.copy()
    others[0, 0, 1] = -0.0
    paths = [
        write_file(tmp_path / f"{name}.nc", [0, 1, 2, 3], each)
        for name, each in (("one", values), ("same", values), ("other", others))
    ]
    one, same, other = (next(iter(read_streams(path).values())) for path in paths)
    assert compare_field(one, same, FIELD).same
    difference = compare_field(one, other, FIELD)
    assert (difference.differing, difference.largest_absolute) == (1, 0.0)
    check = check_field(one, FIELD)
    assert check.nan_count == 1
    assert check.maximum == np.nanmax(values)


def test_the_sum_is_of_what_is_there_and_says_how_much_is_not(here: Cli, tmp_path: Path) -> None:
    values = VALUES.copy()
    values[0, 0, 3:6], values[2, 1, 7] = np.nan, np.nan
    path = write_file(tmp_path / "single.nc", [0, 1, 2, 3], values)
    (line,) = here("verify", path).stdout.splitlines()
    words = dict(word.split("=") for word in line.removeprefix(f"+check[{FIELD}] ").split())
    assert float(words["sum"]) == pytest.approx(np.nansum(values.astype(np.float64)), abs=1e-12)
    assert (float(words["max"]), float(words["min"])) == (np.nanmax(values), np.nanmin(values))
    assert words["nan"] == "4"


@pytest.mark.parametrize(("there", "told"), [
    ([np.nan], {"crc32", "nan"}),
    ([np.nan, np.inf, -np.inf], {"max", "min", "crc32", "nan"}),
], ids=["nothing_is_there", "infinities_of_both_signs"])  # fmt: skip
def test_what_has_no_value_is_left_out(
    there: list[float], told: set[str], here: Cli, tmp_path: Path
) -> None:
    values = np.resize(np.array(there, np.float32), VALUES.shape)
    path = write_file(tmp_path / "single.nc", [0, 1, 2, 3], values)
    result = here("verify", path)
    assert (result.returncode, result.stderr) == (0, "")
    (line,) = result.stdout.splitlines()
    words = line.removeprefix(f"+check[{FIELD}] ").split()
    assert {word.split("=")[0] for word in words} == told
    (field,) = json.loads(here("verify", path, "--json").stdout)["fields"]
    assert field["total"] is None
    assert (field["minimum"] is None) == ("min" not in told)
    assert field["nan_count"] == np.isnan(values).sum()


@pytest.mark.parametrize("times", [[0, 1, 2], [0, 1, 2, 4]])
def test_other_times_are_a_difference(times: list[int], here: Cli, tmp_path: Path) -> None:
    one = write_file(tmp_path / "one.nc", [0, 1, 2, 3])
    two = write_file(tmp_path / "two.nc", times, np.concatenate([VALUES, VALUES]))
    result = here("verify", one, "--against", two)
    assert result.returncode == 1
    assert "times" in result.stdout


def test_a_real_run_is_itself_and_not_its_neighbour(
    here: Cli, small_run: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_run, copy)
    assert here("verify", small_run, "--against", copy).returncode == 0
    file = sorted((copy / "files").glob("main_*.nc"))[0]
    with netCDF4.Dataset(file, "a") as dataset:
        dataset.set_auto_maskandscale(False)
        name = next(n for n, v in dataset.variables.items() if len(v.dimensions) == 3)
        value = dataset.variables[name][1, 2, 500]
        dataset.variables[name][1, 2, 500] = np.nextafter(value, np.float32(np.inf))
    result = here("verify", small_run, "--against", copy)
    assert result.returncode == 1
    assert f"-differ[main/{name}] 1 of" in result.stdout
    assert "level 3 point 500" in result.stdout
