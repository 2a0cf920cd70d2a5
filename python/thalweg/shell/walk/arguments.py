# SPDX-License-Identifier: Apache-2.0
"""$1, $2, ... and "$@" of a script and its functions, and values that are local to these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from thalweg.shell.values.variables import Slots, Variables

_T = TypeVar("_T")

# Words, and how many of them are where they are; None: all.
Given = tuple[Sequence[str], int | None]
_SIGN = re.compile(r"\+?=")

# Value, elements, those with names, what it stands for, and its letters.
_Value = tuple[str | None, Slots | None, dict[str, str] | None, str | None, str | None]


def name_in(word: str) -> str:
    """Of `x=1` and `x+=1`, or of `x` alone."""
    return _SIGN.split(word, maxsplit=1)[0]


@dataclass
class Arguments:
    """local  of each function that runs, values that its local names had before
    doubtful  names that need not be local there
    """

    variables: Variables
    local: list[dict[str, _Value]] = field(default_factory=list)
    doubtful: list[set[str]] = field(default_factory=list)

    @contextmanager
    def given(self, arguments: Given | None) -> Iterator[None]:
        """As long as something runs; None: those that are there."""
        before = self.variables.arguments, self.variables.sure
        if arguments is not None:
            self.variables.give_arguments(*arguments)
        yield
        if arguments is not None:
            self.variables.give_arguments(*before)

    @contextmanager
    def of_function(self, arguments: Given, assigned: Sequence[str]) -> Iterator[None]:
        """assigned: words such as x=1 before its name, which hold as long as it runs"""
        kept = {name: self._value(name) for name in map(name_in, assigned)}
        self.local.append({})
        self.doubtful.append(set())
        touched = set(self.variables.touched or ())
        with self.given(arguments):
            yield
        local = self.local.pop()
        self._set_back(local)
        if self.variables.touched is not None:
            self.variables.touched -= set(local) - touched
        for name in self.doubtful.pop():
            self.variables.forget(name)
        self._set_back(kept)

    def keep_local(self, words: Sequence[str], *, sure: bool) -> None:
        """`local x=1 y`, not `declare -g x=1`"""
        options = "".join(word for word in words if word.startswith("-"))
        for word in words if self.local and "g" not in options else ():
            name = name_in(word)
            if not name.startswith("-"):
                variables = self.variables
                is_new = name not in self.local[-1]
                if is_new and not sure:
                    self.doubtful[-1].add(name)
                self.local[-1].setdefault(name, self._value(name))
                for each in (variables.arrays, variables.maps, variables.references) * is_new:
                    each.pop(name, None)
                if is_new:
                    exported = "x" in variables.letters.pop(name, "")
                    variables.letters[name] = "x" * exported
                if name == word and is_new:
                    variables.unset(name)

    def _value(self, name: str) -> _Value:
        all_of = self.variables
        return (
            all_of.assigned.get(name), all_of.arrays.get(name), all_of.maps.get(name),
            all_of.references.get(name), all_of.letters.get(name),
        )  # fmt: skip

    def _set_back(self, values: Mapping[str, _Value]) -> None:
        all_of = self.variables
        for name, (value, array, elements, other, letters) in values.items():
            _set(all_of.assigned, name, value)
            _set(all_of.arrays, name, array)
            _set(all_of.maps, name, elements)
            _set(all_of.references, name, other)
            _set(all_of.letters, name, letters)


def _set(values: dict[str, _T], name: str, value: _T | None) -> None:
    values.pop(name, None)
    if value is not None:
        values[name] = value
