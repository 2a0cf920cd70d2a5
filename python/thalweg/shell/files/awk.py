# SPDX-License-Identifier: Apache-2.0
"""What small programs of awk print: of fields and numbers, line by line, or before the first one.
What awks do differently is not known.

Source: POSIX.1-2017, awk.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from thalweg.shell.files.regexes import fits, known, regex_of_program
from thalweg.shell.values.escapes import unescaped
from thalweg.shell.values.formats import printf

Value = str | float
Expression = Callable[["Awk"], Value]
Statement = Callable[["Awk"], None]

_NUMBER = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*")
_MOST_DIGITS = 2**31  # whole numbers that all awks print with all their digits
_ORDER = {"<": -1, ">": 1}


class Given(str):
    """From outside of the program: a number where it looks like one."""

    __slots__ = ()


_UNSET = Given("")


@dataclass
class Awk:
    """Called with a line after the other. What it prints for each; None where that is nothing."""

    rules: list[tuple[Expression | None, list[Statement]]]
    values: dict[str, Value]
    ends: list[Statement] = field(default_factory=list)
    count: int = 0
    first: str = ""  # what is printed before the first line
    begun: str = ""  # of a line that has no end yet
    is_ended: bool = True
    printed: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    line: str = ""
    number: int = 0
    is_next: bool = False
    has_ended: bool = False

    def begin(self, count: int) -> None:
        if (self.ends or self.first) and not count:
            raise ValueError("no lines")
        self.number, self.count, self.begun, self.is_ended = 0, count, self.first, True

    def __call__(self, line: str) -> str | None:
        """Raises ValueError where that is not known."""
        if self.has_ended:
            return None
        self.number += 1
        self.line, self.printed, self.is_next = known(line), [], False
        self.split()
        try:
            for condition, statements in self.rules:
                if condition is None or truth(condition(self)):
                    self.run(statements)
                if self.is_next:
                    break
            if self.has_ended and self.ends:
                raise ValueError(line)
            if self.number == self.count:
                self.run(self.ends)
        except (ArithmeticError, RecursionError) as error:
            raise ValueError(line) from error
        text, self.begun = self.begun + "".join(self.printed), ""
        is_last = self.has_ended or self.number == self.count
        if text and not text.endswith("\n") and not is_last:
            text, _, self.begun = text.rpartition("\n")
            return text if _ else None
        if text and not text.endswith("\n"):
            self.is_ended = False
            return text
        return text[:-1] if text else None

    def run(self, statements: Sequence[Statement]) -> None:
        for each in statements:
            each(self)
            if self.is_next:
                return

    def split(self) -> None:
        mark = text_of(self.values.get("FS", " "))
        if mark != " " and not re.fullmatch(r"[^\w\s\\^$.*+?()\[\]{}|]|\\t|[:;,=/_|-]", mark):
            raise ValueError(mark)
        fields = self.line.split() if mark == " " else self.line.split(unescaped(mark))
        self.fields = [Given(each) for each in fields] if self.line else []


def truth(value: Value) -> bool:
    if isinstance(value, float):
        return value != 0
    is_number = isinstance(value, Given) and _NUMBER.fullmatch(value)
    return float(value) != 0 if is_number else value != ""


def plain_text_of(value: Value) -> str:
    """Of which awks count the letters in the same way."""
    text = text_of(value)
    if not text.isascii():
        raise ValueError(text)
    return text


def text_of(value: Value) -> str:
    """As `print` has it."""
    if isinstance(value, str):
        return value
    if value == int(value):
        if abs(value) >= _MOST_DIGITS:
            raise ValueError(value)
        return str(int(value))
    text = printf(["%.6g", repr(value)])
    if text is None:
        raise ValueError(value)
    return text


def number_of(value: Value) -> float:
    if isinstance(value, float):
        return value
    if value == "" and isinstance(value, Given):
        return 0.0
    if not _NUMBER.fullmatch(value):
        raise ValueError(value)  # 12abc
    return float(value)


def regex_in(token: str) -> re.Pattern[str]:
    pattern = token[1:-1]
    if token[:1] == '"':
        if "\\" in pattern:
            raise ValueError(pattern)
    elif token[:1] != "/":
        raise ValueError(token)
    if "{" in pattern or re.search(r"\\[sSwW]", pattern):
        raise ValueError(pattern)  # some awks know no intervals, and others no \s
    regex = regex_of_program(pattern.replace("\\/", "/"), extended=True)
    if regex is None:
        raise ValueError(pattern)
    return regex


def field_of(awk: Awk, place: float) -> str:
    number = int(place)
    if number < 0:
        raise ValueError(number)
    if number == 0:
        return Given(awk.line)
    return awk.fields[number - 1] if number <= len(awk.fields) else Given("")


def variable(awk: Awk, name: str) -> Value:
    if name == "NR":
        return float(awk.number)
    if name == "NF":
        return float(len(awk.fields))
    if name in (
        "FNR",
        "FILENAME",
        "ENVIRON",
        "RS",
        "ORS",
        "OFMT",
        "CONVFMT",
        "RSTART",
        "SUBSEP",
        "ARGC",
        "ARGV",
        "RLENGTH",
        "PROCINFO",
    ):
        raise ValueError(name)
    return awk.values.get(name, _UNSET)


def assigned(name: str, sign: str, before: Expression, given: Expression) -> Expression:
    if name in ("NR", "NF", "RS", "ORS", "OFMT", "CONVFMT", "FNR"):
        raise ValueError(name)

    def run(awk: Awk) -> Value:
        value = given(awk)
        if sign != "=":
            value = _result(sign[0], number_of(before(awk)), number_of(value))
        awk.values[name] = value
        return value

    return run


def counted(name: str, change: float) -> Expression:
    def run(awk: Awk) -> Value:
        before = number_of(variable(awk, name))
        awk.values[name] = before + change
        return before

    return run


def negative(inner: Expression) -> Expression:
    def run(awk: Awk) -> Value:
        value = number_of(inner(awk))
        if value == 0:
            raise ValueError("-0")
        return -value

    return run


def calculated(sign: str, left: Expression, right: Expression) -> Expression:
    return lambda awk: _result(sign, number_of(left(awk)), number_of(right(awk)))


def _result(sign: str, left: float, right: float) -> float:
    if sign == "/":
        return left / right
    if sign == "%":
        return math.fmod(left, right)
    if sign == "^":
        value = left**right
        if isinstance(value, complex):
            raise ValueError(value)
        return float(value)
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def joined(left: Expression, right: Expression) -> Expression:
    return lambda awk: text_of(left(awk)) + text_of(right(awk))


def of_both(sign: str, left: Expression, right: Expression) -> Expression:
    def run(awk: Awk) -> Value:
        is_true = truth(left(awk))
        if is_true is (sign == "||"):
            return float(is_true)
        return float(truth(right(awk)))

    return run


def like(left: Expression, regex: re.Pattern[str], is_negated: bool) -> Expression:
    def run(awk: Awk) -> Value:
        return float(fits(regex, text_of(left(awk))) is not is_negated)

    return run


def compared(sign: str, left: Expression, right: Expression) -> Expression:
    def run(awk: Awk) -> Value:
        both = one, other = left(awk), right(awk)
        lacks = any(isinstance(each, Given) and each == "" and each is not _UNSET for each in both)
        if lacks and any(isinstance(each, float) for each in both):
            raise ValueError(sign)  # of a field that is not there
        are_numbers = all(
            isinstance(each, float)
            or (isinstance(each, Given) and (_NUMBER.fullmatch(each) or each is _UNSET))
            for each in both
        )
        if are_numbers:
            first, second = number_of(one), number_of(other)
            order = (first > second) - (first < second)
        else:
            texts = text_of(one), text_of(other)
            if sign[0] in "<>" and not all(re.fullmatch("[a-z0-9]*", each) for each in texts):
                raise ValueError(sign)  # that is of a language
            order = (texts[0] > texts[1]) - (texts[0] < texts[1])
        if sign in ("==", "!="):
            return float((order == 0) is (sign == "=="))
        return float(order == _ORDER[sign[0]] or (order == 0 and len(sign) == 2))

    return run


def part_of(text: Value, first: Value, count: Value = math.inf) -> str:
    begin, length = number_of(first), count if isinstance(count, float) else number_of(count)
    if begin < 1 or begin != int(begin) or (length != math.inf and length != int(length)):
        raise ValueError(begin)
    end = begin + length
    return "".join(
        each for place, each in enumerate(plain_text_of(text), 1) if begin <= place < end
    )


def formatted(given: Sequence[Value]) -> str:
    words = [each if isinstance(each, str) else _exactly(each) for each in given]
    pattern = words[0] if words else ""
    if "\\" in pattern or "%b" in pattern or re.search(r"%[-+ 0]*\*", pattern):
        raise ValueError(pattern)
    kinds = re.findall(r"%[-+ 0]*[0-9]*(?:\.[0-9]+)?([a-zA-Z])", pattern.replace("%%", ""))
    if len(kinds) != len(words) - 1:
        raise ValueError(pattern)
    for place, (kind, value) in enumerate(zip(kinds, given[1:], strict=True), 1):
        if kind in "diouxXc":
            if kind == "c":
                raise ValueError(kind)
            if abs(number_of(value)) >= _MOST_DIGITS:
                raise ValueError(value)
            words[place] = str(math.trunc(number_of(value)))
        elif kind == "s":
            words[place] = text_of(value)
        else:
            words[place] = _exactly(number_of(value))
    text = printf(words)
    if text is None:
        raise ValueError(pattern)
    return text


def _exactly(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def printing(given: Sequence[Expression]) -> Statement:
    def run(awk: Awk) -> None:
        texts = [text_of(each(awk)) for each in given] if given else [awk.line]
        awk.printed.append(text_of(awk.values.get("OFS", " ")).join(texts) + "\n")

    return run


def printing_formatted(given: Sequence[Expression]) -> Statement:
    def run(awk: Awk) -> None:
        awk.printed.append(formatted([each(awk) for each in given]))

    return run


def go_to_next(awk: Awk) -> None:
    awk.is_next = True


def leave(awk: Awk) -> None:
    awk.is_next = awk.has_ended = True
