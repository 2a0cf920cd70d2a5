# SPDX-License-Identifier: Apache-2.0
"""`thalweg run --continue` goes on with the files of a run; one that ends early is whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.journal import read_journal
from thalweg.files.streams import read_streams
from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import kill_together

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT6H"
[[output]]
name = "main"
interval = "PT30M"
file_interval = "PT4H"
[restart]
mode = "sync"
interval = "PT90M"
[machine]
ranks = 3
"""
STORAGES = ["netcdf4-none", "netcdf4-zstd", "cdf5-none", "raw-none", "zarr-none", "grib2-ccsds"]


def settings_of(storage: str) -> list[str]:
    container, compression = storage.split("-")
    words = [f"output.container={container}", f"output.compression={compression}"]
    return [word for each in [*words, "io.mode=async", "io.ranks=2"] for word in ("--set", each)]


Copy = Callable[[str, Path], None]


@pytest.fixture(scope="module")
def three_hours(tmp_path_factory: pytest.TempPathFactory, cli: Callable[..., Any]) -> Copy:
    """Copies a run of the first three hours, of this storage, to a directory."""
    runs: dict[str, Path] = {}

    def copy(storage: str, directory: Path) -> None:
        if storage not in runs:
            case = tmp_path_factory.mktemp("three_hours") / "case.toml"
            case.write_text(CASE)
            words = [*settings_of(storage), "--set", "time.duration=PT3H"]
            done = cli("run", case, "--out", case.with_name("run"), *words)
            assert done.returncode == 0, done.stderr
            runs[storage] = case.with_name("run")
        shutil.copytree(runs[storage], directory)

    return copy


def test_a_continued_run_says_which_settings_of_the_model_changed(
    cli: object, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    changed = ["--set", "model.viscosity=12345.5", "--set", "model.time_scheme=rk3"]
    for more, duration, notes in (
        (changed[2:], "PT3H", []),
        ([], "PT5H", ["[model] time_scheme is rk4 from 10800 s on; until then it was rk3"]),
        (
            changed[:2],
            "PT6H",
            ["[model] viscosity is 12345.5 from 16200 s on; until then it was 0"],
        ),
        (changed[:2], "PT8H", []),
    ):
        words = [case, "--out", run, *more, "--set", f"time.duration={duration}"]
        words += ["--continue"] if run.exists() else []
        done = cli("run", *words)  # type: ignore[operator]
        assert done.returncode == 0, done.stderr
        told = json.loads((run / "run.json").read_text())["notes"]
        assert [note for note in told if note.startswith("[model]")] == notes
        assert all(note in done.stderr for note in notes)


def test_a_continued_run_with_another_courant_number_has_another_step(
    cli: object, three_hours: Copy, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    three_hours("netcdf4-none", run)

    def step_s() -> float:
        return float(json.loads((run / "run.json").read_text())["start"]["time_step_s"])

    before = step_s()
    words = [*settings_of("netcdf4-none"), "--set", "model.cfl=0.2"]
    words += ["--set", "model.depth_spread=0.5", "--continue"]
    done = cli("run", case, "--out", run, *words)  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    after = step_s()
    notes = json.loads((run / "run.json").read_text())["notes"]
    assert after <= before / 2
    assert "[model] cfl is 0.2 from 10800 s on; until then it was 0.8" in notes
    assert any("[model] depth_spread = 0.5 changes nothing" in note for note in notes)


@pytest.mark.some(6, 5)
@pytest.mark.parametrize("storage", STORAGES)
def test_a_continued_run_has_the_files_of_one_that_never_stopped(
    storage: str, cli: object, tmp_path: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    words = [case, *settings_of(storage)]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for more in (
        ["--out", whole],
        ["--out", parts, "--set", "time.duration=PT5H"],  # its last checkpoint is that of 04:30
        ["--out", parts, "--continue"],
    ):
        done = cli("run", *words, *more)  # type: ignore[operator]
        assert done.returncode == 0, done.stderr
    ones = {name: content_of(file) for name, file in final_files(whole).items()}
    others = {name: content_of(file) for name, file in final_files(parts).items()}
    assert sorted(ones) == sorted(others)
    for name, content in ones.items():
        assert not difference(content, others[name]), name
    journals = [read_journal(path) for path in (parts / "journal").glob("*.jsonl")]
    assert sorted(len(each.times) for each in journals) == [5, 8]
    assert all(each.closed for each in journals)
    verified = cli("verify", parts)  # type: ignore[operator]
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.some(6)
@pytest.mark.parametrize("storage", STORAGES)
def test_a_file_that_was_cut_is_not_continued(
    storage: str, cli: object, three_hours: Copy, tmp_path: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    words = [case, *settings_of(storage), "--out", tmp_path / "run"]
    three_hours(storage, tmp_path / "run")
    files = set(final_files(tmp_path / "run").values())
    file = cut = min(files)
    if file.is_dir():
        cut = max(path for path in file.glob("vor/c/1/**/*") if path.is_file())
    kept = cut.read_bytes()
    cut.write_bytes(kept[: len(kept) // 2])
    refused = cli("run", *words, "--continue")  # type: ignore[operator]
    assert refused.returncode == 2, refused.stderr
    assert f"files/{file.name}" in refused.stderr
    assert "or begin anew" in refused.stderr
    assert set(final_files(tmp_path / "run").values()) == files  # nothing was touched
    cut.write_bytes(kept)
    done = cli("run", *words, "--continue")  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    verified = cli("verify", tmp_path / "run")  # type: ignore[operator]
    assert verified.returncode == 0, verified.stdout + verified.stderr


LOST = ["level/c/0", "mesh/c", "clat/c/0", "elon/c/0", "face_nodes/c/0/0"]


def test_coordinates_that_an_unfinished_store_lost_are_written_again(
    cli: object, three_hours: Copy, tmp_path: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    words = [case, *settings_of("zarr-none"), "--set", "time.duration=PT4H"]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    done = cli("run", *words, "--out", whole)  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    three_hours("zarr-none", parts)
    store = min(final_files(parts).values())
    for lost in LOST:
        (store / lost).unlink()
    done = cli("run", *words, "--out", parts, "--continue")  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    whole_store = whole / "files" / store.name
    assert not difference(content_of(whole_store), content_of(store))
    for lost in LOST:
        assert (store / lost).read_bytes() == (whole_store / lost).read_bytes(), lost


@pytest.mark.some(5, 1)
@pytest.mark.parametrize("storage", STORAGES[:5])
def test_a_run_that_becomes_unstable_leaves_the_times_that_happened(
    storage: str, cli: object, tmp_path: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    words = [case, *settings_of(storage), "--out", tmp_path / "run"]
    for word in ("model.time_step=PT3H", "output.interval=PT3H", "restart.mode=none"):
        words += ["--set", word]
    done = cli("run", *words, "--set", "time.duration=P20D")  # type: ignore[operator]
    assert done.returncode == 2, done.stderr
    assert "unstable before" in done.stderr
    streams = read_streams(tmp_path / "run")
    times_s = [slot.time_s for slot in streams["main"].slots]
    assert times_s == [10800.0 * step for step in range(len(times_s))]
    unstable_s = float(done.stderr.partition("unstable before ")[2].split()[0])
    assert times_s[-1] == unstable_s - 10800.0
    assert not list((tmp_path / "run" / "files").glob("*.part"))


def data_files(run: Path) -> list[Path]:
    """Without what stands beside them."""
    return sorted(each for each in final_files(run).values() if each.suffix != ".json")


def _flip(run: Path, file: Path) -> None:
    """A bit in the middle of what the journal of `file` knows of its first time."""
    (journal,) = (
        each
        for each in map(read_journal, (run / "journal").glob("*.jsonl"))
        if file.name in each.times[0].files
    )
    path, blocks = max(journal.times[0].blocks.items(), key=lambda item: item[1][-1].size)
    damaged, at = run / "files" / path, blocks[-1].offset + blocks[-1].size // 2
    content = bytearray(damaged.read_bytes())
    content[at] ^= 0x08
    damaged.write_bytes(content)


@pytest.mark.some(6, 2)
@pytest.mark.parametrize("storage", STORAGES)
def test_damage_from_before_a_continuation_is_found_after_it(
    storage: str, cli: object, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = ["run", case, *settings_of(storage), "--out", run]
    first = [*words, "--set", "time.duration=PT3H", "--set", "output.file_interval=PT1H"]
    done = cli(*first)  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    stays, removed, *_, grows = data_files(run)
    _flip(run, stays)
    for each in (removed, removed.with_name(f"{removed.name}.json")):
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink(missing_ok=True)
    done = cli(*words, "--set", "output.file_interval=PT1H", "--continue")  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    verified = cli("verify", run)  # type: ignore[operator]
    assert verified.returncode == 1, verified.stdout
    assert f"damaged[file '{stays}" in verified.stdout
    assert "the checksum of bytes" in verified.stdout
    assert removed.name in verified.stdout
    assert grows.name not in verified.stdout


@pytest.mark.some(6, 3)
@pytest.mark.parametrize("storage", STORAGES)
def test_a_damaged_file_does_not_grow(storage: str, cli: object, tmp_path: Path) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = ["run", case, *settings_of(storage), "--out", run, "--set", "output.file_interval=0"]
    done = cli(*words, "--set", "time.duration=PT3H")  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    records = {
        path: path.read_bytes() for path in run.iterdir() if path.suffix in (".json", ".jsonl")
    }
    (file,) = data_files(run)
    _flip(run, file)
    refused = cli(*words, "--continue")  # type: ignore[operator]
    assert refused.returncode == 2, refused.stderr
    assert "is not what was written: the checksum of bytes" in refused.stderr
    assert {path: path.read_bytes() for path in records} == records


def test_a_refused_continuation_leaves_the_run_as_it_was(
    cli: object, three_hours: Copy, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = ["run", case, *settings_of("netcdf4-none"), "--out", run]
    three_hours("netcdf4-none", run)
    before = cli("verify", run).stdout  # type: ignore[operator]
    other = [*words, "--continue", "--set", "output.precision=float64"]
    refused = cli(*other)  # type: ignore[operator]
    assert refused.returncode == 2, refused.stderr
    assert "was begun with other settings" in refused.stderr
    verified = cli("verify", run)  # type: ignore[operator]
    assert verified.returncode == 0, verified.stdout
    assert verified.stdout == before


def test_a_run_that_was_continued_with_other_variables_is_whole(
    cli: object, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = ["run", case, "--out", run, "--set", "output.file_interval=PT1H"]
    done = cli(*words, "--set", "time.duration=PT90M")  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    others = ["--continue", "--set", 'output.variables=["h"]']
    done = cli(*words, *others)  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    verified = cli("verify", run, "--json")  # type: ignore[operator]
    assert verified.returncode == 0, verified.stdout
    times = {each["field"]: each["times"] for each in json.loads(verified.stdout)["fields"]}
    assert times["h"] == max(times.values())
    assert 0 < times["vor"] < times["h"]
    last = times["h"] - 1
    words = ["trace", run, "--field", "vor", "--cell", 0, "--time", last]
    refused = cli(*words)  # type: ignore[operator]
    assert refused.returncode == 2, refused.stdout
    assert "was continued with other variables" in refused.stderr


def test_a_continued_run_whose_step_changes_says_so(
    cli: object, three_hours: Copy, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    three_hours("netcdf4-none", run)
    words = [*settings_of("netcdf4-none"), "--continue", "--set", "time.duration=PT3H7M"]
    done = cli("run", case, "--out", run, *words)  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    told = json.loads((run / "run.json").read_text())
    (note,) = [note for note in told["notes"] if "time step" in note]
    assert note.startswith("the time step is 60 s from 10800 s on, until then it was ")
    assert told["start"]["time_step_s"] == 60.0


def test_a_record_of_zeros_is_made_anew(cli: object, three_hours: Copy, tmp_path: Path) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    three_hours("netcdf4-none", run)
    record = run / "run.json"
    record.write_bytes(b"\0" * record.stat().st_size)
    words = [*settings_of("netcdf4-none"), "--continue"]
    done = cli("run", case, "--out", run, *words)  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    assert "it is made anew" in done.stderr
    assert json.loads(record.read_text())["status"] == "complete"


@pytest.mark.some(6)
@pytest.mark.parametrize(
    "storage", ["classic-contiguous", "cdf5-contiguous", "netcdf4-contiguous", "raw-contiguous",
                "netcdf4-chunked", "zarr-contiguous"],
)  # fmt: skip
@pytest.mark.parametrize("way", ["direct", "mpiio"])
def test_a_file_that_was_cut_to_its_times_is_whole_and_grows_again(
    storage: str, way: str, start_run: object, cli: object, tmp_path: Path
) -> None:
    """It had room for more times, so its values moved when it was completed."""
    container, layout = storage.split("-")
    if way == "mpiio" and container in ("raw", "zarr", "classic"):
        pytest.skip("written directly only")
    words = [f"output.container={container}", f"output.layout={layout}", f"io.way={way}"]
    words += ["output.interval=PT1H", "output.file_interval=PT480H", "io.mode=shared_file"]
    words += ["restart.mode=sync", "restart.interval=PT2H", "io.ranks=1", "grid.name=R2B2"]
    run = start_run(*words)  # type: ignore[operator]
    assert isinstance(run.directory, Path)
    run.wait_for(lambda: len(list((run.directory / "restart").glob("*Z"))) >= 2)
    kill_together(run.rank_processes())
    run.process.communicate()
    case = tmp_path / "long.toml"
    sets = [each for word in words for each in ("--set", word)]
    (last,) = sorted((run.directory / "restart").glob("*Z"))[-1:]
    begun_h = int(json.loads((last / "manifest.json").read_text())["time_s"] // 3600)
    for hours in (begun_h + 2, begun_h + 2, begun_h + 5):
        more = ["--continue", "--set", f"time.duration=PT{hours}H"]
        done = cli("run", case, "--out", run.directory, *sets, *more)  # type: ignore[operator]
        assert done.returncode == 0, done.stderr
        done = cli("verify", run.directory)  # type: ignore[operator]
        assert done.returncode == 0, done.stdout + done.stderr


def test_chunks_are_gone_on_with_in_the_way_that_wrote_them(cli: object, tmp_path: Path) -> None:
    """Only direct writes tell the journal where chunks lie: the times before came back as fill."""
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = [case, "--out", run, "--set", "output.layout=chunked", "--set", "time.duration=PT3H"]
    done = cli("run", *words, "--set", "io.way=mpiio")  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    before = {path: path.read_bytes() for path in sorted((run / "files").iterdir())}
    words[-1] = "time.duration=PT6H"
    done = cli("run", *words, "--continue", "--set", "io.way=direct")  # type: ignore[operator]
    assert done.returncode == 2
    assert "was begun with other settings" in done.stderr
    assert {path: path.read_bytes() for path in sorted((run / "files").iterdir())} == before
