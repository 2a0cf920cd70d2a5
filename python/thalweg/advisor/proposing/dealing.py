# SPDX-License-Identifier: Apache-2.0
"""Which partitions streams get on so many I/O ranks, and what it costs where streams meet."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.advisor.prediction.predictor import Predictor
from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.proposing.candidates import facts_of
from thalweg.advisor.proposing.meetings import Outputs, stalls_s
from thalweg.advisor.proposing.partitions import Dealt, deal, share_apart, share_out
from thalweg.advisor.proposing.situation import Choice, Situation
from thalweg.advisor.shapes import VALUE_BYTES, Nodes

_LONGER = 0.001  # of the run: less is a tie, and fewer partitions make fewer files


@dataclass(frozen=True)
class Dealing:
    """stalls_s: what compute ranks wait beyond what even loads would cost."""

    dealt: Dealt
    stalls_s: float


def as_given(
    predictor: Predictor, situation: Situation, nodes: Nodes, choice: Choice,
    partitions: tuple[int, ...],
) -> Dealing:  # fmt: skip
    """What the script has: partitions, and the I/O ranks where it places them."""
    more = more_values(predictor)
    placed = deal(situation.series, choice.io_ranks, partitions, True, more)
    outputs = situation.in_order
    return Dealing(placed, _stalls_s(predictor, situation, nodes, choice, placed, outputs))


def best_dealing(
    predictor: Predictor, situation: Situation, nodes: Nodes, choice: Choice,
    outputs: Outputs | None = None,
) -> Dealing:  # fmt: skip
    """Of loads that are even, of outputs that do not meet, and of no partitions at all: whichever
    stalls least, and of those the fewest. outputs: those that are walked through; None: all
    """
    outputs = outputs or situation.in_order
    series, io_ranks = situation.series, choice.io_ranks
    if not io_ranks or not series:
        return Dealing(deal(series, io_ranks), 0.0)
    more = more_values(predictor)
    ways = {share_out(series, io_ranks, more), share_apart(series, io_ranks, more)}
    ways |= {(1,) * len(series)}
    found = [deal(series, io_ranks, each, False, more) for each in sorted(ways - {()}, key=sum)]
    alone = Choice(io_ranks)  # beside restarts that take long nothing would be told apart
    longer_s = [_longer_s(predictor, situation, nodes, alone, each, outputs) for each in found]
    least = min(total for total, _ in longer_s)
    at = next(at for at, (total, _) in enumerate(longer_s) if total <= (1.0 + _LONGER) * least)
    return Dealing(found[at], longer_s[at][1])


def more_values(predictor: Predictor) -> float:
    """Values that take an I/O rank as long as what it spends on each output beside them."""
    values = predictor.fit.values
    each_s = values["io_s_per_gb"] * VALUE_BYTES / 1e9
    return values["io_event_s"] / each_s if each_s > 0.0 else 0.0


def _longer_s(
    predictor: Predictor, situation: Situation, nodes: Nodes, choice: Choice, dealt: Dealt,
    outputs: Outputs,
) -> tuple[float, float]:  # fmt: skip
    """The run, and its stalls."""
    facts = facts_of(situation, nodes, choice, dealt)
    total_s = float(predictor.fit.total_s(ManyRuns.of([facts]))[0])
    stalls = _stalls_s(predictor, situation, nodes, choice, dealt, outputs)
    return total_s + stalls, stalls


def _stalls_s(
    predictor: Predictor, situation: Situation, nodes: Nodes, choice: Choice, dealt: Dealt,
    outputs: Outputs,
) -> float:  # fmt: skip
    if not choice.io_ranks or not situation.series:
        return 0.0
    values = predictor.fit.values
    whole = predict(ManyRuns.of([facts_of(situation, nodes, choice, dealt)]), values)
    steps_s = float(whole.compute_s[0]) - values["startup_s"]  # restarts stand still now and then
    alone = [
        RunFacts(
            cells=situation.cells, steps=0, nodes=nodes.count, ranks_per_node=nodes.ranks_per_node,
            compute_ranks=situation.compute_ranks(nodes, choice),
            io_ranks=1, partitions=1, outputs=1,
            output_bytes=each.values * VALUE_BYTES,
        )
        for each in situation.series
    ]  # fmt: skip
    each_s = predict(ManyRuns.of(alone), values).output_s.tolist()
    return stalls_s(outputs, dealt.ranks, each_s, steps_s / situation.steps)
