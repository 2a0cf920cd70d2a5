# SPDX-License-Identifier: Apache-2.0
"""Restart sets of a run: which there are, and whether sizes and checksums of their manifests hold.

docs/decisions/0006-restart-sets.md says what a set is; src/restart/manifest.cpp writes them.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thalweg.files.names import DATE

MANIFEST = "manifest.json"
_SET = re.compile(f"({DATE})Z")
_ANY_STATE = re.compile(rf"({DATE})Z(\.part|\.old)?")  # being written, being replaced
_CHECKSUM_KEY = b',\n "manifest_crc32": "'
_SLAB_BYTES = 1 << 22


def list_restart_sets(run: Path) -> list[Path]:
    """Directories of all sets of a run, the oldest first; unfinished ones are left out."""
    return [each for each in list_set_directories(run) if _SET.fullmatch(each.name)]


def list_set_directories(run: Path) -> list[Path]:
    """As above, with unfinished and replaced ones."""
    folder = run / "restart"
    if not folder.is_dir():
        return []
    found = [
        (date[1], each)
        for each in folder.iterdir()
        if (date := _ANY_STATE.fullmatch(each.name)) and each.is_dir()
    ]
    return [each for _, each in sorted(found)]


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a set. Raises ValueError with a sentence if it is missing or damaged."""
    try:
        content = (path / MANIFEST).read_bytes()
    except OSError as error:
        reason = error.strerror
        raise ValueError(f"restart set '{path}' has no readable manifest: {reason}") from error
    text, _, end = content.rpartition(_CHECKSUM_KEY)
    if end != f'{zlib.crc32(text):08x}"\n}}\n'.encode():
        raise ValueError(f"restart set '{path}': the manifest's own checksum does not hold")
    manifest: dict[str, Any] = json.loads(content)
    return manifest


def check_restart_set(path: Path) -> list[str]:
    """One sentence for each thing wrong with a set; [] = whole."""
    try:
        manifest = read_manifest(path)
    except ValueError as error:
        return [str(error)]
    return [problem for file in manifest["files"] for problem in _problems(path, file, manifest)]


def _problems(path: Path, file: dict[str, Any], manifest: dict[str, Any]) -> Iterator[str]:
    where = f"restart set '{path}', file '{file['name']}'"
    try:
        with (path / file["name"]).open("rb") as stream:
            size = stream.seek(0, 2)
            if size != file["bytes"]:
                yield f"{where}: it has {size} bytes instead of {file['bytes']}"
                return
            for part in file["parts"]:
                for number, expected in enumerate(part["crc32"]):
                    begin = number * manifest["block_bytes"]
                    length = min(manifest["block_bytes"], part["bytes"] - begin)
                    stream.seek(part["offset"] + begin)
                    if _checksum(stream, length) != int(expected, 16):
                        first = part["offset"] + begin
                        yield (
                            f"{where}: the checksum of bytes {first} to {first + length - 1} "
                            "does not hold"
                        )
    except OSError as error:
        yield f"{where}: {error.strerror}"


def _checksum(stream: Any, length: int) -> int:
    """CRC-32 of the next bytes of a file."""
    checksum = 0
    while length > 0:
        slab = stream.read(min(length, _SLAB_BYTES))
        if not slab:
            return -1  # it ends early: no checksum fits
        checksum = zlib.crc32(slab, checksum)
        length -= len(slab)
    return checksum
