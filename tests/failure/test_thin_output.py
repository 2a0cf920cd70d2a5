# SPDX-License-Identifier: Apache-2.0
"""`backpressure = "thin"` leaves out times, says which, and the others are those that it wrote."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import netCDF4
import pytest

from thalweg.files.run_directory import read_json_lines
from thalweg.files.streams import Stream, read_streams
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.contents import final_files
from thalweg.testing.ranked_run import RankedRun

# One output step is 1.5 MB as it is staged: there is room for two of the 49.
CASE = """
[grid]
name = "R2B2"
[model]
levels = 10
time_step = 180
[time]
duration = "PT12H"
[[output]]
name = "main"
interval = "PT15M"
file_interval = "PT8H"
[io]
budget = 4
timeout = 60
"""
TIMES_S = [900.0 * step for step in range(49)]
FILE_S, END_S = 8 * 3600.0, 12 * 3600.0  # of a file; of the run
LATE_S = 6 * 3600.0  # when the writers may go on
WAYS = [  # container, compression, layout, mode
    "netcdf4-none-contiguous-async",
    "netcdf4-deflate-contiguous-shared_file",
    "cdf5-none-contiguous-shared_file",
    "zarr-none-contiguous-async",
]


def settings_of(way: str, pressure: str) -> list[str]:
    container, compression, layout, mode = way.split("-")
    ranks = 1 if mode == "async" else 2
    return [
        f"output.container={container}", f"output.compression={compression}",
        f"output.layout={layout}", f"io.mode={mode}", f"io.ranks={ranks}",
        f"io.backpressure={pressure}", f"machine.ranks={2 + ranks}",
    ]  # fmt: skip


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    return path


@pytest.fixture
def run_past_a_closed_disk(
    case: Path,
    model: Path,
    use_slow_disk: Callable[..., AbstractContextManager[None]],
) -> Callable[[Path, list[str], float], str]:
    """The I/O ranks write nothing until the model is at `until_s`. What the run said."""

    def reached_s(path: Path) -> float:
        whole = path.read_text().rpartition("\n")[0] if path.exists() else ""
        return float(json.loads(whole.splitlines()[-1])["time_s"]) if whole else -1.0

    def run_past(directory: Path, settings: list[str], until_s: float) -> str:
        gate, diagnostics = case.with_name("gate"), directory / "diagnostics.jsonl"
        diagnostics.unlink(missing_ok=True)
        with use_slow_disk(DISK_GATE=gate):
            run = RankedRun.start(case, directory, settings)
        while reached_s(diagnostics) < until_s and run.process.poll() is None:
            time.sleep(0.01)
        gate.touch()
        code, _ = run.wait()
        assert code == 0, run.errors()
        return run.output()

    return run_past


def history_of(path: Path) -> str:
    if path.suffix == ".zarr":
        group = json.loads((path / "zarr.json").read_text())
        return str(group["attributes"]["history"])
    with netCDF4.Dataset(path) as file:
        return str(file.history)


def dropped_in(path: Path) -> list[float]:
    """What the file itself tells, in seconds."""
    lines = history_of(path).splitlines()[1:]
    told = [re.fullmatch(r"output (\d+) at (\d+) s dropped: buffers were full", x) for x in lines]
    assert all(told), lines
    times_s = [float(each[2]) for each in told if each]
    assert [int(each[1]) for each in told if each] == [round(time / 900.0) for time in times_s]
    return times_s


def main_of(run: Path) -> Stream:
    return read_streams(run)["main"]


@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("way", "until_s"), [*((way, LATE_S) for way in WAYS), (WAYS[0], END_S), (WAYS[-1], END_S)]
)
def test_times_that_were_dropped_are_named_and_the_others_are_true(
    way: str,
    until_s: float,
    case: Path,
    tmp_path: Path,
    run_past_a_closed_disk: Callable[[Path, list[str], float], str],
) -> None:
    run = tmp_path / "thin"
    said = run_past_a_closed_disk(run, settings_of(way, "thin"), until_s)
    request = RunRequest(case, 0, settings_of(way, "block"), tmp_path / "whole", quiet=True)
    thin, whole = main_of(run), main_of(run_case(request).path)
    there = {slot.time_s: slot for slot in thin.slots}
    missing = [time_s for time_s in TIMES_S if time_s not in there]
    assert missing, "buffers were never full"
    assert f"{len(missing)} of 49 output times were dropped" in said
    assert [slot.time_s for slot in whole.slots] == TIMES_S
    dropped: list[float] = []
    for _, file in sorted(final_files(run).items()):  # each tells of its own, and of no others
        written = [slot.time_s for slot in thin.slots if slot.file == file]
        first = FILE_S * (written[0] // FILE_S)
        mine = [time_s for time_s in missing if first <= time_s < first + FILE_S]
        assert dropped_in(file) == mine
        dropped += mine
    # A file all of whose times were dropped, because the model was at its end by then, is not made.
    unmade = {time_s // FILE_S for time_s in TIMES_S} - {time_s // FILE_S for time_s in there}
    assert dropped == [time_s for time_s in missing if time_s // FILE_S not in unmade]
    for slot in whole.slots:
        for name in whole.fields:
            if slot.time_s in there:
                values = thin.values(name, there[slot.time_s])
                assert values.tobytes() == whole.values(name, slot).tobytes(), (name, slot)
    journals = sorted((run / "journal").glob("*.jsonl"))
    told = [line for path in journals for line in read_json_lines(path)]
    # A file that is not made has its journal all the same: whoever continues must know.
    assert [1e-3 * x["time_ms"] for x in told if x.get("dropped")] == missing
    thin.close()
    whole.close()


@pytest.mark.some(2)
@pytest.mark.parametrize("mode", ["async", "file_parallel"])
def test_a_file_whose_times_are_all_dropped_leaves_nothing_of_the_one_it_replaces(
    mode: str,
    case: Path,
    tmp_path: Path,
    run_past_a_closed_disk: Callable[[Path, list[str], float], str],
) -> None:
    """Of a run that began anew in a used directory, without --overwrite, as programs may."""
    run = tmp_path / "run"
    settings = [f"io.mode={mode}", "io.ranks=2", "machine.ranks=4", "output.container=cdf5"]
    run_case(RunRequest(case, 0, [*settings, "io.backpressure=block"], run, quiet=True))
    before = {path.name for path in (run / "files").iterdir()}
    said = run_past_a_closed_disk(run, [*settings, "io.backpressure=thin"], END_S)
    assert "output times were dropped" in said
    after = {path.name for path in (run / "files").iterdir()}
    gone = {name for name in before if "T080000Z" in name}
    assert gone
    assert after == before - gone
