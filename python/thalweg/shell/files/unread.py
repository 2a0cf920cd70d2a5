# SPDX-License-Identifier: Apache-2.0
"""What of a script writes or changes namelists in a way that is not read: where, and by what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Unread:
    """places  "FILE:LINE" of each, and what follows the word "by"
    texts      what programs that are not read are given, and run
    made       files that something wrote which is not read, by their paths
    is_quiet   as long as commands are only tried out
    """

    places: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    is_quiet: bool = False

    def makes(self, paths: Iterable[str]) -> None:
        if not self.is_quiet:
            self.made |= set(paths)

    def add(self, at: str, cause: str) -> None:
        if not self.is_quiet:
            self.places.setdefault(at, cause)

    def sentences(self) -> list[str]:
        return [
            f"{at}: a namelist is written or changed here in a way that is not read (by {cause}): "
            "it is not counted"
            for at, cause in self.places.items()
        ]
