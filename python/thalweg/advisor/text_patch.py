# SPDX-License-Identifier: Apache-2.0
"""A changed text file as a difference from the old one, and as a copy beside it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg.config.text_files import Text
from thalweg.errors import ThalwegError


def difference(name: str, text: Text, lines: Sequence[str]) -> Iterator[str]:
    """Lines of a unified diff from what a file of that name has to these."""
    end = "\r" if text.line_end == "\r\n" else ""
    old, new = ([f"{line}{end}" for line in each] for each in (text.lines, lines))
    return difflib.unified_diff(old, new, name, name, lineterm="", n=1)


def refuse_existing(path: Path) -> None:
    if path.exists():
        raise ThalwegError(f"'{path}' exists; give --write another name")


def write_like(path: Path, original: Path, text: Text, lines: Sequence[str]) -> None:
    """Encoded as the original is, with its permissions. Never over a file that is there."""
    made = False
    try:
        with path.open("xb") as file:
            made = True
            file.write(text.line_end.join(lines).encode(text.encoding))
        path.chmod(original.stat().st_mode & 0o777)
    except OSError as error:
        if made:
            path.unlink(missing_ok=True)
        raise ThalwegError(f"'{path}' cannot be written: {error.strerror}") from None
