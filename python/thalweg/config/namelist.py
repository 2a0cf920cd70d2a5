# SPDX-License-Identifier: Apache-2.0
"""Reads Fortran namelists: groups, repeated ones too, with the line of every item."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from thalweg.errors import ThalwegError
from thalweg.shell.lines import BEGIN_OF_GROUP, NumberedLine
from thalweg.shell.unresolved import has_unresolved, unresolved_names

# None is a null value: the item keeps what it was. Text may hold what a shell did not resolve.
Value: TypeAlias = bool | int | float | str | None

_TOKEN = re.compile(
    r"""[ \t\r\f]*(?:$ | (?P<comment>!.*) | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*") | (?P<open>['"])
    | (?P<group>[&$]\w+) | (?P<end>/) | (?P<equals>=) | (?P<comma>,|;) | (?P<index>\([^)=]*\))
    | (?P<word>[^\s,;=!/'"&()]+))""",
    re.VERBOSE,
)
_LOGICAL = re.compile(r"\.?(t|true|f|false)\.?", re.IGNORECASE)
_MOST_DIGITS = 1000
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[edq]?([+-]?[0-9]+))?", re.IGNORECASE)
_REPEATED = re.compile(r"([0-9]+)\*(.*)", re.DOTALL)
_RANGE = re.compile(r"\(\s*(?:([0-9]+)\s*(?::\s*[0-9]*\s*)?|:\s*[0-9]*\s*)\)")
_LONGEST_ARRAY = 100_000  # elements; a repeat count beyond it is a slip of the pen


@dataclass
class Item:
    """values[0] is element 1; line is that of its last assignment."""

    values: list[Value]
    line: int


@dataclass
class Group:
    """One &NAME ... /. Names of the group and its items are in small letters.

    begins, ends  number of the line in what is read, from 0; `line` is that of the file
    """

    name: str
    file: str
    line: int
    items: dict[str, Item] = field(default_factory=dict)
    begins: int = 0
    ends: int = 0


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


def read_namelist(
    lines: Iterable[NumberedLine],
    file: str,
    between: list[tuple[str, int, str]] | None = None,
    files: Sequence[str] = (),
) -> list[Group]:
    """Every group in its order. What stands between groups is a comment, as in Fortran; `between`
    gets file, number and text of lines, or ends of lines, that are in no group.

    files: of each line, where they are not all of one
    """
    groups: list[Group] = []
    tokens: list[_Token] | None = None  # of the group that is open
    for position, (number, line) in enumerate(lines):
        rest, file = line, files[position] if files else file
        if tokens is not None and rest.lstrip()[:1] in ("", "!"):
            continue
        while rest:
            if tokens is None:
                found = BEGIN_OF_GROUP.match(rest)
                if found is None or rest.lstrip()[0] == "$":  # models look for '&NAME'
                    if between is not None:
                        between.append((file, number, rest.strip()))
                    break
                groups.append(Group(found[1].lower(), file, number, begins=position))
                tokens, rest = [], found[2]
            ended, rest = _scan(rest, number, file, tokens, groups[-1])
            if ended:
                groups[-1].ends = position
                _assign(groups[-1], tokens)
                tokens = None
    if tokens is not None:
        raise ThalwegError(
            f"{groups[-1].file}:{groups[-1].line}: the group '&{groups[-1].name}' has no end; "
            "close it with /"
        )
    return groups


def _scan(
    text: str, number: int, file: str, tokens: list[_Token], group: Group
) -> tuple[bool, str]:
    """Appends the tokens of a line; whether the group ended, and what follows its end."""
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        kind = found.lastgroup if found else "unknown"
        if found is None or kind == "open":
            what = (
                "a text is not closed on its line"
                if found
                else f"'{text[position:].lstrip()[0]}' is no value"
            )
            raise ThalwegError(f"{file}:{number}: {what} in group '&{group.name}'; correct it")
        if kind == "group":
            if found[kind][1:].lower() == "end":
                return True, text[found.end() :]
            if found[kind][0] == "$":  # a variable of a shell that did not expand it
                raise ThalwegError(
                    f"{file}:{number}: '{found[kind]}' is no value in group '&{group.name}'; "
                    "write a number, a logical or a text in quotes"
                )
            raise ThalwegError(
                f"{file}:{number}: '{found[kind]}' begins before '&{group.name}' of line "
                f"{group.line} has ended; close that with /"
            )
        if kind == "end":
            return True, text[found.end() :]
        if kind and kind != "comment":
            tokens.append(_Token(kind, found[kind], number, found.start(kind)))
        position = found.end()
    return False, ""


def _assign(group: Group, tokens: list[_Token]) -> None:
    """Splits the tokens at each '=' into names and their values."""
    marks = [i for i, token in enumerate(tokens) if token.kind == "equals"]
    begins = [_name_begin(group, tokens, mark) for mark in marks]
    if tokens and (not marks or begins[0] > 0):
        raise _wrong(group, tokens[0], "stands where the name of an item and '=' should")
    for i, mark in enumerate(marks):
        end = begins[i + 1] if i + 1 < len(marks) else len(tokens)
        _store(group, tokens[begins[i] : mark], list(_values(group, tokens[mark + 1 : end])))


def _name_begin(group: Group, tokens: list[_Token], mark: int) -> int:
    """Index of the first token of the name that ends before '='; x(1)%y(2) has four tokens."""
    begin = mark
    while begin > 0:
        if tokens[begin - 1].kind == "index":
            begin -= 1
        if begin == 0 or tokens[begin - 1].kind != "word":
            break
        begin -= 1
        if not tokens[begin].text.startswith("%"):
            if tokens[begin].text[0].isalpha():
                return begin
            break
    names = [name for token in tokens[begin:mark] for name in unresolved_names(token.text)]
    if names:
        raise ThalwegError(
            f"{group.file}:{tokens[mark].line}: the name of an item of '&{group.name}' is open: "
            + "give "
            + " ".join(f"--set {name}=VALUE" for name in dict.fromkeys(names))
        )
    raise _wrong(group, tokens[mark], "has no name of an item before it")


def _store(group: Group, name: list[_Token], values: list[Value]) -> None:
    """Later assignments replace element by element, and null values replace nothing."""
    parts = [token.text.lower().replace(" ", "") for token in name]
    first = 1
    if name[-1].kind == "index":
        found = _RANGE.fullmatch(parts[-1])
        if found:  # with more than one index the element has a name of its own
            first, parts = int(found[1] or 1), parts[:-1]
    if not 1 <= first <= _LONGEST_ARRAY:
        raise _wrong(group, name[-1], f"is no index from 1 to {_LONGEST_ARRAY}")
    item = group.items.setdefault("".join(parts), Item([], name[0].line))
    item.line = name[0].line
    missing = first - 1 + len(values) - len(item.values)
    item.values += [None] * missing
    for i, value in enumerate(values, first - 1):
        if value is not None:
            item.values[i] = value


def _values(group: Group, tokens: list[_Token]) -> Iterator[Value]:
    after_comma = True  # a comma at the beginning or after another one stands for a null value
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.kind == "comma":
            if after_comma:
                yield None
            after_comma = True
            continue
        after_comma = False
        count = 1
        repeated = _REPEATED.fullmatch(token.text) if token.kind == "word" else None
        if repeated:
            count = int(repeated[1])
            if count > _LONGEST_ARRAY:
                raise _wrong(group, token, f"repeats more than {_LONGEST_ARRAY} times")
            follows = tokens[position] if position < len(tokens) else None
            if repeated[2]:
                token = token._replace(text=repeated[2])
            elif follows and follows.kind == "text" and (
                follows.line == token.line and follows.column == token.column + len(token.text)
            ):  # fmt: skip
                token, position = follows, position + 1
            else:
                yield from [None] * count
                continue
        yield from [_value(group, token)] * count


def _value(group: Group, token: _Token) -> Value:
    text = token.text
    if token.kind == "text":
        return text[1:-1].replace(text[0] * 2, text[0])
    if token.kind != "word":
        raise _wrong(group, token, "is no value")
    if has_unresolved(text):
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > _MOST_DIGITS:
            raise _wrong(group, token, "is larger than any number")
        return int(text)
    if logical := _LOGICAL.fullmatch(text):
        return logical[1].lower().startswith("t")
    if real := _REAL.fullmatch(text):
        number = float(f"{real[1]}e{real[2] or 0}")
        if not math.isfinite(number):
            raise _wrong(group, token, "is larger than any number")
        return number
    raise _wrong(group, token, "is neither a number nor a logical nor a text in quotes")


def _wrong(group: Group, token: _Token, what: str) -> ThalwegError:
    return ThalwegError(
        f"{group.file}:{token.line}: '{token.text}' {what} in group '&{group.name}'; correct it"
    )
