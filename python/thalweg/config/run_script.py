# SPDX-License-Identifier: Apache-2.0
"""Reads a run script or a namelist file: what files it writes, with variables resolved there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from thalweg.config.namelist import Group
from thalweg.config.script_namelists import Namelists
from thalweg.config.text_files import Beside, read_text
from thalweg.errors import ThalwegError
from thalweg.shell.files.commands import FileCommands
from thalweg.shell.files.contents import Content, Outside, Written
from thalweg.shell.files.files import Files
from thalweg.shell.files.folders import Folders
from thalweg.shell.lines import NumberedLine, begins_group
from thalweg.shell.paths import known_root, last_of
from thalweg.shell.tree.parser import parse_script
from thalweg.shell.tree.tree import Body
from thalweg.shell.unresolved import show_unresolved
from thalweg.shell.values.variables import Variables
from thalweg.shell.walk.run import run_script
from thalweg.shell.walk.simple import IS_BASH

_NOT_READ = "is written or changed here in a way that is not read"
_IS_KSH = re.compile(r"#!.*[/ ](?:ksh|zsh)")
_IS_BASH = re.compile(r"#!.*[/ ]bash\b")
_SETTING = re.compile(r"(\w+)=(.*)", re.DOTALL)


@dataclass
class RunScript:
    """groups    of every namelist file, in the order of the files and of their groups
    texts        lines of the other files that the script writes, by name
    links        names of links to files
    doubtful     "FILE:LINE" of here-documents under a condition that cannot be known, by file
    passed_over  sentences about namelists that are written or changed in a way that is not read
    sourced      labels of the scripts beside this one that it sources
    """

    path: Path
    variables: Variables
    groups: dict[str, list[Group]] = field(default_factory=dict)
    texts: dict[str, list[NumberedLine]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    doubtful: dict[str, list[str]] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)
    sourced: list[str] = field(default_factory=list)

    def settings_that_differ(self) -> dict[str, list[str]]:
        """Variables of --set that the script gives more than one value, with these."""
        found = {}
        for name, values in self.variables.overridden.items():
            if len(values) > 1 and name in self.variables.used:
                found[name] = [show_unresolved(each) for each in values]
        return found

    def unused_settings(self) -> list[str]:
        return sorted(set(self.variables.given) - self.variables.used)

    def cause(self) -> str:
        """What may be why something else is wrong or lacking; "" where nothing is known."""
        return _cause(self.passed_over)

    def beside(self, name: str) -> Path | None:
        """A file that lies where the script does, if there is one."""
        return Beside(self.path).find(name)


def _cause(passed_over: Sequence[str]) -> str:
    found = [each for each in passed_over if " that ends it: " in each] or [
        each for each in passed_over if _NOT_READ in each
    ]
    return f" (this may be why: {found[0]})" if found else ""


def parse_settings(words: Sequence[str]) -> dict[str, str]:
    """ "NAME=VALUE" of --set, by name."""
    found = {}
    for word in words:
        match = _SETTING.fullmatch(word)
        if match is None:
            raise ThalwegError(f"--set '{word}' names no variable; write --set NAME=VALUE")
        found[match[1]] = match[2]
    return found


def read_run_script(
    path: Path, given: dict[str, str], instead: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> RunScript:
    """A namelist file is read as it is, anything else as a script that writes namelists.

    instead: lines that are read as if files beside the script, or itself, had them, by label
    """
    beside = Beside(path, instead)
    lines = beside.lines(path)
    script = RunScript(path, Variables(given))
    namelists = Namelists(beside)
    contents: dict[str, Content] = {}
    first = next((line for line in lines if line.strip() and line.lstrip()[:1] not in "!#"), "")
    if begins_group(first) and not lines[0].startswith("#!"):
        namelists.take_file(path.name, enumerate(lines, 1))
    else:
        if beside.label(path) not in instead:
            _tell_of_windows(path, namelists.passed_over)
        contents = _run(lines, beside, script, namelists)
    namelists.include(contents)
    namelists.tell_lacking(contents)
    script.groups, script.doubtful = namelists.groups, namelists.doubtful
    script.passed_over = list(dict.fromkeys(namelists.passed_over))
    broken = [each for each in script.passed_over if " that ends it: " in each]
    if not any(script.groups.values()) and broken:
        raise ThalwegError(f"{broken[0].partition(': what')[0]}, and no namelist group is found")
    if not any(script.groups.values()) and script.passed_over:
        raise ThalwegError(
            f"{script.passed_over[0]}, and no other is in it; write it by 'cat > FILE << EOF', or "
            "give the namelist file"
        )
    if not any(script.groups.values()):
        raise ThalwegError(
            f"{path.name}: no namelist group is in it; give an ICON run script that holds its "
            "namelists, or a namelist file"
        )
    return script


def _run(
    lines: Sequence[str], beside: Beside, script: RunScript, namelists: Namelists
) -> dict[str, Content]:
    """Files as the script leaves them, by path."""
    if lines and _IS_KSH.match(lines[0]):  # whose versions differ in that
        script.variables.options.add("?lastpipe")
    if lines and _IS_BASH.match(lines[0]):
        script.variables.options.add(IS_BASH)
    unclosed: list[str] = []
    sourced = _Sourced(beside, unclosed)
    files = Files(
        Folders(script.variables), beside=beside.within, read=partial(_lines_of, beside, unclosed)
    )
    commands = FileCommands(script.variables, files)
    try:
        unread = run_script(
            parse_script(lines, script.path.name, 1, unclosed),
            script.variables,
            commands,
            sourced.body,
        )
    except RecursionError:
        raise ThalwegError(
            f"{script.path.name}: brackets or commands are too deep in one another; a run script "
            "has fewer"
        ) from None
    namelists.passed_over += unclosed
    namelists.passed_over += files.unread.sentences()
    if files.too_large:
        namelists.passed_over.append(
            f"{files.too_large}: from here on the files of the script are larger than what is "
            "followed: what is written to them is not counted"
        )
    namelists.passed_over += files.started.go_back(
        files.contents, files.removed.gone, files.templates
    )
    try:
        namelists.made_unread = files.unread.made
        namelists.take(
            files.contents, files.is_gone, files.templates, files.symbolic_links(),
            files.started_in,
        )  # fmt: skip
    except ThalwegError as error:
        raise ThalwegError(f"{error}{_cause(namelists.passed_over)}") from error
    namelists.passed_over += unread
    namelists.tell_anew(files.started.written_anew if files.started.at else files.written_anew)
    script.sourced = [beside.label(path) for path in sourced.read]
    script.links = {last_of(path): last_of(behind) for path, behind in files.links.items()}
    script.texts = {
        last_of(path): _text(content, beside)
        for path, content in files.contents.items()
        if content.lines() and not content.has_groups(path)
    }
    return files.contents


def _tell_of_windows(path: Path, told: list[str]) -> None:
    if read_text(path).line_end == "\r\n":
        told.append(
            f"{path.name}: its lines end as on Windows (CR LF), and are read without CR: a shell "
            "takes it for a part of values and names"
        )


def _lines_of(beside: Beside, told: list[str], path: str) -> list[Written] | None:
    """Of the very file beside the script, if it is a text."""
    found = beside.find(path)
    if found is None or beside.label(found) != path:
        return None
    try:
        lines = beside.lines(found)
        _tell_of_windows(found, told)
    except ThalwegError:
        return None
    lines = lines[:-1] if lines[-1:] == [""] else lines
    return [Written(path, number, line) for number, line in enumerate(lines, 1)]


def _text(content: Content, beside: Beside) -> list[NumberedLine]:
    found: list[NumberedLine] = []
    for piece in content.whole():
        if not isinstance(piece, Outside):
            found.append((piece.number, piece.text))
        elif path := beside.find(piece.path):
            found += enumerate(beside.lines(path), 1)
    return found


@dataclass
class _Sourced:
    """Scripts beside this one that it sources; each is read once."""

    beside: Beside
    unclosed: list[str]
    read: dict[Path, Body] = field(default_factory=dict)

    def body(self, name: str) -> Body | None:
        """None where it does not lie beside, as one of a system."""
        path = None if name.startswith(("/", "~")) else self.beside.find(name)
        if path is None or path == self.beside.script:
            return None
        if self.beside.label(path) != name and known_root(name) == "":
            return None  # another one of its name
        if path not in self.read:
            lines = self.beside.lines(path)
            _tell_of_windows(path, self.unclosed)
            self.read[path] = parse_script(lines, self.beside.label(path), 1, self.unclosed)
        return self.read[path]
