# SPDX-License-Identifier: Apache-2.0
"""Ranks that write: groups of them that do the same at the same time, and lanes with slots."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from thalweg.advisor.simulation.clock import Clock, Process, Signal
from thalweg.advisor.simulation.fluid import Fluid
from thalweg.advisor.simulation.noise import Noise
from thalweg.advisor.simulation.service import Service
from thalweg.advisor.simulation.track import Track


@dataclass
class World:
    """What all processes of a simulation share."""

    clock: Clock
    noise: Noise
    network: Fluid
    files: Fluid
    written_bytes: float = 0.0

    def write(self, service: Service, node: int | None) -> Process:
        """One event from its first byte to its last: pull, what is fixed, write."""
        stretch = self.noise.stretch(service.independent)
        size, members = service.size_bytes, service.members
        yield self.network.flow(size, service.pull_s * stretch, members, node)
        yield service.fixed_s * stretch
        yield self.files.flow(size, service.write_s * stretch, members, node)
        self.written_bytes += size


@dataclass
class Load:
    """Of a class of ranks: outputs put and not yet on disk, and how busy the ranks are."""

    track: Track
    events: int = 0
    size_bytes: float = 0.0
    stays_s: float = 0.0  # summed over events
    busy_s: float = 0.0  # summed over ranks


@dataclass
class Event:
    """An output or a checkpoint that was put. pieces: groups that still write at it."""

    put_s: float
    service: Service
    pieces: int
    written: Callable[[Event], None]


class RankGroup:
    """members: ranks that are alike and take what comes in order, all of them together."""

    def __init__(self, world: World, load: Load, members: int, node: int | None) -> None:
        self.members = members
        self._world, self._load, self._node = world, load, node
        self._queue: deque[tuple[Event, Service]] = deque()
        self._busy = False
        self._idle: Signal | None = None

    def idle(self) -> Signal:
        """Fires when all that it has is written; compute ranks are the only ones that wait."""
        if not self._busy:
            return Signal(fired=True)
        self._idle = Signal()
        return self._idle

    def take(self, event: Event, part: Service) -> None:
        self._queue.append((event, part))
        if not self._busy:
            self._busy = True
            self._world.clock.start(self._work())

    def _work(self) -> Process:
        clock = self._world.clock
        while self._queue:
            event, part = self._queue.popleft()
            begin_s = clock.now_s
            yield from self._world.write(part, self._node)
            self._load.busy_s += self.members * (clock.now_s - begin_s)
            event.pieces -= 1
            if event.pieces == 0:
                event.written(event)
        self._busy = False
        if self._idle is not None:
            idle, self._idle = self._idle, None
            idle.fire()


@dataclass
class Lane:
    """One partition of a stream: the groups that write it, and slots on every compute rank.

    A slot is held from put until the last group has written. Spilled events wait for one, in order.
    """

    world: World
    load: Load
    groups: list[RankGroup]
    free: int
    spilled: deque[Event] = field(default_factory=deque)
    waiting: Signal | None = None

    @property
    def members(self) -> int:
        return sum(group.members for group in self.groups)

    def has_slot(self) -> bool:
        return self.free > 0 and not self.spilled

    def slot(self) -> Signal:
        """Fires when one is free; compute ranks are the only ones that wait."""
        if self.free > 0:
            return Signal(fired=True)
        self.waiting = Signal()
        return self.waiting

    def put(self, service: Service) -> None:
        """Hands over an event: to a slot, or behind others to a node-local disk."""
        now_s = self.world.clock.now_s
        self.load.track.add(now_s, 1.0)
        event = Event(now_s, service, 0, self._written)
        if self.has_slot():
            self._begin(event)
        else:
            self.spilled.append(event)

    def _begin(self, event: Event) -> None:
        self.free -= 1
        event.pieces = len(self.groups)
        for group in self.groups:
            group.take(event, event.service.part(group.members))

    def _written(self, event: Event) -> None:
        now_s = self.world.clock.now_s
        self.load.track.add(now_s, -1.0)
        self.load.events += 1
        self.load.size_bytes += event.service.size_bytes
        self.load.stays_s += now_s - event.put_s
        self.free += 1
        if self.spilled:
            self._begin(self.spilled.popleft())
        elif self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            waiting.fire()
