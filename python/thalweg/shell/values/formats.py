# SPDX-License-Identifier: Apache-2.0
"""What `printf` makes of its format and the words behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from thalweg.shell.unresolved import has_unresolved
from thalweg.shell.values.escapes import unescaped

_PART = re.compile(r"%(?:%|([-+ 0]*)(\*|[0-9]{0,3})(?:\.([0-9]{0,2}))?([diuxXocsbfeEgG]))")
_FORMAT = re.compile(rf"(?:[^%]|{_PART.pattern})*", re.DOTALL)
_WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,15}")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_NEAR = 1e-14  # by which a shell's numbers may be off, as some have more digits


def printf(words: Sequence[str]) -> str | None:
    """Again and again, as long as there are words. Each %d, %s and their widths take one. None
    where a word is no number, or shells differ: in a number with zeros before it, and in the last
    digit of one in the middle of two.
    """
    words = list(words[1:] if words[:1] == ["--"] else words)
    if not words:
        return None
    pattern, left = unescaped(words[0]), words[1:]
    if not _FORMAT.fullmatch(pattern):
        return None
    found = ""
    try:
        while True:
            before = len(left)
            found += _PART.sub(lambda each: _part(each, left), pattern)
            if not left or len(left) == before:
                return found
    except (ValueError, OverflowError):
        return None


def wanted_by(pattern: str) -> int:
    """How many words a format takes, each time."""
    return len([each for each in _PART.finditer(unescaped(pattern)) if each[4]])


def _part(found: re.Match[str], left: list[str]) -> str:
    """Raises ValueError for what is not known."""
    flags, width, digits, kind = found.groups()
    if kind is None:
        return "%"
    if width == "*":
        given = _whole(left.pop(0) if left else "")
        flags, width = flags + "-" * (given < 0), str(abs(given))
    begin = f"%{flags}{width}" + (f".{digits}" if digits is not None else "")
    word = left.pop(0) if left else ""
    if digits is not None and kind in "diuxXo":
        begin = begin.replace("%0", "%")
    counts_letters = not word.isascii() and (begin != "%" or kind == "c")
    if kind in "scb" and (counts_letters or (kind == "b" and "\\0" in word)):
        raise ValueError(word)
    if kind in "scb":
        if has_unresolved(word) and (begin != "%" or kind != "s"):
            raise ValueError(word)
        return f"{begin}s" % {"c": word[:1], "b": unescaped(word)}.get(kind, word)
    if kind in "feEgG":
        return _real(word or "0", f"{begin}{kind}")
    if kind in "di" and begin == "%" and has_unresolved(word):
        return word
    number = _whole(word)
    if kind in "uxXo" and number < 0:
        raise ValueError(word)
    return f"{begin}{'d' if kind in 'iu' else kind}" % number


def _whole(word: str) -> int:
    if _HEX.fullmatch(word):
        return int(word, 16)
    if word and not _WHOLE.fullmatch(word):
        raise ValueError(word)
    return int(word or "0")


def _real(word: str, pattern: str) -> str:
    if not _REAL.fullmatch(word):
        raise ValueError(word)
    value = float(word)
    if (
        Fraction(value) != Fraction(word)
        and len({pattern % near for near in (value * (1 - _NEAR), value, value * (1 + _NEAR))}) > 1
    ):
        raise ValueError(word)
    return pattern % value
