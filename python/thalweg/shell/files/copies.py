# SPDX-License-Identifier: Apache-2.0
"""cp, mv and ln: their options, and what they do with one file or one folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thalweg.shell.files.files import Files
from thalweg.shell.tree.tree import Simple

LINKS = frozenset({"ln", "add_link_file", "add_required_file"})
_LONG_OPTIONS = {
    "--no-clobber": "n", "--force": "f", "--symbolic": "s", "--symbolic-link": "s", "--link": "l",
    "--backup": "b", "--update": "u", "--no-target-directory": "T", "--recursive": "r",
    "--archive": "a", "--preserve": "", "--verbose": "", "--dereference": "", "--interactive": "",
    "--no-dereference": "", "--one-file-system": "", "--parents": "\0", "--reflink": "",
}  # fmt: skip
_WITH_VALUE = re.compile("([tS])")
_SHORT_OPTIONS = frozenset("nfslbuTrRapvLPHdixD")


@dataclass(frozen=True)
class Options:
    """Of cp, mv and ln. target: the folder behind -t; suffix: of what is kept"""

    letters: str
    operands: Sequence[str]
    target: Sequence[str] = ()
    suffix: str = "~"

    @classmethod
    def of(cls, simple: Simple) -> Options | None:
        """None where one is not known."""
        words, target, letters, suffix = list(simple.words[1:]), list[str](), "", "~"
        operands: list[str] = []
        while words:
            word = words.pop(0)
            name, _, value = word.partition("=")
            if word == "--":
                operands, words = [*operands, *words], []
            elif not word.startswith("-") or word == "-":
                operands.append(word)
            elif name in ("--target-directory", "--suffix"):
                target += [value] if name == "--target-directory" else []
                suffix = value if name == "--suffix" else suffix
                letters += "b" if name == "--suffix" else ""
            elif word.startswith("--"):
                if name not in _LONG_OPTIONS:
                    return None
                letters += _LONG_OPTIONS[name]
            else:
                short, *values = _WITH_VALUE.split(word[1:], maxsplit=1)
                letters += short
                if values:
                    value = values[1] or (words.pop(0) if words else "")
                    target += [value] if values[0] == "t" else []
                    suffix = value if values[0] == "S" else suffix
                    letters += "b" if values[0] == "S" else ""
        if set(letters) - _SHORT_OPTIONS:
            return None
        return cls(letters, operands, target, suffix)

    @property
    def is_file(self) -> bool:
        return "T" in self.letters

    @property
    def keeps_old(self) -> bool:
        return "b" in self.letters

    @property
    def is_newer(self) -> bool:
        return "u" in self.letters


@dataclass(frozen=True)
class Copy:
    """One of a cp, mv or ln."""

    files: Files
    command: str
    options: Options
    at: str
    sure: bool

    @property
    def is_link(self) -> bool:
        """A symbolic one."""
        if self.command == "ln":
            return "s" in self.options.letters
        return self.command in LINKS or (self.command == "cp" and "s" in self.options.letters)

    def run(self, source: str, target: str) -> None:
        """Of a folder, what is in it."""
        files, letters = self.files, self.options.letters
        source = files.behind_links(source)
        within = [] if self.is_link else files.within(source)
        if within and self.command == "cp" and not set("rRa") & set(letters):
            return
        for path in within or [source]:
            below = path.removeprefix(source).lstrip("/")
            goal = f"{target}/{below}".lstrip("/" * (not target)) if within else target
            if within:
                files.folder(files.behind_links(goal).rpartition("/")[0])
            else:
                path = files.place(path, self.at, other=target)
                goal = files.place(goal, self.at, other=path) if path != goal else goal
            self._run_one(path, goal)

    def _run_one(self, source: str, target: str) -> None:
        files, letters, at, sure = self.files, self.options.letters, self.at, self.sure
        is_there = files.is_there(target)
        if self.is_link:
            forced = self.command in LINKS and (self.command != "ln" or "f" in letters)
            files.link(source, target, at, sure=sure, forced=forced)
        elif self.command == "ln" or "l" in letters:
            files.twin(source, target, at, sure=sure, forced="f" in letters)
        elif not ("n" in letters and is_there):
            if self.options.keeps_old and is_there:
                files.copy(target, f"{target}{self.options.suffix}", at, sure=sure)
            sure = sure and "n" not in letters
            if self.command == "mv":
                files.move(source, target, at, sure=sure)
            else:
                files.copy(
                    source, target, at, sure=sure and not (self.options.is_newer and is_there)
                )
