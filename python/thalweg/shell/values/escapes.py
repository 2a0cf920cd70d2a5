# SPDX-License-Identifier: Apache-2.0
"""What \\n and its kin stand for in texts of `echo -e`, `printf` and `tr`."""

from __future__ import annotations

import re

from thalweg.shell.unresolved import unresolved

_ESCAPED = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_BEYOND = 0x80  # of ASCII
_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def unescaped(text: str) -> str:
    """With what \\n and its kin stand for. Letters beyond ASCII are open: bytes may be a part of
    one, and a number is one only where the language of the machine has it.
    """
    return _ESCAPED.sub(_letter, text)


def _letter(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3]
    code = int(number, 16) if number else int(found[4], 8) if found[4] else None
    if code is not None:
        return chr(code) if code < _BEYOND else unresolved("`LC_ALL`")
    if found[5]:
        return chr(ord(found[5].upper()) & 0x1F)
    return _ESCAPES.get(found[6], found[0])
