# SPDX-License-Identifier: Apache-2.0
"""The closed form: total time of a run of ours from rates of a machine (docs/propose-own.md).

total   = startup + max((workers^p + output^p + restart^p)^(1/p), storage)
workers = model + blocked + delay + stall + tail
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thalweg.advisor.own import work
from thalweg.advisor.own.lanes import MODES, VALUE_BYTES, Lanes, lanes_of
from thalweg.advisor.own.rates import Draws, Rates
from thalweg.advisor.own.situation import OwnChoice, OwnSituation
from thalweg.advisor.shapes import Nodes
from thalweg.errors import ThalwegError

_FILES_OF_A_SET = 1  # its manifest, beside its parts
_MOST_SLOTS = 16  # slot_map.cpp
# Exponent of the smooth maximum, chosen: decision 0017 found 3.6 on a shared machine; here one
# output takes as long as another (decision 0019).
SHARPNESS = 6.0
STAGED = ("async", "dedicated_multifile")  # restart modes with ranks of their own
RESTART_MODES = ("none", "sync", "joint_multifile", *STAGED)


@dataclass(frozen=True)
class Services:
    """Seconds of a run, [draw] each.

    startup    before the first step: mesh, state, staging memory
    steps      time steps alone; model: with fields of outputs, copies and diagnostics
    blocked_output, blocked_restart   what compute ranks write or wait for in the middle of a step
    delay      what other ranks take from the cores of compute ranks
    stall      waiting where streams meet, and all slots of the most frequent one are full
    tail       after the last step until the last output and checkpoint are written
    output, restart   of the busiest I/O rank, of restart ranks
    storage    all bytes over what nodes or file system reach; 0 where no limit is known
    """

    startup: Draws
    steps: Draws
    model: Draws
    blocked_output: Draws
    blocked_restart: Draws
    delay: Draws
    stall: Draws
    tail: Draws
    output: Draws
    restart: Draws
    storage: Draws

    @property
    def workers(self) -> Draws:
        blocked = self.blocked_output + self.blocked_restart
        return self.model + blocked + self.delay + self.stall + self.tail

    @property
    def total(self) -> Draws:
        services = (self.workers, self.output, self.restart)
        longest = np.maximum.reduce(services)
        shares = sum((each / longest) ** SHARPNESS for each in services)
        together = longest * shares ** (1.0 / SHARPNESS)
        found: Draws = self.startup + np.maximum(together, self.storage)  # the same bytes again
        return found


class _Run:
    """One way on a machine: what several terms need."""

    def __init__(
        self, situation: OwnSituation, choice: OwnChoice, nodes: Nodes, rates: Rates,
        lanes: Lanes | None,
    ) -> None:  # fmt: skip
        self.situation, self.choice, self.nodes, self.rates = situation, choice, nodes, rates
        self.compute = nodes.ranks - choice.ranks
        self.lanes = lanes or lanes_of(situation, choice, self.compute)
        cores = rates.machine.cores_per_node
        self.on_node = self.compute / nodes.count  # compute ranks
        self.others_on_node = choice.ranks / nodes.count
        self.crowd = rates.crowd(self.compute, nodes.count)  # ranks that take turns on a core
        self.free_cores = max(0.0, cores - self.on_node)
        self.cores = cores
        self.cell, self.overhead = rates.of_step(self.compute, nodes.count)
        # Without exchanges nobody waits for the slowest: cores share all evenly.
        alone = min(self.compute, cores * nodes.count)
        self.cell_alone = rates.of_step(alone, nodes.count)[0]
        self.even = max(1.0, self.on_node / cores)
        self.ones = np.ones_like(self.cell)
        self.zeros = 0.0 * self.cell
        largest = max((each.values for each in situation.series), default=0)
        large = rates.factors["large"] ** work.size_of(largest)
        self.moving = self.cell_alone * rates.factors["moving"] * large
        self.around = self.cell * rates.factors["around"]
        self.file_s = rates.file_s * rates.factors["files"]

    def steps(self) -> Draws:
        given = self.situation
        stages = given.work.stages / work.CALIBRATED_STAGES
        points = given.cells * given.levels / self.compute
        cell = self.cell
        if given.work.computes:
            taking_turns = self.on_node > self.cores
            cell = self.rates.of_step(1, 1)[0]
            cell = cell * self.rates.factors["crowded"] if taking_turns else cell
        step = self.overhead * stages + cell * points * given.work.of_a_step * self.crowd
        factor = self.rates.factors["steps"]
        factor = factor[0] * (factor / factor[0]) ** given.work.doubt  # the first is the middle
        found: Draws = given.steps * step * factor
        return found

    def around_outputs(self) -> Draws:
        """Fields of outputs and their copies, diagnostics at each, the copy of the state."""
        given = self.situation
        values = sum(each.outputs * each.values for each in given.series)
        copy = work.COPY_STAGED if self.choice.io_ranks else work.COPY
        found = self.moving * values * (given.work.derive + copy)
        times = max((each.outputs for each in given.series), default=0)
        sums = given.work.diagnostics * given.cells * given.levels
        found = found + self.moving * (times + 2) * sums
        if self.choice.restart_mode in STAGED:
            found = found + self.moving * given.sets * given.state_values * work.COPY_STAGED
        waits = (times + given.sets) * self.overhead * self.rates.factors["moving"]
        result: Draws = found / self.compute * self.even + waits
        return result

    def startup(self) -> Draws:
        given = self.situation
        slots = slots_of(given, self.lanes) if self.choice.io_ranks else 1
        parts = zip(given.series, self.choice.partitions, strict=True)
        staged = slots * sum(each.values * count for each, count in parts)
        found = self.around * (given.work.init * given.cells + work.STAGE * staged) / self.compute
        opened: Draws = found * self.crowd + work.OPEN_S * self.rates.factors["around"]
        return opened

    def far_s(self, values: float) -> Draws:
        """Fetching values of compute ranks elsewhere; memory of the own node is read in place."""
        rate, nodes = self.rates.gather_bytes_per_s, self.nodes.count
        far = 1.0 - self.situation.shared / nodes
        if rate is None or not far or self.compute < 2:
            return self.zeros
        moved: Draws = (
            VALUE_BYTES * values * far / rate + self.rates.gather_latency_s
        ) * self.rates.factors["moving"]
        return moved

    def of_output(self, at: int, writers: int) -> tuple[Draws, Draws]:
        """An output of a stream by so many that write at a time: (moving, writing), whole output
        by one of them.
        """
        series = self.situation.series[at]
        move = self.moving * work.REORDER * series.values + self.far_s(series.values)
        return move, series.bytes_per_output / self.one_writer(writers)

    def one_writer(self, writers: int) -> Draws:
        """Bytes/s of one of so many."""
        used = min(self.nodes.count, writers)
        found: Draws = self.rates.writers(writers, used) / writers
        return found

    def of_file(self, at: int, writers: int) -> tuple[Draws, Draws]:
        """(describing it and computing its mesh, making and writing it), by each of a team."""
        series, team = self.situation.series[at], self.lanes.teams[at]
        described = work.FILE + work.VARIABLE * series.variables
        if self.choice.mode == "file_parallel" and team > 1:
            described *= 1.0 + work.INDEX
        points = described + work.MESH * self.situation.cells
        computing = self.cell_alone * self.rates.factors["files"] * points
        return computing, self.file_s + series.bytes_once / team / self.one_writer(writers)

    def writer_rows(self) -> tuple[Draws, Draws]:
        """Seconds of each distinct writer in all: (busy core, waiting for storage), [row, draw]."""
        streams = range(len(self.situation.series))
        active = self.lanes.active
        if not streams:
            return np.zeros((1, len(self.cell))), np.zeros((1, len(self.cell)))
        outputs = [self.of_output(at, active) for at in streams]
        files = [self.of_file(at, active) for at in streams]
        computing, writing = (
            self.lanes.outputs @ np.array([each[part] for each in outputs])
            + self.lanes.files @ np.array([each[part] for each in files])
            for part in (0, 1)
        )
        busy = computing + self.rates.write_cpu * writing
        return busy, (1.0 - self.rates.write_cpu) * writing

    def restart_set(self) -> tuple[Draws, Draws]:
        """One checkpoint by those that write it: (busy cores in all, seconds)."""
        given, mode = self.situation, self.choice.restart_mode
        size = given.state_values * VALUE_BYTES
        writers = {"sync": 1, "joint_multifile": self.compute}.get(mode, self.choice.restart_ranks)
        made = writers if mode.endswith("multifile") else 1
        used = min(self.nodes.count, writers)
        check = self.moving * work.CHECK * given.state_values
        write = size / self.rates.writers(writers, used)
        crowd = self.even if mode == "joint_multifile" else 1.0
        files = self.file_s * (made / writers + _FILES_OF_A_SET)
        fetch = self.zeros
        if mode == "sync":
            rate = self.rates.gather_bytes_per_s
            if rate is not None and self.compute > 1:
                fetch = size / rate * self.rates.factors["moving"]
        elif mode in STAGED:
            fetch = self.far_s(given.state_values) / writers
        busy = check + self.rates.write_cpu * write * writers
        return busy, check / writers * crowd + write + files + fetch


def services_of(
    situation: OwnSituation, choice: OwnChoice, nodes: Nodes, rates: Rates,
    lanes: Lanes | None = None,
) -> Services:  # fmt: skip
    """At least one rank computes. lanes: of the same way, where they are known already. Raises a
    sentence for a mode that is not in the form.
    """
    for mode, known in ((choice.mode, MODES), (choice.restart_mode, RESTART_MODES)):
        if mode not in known:
            raise ThalwegError(
                f"no prediction knows mode '{mode}' yet; it knows {', '.join(known)}"
            )
    run = _Run(situation, choice, nodes, rates, lanes)
    steps, zeros = run.steps(), run.zeros
    model = steps + run.around_outputs()
    busy, waiting = run.writer_rows()
    crowd = 1.0 if choice.io_ranks else max(1.0, run.lanes.active / nodes.count / run.cores)
    writing = (busy * crowd + waiting).max(axis=0)
    blocked_output = output = restart = blocked_restart = tail = zeros
    busy_beside = zeros
    if choice.io_ranks:
        output = writing
        tail = _last_outputs(run)
        busy_beside = run.lanes.alike @ busy
    else:
        blocked_output = writing
    if situation.sets and choice.restart_mode != "none":
        set_busy, set_s = run.restart_set()
        if choice.restart_mode in STAGED:
            restart = situation.sets * set_s
            tail = np.maximum(tail, set_s)
            busy_beside = busy_beside + situation.sets * set_busy
        else:
            blocked_restart = situation.sets * set_s
    delay = _delay(run, model + blocked_output + blocked_restart, busy_beside)
    stall = _stall(run, model)
    storage = _storage(run)
    return Services(
        run.startup(), steps, model, blocked_output, blocked_restart, delay, stall, tail, output,
        restart, storage,
    )  # fmt: skip


@dataclass(frozen=True)
class EventTimes:
    """Seconds of single events, in the middle of the draws.

    step_s      a step of compute ranks, with its share of fields of outputs and of what other
                ranks take from their cores
    output_s    an output of each stream on one writer; file_s: its share of making files
    set_s       a checkpoint; slots: outputs of a partition that may be under way
    """

    startup_s: float
    step_s: float
    output_s: tuple[float, ...]
    file_s: tuple[float, ...]
    set_s: float
    slots: int


def event_times(
    situation: OwnSituation, choice: OwnChoice, nodes: Nodes, rates: Rates
) -> EventTimes:  # fmt: skip
    run = _Run(situation, choice, nodes, rates, None)
    services = services_of(situation, choice, nodes, rates, run.lanes)
    active = run.lanes.active
    outputs, files_s, files = [], [], []
    for at, (series, made) in enumerate(zip(situation.series, run.lanes.files_in_all, strict=True)):
        outputs.append(_first(run.of_output(at, active)))
        files_s.append(_first(run.of_file(at, active)))
        team = run.lanes.teams[at]  # a file of each, and one that shows them as one
        own = team + 1 if choice.mode == "file_parallel" and team > 1 else 1
        files.append(files_s[at] * float(made) / own / max(1, series.outputs))
    if not choice.io_ranks:  # as compute ranks that share cores write
        rows = run.lanes.outputs @ np.array(outputs) + run.lanes.files @ np.array(files_s)
        longer = float(services.blocked_output[0]) / max(float(rows.max(initial=0.0)), 1e-300)
        outputs, files = [longer * s for s in outputs], [longer * s for s in files]
    working = services.model + services.delay
    sets = situation.sets and choice.restart_mode != "none"
    return EventTimes(
        float(services.startup[0]), float(working[0]) / situation.steps, tuple(outputs),
        tuple(files), float(run.restart_set()[1][0]) if sets else 0.0,
        slots_of(situation, run.lanes) if choice.io_ranks else 1,
    )  # fmt: skip


def _first(parts: tuple[Draws, Draws]) -> float:
    return float(parts[0][0] + parts[1][0])


def _delay(run: _Run, working: Draws, busy: Draws) -> Draws:
    """Where ranks beside those that compute find no free core. Their work first fills free ones;
    the rest stands on cores of compute ranks, which wait for the slowest of them at each exchange:
    by 1/cores of it if the system shared all evenly, by all of it if one rank bore it. A rank that
    waits yields, and takes nothing.
    """
    if run.on_node + run.others_on_node <= run.cores:
        return run.zeros
    per_node = busy / run.nodes.count
    excess = np.maximum(0.0, per_node - run.free_cores * working)
    even = 1.0 / run.cores
    found: Draws = excess * (even + (1.0 - even) * run.rates.sharing) * run.rates.factors["beside"]
    return found


def _meetings(run: _Run) -> tuple[Draws, list[list[int]]]:
    """Of each distinct writer: how long an output of each of its streams takes it, all of them one
    after the other, [row, draw]; and which streams these are.
    """
    active = run.lanes.active
    present = run.lanes.outputs > 0.0
    one = [
        sum(run.of_output(at, active)) / team if series.outputs else run.zeros
        for at, (team, series) in enumerate(zip(run.lanes.teams, run.situation.series, strict=True))
    ]
    if not one:
        return np.zeros((1, len(run.cell))), [[]]
    return present @ np.array(one), [[int(at) for at in np.flatnonzero(row)] for row in present]


def slots_of(situation: OwnSituation, lanes: Lanes) -> int:
    """Outputs of a partition that wait for their I/O rank: slots_per_lane() of slot_map.cpp."""
    if not situation.budget_bytes:
        return 2
    return max(1, min(_MOST_SLOTS, situation.budget_bytes // max(1, lanes.fullest_bytes)))


def _last_outputs(run: _Run) -> Draws:
    """Of the busiest I/O rank: nothing hides the outputs at the end of the run."""
    found: Draws = _meetings(run)[0].max(axis=0)
    return found


def _stall(run: _Run, model: Draws) -> Draws:
    """Streams meet, and an I/O rank is busy with all: the most frequent one has `slots` outputs of
    each partition to wait in, and compute ranks wait for what lasts longer.
    """
    longest = run.zeros
    if not run.choice.io_ranks:
        return longest
    for meeting, streams in zip(*_meetings(run), strict=True):
        counts = {at: run.situation.series[at].outputs for at in streams}
        frequent = [at for at in streams if counts[at] > 1]
        if len(frequent) < 2:
            continue
        most = max(frequent, key=lambda at: counts[at])
        rare = min(counts[at] for at in frequent)
        if counts[most] == rare:
            continue
        slots = slots_of(run.situation, run.lanes) * run.choice.partitions[most]
        room = slots * model / counts[most]
        longest = np.maximum(longest, rare * np.maximum(0.0, meeting - room))
    return longest


def _storage(run: _Run) -> Draws:
    limit = run.rates.limit(run.nodes.count)
    if limit is None:
        return run.zeros
    given = run.situation
    size = sum(each.outputs * each.bytes_per_output for each in given.series)
    size += sum(n * s.bytes_once for n, s in zip(run.lanes.files_in_all, given.series, strict=True))
    size += given.sets * given.state_values * VALUE_BYTES
    found: Draws = size / limit * run.rates.factors["writing"]
    return found
