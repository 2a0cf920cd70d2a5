# SPDX-License-Identifier: Apache-2.0
"""Counts of C++ and what looks like it: the code for every target but NumPy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.loc.counts import Counts, solid

# A comment, or a literal that may look like one; the quote within a number is no literal.
_WORDS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_NO_SIGN = re.compile(r"[^{}();\"'R\n]+")  # nothing in it begins or ends anything
_ENDS = re.compile(r"\s*;")
_DIRECTIVE = re.compile(r"[ \t]*#(?:\\\n|[^\n])*")
# What a block stands behind; any other brace holds values, as in `Reals all{}`.
_HEAD = re.compile(
    r"(^|\)|\belse|\bdo|\btry|[=(,]\s*\[[^\[\]]*\]"
    r"|\)\s*(const|noexcept|mutable|override|->[^;(){}]*)"
    r'|(^|>\s*|;\s*)(namespace|struct|class|union|enum|extern\s*"")[^;(){}]*)\s*$'
)


@dataclass
class _Block:
    """pending  what stands there of a statement that has not ended
    counted  whether it has been counted: at the brace of a block within it, as lambdas have them
    brackets  open within the statement: those of the head of a `for` hold semicolons
    is_values  no block but a list of values
    """

    pending: str = ""
    counted: bool = False
    brackets: int = 0
    is_values: bool = False


def without_comments(text: str) -> str:
    return _WORDS.sub(lambda found: " " if found[0].startswith("/") else found[0], text)


def count(text: str) -> Counts:
    plain = without_comments(text)
    lines = sum(1 for line in plain.splitlines() if line.strip())
    return Counts(lines, sum(each for _, each in _statements(plain)), solid(plain))


def split(text: str) -> list[str]:
    """Pieces of the outermost level: directives, declarations, functions; no comments."""
    plain = without_comments(text)
    found, begin = [], 0
    for end, _ in _statements(plain):
        found.append(plain[begin:end].strip())
        begin = end
    return found


def _statements(plain: str) -> list[tuple[int, int]]:
    """Of each piece of the outermost level: one behind its end, and its statements.

    Raises ValueError where braces do not match.
    """
    found: list[tuple[int, int]] = []
    blocks = [_Block()]
    number = at = 0
    while at < len(plain):
        block, sign = blocks[-1], plain[at]
        directive = _DIRECTIVE.match(plain, at) if at == 0 or plain[at - 1] == "\n" else None
        literal = _WORDS.match(plain, at) if sign in "\"'R" else None
        words = None if directive else _NO_SIGN.match(plain, at)
        step = 1
        if directive:
            number += 1
            step = len(directive[0])
        elif literal:
            block.pending += '""'  # what it holds is no brace and no semicolon
            step = len(literal[0])
        elif words:
            block.pending += words[0]
            step = len(words[0])
        elif sign == "{":
            head = block.pending.strip()
            values = block.is_values or not _HEAD.search(head)
            if head and not values:
                number += not block.counted
                block.counted = True
            blocks.append(_Block(is_values=values))
        elif sign == "}":
            if len(blocks) == 1 or block.brackets:
                raise ValueError("a brace is closed that was not opened there")
            _close(blocks, plain, at)
        elif sign == ";" and not block.brackets:
            number += bool(block.pending.strip()) and not block.counted
            blocks[-1] = _Block()
        else:
            block.pending += sign
            block.brackets += (sign == "(") - (sign == ")")
        at += step
        outside = len(blocks) == 1 and not blocks[0].pending.strip()
        if number and outside and (directive or sign in ";}"):
            found.append((at, number))
            number = 0
    if len(blocks) > 1:
        raise ValueError("a brace was opened that is not closed")
    return found


def _close(blocks: list[_Block], plain: str, at: int) -> None:
    """The statement around goes on behind values, within brackets and before a semicolon."""
    was_values = blocks.pop().is_values
    around = blocks[-1]
    if was_values or around.brackets or _ENDS.match(plain, at + 1):
        around.pending += "{}"
    else:
        blocks[-1] = _Block()
