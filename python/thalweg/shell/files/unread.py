# SPDX-License-Identifier: Apache-2.0
"""What of a script writes or changes namelists in a way that is not read: where, and by what."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Unread:
    """places  "FILE:LINE" of each, and what follows the word "by"
    is_quiet   as long as commands are only tried out
    """

    places: dict[str, str] = field(default_factory=dict)
    is_quiet: bool = False

    def add(self, at: str, cause: str) -> None:
        if not self.is_quiet:
            self.places.setdefault(at, cause)

    def sentences(self) -> list[str]:
        return [
            f"{at}: a namelist is written or changed here in a way that is not read (by {cause}): "
            "it is not counted"
            for at, cause in self.places.items()
        ]
