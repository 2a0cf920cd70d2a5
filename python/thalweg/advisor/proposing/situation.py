# SPDX-License-Identifier: Apache-2.0
"""What is given before anything is chosen: the run, its streams and restarts, and the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from thalweg.advisor.icon_process_rules import MOST_IO_PROCESSES
from thalweg.advisor.icon_restart import Processes, Restart
from thalweg.advisor.icon_run import IconRun
from thalweg.advisor.icon_stream import Stream
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.icon_times import Steps
from thalweg.advisor.proposing.meetings import Outputs, outputs_of
from thalweg.advisor.shapes import Nodes
from thalweg.errors import ThalwegError
from thalweg.shell.unresolved import has_unresolved

# ICON's words for its restart modes -> those of predictions.
RESTART_MODES = {
    "sync": "sync",
    "async": "async",
    "joint procs multifile": "joint_multifile",
    "dedicated procs multifile": "dedicated_multifile",
}

_SHARE_TOLD = 0.1  # of all values that the run writes
_SOME_OUTPUTS = 2_000


@dataclass(frozen=True)
class Series:
    """A stream. values: of one output. most_partitions: 1 where ICON refuses more.

    item       streams with the same have one number of partitions: one output_nml on several
               domains
    steps      before each output; (): outputs are spread evenly over the run
    placement  I/O rank of each partition that the script has, -1 where ICON chooses; (): of all
    """

    name: str
    outputs: int
    values: int
    most_partitions: int
    item: tuple[int, str]
    placement: tuple[int, ...] = ()
    steps: Steps = field(default_factory=lambda: np.empty(0, np.int64), compare=False)

    def at_steps(self, last: int) -> Steps:
        """Steps before each output, of a run of `last` steps."""
        if len(self.steps):
            return self.steps
        return np.linspace(0, last, max(1, self.outputs)).round().astype(np.int64)[: self.outputs]

    def load(self, more: float = 0.0) -> float:
        """In values; more: as long as so many takes what each output costs beside its own."""
        return self.outputs * (self.values + more)


@dataclass(frozen=True)
class Choice:
    """What may be chosen. restart_mode: of RESTART_MODES, "none" without restarts."""

    io_ranks: int
    restart_mode: str = "none"
    restart_ranks: int = 0

    def __str__(self) -> str:
        restart = self.restart_mode.replace("_", " ")
        number = f" with {self.restart_ranks}" if self.restart_ranks else ""
        return f"{self.io_ranks} I/O ranks, restart {restart}{number}"

    @property
    def ranks(self) -> int:
        return self.io_ranks + self.restart_ranks


@dataclass(frozen=True)
class Situation:
    """cells: of all domains, those of nests by their work in the first one's (_cells)."""

    cells: int
    levels: int
    steps: int
    simulated_s: float
    series: tuple[Series, ...]
    sets: int
    bytes_per_set: int
    chosen: Choice | None
    partitions: tuple[int, ...]  # of each stream, as the script has them
    notes: tuple[str, ...] = ()
    set_aside: int = 0  # ranks that neither compute nor write
    moved_bytes: int = 4  # of a value that goes to an I/O rank
    stored_bytes: tuple[int, ...] = ()  # of a value in files, where that is known

    def compute_ranks(self, nodes: Nodes, choice: Choice) -> int:
        return nodes.ranks - choice.ranks - self.set_aside

    @cached_property
    def outputs(self) -> int:
        return sum(each.outputs for each in self.series)

    @cached_property
    def in_order(self) -> Outputs:
        """Its outputs one after the other."""
        return outputs_of([each.at_steps(self.steps) for each in self.series], self.steps)

    @cached_property
    def some_in_order(self) -> Outputs:
        """Pieces of them, where many ways are looked at quickly."""
        at_steps = [each.at_steps(self.steps) for each in self.series]
        return outputs_of(at_steps, self.steps, _SOME_OUTPUTS)

    @cached_property
    def values_per_output(self) -> float:
        return sum(each.load() for each in self.series) / self.outputs if self.outputs else 0.0


def situation_of(answer: Answer, sizes_matter: bool = True) -> Situation:
    """Of an ICON script. Raises a sentence for what must be given; sizes_matter: those of outputs
    and restart sets, too.
    """
    if len(answer.runs) != 1:
        raise ThalwegError(
            f"the script runs {len(answer.runs)} atmospheres, and one is asked for; give the "
            "namelist of that one"
        )
    run, processes = answer.runs[0], answer.processes[0]
    restart, size = processes.restart, 0
    if sizes_matter:
        _refuse_unknown(answer.streams)
        size = _bytes_per_set(restart)
    steps = (run.end_ms - run.start_ms) // run.step_ms
    if steps < 1:
        raise ThalwegError("the run of the script has no time step")
    chosen, notes = _chosen(processes, answer.streams)
    return Situation(
        _cells(run), run.domains[0].levels, steps, (run.end_ms - run.start_ms) / 1000.0,
        tuple(_series(stream) for stream in answer.streams if stream.outputs),
        restart.sets, size, chosen,
        tuple(stream.partitions for stream in answer.streams if stream.outputs),
        (*notes, *_notes(run, processes, answer.other_models)),
        sum(processes.set_aside.values()),
        _moved_bytes(processes),
        tuple(sorted({stream.value_bytes for stream in answer.streams if stream.outputs})),
    )  # fmt: skip


def _moved_bytes(processes: Processes) -> int:
    """Of a value: ICON sets use_dp_mpi2io where lnetcdf_flt64_output is. 8 where they are open."""
    given = (
        processes.parallel.values["use_dp_mpi2io"],
        processes.restart.items.values["lnetcdf_flt64_output"],
    )
    return 8 if any(each not in (None, False) for each in given) else 4


def _cells(run: IconRun) -> int:
    """Of as much work as all domains are: each nest has half the time step of its parent, levels of
    its own, and a part of the run.
    """
    length, first = run.end_ms - run.start_ms, run.domains[0]
    work = 0.0
    for each in run.domains:
        end = length if each.end_ms is None else min(each.end_ms, length)
        there = max(0, end - each.begin_ms) / length if length else 1.0
        work += each.mesh.points("cell") * 2**each.depth * each.levels / first.levels * there
    return round(work)


def _notes(run: IconRun, processes: Processes, others: Sequence[str]) -> Iterator[str]:
    if len(run.domains) > 1:
        yield (
            "cells of nests count by their work: each with half the time step of its parent, its "
            "own levels, for the time that it is there"
        )
    if others:
        yield (
            f"the nodes are taken to be those of the atmosphere alone: {', '.join(others)} needs "
            "its own, and that one model waits for the other is not in the prediction"
        )
    if processes.set_aside:
        items = ", ".join(f"{name} {ranks}" for name, ranks in processes.set_aside.items())
        yield f"ranks that neither compute nor write are taken off those that compute: {items}"
    if processes.open_aside:
        yield (
            "ranks that neither compute nor write may be more than are taken off: "
            f"{', '.join(processes.open_aside)} is open"
        )
    if processes.parallel.integer("pio_type") not in (None, 1):
        yield "pio_type is not 1, and predictions are of ICON's own I/O ranks"


def kept_whole(streams: Sequence[Stream]) -> Iterator[str]:
    """Large streams that might have more than one partition, were it not for include_last."""
    held = {
        (each.group_number, each.level_type)
        for each in streams
        if each.has_last and each.outputs > 2 and not each.operation
    }
    least = _SHARE_TOLD * sum(each.outputs * each.values_per_output for each in streams)
    names = [
        each.name
        for each in streams
        if (each.group_number, each.level_type) in held
        and each.outputs * each.values_per_output >= least
    ]
    if names:
        yield (
            f"one partition each is proposed for {', '.join(names)}: with more ICON leaves out the "
            "last output (include_last), which falls on no interval; end the run, or the stream, "
            "on one, or set include_last to .FALSE., for more of them"
        )


def _series(stream: Stream) -> Series:
    most = 1 if stream.operation or stream.has_last else stream.outputs
    item = (stream.group_number, stream.level_type)
    return Series(
        stream.name, stream.outputs, stream.values_per_output, most, item, stream.placement,
        stream.at_steps,
    )  # fmt: skip


def _refuse_unknown(streams: Sequence[Stream]) -> None:
    for stream in streams:
        if stream.unknown_variables and not stream.size_is_given:
            raise ThalwegError(
                f"stream '{stream.name}' has variables of unknown size "
                f"({', '.join(stream.unknown_variables)}); give --sample FILE or "
                f"--bytes-per-output {stream.name}=BYTES"
            )


def _bytes_per_set(restart: Restart) -> int:
    if not restart.sets:
        return 0
    if restart.bytes_per_set is None:
        raise ThalwegError(
            f"the run writes {restart.sets} restart sets, and the namelists do not tell how large "
            "one is; give --bytes-per-restart BYTES (the size of one of an earlier run)"
        )
    return restart.bytes_per_set


def _chosen(processes: Processes, streams: Sequence[Stream]) -> tuple[Choice | None, list[str]]:
    """What the script has now; None where it leaves it open."""
    io_ranks = processes.parallel.integer("num_io_procs")
    restart_ranks = processes.parallel.integer("num_restart_procs")
    if io_ranks is None or restart_ranks is None:
        return None, ["what the script has now is open: it is not compared"]
    if io_ranks > MOST_IO_PROCESSES:
        return None, []  # a warning says so
    io_ranks, restart_ranks = max(0, io_ranks), max(0, restart_ranks)
    io_ranks = io_ranks if streams else 0
    if not processes.restart.sets:
        return Choice(io_ranks, "none", restart_ranks), []
    mode = RESTART_MODES.get(processes.restart.mode or "")
    if processes.restart.mode is None or has_unresolved(processes.restart.mode):
        return None, ["the restart mode that the script has now is open: it is not compared"]
    if mode is None:
        return None, [f"restart mode '{processes.restart.mode}' is not known: it is not compared"]
    needs = mode in ("async", "dedicated_multifile")
    if needs and not restart_ranks:
        return None, [f"restart mode '{mode}' has no restart processes: ICON refuses it"]
    return Choice(io_ranks, mode, restart_ranks if needs else 0), []
