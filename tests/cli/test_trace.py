# SPDX-License-Identifier: Apache-2.0
"""`thalweg trace` follows a value through every stop and finds its bytes in the run's own file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import netCDF4
import numpy as np
import pytest

from thalweg.config.checkout import ROOT
from thalweg.files.streams import read_streams

Cli = Callable[..., "CompletedProcess[str]"]
STOPS = ["kernel", "field", "stream", "mode", "plan", "codec", "container", "disk"]


def stops_of(result: CompletedProcess[str]) -> list[dict[str, object]]:
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def one_field(run: Path, stream: str, place: str, layered: bool) -> str:
    """A field that only this stream holds, or, of `flat`, any."""
    shapes = read_streams(run)[stream].fields.values()
    return next(s.name for s in shapes if s.place == place and (s.levels > 1) == layered)


@pytest.mark.some(2)
@pytest.mark.parametrize("place", ["cell", "edge", "vertex"])
def test_a_value_is_followed_to_its_bytes(place: str, here: Cli, small_run: Path) -> None:
    name = one_field(small_run, "main", place, layered=True)
    words = ["--field", name, f"--{place}", 77, "--level", 2, "--time", 3, "--json"]
    stops = stops_of(here("trace", small_run, *words))
    assert [stop["stop"] for stop in stops] == STOPS
    (file,) = (small_run / "files").glob("main_*.nc")
    with netCDF4.Dataset(file) as dataset:
        stored = np.float32(dataset.variables[name][3, 1, 77])
    values = {stop["stop"]: stop["value"] for stop in stops}
    assert values["disk"] == values["container"] == values["codec"] == stored
    assert np.float32(values["kernel"]) == stored
    offset = stops[-1]["local"]
    assert isinstance(offset, int)
    assert np.frombuffer(file.read_bytes()[offset : offset + 4], np.float32)[0] == stored
    for stop in stops[:-1]:
        source = (ROOT / str(stop["file"])).read_text().splitlines()
        assert len(source) >= int(str(stop["line"])) > 0


def test_a_chunked_float64_stream_is_followed_too(here: Cli, small_run: Path) -> None:
    name = one_field(small_run, "flat", "cell", layered=False)
    words = ["--field", name, "--cell", 1279, "--time", 1, "--stream", "flat"]
    stops = stops_of(here("trace", small_run, *words, "--json"))
    assert [stop["stop"] for stop in stops] == STOPS
    assert "chunk" in str(stops[-1]["detail"])
    assert stops[0]["value"] == stops[-1]["value"]


def test_the_table_is_aligned(here: Cli, small_run: Path) -> None:
    name = one_field(small_run, "main", "cell", layered=True)
    result = here("trace", small_run, "--field", name, "--cell", 5, "--level", 1)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["stop", *STOPS]
    column = lines[0].index("what happens")
    assert all(line[column - 1] == " " != line[column] for line in lines)


def test_calls_are_a_table_of_their_own(here: Cli, small_run: Path) -> None:
    name = one_field(small_run, "main", "cell", layered=True)
    words = ["--field", name, "--cell", 5, "--level", 1, "--calls"]
    result = here("trace", small_run, *words)
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.split("\n\n")[1].splitlines()]
    assert rows[0] == ["until", "rank", "called", "at", "in"]
    assert rows[1][0] == "pack"
    assert rows[1][2].startswith("src/output/put.cpp:")
    assert rows[-1][0] == "write"
    assert rows[-1][2].startswith("src/file/aside_file.cpp:")


def test_a_changed_file_is_noticed(here: Cli, small_run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_run, copy)
    name = one_field(small_run, "main", "cell", layered=True)
    with netCDF4.Dataset(next((copy / "files").glob("main_*.nc")), "a") as dataset:
        dataset.variables[name][2, 0, 9] += 1.0
    result = here("trace", copy, "--field", name, "--cell", 9, "--level", 1, "--time", 2)
    assert result.returncode == 1
    assert "but the traced value is" in result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--field", "nonsense", "--cell", 1], "field 'nonsense' is in no file of the run"),
        (["--field", "CELL", "--edge", 1], "lives on cell points, so give --cell"),
        (["--field", "CELL", "--cell", 1280], "cell 1280 does not exist|from 0 to 1279"),
        (["--field", "CELL", "--cell", -1], "cell -1 does not exist|from 0 to 1279"),
        (["--field", "CELL", "--cell", 1, "--level", 4], "level 4|choose one of: 1, 2, 3"),
        (["--field", "CELL", "--cell", 1, "--time", 5], "output 5 does not exist|from 0 to 4"),
        (["--field", "CELL", "--cell", 1, "--stream", "mian"], "stream 'mian'|'main'?"),
        (["--field", "FLAT", "--cell", 1], "is in several streams; give --stream"),
        (["--field", "FLAT", "--cell", 1, "--level", 2, "--stream", "flat"], "two-dimensional"),
    ],
)
def test_a_place_that_does_not_fit_is_one_sentence(
    words: list[object], sentence: str, here: Cli, small_run: Path
) -> None:
    names = {
        "CELL": one_field(small_run, "main", "cell", layered=True),
        "FLAT": one_field(small_run, "flat", "cell", layered=False),
    }
    result = here("trace", small_run, *(names.get(str(word), word) for word in words))
    assert result.returncode == 2
    assert len(result.stderr.strip().splitlines()) == 1
    for part in sentence.split("|"):
        assert part in result.stderr


@pytest.mark.parametrize("tables", ["", '[[output]]\nname = "renamed"\n'])
def test_an_experiment_that_is_not_that_of_the_files_is_told(
    tables: str, here: Cli, small_run: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_run, copy)
    (copy / "experiment.toml").write_text(tables)
    name = one_field(small_run, "main", "cell", layered=True)
    result = here("trace", copy, "--field", name, "--cell", 1)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert "' has files, but no [[output]] in " in result.stderr
