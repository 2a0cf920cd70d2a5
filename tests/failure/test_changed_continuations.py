# SPDX-License-Identifier: Apache-2.0
"""A run is continued with other settings, killed meanwhile, or refused: nothing is lost."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import pytest

from thalweg.files.run_directory import RunDirectory
from thalweg.run.directory import remove_run
from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import kill_together, ranks_of

Cli = Callable[..., Any]  # returns the ended process

CASE = """
[grid]
name = "R2B2"
[model]
levels = 4
time_step = "PT5M"
[time]
duration = "PT5H"
[[output]]
name = "main"
interval = "PT5M"
variables = ["h", "vor"]
[io]
mode = "shared_file"
ranks = 2
[restart]
mode = "sync"
interval = "PT2H"
[machine]
ranks = 3
"""


def words_of(storage: str) -> list[str]:
    container, compression, layout = storage.split("-")
    return [
        f"output.container={container}", f"output.compression={compression}",
        f"output.layout={layout}",
    ]  # fmt: skip


def set_words(words: list[str]) -> list[str]:
    return [word for each in words for word in ("--set", each)]


def contents_of(run: Path) -> dict[str, Any]:
    return {name: content_of(file) for name, file in final_files(run).items()}


def everything_in(run: Path) -> dict[str, bytes]:
    parts = [run / name for name in ("files", "journal", "restart")]
    found = [path for part in parts for path in part.rglob("*") if path.is_file()]
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(found)}


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Callable[[str, Path], None]:
    """Copies a finished run of CASE, of this storage, to a directory."""
    runs: dict[str, Path] = {}

    def copy(storage: str, directory: Path) -> None:
        if storage not in runs:
            case = tmp_path_factory.mktemp("begun") / "case.toml"
            case.write_text(CASE)
            run = case.with_name("run")
            done = cli("run", case, "--out", run, *set_words(words_of(storage)))
            assert done.returncode == 0, done.stderr
            runs[storage] = run
        shutil.copytree(runs[storage], directory)

    return copy


@pytest.mark.some(4)
@pytest.mark.parametrize(
    "storage", ["netcdf4-deflate-chunked", "zarr-none-contiguous", "cdf5-none-contiguous",
                "netcdf4-none-contiguous"],
)  # fmt: skip
def test_a_kill_just_after_a_continuation_leaves_no_checkpoint_before_its_output(
    storage: str,
    cli: Cli,
    begin: Callable[[str, Path], None],
    tmp_path: Path,
    start_thalweg: Callable[..., Any],
) -> None:
    """Journals told of the times that were to be written anew, so that a checkpoint counted whose
    output was not yet there.
    """
    case, run, twin = tmp_path / "case.toml", tmp_path / "run", tmp_path / "twin"
    case.write_text(CASE)
    begin(storage, run)
    begin(storage, twin)
    other = [*words_of(storage), "model.viscosity=1e6", "time.duration=PT6H"]
    done = cli("run", case, "--out", twin, "--continue", *set_words(other))
    assert done.returncode == 0, done.stderr
    words = ["--continue", *set_words([*other, "restart.interval=PT5M"])]
    again = start_thalweg("run", case, "--out", run, *words)
    while again.poll() is None and not (run / "restart/20000101T040500Z").exists():
        time.sleep(0.0005)
    kill_together(ranks_of(run).values())
    again.wait()
    done = cli("run", case, "--out", run, "--continue", *set_words(other))
    assert done.returncode == 0, done.stderr
    ones, others = contents_of(twin), contents_of(run)
    assert sorted(ones) == sorted(others)
    for name, content in ones.items():
        assert not difference(content, others[name]), name


@pytest.mark.some(4)
@pytest.mark.parametrize("storage", ["netcdf4-none-chunked", "zarr-none-contiguous"])
def test_a_longer_run_does_not_give_a_file_corners_that_it_had_not(
    storage: str, cli: Cli, tmp_path: Path
) -> None:
    """bounds = "auto" looks at how many times a file is to get."""
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = [*words_of(storage), "model.levels=30", "output.variables=['vor']",
             "output.interval=PT1H", "restart.interval=PT6H"]  # fmt: skip
    for hours in (12, 48):
        more = [*words, f"time.duration=PT{hours}H"]
        again = ["--continue"] if run.exists() else []
        done = cli("run", case, "--out", run, *again, *set_words(more))
        assert done.returncode == 0, done.stderr
        verified = cli("verify", run)
        assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("storage", "changed", "sentence"),
    [
        ("zarr-none-contiguous", ["io.mode=serial", "io.ranks=0"], "shards of other writers"),
        ("zarr-zstd-contiguous", ["output.compression_level=7"], "shards of other writers"),
        (
            "netcdf4-deflate-chunked",
            [f"attributes.comment={'a long word ' * 4000}"],
            "has become longer than it was",
        ),
    ],
)
def test_what_a_container_cannot_go_on_with_is_refused_before_anything_changes(
    storage: str,
    changed: list[str],
    sentence: str,
    cli: Cli,
    begin: Callable[[str, Path], None],
    tmp_path: Path,
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    begin(storage, run)
    before = everything_in(run)
    words = [*words_of(storage), *changed, "restart.interval=PT5M"]
    refused = cli("run", case, "--out", run, "--continue", *set_words(words))
    assert refused.returncode == 2, refused.stderr
    assert sentence in refused.stderr
    assert everything_in(run) == before


def test_a_shorter_continuation_removes_the_files_that_come_after_it(
    cli: Cli, tmp_path: Path
) -> None:
    case, run, whole = tmp_path / "case.toml", tmp_path / "run", tmp_path / "whole"
    case.write_text(CASE)
    words = ["output.file_interval=PT30M", "restart.interval=PT2H"]
    shorter = [*words, "time.duration=PT3H"]
    assert cli("run", case, "--out", whole, *set_words(shorter)).returncode == 0
    assert cli("run", case, "--out", run, *set_words(words)).returncode == 0
    for late in ("20000101T040000Z", "20000101T050000Z"):
        shutil.rmtree(run / "restart" / late, ignore_errors=True)
    done = cli("run", case, "--out", run, "--continue", *set_words(shorter))
    assert done.returncode == 0, done.stderr
    assert sorted(final_files(run)) == sorted(final_files(whole))
    journals = {path.name for path in (run / "journal").glob("*.jsonl")}
    assert journals == {path.name for path in (whole / "journal").glob("*.jsonl")}


@pytest.mark.some(2)
@pytest.mark.parametrize("file_hours", [10, 1])
def test_a_stream_that_ends_before_the_checkpoint_now_keeps_no_time_after_it(
    file_hours: int, cli: Cli, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = [f"output.file_interval=PT{file_hours}H"]
    assert cli("run", case, "--out", run, *set_words(words)).returncode == 0
    before = everything_in(run)
    ends = [*words, "output.end=PT3H", "time.duration=PT6H", "model.viscosity=1e6"]
    done = cli("run", case, "--out", run, "--continue", *set_words(ends))
    if file_hours == 1:  # the file of the fifth hour is none of this stream's any more
        assert done.returncode == 2
        assert "main_20000101T040000Z.nc' holds times after 14400 s" in done.stderr
        assert everything_in(run) == before
        return
    assert done.returncode == 0, done.stderr
    (file,) = final_files(run).values()
    with netCDF4.Dataset(file) as dataset:
        assert dataset["time"][:].max() == 4 * 3600.0
    assert cli("verify", run).returncode == 0


@pytest.mark.some(2)
@pytest.mark.parametrize("removed", [3, 30])
def test_a_kill_while_a_run_is_removed_leaves_nothing_of_it_to_go_on_with(
    removed: int, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = ["output.file_interval=PT5M", "restart.interval=PT1H", "time.duration=PT90M"]
    words = set_words(words)
    assert cli("run", case, "--out", run, *words).returncode == 0
    unlink, calls = os.unlink, iter(range(removed))

    def unlink_some(*places: Any, **options: Any) -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        unlink(*places, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", unlink_some)
        with pytest.raises(KeyboardInterrupt):
            remove_run(RunDirectory(run))
    done = cli("run", case, "--out", run, "--continue", *words)
    assert done.returncode == 2
    assert "has no checkpoint to go on from; to begin it again, add --overwrite" in done.stderr
    assert cli("run", case, "--out", run, "--overwrite", *words).returncode == 0
    assert cli("verify", run).returncode == 0


def test_compute_ranks_say_why_where_an_io_rank_is_rank_0(cli: Cli, tmp_path: Path) -> None:
    """It knows only that they left."""
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = set_words(["io.mode=async", "io.ranks=1", "io.placement=first", "time.duration=PT2H"])
    assert cli("run", case, "--out", run, *words).returncode == 0
    begun = run / "journal/begun.json"
    begun.write_text(begun.read_text()[:24])
    refused = cli("run", case, "--out", run, "--continue", *words)
    assert refused.returncode == 2, refused.stderr
    assert "begun.json' is damaged, which tells how the run began" in refused.stderr


def test_outputs_that_were_not_due_in_the_run_before_are_told(cli: Cli, tmp_path: Path) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = set_words(["output.end=PT1H", "time.duration=PT2H"])
    assert cli("run", case, "--out", run, *words).returncode == 0
    done = cli("run", case, "--out", run, "--continue", "--set", "time.duration=PT3H")
    assert done.returncode == 0, done.stderr
    assert (
        "stream 'main' ended at 3600 s in the run before: its outputs from 3900 s to 7200 s are in "
        "no file" in done.stderr
    )


def test_a_run_without_output_goes_on_from_its_checkpoints(cli: Cli, tmp_path: Path) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    head, _, tail = CASE.partition("[[output]]")
    case.write_text(head + "[io]" + tail.partition("[io]")[2])
    assert cli("run", case, "--out", run).returncode == 0
    done = cli("run", case, "--out", run, "--continue", "--set", "time.duration=PT6H")
    assert done.returncode == 0, done.stderr
    assert "continues at 14400 s" in done.stderr
    assert (run / "restart/20000101T060000Z").is_dir()


@pytest.mark.some(3)
@pytest.mark.parametrize("container", ["netcdf4", "zarr", "grib2"])
def test_damage_in_files_of_a_stream_that_was_left_out_is_found(
    container: str, cli: Cli, tmp_path: Path
) -> None:
    """Their checksums came from the disk, as it was after the damage."""
    case, run = tmp_path / "case.toml", tmp_path / "run"
    second = '[[output]]\nname = "second"\ninterval = "PT15M"\nfile_interval = "PT1H"\n'
    second += f'container = "{container}"\nvariables = ["vor"]\n[io]'
    case.write_text(CASE.replace("[io]", second))
    done = cli("run", case, "--out", run)
    assert done.returncode == 0, done.stderr
    [store] = run.glob("files/second_20000101T010000Z.*")
    shards = sorted(store.glob("vor/c/1/*")) if store.is_dir() else [store]
    path = shards[0] if shards[0].is_file() else next(shards[0].iterdir())
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(each ^ 255 for each in content[middle : middle + 8])
    path.write_bytes(content)
    case.write_text(CASE)
    done = cli("run", case, "--out", run, "--continue", "--set", "time.duration=PT6H")
    assert done.returncode == 0, done.stderr
    verified = cli("verify", run)
    assert verified.returncode == 1, verified.stdout
    assert "-damaged[" in verified.stdout
    assert path.name in verified.stdout
