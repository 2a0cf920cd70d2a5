# SPDX-License-Identifier: Apache-2.0
"""~ as the folder of who runs the script."""

from __future__ import annotations

import re

from thalweg.shell.unresolved import unresolved


def with_home(word: str, *, is_assigned: bool = False) -> str:
    """A word with ~ and ~/x at its beginning as a shell has it; is_assigned: and behind a colon."""
    if "~" not in word:
        return word
    before = "^|:" if is_assigned else "^"
    word = re.sub(rf"({before})~(?=[/:]|$)", r'\1"${HOME}"', word)
    return re.sub(rf"({before})(~[\w+-]+)", lambda found: found[1] + unresolved(found[2]), word)
