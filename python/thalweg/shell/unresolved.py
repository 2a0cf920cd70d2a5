# SPDX-License-Identifier: Apache-2.0
"""What a shell would know and we do not: a mark in a text that carries the name to ask for."""

from __future__ import annotations

import re

_OPEN, _CLOSE = "\x02", "\x03"  # no text of a script holds these
_MARK = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")


def unresolved(name: str) -> str:
    return f"{_OPEN}{name}{_CLOSE}"


def has_unresolved(text: str) -> bool:
    return _OPEN in text


def unresolved_names(text: str) -> list[str]:
    return list(dict.fromkeys(_MARK.findall(text)))


def without_marks(text: str, instead: str = " ") -> str:
    return _MARK.sub(instead, text)


def known_beginning(text: str) -> str:
    return text.partition(_OPEN)[0]


def show_unresolved(text: str) -> str:
    """For people: marks as the script had them, "${EXPNAME}_atm"."""
    return _MARK.sub(lambda found: found[1] if found[1][0] in "$`" else f"${{{found[1]}}}", text)
