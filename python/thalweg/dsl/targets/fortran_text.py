# SPDX-License-Identifier: Apache-2.0
"""How Fortran declares a function of C."""

from __future__ import annotations

import re
from collections.abc import Sequence

WIDTH = 100  # columns of a line
KIND = re.compile(r"\bc_(?:int32_t|int64_t|int|double|float|char|ptr)\b")


def interface(what: str, name: str, arguments: Sequence[str], declared: Sequence[str]) -> list[str]:
    """`what`: subroutine, or function, whose own kind is declared with those of its arguments."""
    return [
        *_folded(f"{what} {name}(", arguments, ") bind(c)"),
        f"  import :: {', '.join(kinds_of(declared))}",
        *(f"  {line}" for each in declared for line in _of_their_width(each)),
        f"end {what} {name}",
    ]


def _of_their_width(declared: str) -> list[str]:
    """In lines that compilers take: 132 columns with what stands before."""
    if len(declared) <= WIDTH:
        return [declared]
    code, mark, comment = declared.partition("  ! ")
    lines = [f"! {comment}"] if mark else []
    before, colons, names = code.partition(" :: ")
    folded = [code] if len(code) <= WIDTH else _folded(before + colons, names.split(", "), "")
    return [*lines, *folded]


def kinds_of(lines: Sequence[str]) -> list[str]:
    """What of iso_c_binding they need."""
    return sorted({kind for line in lines for kind in KIND.findall(line.partition("!")[0])})


def _folded(begin: str, names: Sequence[str], end: str) -> list[str]:
    lines = [begin]
    for number, name in enumerate(names):
        word = name + (", " if number + 1 < len(names) else end)
        if len(lines[-1]) + len(word) > WIDTH - 8:
            lines[-1] = lines[-1].rstrip() + " &"
            lines.append("    ")
        lines[-1] += word
    return lines
