# SPDX-License-Identifier: Apache-2.0
"""The #SBATCH lines of a test run: its own for what it sets, those of the script for the rest."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import ThalwegError

_LINE = re.compile(r"#SBATCH\s+(.*)")
# Options that the test run sets itself, or that would contradict it; each has a value.
_OURS = {
    "job-name": "J", "nodes": "N", "ntasks": "n", "ntasks-per-node": "", "tasks-per-node": "",
    "time": "t", "time-min": "", "output": "o", "error": "e", "chdir": "D", "dependency": "d",
    "array": "a",
}  # fmt: skip
_ALONE = {"--wait", "-W", "--test-only"}  # without a value: sbatch would not come back, or not run
_LETTERS = {letter for letter in _OURS.values() if letter}


@dataclass(frozen=True)
class Job:
    """What the lines say. limit_s: time limit, s. log: pattern below the directory."""

    name: str
    nodes: int
    ranks_per_node: int
    limit_s: float
    directory: Path
    log: str


def with_batch_lines(script: str, lines: Sequence[str], job: Job) -> list[str]:
    """script: its name, for the sentence where its first line names no interpreter."""
    if not lines or not lines[0].startswith("#!"):
        raise ThalwegError(
            f"{script}:1: sbatch takes scripts whose first line names an interpreter, as "
            "'#!/bin/bash'; write it there"
        )
    kept: list[str] = []
    in_head = True  # sbatch reads up to the first command
    for line in lines[1:]:
        in_head = in_head and (not line.strip() or line.lstrip().startswith("#"))
        match = _LINE.match(line) if in_head else None
        kept += [line] if match is None else _without_ours(line, match[1])
    return [lines[0], *_own_lines(job), *kept]


def _own_lines(job: Job) -> list[str]:
    minutes = max(1, -(-int(job.limit_s) // 60))
    return [
        f"#SBATCH --job-name={job.name}",
        f"#SBATCH --nodes={job.nodes}",
        f"#SBATCH --ntasks-per-node={job.ranks_per_node}",
        f"#SBATCH --time={minutes}",
        f"#SBATCH --chdir={_quoted(str(job.directory))}",
        f"#SBATCH --output={job.log}",
    ]


def _quoted(text: str) -> str:
    return f'"{text}"' if re.search(r"\s", text) else text


def _without_ours(line: str, options: str) -> list[str]:
    """The line without options of ours; none where nothing is left."""
    try:
        words = shlex.split(options, comments=True)
    except ValueError:
        return [line]
    kept, removed, skip = [], False, False
    for word in words:
        if skip:
            skip = False
            continue
        if word in _ALONE:
            removed = True
            continue
        name, equals, _ = word.lstrip("-").partition("=")
        long = word.startswith("--") and name in _OURS
        short = word[:1] == "-" and word[1:2] in _LETTERS and not word.startswith("--")
        if long or short:
            removed = True
            skip = (long and not equals) or (short and len(word) == 2)
        else:
            kept.append(word)
    if not removed:
        return [line]
    return [f"#SBATCH {shlex.join(kept)}"] if kept else []
