# SPDX-License-Identifier: Apache-2.0
"""What one output or checkpoint takes when nothing else goes on, in parts, from the closed form.

The closed form gives one number for an event: T(bytes) = T(0) + getting + writing, and a part
    a * bytes    (a: all_writers_s_per_gb)
for the file system that all share. Here a rank that writes alone takes as long; several together
reach at most 1 / a. So both forms agree on a lone writer and on a full file system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thalweg.advisor.prediction.run_facts import ManyRuns, RunFacts
from thalweg.advisor.prediction.service import Services, predict
from thalweg.advisor.simulation.machine import Machine
from thalweg.advisor.simulation.plan import Plan, Stream


@dataclass(frozen=True)
class Service:
    """One event of `members` ranks that work side by side: seconds from its begin to its end.

    independent   ranks whose times vary each for itself, the slowest of which counts. 1 where the
                  closed form's number is that of the team, its slowest rank included: restarts
    """

    size_bytes: float  # of all members
    members: int
    fixed_s: float
    pull_s: float
    write_s: float
    independent: int = 1

    def part(self, members: int) -> Service:
        """What some of the members do of it, in the same time."""
        size = self.size_bytes * members / self.members
        independent = min(members, self.independent)
        return Service(size, members, self.fixed_s, self.pull_s, self.write_s, independent)


def start_and_step_s(plan: Plan, machine: Machine) -> tuple[float, float]:
    """Seconds before the first step, and of a step."""
    start = float(_ask(plan, machine.values, steps=0.0).compute_s[0])
    # Many steps, so that little is lost where starting takes longer than they do.
    many = float(_ask(plan, machine.values, steps=1e6).compute_s[0])
    return start, max(0.0, many - start) / 1e6


def output_service(plan: Plan, machine: Machine, stream: Stream, members: int) -> Service:
    """By `members` I/O ranks in equal parts, or by compute ranks where there are none."""
    size = stream.size_bytes
    if plan.mode == "serial":
        gathering = _serial_s(plan, {**machine.values, "write_s_per_gb": 0.0}, size)
        return Service(size, 1, 0.0, gathering, _serial_s(plan, machine.values, size) - gathering)
    alone = {**machine.values, "all_writers_s_per_gb": 0.0}
    fixed = _io_rank_s(plan, alone, 0.0)
    own = _io_rank_s(plan, alone, size / members) - fixed
    shared = _io_rank_s(plan, machine.values, size) - _io_rank_s(plan, alone, size)
    team = members > 1 and plan.mode == "file_parallel"
    asked = plan.compute_ranks / members if team else plan.compute_ranks
    fixed += machine.message_s * max(1.0, asked)
    if plan.mode == "shared_file":
        fixed += machine.settle_s
    pull = machine.pull_share * own
    return Service(size, members, fixed, pull, own - pull + max(0.0, shared), members)


def restart_service(plan: Plan, machine: Machine) -> Service:
    """One checkpoint, by whom its mode says."""
    asked = plan.checkpoints
    size = asked.size_bytes
    if asked.mode == "sync":
        gathering = _blocking_s(plan, {**machine.values, "write_s_per_gb": 0.0}, size)
        writing = _blocking_s(plan, machine.values, size) - gathering
        return Service(size, 1, 0.0, gathering, writing)
    if asked.mode == "joint_multifile":
        fixed = _blocking_s(plan, machine.values, 0.0)
        return Service(
            size, plan.compute_ranks, fixed, 0.0, _blocking_s(plan, machine.values, size) - fixed
        )
    alone = {**machine.values, "all_writers_s_per_gb": 0.0}
    fixed = _restart_rank_s(plan, alone, 0.0)
    own = _restart_rank_s(plan, alone, size) - fixed
    shared = _restart_rank_s(plan, machine.values, size) - fixed - own
    pull = machine.restart_pull_share * own
    return Service(size, max(1, asked.ranks), fixed, pull, own - pull + max(0.0, shared))


def _serial_s(plan: Plan, values: Mapping[str, float], size: float) -> float:
    return float(_ask(plan, values, outputs=1.0, output_bytes=size).serial_output_s[0])


def _io_rank_s(plan: Plan, values: Mapping[str, float], size: float) -> float:
    """One output on one I/O rank."""
    found = _ask(plan, values, outputs=1.0, output_bytes=size, io_ranks=1.0, partitions=1.0)
    return float(found.output_s[0])


def _blocking_s(plan: Plan, values: Mapping[str, float], size: float) -> float:
    return float(_ask_restart(plan, values, size).blocking_restart_s[0])


def _restart_rank_s(plan: Plan, values: Mapping[str, float], size: float) -> float:
    return float(_ask_restart(plan, values, size).restart_s[0])


def _ask_restart(plan: Plan, values: Mapping[str, float], size: float) -> Services:
    asked = plan.checkpoints
    return _ask(
        plan, values, checkpoints=1.0, checkpoint_bytes=size, restart_mode=asked.mode,
        restart_ranks=float(asked.ranks),
    )  # fmt: skip


def _ask(plan: Plan, values: Any, steps: float = 0.0, **facts: Any) -> Services:
    run = RunFacts(
        cells=plan.cells, steps=steps, nodes=float(plan.nodes),
        ranks_per_node=float(plan.ranks_per_node), compute_ranks=float(plan.compute_ranks), **facts,
    )  # fmt: skip
    with np.errstate(invalid="ignore", divide="ignore"):  # a total of nothing is not used
        return predict(ManyRuns.of([run]), values)
