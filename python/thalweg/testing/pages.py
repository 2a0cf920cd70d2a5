# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ whose examples are run and compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., "CompletedProcess[str]"]

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")


def blocks(page: str, language: str) -> list[str]:
    """Texts of its blocks of code in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def compare_session(session: str, cli: Cli, folder: Path, within: float = 0.0) -> int:
    """Runs each `$ thalweg …` there; what follows is what it has to print. How many there were.

    within: what numbers may differ by, as a share of theirs, and in the last digit; words may not
    """
    commands = re.split(r"^\$ thalweg ", session, flags=re.MULTILINE)[1:]
    for command in commands:
        words, _, expected = command.partition("\n")
        result = cli(*words.split(), cwd=folder)
        printed = result.stdout + result.stderr
        if within:
            compare_text(printed, expected, within)
        else:
            assert printed == expected
    return len(commands)


def compare_text(printed: str, expected: str, within: float) -> None:
    """Numbers may differ by this share. Blanks may differ, too: a shorter one moves a column."""
    for line, told in zip_longest(printed.splitlines(), expected.splitlines(), fillvalue=""):
        words, others = _NUMBER.split(line), _NUMBER.split(told)
        assert ["".join(word.split()) for word in words] == ["".join(o.split()) for o in others]
        for one, other in zip(_NUMBER.findall(line), _NUMBER.findall(told), strict=True):
            last_digit = 10.0 ** -len(other.partition(".")[2]) if "e" not in other else 0.0
            allowed = within * float(other) + 1.01 * last_digit
            assert abs(float(one) - float(other)) <= allowed, (line, told)


def write_storm(page: str, folder: Path) -> None:
    """The directory `storm` of pages about logs: the one log, and an output file of its size."""
    (log,) = blocks(page, "text")
    size = re.search(r"one output file of ([\d,]+) bytes", page)
    assert size is not None
    storm = folder / "storm"
    storm.mkdir()
    (storm / "LOG.o").write_text(log)
    with (storm / "storm_1.nc").open("wb") as file:
        file.truncate(int(size[1].replace(",", "")))
