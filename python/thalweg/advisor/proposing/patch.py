# SPDX-License-Identifier: Apache-2.0
"""The lines of a script that a proposal changes, as a patch and as a copy of the script."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.advisor.icon_stream import Stream
from thalweg.advisor.proposing.propose import Way
from thalweg.advisor.proposing.situation import RESTART_MODES
from thalweg.config.namelist import Group
from thalweg.config.run_script import RunScript, read_lines
from thalweg.errors import ThalwegError

_IN_ICON = {ours: theirs for theirs, ours in RESTART_MODES.items()}


@dataclass(frozen=True)
class Change:
    """group: the one that has the item, or is to have it; None where the script has none."""

    group_name: str
    group: Group | None
    item: str
    value: str


def changed_lines(script: RunScript, streams: Sequence[Stream], way: Way) -> list[str]:
    """All lines of the script with what is proposed. Raises a sentence where they cannot be."""
    lines = read_lines(script.path)
    changes = [each for each in _changes(script, streams, way) if not _stands(each)]
    for each in changes:
        if each.group is not None and each.group.file != script.path.name:
            raise ThalwegError(
                f"'&{each.group_name}' is in '{each.group.file}', not in '{script.path.name}': "
                "advise that file to have it changed"
            )
    new = list(lines)
    added: dict[int, list[str]] = {}  # before or after this line, by its number from 0
    for each in changes:
        if each.group is None:
            continue
        item = each.group.items.get(each.item)
        if item is not None:
            new[item.line - 1] = _replaced(new[item.line - 1], each, item.line, script)
        else:
            _insert(new, added, each.group, f"{each.item} = {each.value}")
    _add_groups(script, new, added, [each for each in changes if each.group is None])
    found: list[str] = []
    for number, line in enumerate(new):
        found += [line, *added.get(number, [])]
    return found


def patch_text(script: RunScript, changed: Sequence[str]) -> str:
    """A unified diff; "" where nothing changes."""
    name = script.path.name
    lines = difflib.unified_diff(read_lines(script.path), changed, name, name, lineterm="", n=1)
    return "\n".join(lines)


def write_copy(path: Path, changed: Sequence[str], of: Path) -> None:
    """Never over a file that is there."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write("\n".join(changed))
        path.chmod(of.stat().st_mode & 0o777)
    except FileExistsError:
        raise ThalwegError(f"'{path}' exists; give --write another name") from None
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be written: {error.strerror}") from None


def _changes(script: RunScript, streams: Sequence[Stream], way: Way) -> list[Change]:
    groups = [group for found in script.groups.values() for group in found]

    def change(name: str, item: str, value: str) -> Change:
        with_item = [each for each in groups if each.name == name and item in each.items]
        of_name = [each for each in groups if each.name == name]
        found = with_item or of_name
        return Change(name, found[-1] if found else None, item, value)

    choice = way.choice
    found = [change("parallel_nml", "num_io_procs", str(choice.io_ranks))]
    if choice.restart_mode != "none":
        found.append(change("parallel_nml", "num_restart_procs", str(choice.restart_ranks)))
        mode = f"'{_IN_ICON[choice.restart_mode]}'"
        found.append(change("io_nml", "restart_write_mode", mode))
    if choice.io_ranks:
        found += _partitions(groups, streams, way.partitions)
    return found


def _partitions(
    groups: Sequence[Group], streams: Sequence[Stream], partitions: Sequence[int]
) -> list[Change]:
    """Streams of several domains share their group: it has the most that one of them has."""
    most: dict[tuple[str, str], int] = {}
    written = [stream for stream in streams if stream.outputs]
    for stream, count in zip(written, partitions, strict=True):
        key = (stream.place, f"stream_partitions_{stream.level_type}")
        most[key] = max(count, most.get(key, 1))
    found = []
    for (place, item), count in most.items():
        group = next(
            each
            for each in groups
            if each.name == "output_nml" and f"{each.file}:{each.line}" == place
        )
        found.append(Change("output_nml", group, item, str(count)))
    return found


def _stands(change: Change) -> bool:
    """Is it so already, or by default?"""
    item = change.group.items.get(change.item) if change.group else None
    value = next((each for each in item.values if each is not None), None) if item else None
    if value is None:
        default = "1" if change.item.startswith("stream_partitions") else "0"
        return change.value == default
    return str(value).strip() == change.value.strip("'")


def _replaced(line: str, change: Change, number: int, script: RunScript) -> str:
    pattern = re.compile(
        rf"(\b{change.item}\s*(?:\(\s*1?\s*:?\s*\))?\s*=\s*)('[^']*'|\"[^\"]*\"|[^,;!/'\"\s]+)",
        re.IGNORECASE,
    )
    found, count = pattern.subn(lambda match: match[1] + change.value, line, count=1)
    if not count:
        raise ThalwegError(
            f"{script.path.name}:{number}: {change.item} is written in a way that cannot be "
            f"changed here; set it to {change.value}"
        )
    return found


def _insert(new: list[str], added: dict[int, list[str]], group: Group, text: str) -> None:
    at = group.line - 1
    head = re.match(rf"\s*[&$]{group.name}\b", new[at], re.IGNORECASE)
    assert head is not None, new[at]
    rest = new[at][head.end() :]
    if rest.strip() == "" or rest.lstrip().startswith("!"):
        added.setdefault(at, []).append(f" {text}")
    else:
        comma = "" if rest.lstrip().startswith("/") else ","
        new[at] = f"{head[0]} {text}{comma} {rest.lstrip()}"


def _add_groups(
    script: RunScript, new: Sequence[str], added: dict[int, list[str]], changes: Sequence[Change]
) -> None:
    """Groups that are not there, before run_nml or the first group of its file."""
    if not changes:
        return
    own = [group for groups in script.groups.values() for group in groups
           if group.file == script.path.name]  # fmt: skip
    here = next((group for group in own if group.name == "run_nml"), own[0] if own else None)
    if here is None:
        raise ThalwegError(f"'{script.path.name}' has no namelist group to put others beside")
    at = here.line - 2
    for name in dict.fromkeys(each.group_name for each in changes):
        items = [f" {each.item} = {each.value}" for each in changes if each.group_name == name]
        text = [f"&{name}", *items, "/"]
        if at < 0:
            raise ThalwegError(f"'{script.path.name}' begins with '&{here.name}'; put '&{name}' "
                               "into it first")  # fmt: skip
        added.setdefault(at, []).extend(text)
