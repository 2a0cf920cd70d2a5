# SPDX-License-Identifier: Apache-2.0
"""Which of the files that a script leaves are namelists of its run, and the groups in them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from thalweg.config.namelist import Group, read_namelist
from thalweg.config.text_files import Beside
from thalweg.shell.files.contents import (
    Content,
    Outside,
    Written,
    counted,
    is_called_namelist,
    is_log,
)
from thalweg.shell.lines import NumberedLine, begins_group
from thalweg.shell.paths import folder_of, known_root, last_of
from thalweg.shell.unresolved import (
    has_unresolved,
    known_beginning,
    show_unresolved,
    unresolved_names,
)

_BEGIN = re.compile(r"\s*[&$](\w+)")
_HEAD = re.compile(r"\$(\w+_nml)\b", re.IGNORECASE)
_MASTER = "master_model_nml"
_GRID = "grid_nml"
_OF_MODELS = frozenset({"output_nml", "run_nml", _GRID})
_TEMPLATE = re.compile(
    r"templ|tmpl|\.tmp$|\.in$|\.sed$|\.j2$|\.(?:raw|base|orig|part)$", re.IGNORECASE
)


@dataclass
class Namelists:
    """groups    of every namelist file, in the order of the files and of their groups
    doubtful     "FILE:LINE" of what need not have been run, by file
    passed_over  sentences about what is not counted
    made_unread  files that something has written which is not read
    """

    beside: Beside
    groups: dict[str, list[Group]] = field(default_factory=dict)
    doubtful: dict[str, list[str]] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)
    made_unread: Collection[str] = ()

    def take(
        self,
        contents: Mapping[str, Content],
        is_gone: Callable[[str], bool],
        templates: Mapping[str, tuple[str, str]] = MappingProxyType({}),
        links: Mapping[str, str] = MappingProxyType({}),
        started_in: str | None = None,
    ) -> None:
        """Of the files that a script wrote or changed.

        is_gone    it has removed them again
        templates  files that others were made from, which count instead, and where
        links      symbolic ones, with what they are of
        started_in the folder in which the model is started last
        """
        written = {path: each for path, each in contents.items() if each.has_groups(path)}
        named = self._named(
            {
                path: each
                for path, each in written.items()
                if path not in templates or templates[path][0] not in written
            },
            links,
        )
        for path, (made, at) in templates.items():
            is_there = made in written and not is_gone(made)
            if path in written and is_there and not _is_named(path, named):
                del written[path]
                if not _TEMPLATE.search(last_of(path)):
                    self.passed_over.append(
                        f"{at}: '{last_of(made)}' is made from '{last_of(path)}' here, which is "
                        "not counted itself"
                    )
        whole = counted(written, self._is_there, lambda path: _rank(path, named), is_gone)
        of_whole = {at for content in whole.values() for at in content.doubtful}
        for path, content in written.items():
            if path not in whole and set(content.doubtful) - of_whole:
                self.doubtful.setdefault(last_of(path), []).extend(content.doubtful)
        chosen = self._chosen(contents, whole, named, is_gone, started_in)
        for label in self._unnamed(chosen, contents, named):
            del chosen[label]
        for label, path in chosen.items():
            if contents[path].doubtful:
                self.doubtful[label] = list(contents[path].doubtful)
            groups = self._groups_of(path, contents[path], self.passed_over)
            if groups:
                self.groups[label] = groups

    def _unnamed(
        self, chosen: Mapping[str, str], contents: Mapping[str, Content], named: Sequence[str]
    ) -> list[str]:
        """Labels of those that no master namelist names, where it names others that are there."""
        names = {
            label: {
                found[1].lower()
                for _, line in contents[path].lines()
                if (found := _BEGIN.match(line))
            }
            for label, path in chosen.items()
        }
        if any(map(has_unresolved, map(last_of_open, named))):
            return []  # it may name any
        are_named = any(_is_named(path, named) for path in chosen.values())
        has_grid = any(_GRID in each for each in names.values())
        left: list[str] = []
        for label, path in chosen.items():
            is_own = any(isinstance(each, Outside) for each in contents[path].pieces)
            is_part = has_grid and names[label] <= {"output_nml"} and not is_own
            is_left = not _is_named(path, named) if are_named else is_part
            is_master = any(name.startswith("master_") for name in names[label])
            if is_left and names[label] & _OF_MODELS and not is_master:
                left.append(label)
        shown = ", ".join(f"'{label}'" for label in left)
        if shown:
            self.passed_over.append(
                f"{self.beside.script.name}: {shown}: groups of a model, and "
                + (
                    "the master namelist, as it is written last, names no such file"
                    if are_named
                    else "no '&grid_nml'"
                )
                + ": not counted"
            )
        return left

    def tell_anew(self, written: Mapping[str, tuple[str, str]]) -> None:
        """Of the files that count: what an earlier start of the model has read."""
        for path, (start, at) in written.items():
            if last_of(path) in self.groups:
                self.passed_over.append(
                    f"{at}: '{last_of(path)}' is written to again behind a start of the model "
                    f"({start}): it counts as it was written last, not what an earlier run writes"
                )

    def take_file(self, label: str, lines: Iterable[NumberedLine], name: str = "") -> None:
        """A namelist file as it is."""
        self.groups[name or label] = groups_in(lines, label, self.passed_over)

    def include(self, contents: Mapping[str, Content]) -> None:
        """Namelist files that a master namelist names, where they lie beside the script."""
        read = {group.file for groups in self.groups.values() for group in groups}
        written = {last_of(path) for path in contents}
        for name in dict.fromkeys(named_by_masters(self.groups.values())):
            path = self.beside.find(name)
            is_new = last_of(name) not in written and name not in read
            if path is not None and is_new and path != self.beside.script:
                lines = enumerate(self.beside.lines(path), 1)
                self.take_file(self.beside.label(path), lines, name)

    def tell_lacking(self, contents: Mapping[str, Content]) -> None:
        """Files that a master namelist names, and that the script writes, of which no group is
        known, as of one that came from a block with a program in it that is not read.
        """
        known = {last_of(label) for label in self.groups}
        known |= {last_of(group.file) for groups in self.groups.values() for group in groups}
        for path, content in contents.items():
            name = last_of(path)
            if name not in known and is_called_namelist(name) and _is_of_text(content):
                self.passed_over.append(
                    f"{self.beside.script.name}: '{name}' is written here from a text that is not "
                    "known: no group of it is counted"
                )
        written = {last_of(path) for path in contents}
        for name in dict.fromkeys(map(last_of, named_by_masters(self.groups.values()))):
            if name in written - known:
                self.passed_over.append(
                    f"{self.beside.script.name}: '{name}', which the master namelist names, is "
                    "written here, and no group of it is known: it is not counted"
                )

    def _is_there(self, path: str) -> bool:
        return self.beside.find(path) is not None

    def _named(
        self, written: Mapping[str, Content], links: Mapping[str, str] = MappingProxyType({})
    ) -> list[str]:
        """Namelists that the master namelists name."""
        masters = {
            last_of(path): self._groups_of(path, content, [])  # of several folders the last one
            for path, content in written.items()
            if any(_MASTER in line.lower() for _, _, line in self._read(path, content, []))
        }
        named = named_by_masters(masters.values())
        return [*named, *(behind for link, behind in links.items() if _is_named(link, named))]

    def _chosen(
        self,
        contents: Mapping[str, Content],
        whole: Mapping[str, Content],
        named: Sequence[str],
        is_gone: Callable[[str], bool],
        started_in: str | None,
    ) -> dict[str, str]:
        """Paths by label. Left out are copies of what a file was before the script wrote it anew,
        as a loop over runs keeps them, and files of one name in several folders but the last; not
        those that a master namelist names.
        """
        names: dict[str, list[str]] = {}
        for path, content in whole.items():
            origin = content.origin
            is_anew = origin in contents and not contents[origin].is_same(content)
            if is_anew and is_gone(path):
                continue
            if is_anew and not _is_named(path, named):
                shown = last_of if last_of(path) != last_of(origin) else show_unresolved
                self.passed_over.append(
                    f"{self.beside.script.name}: '{shown(path)}' keeps what '{shown(origin)}' was "
                    "before it was written again: it is not counted"
                )
            else:
                names.setdefault(last_of(path), []).append(path)
        found: dict[str, str] = {}
        for name, paths in names.items():
            filled = [each for each in paths if self._has_some(whole[each])] or paths
            folders = [each for each in filled if _is_named(each, named, with_folder=True)]
            started = [each for each in filled if folder_of(each) == started_in]
            chosen = folders or started or filled[-1:]
            if len(chosen) < len(filled):
                self.passed_over.append(
                    f"{self.beside.script.name}: '{name}' is written in {len(filled)} folders, and "
                    f"a run reads one: that in {_shown_folder(chosen[-1])} is counted"
                    + ", where the model is started"
                    * (chosen == started)
                )
            found |= {show_unresolved(each) if len(chosen) > 1 else name: each for each in chosen}
        return found

    def _has_some(self, content: Content) -> bool:
        """Groups that are known."""
        return any(begins_group(line) for _, line in content.lines()) or any(
            isinstance(piece, Outside) and self._is_there(piece.path) for piece in content.pieces
        )

    def _groups_of(self, path: str, content: Content, told: list[str]) -> list[Group]:
        lines = self._read(path, content, told)
        names = [each.file for each in lines]
        return groups_in(((n, text) for _, n, text in lines), self.beside.script.name, told, names)

    def _read(self, name: str, content: Content, told: list[str]) -> list[Written]:
        """Lines; of files that lie beside the script those there."""
        found: list[Written] = []
        for piece in content.whole():
            if not isinstance(piece, Outside):
                found.append(piece)
                continue
            path = self.beside.find(piece.path)
            if path is not None and path != self.beside.script:
                label, lines = self.beside.label(path), self.beside.lines(path)
                if label != piece.path and known_root(piece.path) in ("", "/"):
                    told.append(
                        f"{piece.at}: '{last_of(name)}' has what '{piece.path}' has: '{label}' "
                        "beside the script is read for it"
                    )
                found += [Written(label, number, line) for number, line in enumerate(lines, 1)]
            elif not piece.may_lack:
                is_made = piece.path in self.made_unread
                lacks = (
                    "is made in a way that is not read"
                    if is_made
                    else ("does not lie beside the script")
                )
                told.append(
                    f"{piece.at}: '{last_of(name)}' has what '{piece.name}' has, which {lacks}: "
                    "its groups are not counted"
                )
        return found


def _rank(path: str, named: Sequence[str]) -> int:
    """Of two files with the same groups the one with the higher rank is read by the model."""
    name = last_of(path)
    if _is_named(path, named):
        return 3
    return 2 if is_called_namelist(name) else 0 if is_log(name) else 1


def _shown_folder(path: str) -> str:
    folder = show_unresolved(folder_of(path))
    return f"'{folder}'" if folder else "the first folder"


def _is_named(path: str, named: Sequence[str], *, with_folder: bool = False) -> bool:
    """By a master namelist: by its name, or by as much of its path as that gives."""
    for each in named:
        tail = _tail_of(each)
        if (not with_folder or "/" in tail) and f"/{path}".endswith(f"/{tail}"):
            return True
    return False


def last_of_open(name: str) -> str:
    return name.rpartition("/")[2]


def _tail_of(name: str) -> str:
    """As much of the path as every folder has in common with it."""
    name = posixpath.normpath(name.strip())
    while name.startswith("../"):
        name = name[3:]
    is_elsewhere = name.startswith("/") or has_unresolved(name)
    return last_of(name) if is_elsewhere else name


def named_by_masters(files: Iterable[Iterable[Group]]) -> list[str]:
    masters = [
        group.items["model_namelist_filename"].values
        for groups in files
        for group in groups
        if group.name == _MASTER and "model_namelist_filename" in group.items
    ]
    return [value for values in masters for value in values if isinstance(value, str)]


def groups_in(
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


def _is_of_text(content: Content) -> bool:
    """Whether a line of it is a value that is open."""
    texts = [text.strip() for _, text in content.lines()]
    return any(has_unresolved(text) and not known_beginning(text) for text in texts)
