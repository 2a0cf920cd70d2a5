# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` names whatever a run wrote and is not there any more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.errors import ThalwegError
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.kill_trial import CASE
from thalweg.verify.command import verify

Cli = Callable[..., "CompletedProcess[str]"]
Missing = Callable[[Path], list[str]]
SETTINGS = (
    "time.duration=PT30M", "output.file_interval=PT15M", "restart.mode=joint_multifile",
    "restart.interval=PT15M", "restart.keep=2",
)  # fmt: skip
COMPRESSED = ("output.layout=chunked", "output.compression=deflate")


def make(folder: Path, *settings: str) -> Path:
    case = folder / "case.toml"
    case.write_text(CASE)
    request = RunRequest(case, 3, [*SETTINGS, *settings], folder / "run", quiet=True)
    return run_case(request).path


@pytest.fixture(scope="module")
def compressed(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    return make(tmp_path_factory.mktemp("compressed"), *COMPRESSED)


@pytest.fixture
def run(compressed: Path, tmp_path: Path) -> Path:
    """Three compressed files and two checkpoints, to be damaged."""
    copy = tmp_path / "run"
    shutil.copytree(compressed, copy)
    return copy


@pytest.fixture
def missing(capsys: pytest.CaptureFixture[str]) -> Missing:
    """What `verify` misses, in its two ways to say it."""

    def call(run: Path) -> list[str]:
        assert not verify(run, None, as_json=True)
        state = json.loads(capsys.readouterr().out)["whole"]
        assert not verify(run, None, as_json=False)
        marked = [f"-missing[{each}]" for each in state["missing"]]
        marked += [f"-damaged[{each}]" for each in state["damaged"]]
        assert capsys.readouterr().out.splitlines() == marked
        return [*state["missing"], *state["damaged"]]

    return call


def test_a_whole_run_misses_nothing(cli: Cli, run: Path) -> None:
    result = cli("verify", run)
    assert result.returncode == 0, result.stdout
    assert result.stdout.startswith("every checksum holds: 3 files")
    assert "2 checkpoints" in result.stdout.splitlines()[0]


def test_output_of_others_below_files_is_told_and_nothing_is_missed(cli: Cli, run: Path) -> None:
    """None of it was checked, and the run is as it was."""
    first = min((run / "files").iterdir())
    others = [first.with_name(name) for name in ("mine_20000101T000000Z.nc", f"{first.name}.part")]
    for other in others:
        shutil.copy(first, other)
    (run / "files" / "notes.txt").write_text("not output")
    result = cli("verify", run)
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("every checksum holds: 3 files")
    notes = [line for line in lines if line.startswith("note: ")]
    assert notes == [
        f"note: 'files/{name}' is not among what the run wrote: it has no checksum"
        for name in sorted(other.name for other in others)
    ]
    told = json.loads(cli("verify", run, "--json").stdout)["whole"]["others"]
    assert [f"note: {each}" for each in told] == notes


def test_checksums_that_were_removed_are_missed(missing: Missing, run: Path, cli: Cli) -> None:
    (run / "checksums.jsonl").unlink()
    assert cli("verify", run).returncode == 1
    (sentence,) = missing(run)
    assert sentence.startswith("'checksums.jsonl'")


def test_checksums_of_another_run_are_refused(missing: Missing, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(make(other, "output.precision=float64") / "checksums.jsonl", run)
    assert missing(run)[0].startswith("'checksums.jsonl' is not the one that the run wrote")


def test_files_that_were_removed_are_missed_without_checksums_too(
    missing: Missing, run: Path
) -> None:
    files = sorted((run / "files").iterdir())
    files[1].unlink()
    (sentence,) = missing(run)
    assert sentence.startswith(f"'files/{files[1].name}'")
    (run / "checksums.jsonl").unlink()
    assert len(missing(run)) == 2
    shutil.rmtree(run / "files")
    assert [word for word in missing(run) if "'files/" in word] == [
        word for file in files for word in missing(run) if f"'files/{file.name}'" in word
    ]


@pytest.mark.parametrize("number", [0, 1])
def test_a_checkpoint_that_was_removed_is_missed(number: int, missing: Missing, run: Path) -> None:
    sets = sorted((run / "restart").iterdir())
    shutil.rmtree(sets[number])
    (sentence,) = missing(run)
    assert sentence.startswith(f"'restart/{sets[number].name}'")
    shutil.rmtree(run / "restart")
    assert len(missing(run)) == 2


def test_a_checkpoint_of_another_time_is_not_taken_for_the_one_that_was_written(
    missing: Missing, run: Path
) -> None:
    old, new = sorted((run / "restart").iterdir())
    shutil.rmtree(new)
    shutil.copytree(old, new)
    (sentence,) = missing(run)
    assert new.name in sentence
    assert "not the one that the run wrote" in sentence


def test_without_the_list_of_what_must_be_there_nothing_is_whole(
    missing: Missing, run: Path
) -> None:
    text = (run / "run.json").read_text()
    (run / "run.json").write_text(text[: len(text) // 2])
    assert "run.json" in missing(run)[0]
    content = json.loads(text)
    del content["written"]
    (run / "run.json").write_text(json.dumps(content))
    assert "does not say what the run wrote" in missing(run)[0]
    (run / "run.json").unlink()
    assert "run.json" in missing(run)[0]


def test_a_shard_of_a_store_is_missed_without_checksums_too(
    missing: Missing, tmp_path: Path, model: Path
) -> None:
    run = make(tmp_path, "output.container=zarr", "output.compression=zstd")
    shard = max((run / "files").rglob("c/0*"), key=lambda path: len(path.parts))
    while shard.is_dir():
        shard = min(shard.iterdir())
    shard.unlink()
    (sentence,) = missing(run)
    assert shard.name in sentence
    (run / "checksums.jsonl").unlink()
    sentences = missing(run)
    assert len(sentences) == 2
    assert "bytes instead of" in sentences[1]


def test_a_run_that_did_not_end_is_not_called_good(cli: Cli, tmp_path: Path, model: Path) -> None:
    case = tmp_path / "case.toml"
    case.write_text(CASE)
    gone = ["restart.read=" + str(tmp_path / "gone"), "output.main.container=netcdf4"]
    (tmp_path / "gone" / "restart").mkdir(parents=True)
    run = tmp_path / "run"
    with pytest.raises(ThalwegError, match="no whole checkpoint"):
        run_case(RunRequest(case, 3, [*SETTINGS, *gone], run, quiet=True))
    result = cli("verify", run)
    assert result.returncode == 1
    assert result.stdout.startswith("-unfinished[the run failed: ")
    assert "no whole checkpoint" in result.stdout


def go_on(run: Path, *settings: str) -> None:
    case = run.with_name("case.toml")
    case.write_text(CASE)
    goes_on = [*SETTINGS, *(settings or COMPRESSED)]
    run_case(RunRequest(case, 3, goes_on, run, goes_on=True, quiet=True))


def test_a_file_that_is_missed_is_missed_after_a_continuation(missing: Missing, run: Path) -> None:
    """`--continue` does not look at complete files, which may have been moved away."""
    first = min((run / "files").iterdir())
    size = first.stat().st_size
    first.unlink()
    for _ in range(2):
        go_on(run)
        assert missing(run) == [f"'files/{first.name}' ({size} bytes)"]


def test_a_refused_continuation_makes_no_directory(run: Path) -> None:
    shutil.rmtree(run / "files")
    with pytest.raises(ThalwegError, match="were begun with other"):
        go_on(run, *COMPRESSED, "output.file_interval=PT30M")
    assert not (run / "files").exists()


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("mode", ["serial", "async"])
def test_a_file_that_was_archived_with_its_journal_is_not_asked_for(
    mode: str, tmp_path: Path, model: Path
) -> None:
    """Later files tell that it was complete, though they are removed: the run goes back."""
    settings = (f"io.mode={mode}", "io.ranks=1")
    run = make(tmp_path, *COMPRESSED, *settings)
    _, archived, last = sorted((run / "files").iterdir())
    archived.unlink()
    (run / "journal" / f"{archived.name}.jsonl").unlink()
    before = last.stat().st_size
    shutil.rmtree(max((run / "restart").iterdir()))
    go_on(run, *COMPRESSED, *settings)
    log = (run / "log.txt").read_text()
    assert f"/{archived.name}' was complete, and neither there nor its journal: counted as" in log
    assert not archived.exists()
    assert last.stat().st_size == before


@pytest.mark.some(5, 3)
@pytest.mark.parametrize("journal", ["stays", "goes"])
@pytest.mark.parametrize("back", ["before a continuation", "after it"])
@pytest.mark.parametrize("container", ["netcdf4", "cdf5", "mpiio"])
def test_a_file_that_comes_back_damaged_is_damaged(
    container: str, back: str, journal: str, missing: Missing, tmp_path: Path, model: Path
) -> None:
    """Of all that is not in its journal only the list of the run before knows what it was."""
    settings = [f"output.container={'cdf5' if container == 'cdf5' else 'netcdf4'}"]
    settings += ["io.way=mpiio", "io.ranks=1"] if container == "mpiio" else []
    run = make(tmp_path, *settings)
    first = min((run / "files").iterdir())
    whole = first.read_bytes()
    if journal == "goes":
        (run / "journal" / f"{first.name}.jsonl").unlink()
    first.unlink()
    if back == "after it":
        go_on(run, *settings)
    first.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    for _ in range(2):
        assert missing(run)[0].startswith(f"file '{first}': the checksum of bytes ")
        go_on(run, *settings)
    first.write_bytes(whole)
    assert verify(run, None, as_json=False)
    assert not (run / "checksums.jsonl.old").exists()


def test_checksums_outlive_a_continuation_that_ends_early(
    missing: Missing, run: Path, model: Path
) -> None:
    first = min((run / "files").iterdir())
    (run / "journal" / f"{first.name}.jsonl").unlink()
    shutil.rmtree(max((run / "restart").iterdir()))
    with pytest.raises(ThalwegError):
        go_on(run, *COMPRESSED, "time.duration=PT45M", "model.cfl=30", "model.time_step=PT15M")
    first.write_bytes(first.read_bytes()[:-1])
    go_on(run)
    (sentence,) = missing(run)
    assert sentence.startswith(f"file '{first}': it has ")


def test_a_file_that_was_not_there_when_its_run_ended_has_no_checksum(
    run: Path, model: Path, cli: Cli
) -> None:
    """The run before had failed, and left no list."""
    first = min((run / "files").iterdir())
    (run / "checksums.jsonl").unlink()
    away = first.with_name("away")
    first.rename(away)
    (run / "journal" / f"{first.name}.jsonl").unlink()
    go_on(run)
    away.rename(first)
    result = cli("verify", run)
    assert result.returncode == 0
    note = f"note: 'files/{first.name}' was not there when the run ended: it has no checksum"
    assert note in result.stdout.splitlines()
