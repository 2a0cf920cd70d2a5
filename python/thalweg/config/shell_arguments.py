# SPDX-License-Identifier: Apache-2.0
"""$1, $2, ... and "$@" of a script and its functions, and values that are local to these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from thalweg.config.shell_words import Variables

_ARGUMENTS = (*map(str, range(1, 10)), "@", "*", "#")
_SIGN = re.compile(r"\+?=")


def name_in(word: str) -> str:
    """Of `x=1` and `x+=1`, or of `x` alone."""
    return _SIGN.split(word, maxsplit=1)[0]


@dataclass
class Arguments:
    """local: of each function that runs, values that its local names had before"""

    variables: Variables
    local: list[dict[str, str | None]] = field(default_factory=list)

    def give(self, arguments: Sequence[str]) -> None:
        self.variables.arguments = list(arguments)
        for i in range(1, max(10, len(arguments) + 1)):
            self.variables.assign(str(i), arguments[i - 1] if i <= len(arguments) else "")
        self.variables.assign("#", str(len(arguments)))
        for each in ("@", "*"):
            self.variables.assign(each, " ".join(arguments))

    def shift(self, count: int) -> None:
        self.give(self.variables.arguments[count:])

    @contextmanager
    def given(self, arguments: Sequence[str] | None) -> Iterator[None]:
        """As long as something runs; None: those that are there."""
        if arguments is None:
            yield
            return
        before, kept = self.variables.arguments, self._values(_ARGUMENTS)
        self.give(arguments)
        yield
        self._set_back(kept)
        self.variables.arguments = before

    @contextmanager
    def of_function(self, arguments: Sequence[str], assigned: Sequence[str]) -> Iterator[None]:
        """assigned: words such as x=1 before its name, which hold as long as it runs"""
        kept = self._values([name_in(each) for each in assigned])
        self.local.append({})
        with self.given(arguments):
            yield
        self._set_back(self.local.pop())
        self._set_back(kept)

    def keep_local(self, words: Sequence[str]) -> None:
        """`local x=1 y`"""
        for word in words if self.local else ():
            name = name_in(word)
            if not name.startswith("-"):
                self.local[-1].setdefault(name, self.variables.assigned.get(name))
                if name == word:
                    self.variables.assign(name, "")

    def _values(self, names: Sequence[str]) -> dict[str, str | None]:
        return {each: self.variables.assigned.get(each) for each in names}

    def _set_back(self, values: Mapping[str, str | None]) -> None:
        for name, value in values.items():
            if value is None:
                self.variables.assigned.pop(name, None)
            else:
                self.variables.assigned[name] = value
