# SPDX-License-Identifier: Apache-2.0
"""What is counted of a text: lines, joined statements, characters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

# Of each count: what it is. The page and the JSON say so, too.
DEFINITIONS = {
    "lines": "lines that hold more than blanks, comments and texts that only document",
    "statements": "joined statements: one that spans several lines counts once; in Python a logical"
    " line, in C++ what ends with a semicolon, a head with the brace after it, or a line with #",
    "characters": "characters without blanks, comments and texts that only document",
}


@dataclass(frozen=True)
class Counts:
    lines: int = 0
    statements: int = 0
    characters: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.lines + other.lines,
            self.statements + other.statements,
            self.characters + other.characters,
        )

    def __str__(self) -> str:
        return f"{self.lines}/{self.statements}/{self.characters}"

    def as_json(self) -> dict[str, int]:
        return asdict(self)


def total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())


def solid(text: str) -> int:
    """Its characters that are no blanks."""
    return len("".join(text.split()))
