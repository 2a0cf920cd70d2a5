# SPDX-License-Identifier: Apache-2.0
"""The ways in which a run can be run on its nodes, and each as the input of a prediction."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.advisor.icon_process_rules import MOST_IO_PROCESSES
from thalweg.advisor.prediction.run_facts import RunFacts
from thalweg.advisor.proposing.partitions import Dealt, deal
from thalweg.advisor.proposing.situation import Choice, Situation
from thalweg.advisor.shapes import VALUE_BYTES, Nodes

_MOST_SHARE = 0.5  # of all ranks that do not compute


def choices(situation: Situation, nodes: Nodes) -> list[Choice]:
    """With fewer ranks first. Never so many that less than half of them compute."""
    most = min(MOST_IO_PROCESSES, int(nodes.ranks * _MOST_SHARE))
    io_ranks = list(_numbers(most)) if situation.outputs else [0]
    restarts = list(_restarts(situation, most))
    found = [Choice(io, mode, ranks) for io in io_ranks for mode, ranks in restarts]
    others = nodes.ranks * _MOST_SHARE - situation.set_aside
    return [each for each in found if each.ranks <= others]


def _numbers(most: int) -> Iterator[int]:
    """All up to 12, then each about a fifth more: predictions do not tell them apart."""
    number = 0
    while number <= most:
        yield number
        number += 1 if number < 12 else max(1, round(number / 5 / 4) * 4)


def _restarts(situation: Situation, most: int) -> Iterator[tuple[str, int]]:
    if not situation.sets:
        yield "none", 0
        return
    yield "sync", 0
    yield "joint_multifile", 0
    for mode in ("async", "dedicated_multifile"):
        for ranks in _numbers(min(most, 64)):
            if ranks:
                yield mode, ranks


def facts_of(
    situation: Situation, nodes: Nodes, choice: Choice, dealt: Dealt | None = None
) -> RunFacts:  # fmt: skip
    """dealt: partitions to I/O ranks; none: as deal() has them."""
    dealt = dealt or deal(situation.series, choice.io_ranks)
    return RunFacts(
        cells=situation.cells,
        steps=situation.steps,
        nodes=nodes.count,
        ranks_per_node=nodes.ranks_per_node,
        compute_ranks=situation.compute_ranks(nodes, choice),
        io_ranks=choice.io_ranks,
        partitions=dealt.busy_ranks,
        restart_ranks=choice.restart_ranks,
        restart_mode=choice.restart_mode,
        outputs=situation.outputs,
        checkpoints=situation.sets,
        output_bytes=situation.values_per_output * VALUE_BYTES,
        checkpoint_bytes=situation.bytes_per_set,
    )
