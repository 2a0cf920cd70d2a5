# SPDX-License-Identifier: Apache-2.0
"""Items of namelists that a proposal sets, where the run does not have them so already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thalweg.advisor.icon_stream import Stream
from thalweg.advisor.items import first_of, first_turns
from thalweg.advisor.proposing.situation import RESTART_MODES
from thalweg.advisor.proposing.ways import Way
from thalweg.config.namelist import Group

_IN_ICON = {ours: theirs for theirs, ours in RESTART_MODES.items()}


@dataclass(frozen=True)
class Change:
    """group: the one that has the item, or is to have it; None where there is none."""

    group_name: str
    group: Group | None
    item: str
    value: str

    def __str__(self) -> str:
        place = f"{self.group.file}:{self.group.line} " if self.group else ""
        return f"{place}&{self.group_name} {self.item} = {self.value}"


def changes_of(groups: Sequence[Group], streams: Sequence[Stream], way: Way) -> list[Change]:
    """groups: of the atmosphere, in their order."""
    choice = way.choice
    found = [change_of(groups, "parallel_nml", "num_io_procs", str(choice.io_ranks))]
    if choice.restart_mode != "none":
        ranks, mode = str(choice.restart_ranks), f"'{_IN_ICON[choice.restart_mode]}'"
        found.append(change_of(groups, "parallel_nml", "num_restart_procs", ranks))
        found.append(change_of(groups, "io_nml", "restart_write_mode", mode))
        streams_of_set = change_of(groups, "io_nml", "nrestart_streams", "1")
        has_them = streams_of_set.group and streams_of_set.item in streams_of_set.group.items
        if has_them and "dedicated" not in mode:  # no other mode looks at it
            found.append(streams_of_set)
    else:  # restart processes without restarts compute nothing
        found.append(change_of(groups, "parallel_nml", "num_restart_procs", "0"))
    found += _of_streams(groups, streams, way.partitions)
    turns = first_turns(groups)
    wanted = {(id(turns[id(each.group)]), each.item) for each in found
              if each.group and not _stands(each)}  # fmt: skip
    return [
        each
        for each in found
        if not _stands(each)
        or (each.group and (id(turns[id(each.group)]), each.item) in wanted)  # by another turn
    ]


def change_of(groups: Sequence[Group], name: str, item: str, value: str) -> Change:
    """Of the group of this name that ICON reads; None where there is none."""
    return Change(name, first_of(groups, name), item, value)


def _of_streams(
    groups: Sequence[Group], streams: Sequence[Stream], partitions: Sequence[int]
) -> Iterator[Change]:
    """Partitions; and places that were given for them go: ICON stops where they do not fit."""
    outputs = [group for group in groups if group.name == "output_nml"]
    written = [stream for stream in streams if stream.outputs]
    counts = {
        (stream.group_number, stream.level_type): count
        for stream, count in zip(written, partitions, strict=True)
    }
    for (number, level_type), count in counts.items():
        group, placed = outputs[number - 1], f"pe_placement_{level_type}"
        yield Change("output_nml", group, f"stream_partitions_{level_type}", str(count))
        if placed in group.items:
            yield Change("output_nml", group, placed, "-1")


def _stands(change: Change) -> bool:
    """Is it so already, or by default?"""
    item = change.group.items.get(change.item) if change.group else None
    values = [each for each in item.values if each is not None] if item else []
    if not values:
        return change.value == ("1" if change.item.startswith("stream_partitions") else "0")
    return all(str(each).strip() == change.value.strip("'") for each in values)
