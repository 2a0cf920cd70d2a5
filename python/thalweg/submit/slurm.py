# SPDX-License-Identifier: Apache-2.0
"""Commands of Slurm: sbatch, squeue, sacct. None is waited for longer than a minute or two."""

from __future__ import annotations

import getpass
import os
import re
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import ThalwegError

_LONGEST_S = 120.0  # Slurm's own limits are shorter: MessageTimeout, 10 s by default
_JOB = re.compile(r"([0-9]+)(?:;.*)?")


class SlurmError(ThalwegError):
    """What a command of Slurm said, or that it is not there."""


class NoAnswerError(SlurmError):
    """It may have done what was asked, or not."""


@dataclass(frozen=True)
class State:
    """word: PENDING, RUNNING, COMPLETED, FAILED, ...; reason: why it waits or failed, "" = none."""

    word: str
    reason: str = ""


def sbatch(script: Path, after: str = "") -> str:
    """Job that was made. after: one that has to end before. Raises a sentence in sbatch's words.

    A Ctrl-C does not reach sbatch: its job would be there, and nobody would know its number.
    """
    words = ["sbatch", "--parsable"]
    words += [f"--dependency=afterany:{after}"] if after else []
    said = _call([*words, str(script)], script.parent)
    match = _JOB.fullmatch(said.strip().splitlines()[-1]) if said.strip() else None
    if match is None:
        raise NoAnswerError(f"sbatch tells no number of a job but '{said.strip()}'")
    return match[1]


def states_in_queue(names: Collection[str]) -> dict[str, tuple[str, State]]:
    """By the name of the job: its number and state; also of jobs that ended a short time ago."""
    words = ["squeue", "--noheader", "--states=all", f"--user={_user()}", "--format=%i|%T|%r|%j"]
    found: dict[str, tuple[str, State]] = {}
    for line in _call(words).splitlines():
        job, word, reason, name = (*line.strip().split("|", 3), "", "", "")[:4]
        if name in names:
            found[name] = job, State(word, "" if reason in ("None", "(null)") else reason)
    return found


def states_accounted(jobs: Sequence[str]) -> dict[str, State]:
    """By the number of the job; none where this cluster keeps no accounts."""
    if not jobs:
        return {}
    words = ["sacct", "-X", "--noheader", "--parsable2", "--format=JobID,State,ExitCode"]
    try:
        said = _call([*words, f"--jobs={','.join(jobs)}"])
    except SlurmError:
        return {}
    found = {}
    for line in said.splitlines():
        job, state, code = (*line.strip().split("|"), "", "")[:3]
        word = (state.split() or [""])[0].rstrip("+")  # "CANCELLED by 1000"
        if word:
            found[job] = State(word, f"exit code {code}" if code not in ("", "0:0") else "")
    return found


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        return str(os.getuid())


def _call(words: Sequence[str], folder: Path | None = None) -> str:
    """What it printed. Raises a sentence in its words."""
    name = words[0]
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=_LONGEST_S, check=False, start_new_session=True,
        )  # fmt: skip
    except FileNotFoundError:
        raise SlurmError(
            f"there is no '{name}' here; call this where Slurm's commands are, as on a login node"
        ) from None
    except subprocess.TimeoutExpired:
        raise NoAnswerError(f"'{name}' did not answer in {_LONGEST_S:g} s") from None
    except OSError as error:
        raise SlurmError(f"'{name}' cannot be called: {error.strerror}") from None
    if done.returncode:
        raise SlurmError(f"{name} says: {_in_one_line(done.stderr or done.stdout)}")
    return done.stdout


def _in_one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(dict.fromkeys(lines)) or "nothing, and fails"
