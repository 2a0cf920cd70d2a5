# SPDX-License-Identifier: Apache-2.0
"""How a table of runs is cut into a part to fit and a part to predict."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from thalweg.advisor.prediction.run_facts import MeasuredRun


@dataclass(frozen=True)
class Split:
    """key: runs with the same are predicted together, from all others. None: never predicted."""

    name: str
    meaning: str
    key: Callable[[MeasuredRun], Hashable]


def situation(run: MeasuredRun) -> Hashable:
    """Runs that are one decision: they differ in ranks for output and restarts, and in modes."""
    facts = run.facts
    return (facts.cells, facts.nodes, facts.steps, facts.outputs, facts.checkpoints)


GROUP = Split("group", "a decision: kind, grid, nodes and intervals", situation)
HARDER = (
    Split("grid", "a grid", lambda run: run.facts.cells),
    Split("nodes", "a number of nodes", lambda run: run.facts.nodes),
    Split("interval", "a pair of intervals", lambda run: (
        run.facts.outputs / run.facts.steps, run.facts.checkpoints / run.facts.steps)),
    Split("kind", "a kind: output, restart or both", lambda run: run.kind),
)  # fmt: skip


def folds(runs: Sequence[MeasuredRun], split: Split) -> list[list[int]]:
    """Positions that are predicted together; none where that would be all runs."""
    found: dict[Hashable, list[int]] = {}
    for at, run in enumerate(runs):
        found.setdefault(split.key(run), []).append(at)
    if len(found) < 2:
        return []
    found.pop(None, None)
    return list(found.values())


def most_nodes(runs: Sequence[MeasuredRun]) -> Split:
    """Extrapolation: the largest number of nodes from all smaller ones."""
    most = max(run.facts.nodes for run in runs)
    meaning = f"the most nodes ({most:g}) from fewer"
    return Split("most nodes", meaning, lambda run: run.facts.nodes == most or None)
