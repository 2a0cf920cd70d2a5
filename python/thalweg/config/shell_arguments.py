# SPDX-License-Identifier: Apache-2.0
"""$1, $2, ... and "$@" of a script and its functions, and values that are local to these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from thalweg.config.shell_words import Variables

_SIGN = re.compile(r"\+?=")


def name_in(word: str) -> str:
    """Of `x=1` and `x+=1`, or of `x` alone."""
    return _SIGN.split(word, maxsplit=1)[0]


@dataclass
class Arguments:
    """local: of each function that runs, values that its local names had before"""

    variables: Variables
    local: list[dict[str, tuple[str | None, list[str] | None]]] = field(default_factory=list)

    def give(self, arguments: Sequence[str]) -> None:
        self.variables.arguments = list(arguments)

    def shift(self, count: int) -> None:
        self.give((self.variables.arguments or [])[count:])

    @contextmanager
    def given(self, arguments: Sequence[str] | None) -> Iterator[None]:
        """As long as something runs; None: those that are there."""
        before = self.variables.arguments
        if arguments is not None:
            self.give(arguments)
        yield
        if arguments is not None:
            self.variables.arguments = before

    @contextmanager
    def of_function(self, arguments: Sequence[str], assigned: Sequence[str]) -> Iterator[None]:
        """assigned: words such as x=1 before its name, which hold as long as it runs"""
        kept = {name: self._value(name) for name in map(name_in, assigned)}
        self.local.append({})
        with self.given(arguments):
            yield
        self._set_back(self.local.pop())
        self._set_back(kept)

    def keep_local(self, words: Sequence[str]) -> None:
        """`local x=1 y`, not `declare -g x=1`"""
        options = "".join(word for word in words if word.startswith("-"))
        for word in words if self.local and "g" not in options else ():
            name = name_in(word)
            if not name.startswith("-"):
                self.local[-1].setdefault(name, self._value(name))
                self.variables.arrays.pop(name, None)
                if name == word:
                    self.variables.assign(name, "")

    def _value(self, name: str) -> tuple[str | None, list[str] | None]:
        return self.variables.assigned.get(name), self.variables.arrays.get(name)

    def _set_back(self, values: Mapping[str, tuple[str | None, list[str] | None]]) -> None:
        for name, (value, array) in values.items():
            self.variables.assigned.pop(name, None)
            self.variables.arrays.pop(name, None)
            if value is not None:
                self.variables.assigned[name] = value
            if array is not None:
                self.variables.arrays[name] = array
