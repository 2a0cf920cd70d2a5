# SPDX-License-Identifier: Apache-2.0
"""$1, $2, ... and "$@" of a script and its functions, and values that are local to these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from thalweg.shell.values.assignments import Assignments
from thalweg.shell.values.scopes import hide, make_local, scope
from thalweg.shell.values.variables import Variables

# Words, and how many of them are where they are; None: all.
Given = tuple[Sequence[str], int | None]
_BEHIND_NAME = re.compile(r"[\[+=]")


def name_in(word: str) -> str:
    """Of `x=1`, `x+=1` and `x[2]=1`, or of `x` alone."""
    return _BEHIND_NAME.split(word, maxsplit=1)[0]


@dataclass
class Arguments:
    variables: Variables

    @contextmanager
    def given(self, arguments: Given) -> Iterator[None]:
        """As long as a function runs."""
        before = self.variables.arguments, self.variables.sure
        has_own = self.variables.has_own_arguments
        self.variables.give_arguments(*arguments)
        yield
        self.variables.give_arguments(*before)
        self.variables.has_own_arguments = has_own

    @contextmanager
    def of_script(self, arguments: Given | None) -> Iterator[None]:
        """As long as one is sourced; None: those that are there. Where it sets others, by
        `set --`, bash goes on with these outside of functions, and ksh with those of before.
        """
        variables = self.variables
        if arguments is None:
            yield
            return
        has_own, variables.has_own_arguments = variables.has_own_arguments, False
        with self.given(arguments):
            yield
            is_changed = variables.has_own_arguments
        is_changed &= not any(each.is_function for each in variables.scopes)
        if is_changed:
            variables.forget_arguments()
        variables.has_own_arguments = has_own or is_changed

    @contextmanager
    def of_function(self, arguments: Given, assigned: Sequence[str]) -> Iterator[None]:
        """assigned: words such as x=1 before its name, which hold as long as it runs"""
        with scope(self.variables, is_function=True):
            self._assign(assigned)
            with self.given(arguments):
                yield

    @contextmanager
    def before_command(self, assigned: Sequence[str]) -> Iterator[None]:
        """As long as `eval` or a script runs."""
        if not assigned:
            yield
            return
        with scope(self.variables, is_function=False):
            self._assign(assigned)
            yield

    def _assign(self, words: Sequence[str]) -> None:
        hide(self.variables, [name_in(each) for each in words])
        for each in words:
            Assignments(self.variables).take_word(each)

    def keep_local(self, words: Sequence[str]) -> None:
        """`local x=1 y`, not `declare -g x=1`"""
        options = "".join(word for word in words if word.startswith("-"))
        for word in words if "g" not in options else ():
            name = name_in(word)
            if not name.startswith("-") and make_local(self.variables, name) and name == word:
                self.variables.unset(name)
