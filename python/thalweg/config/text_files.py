# SPDX-License-Identifier: Apache-2.0
"""Lines of text files that people wrote, and the files that lie beside a script."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from thalweg.errors import ThalwegError

_MOST_FILES = 10_000  # of a folder
_LARGEST_FILE = 500_000_000  # bytes; a script is none that is larger


@dataclass(frozen=True)
class Beside:
    """The folder of a script.

    instead  lines that are read as if files had them, by their label
    """

    script: Path
    instead: Mapping[str, Sequence[str]] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)  # files of folders

    def find(self, name: str) -> Path | None:
        """A file that lies there, if there is one: as its path says, or by its name alone."""
        for each in dict.fromkeys((name, Path(name).name)):
            path = self.script.parent / each
            try:
                if each and not Path(each).is_absolute() and path.is_file():
                    return path
            except OSError:  # a name of thousands of letters
                return None
        return None

    def within(self, folder: str) -> list[str]:
        """Paths of the files in a folder that lies there, and below it; of its own folder without
        those below.
        """
        if folder not in self.known:
            self.known[folder] = self._within(folder)
        return self.known[folder]

    def _within(self, folder: str) -> list[str]:
        path = self.script.parent / folder
        if folder.startswith(("/", "..")):
            return []
        try:
            found = (each for each in path.glob("**/*" if folder else "*") if each.is_file())
            return [self.label(each) for each in sorted(islice(found, _MOST_FILES))]
        except OSError:
            return []

    def label(self, path: Path) -> str:
        """How it is called: its path as seen from the script."""
        return str(path.relative_to(self.script.parent))

    def lines(self, path: Path) -> list[str]:
        found = self.instead.get(self.label(path))
        return read_lines(path) if found is None else list(found)


def read_lines(path: Path) -> list[str]:
    """Without line ends of either kind."""
    return read_text(path).lines


@dataclass(frozen=True)
class Text:
    """Lines of a file without their ends, and what it takes to write them as they were."""

    lines: list[str]
    line_end: str
    encoding: str


def read_text(path: Path) -> Text:
    """As UTF-8 or, where it is none, as Latin-1. line_end: "\r\n" where there are any."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)  # of a pipe or a device nobody knows the size
        if len(content) > _LARGEST_FILE:
            raise ThalwegError(f"'{path}' is no run script: it is larger than 500 MB")
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be read ({error.strerror}); check its path") from error
    if b"\0" in content:
        raise ThalwegError(f"'{path}' is no text; give a run script or a namelist file")
    encoding = "utf-8-sig" if content.startswith(BOM_UTF8) else "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        encoding = "latin-1"
        text = content.decode(encoding)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Text(lines, "\r\n" if "\r\n" in text else "\n", encoding)
