# SPDX-License-Identifier: Apache-2.0
"""Files that a killed or failed run left aside: what their journals say that is whole, is checked.

A journal names the times that all writers have written, and the checksums of their bytes where the
writers took any. All other bytes of such a file, its description too, nobody has vouched for yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.checksums import check_blocks
from thalweg.files.inventory import size_of
from thalweg.files.journal import Block, Journal, JournalTime, read_journal
from thalweg.files.run_directory import RunDirectory
from thalweg.files.streams import stream_of
from thalweg.run.progress import tracked


@dataclass
class Parts:
    """Sentences: about what is not complete, file or journal; damaged; missing."""

    told: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def check_parts(run: RunDirectory, listed: Collection[str]) -> Parts:
    """Reads the committed bytes of every file below files/ that has not got its name.

    listed: names of files that are missed, if they are, without a journal
    """
    parts = Parts()
    times = _whole_times(run, parts)
    left = {each.name.removesuffix(".part") for each in run.unfinished_files()}
    for name in sorted(times.keys() - left - set(listed)):
        if not (run.files_path / name).exists():
            whole = _some_times(len(times[name]))
            parts.missing.append(f"'files/{name}', in which {whole} of output were whole")
    for name in tracked(sorted(left), "reading unfinished files"):
        _check_part(run, name, times.get(name, []), parts)
    return parts


def check_journals(run: RunDirectory, ended: bool) -> Parts:
    """Of complete files: `--continue` needs them, too. Where the run has ended they are closed,
    unless a kill came before and the run went on behind such a file, or without its stream.
    """
    parts = Parts()
    for path, journal in _journals(run, parts):
        name = path.name.removesuffix(".jsonl")
        if not ended or journal.closed or not (run.files_path / name).exists():
            continue
        if _was_left(run, name, journal):
            parts.told.append(
                f"'{path}' does not say that its file is complete: the run may have been killed "
                "just then, and has left both as they were"
            )
        else:
            parts.damaged.append(
                f"'{path}' is damaged: its last line, which says that the file is complete, is "
                "not there"
            )
    return parts


def _was_left(run: RunDirectory, name: str, journal: Journal) -> bool:
    """By the last continuation: it leaves streams that it has not, and complete files of times up
    to its checkpoint, as they are.
    """
    streams = run.experiment().stream_names()
    if stream_of(Path(name), streams) not in streams:
        return True
    start = dict(run.summary().get("start") or {})
    begin_s = round(float(start.get("begin_s", 0.0)), 3)  # times of journals are whole ms
    return begin_s > 0.0 and bool(journal.times) and journal.times[-1].time_s <= begin_s


def _whole_times(run: RunDirectory, parts: Parts) -> dict[str, list[JournalTime]]:
    """By name below files/."""
    times: dict[str, list[JournalTime]] = {}
    for _, journal in _journals(run, parts):
        for time in journal.times:
            for name in time.files:
                times.setdefault(name, []).append(time)
    return times


def _journals(run: RunDirectory, parts: Parts) -> Iterator[tuple[Path, Journal]]:
    for path in sorted(run.journal_path.glob("*.jsonl")):
        try:
            journal = read_journal(path)
        except ThalwegError as error:
            parts.damaged.append(error.sentence)
            continue
        yield path, journal


def _check_part(run: RunDirectory, name: str, times: list[JournalTime], parts: Parts) -> None:
    aside = run.aside(name)
    damaged = list(_damaged(run, name, times))
    try:
        size = size_of(aside)
    except FileNotFoundError:
        return  # a run that goes on has given it its name meanwhile
    shown = f"'files/{aside.name}'"
    if damaged:
        parts.damaged += [f"file {shown}: {sentence}" for sentence in damaged]
        return
    told = f"{shown} is not complete: "
    if not times:
        told += "no journal tells of a whole time in it"
        parts.told.append(f"{told}, its {size} bytes are uncommitted")
        return
    whole = f"{_some_times(len(times))} up to {times[-1].time_s:g} s are whole in it"
    summed = [block.size for time in times for _, block in _blocks_of(name, time)]
    if not summed:
        parts.told.append(f"{told}{whole}, but its writers took no checksums of them")
        return
    held = sum(summed)
    told += f"{whole} and the checksums of their {held} bytes hold"
    parts.told.append(f"{told}, the other {size - held} bytes are uncommitted")


def _damaged(run: RunDirectory, name: str, times: list[JournalTime]) -> Iterator[str]:
    """At most one sentence for each time."""
    for time in times:
        for path, block in _blocks_of(name, time):
            problem = check_blocks(run.aside(path), [(block.offset, block.size, block.crc32)])
            if problem:
                shard = "" if path == name else f"'{Path(path).relative_to(name)}': "
                yield f"{shard}{problem}, in the time of {time.time_s:g} s, which was whole"
                break


def _blocks_of(name: str, time: JournalTime) -> Iterator[tuple[str, Block]]:
    """Of a file, or of all files of a store: (path below files/, block)."""
    for path, blocks in time.blocks.items():
        if Path(path).parts[0] == name:
            for block in blocks:
                yield path, block


def _some_times(number: int) -> str:
    return f"{number} time{'s' if number != 1 else ''}"
