# SPDX-License-Identifier: Apache-2.0
"""`thalweg calibrate`: rounds of steps, messages and files until the time is over."""

from __future__ import annotations

import datetime
import json
import os
import platform
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from thalweg.calibrate.machine_file import Fact, Figure, Machine, NotSeparated
from thalweg.calibrate.machine_file import write_machine as write_file
from thalweg.calibrate.native_times import NativeTimer
from thalweg.calibrate.page import print_machine
from thalweg.calibrate.parameters import parameters_of
from thalweg.calibrate.place import describe_file_system, folder_in
from thalweg.calibrate.rounds import Allotment, Pacing, measure_rounds
from thalweg.calibrate.step_times import StepTimer
from thalweg.config.checkout import program
from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target
from thalweg.interrupts import INTERRUPTED_CODE, signals_as_interrupt
from thalweg.run.machine import (
    busy_note,
    describe_commit,
    describe_machine,
    describe_versions,
)
from thalweg.run.progress import ProgressDisplay

_PROGRAMS = ("thalweg_mini", "thalweg_calibrate_bench")
# A file of each team is written and read twice in a repetition, of which there are to be about 30.
_FILES_IN_ALL_TIME, _LEAST_FILE_S, _MOST_FILE_S = 600, 0.02, 0.5
_BUSY_LOAD = 0.25  # of others, a core, before we begin


@dataclass(frozen=True)
class CalibrateRequest:
    """ranks 0: as many as the batch system or this machine gives. quiet: nothing is printed."""

    directory: Path
    out: Path
    ranks: int = 0
    minutes: float = 3.0
    overwrite: bool = False
    as_json: bool = False
    quiet: bool = False
    pacing: Pacing = field(default_factory=Pacing)


def calibrate(request: CalibrateRequest) -> None:
    """Leaves the file and nothing else."""
    refuse_target(request.out, request.overwrite)
    try:
        with signals_as_interrupt(), folder_in(request.directory) as folder:
            for name in _PROGRAMS:
                program(name)  # building it is no part of the time
            try:
                machine = _Calibration(request, folder).machine()
            except ThalwegError as error:  # that folder is gone by then
                sentence = error.sentence.replace(str(folder / "files"), str(request.directory))
                raise ThalwegError(sentence, error.exit_code) from error
        write_file(machine, request.out)
    except KeyboardInterrupt:
        raise ThalwegError("interrupted; nothing is left behind", INTERRUPTED_CODE) from None
    if request.quiet:
        return
    if request.as_json:
        content = machine.content()
        print(
            json.dumps(content, indent=1, ensure_ascii=False, default=lambda day: day.isoformat())
        )
    else:
        print_machine(machine)
        print(f"written to {request.out}")


def name_here() -> str:
    """Of this machine: nodes of a cluster have one."""
    return os.environ.get("SLURM_CLUSTER_NAME") or platform.node()


def versions_here() -> dict[str, str]:
    return {**describe_versions(), "commit": describe_commit() or "unknown"}


class _Calibration:
    def __init__(self, request: CalibrateRequest, folder: Path) -> None:
        self._request = request
        self._ranks = request.ranks or _ranks_here()
        self._allotment = Allotment.from_now(request.minutes)
        files, runs = folder / "files", folder / "runs"
        files.mkdir()
        runs.mkdir()
        self._runs = runs
        file_s = min(max(request.minutes / _FILES_IN_ALL_TIME * 60.0, _LEAST_FILE_S), _MOST_FILE_S)
        self._native = NativeTimer(files, self._ranks, file_s)
        self._load = round(os.getloadavg()[0], 1)

    def machine(self) -> Machine:
        with ProgressDisplay("calibrate") as display:
            self._display = display
            if note := busy_note(self._load, _BUSY_LOAD):
                display.note(note)
            tried_s = self._request.pacing.tried_s
            self._native.measure(tried_s, 0, partial(self._show, "trying out"))
            self._native.series.clear()
            self._steps = StepTimer(self._runs, self._rank_counts())
            for kind in self._steps.kinds:
                self._show("trying out")
                self._steps.try_out(kind)
            rounds = measure_rounds(
                self._steps, self._native, self._allotment, self._request.pacing.paces, self._show
            )
        layout = self._native.layout
        for kind in self._steps.kinds:
            kind.series.facts["nodes"] = self._nodes_of(kind.series.ranks)
        series = [kind.series for kind in self._steps.kinds] + self._native.series
        found = parameters_of(series, self._ranks, layout["nodes"])
        return Machine(
            name=name_here(),
            date=datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0),
            nodes=layout["nodes"],
            ranks=self._ranks,
            cores_per_node=layout["cores_per_node"],
            versions=versions_here(),
            how=self._how(rounds),
            parameters=[each for each in found if isinstance(each, Figure)],
            measured=[each.figure() for each in series],
            not_separated=[each for each in found if isinstance(each, NotSeparated)],
        )

    def _rank_counts(self) -> list[int]:
        few = int(self._native.layout["few_ranks"])
        return sorted({1, few, self._ranks})  # one alone has caches and memory for itself

    def _nodes_of(self, ranks: int) -> int:
        return int(self._native.layout["nodes"]) if ranks == self._ranks else 1

    def _how(self, rounds: int) -> dict[str, Fact]:
        facts = describe_machine()
        directory = self._request.directory
        return {
            "command": " ".join(["thalweg", *sys.argv[1:]]),
            "directory": str(directory.resolve()),
            "file_system": describe_file_system(directory),
            "way": self._native.layout["way"],
            "rounds": rounds,
            "load_before": self._load,
            "seconds": round(self._allotment.used_s(), 1),
            "host": facts["host"],
            "cpu": facts["cpu"],
            "kernel": facts["kernel"],
        }

    def _show(self, state: str) -> None:
        share = self._allotment.used_s() / max(60.0 * self._request.minutes, 1.0)
        self._display.show(min(share, 1.0), state)


def _ranks_here() -> int:
    """All that the batch system gives, or the cores of this machine."""
    told = os.environ.get("SLURM_NTASKS", "")
    return int(told) if told.isdecimal() and int(told) > 0 else len(os.sched_getaffinity(0))
