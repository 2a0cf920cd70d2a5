# SPDX-License-Identifier: Apache-2.0
"""Where a bracket of a shell's text ends."""

from __future__ import annotations

_PAIRS = {"(": ")", "{": "}"}


def closing(text: str, opening: int) -> int:
    """Just behind the bracket that closes the one at `opening`; quotes hide brackets. The end of
    the text where there is none.
    """
    left, right = text[opening], _PAIRS[text[opening]]
    depth, quote, i = 0, "", opening
    while i < len(text):
        letter = text[i]
        if letter == "\\" and quote != "'":
            i += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == left:
            depth += 1
        elif letter == right:
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return len(text)


def is_left_open(text: str) -> bool:
    """Whether ${ or $( of it has its end in another line."""
    position = text.find("$")
    while position >= 0:
        if position and text[position - 1] == "\\":
            position = text.find("$", position + 1)
            continue
        if text[position + 1 : position + 2] in ("(", "{"):
            end = closing(text, position + 1)
            if end == len(text) and text[-1] != _PAIRS[text[position + 1]]:
                return True
            position = end - 1
        position = text.find("$", position + 1)
    return False
