# SPDX-License-Identifier: Apache-2.0
"""Whether a run's files and checkpoints are still the bytes that were written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thalweg.files.checksums import check_file, read_checksums
from thalweg.files.restart_sets import check_restart_set, list_restart_sets
from thalweg.files.run_directory import RunDirectory
from thalweg.verify.progress import tracked


@dataclass(frozen=True)
class Wholeness:
    """files, sets, size_bytes: that hold; checksums: the run has kept them; damaged: sentences."""

    files: int
    sets: int
    size_bytes: int
    checksums: bool
    damaged: tuple[str, ...]

    def line(self) -> str:
        if self.damaged:
            return "\n".join(f"-damaged[{sentence}]" for sentence in self.damaged)
        what = f"{self.files} files ({self.size_bytes / 1e6:.1f} MB), {self.sets} checkpoints"
        if self.checksums:
            return f"every checksum holds: {what}"
        return f"no checksums of files: the run did not end; {self.sets} checkpoints are whole"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check_wholeness(path: Path) -> Wholeness:
    """Of a run directory."""
    run = RunDirectory(path)
    damaged: list[str] = []
    files = size_bytes = sets = 0
    entries = []
    if run.checksums_path.exists():
        try:
            entries = read_checksums(run.checksums_path)
        except ValueError as error:
            damaged.append(str(error))
    for entry in tracked(entries, "reading files"):
        problem = check_file(entry)
        if problem:
            damaged.append(f"file '{entry.file}': {problem}")
        files += not problem
        size_bytes += 0 if problem else entry.size_bytes
    for each in tracked(list_restart_sets(path), "reading checkpoints"):
        problems = check_restart_set(each)
        damaged += problems
        sets += not problems
    return Wholeness(files, sets, size_bytes, run.checksums_path.exists(), tuple(damaged))
