# SPDX-License-Identifier: Apache-2.0
"""The folder that a script is in, as `cd` and `pushd` change it."""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.shell.paths import START, begins_open, path_from
from thalweg.shell.unresolved import unresolved
from thalweg.shell.values.variables import Variables


@dataclass
class Folders:
    """here: the folder that the script is in. known: paths that are folders"""

    variables: Variables
    here: str = ""
    known: set[str] = field(default_factory=lambda: {""})
    _before: str = ""
    _pushed: list[str] = field(default_factory=list)
    _lost: int = 0

    def path(self, text: str) -> str:
        return path_from(self.here, text)

    def enter(self, path: str) -> None:
        self._before = self.here
        self.variables.assign("OLDPWD", self._shown(self.here))
        self.stand_in(path)

    def enter_again(self) -> None:
        """`cd -`"""
        self.enter(self._before)

    def push(self, path: str) -> None:
        self._pushed.append(self.here)
        self.enter(path)

    def pop(self) -> None:
        if self._pushed:
            self.enter(self._pushed.pop())

    def lose(self) -> None:
        """Which folder it is depends on what the script does not tell."""
        self._lost += 1
        self.stand_in(unresolved(f"`cd {self._lost}`"))

    def state(self) -> tuple[str, str, list[str]]:
        return self.here, self._before, list(self._pushed)

    def set_state(self, state: tuple[str, str, list[str]]) -> None:
        self.here, self._before, self._pushed = state

    def stand_in(self, path: str) -> None:
        self.here = path
        self.variables.assign("PWD", self._shown(path))

    def _shown(self, path: str) -> str:
        """As $PWD has it."""
        is_relative = not path.startswith("/") and not begins_open(path)
        return f"{START}/{path}".rstrip("/") if is_relative else path
