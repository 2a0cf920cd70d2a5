# SPDX-License-Identifier: Apache-2.0
"""A way to run with all that is predicted of it, and the reasons for ways that cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thalweg.advisor.prediction.parameters import BY_NAME, Values
from thalweg.advisor.prediction.predictor import TOO_OPEN, Predictor
from thalweg.advisor.prediction.run_facts import Flags, ManyRuns, Numbers, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.proposing.candidates import facts_of
from thalweg.advisor.proposing.dealing import Dealing, as_given, best_dealing, more_values
from thalweg.advisor.proposing.partitions import deal
from thalweg.advisor.proposing.situation import Choice, Situation
from thalweg.advisor.shapes import NORMAL_80, Nodes, Prediction, WayFigures


@dataclass(frozen=True)
class Way(WayFigures):
    """A choice with what is predicted of it. prediction: with a reason where there is none.

    stalls_s  of waiting_s: where streams meet on I/O ranks, and at the end
    """

    choice: Choice
    facts: RunFacts
    partitions: tuple[int, ...]
    stalls_s: float


def ways_of(
    predictor: Predictor, situation: Situation, nodes: Nodes, asked: Sequence[Choice],
    partitions: tuple[int, ...] = (),
) -> list[Way]:  # fmt: skip
    """One for each that is asked. partitions: those that the script has, and where it places them;
    none: as best_dealing() has them, and I/O ranks that no partition comes to compute instead.
    """
    of_ranks = {n: _dealing(predictor, situation, nodes, choice, partitions)
                for n, choice in representatives(asked).items()}  # fmt: skip
    if not partitions:
        used = {n: dealing.dealt.used_ranks(n) for n, dealing in of_ranks.items()}
        of_ranks = {used[n]: dealing for n, dealing in sorted(of_ranks.items(), reverse=True)}
        asked = list(dict.fromkeys(replace(c, io_ranks=used[c.io_ranks]) for c in asked))
    facts = [facts_of(situation, nodes, each, of_ranks[each.io_ranks].dealt) for each in asked]
    many = ManyRuns.of(facts)
    services = predict(many, predictor.fit.values)
    told = _with_open_ones(predictor, many, services.total_s)
    found = []
    for at, (choice, each, prediction) in enumerate(zip(asked, facts, told, strict=True)):
        dealt, stalls_s = of_ranks[choice.io_ranks].dealt, of_ranks[choice.io_ranks].stalls_s
        prediction = _longer(prediction, stalls_s)
        steps_s = float(services.compute_s[at])
        shares = {
            "time steps": steps_s,
            "serial output": float(services.serial_output_s[at]),
            f"restart {choice.restart_mode}": float(services.blocking_restart_s[at]),
            "I/O ranks": float(services.output_s[at]),
            "restart ranks": float(services.restart_s[at]),
        }
        found.append(
            Way(
                choice, each, dealt.partitions, stalls_s, prediction=prediction, nodes=nodes,
                simulated_s=situation.simulated_s, steps_s=steps_s,
                waiting_s=max(0.0, prediction.total_s - steps_s),
                limit=max(shares, key=lambda name: shares[name]),
                bytes_on_io_rank=dealt.values_on_a_rank * situation.moved_bytes,
            )
        )  # fmt: skip
    return found


def representatives(asked: Sequence[Choice]) -> dict[int, Choice]:
    """Of each number of I/O ranks the first choice, which stands for all of them: how many ranks
    write restarts changes little of what streams are to each other.
    """
    return {each.io_ranks: each for each in reversed(asked)}


def _dealing(
    predictor: Predictor, situation: Situation, nodes: Nodes, choice: Choice,
    partitions: tuple[int, ...],
) -> Dealing:  # fmt: skip
    if partitions:
        return as_given(predictor, situation, nodes, choice, partitions)
    return best_dealing(predictor, situation, nodes, choice)


def _longer(told: Prediction, by_s: float) -> Prediction:
    factor = 1.0 + by_s / told.total_s if told.total_s > 0.0 else 1.0
    return replace(
        told, total_s=told.total_s * factor, low_s=told.low_s * factor, high_s=told.high_s * factor
    )


def quick_totals(
    predictor: Predictor, situation: Situation, nodes: Nodes, asked: Sequence[Choice]
) -> tuple[list[Choice], list[RunFacts], list[float]]:
    """The total times of ways_of() without stalls, and no more; of ways that have no reason against
    them.
    """
    more = more_values(predictor)
    dealt = [deal(situation.series, each.io_ranks, (), False, more) for each in asked]
    asked = [
        replace(each, io_ranks=one.used_ranks(each.io_ranks))
        for each, one in zip(asked, dealt, strict=True)
    ]
    facts = [facts_of(situation, nodes, each, one) for each, one in zip(asked, dealt, strict=True)]
    many = ManyRuns.of(facts)
    total_s = predictor.fit.total_s(many)
    told = predictor.told(many)
    for _, above, below in _open_ends(predictor, many, total_s):
        told &= ~_is_too_open(above, below)
    found = np.flatnonzero(told).tolist()
    return [asked[at] for at in found], [facts[at] for at in found], total_s[told].tolist()


def _with_open_ones(predictor: Predictor, many: ManyRuns, total_s: Numbers) -> list[Prediction]:
    """A parameter that the runs leave open may be anywhere in its interval: where that changes the
    time too much there is no prediction, else its interval is wider. Slopes do not tell it: what
    hides behind longer services at the middle is the longest at the end.
    """
    told = predictor.predict_many(many)
    for name, above, below in _open_ends(predictor, many, total_s):
        reason = f"the runs that were fitted do not tell '{name}' ({BY_NAME[name].meaning})"
        told = [
            replace(
                each,
                high_s=each.high_s * float(np.exp(up)),
                low_s=each.low_s * float(np.exp(down)),
                reason=each.reason or (reason if too_open else ""),
            )
            for each, up, down, too_open in zip(
                told, above, below, _is_too_open(above, below), strict=True
            )
        ]
    return told


def _open_ends(
    predictor: Predictor, many: ManyRuns, total_s: Numbers
) -> Iterator[tuple[str, Numbers, Numbers]]:
    """Of each parameter that the runs leave open: its name, and how far the logarithm of each time
    goes up and down within its interval.
    """
    middle = np.log(total_s)
    for name in predictor.fit.open:
        away = np.exp(NORMAL_80 * predictor.fit.spread(name))
        ends = []
        for factor in (away, 1.0 / away):
            values = {**predictor.fit.values, name: predictor.fit.values[name] * factor}
            ends.append(np.log(predict(many, Values(values)).total_s) - middle)
        yield name, np.maximum(0.0, np.max(ends, 0)), np.minimum(0.0, np.min(ends, 0))


def _is_too_open(above: Numbers, below: Numbers) -> Flags:
    return np.maximum(above, -below) > TOO_OPEN
