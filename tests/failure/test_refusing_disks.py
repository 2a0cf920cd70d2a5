# SPDX-License-Identifier: Apache-2.0
"""The file system refuses in the middle of a run: one sentence, every rank ends, nothing is half.

Limits are set on ranks that run already, so that they meet our files and not MPI's own.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.restart_sets import check_restart_set, list_restart_sets
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import ranks_of

Start = Callable[..., Any]  # returns the RunningCase of conftest.py
FIRST = 3  # files that are there before the file system refuses

# Every mode and every container; the third word is the container's own setting.
WAYS = {
    "serial-netcdf4": ("serial", 0, "netcdf4", ""),
    "async-chunked": ("async", 1, "netcdf4", "output.layout=chunked"),
    "file_parallel-netcdf4": ("file_parallel", 2, "netcdf4", ""),
    "file_parallel-computing-raw": ("file_parallel", 0, "raw", ""),
    "shared_file-cdf5": ("shared_file", 2, "cdf5", ""),
    "shared_file-computing-deflate": ("shared_file", 0, "netcdf4", "output.compression=deflate"),
    "shared_file-zarr": ("shared_file", 2, "zarr", "output.compression=zstd"),
    "auto-grib2": ("auto", 2, "grib2", ""),
    "async-ccsds": ("async", 1, "grib2", "output.compression=ccsds"),
    "async-classic": ("async", 1, "classic", ""),
    "shared_file-mpiio-netcdf4": ("shared_file", 2, "netcdf4", "io.way=mpiio"),
}
Way = tuple[str, int, str, str]
# What HDF5 over MPI-IO says of any refusal: the reason of the system call does not come through.
VAGUE = {"io.way=mpiio": ("HDF error", "Error initializing for parallel access")}


# Open MPI's MPI_File_open waits for ever if the file is there for one rank and gone for another:
# then the time limit of the other ranks ends the run.
LATE = ["io.timeout=8"]
TOO_LONG = "nothing moved for 8 s"


def settings_of(way: Way) -> list[str]:
    mode, io_ranks, container, more = way
    settings = [f"io.mode={mode}", f"io.ranks={io_ranks}", f"output.container={container}"]
    return [*settings, f"machine.ranks={2 + io_ranks}", *([more] if more else [])]


ALWAYS = ("serial-netcdf4", "file_parallel-netcdf4", "shared_file-zarr", "async-ccsds")


@pytest.fixture(
    params=[
        pytest.param(way, id=name, marks=() if name in ALWAYS else pytest.mark.slow)
        for name, way in WAYS.items()
    ]
)
def way(request: pytest.FixtureRequest) -> Way:
    return request.param  # type: ignore[no-any-return]


def count_files(run: Any) -> int:
    return len(final_files(run.directory)) if run.files.is_dir() else 0


def assert_whole(run: Any, folder: Path, way: Way, tmp_path: Path) -> None:
    """Every file under a final name holds what the same run writes where nothing refuses."""
    files = final_files(folder)
    assert files
    case = tmp_path / "long.toml"
    settings = [*settings_of(way), f"time.duration=PT{len(files)}H"]
    whole = final_files(run_case(RunRequest(case, 0, settings, tmp_path / "w", quiet=True)).path)
    for name, file in files.items():
        assert not difference(content_of(file), content_of(whole[name])), name


def limit(run: Any, kind: int, value: int) -> None:
    with run.stopped():  # a rank that fails may end the others before they have theirs
        for process in ranks_of(run.directory).values():
            resource.prlimit(process, kind, (value, value))


@pytest.mark.some(4, 1)
def test_a_full_disk_ends_every_way(
    way: Way, start_run: Start, small_disk: Path, tmp_path: Path
) -> None:
    run = start_run(*settings_of(way), directory=small_disk / "run")
    run.assert_fails("is full", codes=(2,))
    if count_files(run):
        assert_whole(run, run.directory, way, tmp_path)


@pytest.mark.some(4)
def test_a_disk_that_has_no_room_for_more_names_is_full(
    way: Way, start_run: Start, small_disk: Path, tmp_path: Path
) -> None:
    run = start_run(*settings_of(way), directory=small_disk / "run")
    run.wait_for(lambda: count_files(run) >= FIRST)
    with run.stopped():
        disk = os.statvfs(small_disk)
        used = disk.f_files - disk.f_ffree
        limited = f"remount,size=1g,nr_inodes={used + 4}"
        subprocess.run(["mount", "-o", limited, str(small_disk)], check=True)
    run.assert_fails("is full", "No space left on device", codes=(2,))
    assert_whole(run, run.directory, way, tmp_path)


@pytest.mark.some(4, 3)
def test_a_file_that_outgrows_its_limit_ends_every_way(
    way: Way, start_run: Start, tmp_path: Path
) -> None:
    run = start_run(*settings_of(way))
    run.wait_for(lambda: count_files(run) >= FIRST)
    limit(run, resource.RLIMIT_FSIZE, 1 << 12)
    run.assert_fails("outgrow the limit of file sizes", *VAGUE.get(way[3], ()), codes=(2,))
    assert_whole(run, run.directory, way, tmp_path)


@pytest.mark.some(4, 2)
def test_too_many_open_files_end_every_way(way: Way, start_run: Start, tmp_path: Path) -> None:
    run = start_run(*settings_of(way))
    run.wait_for(lambda: count_files(run) >= FIRST)
    limit(run, resource.RLIMIT_NOFILE, 3)
    run.assert_fails("Too many open files", *VAGUE.get(way[3], ()), codes=(2,))
    assert_whole(run, run.directory, way, tmp_path)


@pytest.mark.some(4, 2)
def test_a_directory_removed_during_the_run_ends_every_way(
    way: Way, start_run: Start, tmp_path: Path
) -> None:
    mpiio = way[3] in VAGUE
    run = start_run(*settings_of(way), *(LATE if mpiio else []))
    run.wait_for(lambda: count_files(run) >= FIRST)
    gone = tmp_path / "gone"
    gone.mkdir()
    run.files.rename(gone / "files")
    late = [TOO_LONG] if mpiio else []
    run.assert_fails("is not there", *late, codes=(1, 2) if mpiio else (2,))
    assert_whole(run, gone, way, tmp_path)


@pytest.mark.some(4, 3)
def test_a_disk_that_becomes_read_only_ends_every_way(
    way: Way, start_run: Start, small_disk: Path, tmp_path: Path
) -> None:
    """A read-only mount comes over the directory: there not even root may write."""
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    run = start_run(*settings_of(way))
    run.wait_for(lambda: count_files(run) >= FIRST)
    subprocess.run(["mount", "--bind", str(small_disk), str(run.files)], check=True)
    try:
        # The file that was being written; HDF5 has no word for one that it cannot open any more.
        hidden = ("No such file", "is not there", "HDF error")
        run.assert_fails("Read-only file system", *hidden, *VAGUE.get(way[3], ()), codes=(2,))
    finally:
        subprocess.run(["umount", "--lazy", str(run.files)], check=True)
    assert_whole(run, run.directory, way, tmp_path)


RESTARTS = {
    "sync": ("sync", 0),
    "joint": ("joint_multifile", 0),
    "async": ("async", 1),
    "dedicated": ("dedicated_multifile", 2),
}


@pytest.mark.some(12, 2)
@pytest.mark.parametrize(("mode", "ranks"), RESTARTS.values(), ids=RESTARTS.keys())
@pytest.mark.parametrize("trouble", ["size", "open files", "gone"])
def test_checkpoints_that_cannot_be_written_end_the_run(
    mode: str, ranks: int, trouble: str, start_run: Start
) -> None:
    settings = [f"restart.mode={mode}", f"restart.ranks={ranks}", "restart.interval=PT1H"]
    no_output_yet = "output.start=P20D"  # or its file may be the first to meet the trouble
    run = start_run(*settings, no_output_yet, f"machine.ranks={3 + ranks}")
    run.wait_for(lambda: len(list_restart_sets(run.directory)) >= 2)
    words = {"size": "File too large", "open files": "Too many open files", "gone": "cannot"}
    if trouble == "size":
        limit(run, resource.RLIMIT_FSIZE, 1 << 12)
    elif trouble == "open files":
        limit(run, resource.RLIMIT_NOFILE, 3)
    else:
        with run.stopped():  # a rank that finds nothing makes the directory anew
            (run.directory / "restart").rename(run.directory / "gone")
            (run.directory / "restart").write_text("in the way")
    run.assert_fails(words[trouble], codes=(2,))
    left = run.directory / "left"
    left.mkdir()
    (run.directory / ("gone" if trouble == "gone" else "restart")).rename(left / "restart")
    sets = [each for each in list_restart_sets(left) if (each / "manifest.json").exists()]
    assert sets
    assert not [problem for each in sets for problem in check_restart_set(each)]


def test_an_io_rank_that_is_rank_0_says_why_by_a_compute_rank(
    small_disk: Path, start_run: Start
) -> None:
    words = ["io.mode=async", "io.ranks=1", "io.placement=first", "time.duration=P2D"]
    run = start_run(*words, directory=small_disk / "run")
    run.assert_fails("is full", "No space left on device")


def test_a_restart_rank_that_is_rank_0_leaves_the_word_to_who_knows(
    small_disk: Path, start_run: Start
) -> None:
    """It knows only that the compute ranks ended."""
    words = ["restart.mode=async", "restart.ranks=1", "restart.interval=PT1H"]
    words += ["io.mode=serial", "io.placement=first", "time.duration=P2D"]
    run = start_run(*words, directory=small_disk / "run")
    run.assert_fails("is full", "No space left on device")
