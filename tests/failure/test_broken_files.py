# SPDX-License-Identifier: Apache-2.0
"""Files that kills broke while HDF5 changed them: the run goes back to before them."""

from __future__ import annotations

import shutil
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.restart_sets import list_restart_sets
from thalweg.testing.contents import content_of, difference, final_files
from thalweg.testing.ranked_run import ENDS_WITHIN_S, RankedRun, kill_together, ranks_of, stopped

Cli = Callable[..., Any]

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "P1D"
[[output]]
name = "main"
interval = "PT1H"
file_interval = "PT5H"
layout = "chunked"
[io]
mode = "serial"
way = "mpiio"
timeout = 600
[restart]
mode = "sync"
interval = "PT2H30M"
keep = 1
[machine]
ranks = 2
"""
SUM_KEY = b',"crc32":"'  # of a line of a journal
WORK = (400, 2000, 10_000)  # sweeps a step: how long steps take


def say_that_it_changes(journal: Path) -> None:
    """As if the kill had come while a time was being added: that takes milliseconds only."""
    sum_ = 0
    lines = journal.read_bytes().splitlines()
    for line in lines:
        sum_ = zlib.crc32(line.rpartition(SUM_KEY)[0], sum_)
    if not lines[-1].startswith(b'{"changing"'):
        text = b'{"changing":true'
        with journal.open("ab") as file:
            file.write(text + SUM_KEY + f'{zlib.crc32(text, sum_):08x}"}}\n'.encode())


def kill_in(case: Path, directory: Path, words: list[str], begins: str) -> None:
    """SIGKILL while the file of this name is written, and what HDF5 had in memory only is lost.

    Anew from what was there before, with slower steps, where nobody looked in time.
    """
    before = directory.with_name("before")
    shutil.rmtree(before, ignore_errors=True)
    directory.mkdir(exist_ok=True)
    shutil.copytree(directory, before)
    for work in WORK:
        run = RankedRun.start(case, directory, [f"model.extra_work={work}", *words])
        if is_killed_in(run, begins):
            break
        shutil.rmtree(directory)
        shutil.copytree(before, directory)
    else:
        raise AssertionError("the run was over each time before anybody looked")
    journal, part = files_of(directory, begins)
    say_that_it_changes(journal)
    with part.open("r+b") as file:
        file.write(bytes(4096))


def files_of(directory: Path, begins: str) -> tuple[Path, Path]:
    name = f"main_{begins}.nc"
    return directory / "journal" / f"{name}.jsonl", directory / "files" / f"{name}.part"


def is_killed_in(run: RankedRun, begins: str) -> bool:
    """False if the file was complete before."""
    journal, part = files_of(run.directory, begins)

    def is_written() -> bool:
        lines = journal.read_bytes().splitlines() if journal.exists() else []
        return part.exists() and len(lines) > 1 and not lines[-1].startswith(b'{"closed"')

    deadline_s = time.monotonic() + ENDS_WITHIN_S
    while run.process.poll() is None:
        assert time.monotonic() < deadline_s, run.errors()
        if not is_written():
            time.sleep(0.001)
            continue
        with stopped(ranks_of(run.directory).values()):
            if is_written():
                kill_together(ranks_of(run.directory).values())
                break
    return run.wait()[0] != 0


def assert_as_whole(whole: Path, killed: Path) -> None:
    ones, others = final_files(whole), final_files(killed)
    assert sorted(ones) == sorted(others)
    for name, file in ones.items():
        assert not difference(content_of(file), content_of(others[name])), name


def names_of(run: Path) -> list[str]:
    return [each.name for each in list_restart_sets(run)]


def test_two_kills_in_a_chain_of_jobs_go_back_a_file_each(
    cli: Cli, model: Path, tmp_path: Path
) -> None:
    """No set lies between two files here: to go back is to change the file before, too."""
    case, whole, run = tmp_path / "case.toml", tmp_path / "whole", tmp_path / "run"
    case.write_text(CASE.replace("P1D", "PT17H30M"))
    done = cli("run", case, "--out", run, "--set", "time.duration=PT12H30M")
    assert done.returncode == 0, done.stderr
    assert names_of(run) == ["20000101T023000Z", "20000101T073000Z", "20000101T123000Z"]
    goes_on = [f"restart.read={run}"]
    kill_in(case, run, goes_on, "20000101T100000Z")
    kill_in(case, run, goes_on, "20000101T050000Z")
    for words, begins in (([whole], ""), ([run, "--continue"], "continues at 9000 s from")):
        done = cli("run", case, "--out", *words)
        assert done.returncode == 0, done.stderr
        assert begins in " ".join(done.stderr.split())
    assert_as_whole(whole, run)


def test_a_stream_that_is_given_a_later_end_goes_back_to_before_its_last_file(
    cli: Cli, model: Path, tmp_path: Path
) -> None:
    """It had ended within that file, and all of it was complete."""
    case, whole, run = tmp_path / "case.toml", tmp_path / "whole", tmp_path / "run"
    case.write_text(CASE)
    words = ["restart.interval=PT1H", "output.file_interval=PT10H"]
    sets = [each for word in words for each in ("--set", word)]
    ends = ["--set", "time.duration=PT13H", "--set", "output.end=PT11H"]
    done = cli("run", case, "--out", run, *sets, *ends)
    assert done.returncode == 0, done.stderr
    assert names_of(run) == ["20000101T090000Z", "20000101T130000Z"]
    kill_in(case, run, [*words, f"restart.read={run}"], "20000101T100000Z")
    done = cli("run", case, "--out", run, "--continue", *sets)
    assert done.returncode == 0, done.stderr
    assert "continues at 32400 s from" in " ".join(done.stderr.split())
    done = cli("run", case, "--out", whole, *sets)
    assert done.returncode == 0, done.stderr
    assert_as_whole(whole, run)


@pytest.mark.slow
def test_of_two_streams_the_one_that_broke_decides(cli: Cli, model: Path, tmp_path: Path) -> None:
    """Another one's file, which holds all times since 12 h, is whole and is gone on with."""
    case, whole, run = tmp_path / "case.toml", tmp_path / "whole", tmp_path / "run"
    other = 'name = "other"\ninterval = "PT12H"\nstart = "PT12H"\nlayout = "chunked"\n'
    case.write_text(CASE.replace("[io]", f"[[output]]\n{other}[io]").replace("P1D", "PT40H"))
    words = ["restart.interval=PT2H"]
    kill_in(case, run, words, "20000102T010000Z")
    sets = [each for word in words for each in ("--set", word)]
    for place, begins in (([whole], ""), ([run, "--continue"], "continues at 86400 s from")):
        done = cli("run", case, "--out", *place, *sets)
        assert done.returncode == 0, done.stderr
        assert begins in " ".join(done.stderr.split())
    assert_as_whole(whole, run)


@pytest.mark.some(6)
@pytest.mark.parametrize("way", ["mpiio", "direct"])
@pytest.mark.parametrize("storage", ["netcdf4 chunked", "netcdf4 contiguous", "cdf5 contiguous"])
def test_a_complete_file_that_was_damaged_is_not_gone_on_with(
    storage: str, way: str, cli: Cli, tmp_path: Path
) -> None:
    """Its damage would have got a checksum of its own."""
    container, layout = storage.split()
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = [case, "--out", run, "--set", f"output.container={container}"]
    words += ["--set", f"output.layout={layout}", "--set", f"io.way={way}"]
    done = cli("run", *words, "--set", "time.duration=PT7H30M")
    assert done.returncode == 0, done.stderr
    last = max(final_files(run).values())
    whole = last.read_bytes()
    last.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert cli("verify", run).returncode == 1
    refused = cli("run", *words, "--continue")
    assert refused.returncode == 2, refused.stderr
    assert f"'{last}' is not what was written: the checksum of bytes" in refused.stderr
    assert "checksums.jsonl' is not this run's, remove that" in refused.stderr
    assert last.read_bytes() != whole
    last.write_bytes(whole)
    assert cli("verify", run).returncode == 0
    done = cli("run", *words, "--continue", "--set", "time.duration=PT12H30M")
    assert done.returncode == 0, done.stderr
    assert cli("verify", run).returncode == 0


def test_a_list_of_checksums_that_is_another_one_is_refused_and_one_that_is_gone_is_told(
    cli: Cli, tmp_path: Path
) -> None:
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(CASE)
    words = [case, "--out", run, "--set", "output.file_interval=PT2H30M"]
    assert cli("run", *words, "--set", "time.duration=PT5H").returncode == 0
    path = run / "checksums.jsonl"
    earlier = path.read_bytes()
    assert cli("run", *words, "--continue", "--set", "time.duration=PT10H").returncode == 0
    latest = path.read_bytes()
    path.write_bytes(earlier)
    before = {each: each.read_bytes() for each in run.rglob("*") if each.is_file()}
    refused = cli("run", *words, "--continue")
    assert refused.returncode == 2, refused.stderr
    assert f"'{path}' is not the one that the run wrote; put that back" in refused.stderr
    changed = {each for each, content in before.items() if each.read_bytes() != content}
    assert changed <= {run / "run.lock"}
    path.write_bytes(latest)
    path.unlink()
    done = cli("run", *words, "--continue", "--set", "time.duration=PT12H30M")
    assert done.returncode == 0, done.stderr
    assert "checksums.jsonl', which the run wrote, is gone" in " ".join(done.stderr.split())
    assert cli("verify", run).returncode == 0
