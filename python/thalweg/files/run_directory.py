# SPDX-License-Identifier: Apache-2.0
"""Paths of a run directory and the small JSON files in it (docs/run-directory.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.config.errors import ThalwegError
from thalweg.config.experiment import Experiment

# What a container names its files (src/format/containers.cpp).
CONTAINER_SUFFIXES = (".nc", ".grb2", ".zarr", ".raw")


@dataclass(frozen=True)
class RunDirectory:
    """One run directory. Owns nothing; every property is a path or reads one file."""

    path: Path

    @staticmethod
    def open(path: Path | str) -> RunDirectory:
        """Raises a sentence unless the path looks like a run directory."""
        directory = RunDirectory(Path(path))
        if not directory.path.is_dir():
            raise ThalwegError(f"the run '{path}' does not exist; give the directory of a run")
        if not directory.looks_like_a_run():
            raise ThalwegError(
                f"'{path}' is not a run directory: it has no 'experiment.toml' and 'files'"
            )
        return directory

    def looks_like_a_run(self) -> bool:
        return self.experiment_path.is_file() and self.files_path.is_dir()

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

    def experiment(self) -> Experiment:
        return Experiment.read(self.experiment_path)

    def summary(self) -> dict[str, Any]:
        """run.json: status, machine, versions, commit, command, metrics, limited_by."""
        return read_json(self.summary_path)

    def complete_files(self) -> list[Path]:
        """Output under its final name, sorted by name. Where several writers made parts of a file,
        what shows them as one: the index, or the first of them.
        """
        files = (file for file in self.files_path.iterdir() if file.suffix in CONTAINER_SUFFIXES)
        return sorted(file for file in files if not _is_part(file))

    def written(self) -> tuple[int, int]:
        """Number of files and of their bytes under final names, parts and shards among them."""
        sizes = [
            file.stat().st_size
            for file in self.files_path.rglob("*")
            if file.is_file() and ".part" not in str(file.relative_to(self.files_path))
        ]
        return len(sizes), sum(sizes)

    def unfinished_files(self) -> list[Path]:
        return sorted(self.files_path.glob("*.part"))


def _is_part(file: Path) -> bool:
    """jet_20000101T000000Z.002.nc is a part of jet_20000101T000000Z.nc or, where no such index
    was written, of jet_20000101T000000Z.000.nc.
    """
    part = re.search(r"\.(\d{3})(\.\w+)$", file.name)
    if part is None:
        return False
    index = file.with_name(file.name[: part.start()] + part[2])
    return part[1] != "000" or index.exists()


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file; a missing or damaged one becomes a sentence."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ThalwegError(f"'{path}' does not exist; did the run end early?") from None
    except (OSError, ValueError) as error:
        raise ThalwegError(f"'{path}' cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ThalwegError(f"'{path}' holds no JSON object")
    return content


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """One object per line, for events.jsonl and diagnostics.jsonl."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
