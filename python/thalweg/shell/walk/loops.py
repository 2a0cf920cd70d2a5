# SPDX-License-Identifier: Apache-2.0
"""What a `for` of a script goes over: words, `$(seq 1 12)`, `{01..12}`, `((i = 1; i < 9; i++))`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thalweg.shell.tree.parser import parse_script
from thalweg.shell.tree.tree import Body


def turns_of(
    words: Sequence[str], expanded: Callable[[str], list[str] | None], most: int
) -> list[str] | None:
    """Values of a loop over words; None: not known, or more than `most`.

    expanded: what a word becomes; None: not known
    """
    found: list[str] = []
    for word in words:
        more = expanded(word)
        if more is None or len(found) + len(more) > most:
            return None
        found += more
    return found


def counted_loop(text: str, at: str) -> tuple[Body, Body, Body] | None:
    """What `((i = 1; i < 9; i++))` does first, asks and does behind each turn."""
    parts = text.strip().removeprefix("((").removesuffix("))").split(";")
    if len(parts) != 3:
        return None
    file, _, line = at.rpartition(":")
    begin, condition, step = (
        parse_script([f"(({part.strip() or 1}))"], file, int(line)) for part in parts
    )
    return begin, condition, step
