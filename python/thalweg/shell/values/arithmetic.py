# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of a shell in $((...)), ((...)) and let: whole numbers, and what it assigns."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from thalweg.shell.unresolved import unresolved, unresolved_names
from thalweg.shell.values.variables import Variables

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+\#\w+|0[xX][0-9a-fA-F]+|[0-9]+)(?![\w.#])|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<open>\x02[^\x03]*\x03)"
    r"|(?P<sign><<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|[-+*/%<>=!~&^|?:,()\[\]]))"
)
_NAME_NEXT = re.compile(r"\s*[A-Za-z_]")
_LARGEST = 2**63
_MOST_ALIKE = 7  # 07 is the same in all bases
_LARGEST_POWER = 64
_LONGEST = 2000  # characters
_DEEPEST = 10  # values that are arithmetic themselves
_ASSIGNS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="})
_LEVELS = {
    "||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, "<=": 10, ">": 10,
    ">=": 10, "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13, "**": 14,
}  # fmt: skip
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "|": operator.or_, "^": operator.xor, "&": operator.and_, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip


@dataclass(frozen=True)
class _Open:
    """names: what it waits for"""

    names: tuple[str, ...] = ("`arithmetic`",)


_Value = int | _Open


class _WrongError(Exception):
    """It is none that a shell takes."""


def arithmetic(text: str, variables: Variables, depth: int = 0) -> str:
    """text: expanded. The number, or what it waits for."""
    before = variables.state()
    try:
        value = _Reader(text, variables, depth).whole()
    except (_WrongError, RecursionError):
        variables.set_state(before)
        names = [a or b for a, b in _CHANGED.findall(text)]
        for name in names:
            variables.forget(name)
        value = _Open()
    if isinstance(value, _Open):
        return "".join(unresolved(name) for name in value.names)
    return str(value)


_CHANGED = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?(?<![=!<>])=(?!=))"
    r"|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)


@dataclass
class _Place:
    """What may be assigned to: a variable, or one of its elements."""

    name: str
    index: int | str | _Open | None = None  # str: of one whose elements have names


@dataclass
class _Reader:
    text: str
    variables: Variables
    depth: int
    tokens: list[tuple[str, str]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # of tokens, in the text
    i: int = 0
    read: _Place | None = None  # what comes next, and has been read already

    def whole(self) -> _Value:
        if len(self.text) > _LONGEST:
            raise _WrongError
        position, text = 0, self.text.rstrip()
        while position < len(text):
            found = _TOKEN.match(text, position)
            if found is None or found.lastgroup is None:
                raise _WrongError
            kind, sign = found.lastgroup, found[found.lastgroup]
            position = found.end()
            is_behind = bool(self.tokens) and self.tokens[-1][0] == "name"
            if sign in ("++", "--") and not is_behind and not _NAME_NEXT.match(text, position):
                position, sign = position - 1, sign[0]  # 5--3, and ---x
            self.tokens.append((kind, sign))
            self.ends.append(position)
        if not self.tokens:
            return 0
        value = self._list()
        if self.i < len(self.tokens):
            raise _WrongError
        return value

    def _sign(self) -> str:
        kind, text = self.tokens[self.i] if self.i < len(self.tokens) else ("", "")
        return text if kind == "sign" else ""

    def _takes(self, sign: str) -> bool:
        if self._sign() != sign:
            return False
        self.i += 1
        return True

    def _needs(self, sign: str) -> None:
        if not self._takes(sign):
            raise _WrongError

    def _list(self) -> _Value:
        value = self._assigned()
        while self._takes(","):
            value = self._assigned()
        return value

    def _assigned(self) -> _Value:
        if self.i < len(self.tokens) and self.tokens[self.i][0] == "name":
            place = self._place()
            sign = self._sign()
            if sign in _ASSIGNS:
                self.i += 1
                before = self._value_of(place) if sign != "=" else 0
                right = self._assigned()
                if sign != "=":
                    right = self._combined(sign[:-1], before, right)
                self._give(place, right)
                return right
            self.read = place
        return self._chosen()

    def _chosen(self) -> _Value:
        """a ? b : c"""
        condition = self._binary(4)
        if not self._takes("?"):
            return condition
        states = [self.variables.state()]
        values: list[_Value] = []
        for read in (self._assigned, self._chosen):
            self.variables.set_state(states[0])
            states[:1] = [self.variables.state()]
            values.append(read())
            states.append(self.variables.state())
            if len(values) == 1:
                self._needs(":")
        if isinstance(condition, _Open):
            self.variables.merge(states[1:])
            return condition if values[0] != values[1] else values[0]
        self.variables.set_state(states[1 if condition else 2])
        return values[0 if condition else 1]

    def _binary(self, least: int) -> _Value:
        left = self._unary()
        while (level := _LEVELS.get(self._sign(), 0)) >= least:
            sign = self._sign()
            self.i += 1
            if sign in ("&&", "||"):
                left = self._joined(sign, left)
                continue
            right = self._binary(level if sign == "**" else level + 1)
            left = self._combined(sign, left, right)
        return left

    def _joined(self, sign: str, left: _Value) -> _Value:
        """The right side is only done where the left one does not decide."""
        before = self.variables.state()
        right = self._binary(_LEVELS[sign] + 1)
        decides = sign == "||"
        if not isinstance(left, _Open) and (left != 0) is decides:
            self.variables.set_state(before)
            return int(decides)
        if isinstance(left, _Open):
            self.variables.merge([before, self.variables.state()])
            is_decided = not isinstance(right, _Open) and (right != 0) is decides
            return int(decides) if is_decided else left
        return right if isinstance(right, _Open) else int(right != 0)

    def _unary(self) -> _Value:
        sign = self._sign() if self.read is None else ""
        if sign in ("++", "--"):
            self.i += 1
            place = self._place()
            value = self._combined(sign[0], self._value_of(place), 1)
            self._give(place, value)
            return value
        if sign in ("-", "+", "!", "~"):
            self.i += 1
            value = self._unary()
            if isinstance(value, _Open):
                return value
            return {"-": -value, "+": value, "!": int(value == 0), "~": ~value}[sign]
        return self._primary()

    def _primary(self) -> _Value:
        if self.read is None and self._takes("("):
            value = self._list()
            self._needs(")")
            return value
        if self.read is None and self.i >= len(self.tokens):
            raise _WrongError
        kind, text = ("name", "") if self.read is not None else self.tokens[self.i]
        if kind == "name":
            place, self.read = self.read or self._place(), None
            value = self._value_of(place)
            if self._sign() in ("++", "--"):
                sign = self._sign()
                self.i += 1
                self._give(place, self._combined(sign[0], value, 1))
            return value
        self.i += 1
        if kind == "open":
            return _Open(tuple(unresolved_names(text)))
        if kind == "number":
            return self._with_zeros(text, "")
        raise _WrongError

    def _with_zeros(self, text: str, name: str) -> _Value:
        """A number, or a value, that may begin with 0, which kinds of ksh do not take in one way;
        in one of `typeset -Z` zeros are no part of the number.
        """
        if "Z" in self.variables.letters.get(name, "") and text.isdecimal():
            return int(text)
        is_octal = text.isdecimal() and text.startswith("0") and int(text) > _MOST_ALIKE
        if is_octal and "?lastpipe" in self.variables.options:
            return _Open((name or "`arithmetic`",))
        return _number(text)

    def _place(self) -> _Place:
        if self.i >= len(self.tokens) or self.tokens[self.i][0] != "name":
            raise _WrongError
        place = _Place(self.tokens[self.i][1])
        self.i += 1
        if self._sign() == "[" and self.variables.map(place.name) is not None:
            place.index = self._key()
        elif self._takes("["):
            place.index = self._list()
            self._needs("]")
        return place

    def _key(self) -> str:
        """Of an element that has a name, which is no variable's."""
        begin, depth = self.ends[self.i], 0
        while True:
            depth += (self._sign() == "[") - (self._sign() == "]")
            if self.i >= len(self.tokens):
                raise _WrongError
            self.i += 1
            if depth == 0:
                return self.text[begin : self.ends[self.i - 1] - 1]

    def _value_of(self, place: _Place) -> _Value:
        if isinstance(place.index, _Open):
            return place.index
        if isinstance(place.index, str):
            if names := unresolved_names(place.index):
                return _Open(tuple(names))
            elements = self.variables.map(place.name) or {}
            text: str | None = elements.get(place.index, "")
        elif place.index is None:
            text = self.variables.value(place.name)
        else:
            words = self.variables.array(place.name)
            if words is None:
                return _Open((place.name,))
            text = words[place.index] if -len(words) <= place.index < len(words) else ""
        if text is None:
            return _Open((place.name,))
        if names := unresolved_names(text):
            return _Open(tuple(names))
        if not text.strip():
            return 0
        if re.fullmatch(r"\s*-?[0-9]+\s*", text):
            if "-" in text:
                return -_number(text.strip()[1:])
            return self._with_zeros(text.strip(), place.name)
        if self.depth >= _DEEPEST:
            raise _WrongError
        return _Reader(text, self.variables, self.depth + 1).whole()

    def _give(self, place: _Place, value: _Value) -> None:
        variables = self.variables
        is_open = isinstance(value, _Open)
        text = "".join(map(unresolved, value.names)) if isinstance(value, _Open) else str(value)
        if place.index is None:
            variables.change(place.name, with_zeros(text, variables.letters.get(place.name, "")))
            return
        if isinstance(place.index, str):
            variables.assign_element(place.name, place.index, text)
            return
        words = variables.array(place.name)
        index = place.index
        if is_open or words is None or isinstance(index, _Open) or not 0 <= index <= len(words):
            variables.forget(place.name)
        else:
            variables.assign_array(place.name, [*words[:index], text, *words[index + 1 :]])

    def _combined(self, sign: str, left: _Value, right: _Value) -> _Value:
        if isinstance(left, _Open) or isinstance(right, _Open):
            found = [*getattr(left, "names", ()), *getattr(right, "names", ())]
            return _Open(tuple(dict.fromkeys(found)))
        value = _calculated(sign, left, right)
        if not -_LARGEST <= value < _LARGEST:
            raise _WrongError
        return value


def _calculated(sign: str, left: int, right: int) -> int:
    if sign in ("/", "%"):
        if right == 0:
            raise _WrongError
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if sign == "/" else left - right * quotient
    if sign == "**" or sign in ("<<", ">>"):
        if not 0 <= right <= _LARGEST_POWER:
            raise _WrongError
        return left**right if sign == "**" else left << right if sign == "<<" else left >> right
    return int(_OPERATIONS[sign](left, right))


def with_zeros(text: str, letters: str) -> str:
    """As `typeset -Z2` has it."""
    found = re.search("Z([0-9]+)", letters)
    return text.zfill(int(found[1]))[-int(found[1]) :] if found else text


def _number(text: str) -> int:
    """010 is 8, 10#010 is 10, 08 is none."""
    base, sign, digits = text.partition("#")
    try:
        if sign:
            return int(digits, int(base)) if "_" not in digits else int("")
        if text[:2] in ("0x", "0X"):
            return int(text, 16)
        return int(text, 8 if text.startswith("0") else 10)
    except ValueError:
        raise _WrongError from None
