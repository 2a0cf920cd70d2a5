# SPDX-License-Identifier: Apache-2.0
"""Commands that change variables or options of a shell: shift, set, shopt, unset, read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thalweg.shell.files.commands import FileCommands
from thalweg.shell.files.output import has_input
from thalweg.shell.tree.tree import Simple
from thalweg.shell.unresolved import has_unresolved, unresolved
from thalweg.shell.values.assignments import Assignments
from thalweg.shell.values.expansion import arithmetic_value, expand
from thalweg.shell.values.programs import OF_WORDS
from thalweg.shell.values.rows import read_marks, read_row
from thalweg.shell.values.scopes import unset
from thalweg.shell.values.variables import Variables, split_at
from thalweg.shell.values.words import split_exactly, split_words, words_given
from thalweg.shell.walk.course import Course

NUMBER = re.compile("-?[0-9]+")
GIVES = frozenset({"unset", "read", "mapfile", "readarray", "getopts", "printf"})  # values
_BUILTINS = (GIVES - {"printf"}) | {"shift", "set", "shopt"}
_OPTIONS = {
    "C": "noclobber",
    "a": "allexport",
    "e": "errexit",
    "E": "errtrace",
    "f": "noglob",
    "u": "nounset",
    "x": "xtrace",
}  # of `set`; others change nothing that is read


@dataclass
class Builtins:
    variables: Variables
    commands: FileCommands
    course: Course

    def takes(self, plain: Simple) -> bool:
        words = plain.words
        return words[:1] != [] and (words[0] in _BUILTINS or words[:2] == ["printf", "-v"])

    def run(self, plain: Simple, simple: Simple) -> bool | None:
        """Whether it succeeds, as far as one can tell."""
        name, words = plain.words[0], plain.words[1:]
        if name == "shift":
            return self._shift(words)
        if name == "set":
            self._set(words)
        elif name == "shopt":
            letters = "".join(each for each in words if each[:1] == "-")
            self._switch("s" in letters, [each for each in words if each[:1] != "-"])
        elif name == "unset":
            return self._unset(words)
        else:
            return self._give(plain, simple)
        return True

    def _shift(self, words: Sequence[str]) -> bool | None:
        count = "".join(self.commands.arguments(words[:1])) if words else "1"
        if NUMBER.fullmatch(count) and int(count) >= 0:
            return self.variables.shift(int(count))
        self.variables.forget_arguments()
        return None

    def _set(self, words: Sequence[str]) -> None:
        """`set -- a b`, `set a b`, `set -C`, `set -A x a b` of ksh; not `set x = 1` of a C shell"""
        words = list(words)
        first = expand(words[0], self.variables) if words and words[0][:1] == "$" else ""
        if first[:1] in ("-", "+"):  # `set $options`
            words = [*first.split(), *words[1:]]
        is_array = any(re.fullmatch("[-+][a-zA-Z]*A", each) for each in words[:2])
        if is_array and words[:1] != ["-A"]:  # `set +A`, `set -s -A`
            for each in words[:3]:
                if each.isidentifier():
                    self.variables.forget(each)
            return
        if words[:1] == ["-A"] and len(words) > 1:
            values = self.commands.arguments(words[2 + (words[2:3] == ["--"]) :])
            if not any(map(has_unresolved, values)):
                self.variables.assign_array(words[1], values)
            else:
                self.variables.forget(words[1])
            return
        while words and re.match(r"[-+]", words[0]):
            word = words.pop(0)
            if word in ("--", "-"):
                break
            names = [words.pop(0)] if word[1:].endswith("o") and words else []
            names += [_OPTIONS[letter] for letter in word[1:] if letter in _OPTIONS]
            self._switch(word[0] == "-", names)
        else:
            if not words or "=" in "".join(words[:2]):
                return
        self.variables.give_arguments(*self.commands.given(words))
        self.variables.has_own_arguments = True

    def _switch(self, on: bool, names: Sequence[str]) -> None:
        if on:
            self.variables.options |= set(names)
        else:
            self.variables.options -= set(names)

    def _unset(self, words: Sequence[str]) -> bool:
        if split_exactly(words, self.variables)[1] is not None:
            self.variables.sets_unknown = True
        words = split_words(words, self.variables)
        if words[:1] and re.fullmatch("-n?fn?", words[0]):
            for each in words[1:]:
                self.course.functions.pop(each, None)
            return True
        is_done = True
        of_reference = any(re.fullmatch("-[fv]*n[fv]*", each) for each in words)
        for each in words:
            name = each.partition("[")[0]
            if of_reference:
                self.variables.references.pop(each, None)
            elif name != each and self.variables.map(name) is not None:
                self.variables.unset_element(name, expand(each[len(name) + 1 : -1], self.variables))
            elif name != each:
                number = arithmetic_value(each[len(name) + 1 : -1], self.variables)
                self.variables.unset_element(name, number)
            elif name.isidentifier():
                is_done &= unset(self.variables, name)
        return is_done

    def _give(self, plain: Simple, simple: Simple) -> bool | None:
        """`read a b <<< "1 2"` and `printf -v x %02d 1`; what others give is not known."""
        name, words = plain.words[0], [expand(each, self.variables) for each in plain.words[1:]]
        if name == "printf" and len(words) > 2:
            given = words_given(plain.words[3:], self.variables)
            text = None if given is None else OF_WORDS["printf"](given)
            of = words[1].partition("[")[0]
            truth = None if text is None else True
            if Assignments(self.variables).give(words[1], unresolved(of) if text is None else text):
                return truth
        if name == "printf":  # "$x"
            self.variables.sets_unknown |= has_unresolved("".join(words[1:2]))
            return True
        names = [each.partition("[")[0] for each in words if each[:1] != "-"]
        self.variables.sets_unknown |= any(map(has_unresolved, names))
        lines = self.commands.lines_given(plain.files) if name != "getopts" else None
        has_own = has_input(plain.files)
        if name in ("mapfile", "readarray") and not has_own:
            self.commands.take_all()
        if any(re.match("-[a-z]*[nNd]", each) for each in words) and not has_own:
            self.commands.stdin = None
        if self._gives_array(name, words, lines, simple):
            return True
        lines = lines if name == "read" else None
        if name == "read" and lines is not None and (whole := _is_whole(words)):
            self._give_whole(whole, "\n".join(lines), simple)
            return None
        row = None if lines is None else read_row((lines or [""])[0], simple, self.variables)
        if name == "read" and not (plain.files.ins or plain.files.documents or plain.files.strings):
            self.commands.take_line()
        if row is not None:
            for each, value in row.items():
                self.variables.give(each, value)
            return True if plain.files.documents or plain.files.strings else None
        if name == "getopts":
            names += ["OPTIND", "OPTARG"]
        for each in names or ["REPLY" if name == "read" else "MAPFILE"]:
            if each.isidentifier():
                self.variables.forget(each)
        return None

    def _give_whole(self, name: str, text: str, simple: Simple) -> None:
        """`read -d '' x`: all lines"""
        marks = read_marks(simple, self.variables)
        is_raw = any("r" in each for each in simple.plain().options())
        if has_unresolved(marks) or not name.isidentifier() or ("\\" in text and not is_raw):
            self.variables.forget(name)
        else:
            blanks = "".join(each for each in marks if each in " \t\n")
            self.variables.change(name, f"{text}\n".strip(blanks) if blanks else f"{text}\n")

    def _gives_array(
        self, name: str, words: Sequence[str], lines: list[str] | None, simple: Simple
    ) -> bool:
        """`mapfile -t a < FILE` and `read -ra a <<< "1 2"`"""
        options = "".join(word[1:] for word in words if word[:1] == "-")
        if lines is None or not words or not words[-1].isidentifier():
            return False
        if name in ("mapfile", "readarray") and options == "t":
            self.variables.assign_array(words[-1], lines)
            return True
        if name == "read" and options in ("ra", "a", "ar"):
            marks = read_marks(simple, self.variables)
            if lines and not has_unresolved("".join([marks, *lines])) and "\\" not in lines[0]:
                self.variables.assign_array(words[-1], split_at(lines[0], marks))
                return True
        return False


def _is_whole(words: Sequence[str]) -> str:
    """The name in `read -r -d '' NAME`; "" of others."""
    left = list(words)
    at = next((i for i, each in enumerate(left) if re.fullmatch("-r?d", each)), None)
    if at is None or left[at + 1 : at + 2] != [""]:
        return ""
    names = [each for each in (*left[:at], *left[at + 2 :]) if each != "-r"]
    return names[0] if len(names) == 1 else ""
