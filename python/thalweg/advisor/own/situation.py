# SPDX-License-Identifier: Apache-2.0
"""What is given of a run of ours before anything is chosen, and what can be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from thalweg.advisor.icon_meshes import Mesh, mesh_of_name
from thalweg.advisor.own.equations import Work, work_of
from thalweg.advisor.own.time_steps import steps_of
from thalweg.advisor.own_experiment import OwnAnswer
from thalweg.advisor.own_times import own_schedule
from thalweg.config.experiment import Experiment
from thalweg.config.setting_values import SettingValues
from thalweg.run.native_lists import Entry, of_kind, whole_grids_only


@dataclass(frozen=True)
class OwnSeries:
    """A stream. bytes_once: of a file beside its outputs: the mesh."""

    output: SettingValues
    outputs: int
    values: int
    variables: int
    bytes_per_output: int
    bytes_once: int
    duration_s: float
    _files: dict[int, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.output.text("name")

    def files(self, partitions: int) -> int:
        """Of all partitions, each file of a team counted once."""
        if partitions not in self._files:
            values = {**self.output.values, "partitions": partitions}
            schedule = own_schedule(SettingValues(self.output.table, values), self.duration_s)
            self._files[partitions] = sum(schedule.files.values())
        return self._files[partitions]


@dataclass(frozen=True)
class OwnChoice:
    """partitions: of each stream."""

    mode: str
    io_ranks: int = 0
    partitions: tuple[int, ...] = ()
    restart_mode: str = "none"
    restart_ranks: int = 0

    @property
    def ranks(self) -> int:
        return self.io_ranks + self.restart_ranks

    def __str__(self) -> str:
        output = self.mode + (f", {self.io_ranks} I/O" if self.io_ranks else "")
        parts = max(self.partitions, default=1)
        output += f", {parts} partitions" if parts > 1 else ""
        restart = f" {self.restart_ranks}" if self.restart_ranks else ""
        none = self.restart_mode == "none"
        return output if none else f"{output}; restart {self.restart_mode}{restart}"


@dataclass(frozen=True)
class OwnSituation:
    """state_values: of a checkpoint, 8 bytes each.

    budget_bytes   of outputs that wait for an I/O rank; 0: two of each partition
    shared    do I/O ranks read memory of compute ranks of their node?
    """

    experiment: Experiment
    mesh: Mesh
    cells: int
    levels: int
    work: Work
    steps: int
    simulated_s: float
    series: tuple[OwnSeries, ...]
    sets: int
    state_values: int
    budget_bytes: int
    shared: bool
    chosen: OwnChoice
    ranks: int

    @property
    def outputs(self) -> int:
        return sum(each.outputs for each in self.series)

    @property
    def divisible(self) -> bool:
        """May several writers have files of their own?"""
        undivided = whole_grids_only()
        return not any(each.output.text("container") in undivided for each in self.series)


def own_situation(experiment: Experiment, answer: OwnAnswer) -> OwnSituation:
    """answer: of find_own_streams() on the same experiment."""
    mesh = mesh_of_name(experiment.text("grid", "name"), limited=False)
    assert mesh is not None
    duration_s = experiment.number("time", "duration")
    found = zip(experiment.outputs, answer.streams, strict=True)
    series = tuple(
        OwnSeries(output, stream.outputs, stream.values_per_output, len(stream.variables),
                  stream.bytes_per_output,
                  stream.bytes_once_per_file, duration_s)
        for output, stream in found
    )  # fmt: skip
    sets = answer.checkpoints
    return OwnSituation(
        experiment, mesh, mesh.cells, experiment.integer("model", "levels"), work_of(experiment),
        steps_of(experiment), duration_s, series,
        sets.sets if sets else 0, sets.values_per_set if sets else 0,
        experiment.integer("io", "budget") << 20,
        experiment.text("io", "transport") in ("auto", "shared_memory"),
        chosen_of(experiment), experiment.integer("machine", "ranks"),
    )  # fmt: skip


def chosen_of(experiment: Experiment) -> OwnChoice:
    """What it has; numbers that its modes ignore are 0."""
    mode, restart = experiment.text("io", "mode"), experiment.text("restart", "mode")
    io_ranks = experiment.integer("io", "ranks") if asks(mode_entry("output mode", mode)) else 0
    entry = None if restart == "none" else mode_entry("restart mode", restart)
    restart_ranks = experiment.integer("restart", "ranks") if entry and asks(entry) else 0
    partitions = tuple(each.integer("partitions") for each in experiment.outputs)
    return OwnChoice(mode, io_ranks, partitions, restart, restart_ranks)


def mode_entry(kind: str, name: str) -> Entry:
    """Of the list that the model tells: native_lists.py."""
    return next(each for each in of_kind(kind) if each["name"] == name)


def asks(entry: Entry) -> bool:
    """Does the mode have ranks of its own, or may it?"""
    return entry["ranks"] != "none"


def has_no_time_in_form(situation: OwnSituation) -> Iterator[str]:
    """What takes time that no parameter of a machine tells."""
    for each in situation.series:
        container, packed = each.output.text("container"), each.output.text("compression")
        if packed != "none" or container in ("grib2", "zarr"):
            what = f"compression = {packed}" if packed != "none" else f"container = {container}"
            yield (
                f"stream '{each.name}': {what}: the time of packing is not in the prediction, and "
                "bytes are those before it; 'thalweg tune' tells what a run makes of it"
            )
    if situation.experiment.text("io", "way") == "mpiio":
        yield 'way = "mpiio": files are taken to be written as by way = "direct"'
