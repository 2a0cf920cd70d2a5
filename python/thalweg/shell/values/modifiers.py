# SPDX-License-Identifier: Apache-2.0
"""What stands behind a name in ${...}: ${x%pattern}, ${x/old/new}, ${x:first:count}, ${x^^}."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thalweg.shell.tree.brackets import segments
from thalweg.shell.unresolved import has_unresolved, known_beginning
from thalweg.shell.values.home import with_home
from thalweg.shell.values.letters import in_both, of_bytes
from thalweg.shell.values.patterns import (
    cut_before,
    cut_behind,
    has_alternatives,
    regex_of,
    replaced,
)
from thalweg.shell.values.variables import Variables

_CHANGES: dict[str, Callable[[str], str]] = {
    ",,": str.lower, "^^": str.upper,
    ",": lambda text: text[:1].lower() + text[1:],
    "^": lambda text: text[:1].upper() + text[1:],
    "@U": str.upper, "@L": str.lower,
    "@u": lambda text: text[:1].upper() + text[1:],
}  # fmt: skip


_FIRST_REPLACED = re.compile(r"/([=:,])/([\w =:,.-]*|\"[\w =:,.-]*\")")
_AT_FIRST = re.compile(r"%%([=:,])\*|#\*([=:,])")


@dataclass(frozen=True)
class Inner:
    """What words within ${...} are.

    default  behind :- and its kin, where quotes are those of what is around
    text     of others
    pattern  with what stands in quotes as it is
    number   of $((...)) as text, or what it waits for
    """

    variables: Variables
    default: Callable[[str], str]
    text: Callable[[str], str]
    pattern: Callable[[str], str]
    number: Callable[[str], str]


def modified(value: str, rest: str, inner: Inner) -> str | None:
    """None where it is not known."""
    if has_unresolved(value):
        return of_known_part(value, rest)
    if rest[0] in "%#":
        is_longest = rest[:2] in ("%%", "##")
        regex = _pattern(rest[2:] if is_longest else rest[1:], inner)
        cuts = cut_behind if rest[0] == "%" else cut_before
        return (
            None
            if regex is None
            else in_both(lambda regex, text: cuts(text, regex, is_longest), regex, value)
        )
    if rest[0] == ":":
        text = _slice(value, rest[1:], inner)
        if not value.isascii() and text is not None:
            return text if _slice(of_bytes(value), rest[1:], inner) == of_bytes(text) else None
        return text
    if rest[0] == "/":
        return _replaced(value, rest[1:], inner)
    if rest == "@Q":
        is_plain = re.search(r"[\x00-\x1f\x7f]", value) is None
        return "'{}'".format(value.replace("'", "'\\''")) if is_plain else None
    return _CHANGES[rest](value) if rest in _CHANGES and value.isascii() else None


def of_known_part(value: str, rest: str) -> str | None:
    """${x%%=*}, ${x#*=} and ${x/=/ = }, where what is before the first = is known."""
    changed = _FIRST_REPLACED.fullmatch(rest)
    if changed and changed[1] in known_beginning(value):
        return value.replace(changed[1], changed[2].strip('"'), 1)
    mark = _AT_FIRST.fullmatch(rest)
    before, found, behind = value.partition((mark[1] or mark[2]) if mark else "\0")
    if mark is None or not found or has_unresolved(before):
        return None
    return before if mark[1] else behind


def all_modified(
    words: Sequence[str], rest: str, inner: Inner, *, is_array: bool
) -> list[str] | None:
    """Of elements, or of arguments: some of them, or each one changed."""
    if rest[0] == ":":
        return _some_of(words, rest[1:], inner, is_array=is_array)
    found = [modified(each, rest, inner) for each in words]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _some_of(words: Sequence[str], text: str, inner: Inner, *, is_array: bool) -> list[str] | None:
    """:1:2 of an array; $1 is the first of arguments."""
    numbers = _numbers(text, inner)
    if numbers is None:
        return None
    begin, count = numbers
    if not is_array:
        if begin == 0:
            return None  # with the name of the script
        begin -= begin > 0
    begin += len(words) if begin < 0 else 0
    if begin < 0 or (count is not None and count < 0):
        return None
    return list(words[begin:] if count is None else words[begin : begin + count])


def _slice(value: str, text: str, inner: Inner) -> str | None:
    """From a place on, or before the end where it is less than 0; so many letters, or up to as many
    before the end.
    """
    numbers = None if "?" in inner.text(text) else _numbers(text, inner)
    if numbers is None:
        return None
    first, count = numbers
    if first < 0:
        first += len(value)
    if not 0 <= first <= len(value):
        return ""
    if count is None:
        return value[first:]
    end = first + count if count >= 0 else len(value) + count
    return value[first:end] if end >= first else None


def _numbers(text: str, inner: Inner) -> tuple[int, int | None] | None:
    """FIRST or FIRST:COUNT; None where they are not known."""
    first, colon, count = inner.text(text).partition(":")
    found = [inner.number(each or "0") for each in (first, count)]
    if not all(re.fullmatch("-?[0-9]+", each) for each in found):
        return None
    return int(found[0]), int(found[1]) if colon else None


def _pattern(word: str, inner: Inner) -> re.Pattern[str] | None:
    """None where it is open. Without `extglob` ksh takes @(a|b) as such, and bash as letters."""
    pattern = inner.pattern(word)
    if has_unresolved(pattern):
        return None
    if has_alternatives(pattern) and "extglob" not in inner.variables.options:
        return None
    return regex_of(pattern)


def _replaced(value: str, rest: str, inner: Inner) -> str | None:
    """Once, or with one more / each time; with # or % at one end. New versions of bash take & for
    what was there.
    """
    sign = rest[:1] if rest[:1] in ("/", "#", "%") else ""
    old, new, is_new, rest = "", "", False, rest[len(sign) :]
    if rest.startswith("/") and sign not in ("#", "%"):
        old, rest = "/", rest[1:]
    for part in segments(rest):
        if not is_new and part[0] not in "'\"\\$`" and "/" in part:
            before, _, part = part.partition("/")
            old, is_new = old + before, True
        old, new = (old, new + part) if is_new else (old + part, new)
    regex, text = _pattern(old, inner), inner.text(with_home(new))
    if regex is None or "&" in text or has_unresolved(text) or not (old or sign in ("#", "%")):
        return None
    if {"nocasematch", "?nocasematch"} & inner.variables.options:
        return None  # which bash heeds here, and others do not

    def change(found: re.Pattern[str], of: str) -> str | None:
        return replaced(of, found, text if found is regex else of_bytes(text), sign)

    return in_both(change, regex, value)
