# SPDX-License-Identifier: Apache-2.0
"""Output files of a run against the checksums that their writers kept.

docs/decisions/0007-checksums-of-output.md has the layout; src/file/checksums.cpp writes it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_SLAB_BYTES = 1 << 22
_KEY = "crc32_of_lines_above"

CheckedBlock = tuple[int, int, int]  # offset, bytes, CRC-32


@dataclass(frozen=True)
class FileChecksums:
    """One file: blocks from its first to its last byte."""

    file: Path
    size_bytes: int
    blocks: tuple[CheckedBlock, ...]


def read_checksums(path: Path) -> list[FileChecksums]:
    """Every file of checksums.jsonl. Raises ValueError with a sentence if the list is damaged."""
    lines = path.read_bytes().splitlines(keepends=True)
    text = b"".join(lines[:-1])
    if not lines or lines[-1] != f'{{"{_KEY}":"{zlib.crc32(text):08x}"}}\n'.encode():
        raise ValueError(f"'{path}' is damaged: its own checksum does not hold")
    entries = [json.loads(line) for line in lines[:-1]]
    return [
        FileChecksums(
            path.parent / entry["file"],
            entry["bytes"],
            tuple((offset, size, int(crc, 16)) for offset, size, crc in entry["blocks"]),
        )
        for entry in entries
    ]


def check_file(checksums: FileChecksums) -> str:
    """What is wrong with a file, in one sentence; "" = nothing."""
    try:
        problem = check_size(checksums)
    except OSError as error:
        return error.strerror or str(error)
    return problem or check_blocks(checksums.file, checksums.blocks)


def check_size(checksums: FileChecksums) -> str:
    """Of the number of bytes only. Raises OSError."""
    size = checksums.file.stat().st_size
    expected = checksums.size_bytes
    return "" if size == expected else f"it has {size} bytes instead of {expected}"


def check_blocks(file: Path, blocks: Iterable[CheckedBlock]) -> str:
    """The same for some of its bytes."""
    try:
        bad = first_bad_block(file, blocks)
    except OSError as error:
        return error.strerror or str(error)
    if bad is None:
        return ""
    offset, length, _ = bad
    return f"the checksum of bytes {offset} to {offset + length - 1} does not hold"


def first_bad_block(file: Path, blocks: Iterable[CheckedBlock]) -> CheckedBlock | None:
    """The first whose checksum does not hold. Raises OSError."""
    with file.open("rb") as stream:
        for offset, length, expected in blocks:
            stream.seek(offset)
            checksum = 0
            for slab in _slabs(stream.read, length):
                checksum = zlib.crc32(slab, checksum)
            if checksum != expected:
                return offset, length, expected
    return None


def _slabs(read: Callable[[int], bytes], length: int) -> Iterator[bytes]:
    while length > 0:
        slab = read(min(length, _SLAB_BYTES))
        if not slab:
            return  # it ends early: the checksum will not hold
        length -= len(slab)
        yield slab
