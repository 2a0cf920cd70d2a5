# SPDX-License-Identifier: Apache-2.0
"""The run: compute ranks as one process that steps, puts, waits and writes checkpoints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from thalweg.advisor.simulation.clock import COMPUTE, Clock, Process
from thalweg.advisor.simulation.fleet import Fleet
from thalweg.advisor.simulation.fluid import Fluid
from thalweg.advisor.simulation.machine import Machine
from thalweg.advisor.simulation.noise import Noise
from thalweg.advisor.simulation.plan import TEAM_MODES, Plan
from thalweg.advisor.simulation.ranks import Lane, Load, RankGroup, World
from thalweg.advisor.simulation.result import RankClass, Simulation, Stall
from thalweg.advisor.simulation.service import (
    Service,
    output_service,
    restart_service,
    start_and_step_s,
)
from thalweg.advisor.simulation.track import Track
from thalweg.errors import ThalwegError

_GB = 1e9  # bytes
_SPEEDS = 64  # at most about so many differ, see noise.py
_MOST_WORK = 200_000_000  # outputs times pools: a few minutes
_LONGEST_S = 1e12  # of one event or of all steps: beyond it, seconds are lost in rounding


def simulate(plan: Plan, machine: Machine, seed: int = 0) -> Simulation:
    """The same result for the same plan, machine and seed. ThalwegError: a plan no run can do."""
    plan.check()
    machine.check()
    _check_work(plan, machine)
    return _Run(plan, machine, seed).result(seed)


@dataclass
class _Told:
    """What compute ranks have seen."""

    compute_s: float = 0.0
    end_s: float = -1.0  # of their last step
    stalls: list[Stall] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    spilled: dict[str, int] = field(default_factory=dict)


class _Run:
    def __init__(self, plan: Plan, machine: Machine, seed: int) -> None:
        self._plan, self._machine = plan, machine
        start_s, step_s = start_and_step_s(plan, machine)
        about_s = _possible(start_s + step_s * plan.steps, "all steps")
        self._start_s, self._step_s = start_s, step_s
        self._clock = Clock()
        self._track = Track(about_s)
        network = Fluid(self._clock, float("inf"), machine.node_pull_bytes_s, Track(about_s))
        files = Fluid(self._clock, machine.whole_bytes_s, machine.node_write_bytes_s, self._track)
        noise = Noise(seed, machine.service_variation, machine.step_variation)
        self._world = World(self._clock, noise, network, files)
        self._output, self._restart = Load(Track(about_s)), Load(Track(about_s))
        self._fleet = Fleet(plan, self._world, self._output)
        ranks = RankGroup(self._world, self._restart, max(1, plan.checkpoints.ranks), None)
        self._restart_lane = Lane(self._world, self._restart, [ranks], 1)
        self._services: dict[tuple[int, int], Service] = {}
        self._told = _Told()

    def result(self, seed: int) -> Simulation:
        self._clock.start(self._compute(), COMPUTE)
        self._clock.run()
        total_s, told = self._clock.now_s, self._told
        assert told.end_s >= 0.0, "compute ranks wait for ever"
        self._stalled(told.end_s, "end of the last writers")
        classes = []
        for name, ranks, load in (
            ("output", self._plan.io_ranks, self._output),
            ("restart", self._plan.checkpoints.ranks, self._restart),
        ):
            all_s = ranks * total_s
            busy = load.busy_s / all_s if all_s > 0.0 else 0.0
            stay_s = load.stays_s / load.events if load.events else 0.0
            series = load.track.series(total_s)
            classes.append(
                RankClass(name, ranks, load.events, load.size_bytes, busy, series, stay_s)
            )
        return Simulation(
            total_s, told.compute_s, tuple(told.stalls), tuple(classes),
            self._track.series(total_s), self._world.written_bytes, told.dropped, told.spilled,
            self._clock.events, seed,
        )  # fmt: skip

    def _compute(self) -> Process:
        """Jumps from one output or checkpoint to the next: nothing can happen between."""
        told, step = self._told, 0.0
        told.compute_s = self._start_s
        yield self._start_s
        for due, found in groupby(self._plan.due(), itemgetter(0)):
            yield from self._steps(due - step)
            step, events = due, [(stream, index) for _, stream, index in found]
            if self._plan.by_steps and not self._plan.writes_itself:
                yield from self._wait_for_ranks([event for event in events if event[0] >= 0])
            for stream, index in events:
                yield from self._put(stream, index) if stream >= 0 else self._checkpoint()
        yield from self._steps(self._plan.steps - step)
        told.end_s = self._clock.now_s

    def _steps(self, count: float) -> Process:
        seconds = self._world.noise.steps(count) * self._step_s
        self._told.compute_s += seconds
        yield seconds

    def _wait_for_ranks(self, outputs: Sequence[tuple[int, int]]) -> Process:
        """Until all that write these outputs, of one step, have written what they had before."""
        for stream, index in outputs:
            cause = f"I/O ranks of '{self._plan.streams[stream].name}'"
            for group in self._fleet.lane(stream, index).groups:
                begin_s = self._clock.now_s
                yield group.idle()
                self._stalled(begin_s, cause)

    def _put(self, stream: int, index: int) -> Process:
        name = self._plan.streams[stream].name
        if self._plan.writes_itself:
            together = self._plan.mode in TEAM_MODES
            members = self._plan.compute_ranks if together else 1
            yield from self._stand_still(self._service(stream, members), f"output '{name}'")
            return
        lane = self._fleet.lane(stream, index)
        service = self._service(stream, lane.members)
        pressure = self._plan.backpressure
        if not lane.has_slot():
            if pressure == "thin":
                self._told.dropped[name] = self._told.dropped.get(name, 0) + 1
                return
            if pressure == "spill":
                self._told.spilled[name] = self._told.spilled.get(name, 0) + 1
                spilling = self._own_part_s(service.size_bytes, self._machine.spill_s_per_gb)
                yield from self._pause(spilling, f"spill of '{name}'")
            else:
                yield from self._wait(lane, f"slot of '{name}'")
        copying = self._own_part_s(service.size_bytes, self._machine.put_s_per_gb)
        yield from self._pause(copying, f"copy of '{name}'")
        lane.put(service)

    def _checkpoint(self) -> Process:
        service = self._service(-1, 1)
        if self._plan.checkpoints.mode in ("sync", "joint_multifile"):
            yield from self._stand_still(service, "checkpoint")
            return
        yield from self._wait(self._restart_lane, "restart ranks")
        copying = self._own_part_s(service.size_bytes, self._machine.put_s_per_gb)
        yield from self._pause(copying, "copy of a checkpoint")
        self._restart_lane.put(service)

    def _stand_still(self, service: Service, cause: str) -> Process:
        begin_s = self._clock.now_s
        yield from self._world.write(service, None)
        self._stalled(begin_s, cause)

    def _wait(self, lane: Lane, cause: str) -> Process:
        begin_s = self._clock.now_s
        yield lane.slot()
        self._stalled(begin_s, cause)

    def _pause(self, seconds: float, cause: str) -> Process:
        begin_s = self._clock.now_s
        yield seconds
        self._stalled(begin_s, cause)

    def _stalled(self, begin_s: float, cause: str) -> None:
        if self._clock.now_s > begin_s:
            self._told.stalls.append(Stall(begin_s, self._clock.now_s - begin_s, cause))

    def _own_part_s(self, size: float, seconds_per_gb: float) -> float:
        """A compute rank copies its own part, all at the same time."""
        return _possible(seconds_per_gb * size / _GB / self._plan.compute_ranks, "a copy")

    def _service(self, stream: int, members: int) -> Service:
        if (stream, members) not in self._services:
            found = (
                restart_service(self._plan, self._machine)
                if stream < 0
                else output_service(self._plan, self._machine, self._plan.streams[stream], members)
            )
            whose = "a checkpoint" if stream < 0 else f"'{self._plan.streams[stream].name}'"
            _possible(found.fixed_s + found.pull_s + found.write_s, whose)
            self._services[stream, members] = found
        return self._services[stream, members]


def _check_work(plan: Plan, machine: Machine) -> None:
    """ThalwegError: it would take many minutes. Each event looks at all pools of `fluid.py`."""
    due = [stream.due(plan.steps) for stream in plan.streams]
    lanes = sum(min(s.partitions, n) for s, n in zip(plan.streams, due, strict=True))
    kinds = len(plan.streams) * (_SPEEDS if machine.service_variation > 0.0 else 1)
    if min(machine.node_write_bytes_s, machine.node_pull_bytes_s) < math.inf:
        kinds *= plan.nodes
    if sum(due) * min(lanes, max(1, plan.io_ranks), kinds) > _MOST_WORK:
        raise ThalwegError(
            f"plan: {sum(due)} outputs on {plan.io_ranks} I/O ranks are too many to simulate; "
            "leave rates of nodes infinite, or plan a part of the run"
        )


def _possible(seconds: float, what: str) -> float:
    if not 0.0 <= seconds <= _LONGEST_S:
        raise ThalwegError(f"simulation: {what} would take {seconds:g} s; check plan and machine")
    return seconds
