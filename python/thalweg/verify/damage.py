# SPDX-License-Identifier: Apache-2.0
"""Whether a run's files and checkpoints are all there, and still the bytes that were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError, UnreadableError
from thalweg.files.checksums import FileChecksums, check_file, read_checksums
from thalweg.files.datasets import open_dataset
from thalweg.files.inventory import Inventory, crc32_of, size_of
from thalweg.files.restart_sets import MANIFEST, check_restart_set, list_restart_sets
from thalweg.files.run_directory import RunDirectory
from thalweg.run.progress import tracked
from thalweg.verify.journals import check_journals, check_parts


@dataclass
class Wholeness:
    """files, sets, size_bytes: that hold; checksums: the run has kept them. Sentences: missing,
    what is not there any more; damaged, what is not what was written; unfinished, why the run did
    not end, "" = it did; parts, what there is of files that are not complete; others, output below
    files/ that the run, which ended, did not write, and journals that it left without their ends:
    nothing is wrong with the run then.
    """

    files: int = 0
    sets: int = 0
    size_bytes: int = 0
    checksums: bool = False
    unfinished: str = ""
    parts: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)

    @property
    def lost(self) -> bool:
        """Is something not as the run left it?"""
        return bool(self.missing or self.damaged)

    @property
    def good(self) -> bool:
        return not self.lost and not self.unfinished and not self.parts

    def line(self) -> str:
        unfinished = [*([self.unfinished] if self.unfinished else []), *self.parts]
        marked = {"unfinished": unfinished}
        marked |= {"missing": self.missing, "damaged": self.damaged}
        lines = [f"-{mark}[{each}]" for mark, sentences in marked.items() for each in sentences]
        what = f"{self.files} file{'s' * (self.files != 1)} ({self.size_bytes / 1e6:.1f} MB), "
        what += f"{self.sets} checkpoint{'s' * (self.sets != 1)}"
        if self.good:
            lines.append(f"{'every checksum holds' if self.checksums else 'no checksums'}: {what}")
        elif not self.lost:
            lines.append(f"what it left is there: {what}")
        lines += [f"note: {each}" for each in self.others]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check_wholeness(path: Path) -> Wholeness:
    """Of a run directory."""
    run, state = RunDirectory(path), Wholeness()
    written = _written(run, state)
    gone = set(_missing_entries(run, written))
    state.missing += [f"'files/{name}' ({written.files[name]} bytes)" for name in sorted(gone)]
    entries = _checksums(run, written, state)
    for entry in tracked(entries, "reading files"):
        name = _name_below_files(run, entry.file)
        # The run may have removed what it had listed.
        if name not in gone and (name in written.files or written == Inventory()):
            _check_entry(run, entry, state)
    if not state.checksums:
        _check_sizes(run, written, gone, state)
        for file in run.complete_files():
            _check_opens(file, state)
        _check_parts(run, written, state)
    else:
        journals = check_journals(run, ended=not state.unfinished)
        state.damaged += journals.damaged
        state.others += journals.told
    _check_sets(run, written, state)
    known = {_name_below_files(run, each.file) for each in entries}
    state.others += _others(run, written, known if state.checksums else None)
    return state


def _written(run: RunDirectory, state: Wholeness) -> Inventory:
    """What run.json says that must be there; a run that was killed has not come so far."""
    if not run.summary_path.exists():
        state.missing.append("'run.json', which says what must be there")
        return Inventory()
    try:
        summary = run.summary()
        state.unfinished = _why_unfinished(summary)
        if summary.get("status") == "running":
            return Inventory()
        return Inventory.from_json(summary.get("written"))
    except ThalwegError as error:
        state.damaged.append(error.sentence)
        return Inventory()


def _why_unfinished(summary: dict[str, Any]) -> str:
    status = summary.get("status")
    if status == "complete":
        return ""
    if status == "running":
        host = dict(summary.get("machine") or {}).get("host", "an unknown host")
        who = f"process {summary.get('process', '?')} on '{host}'"
        return f"the run is still going on, or was killed: {who} has not told of its end"
    reason = f": {summary['error']}" if "error" in summary else ""
    return f"the run {'failed' if status == 'failed' else f'ended as {status!r}'}{reason}"


def _missing_entries(run: RunDirectory, written: Inventory) -> Iterator[str]:
    for name in written.files:
        if not (run.files_path / name).exists():
            yield name


def _others(run: RunDirectory, written: Inventory, known: set[str] | None) -> Iterator[str]:
    """Named like output, below files/, and not in the list of the run, which ended, or not among
    those whose checksums are `known`.
    """
    if written == Inventory():
        return  # nobody knows what it wrote
    unfinished = run.unfinished_files() if written.checksums else []  # else parts tell of them
    for entry in sorted({*run.final_entries(), *unfinished}):
        if entry.name not in written.files:
            yield f"'files/{entry.name}' is not among what the run wrote: it has no checksum"
        elif known is not None and entry.name not in known:
            yield f"'files/{entry.name}' was not there when the run ended: it has no checksum"


def _checksums(run: RunDirectory, written: Inventory, state: Wholeness) -> list[FileChecksums]:
    path = run.checksums_path
    if not path.exists():
        if written.checksums:
            state.missing.append("'checksums.jsonl', which says what the bytes must be")
        return []
    try:
        entries = kept_checksums(run, written.checksums)
    except (OSError, ValueError) as error:
        state.damaged.append(str(error))
        return []
    state.checksums = True
    return entries


def kept_checksums(run: RunDirectory, crc32: str) -> list[FileChecksums]:
    """Of every file, if the list is the one that the run wrote: its CRC-32, "" = unknown. Raises
    OSError, or ValueError with a sentence.
    """
    if crc32 and crc32_of(run.checksums_path) != crc32:
        raise ValueError("'checksums.jsonl' is not the one that the run wrote")
    return read_checksums(run.checksums_path)


def _name_below_files(run: RunDirectory, file: Path) -> str:
    """A shard's name is that of its store."""
    below = file.relative_to(run.path).parts
    return below[1] if len(below) > 1 else ""


def _check_entry(run: RunDirectory, entry: FileChecksums, state: Wholeness) -> None:
    problem = check_file(entry)
    if not entry.file.exists():
        name = entry.file.relative_to(run.path)
        state.missing.append(f"'{name}' ({entry.size_bytes} bytes)")
    elif problem:
        state.damaged.append(f"file '{entry.file}': {problem}")
    else:
        state.files += 1
        state.size_bytes += entry.size_bytes


def _check_sizes(run: RunDirectory, written: Inventory, gone: set[str], state: Wholeness) -> None:
    """All that can be told of files without checksums."""
    for name, expected in written.files.items():
        if name in gone:
            continue
        size = size_of(run.files_path / name)
        if size != expected:
            state.damaged.append(f"'files/{name}' has {size} bytes instead of {expected}")
        else:
            state.files += 1
            state.size_bytes += size


def _check_opens(file: Path, state: Wholeness) -> None:
    """Of a complete file; its values are read later."""
    try:
        open_dataset(file).close()
    except UnreadableError as error:
        state.damaged.append(f"file {error.sentence}")


def _check_parts(run: RunDirectory, written: Inventory, state: Wholeness) -> None:
    """A run that was killed or failed left no checksums of its files, but their journals."""
    parts = check_parts(run, written.files)
    state.parts += parts.told
    state.damaged += parts.damaged
    state.missing += parts.missing


def _check_sets(run: RunDirectory, written: Inventory, state: Wholeness) -> None:
    sets = {each.name: each for each in list_restart_sets(run.path)}
    for name in written.restart_sets:
        if name not in sets:
            state.missing.append(f"'restart/{name}', a checkpoint")
    for name, path in tracked(list(sets.items()), "reading checkpoints"):
        problems = check_restart_set(path)
        expected = written.restart_sets.get(name)
        if not problems and expected and crc32_of(path / MANIFEST) != expected:
            problems = [f"restart set '{path}' is not the one that the run wrote"]
        state.damaged += problems
        state.sets += not problems
