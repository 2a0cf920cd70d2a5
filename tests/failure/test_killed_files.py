# SPDX-License-Identifier: Apache-2.0
"""`thalweg verify` on what a kill left: whole times are checked, and only those."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from thalweg.files.inventory import size_of
from thalweg.files.journal import Block, Journal, read_journal
from thalweg.files.run_directory import RunDirectory
from thalweg.testing.ranked_run import kill_together, ranks_of
from thalweg.verify.damage import Wholeness, check_wholeness

Start = Callable[..., Any]  # returns the RunningCase of conftest.py
Cli = Callable[..., Any]
TIMES = 48  # of a file: enough that a look on a busy machine meets some of them
# container, compression, layout, mode: one file, its chunks, a store, messages, parts of writers
WAYS = [
    "cdf5-none-contiguous-async",
    pytest.param("netcdf4-deflate-contiguous-shared_file", marks=pytest.mark.slow),
    "netcdf4-none-chunked-file_parallel",
    "zarr-zstd-contiguous-async",
    "grib2-ccsds-contiguous-shared_file",
]


@dataclass(frozen=True)
class Part:
    """A file that was not complete when the run was killed."""

    run: Path
    name: str
    journal: Journal

    @property
    def path(self) -> Path:
        return RunDirectory(self.run).aside(self.name)

    def blocks(self, time: int) -> list[tuple[Path, Block]]:
        """Of a time that is whole."""
        told = self.journal.times[time].blocks.items()
        return [
            (RunDirectory(self.run).aside(path), block)
            for path, blocks in told
            for block in blocks
            if Path(path).parts[0] == self.name
        ]


def parts_of(run: Path) -> Iterator[Part]:
    """Those with two whole times at least, and not with all."""
    for path in sorted((run / "journal").glob("*.jsonl")):
        journal = read_journal(path)
        if not 2 <= len(journal.times) < TIMES:
            continue
        for name in journal.times[0].files:
            if RunDirectory(run).aside(name).exists():
                yield Part(run, name, journal)


@pytest.fixture(params=WAYS)
def part(request: pytest.FixtureRequest, start_run: Start) -> Part:
    """Of a run whose runner and ranks were killed at once."""
    container, compression, layout, mode = request.param.split("-")
    words = [f"output.container={container}", f"output.compression={compression}"]
    words += [f"output.layout={layout}", f"io.mode={mode}", f"output.file_interval=PT{TIMES}H"]
    words += [f"io.ranks={1 if mode == 'async' else 2}", "machine.ranks=4"]
    run = start_run(*words)
    while True:
        run.wait_for(lambda: any(parts_of(run.directory)))
        with run.stopped():
            if not any(parts_of(run.directory)):
                continue  # it had become complete before the ranks stood still
            kill_together(run.rank_processes())
            run.process.kill()
        break
    run.process.communicate()
    while ranks_of(run.directory):
        time.sleep(0.01)
    return next(parts_of(run.directory))


def flip(path: Path, position: int) -> None:
    with path.open("r+b") as file:
        file.seek(position)
        (byte,) = file.read(1)
        file.seek(position)
        file.write(bytes([byte ^ 1]))


def told(state: Wholeness, part: Part) -> str:
    (sentence,) = (each for each in state.parts if f"'files/{part.name}.part'" in each)
    return sentence


def test_whole_times_of_a_killed_file_are_checked_and_nothing_else_is(part: Part, cli: Cli) -> None:
    times = part.journal.times
    state = check_wholeness(part.run)
    assert (state.damaged, state.missing) == ([], [])
    held = sum(block.size for time in range(len(times)) for _, block in part.blocks(time))
    sentence = told(state, part)
    assert f"{len(times)} times up to {times[-1].time_s:g} s are whole" in sentence
    assert f"checksums of their {held} bytes hold" in sentence
    assert f"the other {size_of(part.path) - held} bytes are uncommitted" in sentence

    path, block = part.blocks(1)[-1]
    flip(path, block.offset + block.size // 2)
    (sentence,) = check_wholeness(part.run).damaged
    assert f"'files/{part.name}.part'" in sentence
    assert f"bytes {block.offset} to {block.offset + block.size - 1} " in sentence
    assert f"in the time of {times[1].time_s:g} s" in sentence
    result = cli("verify", part.run)
    assert result.returncode == 1
    assert f"-damaged[{sentence}]" in result.stdout.splitlines()
    flip(path, block.offset + block.size // 2)

    # Behind the last whole time, and between whole times: what nobody has vouched for.
    ends = [b.offset + b.size for t in range(len(times)) for p, b in part.blocks(t) if p == path]
    content = path.read_bytes()
    path.write_bytes(content[: max(ends)] + bytes(8 + len(content) - max(ends)))
    (first, *_) = sorted(
        b.offset for t in range(len(times)) for p, b in part.blocks(t) if p == path
    )
    if first > 0:
        flip(path, first - 1)
    state = check_wholeness(part.run)
    assert state.damaged == []
    size = size_of(part.path)
    assert f"the other {size - held} bytes are uncommitted" in told(state, part)
    result = cli("verify", part.run, "--json")
    assert result.returncode == 1, "the run did not end"
    assert json.loads(result.stdout)["whole"]["parts"] == state.parts

    path.write_bytes(content[: max(ends) - 1])
    assert len(check_wholeness(part.run).damaged) == 1


@pytest.mark.some(4)
def test_a_file_whose_journal_tells_of_whole_times_is_missed(part: Part) -> None:
    shutil.rmtree(part.path) if part.path.is_dir() else part.path.unlink()
    (sentence,) = check_wholeness(part.run).missing
    assert sentence.startswith(f"'files/{part.name}', in which {len(part.journal.times)} times")


TWO_STREAMS = """
[grid]
name = "R2B2"
[model]
levels = 3
[time]
duration = "PT3H"
[[output]]
name = "main"
interval = "PT1H"
[[output]]
name = "hourly"
interval = "PT1H"
file_interval = "PT1H"
[io]
mode = "async"
[restart]
mode = "sync"
interval = "PT1H"
keep = 3
[machine]
ranks = 3
"""
WITHOUT_HOURLY = re.sub(r'\[\[output\]\]\nname = "hourly"(\n\w.*)+', "", TWO_STREAMS)
HELD = "hourly_20000101T010000Z.nc"


@pytest.fixture
def just_named(
    tmp_path: Path,
    use_slow_disk: Callable[..., Any],
    start_thalweg: Callable[..., Any],
    model: Path,
) -> Path:
    """A run that was killed when HELD had just got its name, and its journal had not heard of it:
    the newest checkpoint that counts is that of the last time in HELD.
    """
    case, run = tmp_path / "case.toml", tmp_path / "run"
    case.write_text(TWO_STREAMS)
    signs = run / f"files/{HELD}.held", run / "restart/20000101T010000Z"
    with use_slow_disk(HELD_NAMED=f"files/{HELD}"):
        held = start_thalweg("run", case, "--out", run)
    while held.poll() is None and not all(sign.exists() for sign in signs):
        time.sleep(0.004)
    kill_together(ranks_of(run).values())
    held.wait()
    signs[0].unlink()
    return run


@pytest.mark.some(2)
@pytest.mark.parametrize("case", [TWO_STREAMS, WITHOUT_HOURLY], ids=["with", "without"])
def test_a_complete_file_whose_journal_a_kill_cut_is_left_so_and_is_no_damage(
    case: str, just_named: Path, cli: Cli, tmp_path: Path
) -> None:
    """Nobody closes its journal: a continuation leaves files that are complete as they are."""
    again = tmp_path / "again.toml"
    again.write_text(case)
    done = cli("run", again, "--out", just_named, "--continue")
    assert done.returncode == 0, done.stderr
    assert "continues at 3600 s" in done.stderr
    assert not read_journal(just_named / f"journal/{HELD}.jsonl").closed
    verified = cli("verify", just_named)
    assert (verified.returncode, verified.stderr) == (0, ""), verified.stdout
    assert verified.stdout.startswith("every checksum holds")
    (note,) = (line for line in verified.stdout.splitlines() if line.startswith("note: "))
    assert note.startswith(f"note: '{just_named}/journal/{HELD}.jsonl' does not say that its file")

    (ours,) = (just_named / "journal").glob("main_*.jsonl")
    text = ours.read_bytes()
    ours.write_bytes(b"".join(text.splitlines(keepends=True)[:-1]))
    verified = cli("verify", just_named)
    assert verified.returncode == 1, "its file has times that the continuation wrote"
    assert f"-damaged['{ours}' is damaged: its last line" in verified.stdout
    ours.write_bytes(text)

    flip(just_named / f"files/{HELD}", size_of(just_named / f"files/{HELD}") // 2)
    verified = cli("verify", just_named)
    assert verified.returncode == 1
    assert f"-damaged[file '{just_named}/files/{HELD}'" in verified.stdout
