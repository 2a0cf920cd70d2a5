# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ whose examples are run and compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., "CompletedProcess[str]"]


def blocks(page: str, language: str) -> list[str]:
    """Texts of its blocks of code in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def compare_session(session: str, cli: Cli, folder: Path) -> int:
    """Runs each `$ thalweg …` there; what follows is what it has to print. How many there were."""
    commands = re.split(r"^\$ thalweg ", session, flags=re.MULTILINE)[1:]
    for command in commands:
        words, _, expected = command.partition("\n")
        result = cli(*words.split(), cwd=folder)
        assert result.stdout + result.stderr == expected
    return len(commands)
