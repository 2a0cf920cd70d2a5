# SPDX-License-Identifier: Apache-2.0
"""What a run left under final names, as run.json keeps it, so that nothing can vanish unseen."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from thalweg.errors import ThalwegError
from thalweg.files.restart_sets import MANIFEST, list_restart_sets
from thalweg.files.run_directory import RunDirectory


@dataclass(frozen=True)
class Inventory:
    """files: name below files/ -> bytes, those of a store together. checksums: CRC-32 of the list
    of checksums, "" where the run wrote none. restart_sets: name -> CRC-32 of its manifest.
    """

    files: dict[str, int] = field(default_factory=dict)
    checksums: str = ""
    restart_sets: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def take(run: RunDirectory, lost: Mapping[str, int]) -> Inventory:
        """Of a run that has just ended. `lost`: files that were not there when it went on, and are
        missed still. Raises OSError.
        """
        return Inventory(
            {**lost, **{entry.name: size_of(entry) for entry in run.final_entries()}},
            crc32_of(run.checksums_path) if run.checksums_path.exists() else "",
            {each.name: crc32_of(each / MANIFEST) for each in list_restart_sets(run.path)},
        )

    @staticmethod
    def lost_of(run: RunDirectory) -> dict[str, int]:
        """Of a run that goes on: files that are not there any more, as its record tells, or that of
        a continuation which was killed.
        """
        try:
            summary = run.summary()
            told = Inventory.from_json(summary["written"]).files if "written" in summary else None
        except (OSError, ThalwegError):  # there is none, or it is damaged: nothing is known
            return {}
        files = dict(summary.get("lost") or {}) if told is None else told
        return {name: size for name, size in files.items() if not (run.files_path / name).exists()}

    @staticmethod
    def list_of(run: RunDirectory) -> str:
        """CRC-32 of the list of checksums that the run wrote at its end; "" where it wrote none, or
        nothing is known.
        """
        try:
            return str(Inventory.from_json(run.summary()["written"]).checksums)
        except (OSError, KeyError, ThalwegError):
            return ""

    @staticmethod
    def from_json(content: object) -> Inventory:
        """Raises a sentence where run.json holds something else."""
        try:
            inventory = Inventory(**dict(content))  # type: ignore[call-overload]
            lists = inventory.files, inventory.restart_sets
            if all(isinstance(each, dict) for each in lists):
                return inventory
        except (TypeError, ValueError):
            pass
        raise ThalwegError("'run.json' does not say what the run wrote, so nothing can be missed")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def size_of(entry: Path) -> int:
    """Bytes of a file, or of all files of a store."""
    if not entry.is_dir():
        return entry.stat().st_size
    return sum(each.stat().st_size for each in entry.rglob("*") if each.is_file())


def crc32_of(path: Path) -> str:
    """Of a whole file, in hexadecimal digits."""
    return f"{zlib.crc32(path.read_bytes()):08x}"
