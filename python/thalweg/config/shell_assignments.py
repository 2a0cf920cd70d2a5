# SPDX-License-Identifier: Apache-2.0
"""Commands that give variables values: x=1, export x=1, let x=1+2, ((x++)), set x = 1."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.config.shell_words import (
    Variables,
    arithmetic_value,
    expand,
    first_word,
    words_of,
)
from thalweg.config.unresolved import has_unresolved, unresolved, unresolved_names

_LONGEST_VALUE = 1_000_000  # characters; a script that doubles a text in a loop has no end
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_DECLARES = re.compile(r"(?:export|declare|typeset|local|readonly)((?:\s+-\w+)*)\s+")
_C_SHELL = re.compile(r"(?:set|setenv)\s+([A-Za-z_]\w*)(?:\s*=\s*|\s+)([^\s=].*)")
_LET = re.compile(
    r"(?:let\s+[\"']?|\(\(\s*)([A-Za-z_]\w*)\s*([-+*/]?)=(?!=)(.*?)(?:[\"']|\)\))?\s*"
)
_STEP = re.compile(r"\(\(\s*([A-Za-z_]\w*)\s*(\+\+|--)\s*\)\)")
_UNKNOWN_COMMAND = re.compile(r"[^A-Za-z_]|$")


def is_let(text: str) -> bool:
    return _LET.fullmatch(text) is not None


def is_assignment(text: str) -> bool:
    return bool(_ASSIGNMENT.match(text) or _DECLARES.match(text)) or is_let(text)


@dataclass
class Assignments:
    variables: Variables

    def take(self, text: str, sure: bool) -> None:
        """x=1 y="$x a" and export x=1, let x=1+2, ((x = y * 2)), set x = 1."""
        if step := _STEP.fullmatch(text):
            self._assign(step[1], arithmetic_value(f"{step[1]}{step[2][0]}1", self.variables), sure)
            return
        if let := _LET.fullmatch(text):
            body = f"{let[1]}{let[2]}({let[3]})" if let[2] else let[3]
            self._assign(let[1], arithmetic_value(body, self.variables), sure)
            return
        if c_shell := _C_SHELL.fullmatch(text):
            self._assign(c_shell[1], expand(first_word(c_shell[2]), self.variables), sure)
            return
        declares = _DECLARES.match(text)
        whole = "i" in declares[1] if declares else False
        position = declares.end() if declares else 0
        found: list[tuple[str, str]] = []
        while match := _ASSIGNMENT.match(text, position):
            word = first_word(text[match.end() :])
            position = match.end() + len(word)
            position += len(text[position:]) - len(text[position:].lstrip())
            name = match[1]
            if word.startswith("("):
                self._assign_array(name, word[1:-1], is_more=bool(match[2]), sure=sure)
                continue
            value = (
                arithmetic_value(word, self.variables) if whole else expand(word, self.variables)
            )
            before = self.variables.value(name) or "" if match[2] else ""
            found.append((name, before + value))
            if declares is None and len(found) == 1 and not text[position:]:
                break
        if declares or not text[position:] or text[position] in "&|":
            for name, value in found:
                self._assign(name, value, sure)

    def _assign_array(self, name: str, text: str, *, is_more: bool, sure: bool) -> None:
        values = [expand(word, self.variables) for word in words_of(text)]
        if is_more:
            before = self.variables.assigned.get(f"{name}[@]")
            values = [*before.split(), *values] if before is not None else [unresolved(name)]
        if sure and not any(map(has_unresolved, values)) and "[" not in text:
            self.variables.assign_array(name, values)
        else:
            for each in [key for key in self.variables.assigned if key.startswith(f"{name}[")]:
                del self.variables.assigned[each]
            self.variables.forget(name)

    def _assign(self, name: str, value: str, sure: bool) -> None:
        """What a command prints is asked for by the name of the variable that takes it."""
        if any(_UNKNOWN_COMMAND.match(each) for each in unresolved_names(value)):
            value = unresolved(name)
        if len(value) > _LONGEST_VALUE:
            value = unresolved(name)
        if not sure and self.variables.assigned.get(name) != value:
            value = unresolved(name)
        self.variables.assign(name, value)
