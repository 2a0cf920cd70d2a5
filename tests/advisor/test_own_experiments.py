# SPDX-License-Identifier: Apache-2.0
"""`thalweg advise experiment.toml` says what `thalweg run` then writes."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from netCDF4 import Dataset

from thalweg.advisor.own.ways import unknown_modes
from thalweg.advisor.own_experiment import OwnAnswer, find_own_streams
from thalweg.advisor.own_files import CONTAINERS
from thalweg.advisor.own_times import own_schedule
from thalweg.config.experiment import Experiment
from thalweg.config.setting_values import SettingValues
from thalweg.config.settings_list import settings_list
from thalweg.errors import ThalwegError
from thalweg.files.arrays import ArrayDataset
from thalweg.files.datasets import open_dataset
from thalweg.files.restart_sets import list_restart_sets, read_manifest
from thalweg.files.run_directory import RunDirectory
from thalweg.run.native_lists import of_kind
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.ways import draw_rhythm, draw_way

Cli = Callable[..., "CompletedProcess[str]"]
# 320 cells, 480 edges, 162 vertices; half an hour; three streams that differ in all that counts.
CASE = """
[grid]
name = "R2B1"
[model]
levels = 3
tracers = 2
[time]
duration = "PT30M"
[[output]]
name = "all"
interval = "PT10M"
[[output]]
name = "flat"
variables = ["group:2d"]
place = "cell"
interval = "PT5M"
file_interval = "PT10M"
precision = "float64"
[[output]]
name = "few"
variables = ["vor_abs", "h", "ke"]
levels = [1, 3]
interval = "PT6M"
start = "PT5M"
end = "PT24M"
partitions = 2
bounds = "always"
[io]
mode = "serial"
ranks = 0
[restart]
interval = "PT10M"
[machine]
ranks = 3
"""
CELLS, EDGES, VERTICES = 320, 480, 162
KEYS = {
    "name", "level_type", "mesh", "points", "interval_s", "outputs", "variables",
    "unknown_variables", "values_per_output", "bytes_per_output", "bytes_once_per_file",
}  # fmt: skip
# --set words of each way of writing that is run: each second one by default, with every mode of
# restarts among them.
WAYS = {
    "netcdf4": [],
    "netcdf4 chunked": ["output.layout=chunked"],
    "cdf5": ["output.container=cdf5", "io.mode=async", "io.ranks=1"],
    "netcdf4 by MPI-IO": ["io.mode=shared_file", "io.way=mpiio"],
    "grib2": [
        "output.container=grib2", "output.precision=float32", "output.bits=13",
        "restart.mode=async", "restart.ranks=1",
    ],
    "classic": ["output.container=classic", "io.mode=auto", "io.ranks=2"],
    "zarr": ["output.container=zarr", "io.mode=shared_file", "restart.mode=sync"],
    "raw": ["output.container=raw", "restart.mode=sync"],
    "netcdf4 in parts": ["io.mode=file_parallel", "restart.mode=joint_multifile"],
    "cdf5 in parts": ["output.container=cdf5", "io.mode=file_parallel", "io.ranks=2"],
    "raw in parts": [
        "output.container=raw", "io.mode=file_parallel", "restart.mode=dedicated_multifile",
        "restart.ranks=1",
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """What was told of a way to run, and the run."""

    answer: OwnAnswer
    run: RunDirectory


def answer_on(path: Path, *overrides: str) -> OwnAnswer:
    path.write_text(CASE)
    return find_own_streams(Experiment.read(path, overrides))


@pytest.fixture(scope="module", params=WAYS)
def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: Path
) -> Told:
    folder = tmp_path_factory.mktemp("told")
    overrides = WAYS[request.param]
    answer = answer_on(folder / "case.toml", *overrides)
    wish = RunRequest(folder / "case.toml", 0, overrides, folder / "run", quiet=True)
    return Told(answer, run_case(wish))


def files_of(run: RunDirectory, stream: str) -> list[Path]:
    return [each for each in run.final_entries() if each.name.startswith(f"{stream}_")]


def size_of(entry: Path) -> int:
    inside = [each for each in entry.rglob("*") if each.is_file()] if entry.is_dir() else [entry]
    return sum(each.stat().st_size for each in inside)


def stored(run: RunDirectory, stream: str) -> Iterator[tuple[str, np.ndarray]]:
    """Name and values of each variable of each file that shows all points."""
    for path in run.complete_files():
        if path.name.startswith(f"{stream}_"):
            dataset = open_dataset(path)
            yield from ((name, each) for name, each in dataset.variables.items())
            if not isinstance(dataset, ArrayDataset):
                dataset.close()


@pytest.mark.some(2)
def test_files_are_as_many_as_told(told: Told) -> None:
    for stream in told.answer.streams:
        assert len(files_of(told.run, stream.name)) == stream.files, stream.name


@pytest.mark.some(2)
def test_values_are_as_many_as_told(told: Told) -> None:
    for stream in told.answer.streams:
        found = [
            (name, int(np.prod(each.shape)))
            for name, each in stored(told.run, stream.name)
            if name in stream.variables
        ]
        assert {name for name, _ in found} == set(stream.variables)
        assert sum(count for _, count in found) == stream.outputs * stream.values_per_output


@pytest.mark.some(2)
def test_bytes_beside_values_and_mesh_stay_within_the_header_told(told: Told) -> None:
    complete = [path.name for path in told.run.complete_files()]
    for stream in told.answer.streams:
        written = sum(size_of(entry) for entry in files_of(told.run, stream.name))
        files = sum(name.startswith(f"{stream.name}_") for name in complete)
        header = written - stream.bytes_in_all
        assert 0 < header <= stream.header_bytes_per_file * files, stream.name


@pytest.mark.some(2)
def test_mesh_and_levels_take_the_bytes_told(told: Told) -> None:
    for stream in told.answer.streams:
        if stream.filetype not in ("netcdf4", "cdf5", "classic"):
            continue
        files = [path for path in files_of(told.run, stream.name) if first_of(path, told.run)]
        beside = 0
        for path in files:
            with Dataset(path) as file:
                others = set(file.variables) - {*stream.variables, "time"}
                beside += sum(
                    file[name].size * file[name].dtype.itemsize for name in sorted(others)
                )
        assert beside == stream.bytes_once_per_file, stream.name


def first_of(path: Path, run: RunDirectory) -> bool:
    """Whether a file, part or index is of the first time and partition of its stream."""
    stream = path.name.partition("_")[0]
    first = min(each.name for each in files_of(run, stream)).partition(".")[0]
    return path.name.partition(".")[0] == first


@pytest.mark.some(2)
def test_packed_values_of_grib2_take_the_bytes_told(told: Told) -> None:
    eccodes = pytest.importorskip("eccodes")
    for stream in told.answer.streams:
        if stream.filetype != "grib2":
            continue
        packed = 0
        for path in files_of(told.run, stream.name):
            with path.open("rb") as file:
                while (message := eccodes.codes_grib_new_from_file(file)) is not None:
                    bits = eccodes.codes_get(message, "bitsPerValue")
                    points = eccodes.codes_get(message, "numberOfDataPoints")
                    packed += (13 * points + 7) // 8
                    assert bits in (0, 13)
                    eccodes.codes_release(message)
        assert packed == stream.outputs * stream.bytes_per_output


@pytest.mark.some(2)
def test_checkpoints_are_as_told(told: Told) -> None:
    sets, kept = told.answer.checkpoints, list_restart_sets(told.run.path)
    assert len(kept) == (sets.kept if sets else 0)
    for path in kept if sets else ():
        assert len(list(path.iterdir())) == sets.files
        parts = [part for file in read_manifest(path)["files"] for part in file["parts"]]
        beside = sum(part["bytes"] for part in parts) - sets.bytes_per_set
        assert 0 < beside <= sets.header_bytes
        assert sets.sets == 3
        assert sets.bytes_per_set == 8 * 3 * (EDGES + 3 * VERTICES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_any_way_of_writing_is_told(tmp_path: Path, model: Path, seed: int) -> None:
    """Modes, ranks, containers, partitions, intervals of files and checkpoints at random."""
    dice = random.Random(seed)
    way, rhythm = draw_way(dice), draw_rhythm(dice)
    overrides = [*way.overrides(), *rhythm.overrides(), "output.precision=float32"]
    overrides += [
        f"model.levels={dice.choice((3, 40))}",
        f"time.duration={dice.choice((3600, 5400))}",
    ]
    overrides += [f"output.bounds={dice.choice(('auto', 'always', 'never'))}"]
    answer = answer_on(tmp_path / "case.toml", *overrides)
    wish = RunRequest(tmp_path / "case.toml", 0, overrides, tmp_path / "run", quiet=True)
    told = Told(answer, run_case(wish))
    test_files_are_as_many_as_told(told)
    complete = [path.name for path in told.run.complete_files()]
    for stream in answer.streams:
        written = sum(size_of(entry) for entry in files_of(told.run, stream.name))
        files = sum(name.startswith(f"{stream.name}_") for name in complete)
        assert written <= stream.bytes_in_all + stream.header_bytes_per_file * files, way
        assert written > stream.bytes_in_all or way.storage[1] != "none", way
    for path in list_restart_sets(told.run.path):
        parts = [part for file in read_manifest(path)["files"] for part in file["parts"]]
        assert answer.checkpoints is not None
        beside = sum(part["bytes"] for part in parts) - answer.checkpoints.bytes_per_set
        assert 0 < beside <= answer.checkpoints.header_bytes, way


def test_large_variables_begin_at_pages_within_the_header_told(tmp_path: Path, model: Path) -> None:
    """Of 64 KiB and more, in netCDF-4 and CDF-5: R2B4 with 3 levels."""
    overrides = ["grid.name=R2B4", "model.levels=3", "time.duration=600", "output.few.start=0"]
    for container in ("netcdf4", "cdf5"):
        words = [*overrides, f"output.container={container}", "output.few.end=0"]
        answer = answer_on(tmp_path / "case.toml", *words)
        run = run_case(
            RunRequest(tmp_path / "case.toml", 0, words, tmp_path / container, quiet=True)
        )
        test_bytes_beside_values_and_mesh_stay_within_the_header_told(Told(answer, run))


def test_corners_are_in_a_file_from_the_outputs_on_that_were_told(
    tmp_path: Path, model: Path
) -> None:
    """R2B0: 80 cells have corners of 3840 bytes; 50 times that are 600 levels of float32."""
    levels = ",".join(str(level) for level in range(1, 600))
    case = tmp_path / "case.toml"
    case.write_text(
        '[grid]\nname = "R2B0"\n[model]\nlevels = 600\n[time]\nduration = "PT10M"\n'
        '[io]\nmode = "serial"\n[machine]\nranks = 1\n'
        '[[output]]\nname = "full"\nvariables = ["vor"]\nstart = "PT10M"\n'
        f'[[output]]\nname = "less"\nvariables = ["vor"]\nstart = "PT10M"\nlevels = [{levels}]\n'
    )
    full, less = find_own_streams(Experiment.read(case)).streams
    run = run_case(RunRequest(case, directory=tmp_path / "run", quiet=True))
    for stream, corners in ((full, 2 * 3 * 80), (less, 0)):
        (path,) = files_of(run, stream.name)
        with Dataset(path) as file:
            names = [name for name in file.variables if name.endswith("_bnds")]
            assert sum(file[name].size for name in names) == corners
    mesh = 16 * (80 + 42) + 4 * 3 * 80 + 4
    assert full.bytes_once_per_file == mesh + 3840 + 4 * 600
    assert less.bytes_once_per_file == mesh + 4 * 599


@pytest.mark.parametrize("interval", [1, 7, 60])
@pytest.mark.parametrize("file_interval", [0, 1, 7, 100, 250, 10_000])
@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_files_are_those_of_the_library(interval: int, file_interval: int, partitions: int) -> None:
    """Counted here one output at a time, as src/output/deal/schedule.cpp does."""
    table = settings_list()["output"]
    values = {setting.key: setting.default for setting in table.settings}
    values |= {"interval": float(interval), "file_interval": float(file_interval)}
    values |= {"partitions": partitions, "start": 3.0}
    steps = range((1000 - 3) // interval + 1)
    span = file_interval or 10**9
    times = Counter((step % partitions, step * interval // span) for step in steps)
    expected = Counter((partition, count) for (partition, _), count in times.items())
    found = own_schedule(SettingValues(table, values), 1000.0)
    assert found.outputs == len(steps)
    assert found.files == expected


def test_every_container_and_mode_is_known(tmp_path: Path, model: Path) -> None:
    assert set(CONTAINERS) == {each["name"] for each in of_kind("container")}
    assert unknown_modes() == []
    for mode in of_kind("output mode"):
        ranks = 0 if mode["ranks"] == "none" else 1
        answer = answer_on(tmp_path / "case.toml", f"io.mode={mode['name']}", f"io.ranks={ranks}")
        assert [stream.parts for stream in answer.streams] == [1, 1, 1]
        few = answer_on(tmp_path / "case.toml", f"io.mode={mode['name']}", f"io.ranks={2 * ranks}")
        assert few.streams[0].parts == (2 if mode["own_files"] else 1)
    for mode in of_kind("restart mode"):
        ranks = 0 if mode["ranks"] == "none" else 1
        words = (f"restart.mode={mode['name']}", f"restart.ranks={ranks}")
        sets = answer_on(tmp_path / "case.toml", *words).checkpoints
        assert (sets is None) == (mode["name"] == "none")


def test_what_cannot_be_known_is_told(tmp_path: Path, model: Path) -> None:
    def warnings(*overrides: str) -> str:
        return "\n".join(answer_on(tmp_path / "case.toml", *overrides).warnings)

    assert warnings() == ""
    assert "those before it" in warnings("output.all.compression=zstd")
    assert "Zarr stores are directories" in warnings("output.flat.container=zarr")
    assert "there is no checkpoint" in warnings("restart.mode=sync", "restart.interval=P1D")
    assert "only make more files" in warnings("io.mode=async", "io.ranks=1")
    large = warnings("grid.name=R2B12")
    assert large.startswith("not on this machine: ")
    assert "GB of memory" in large


def test_the_table_and_json_of_an_experiment_say_the_same(
    here: Cli, tmp_path: Path, model: Path
) -> None:
    (tmp_path / "case.toml").write_text(CASE)
    words = ["advise", "case.toml", "--set", "restart.mode=sync", "--set", "grid.name=R2B4"]
    page = here(*words, cwd=tmp_path).stdout.splitlines()
    told = json.loads(here(*words, "--json", cwd=tmp_path).stdout)
    assert set(told) == {"streams", "checkpoints", "warnings"}
    assert all(set(stream) >= KEYS for stream in told["streams"])
    flat = told["streams"][1]
    assert (flat["points"], flat["interval_s"], flat["files"]) == (20480, 300.0, 4)
    assert flat["bytes_per_output"] == 8 * flat["values_per_output"]
    giga = f"{flat['bytes_per_output'] / 1e9:.6f}"
    whole = f"{flat['bytes_in_all'] / 1e9:.3f}"
    assert page[2].split() == ["flat", "ml", "R2B4", "20480", "5", "min", "7", "4",
                               str(len(flat["variables"])), giga, whole]  # fmt: skip
    sets = told["checkpoints"]
    assert page[-1].split()[:6] == ["sync", "10", "min", "3", "2", "2"]
    assert sets["bytes_in_all"] == 3 * sets["bytes_per_set"]
    assert sets["bytes_kept"] == 2 * sets["bytes_per_set"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--set", "output.few.variables=vorr"], "variable 'vorr' does not exist"),
        (["--set", "output.few.levels=[4]"], "level 4 does not exist"),
        (["--set", "grid.name=R2C3"], "R2C3"),
        (["--set", "io.mode=asynch"], "Did you mean 'async'?"),
        (["--set", "io.mode=async", "--set", "io.ranks=3"], "leaves no compute rank"),
        (["--set", "output.file_intervall=1"], "Did you mean 'file_interval'?"),
        (["--cells", "100"], "--cells is for ICON scripts"),
        (["--bytes-per-output", "all=1"], "--bytes-per-output is for ICON scripts"),
    ],
)
def test_a_wrong_experiment_is_one_sentence(
    here: Cli, tmp_path: Path, model: Path, words: list[str], sentence: str
) -> None:
    (tmp_path / "case.toml").write_text(CASE)
    result = here("advise", tmp_path / "case.toml", *words)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_experiment_that_is_not_there_is_one_sentence(here: Cli, tmp_path: Path) -> None:
    result = here("advise", tmp_path / "none.toml")
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)
    path = tmp_path / "odd.toml"
    path.write_text("x = 1\n")
    with pytest.raises(ThalwegError, match=r"top-level key 'x' does not exist"):
        Experiment.read(path)
