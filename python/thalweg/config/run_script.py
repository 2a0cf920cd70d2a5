# SPDX-License-Identifier: Apache-2.0
"""Reads a run script or a namelist file: what files it writes, with variables resolved there."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from thalweg.config.namelist import Group, NumberedLine, begins_group, read_namelist
from thalweg.config.shell_commands import FileCommands
from thalweg.config.shell_files import Content, Files, Outside
from thalweg.config.shell_run import run_statements
from thalweg.config.shell_statements import split_script
from thalweg.config.shell_words import Variables
from thalweg.config.unresolved import has_unresolved, show_unresolved, unresolved_names
from thalweg.errors import ThalwegError

_HEAD = re.compile(r"\$(\w+_nml)\b", re.IGNORECASE)
_SETTING = re.compile(r"(\w+)=(.*)", re.DOTALL)
_LARGEST_FILE = 500_000_000  # bytes; a script is none that is larger


@dataclass
class RunScript:
    """groups    of every namelist file, in the order of the files and of their groups
    texts        lines of the other files that the script writes, by name
    links        names of links to files
    doubtful     lines of here-documents under a condition that cannot be known, by file
    passed_over  sentences about namelists that are written or changed in a way that is not read
    """

    path: Path
    variables: Variables
    groups: dict[str, list[Group]] = field(default_factory=dict)
    texts: dict[str, list[NumberedLine]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    doubtful: dict[str, list[int]] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)

    def unused_settings(self) -> list[str]:
        return sorted(set(self.variables.given) - self.variables.used)

    def beside(self, name: str) -> Path | None:
        """A file that lies where the script does, if there is one."""
        path = self.path.parent / Path(name).name
        return path if name and Path(name).name and path.is_file() else None


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

    instead: lines that are read as if the files of these names had them
    """
    lines = list(instead.get(path.name) or read_lines(path))
    script = RunScript(path, Variables(given))
    commands = FileCommands(script.variables, Files())
    first = next((line for line in lines if line.strip() and line.lstrip()[:1] not in "!#"), "")
    if begins_group(first) and not lines[0].startswith("#!"):
        numbered = enumerate(lines, 1)
        script.groups[path.name] = _groups(numbered, path.name, script.passed_over)
    else:
        run_statements(split_script(lines, path.name), script.variables, commands)
        _take_files(commands, script, instead)
    _include(script, commands.files, instead)
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


def _take_files(
    commands: FileCommands, script: RunScript, instead: Mapping[str, Sequence[str]]
) -> None:
    """What the script wrote: groups of namelists, lines of other files."""
    files = commands.files
    script.links = files.links
    script.passed_over = [
        f"{script.path.name}:{line}: a namelist is written or changed here in a way that is not "
        "read (by a function, echo, sed, a pipe or another program, or by a command that need not "
        "be run): it is not counted"
        for line in sorted({*commands.passed_over, *files.not_followed})
    ]
    counted = files.counted(lambda name: script.beside(name) is not None)
    of_counted = {line for content in counted.values() for line in content.doubtful}
    for name, content in files.contents.items():
        lines = content.lines()
        if content.has_groups(name):
            told = set() if name in counted else of_counted
            if set(content.doubtful) - told:
                script.doubtful[name] = content.doubtful
            if name in counted:
                script.groups[name] = _groups_of(name, content, script, instead)
        elif lines:
            script.texts[name] = [
                (number, text) for _, number, text in _read(name, content, script, instead)
            ]
    script.groups = {name: each for name, each in script.groups.items() if each}
    _leave_out(files, script)


def _leave_out(files: Files, script: RunScript) -> None:
    """Copies of what a file was before the script wrote it anew, as a loop over runs keeps them;
    but not those that a master namelist names.
    """
    named = _named_by_masters(script)
    for name in list(script.groups):
        if files.is_kept_aside(name) and name not in named:
            origin = files.contents[name].origin
            del script.groups[name]
            script.passed_over.append(
                f"{script.path.name}: '{name}' keeps what '{origin}' was before it was written "
                "again: it is not counted"
            )


def _groups_of(
    name: str, content: Content, script: RunScript, instead: Mapping[str, Sequence[str]]
) -> list[Group]:
    lines = _read(name, content, script, instead)
    return _groups([each[1:] for each in lines], script.path.name, script.passed_over,
                   [each[0] for each in lines])  # fmt: skip


def _read(
    name: str, content: Content, script: RunScript, instead: Mapping[str, Sequence[str]]
) -> list[tuple[str, int, str]]:
    """File, number and text of each line; of files that lie beside the script those there."""
    found: list[tuple[str, int, str]] = []
    for piece in content.pieces:
        if not isinstance(piece, Outside):
            found.append((script.path.name, *piece))
            continue
        path = script.beside(piece.name)
        if path is not None and path != script.path:
            lines = instead.get(path.name) or read_lines(path)
            found += [(path.name, number, line) for number, line in enumerate(lines, 1)]
        elif not piece.may_lack:
            script.passed_over.append(
                f"{script.path.name}:{piece.line}: '{name}' has what '{piece.name}' has, which "
                "does not lie beside the script: its groups are not counted"
            )
    return found


def _groups(
    lines: Iterable[NumberedLine], file: str, passed_over: list[str], files: Sequence[str] = ()
) -> list[Group]:
    """Those that ICON reads; passed_over gets a sentence on each that it does not."""
    between: list[tuple[str, int, str]] = []
    groups = read_namelist(lines, file, between, files)
    for file, number, text in between:
        head, names = _HEAD.match(text), unresolved_names(text.partition("!")[0])
        if head:
            passed_over.append(
                f"{file}:{number}: ICON looks for '&{head[1]}' and does not find '${head[1]}': its "
                "items are not counted"
            )
        elif names and has_unresolved(text[:1]):  # of what stands alone
            name = names[0]
            how = "write '&" + name + "' if it is the head of a group, or " if (
                name.lower().endswith("_nml")) else ""  # fmt: skip
            how += f"give --set {name}=VALUE" if name.isidentifier() else "write them here"
            passed_over.append(
                f"{file}:{number}: what the script puts in place of '{show_unresolved(text)}' is "
                f"not known, and groups in it are not counted; {how}"
            )
    return list(_on_lines_of_their_own(groups, passed_over))


def _on_lines_of_their_own(groups: Iterable[Group], passed_over: list[str]) -> Iterator[Group]:
    """Behind the end of an output_nml ICON goes on at the next line to find another."""
    last = -1
    for each in groups:
        if each.name == "output_nml" and each.begins == last:
            passed_over.append(
                f"{each.file}:{each.line}: ICON does not read an '&output_nml' on the line where "
                "another one ends: it is not counted; begin a line with it"
            )
            continue
        last = each.ends if each.name == "output_nml" else last
        yield each


def _named_by_masters(script: RunScript) -> list[str]:
    masters = [
        group.items["model_namelist_filename"].values
        for groups in script.groups.values()
        for group in groups
        if group.name == "master_model_nml" and "model_namelist_filename" in group.items
    ]
    return [value for values in masters for value in values if isinstance(value, str)]


def _include(script: RunScript, files: Files, instead: Mapping[str, Sequence[str]]) -> None:
    """Namelist files that a master namelist names, where they lie beside the script."""
    read = {group.file for groups in script.groups.values() for group in groups}
    for name in dict.fromkeys(_named_by_masters(script)):
        path = script.beside(name)
        is_new = name not in files.contents and name not in read
        if path is not None and is_new and path != script.path:
            script.groups[name] = _groups_of_file(path, script, instead)


def _groups_of_file(
    path: Path, script: RunScript, instead: Mapping[str, Sequence[str]]
) -> list[Group]:
    lines = instead.get(path.name) or read_lines(path)
    return _groups(enumerate(lines, 1), path.name, script.passed_over)


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
