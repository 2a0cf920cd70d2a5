# SPDX-License-Identifier: Apache-2.0
"""The exponent of the closed form's smooth maximum that stalls of simulated runs correspond to.

The closed form has  total = (compute^p + output^p)^(1/p)  for what ranks lose near saturation. Here
the size of outputs goes through saturation, and p is fitted to the simulated totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import predict
from thalweg.advisor.simulation.machine import Machine
from thalweg.advisor.simulation.plan import plan_of
from thalweg.advisor.simulation.simulate import simulate
from thalweg.errors import ThalwegError

RATIOS = (0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4, 2.0)  # output over compute service
_LARGEST = 300.0  # a maximum that is as hard as can be told: 2^(1/300) is 1.002


@dataclass(frozen=True)
class SharpnessFit:
    """excess[i]: total over the longer of compute and output service, at ratios[i]; mean of seeds.

    miss   root mean square of the logarithm of what the p-norm gives over it
    """

    sharpness: float
    miss: float
    ratios: tuple[float, ...]
    excess: tuple[float, ...]


def fit_sharpness(
    facts: RunFacts, machine: Machine, ratios: Sequence[float] = RATIOS, seeds: int = 5
) -> SharpnessFit:
    """facts: an ICON run with I/O ranks and output, whose size is varied. Ranks alone count: the
    file system that all share is left out, and checkpoints too.
    """
    from scipy.optimize import minimize_scalar  # half a second, which others need not wait

    if facts.io_ranks < 1 or facts.outputs < 1:
        raise ThalwegError("sharpness: a run with I/O ranks and outputs is needed; give both")
    free = replace(machine, values={**machine.values, "all_writers_s_per_gb": 0.0})
    alone = replace(facts, checkpoints=0.0, restart_mode="none")
    sizes = [_size_for(alone, free, ratio) for ratio in ratios]
    runs = [replace(alone, output_bytes=size) for size in sizes]
    services = predict(ManyRuns.of(runs), free.values)
    longest = np.maximum(services.compute_s, services.output_s)
    shares = np.minimum(services.compute_s, services.output_s) / longest
    totals = [
        np.mean([simulate(plan_of(run), free, seed).total_s for seed in range(seeds)])
        for run in runs
    ]
    excess = np.array(totals) / longest

    def misses(log_sharpness: float) -> float:
        p = np.exp(log_sharpness)
        norm = np.log1p(shares**p) / p
        return float(np.mean((np.log(excess) - norm) ** 2))

    found = minimize_scalar(misses, bounds=(0.0, np.log(_LARGEST)), method="bounded")
    return SharpnessFit(
        float(np.exp(found.x)), float(np.sqrt(found.fun)), tuple(ratios), tuple(excess.tolist())
    )


def _size_for(facts: RunFacts, machine: Machine, ratio: float) -> float:
    """Bytes of an output with which I/O ranks are busy for `ratio` times as long as computing."""
    gigabyte = 1e9
    ends = [replace(facts, output_bytes=size) for size in (0.0, gigabyte)]
    services = predict(ManyRuns.of(ends), machine.values)
    empty, full = services.output_s.tolist()
    wanted = ratio * float(services.compute_s[0])
    if full <= empty or wanted < empty:
        raise ThalwegError("sharpness: no size of output takes that long; check the machine")
    return float(gigabyte * (wanted - empty) / (full - empty))
