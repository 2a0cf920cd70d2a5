# SPDX-License-Identifier: Apache-2.0
"""Paths of a run directory and the small JSON files in it (docs/run-directory.md)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.names import DATE, MEMBER, SUFFIX
from thalweg.files.readers import SUFFIXES

_HALF_A_LETTER = re.compile(r"\\u[dD][89a-fA-F]")  # without its other half no text holds it
MOST_DIGITS = 300  # of a number: more do not fit into 64 bits of floating point
# What a run names its output, whole or not.
_OUTPUT = re.compile(rf".+_{DATE}Z({MEMBER})?{SUFFIX}(\.json)?")
_UNFINISHED = re.compile(rf"{_OUTPUT.pattern}(\.fitted)?(\.part(-\d+-\d+\.lock)?|\.old)")


@dataclass(frozen=True)
class RunDirectory:
    """One run directory. Owns nothing; every property is a path or reads one file."""

    path: Path

    @staticmethod
    def open(path: Path | str) -> RunDirectory:
        """Raises a sentence unless the path looks like a run directory."""
        directory = RunDirectory(Path(path))
        if directory.path.exists() and not directory.path.is_dir():
            raise ThalwegError(f"'{path}' is no directory; give the directory of a run")
        if not directory.path.is_dir():
            raise ThalwegError(f"the run '{path}' does not exist; give the directory of a run")
        if not directory.looks_like_a_run():
            raise ThalwegError(
                f"'{path}' is not a run directory: it has no 'experiment.toml' and 'files'"
            )
        directory.refuse_what_is_no_file()
        return directory

    def refuse_what_is_no_file(self) -> None:
        """Whoever opens a named pipe waits for ever. Raises a sentence for the first that a run
        would take for its own.
        """
        ours = [each for each in (*self.records(), self.lock_path) if os.path.lexists(each)]
        roots = [*ours, *self.all_entries(), self.journal_path, self.path / "restart"]
        for entry in roots:
            for each in _all_below(entry):
                if each.is_symlink() and not each.exists():
                    raise ThalwegError(f"'{each}' is a link that leads nowhere; take it away")
                if os.path.lexists(each) and not (each.is_file() or each.is_dir()):
                    raise ThalwegError(
                        f"'{each}' is neither a file nor a directory (a pipe, a socket or a "
                        "device); take it away"
                    )

    def looks_like_a_run(self) -> bool:
        """Enough to read what is there."""
        by_hand = self.experiment_path.is_file() and self.files_path.is_dir()
        return by_hand or self.is_of_the_runner()

    def is_of_the_runner(self) -> bool:
        """Only `thalweg run` makes these: what is named like its files there, it made."""
        return self.lock_path.is_file() or self.summary_path.is_file()

    def ended_well(self) -> bool:
        """As `thalweg run` noted it at its end."""
        return self.summary_path.is_file() and self.summary().get("status") == "complete"

    @property
    def journal_path(self) -> Path:
        return self.path / "journal"

    @property
    def experiment_path(self) -> Path:
        return self.path / "experiment.toml"

    @property
    def files_path(self) -> Path:
        return self.path / "files"

    @property
    def timing_path(self) -> Path:
        return self.path / "timing.json"

    @property
    def events_path(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def summary_path(self) -> Path:
        return self.path / "run.json"

    @property
    def mpi_io_path(self) -> Path:
        return self.path / "mpi_io.json"

    @property
    def checksums_path(self) -> Path:
        return self.path / "checksums.jsonl"

    @property
    def log_path(self) -> Path:
        return self.path / "log.txt"

    @property
    def report_path(self) -> Path:
        """Where `thalweg report` writes its page unless told otherwise."""
        return self.path / "report.html"

    @property
    def lock_path(self) -> Path:
        """Held while a run goes on; it stays, or two runs could lock two files of this name."""
        return self.path / "run.lock"

    def records(self) -> list[Path]:
        """Every file beside files/ and restart/ that a run makes anew, there or not."""
        return [
            self.experiment_path,
            self.timing_path,
            self.events_path,
            self.path / "diagnostics.jsonl",
            self.checksums_path,
            self.path / "checksums.jsonl.old",
            self.mpi_io_path,
            self.log_path,
            self.summary_path,
        ]

    def experiment(self) -> Experiment:
        return Experiment.read(self.experiment_path)

    def summary(self) -> dict[str, Any]:
        """run.json: status, machine, versions, commit, command, metrics, limited_by."""
        return read_json(self.summary_path)

    def complete_files(self) -> list[Path]:
        """Output under its final name, sorted by name. Where several writers made parts of a file,
        what shows them as one: the index, or the first of them.
        """
        files = (file for file in self._entries() if file.suffix in SUFFIXES)
        return sorted(file for file in files if not _is_part(file))

    def final_entries(self) -> list[Path]:
        """All that the output consists of below files/: files, parts of files, stores."""
        return [entry for entry in self._entries() if _OUTPUT.fullmatch(entry.name)]

    def all_entries(self) -> list[Path]:
        """As above, with what is not finished."""
        return [
            entry
            for entry in self._entries()
            if _OUTPUT.fullmatch(entry.name) or _UNFINISHED.fullmatch(entry.name)
        ]

    def written(self) -> tuple[int, int]:
        """Number of files and of their bytes under final names, parts and shards among them."""
        below = (
            [entry] if entry.is_file() else [each for each in entry.rglob("*") if each.is_file()]
            for entry in self.final_entries()
        )
        sizes = [file.stat().st_size for files in below for file in files]
        return len(sizes), sum(sizes)

    def unfinished_files(self) -> list[Path]:
        return sorted(self.files_path.glob("*.part"))

    def aside(self, name: str) -> Path:
        """Where a file, or a shard of a store, lies until it is complete."""
        first, *rest = Path(name).parts
        return self.files_path.joinpath(f"{first}.part", *rest)

    def _entries(self) -> list[Path]:
        return sorted(self.files_path.iterdir()) if self.files_path.is_dir() else []


def _all_below(entry: Path) -> Iterator[Path]:
    yield entry
    if entry.is_dir():
        for folder, folders, files in os.walk(entry):
            yield from (Path(folder, name) for name in (*folders, *files))


def _is_part(file: Path) -> bool:
    """jet_20000101T000000Z.002.nc is a part of jet_20000101T000000Z.nc or, where no such index
    was written, of jet_20000101T000000Z.000.nc.
    """
    part = re.search(rf"({MEMBER})(\.\w+)$", file.name)
    if part is None:
        return False
    index = file.with_name(file.name[: part.start()] + part[2])
    return part[1] != ".000" or index.exists()


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file; a missing or damaged one becomes a sentence."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text, parse_int=_parse_int)
        if _HALF_A_LETTER.search(text):
            json.dumps(content, ensure_ascii=False).encode("utf-8")
    except FileNotFoundError:
        raise ThalwegError(f"'{path}' does not exist; did the run end early?") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ThalwegError(f"'{path}' cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ThalwegError(f"'{path}' holds no JSON object")
    return content


def _parse_int(digits: str) -> int | float:
    """What no floating point can hold is infinite, as 1e999 is."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """One object per line, for events.jsonl and diagnostics.jsonl."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
