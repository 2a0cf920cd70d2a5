# SPDX-License-Identifier: Apache-2.0
"""Lines of a script, and of namelist files beside it, with what a proposal changes there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from thalweg.advisor.items import first_turns
from thalweg.advisor.proposing.changes import Change
from thalweg.advisor.text_patch import difference, refuse_existing, write_like
from thalweg.config.namelist import Group
from thalweg.config.run_script import RunScript
from thalweg.config.text_files import Text, read_text
from thalweg.errors import ThalwegError

Lines = Mapping[str, Sequence[str]]  # of each file that changes, by its name
# What is no namelist: quoted text and comments.
_COVERED = re.compile(r"'[^']*'|\"[^\"]*\"|!.*")
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|\$\(\([^)]*\)\)|\$\{[^}]*\}|[^,;!/'\"\s]+")
_BLANK = re.compile(r"\s+")
_NUMBERS = re.compile(r"[-+]?[0-9]+(?:[ \t]*,[ \t]*[-+]?[0-9]+|[ \t]+[-+]?[0-9]+(?![\w ]*=))*")


def changed_lines(script: RunScript, groups: Sequence[Group], changes: Sequence[Change]) -> Lines:
    """groups: of the atmosphere. Raises a sentence where its lines cannot be changed here."""
    files: dict[str, _File] = {}
    shared = _shared_lines(script, groups)

    def file(name: str) -> _File:
        return files.setdefault(name, _File(name, text_of(script, name).lines, groups, shared))

    for each in changes:
        if each.group is not None:
            file(each.group.file).set(each.group, each)
    new = [each for each in changes if each.group is None]
    for name in dict.fromkeys(each.group_name for each in new):
        beside = _neighbour(groups)
        file(beside.file).add(beside, name, [each for each in new if each.group_name == name])
    return {name: each.joined() for name, each in files.items()}


def _shared_lines(script: RunScript, groups: Sequence[Group]) -> dict[tuple[str, int], list[str]]:
    """File and line of groups of which another model has some, and the namelists that have them."""
    mine = Counter((each.file, each.line) for each in groups)
    everything: dict[tuple[str, int], list[str]] = {}
    for name, found in script.groups.items():
        for each in found:
            everything.setdefault((each.file, each.line), []).append(name)
    return {at: names for at, names in everything.items() if len(names) > mine[at] > 0}


def text_of(script: RunScript, name: str) -> Text:
    """Of the script, or of a file beside it by its label."""
    path = script.path.parent / name
    if not path.is_file():
        raise ThalwegError(f"'{name}' does not lie beside the script: it is not changed here")
    return read_text(path)


def patch_text(script: RunScript, changed: Lines) -> str:
    """A unified diff; "" where nothing changes."""
    found: list[str] = []
    for name, lines in changed.items():
        found += difference(name, text_of(script, name), lines)
    return "\n".join(found)


def refuse_copy(path: Path, script: RunScript, changed: Lines) -> None:
    """Raises a sentence where write_copy() would."""
    others = [name for name in changed if name != script.path.name]
    if others:
        raise ThalwegError(
            f"--write copies '{script.path.name}', and what changes is in '{others[0]}': leave "
            "--write out and apply the patch"
        )
    refuse_existing(path)


def write_copy(path: Path, script: RunScript, changed: Lines) -> None:
    text = read_text(script.path)
    write_like(path, script.path, text, changed.get(script.path.name, text.lines))


def used_elsewhere(script: RunScript, changed: Lines) -> list[str]:
    """Variables that namelists had and have no more, and that the script, or one that it sources,
    uses beside them.
    """
    gone: Counter[str] = Counter()
    for name, new in changed.items():
        old = text_of(script, name).lines
        gone += Counter(_variables(set(old) - set(new)))
        gone.subtract(Counter(_variables(set(new) - set(old))))
    found = []
    for name in (script.path.name, *script.sourced):
        lines = changed.get(name) or text_of(script, name).lines
        where = " of the changed script" if name in changed else ""
        for variable in +gone:
            word = re.compile(rf"(?<![\w.-]){variable}(?![\w=])")
            numbered = enumerate(lines, 1)
            at = next((n for n, line in numbered if word.search(line.partition("#")[0])), 0)
            if at:
                found.append(
                    f"{name}:{at}{where} uses '{variable}', which the namelist had and has no "
                    "more: see that both agree"
                )
    return found


def _variables(lines: Iterable[str]) -> list[str]:
    return [name for line in lines for name in re.findall(r"\$\{?(\w+)", line)]


def _neighbour(groups: Sequence[Group]) -> Group:
    """The group before which new ones stand."""
    return next((group for group in groups if group.name == "run_nml"), groups[-1])


class _File:
    """Lines as they become. Columns are looked up anew for each change: others move them."""

    def __init__(
        self,
        name: str,
        lines: Sequence[str],
        groups: Sequence[Group],
        shared: Mapping[tuple[str, int], Sequence[str]],
    ) -> None:
        """shared: file and line of groups that several models have, and their namelists."""
        self.name, self.lines, self.shared = name, list(lines), shared
        self.before: dict[int, list[str]] = {}  # lines to come, by the number of a line from 0
        self.after: dict[int, list[str]] = {}
        self.all = [group for group in groups if group.file == name]
        self.turns = first_turns(self.all)
        self.groups = list({id(each): each for each in self.turns.values()}.values())
        self.done: dict[tuple[int, str], str] = {}  # by group and item

    def joined(self) -> list[str]:
        found: list[str] = []
        for number, line in enumerate(self.lines):
            found += [*self.before.get(number, []), line, *self.after.get(number, [])]
        return found

    def set(self, group: Group, change: Change) -> None:
        """Once for all turns of a loop."""
        group = self._mine(group)
        before = self.done.get((id(group), change.item))
        if before == change.value:
            return
        if before is not None:
            raise ThalwegError(
                f"{self._lines_of(group)} are written more than once, and {change.item} would be "
                f"{before} in one place and {change.value} in another"
            )
        self.done[id(group), change.item] = change.value
        turns = [each for each in self.all if self.turns[id(each)] is group]
        if len({change.item in each.items for each in turns}) > 1:
            raise ThalwegError(
                f"{self._lines_of(group)} are written more than once, with {change.item} in some "
                "places only"
            )
        item = group.items.get(change.item)
        if item is None:
            self._insert(group, f"{change.item} = {change.value}")
        else:
            self._replace(group, change, item.line - 1, len(item.values))

    def _lines_of(self, group: Group) -> str:
        return f"{self.name}:{group.line}: these lines of '&{group.name}'"

    def _mine(self, group: Group) -> Group:
        """Of all turns the first; no other model reads these lines."""
        names = self.shared.get((self.name, group.line))
        if names:
            listed = " and ".join(f"'{name}'" for name in dict.fromkeys(names))
            raise ThalwegError(
                f"{self._lines_of(group)} are written into {listed}, which are of different models"
            )
        return self.turns[id(group)]

    def add(self, beside: Group, name: str, changes: Sequence[Change]) -> None:
        beside = self._mine(beside)
        at, items = beside.line - 1, [f"{each.item} = {each.value}" for each in changes]
        begin = self._heads(at)[self._position(beside)][0]
        before, rest = self.lines[at][:begin], self.lines[at][begin:]
        if before.strip():
            self.lines[at] = f"{before}&{name} {', '.join(items)} / {rest}"
        else:
            self.before.setdefault(at, []).extend(
                [f"{before}&{name}", *(f"{before} {each}" for each in items), f"{before}/"]
            )

    def _insert(self, group: Group, text: str) -> None:
        at = group.line - 1
        begin, end = self._extent(group, at)
        line = self.lines[at]
        rest = line[begin:end].lstrip()
        if (rest == "" and end == len(line)) or rest.startswith("!"):
            indent = line[: len(line) - len(line.lstrip())]
            self.after.setdefault(at, []).append(f"{indent} {text}")
        else:
            comma = "" if rest.startswith("/") else ","
            self.lines[at] = f"{line[:begin]} {text}{comma} {line[begin:].lstrip()}"

    def _replace(self, group: Group, change: Change, at: int, count: int) -> None:
        """The last of them on the line counts, as in Fortran."""
        line = self.lines[at]
        begin, end = self._extent(group, at)
        name = re.compile(rf"\b{change.item}\s*(?:\(\s*1?\s*:?\s*\))?\s*=", re.IGNORECASE)
        named = [*name.finditer(_covered(line), begin, end)]
        pattern = _NUMBERS if count > 1 else _VALUE
        value = None
        if named:
            blank = _BLANK.match(line, named[-1].end(), end)
            value = pattern.match(line, blank.end() if blank else named[-1].end(), end)
        if value is None or (count > 1 and len(re.findall("[0-9]+", value[0])) != count):
            raise ThalwegError(
                f"{self.name}:{at + 1}: {change.item} is written in a way that is not changed here"
            )
        self.lines[at] = f"{line[: value.start()]}{change.value}{line[value.end() :]}"

    def _extent(self, group: Group, at: int) -> tuple[int, int]:
        """Columns of this line that may belong to the group, behind its head."""
        heads = self._heads(at)
        if group.line - 1 == at:
            position = self._position(group)
            begin, following = heads[position][1], heads[position + 1 :]
        else:
            begin, following = 0, heads
        return begin, following[0][0] if following else len(self.lines[at])

    def _position(self, group: Group) -> int:
        """Among the groups that begin on its line."""
        beginning = [each for each in self.groups if each.line == group.line]
        return next(n for n, each in enumerate(beginning) if each is group)

    def _heads(self, at: int) -> list[tuple[int, int]]:
        """Columns where heads of groups on this line begin and end."""
        found, column = [], 0
        for each in self.groups:
            if each.line - 1 != at:
                continue
            head = re.compile(rf"[&$]{each.name}\b", re.IGNORECASE)
            match = head.search(_covered(self.lines[at]), column)
            if match is None:
                raise ThalwegError(
                    f"{self.name}:{at + 1}: '&{each.name}' is written in a way that is not "
                    "changed here"
                )
            column = match.end()
            found.append(match.span())
        return found


def _covered(line: str) -> str:
    """Blanks in place of what is no namelist."""
    return _COVERED.sub(lambda match: " " * len(match[0]), line)
