# SPDX-License-Identifier: Apache-2.0
"""Who writes what: lanes to groups of I/O ranks, as ICON and our modes deal them."""

from __future__ import annotations

import math

from thalweg.advisor.simulation.plan import MOST_EVENTS, TEAM_MODES, Plan
from thalweg.advisor.simulation.ranks import Lane, Load, RankGroup, World
from thalweg.errors import ThalwegError

# Writers of file_parallel go on independently: so many groups, each as slow as its slowest member,
# stand for them. Writers of a shared file wait for each other at every output.
_GROUPS = {"file_parallel": 16, "shared_file": 1}


class Fleet:
    """The I/O ranks of a plan. Groups and lanes are made when they are first needed."""

    def __init__(self, plan: Plan, world: World, load: Load) -> None:
        self._plan, self._world, self._load = plan, world, load
        self._lanes: dict[tuple[int, int], Lane] = {}
        self._groups: dict[int, RankGroup] = {}
        self._first_lane = [0]
        for stream in plan.streams:
            self._first_lane.append(self._first_lane[-1] + stream.partitions)
        self._count = _group_count(plan)
        pieces = sum(each.due(plan.steps) * self._teams(each.partitions) for each in plan.streams)
        if pieces > MOST_EVENTS:
            raise ThalwegError(
                f"plan: outputs in {pieces} pieces; a simulation takes at most {MOST_EVENTS}"
            )

    def _teams(self, partitions: int) -> int:
        """Groups that write one output."""
        return -(-self._count // partitions) if self._plan.mode in TEAM_MODES else 1

    def lane(self, stream: int, index: int) -> Lane:
        """Of output `index` of a stream."""
        partitions = self._plan.streams[stream].partitions
        key = (stream, index % partitions)
        if key not in self._lanes:
            number = self._first_lane[stream] + key[1]
            if self._plan.mode in TEAM_MODES and partitions <= self._plan.io_ranks:
                team = range(key[1], self._count, partitions)
            else:
                one = number % self._plan.io_ranks
                team = range(one, one + 1)
            groups = [self._group(each) for each in team]
            self._lanes[key] = Lane(self._world, self._load, groups, self._plan.slots)
        return self._lanes[key]

    def _group(self, number: int) -> RankGroup:
        """Rank r is in group r modulo the count of groups."""
        if number not in self._groups:
            members = (self._plan.io_ranks - number + self._count - 1) // self._count
            node = number % self._plan.nodes if members == 1 else None
            self._groups[number] = RankGroup(self._world, self._load, members, node)
        return self._groups[number]


def _group_count(plan: Plan) -> int:
    """So that every team is made of whole groups: a common multiple of partitions, or ranks."""
    if plan.mode not in TEAM_MODES:
        return max(1, plan.io_ranks)
    common = 1
    for stream in plan.streams:
        common = math.lcm(common, stream.partitions)
        if common >= plan.io_ranks:
            return max(1, plan.io_ranks)
    wanted = _GROUPS[plan.mode]
    return min(plan.io_ranks, common * -(-wanted // common))
