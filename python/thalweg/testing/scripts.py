# SPDX-License-Identifier: Apache-2.0
"""Lines of run scripts that write namelists of one group each."""

from __future__ import annotations


def to(name: str, group: str, how: str = ">") -> str:
    """A here-document with an empty group, put into a file."""
    return f"cat {how} {name} << EOF\n&{group}\n/\nEOF\n"


def append(name: str, group: str) -> str:
    return to(name, group, ">>")
