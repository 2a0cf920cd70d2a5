# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a kernel: the place in its source, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.errors import ThalwegError


@dataclass(frozen=True)
class Spot:
    """Where a word of a kernel stands: lines from 1, columns from 0, `end` behind its last one."""

    file: str
    line: int
    column: int
    end: int
    text: str  # the whole line


class KernelError(ThalwegError):
    """A kernel that makes no sense. The user can mend it: exit code 2."""

    def __init__(self, spot: Spot, sentence: str, note: str = "", hint: str = "") -> None:
        mark = " " * spot.column + "^" * max(1, spot.end - spot.column)
        lines = [f"{spot.file}:{spot.line}: {sentence}", f"  | {spot.text}", f"  | {mark}"]
        lines += [f"  note: {note}"] if note else []
        lines += [f"  hint: {hint}"] if hint else []
        super().__init__("\n".join(lines))
        self.spot = spot
