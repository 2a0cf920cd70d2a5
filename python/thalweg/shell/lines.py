# SPDX-License-Identifier: Apache-2.0
"""Lines of files with their numbers, and which of them begins a namelist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

NumberedLine: TypeAlias = tuple[int, str]

BEGIN_OF_GROUP = re.compile(r"\s*[&$](\w+)(.*)", re.DOTALL)


def names_of_groups(lines: Iterable[str]) -> set[str]:
    """In small letters."""
    return {found[1].lower() for line in lines if (found := BEGIN_OF_GROUP.match(line))}


def begins_group(line: str) -> bool:
    return BEGIN_OF_GROUP.match(line) is not None
