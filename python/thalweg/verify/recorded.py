# SPDX-License-Identifier: Apache-2.0
"""Files of a run, which somebody is about to read, against the checksums that the run kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.checksums import FileChecksums, check_size, first_bad_block
from thalweg.files.inventory import Inventory
from thalweg.files.run_directory import RunDirectory
from thalweg.run.progress import tracked
from thalweg.verify.damage import kept_checksums
from thalweg.verify.values_at import values_at


def refuse_damaged(paths: Iterable[Path]) -> None:
    """Reads those that lie in a run with checksums. Raises a sentence for the first that is not
    what the run wrote: file, variables and times.
    """
    for path, entry in tracked(list(_recorded(paths)), "checking"):
        try:
            problem = check_size(entry) or _damage(entry)
        except OSError as error:
            raise ThalwegError(f"'{path}' cannot be read: {error.strerror}") from error
        if problem:
            raise ThalwegError(
                f"'{path}' is not what the run wrote: {problem}; `thalweg verify` tells all that "
                "is damaged, and files that are copied out of the run are taken as they are"
            )


def _damage(entry: FileChecksums) -> str:
    block = first_bad_block(entry.file, entry.blocks)
    if block is None:
        return ""
    offset, size, _ = block
    held = values_at(entry.file, offset, offset + size)
    what = f" ({held})" if held else ""
    return f"the checksum of bytes {offset} to {offset + size - 1}{what} does not hold"


def _recorded(paths: Iterable[Path]) -> Iterable[tuple[Path, FileChecksums]]:
    lists: dict[Path, dict[Path, FileChecksums]] = {}
    for path in paths:
        real = path.resolve()
        folder = real.parent.parent
        if folder not in lists:
            lists[folder] = {each.file: each for each in _kept(RunDirectory(folder))}
        if real in lists[folder]:
            yield path, lists[folder][real]


def _kept(run: RunDirectory) -> list[FileChecksums]:
    if not run.checksums_path.is_file():
        return []
    try:
        return kept_checksums(run, Inventory.list_of(run))
    except (OSError, ValueError) as error:
        raise ThalwegError(
            f"nobody can tell whether '{run.files_path}' holds what the run wrote: {error}"
        ) from error
