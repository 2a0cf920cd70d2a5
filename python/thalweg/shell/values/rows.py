# SPDX-License-Identifier: Apache-2.0
"""What `read` makes of a line, and `while read` of the lines of a table."""

from __future__ import annotations

import re

from thalweg.shell.tree.tree import Simple
from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.expansion import expand
from thalweg.shell.values.variables import Variables


def read_row(line: str, read: Simple, variables: Variables) -> dict[str, str] | None:
    """By name, what `IFS=, read -r a b` makes of it: the last one has all that is left. None where
    that is not known.
    """
    plain = read.plain()
    options = "".join(word[1:] for word in plain.options())
    if set(options) - {"r"} or ("\\" in line and "r" not in options) or has_unresolved(line):
        return None
    names = [expand(word, variables) for word in plain.operands()]
    marks = read_marks(read, variables)
    if not names or has_unresolved(marks) or not all(each.isidentifier() for each in names):
        return None
    values = _parts_of(line, marks, len(names))
    return dict(zip(names, values, strict=True))


def _parts_of(line: str, marks: str, count: int) -> list[str]:
    blanks = "".join(each for each in marks if each in " \t\n")
    line = line.strip(blanks) if blanks else line
    if not marks:
        return [line, *[""] * (count - 1)]
    space = f"[{re.escape(blanks)}]" if blanks else "(?!)"
    others = "".join(each for each in marks if each not in " \t\n")
    mark = f"{space}*[{re.escape(others)}]{space}*|{space}+" if others else f"{space}+"
    values: list[str] = []
    while len(values) < count - 1 and (found := re.search(mark, line)):
        values.append(line[: found.start()])
        line = line[found.end() :]
    values.append(line)
    is_closed = others and len(re.findall(mark, line)) == 1 and re.search(f"(?:{mark})$", line)
    if is_closed and line:
        values[-1] = re.sub(f"(?:{mark})$", "", line)
    return values + [""] * (count - len(values))


def read_marks(read: Simple, variables: Variables) -> str:
    """IFS of a `read`."""
    marks = variables.value("IFS") or ""
    for word in read.assigned():
        if word.startswith("IFS="):
            marks = expand(word[4:], variables)
    return marks
