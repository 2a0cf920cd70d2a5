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
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=")
_DECLARES = re.compile(r"(?:export|declare|typeset|local|readonly|integer)((?:\s+-\w+)*)\s+")
_C_SHELL = re.compile(r"(?:set|setenv)\s+([A-Za-z_]\w*)(?:\s*=\s*|\s+)([^\s=].*)")
_LET = re.compile(
    r"(?:let\s+[\"']?|\(\(\s*)([A-Za-z_]\w*)\s*([-+*/%]?)=(?!=)(.*?)(?:[\"']|\)\))?\s*"
)
_STEP = re.compile(
    r"(?:let\s+[\"']?|\(\(\s*)"
    r"(?:([A-Za-z_]\w*)\s*(\+\+|--)|(\+\+|--)\s*([A-Za-z_]\w*))\s*(?:[\"']|\)\))?\s*"
)
_ARITHMETIC = re.compile(r"let\s|\(\(")
_CHANGED = re.compile(  # in arithmetic that is none of these
    r"([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_IN_LETTERS = re.compile(r"-[a-z]*?([ulZ])([0-9]*)")
_UNKNOWN_COMMAND = re.compile(r"[^A-Za-z_]|$")


def is_let(text: str) -> bool:
    return _LET.fullmatch(text) is not None


def is_assignment(text: str) -> bool:
    return bool(_ASSIGNMENT.match(text) or _DECLARES.match(text)) or is_let(text)


def _in_letters(value: str, options: str) -> str:
    """`typeset -u`, -l, and -Z2 of ksh."""
    found = _IN_LETTERS.search(options)
    if found is None or has_unresolved(value):
        return value
    if found[1] == "Z":
        return value.zfill(int(found[2] or 0))[-int(found[2]) :] if found[2] else value
    return value.upper() if found[1] == "u" else value.lower()


@dataclass
class Assignments:
    variables: Variables

    def take(self, text: str, sure: bool) -> None:
        """x=1 y="$x a" and export x=1, let x=1+2, ((x = y * 2)), set x = 1."""
        if step := _STEP.fullmatch(text):
            name, sign = step[1] or step[4], (step[2] or step[3])[0]
            self._assign(name, arithmetic_value(f"{name}{sign}1", self.variables), sure)
            return
        let = _LET.fullmatch(text)
        if let and not _CHANGED.search(let[3]):
            body = f"{let[1]}{let[2]}({let[3]})" if let[2] else let[3]
            self._assign(let[1], arithmetic_value(body, self.variables), sure)
            return
        if _ARITHMETIC.match(text):
            for names in _CHANGED.findall(text):
                self.variables.forget(names[0] or names[1])
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
            if match[2]:
                self._assign_element(name, match[2][1:-1], expand(word, self.variables), sure)
                continue
            if word.startswith("("):
                self._assign_array(name, word[1:-1], is_more=bool(match[3]), sure=sure)
                continue
            value = (
                arithmetic_value(word, self.variables) if whole else expand(word, self.variables)
            )
            before = self.variables.value(name) or "" if match[3] else ""
            value = _in_letters(before + value, declares[1] if declares else "")
            found.append((name, value))
            if declares is None and len(found) == 1 and not text[position:]:
                break
        if declares or not text[position:] or text[position] in "&|":
            for name, value in found:
                self._assign(name, value, sure)

    def _assign_array(self, name: str, text: str, *, is_more: bool, sure: bool) -> None:
        values: list[str] = []
        words = words_of(text)
        for word in words:
            elements = self.variables.elements(word)
            values += [expand(word, self.variables)] if elements is None else elements
        before = self.variables.arrays.get(name) if is_more else []
        is_plain = not any(word.startswith(("[", "#")) for word in words)
        if sure and is_plain and before is not None and not any(map(has_unresolved, values)):
            self.variables.assign_array(name, [*before, *values])
        else:
            self.variables.forget(name)

    def _assign_element(self, name: str, index: str, value: str, sure: bool) -> None:
        before = self.variables.arrays.get(name)
        number = arithmetic_value(index, self.variables)
        if before is None or not sure or not number.isdecimal() or int(number) > len(before):
            self.variables.forget(name)
            return
        self.variables.assign_array(
            name, [*before[: int(number)], value, *before[int(number) + 1 :]]
        )

    def _assign(self, name: str, value: str, sure: bool) -> None:
        """What a command prints is asked for by the name of the variable that takes it."""
        if any(_UNKNOWN_COMMAND.match(each) for each in unresolved_names(value)):
            value = unresolved(name)
        if len(value) > _LONGEST_VALUE:
            value = unresolved(name)
        if not sure and self.variables.assigned.get(name) != value:
            value = unresolved(name)
        self.variables.assign(name, value)
