# SPDX-License-Identifier: Apache-2.0
"""From what was timed to the parameters of a machine, and to reasons where there is none.

time of work with latency  t = latency + bytes / rate, told apart by two sizes in the same moment
time of a step             t = overhead + cell_level * cells * levels / ranks, by three sizes
A rate of many writers is the limit of what they share only if it is less than they would reach
apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from thalweg.calibrate.machine_file import Figure, NotSeparated
from thalweg.calibrate.quantities import BY_NAME
from thalweg.calibrate.samples import Series, figure_of

Found = Figure | NotSeparated
_SHARING = 0.9  # of what many have together counts as reached: they disturb each other a little
_CHANCE = 0.05
_OVERLAP = "large and small ones take the same time as far as {n} samples tell"


def parameters_of(series: Sequence[Series], ranks: int, nodes: int) -> list[Found]:
    """Every parameter of quantities.py at least once: a figure, or why there is none."""
    found = _of_steps([each for each in series if each.name == "step"])
    for name in ("exchange", "gather"):
        found += _of_messages(name, [each for each in series if each.name == name], ranks)
    for word, name in (("", "write_new"), ("overwrite_", "overwrite")):
        found += _of_writers(word, [each for each in series if each.name == name], nodes)
    for each in (each for each in series if each.name == "file"):
        found.append(_checked("file_s", each.ranks, each.wall_s, ""))
    return found


def _of_steps(series: Sequence[Series]) -> list[Found]:
    found: list[Found] = []
    counts = sorted({each.ranks for each in series})
    for ranks in counts:
        its = sorted((s for s in series if s.ranks == ranks), key=_size)
        shares = [_size(each) / ranks for each in its]
        small, middle, large = (s.wall_s for s in its)
        overheads = [t - (u - t) / (shares[1] - shares[0]) * shares[0]
                     for t, u in zip(small, middle, strict=False)]  # fmt: skip
        costs = [(v - overhead) / shares[2]
                 for v, overhead in zip(large, overheads, strict=False)]  # fmt: skip
        why = "8 levels of a few cells take as long as 1, as far as the samples tell"
        found += [
            _checked("cell_level_step_s", ranks, costs, why),
            _checked("step_overhead_s", ranks, overheads, why),
        ]
    return found


def _size(series: Series) -> float:
    """Cells times levels."""
    return series.number("cells") * series.number("levels")


def _of_messages(name: str, series: Sequence[Series], ranks: int) -> list[Found]:
    names = f"{name}_latency_s", f"{name}_bytes_per_s"
    if not series:
        why = f"{ranks} rank{'s' * (ranks != 1)}: there is nobody to send to"
        return [NotSeparated(each, why) for each in names]
    found: list[Found] = []
    for count in sorted({each.ranks for each in series}):
        small, large = sorted((s for s in series if s.ranks == count),
                              key=lambda s: s.number("bytes"))  # fmt: skip
        few, many = small.number("bytes"), large.number("bytes")
        pairs = list(zip(small.wall_s, large.wall_s, strict=True))
        seconds_per_byte = [(v - u) / (many - few) for u, v in pairs]
        latencies = [u - each * few for (u, _), each in zip(pairs, seconds_per_byte, strict=True)]
        why = _OVERLAP.format(n=len(pairs))
        rates = [1.0 / each if each > 0.0 else -1.0 for each in seconds_per_byte]
        found += [_checked(names[0], count, latencies, why), _checked(names[1], count, rates, why)]
    return found


def _of_writers(word: str, series: Sequence[Series], nodes: int) -> list[Found]:
    """One writer, those of one node, those of all nodes: each team in the next."""
    names = [f"{who}_{word}bytes_per_s" for who in ("writer", "node", "file_system")]
    one = next(each for each in series if each.ranks == 1)
    found: list[Found] = [_checked(names[0], 1, one.rates(), "")]
    of_node = [each for each in series if each.ranks > 1 and each.facts["nodes"] == 1]
    if of_node:
        node = max(of_node, key=lambda each: figure_of("", 1, "", each.rates(), {}).median)
        found.append(_limit(names[1], node, one, node.ranks, "writer"))
    else:
        found.append(NotSeparated(names[1], "no two writers are on one node"))
    if nodes == 1:
        return [*found, NotSeparated(names[2], "all ranks are on one node")]
    everyone = max(series, key=lambda each: each.ranks)
    below, times = (of_node[-1], nodes) if of_node else (one, everyone.ranks)
    return [*found, _limit(names[2], everyone, below, times, "node" if of_node else "writer")]


def _limit(name: str, many: Series, one: Series, times: int, of: str) -> Found:
    """The rate of many, if they clearly do not reach `times` that of one (sign test on the rates of
    the same moments: whole samples may spread by a factor of two while their ratio does not).
    """
    pairs = list(zip(many.rates(), one.rates(), strict=True))
    reached = sum(rate >= _SHARING * times * single for rate, single in pairs)
    if _chance(reached, len(pairs)) < _CHANCE:
        return _checked(name, many.ranks, many.rates(), "")
    median = figure_of("", 1, "", many.rates(), {}).median
    why = (
        f"{many.ranks} writers reached {median / 1e6:.0f} MB/s, and in {reached} of {len(pairs)} "
        f"trials {times} times what one {of} did: the limit lies above, or more trials are needed"
    )
    return NotSeparated(name, why)


def _chance(reached: int, trials: int) -> float:
    """That of so few, if one half of all trials reach it."""
    return sum(math.comb(trials, each) for each in range(reached + 1)) / float(2**trials)


def _checked(name: str, ranks: int, samples: Iterable[float], why: str) -> Found:
    """What is not above zero with its whole spread is no parameter."""
    quantity = BY_NAME[name]
    figure = figure_of(name, ranks, quantity.unit, list(samples), {})
    if figure.p05 > 0.0 and quantity.least <= figure.p05 and figure.p95 <= quantity.most:
        return figure
    reason = why or f"{figure.p05:g} to {figure.p95:g} {quantity.unit} were measured"
    return NotSeparated(name, reason, ranks)
