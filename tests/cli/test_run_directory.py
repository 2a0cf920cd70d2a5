# SPDX-License-Identifier: Apache-2.0
"""A run directory belongs to one run at a time, and other people's files in it to them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.run.lock import lock_directory
from thalweg.run.process import ModelProcess
from thalweg.run.runner import RunRequest, run_case
from thalweg.verify.damage import check_wholeness

Cli = Callable[..., "CompletedProcess[str]"]
SETTINGS = ("time.duration=PT30M", "output.flat.interval=PT30M")
SHORT = (*(word for setting in SETTINGS for word in ("--set", setting)), "--json")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_overwrite_removes_what_a_run_makes_and_nothing_else(
    here: Cli, small_case: Path, model: Path
) -> None:
    out = small_case.parent / "run"
    words = ["run", small_case, "--out", out, *SHORT, "--set", "output.container=zarr"]
    words += ["--set", "output.layout=contiguous", "--set", "restart.mode=joint_multifile"]
    assert here(*words, "--set", "restart.interval=PT30M").returncode == 0
    precious = {
        "thesis.txt": b"years of work",
        "files/notes.txt": b"measured by hand",
        "files/topography.nc": b"not of this run",
        "restart/README": b"do not remove",
        "plots/figure.png": b"png",
    }
    for name, content in precious.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_bytes(content)
    before = set(contents(out))
    again = here("run", small_case, "--out", out, *SHORT, "--overwrite")
    assert again.returncode == 0, again.stderr
    left = contents(out)
    assert {name: left[name] for name in precious} == precious
    assert not [name for name in left if ".zarr" in name], "the old output"
    assert {name for name in before if name.startswith("restart/")} > {"restart/README"}
    assert [name for name in left if name.startswith("restart/")] == ["restart/README"]
    assert json.loads(again.stdout)["status"] == "complete"


@pytest.mark.some(2)
@pytest.mark.parametrize("again", ["--overwrite", "--continue"])
def test_a_report_of_what_the_run_was_before_does_not_stay(
    again: str, here: Cli, small_case: Path, model: Path
) -> None:
    out = small_case.parent / "run"
    words = ["run", small_case, "--out", out, "--set", "output.flat.interval=PT30M"]
    words += ["--set", "restart.mode=sync", "--set", "restart.interval=PT30M", "--json"]
    words += ["--set", "output.container=raw", "--set", "output.layout=contiguous"]  # no map and
    words += ["--set", "io.events=false"]  # no timeline: pictures take seconds
    assert here(*words, "--set", "time.duration=PT30M").returncode == 0
    told = here("report", out, "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == {"page": str(out / "report.html")}
    assert (out / "report.html").is_file()
    assert [each.name for each in (out / "report_images").iterdir()] == ["01-shares.png"]
    longer = ["--set", "time.duration=PT1H"]
    assert here(*words, *longer, again).returncode == 0
    assert not [name for name in contents(out) if name.startswith("report")]
    assert not (out / "report_images").exists()

    (out / "report.html").write_text("<html>what I think of this run</html>")
    (out / "report_images").mkdir()
    (out / "report_images" / "01-mine.png").write_bytes(b"png")
    assert here(*words, *longer, "--overwrite").returncode == 0
    left = {name for name in contents(out) if name.startswith("report")}
    assert left == {"report.html", "report_images/01-mine.png"}, "they are somebody else's"


def test_a_continuation_with_nothing_left_to_compute_says_so(
    here: Cli, small_case: Path, model: Path
) -> None:
    out = small_case.parent / "run"
    words = ["run", small_case, "--out", out, *SHORT[:-1], "--set", "restart.mode=sync"]
    words += ["--set", "restart.interval=PT30M"]
    said = "the run was complete already"
    assert said not in here(*words).stderr
    assert said in here(*words, "--continue").stderr
    record = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(record | {"status": "failed"}))
    ended = here(*words, "--continue")
    assert ended.returncode == 0
    assert said not in ended.stderr
    assert "this continuation completes the files" in ended.stderr


def test_an_experiment_beside_files_is_not_yet_a_run(
    here: Cli, small_case: Path, model: Path
) -> None:
    """Somebody's own folder: its experiment.toml was written by hand."""
    out = small_case.parent / "precious"
    (out / "files").mkdir(parents=True)
    (out / "experiment.toml").write_text("# mine")
    (out / "files" / "thesis.txt").write_text("years of work")
    before = contents(out)
    refused = here("run", small_case, "--out", out, *SHORT, "--overwrite")
    assert refused.returncode == 2
    assert "is not a run directory" in refused.stderr
    assert contents(out) == before


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_directory_where_a_run_goes_on_is_refused(
    overwrite: list[str], cli: Cli, small_case: Path, model: Path
) -> None:
    out = small_case.parent / "run"
    out.mkdir()
    lock = lock_directory(out)
    try:
        before = contents(out)
        refused = cli("run", small_case, "--out", out, *SHORT, *overwrite)
    finally:
        lock.release()
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert f"process {os.getpid()} on '{platform.node()}'" in line
    assert str(out) in line
    assert contents(out) == before


def test_of_runs_that_start_together_in_one_directory_one_goes_on(
    small_case: Path, model: Path
) -> None:
    out = small_case.parent / "deep" / "run"
    command = [sys.executable, "-m", "thalweg", "run", small_case, "--out", out, *SHORT]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [run.communicate(timeout=120)[1] for run in runs]
    assert sorted(run.returncode for run in runs) == [0, 2, 2], said
    for run, errors in zip(runs, said, strict=True):
        if run.returncode:
            (line,) = errors.splitlines()
            assert "a run is going on in" in line or "exists" in line
    assert RunDirectory(out).summary()["status"] == "complete"
    assert not RunDirectory(out).unfinished_files()


def test_a_model_that_ends_before_its_first_word_is_heard_keeps_its_checksums(
    small_case: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = ModelProcess.messages
    monkeypatch.setattr(ModelProcess, "messages", lambda process: iter(list(messages(process))))
    out = small_case.parent / "run"
    settings = [*SETTINGS, "restart.mode=sync", "restart.interval=PT15M"]
    run_case(RunRequest(small_case, 0, settings, out, quiet=True))
    first = RunDirectory(out).checksums_path.read_bytes()
    assert check_wholeness(out).checksums
    settings[0] = "time.duration=PT1H"
    run_case(RunRequest(small_case, 0, settings, out, goes_on=True, quiet=True))
    assert check_wholeness(out).checksums
    assert RunDirectory(out).checksums_path.read_bytes() != first


def test_a_backslash_that_netcdf_cannot_take_is_named(small_case: Path, model: Path) -> None:
    out = small_case.parent / "back\\slash"
    with pytest.raises(ThalwegError, match="takes a backslash for the end"):
        run_case(RunRequest(small_case, 0, SETTINGS, out, quiet=True))
    settings = [*SETTINGS, "output.container=zarr", "output.layout=contiguous"]
    run_case(RunRequest(small_case, 0, settings, out, overwrite=True, quiet=True))
    assert check_wholeness(out).good


def test_a_directory_that_no_file_of_a_run_could_name_is_refused(
    here: Cli, small_case: Path
) -> None:
    name = os.fsdecode(b"gr\xfcn")
    refused = here("run", small_case, "--out", small_case.parent / name)
    assert refused.returncode == 2, refused.stderr
    (line,) = refused.stderr.splitlines()
    assert line.endswith("gr\\xfcn' is not UTF-8; choose another name")
    assert not (small_case.parent / name).exists()


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "name", ["new\nline", "blanks 'and' \"quotes\"", "Schüttelfrost ☃", "-dash$d%e"]
)
def test_a_directory_may_have_any_name(
    name: str, small_case: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small_case.rename(small_case.with_name(f"{name}.toml"))
    monkeypatch.chdir(case.parent)
    for _ in range(2):
        run = run_case(RunRequest(Path(case.name), 0, SETTINGS, Path(name), True, quiet=True))
    assert check_wholeness(run.path).good


def test_links_to_other_disks_are_as_good_as_directories(small_case: Path, model: Path) -> None:
    large_disk, link = small_case.parent / "large_disk", small_case.parent / "run"
    large_disk.mkdir()
    link.symlink_to(large_disk)
    request = RunRequest(small_case, 0, SETTINGS, link, overwrite=True, quiet=True)
    assert run_case(request).path == link
    assert link.is_symlink()
    assert (large_disk / "run.json").is_file()
    disk = (link / "files").rename(small_case.parent / "disk")
    (link / "files").symlink_to(disk)
    (disk / "main_19990101T000000Z.nc").write_text("of an older run")
    run_case(request)
    assert (link / "files").is_symlink()
    assert "main_19990101T000000Z.nc" not in contents(disk)
    assert check_wholeness(link).good


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_to_nowhere_is_refused(overwrite: bool, small_case: Path, model: Path) -> None:
    link = small_case.parent / "run"
    link.symlink_to(small_case.parent / "nowhere")
    with pytest.raises(ThalwegError, match="leads nowhere"):
        run_case(RunRequest(small_case, 0, SETTINGS, link, overwrite, quiet=True))
    assert not (small_case.parent / "nowhere").exists()
