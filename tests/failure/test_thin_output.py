# SPDX-License-Identifier: Apache-2.0
"""`backpressure = "thin"` leaves out times, says which, and the others are those that it wrote."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import netCDF4
import pytest

from thalweg.files.run_directory import read_json_lines
from thalweg.files.streams import Stream, read_streams
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.contents import final_files
from thalweg.testing.ranked_run import RankedRun, ranks_of, stopped

# One output step is 1.5 MB as it is staged: there is room for two of the 49.
CASE = """
[grid]
name = "R2B2"
[model]
levels = 10
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
FILE_S, LATE_S = 8 * 3600.0, 6 * 3600.0  # of a file; when the writers may go on
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


def run_past_stopped_writers(case: Path, directory: Path, settings: list[str]) -> str:
    """The I/O ranks stand still from the first output until the model is late in its first file."""
    run = RankedRun.start(case, directory, settings)

    def reached_s() -> float:
        path = directory / "diagnostics.jsonl"
        whole = path.read_text().rpartition("\n")[0] if path.exists() else ""
        return float(json.loads(whole.splitlines()[-1])["time_s"]) if whole else -1.0

    def wait_for(time_s: float) -> None:
        while reached_s() < time_s and run.process.poll() is None:
            os.sched_yield()

    wait_for(0.0)
    with stopped([process for rank, process in ranks_of(directory).items() if rank > 1]):
        wait_for(LATE_S)
    code, _ = run.wait()
    assert code == 0, run.errors()
    return run.output()


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


@pytest.mark.parametrize("way", WAYS)
def test_times_that_were_dropped_are_named_and_the_others_are_true(
    way: str, tmp_path: Path, model: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    run = tmp_path / "thin"
    said = run_past_stopped_writers(case, run, settings_of(way, "thin"))
    request = RunRequest(case, 0, settings_of(way, "block"), tmp_path / "whole", quiet=True)
    thin, whole = main_of(run), main_of(run_case(request).path)
    there = {slot.time_s: slot for slot in thin.slots}
    dropped = [time_s for file in final_files(run).values() for time_s in dropped_in(file)]
    assert dropped, "buffers were never full"
    assert f"{len(dropped)} of 49 output times were dropped" in said
    assert sorted([*there, *dropped]) == TIMES_S == [slot.time_s for slot in whole.slots]
    for file in final_files(run).values():  # each tells of its own, and of no others
        mine = [slot.time_s for slot in thin.slots if slot.file == file] + dropped_in(file)
        first = FILE_S * (mine[0] // FILE_S)
        assert sorted(mine) == [time for time in TIMES_S if first <= time < first + FILE_S]
    for slot in whole.slots:
        for name in whole.fields:
            if slot.time_s in there:
                values = thin.values(name, there[slot.time_s])
                assert values.tobytes() == whole.values(name, slot).tobytes(), (name, slot)
    told = [line for path in (run / "journal").glob("*.jsonl") for line in read_json_lines(path)]
    assert sorted(1e-3 * x["time_ms"] for x in told if x.get("dropped")) == sorted(dropped)
    thin.close()
    whole.close()
