# SPDX-License-Identifier: Apache-2.0
"""Files of a script that are not at their path any more: removed, or moved."""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.shell.paths import folder_of, parents_of
from thalweg.shell.values.patterns import is_named


@dataclass
class Removed:
    """gone  by path: whether for sure
    folders  with all that lies in them
    moved    where a file is now, "" for nowhere: what had it open before writes there
    """

    gone: dict[str, bool] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    _patterns: dict[str, dict[str, None]] = field(default_factory=dict)  # by folder

    def add_pattern(self, pattern: str) -> None:
        self._patterns.setdefault(folder_of(pattern), {})[pattern] = None

    def covers(self, path: str) -> bool:
        """By a pattern, or with its folder."""
        patterns = self._patterns.get(folder_of(path), ())
        return any(is_named(path, each) for each in patterns) or any(
            each in self.folders for each in parents_of(path)
        )

    def places(self, path: str) -> list[str]:
        """Where it may be that was there; none if nothing was moved or removed."""
        found = list[str]()
        while path in self.moved and path not in found:
            found.append(path)
            path = self.moved[path]
        return [*found, path] if found and path else found
