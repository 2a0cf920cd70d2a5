# SPDX-License-Identifier: Apache-2.0
"""A file system or a network as a fluid: flows share its rate anew whenever one comes or goes.

Rates are fair (max-min): a flow has its own limit, those of a node share the node's rate and all
share the whole, so that with levels y(node) and x

    rate = min(limit, y(node), x),   sum over a node <= node rate,   sum over all <= whole rate

and levels as high as these allow. Flows with one limit and one node always have one rate: they form
a pool with one counter of bytes done, so that an event costs a look at pools, not at flows.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable

from thalweg.advisor.simulation.clock import Clock, Signal
from thalweg.advisor.simulation.track import Track

FASTEST = 1e18  # bytes/s, for what takes no time: differences of times stay exact enough
_ANYWHERE = -1  # the node of flows that share no node's rate with others
_SAME = 1e-12  # relative: flows that end together


class _Pool:
    """members: ranks behind its flows; worked: bytes done by a member since it was last empty."""

    __slots__ = ("ends", "limit", "members", "node", "rate", "worked")

    def __init__(self, limit: float, node: int) -> None:
        self.limit, self.node = limit, node
        self.members, self.worked, self.rate = 0, 0.0, 0.0
        # (worked at its end, number, members, signal)
        self.ends: list[tuple[float, int, int, Signal]] = []


class Fluid:
    """track: bytes/s over time. Rates are positive and may be infinite."""

    def __init__(self, clock: Clock, whole_rate: float, node_rate: float, track: Track) -> None:
        self._clock, self._track = clock, track
        self._whole = min(whole_rate, FASTEST * 1e6)
        self._node_rate = node_rate
        self._pools: dict[tuple[float, int], _Pool] = {}
        self._levels: dict[int, float] = {}
        self._since_s = 0.0
        self._version = 0
        self._number = 0

    def flow(self, size_bytes: float, alone_s: float, members: int, node: int | None) -> Signal:
        """`members` ranks move `size_bytes` in equal parts; alone it takes `alone_s`.

        node   the one where they are; None: spread over nodes that they share with nobody
        """
        if size_bytes <= 0.0:
            return Signal(fired=True)
        part = size_bytes / members
        limit = min(part / alone_s, FASTEST) if alone_s > 0.0 else FASTEST
        at = _ANYWHERE if node is None or math.isinf(self._node_rate) else node
        self._advance()
        pool = self._pools.get((limit, at))
        if pool is None:
            pool = self._pools[limit, at] = _Pool(limit, at)
        done = Signal()
        self._number += 1
        heapq.heappush(pool.ends, (pool.worked + part, self._number, members, done))
        pool.members += members
        self._share(at)
        return done

    def _advance(self) -> None:
        passed = self._clock.now_s - self._since_s
        if passed > 0.0:
            for pool in self._pools.values():
                pool.worked += pool.rate * passed
        self._since_s = self._clock.now_s

    def _share(self, node: int) -> None:
        """Rates anew, after flows of this node came or went, and the time of the next end."""
        pools = self._pools.values()
        if node != _ANYWHERE:
            here = [(p.limit, p.members) for p in pools if p.node == node]
            self._levels[node] = water_level(here, self._node_rate)
        levels = self._levels
        allowed = [min(p.limit, levels.get(p.node, math.inf)) for p in pools]
        level = water_level(zip(allowed, (p.members for p in pools), strict=True), self._whole)
        load, first_s, first = 0.0, math.inf, None
        for pool, most in zip(pools, allowed, strict=True):
            pool.rate = min(most, level)
            load += pool.rate * pool.members
            left_s = max(0.0, pool.ends[0][0] - pool.worked) / pool.rate
            if left_s < first_s:
                first_s, first = left_s, pool
        self._track.change(self._clock.now_s, load)
        self._version += 1
        if first is not None:
            version, pool = self._version, first
            self._clock.at(self._clock.now_s + first_s, lambda: self._end(version, pool))

    def _end(self, version: int, pool: _Pool) -> None:
        if version != self._version:  # somebody came or went in between
            return
        self._advance()
        # Times are rounded: the flow that the event was for ends now, whatever the counter says.
        pool.worked = max(pool.worked, pool.ends[0][0])
        ended = []
        while pool.ends and pool.ends[0][0] <= pool.worked * (1.0 + _SAME):
            _, _, members, done = heapq.heappop(pool.ends)
            pool.members -= members
            ended.append(done)
        if not pool.ends:
            del self._pools[pool.limit, pool.node]
        self._share(pool.node)
        for done in ended:
            done.fire()


def water_level(limits: Iterable[tuple[float, int]], whole: float) -> float:
    """The x where sum(members * min(limit, x)) = whole; infinite where limits need less."""
    wanted = list(limits)
    if sum(limit * members for limit, members in wanted) <= whole:
        return math.inf
    left, members_left = whole, sum(members for _, members in wanted)
    for limit, members in sorted(wanted):
        if limit * members_left >= left:
            break
        left -= limit * members
        members_left -= members
    return left / members_left if members_left > 0 else math.inf
