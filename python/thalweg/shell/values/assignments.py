# SPDX-License-Identifier: Apache-2.0
"""Commands that give variables values: x=1, export x=1, let x=1+2, ((x++)), set x = 1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thalweg.shell.tree.brackets import is_quoted, segments
from thalweg.shell.tree.lexer import words_of
from thalweg.shell.tree.tree import SUBSCRIPT, Simple
from thalweg.shell.unresolved import has_unresolved, unresolved
from thalweg.shell.values.arithmetic import with_zeros
from thalweg.shell.values.expansion import arithmetic_value, expand
from thalweg.shell.values.home import with_home
from thalweg.shell.values.parameters import ALWAYS_SET
from thalweg.shell.values.patterns import is_pattern
from thalweg.shell.values.scopes import at_top, may_stay
from thalweg.shell.values.state import Slots
from thalweg.shell.values.variables import Variables
from thalweg.shell.values.words import quoted, split_exactly, split_words

_ASSIGNED = re.compile(rf"([A-Za-z_]\w*)({SUBSCRIPT})?(\+?)=(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
DECLARES = frozenset({"export", "declare", "typeset", "local", "readonly", "integer", "nameref"})
ARITHMETIC = re.compile(r"let\s|\(\(")
_IS_STATEMENT = re.compile(r"\s*(?:[A-Za-z_]\w*\s*(?:[-+*/%]?=(?!=)|\+\+|--)|\+\+|--)")
_OF_VALUE = re.compile(r"\$\w+\s*(?:[-+*/%]?=(?!=)|\+\+|--)")
_IS_WIDTH = re.compile("[LRFEcC]|i[0-9]")  # `typeset -L2`, -i8; `declare -c`
_DECLARES_WIDTHS = frozenset({"declare", "typeset", "local", "integer"})
_OF_VALUES = frozenset("iulZn?")  # letters that make something else of a value
_ELEMENT = re.compile(rf"({SUBSCRIPT})=(.*)", re.DOTALL)
_NAMED_ELEMENT = re.compile(rf"([A-Za-z_]\w*)({SUBSCRIPT})")
_IS_NO_WORD = re.compile(r"\[|[^'\"$]*[*?]")  # of an array: [2]=x, *.nc


def _parts_of(text: str) -> list[str]:
    """What `((a = 1, b = 2))` and `let a=1 b=2` have in them; brackets stay together."""
    if text.startswith("(("):
        body = text[2:-2]
        return body.split(",") if not re.search(r"[(\[]", body) else [body]
    words = [re.sub("['\"]", "", word) for word in words_of(text.removeprefix("let").strip())]
    is_several = all(_IS_STATEMENT.match(word) for word in words)
    return words if is_several else [" ".join(words)]


def is_assignment(simple: Simple) -> bool:
    """Nothing else."""
    words = simple.words
    if not words or ARITHMETIC.match(simple.text):
        return bool(words)
    return words[0] in DECLARES or len(simple.assigned()) == len(words)


def is_name_or_assignment(word: str) -> bool:
    return bool(_ASSIGNED.fullmatch(word) or _NAME.fullmatch(word))


def _in_letters(value: str, letters: str) -> str:
    """`typeset -u`, -l, and -Z2 of ksh."""
    if has_unresolved(value):
        return value
    if "Z" in letters:
        return with_zeros(value, letters)
    if set(letters) & set("ul") and not value.isascii():
        return unresolved("`LC_ALL`")
    return value.upper() if "u" in letters else value.lower() if "l" in letters else value


@dataclass
class Assignments:
    variables: Variables

    def take(self, simple: Simple) -> None:
        """x=1 y="$x a" and export x=1, set x = 1."""
        words = simple.words
        first = words[0] if words else ""
        if first in DECLARES:
            self._declare(first, words[1:])
        elif first in ("set", "setenv"):
            self._of_c_shell(words)
        elif len(simple.assigned()) == len(words):
            for word in words:
                self.take_word(word)
                if self.variables.printed is not None:
                    self.variables.printed.clear()

    def calculate(self, text: str) -> bool | None:
        """let x=1+2, ((x = y * 2)), ((x < 3)): whether it is not 0; None where that is not known"""
        value = "0"
        for each in _parts_of(text):
            each = expand(each, self.variables) if _OF_VALUE.search(each) else each
            value = arithmetic_value(each, self.variables)
        return None if has_unresolved(value) else int(value or 0) != 0

    def take_word(self, word: str) -> None:
        """x=1, x+=1, x[2]=1 or x=(1 2)"""
        self._prepared(word)()

    def _prepared(self, word: str) -> Callable[[], None]:
        """With its values as they are now."""
        found = _ASSIGNED.fullmatch(word)
        if found is None:
            return lambda: None
        name, index, adds, text = found.groups()
        variables = self.variables
        if text.startswith("(") and text.endswith(")") and not index:
            return lambda: self._assign_array(name, text[1:-1], is_more=bool(adds))
        value = expand(with_home(text, is_assigned=True), variables)
        if index:
            return lambda: self._assign_element(name, index[1:-1], value, bool(adds))
        return lambda: self._assign(name, value, bool(adds))

    def _assign(self, name: str, value: str, adds: bool) -> None:
        variables = self.variables
        letters = variables.letters.get(variables.name(name), "")
        if "?" in letters:
            variables.forget(name)
            return
        before = (variables.value(name) or "") if adds else ""
        if "i" in letters and self._keeps_base(value):
            variables.forget(name)
        elif "i" in letters:
            value = f"({before or 0})+({value or 0})" if adds else value
            variables.change(name, arithmetic_value(value, variables) if value else "0")
        else:
            variables.change(name, _in_letters(before + value, letters))

    def _declare(self, command: str, words: Sequence[str]) -> None:
        """Letters hold for what is assigned later, too. All words have the values of before."""
        options = "".join(word[1:] for word in words if word.startswith("-"))
        options += "?" * (_IS_WIDTH.search(options) is not None and command in _DECLARES_WIDTHS)
        options += {"integer": "i", "nameref": "n"}.get(command, "")
        options = "" if command in ("export", "readonly") else options
        undone = "x" * (command == "export" and "-n" in words) + "".join(
            word[1:] for word in words if word.startswith("+")
        )
        planned: list[Callable[[], None]] = []
        given: list[tuple[str, str]] = []
        for word in words if "n" in undone else ():
            self.variables.references.pop(word, None)
        for word in words:
            name = "" if word.startswith(("-", "+")) else self._named(word, planned)
            if name:
                given.append((name, word))
                planned += [] if "n" in options else [self._prepared(word)]
        names = [name for name, _ in given]
        with at_top(self.variables, names if "g" in options else ()):
            for name, word in given:
                if "n" in options:
                    self._refer(name, word)
                    continue
                if set(options) & set("iaul") and not set(options) & set("xr") and name == word:
                    self._unset_if_new(name)
                if "A" in options and self.variables.map(name) is None:
                    self.variables.assign_map(name, {})
                if _OF_VALUES & set(options) or undone:
                    self._keep_letters(name, options.replace("r", ""), undone)
            is_read_only = command == "readonly" or "r" in options
            self.variables.is_made_readonly = is_read_only  # again, with the same value
            for each in planned:
                each()
            self.variables.is_made_readonly = False
            is_exported = (command == "export" and "-n" not in words) or "x" in options
            for name in names:
                if command in ("export", "readonly"):
                    may_stay(self.variables, name)
                self._keep_letters(name, "r" * is_read_only + "x" * is_exported, "")

    def _unset_if_new(self, name: str) -> None:
        """`typeset -i n`: it counts as having no value, as in ${n:-1}."""
        variables = self.variables
        if variables.value(name) is None and name not in ALWAYS_SET and variables.map(name) is None:
            variables.unset(name)

    def _keep_letters(self, name: str, options: str, undone: str) -> None:
        variables = self.variables
        name = variables.name(name)
        before = variables.letters.get(name, "")
        kept = "".join(each for each in before if each not in undone)
        variables.letters[name] = options + kept
        value = variables.known(name) if "Z" in options and name in variables.assigned else None
        if value:
            variables.change(name, _in_letters(value, options))

    def _named(self, word: str, planned: list[Callable[[], None]]) -> str:
        """The name; of one that a variable or quotes hold the value is as it is then."""
        if not (_ASSIGNED.match(word) or _NAME.fullmatch(word)):
            word, sign, value = expand(word, self.variables).partition("=")
            self.variables.sets_unknown |= has_unresolved(word)
            element = _NAMED_ELEMENT.fullmatch(word) if sign else None
            if element:
                name, index = element.groups()
                planned.append(lambda: self._assign_element(name, index[1:-1], value, adds=False))
            elif sign and _NAME.fullmatch(word):
                planned.append(lambda: self._assign(word, value, adds=False))
        name = re.split(r"[\[+=]", word, maxsplit=1)[0]
        return name if _NAME.fullmatch(name) else ""

    def turn(self, name: str, value: str) -> None:
        """Of a `for`: one made by `declare -n` stands for the variable of that name then."""
        if name in self.variables.references:
            self._refer(name, f"={quoted(value)}")
        else:
            self.variables.give(name, value)

    def _refer(self, name: str, word: str) -> None:
        """`declare -n name=other`, or `declare -n name` of one that has a name as its value"""
        _, sign, other = word.partition("=")
        self.variables.references.pop(name, None)
        other = expand(other, self.variables) if sign else self.variables.value(name) or ""
        if _NAME.fullmatch(other) and self.variables.name(other) != name:
            self.variables.references[name] = other
        else:  # without a value it stands for what it is given next
            self.variables.sets_unknown |= not sign or has_unresolved(other)
            self.variables.forget(name)

    def _of_c_shell(self, words: Sequence[str]) -> None:
        """`set x = 1`, `set x=1` and `setenv x 1`"""
        words = list(words)
        if words[0] == "setenv" and len(words) == 3:
            words = ["set", words[1], "=", words[2]]
        if len(words) == 3 and words[2] == "=":  # ( a b ) follows
            self.variables.forget(words[1])
            return
        name, sign, value = "".join(words[1:4]).partition("=")
        if sign and _NAME.fullmatch(name) and len(words) <= 4:
            self._assign(name, expand(value, self.variables), adds=False)

    def _assign_array(self, name: str, text: str, *, is_more: bool) -> None:
        """(a b), or ([x]=a [y]=b) of one whose elements have names"""
        variables = self.variables
        words = words_of(text)
        elements = variables.map(name)
        if elements is not None:
            pairs = [_ELEMENT.fullmatch(word) for word in words]
            given = {
                expand(each[1][1:-1], variables): self._lettered(name, expand(each[2], variables))
                for each in pairs
                if each
            }
            if len(given) == len(words) and not any(map(has_unresolved, given)):
                variables.assign_map(name, {**elements, **given} if is_more else given)
            else:
                variables.forget(name)
            return
        before = variables.slots(name) if is_more else []
        if any(map(_ELEMENT.fullmatch, words)):
            self._assign_numbered(name, words, before)
            return
        fields, known = split_exactly(words, variables)
        values = [self._lettered(name, each) for each in fields]
        is_plain = known is None and not any(map(self._may_be_names, words))
        is_open = bool(before) and not variables.is_array(name) and has_unresolved(before[0] or "")
        if is_plain and not is_open:
            variables.assign_array(name, [*before, *values])
        else:
            variables.forget(name)

    def _assign_numbered(self, name: str, words: Sequence[str], before: Slots) -> None:
        """([3]=a b), where b is [4]"""
        found = {place: each for place, each in enumerate(before) if each is not None}
        place = len(before)
        for word in words:
            pair = _ELEMENT.fullmatch(word)
            number = arithmetic_value(pair[1][1:-1], self.variables) if pair else str(place)
            values = (
                [expand(pair[2], self.variables)] if pair else split_words([word], self.variables)
            )
            values = [self._lettered(name, each) for each in values]
            if not number.isdecimal() or any(map(has_unresolved, values)):
                self.variables.forget(name)
                return
            found |= dict(enumerate(values, int(number)))
            place = int(number) + len(values)
        self.variables.assign_array(name, [found.get(i) for i in range(max(found, default=-1) + 1)])

    def _keeps_base(self, value: str) -> bool:
        """`integer c=16#ff`, as ksh has it."""
        is_ksh = "?lastpipe" in self.variables.options
        return is_ksh and re.search(r"(?<!\w)(?!10#)[0-9]+#", value) is not None

    def _may_be_names(self, word: str) -> bool:
        """Of an array: what is between quotes, or a value, may be a pattern of files."""
        if _IS_NO_WORD.match(word):
            return True
        open_ = [part for part in segments(word) if not is_quoted(part)]
        return "noglob" not in self.variables.options and any(
            is_pattern(expand(part, self.variables)) if part[0] in "$`" else is_pattern(part)
            for part in open_
        )

    def _lettered(self, name: str, value: str) -> str:
        """An element, as `declare -i` and its kin have it."""
        letters = self.variables.letters.get(self.variables.name(name), "")
        if "?" in letters or ("i" in letters and self._keeps_base(value)):
            return unresolved(name)
        return (
            arithmetic_value(value or "0", self.variables)
            if "i" in letters
            else _in_letters(value, letters)
        )

    def give(self, named: str, value: str) -> bool:
        """`printf -v NAME`: whether it names a variable, or an element of one."""
        element = _NAMED_ELEMENT.fullmatch(named)
        if element:
            self._assign_element(element[1], element[2][1:-1], value, adds=False)
        elif _NAME.fullmatch(named):
            self.variables.give(named, value)
        return element is not None or _NAME.fullmatch(named) is not None

    def _assign_element(self, name: str, index: str, value: str, adds: bool) -> None:
        variables = self.variables
        elements = variables.map(name)
        is_number_kept = "i" in variables.letters.get(variables.name(name), "")
        if elements is not None:
            key = expand(index, variables)
            before_it = elements.get(key, "") * adds
            if is_number_kept:
                value = arithmetic_value(f"({before_it or 0})+({value or 0})", variables)
            else:
                value = self._lettered(name, before_it + value)
        elif is_number_kept:
            key, value = "", unresolved(name)
        else:
            key = arithmetic_value(index, variables)
            slots = variables.slots(name)
            is_number = key.removeprefix("-").isdecimal()
            place = (int(key) + len(slots) * key.startswith("-")) if is_number else 0
            before = dict(enumerate(slots)).get(place)
            value = self._lettered(name, (before or "") * adds + value)
        variables.assign_element(name, key, value)
