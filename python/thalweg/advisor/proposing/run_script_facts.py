# SPDX-License-Identifier: Apache-2.0
"""What logs of ICON do not tell and the script of their runs does: cells, outputs, checkpoints."""

from __future__ import annotations

from pathlib import Path

from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.proposing.situation import Situation, situation_of
from thalweg.errors import ThalwegError
from thalweg.logs.columns import Row, Value

_ALIKE = 1e-6


class FactsOfScript:
    """Fills the rows of runs of one script. Raises a sentence for a run that cannot be of it."""

    def __init__(self, script: Path, answer: Answer) -> None:
        self.script, self.situation = script, situation_of(answer, sizes_matter=False)
        self.intervals = {each.interval_s for each in answer.streams if each.outputs}

    def complete(self, row: Row) -> None:
        """Rows that are no runs of ICON, or did not end, stay as they are."""
        if row.text("model") != "ICON" or row.text("status") not in {"", "complete"}:
            return
        for name, value in self._facts(self.situation).items():
            told = row.number(name) if isinstance(value, (int, float)) else row.text(name) or None
            if told is None:
                row[name] = value
            elif not _alike(told, value):
                raise ThalwegError(
                    f"'{row['run']}': {name.replace('_', ' ')} {_shown(told)} and not "
                    f"{_shown(value)} as in '{self.script.name}': it is a run of another script"
                )

    def _facts(self, given: Situation) -> dict[str, Value]:
        facts: dict[str, Value] = {
            "cells": given.cells,
            "levels": given.levels,
            "steps": given.steps,
            "outputs": given.outputs,
            "checkpoints": given.sets,
            "partitions": max(given.partitions, default=1),
        }
        if given.chosen is not None:
            facts["restart_mode"] = given.chosen.restart_mode
        if len(self.intervals) == 1:
            facts["output_interval_s"] = min(self.intervals)
        return facts


def _alike(told: object, value: object) -> bool:
    if isinstance(told, (int, float)) and isinstance(value, (int, float)):
        return abs(told - value) <= _ALIKE * max(abs(told), abs(value))
    return told == value


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else f"'{value}'"
