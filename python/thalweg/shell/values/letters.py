# SPDX-License-Identifier: Apache-2.0
"""Letters beyond ASCII, which programs take as one or as their bytes, as LC_ALL has it: what comes
out is known where it is the same both ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

OF_LANGUAGE = r"\x00"  # in a class whose letters each language has of its own; no text has it


def of_bytes(text: str) -> str:
    """A letter for each byte."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


@lru_cache(maxsize=1000)
def regex_of_bytes(regex: re.Pattern[str]) -> re.Pattern[str]:
    """For texts of of_bytes()."""
    return re.compile(of_bytes(regex.pattern), (regex.flags & ~re.UNICODE) | re.ASCII)


def is_of_language(regex: re.Pattern[str]) -> bool:
    """It has a class such as [[:alpha:]]."""
    return OF_LANGUAGE in regex.pattern


def has(regex: re.Pattern[str], text: str) -> bool | None:
    """Whether some of a text fits; None where that is not the same on all machines."""
    return _same(re.Pattern.search, regex, text)


def is_one(regex: re.Pattern[str], text: str) -> bool | None:
    """Whether a text as a whole fits; None as of has()."""
    return _same(re.Pattern.fullmatch, regex, text)


def _same(
    asked: Callable[[re.Pattern[str], str], object], regex: re.Pattern[str], text: str
) -> bool | None:
    found = asked(regex, text) is not None
    if text.isascii():
        return found
    of_all = asked(regex_of_bytes(regex), of_bytes(text)) is not None
    return None if is_of_language(regex) or of_all is not found else found


def in_both(
    change: Callable[[re.Pattern[str], str], str | None], regex: re.Pattern[str], text: str
) -> str | None:
    """What becomes of a text by an expression; None as of has()."""
    found = change(regex, text)
    if text.isascii() or found is None:
        return found
    of_all = change(regex_of_bytes(regex), of_bytes(text))
    return found if of_all == of_bytes(found) and not is_of_language(regex) else None
