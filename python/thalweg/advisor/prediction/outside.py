# SPDX-License-Identifier: Apache-2.0
"""Runs that are predicted and lie outside those that were fitted, and how many intervals hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thalweg.advisor.prediction.run_facts import MeasuredRun
from thalweg.advisor.prediction.validation import Result
from thalweg.advisor.words import many, percent

_SIDES = {
    "cells": "cells",
    "nodes": "nodes",
    "io_ranks": "I/O ranks",
    "restart_ranks": "restart ranks",
    "output_bytes": "bytes of an output",
    "checkpoint_bytes": "bytes of a restart set",
}
_ROUNDED = 1.01


def outside_of(fitted: Sequence[MeasuredRun], result: Result) -> Iterator[str]:
    """A sentence where some lie outside, in what, and how many of them their intervals hold."""
    spans = {}
    for name in _SIDES:
        given = [each for each in (float(getattr(run.facts, name)) for run in fitted) if each > 0.0]
        spans[name] = (min(given, default=0.0), max(given, default=0.0))

    def beyond(run: MeasuredRun) -> list[str]:
        values = {name: float(getattr(run.facts, name)) for name in _SIDES}
        return [
            name
            for name, value in values.items()
            if value > 0.0 and not spans[name][0] / _ROUNDED <= value <= spans[name][1] * _ROUNDED
        ]

    found = [(each, beyond(each.run)) for each in result.tried]
    names = [name for name in _SIDES if any(name in sides for _, sides in found)]
    there = [each.inside for each, sides in found if sides]
    if not there:
        return
    held = percent(sum(there) / len(there))
    words = ", ".join(_SIDES[name] for name in names)
    verb = "lies" if len(there) == 1 else "lie"
    yield f"{many(len(there), 'run')} {verb} outside the fitted ones ({words}): {held} are inside"
