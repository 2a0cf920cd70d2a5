# SPDX-License-Identifier: Apache-2.0
"""What a simulated run does: steps, streams, checkpoints, and who writes them in which mode."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from thalweg.advisor.prediction.run_facts import RESTART_MODES, RunFacts
from thalweg.errors import ThalwegError, did_you_mean

MODES = ("serial", "async", "file_parallel", "shared_file")
TEAM_MODES = ("file_parallel", "shared_file")  # several writers for each output
BACKPRESSURES = ("block", "thin", "spill")
MOST_EVENTS = 2_000_000  # outputs and checkpoints of a run: about a minute
_NEXT = 1e-9  # steps: times of outputs are rounded


@dataclass(frozen=True)
class Stream:
    """size_bytes are those of one output. Output i comes before step first + i * interval, none
    after the end; it goes to partition i modulo `partitions`.

    at_steps  steps before each output, ascending, in place of first and interval
    """

    name: str
    size_bytes: float
    outputs: int
    interval_steps: float
    first_step: float = 0.0
    partitions: int = 1
    at_steps: tuple[float, ...] = ()

    def due(self, steps: float) -> int:
        """How many of them come before the run ends."""
        if self.at_steps:
            return bisect_right(self.at_steps, steps + _NEXT)
        if self.outputs <= 0 or self.first_step > steps + _NEXT:
            return 0
        return min(self.outputs, int((steps + _NEXT - self.first_step) / self.interval_steps) + 1)

    def step_of(self, index: int) -> float:
        return (
            self.at_steps[index] if self.at_steps else self.first_step + index * self.interval_steps
        )


@dataclass(frozen=True)
class Checkpoints:
    """mode: one of RESTART_MODES. ranks: restart ranks of async and dedicated_multifile."""

    mode: str = "none"
    ranks: int = 0
    size_bytes: float = 0.0
    count: int = 0
    interval_steps: float = 1.0

    @property
    def stream(self) -> Stream:
        """When they come: at the end of each interval."""
        count = self.count if self.mode != "none" else 0
        step = self.interval_steps
        return Stream("restart", self.size_bytes, count, step, first_step=step)


@dataclass(frozen=True)
class Plan:
    """slots: outputs of one partition that may be under way; ICON has 1, we have 2.

    io_ranks   0 in file_parallel and shared_file: compute ranks write
    nodes      over which I/O ranks are dealt in turn
    by_steps   as ICON does: before the outputs of a step compute ranks wait until every I/O rank
               that gets one of them has written all that it had
    """

    cells: float
    steps: float
    compute_ranks: int
    streams: tuple[Stream, ...] = ()
    checkpoints: Checkpoints = Checkpoints()
    mode: str = "async"
    io_ranks: int = 0
    slots: int = 2
    backpressure: str = "block"
    nodes: int = 1
    ranks_per_node: int = 128
    by_steps: bool = False

    @property
    def writes_itself(self) -> bool:
        """Compute ranks stand still while output is written."""
        return self.mode == "serial" or self.io_ranks == 0

    def due(self) -> Iterator[tuple[float, int, int]]:
        """(step, number of the stream, number of the output) in order; stream -1: a checkpoint.

        Of one step, checkpoints come last.
        """
        found = [_times(self.steps, number, each) for number, each in enumerate(self.streams)]
        found.append(_times(self.steps, len(self.streams), self.checkpoints.stream))
        for step, number, index in heapq.merge(*found):
            yield step, number if number < len(self.streams) else -1, index

    def check(self) -> None:
        """ThalwegError: what no run can do."""
        _one_of("mode", self.mode, MODES)
        _one_of("backpressure", self.backpressure, BACKPRESSURES)
        _one_of("restart mode", self.checkpoints.mode, RESTART_MODES)
        _at_least("cells", self.cells, 1)
        _at_least("steps", self.steps, 0)
        for name in ("compute_ranks", "slots", "nodes", "ranks_per_node"):
            _at_least(name, getattr(self, name), 1)
        _at_least("io_ranks", self.io_ranks, 0)
        for stream in self.streams:
            _check_stream(stream, f"stream '{stream.name}': ")
        _check_stream(self.checkpoints.stream, "checkpoints: ")
        _at_least("checkpoints: ranks", self.checkpoints.ranks, 0)
        if self.mode == "async" and self.io_ranks == 0 and self.streams:
            raise ThalwegError("plan: mode 'async' needs I/O ranks; give some, or mode 'serial'")
        if self.checkpoints.mode in ("async", "dedicated_multifile") and not self.checkpoints.ranks:
            raise ThalwegError(f"plan: restart mode '{self.checkpoints.mode}' needs restart ranks")
        events = sum(each.due(self.steps) for each in (*self.streams, self.checkpoints.stream))
        if events > MOST_EVENTS:
            raise ThalwegError(f"plan: {events} outputs; a simulation takes at most {MOST_EVENTS}")


def plan_of(facts: RunFacts) -> Plan:
    """An ICON run as the closed form knows it: one stream from time 0 on.

    Checkpoints come at equal distances up to the end of the run.
    """
    outputs, checkpoints = int(facts.outputs), int(facts.checkpoints)
    io_ranks = int(facts.io_ranks)
    asked = round(facts.partitions) or io_ranks
    stream = Stream(
        "output", facts.output_bytes, outputs,
        max(facts.steps, _NEXT) / max(1, outputs - 1),
        partitions=max(1, min(asked, io_ranks)),
    )  # fmt: skip
    each = max(facts.steps, _NEXT) / max(1, checkpoints)
    dedicated = facts.restart_mode in ("async", "dedicated_multifile")
    return Plan(
        cells=facts.cells,
        steps=facts.steps,
        compute_ranks=int(facts.compute_ranks),
        streams=(stream,) if outputs > 0 else (),
        checkpoints=Checkpoints(
            facts.restart_mode, max(1, int(facts.restart_ranks)) if dedicated else 0,
            facts.checkpoint_bytes, checkpoints, each,
        ),
        mode="async" if io_ranks > 0 else "serial",
        io_ranks=io_ranks,
        slots=1,
        by_steps=True,
        nodes=max(1, int(facts.nodes)),
        ranks_per_node=max(1, int(facts.ranks_per_node)),
    )  # fmt: skip


def _times(steps: float, number: int, stream: Stream) -> Iterator[tuple[float, int, int]]:
    for index in range(stream.due(steps)):
        yield min(steps, stream.step_of(index)), number, index


def _check_stream(stream: Stream, where: str) -> None:
    _at_least(where + "size_bytes", stream.size_bytes, 0)
    _at_least(where + "outputs", stream.outputs, 0)
    _at_least(where + "first_step", stream.first_step, 0)
    _at_least(where + "partitions", stream.partitions, 1)
    if not 0 < stream.interval_steps < math.inf:
        raise ThalwegError(f"plan: {where}interval_steps = {stream.interval_steps}; above 0 wanted")


def _one_of(name: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ThalwegError(
            f"plan: {name} '{given}' does not exist; choose one of: {', '.join(known)}."
            + did_you_mean(given, known)
        )


def _at_least(name: str, given: float, least: int) -> None:
    if not least <= given < math.inf:
        raise ThalwegError(f"plan: {name} = {given}; it must be finite and at least {least}")
