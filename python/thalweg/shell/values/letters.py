# SPDX-License-Identifier: Apache-2.0
"""Letters beyond ASCII, which programs count as one or by their bytes, as LC_ALL has it."""

from __future__ import annotations

import re

OF_LANGUAGE = r"\x00"  # in a class whose letters each language has of its own; no text has it
# Of an expression: what takes one letter, or any of a class.
_TAKES_ONE = re.compile(
    r"(?<!\\)(?:\\\\)*(?:\.(?![*+])|\[\^\]?(?:[^\]\\]|\\.)*\](?![*+])|\\[wWsSdD])"
)
_REPEATS = re.compile(r"(?<!\\)[\[*+?{]")


def may_differ(regex: re.Pattern[str], text: str) -> bool:
    """Whether what it fits depends on the language of the machine."""
    if text.isascii():
        return False
    pattern = regex.pattern
    if OF_LANGUAGE in pattern:
        return True
    counts = not pattern.isascii() and _REPEATS.search(pattern) is not None
    return counts or bool(regex.flags & re.IGNORECASE) or _TAKES_ONE.search(pattern) is not None
