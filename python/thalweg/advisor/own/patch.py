# SPDX-License-Identifier: Apache-2.0
"""Lines of an experiment.toml with what a proposal changes there; comments stay."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from thalweg.advisor.own.situation import OwnChoice, chosen_of
from thalweg.config.experiment import Experiment
from thalweg.config.text_files import Text
from thalweg.errors import ThalwegError

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\"'-]+)\s*\]\]?\s*(?:#.*)?$")
_VALUE = re.compile(
    r"(\s*{key}\s*=\s*)(\"[^\"]*\"|'[^']*'|[^#\s\"'\[{{]+)(\s*(?:#.*)?)$"  # a plain value
)
Value = str | int
Changes = list[tuple[str, int, str, Value]]  # table, number of it from 0, key, value


def changes_of(experiment: Experiment, choice: OwnChoice, ranks: int) -> Changes:
    """What the experiment does not have so."""
    now = chosen_of(experiment)
    found: Changes = []
    if (choice.mode, choice.io_ranks) != (now.mode, now.io_ranks):
        found.append(("io", 0, "mode", choice.mode))
        found.append(("io", 0, "ranks", choice.io_ranks))
    for at, (old, new) in enumerate(zip(now.partitions, choice.partitions, strict=True)):
        if old != new:
            found.append(("output", at, "partitions", new))
    if (choice.restart_mode, choice.restart_ranks) != (now.restart_mode, now.restart_ranks):
        found.append(("restart", 0, "mode", choice.restart_mode))
        found.append(("restart", 0, "ranks", choice.restart_ranks))
    found.append(("machine", 0, "ranks", ranks))
    outputs = [each.values for each in experiment.outputs]
    tables = {name: [values.values] for name, values in experiment.tables.items()}
    tables["output"] = outputs
    return [each for each in found if tables[each[0]][each[1]][each[2]] != each[3]]


def override_words(experiment: Experiment, changes: Changes) -> list[str]:
    """As `--set` takes them; of a stream by its name."""
    found = []
    for table, at, key, value in changes:
        name = f"output.{experiment.stream_names()[at]}" if table == "output" else table
        found.append(f"{name}.{key}={value}")
    return found


def changed_lines(text: Text, changes: Changes) -> list[str]:
    """Where a table or key is not there, it is added."""
    lines = list(text.lines)
    for change in changes:
        lines = _with(lines, *change)
    return lines


def read_back(path: Path, text: Text, lines: Sequence[str], words: Sequence[str]) -> Experiment:
    """The changed file as the reader takes it. words: of --set, which stand above it."""
    with tempfile.TemporaryDirectory(prefix="thalweg-patch-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(text.line_end.join(lines).encode(text.encoding))
        try:
            return Experiment.read(copy, words)
        except ThalwegError:
            raise ThalwegError(
                f"{path.name}: lines are changed where a [table] has its keys below it, one "
                "a line; this file has another form"
            ) from None


def refuse_other(path: Path, found: Experiment, choice: OwnChoice, ranks: int) -> None:
    """Raises a sentence where the changed file does not say what is proposed."""
    told = chosen_of(found)
    if told != choice or found.integer("machine", "ranks") != ranks:
        raise ThalwegError(
            f"{path.name}: with the lines of the proposal it would still have '{told}' on "
            f"{found.integer('machine', 'ranks')} ranks, since --set or a form that is not changed "
            "here says so"
        )


def _with(lines: list[str], table: str, at: int, key: str, value: Value) -> list[str]:
    headers = [
        (number, match[2].strip("\"'"))
        for number, line in enumerate(lines)
        if (match := _HEADER.match(line))
    ]
    of_table = [number for number, name in headers if name == table]
    shown = json.dumps(value)
    if at >= len(of_table):
        rest = [] if lines and lines[-1] == "" else [""]
        end = lines[:-1] if lines and lines[-1] == "" else lines
        return [*end, "", f"[{table}]", f"{key} = {shown}", "", *rest]
    begin = of_table[at]
    end_at = next((number for number, _ in headers if number > begin), len(lines))
    pattern = re.compile(_VALUE.pattern.format(key=key))
    for number in range(begin + 1, end_at):
        if match := pattern.match(lines[number]):
            changed = f"{match[1]}{shown}{match[3]}"
            return [*lines[:number], changed, *lines[number + 1 :]]
    last = max((n for n in range(begin, end_at) if lines[n].strip()), default=begin)
    return [*lines[: last + 1], f"{key} = {shown}", *lines[last + 1 :]]
