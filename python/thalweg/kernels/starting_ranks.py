# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of a kernel, waits for their end, and says in a sentence what went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import ThalwegError

LIMIT_S = 60.0  # of a wait for another rank
START_S = 120.0  # ranks that have not ended so long after all their waits are over are ended


@dataclass(frozen=True)
class Launch:
    """How many ranks, the words and environment that start them, and on how many nodes."""

    ranks: int
    command: Callable[[int, list[str]], list[str]]
    environment: Callable[[], dict[str, str]]
    nodes: int = 1


@dataclass(frozen=True)
class Told:
    """Of one rank: seconds of each call; of all together: packing, waiting; what left it."""

    seconds: list[float]
    packing: float
    waiting: float
    exchanges: int
    messages: int
    bytes: int


def start(launch: Launch, module: str, folder: Path, times: int, limit_s: float) -> None:
    """`python -m MODULE FOLDER TIMES` on each rank. Raises the first sentence of any of them."""
    environment = launch.environment()
    package = Path(__file__).parents[2]
    paths = [str(package), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    words = [sys.executable, "-m", module, str(folder), str(times)]
    try:
        done = subprocess.run(
            launch.command(launch.ranks, words),
            env=environment, capture_output=True, text=True, errors="replace", check=False,
            timeout=limit_s,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ThalwegError("the ranks of a kernel did not end", exit_code=1) from None
    if done.returncode:
        mark = "thalweg: error: "
        said = [line for line in done.stderr.splitlines() if mark in line]
        sentence = said[0].split(mark, 1)[1] if said else done.stderr.strip()[-300:] or "no word"
        raise ThalwegError(sentence, exit_code=2 if done.returncode == 2 else 1)
