# SPDX-License-Identifier: Apache-2.0
"""Notes under a table of runs: what is true of several is one line."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.logs.columns import Row

_NAMED = 3  # runs in a line; of more, how many


def note_lines(rows: Sequence[Row]) -> list[str]:
    runs: dict[str, list[str]] = {}
    for row in rows:
        for sentence in row.texts("notes"):
            runs.setdefault(sentence, []).append(row.text("run"))
    return [f"note: {names_or_number(names)}: {sentence}" for sentence, names in runs.items()]


def names_or_number(runs: Sequence[str]) -> str:
    return ", ".join(runs) if len(runs) <= _NAMED else f"{len(runs)} runs"
