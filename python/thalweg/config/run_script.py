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
from thalweg.config.shell_contents import Content, Outside, counted
from thalweg.config.shell_files import Files
from thalweg.config.shell_folders import Folders, folder_of, last_of
from thalweg.config.shell_run import run_statements
from thalweg.config.shell_statements import Statement, split_script
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
    doubtful     "FILE:LINE" of here-documents under a condition that cannot be known, by file
    passed_over  sentences about namelists that are written or changed in a way that is not read
    """

    path: Path
    variables: Variables
    groups: dict[str, list[Group]] = field(default_factory=dict)
    texts: dict[str, list[NumberedLine]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    doubtful: dict[str, list[str]] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)

    def unused_settings(self) -> list[str]:
        return sorted(set(self.variables.given) - self.variables.used)

    def beside(self, name: str) -> Path | None:
        """A file that lies where the script does, if there is one: as its path says, or in the
        folder of the script.
        """
        for each in (name, Path(name).name):
            path = self.path.parent / each
            if each and not Path(each).is_absolute() and path.is_file():
                return path
        return None


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
    commands = FileCommands(script.variables, Files(Folders(script.variables)))
    first = next((line for line in lines if line.strip() and line.lstrip()[:1] not in "!#"), "")
    if begins_group(first) and not lines[0].startswith("#!"):
        numbered = enumerate(lines, 1)
        script.groups[path.name] = _groups(numbered, path.name, script.passed_over)
    else:
        unread = run_statements(
            split_script(lines, path.name),
            script.variables,
            commands,
            lambda name: _sourced(name, script, instead),
        )
        _take_files(commands, script, instead)
        script.passed_over += unread
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


def _sourced(
    name: str, script: RunScript, instead: Mapping[str, Sequence[str]]
) -> list[Statement] | None:
    """Statements of a script that lies beside this one; None where it does not, as of a system."""
    path = None if name.startswith(("/", "~")) else script.beside(name)
    if path is None or path == script.path:
        return None
    return split_script(instead.get(path.name) or read_lines(path), path.name)


def _take_files(
    commands: FileCommands, script: RunScript, instead: Mapping[str, Sequence[str]]
) -> None:
    """What the script wrote: groups of namelists, lines of other files."""
    files = commands.files
    script.links = {last_of(path): last_of(behind) for path, behind in files.links.items()}
    script.passed_over = [
        f"{at}: a namelist is written or changed here in a way that is not "
        "read (by a function, echo, sed, a pipe or another program, or by a command that need not "
        "be run): it is not counted"
        for at in dict.fromkeys([*commands.passed_over, *files.not_followed])
    ]
    whole = counted(files.contents, lambda path: script.beside(path) is not None)
    of_counted = {at for content in whole.values() for at in content.doubtful}
    groups: dict[str, list[Group]] = {}
    for path, content in files.contents.items():
        lines = content.lines()
        if content.has_groups(path):
            told = set() if path in whole else of_counted
            if set(content.doubtful) - told:
                script.doubtful[path] = content.doubtful
            if path in whole:
                groups[path] = _groups_of(path, content, script, instead)
        elif lines:
            script.texts[last_of(path)] = [
                (number, text) for _, number, text in _read(path, content, script, instead)
            ]
    groups = {path: each for path, each in groups.items() if each}
    _leave_out(files, groups, script)


def _leave_out(files: Files, groups: dict[str, list[Group]], script: RunScript) -> None:
    """Copies of what a file was before the script wrote it anew, as a loop over runs keeps them,
    and files of one name in several folders but the last; not those that a master namelist names.
    """
    named = _named_by_masters(groups)
    names: dict[str, list[str]] = {}
    for path in groups:
        if files.is_kept_aside(path) and not _is_named(path, named):
            origin = files.contents[path].origin
            shown = last_of if last_of(path) != last_of(origin) else show_unresolved
            script.passed_over.append(
                f"{script.path.name}: '{shown(path)}' keeps what '{shown(origin)}' was before it "
                "was written again: it is not counted"
            )
        else:
            names.setdefault(last_of(path), []).append(path)
    doubtful, script.doubtful = script.doubtful, {}
    for name, paths in names.items():
        chosen = [path for path in paths if _is_named(path, named, with_folder=True)] or paths[-1:]
        if len(chosen) < len(paths):
            script.passed_over.append(
                f"{script.path.name}: '{name}' is written in {len(paths)} folders, as for runs of "
                f"their own: that in {_shown_folder(chosen[-1])} is counted"
            )
        for path in chosen:
            label = name if len(chosen) == 1 else show_unresolved(path)
            script.groups[label] = groups[path]
            if path in doubtful:
                script.doubtful[label] = doubtful[path]
    for path in doubtful:
        if path not in groups:
            script.doubtful.setdefault(last_of(path), doubtful[path])


def _shown_folder(path: str) -> str:
    folder = show_unresolved(folder_of(path))
    return f"'{folder}'" if folder else "the first folder"


def _is_named(path: str, named: Sequence[str], *, with_folder: bool = False) -> bool:
    """By a master namelist: by its name, or by as much of its path as that gives."""
    for each in named:
        tail = each.removeprefix("./")
        if (not with_folder or "/" in tail) and f"/{path}".endswith(f"/{tail}"):
            return True
    return False


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
            found.append(piece)
            continue
        path = script.beside(piece.path)
        if path is not None and path != script.path:
            lines = instead.get(path.name) or read_lines(path)
            found += [(path.name, number, line) for number, line in enumerate(lines, 1)]
        elif not piece.may_lack:
            script.passed_over.append(
                f"{piece.at}: '{last_of(name)}' has what '{piece.name}' has, which "
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


def _named_by_masters(groups: Mapping[str, Sequence[Group]]) -> list[str]:
    masters = [
        group.items["model_namelist_filename"].values
        for each in groups.values()
        for group in each
        if group.name == "master_model_nml" and "model_namelist_filename" in group.items
    ]
    return [value for values in masters for value in values if isinstance(value, str)]


def _include(script: RunScript, files: Files, instead: Mapping[str, Sequence[str]]) -> None:
    """Namelist files that a master namelist names, where they lie beside the script."""
    read = {group.file for groups in script.groups.values() for group in groups}
    written = {last_of(path) for path in files.contents}
    for name in dict.fromkeys(_named_by_masters(script.groups)):
        path = script.beside(name)
        is_new = last_of(name) not in written and name not in read
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
