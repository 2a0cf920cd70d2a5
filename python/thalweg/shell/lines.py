# SPDX-License-Identifier: Apache-2.0
"""Lines of files with their numbers, and which of them begins a namelist."""

from __future__ import annotations

import re
from typing import TypeAlias

NumberedLine: TypeAlias = tuple[int, str]

BEGIN_OF_GROUP = re.compile(r"\s*[&$](\w+)(.*)", re.DOTALL)


def begins_group(line: str) -> bool:
    return BEGIN_OF_GROUP.match(line) is not None
