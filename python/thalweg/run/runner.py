# SPDX-License-Identifier: Apache-2.0
"""`thalweg run`: checks an experiment, runs it, and leaves a run directory that tells the story."""

from __future__ import annotations

import contextlib
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.timing import Timing
from thalweg.interrupts import INTERRUPTED_CODE, signals_as_interrupt
from thalweg.run.directory import RunPlace, default_directory
from thalweg.run.launch import MODEL_TARGETS, check_with_model, model_command, mpirun_command
from thalweg.run.limits import find_limit
from thalweg.run.machine import describe_commit, describe_machine, describe_versions
from thalweg.run.metrics import measure
from thalweg.run.mpi_io import describe_mpi_io, layer_environment
from thalweg.run.process import ModelProcess
from thalweg.run.progress import RunProgress
from thalweg.run.ranks_left import await_locks
from thalweg.run.record import RunRecord


@dataclass
class RunRequest:
    """What to run. ranks 0 = as [machine] says. target: of the model's kernels; "" = that of the
    run that it goes on with, or simd.
    """

    experiment: Path
    ranks: int = 0
    overrides: Sequence[str] = ()
    directory: Path | None = None
    overwrite: bool = False
    quiet: bool = False
    goes_on: bool = False  # from the newest checkpoint of the run in `directory`
    target: str = ""


@dataclass
class _Story:
    """What the model told while it ran."""

    start: dict[str, Any] = field(default_factory=dict)
    diagnostics: dict[str, Any] = field(default_factory=dict)
    output: str = ""  # mode and transport in force
    outputs: int = 0
    bytes_put: int = 0
    notes: list[str] = field(default_factory=list)


def run_case(request: RunRequest) -> RunDirectory:
    """Runs to the end. Raises a sentence; a run that started and failed keeps its directory."""
    overrides = list(request.overrides)
    if request.ranks:
        overrides.append(f"machine.ranks={request.ranks}")
    if request.goes_on:
        if request.directory is None or request.overwrite:
            raise ThalwegError(
                "--continue needs the run's directory, --out DIR, and no --overwrite"
            )
        overrides.append(f"restart.read={request.directory.resolve()}")
    experiment = Experiment.read(request.experiment, overrides)
    ranks = experiment.integer("machine", "ranks")
    path = request.directory or default_directory(experiment)
    place = RunPlace(path, request.overwrite, request.goes_on)
    try:
        place.check()
        check_experiment(experiment, path, ranks)
        full_path = path.resolve()
        layer = experiment.text("machine", "mpi_io")
        target = request.target or target_before(path if request.goes_on else None)
        model = model_command(full_path / "experiment.toml", full_path, target)
        command = mpirun_command(ranks, model, layer)
        with signals_as_interrupt():
            run = place.make(experiment)
            _run(command, run, experiment, place, target, request.quiet)
    finally:
        place.leave()
    return run


def target_before(path: Path | None) -> str:
    """Of the run in `path`; the first of all where there is none, or it does not say."""
    with contextlib.suppress(ThalwegError):
        said = str(RunDirectory.open(path).summary().get("target")) if path else ""
        if said in MODEL_TARGETS:
            return said
    return MODEL_TARGETS[0]


def _run(
    command: list[str], run: RunDirectory, experiment: Experiment, place: RunPlace, target: str,
    quiet: bool,
) -> None:  # fmt: skip
    """From the first to the last word in run.json."""
    story = _Story()
    facts = {
        "mpirun": command,
        "target": target,
        "ranks": experiment.integer("machine", "ranks"),
        "machine": describe_machine(),
        "versions": describe_versions(),
        "commit": describe_commit(),
    }
    record = RunRecord(run, facts, place.lost)
    status, sentence = "failed", ""
    try:
        record.begin()
        _follow(command, experiment, run, story, place, quiet)
        _add_figures(record.content, run, experiment, story)
        status = "complete"
    except ThalwegError as error:
        sentence = error.sentence
        raise
    except KeyboardInterrupt:
        status = "interrupted"
        told = f"interrupted; what the run wrote is in '{run.path}'"
        raise ThalwegError(told, exit_code=INTERRUPTED_CODE) from None
    finally:
        # Before it began whoever holds a lock may be why the model refused.
        if status != "complete" and story.start and not await_locks(run, experiment):
            story.notes.append(_RANK_LEFT)
        record.content.update(outputs=story.outputs, bytes_put=story.bytes_put, notes=story.notes)
        record.content.update(output=story.output, start=story.start, diagnostics=story.diagnostics)
        with contextlib.suppress(ThalwegError):
            record.content["mpi_io"] = describe_mpi_io(run, experiment.text("machine", "mpi_io"))
        record.end(status, sentence)
        if status != "complete":
            place.give_back()


def check_experiment(experiment: Experiment, directory: Path, ranks: int) -> None:
    """The model's own check, on a copy with every `--set` applied, under the user's file name."""
    with tempfile.TemporaryDirectory(prefix="thalweg-check-") as folder:
        copy = Path(folder) / experiment.path.name
        try:
            copy.write_text(experiment.to_toml(), encoding="utf-8")
        except OSError as error:
            raise ThalwegError(f"'{copy}' cannot be written: {error.strerror}") from error
        try:
            check_with_model(copy, directory, ranks)
        except ThalwegError as error:
            sentence = error.sentence.replace(str(copy), experiment.path.name)
            named = re.match(r"\[+(\w+)\]+: (\w+)", sentence)  # a table without its file
            if named:
                overridden = (named[1], named[2]) in experiment.overridden
                sentence = f"{'--set' if overridden else experiment.path.name} {sentence}"
            raise ThalwegError(sentence, error.exit_code) from None


# A rank that never starts leaves all others waiting within MPI, where nobody can give up.
_SLOW_START_S = 60.0
_SLOW_START = (
    f"the model has not begun after {_SLOW_START_S:g} s: perhaps a rank has not started, or the "
    "grid is large; Ctrl-C ends it"
)


_NOTHING_LEFT = (
    "the run was complete already: its figures are now those of this continuation, which had "
    "nothing to compute; for more give a longer [time] duration"
)
_FILES_LEFT = "nothing was left to compute: this continuation completes the files"
_RANK_LEFT = (
    "rank 0 had not ended on its node when this was written: what it wrote since is not listed"
)


def _follow(
    command: list[str],
    experiment: Experiment,
    run: RunDirectory,
    story: _Story,
    place: RunPlace,
    quiet: bool,
) -> None:
    assert place.lock is not None
    extra = layer_environment(experiment.text("io", "way"))
    with (
        ModelProcess(command, run.log_path, extra, [place.lock.descriptor]) as process,
        RunProgress(run.path.name, quiet) as display,
    ):
        doubts = [f"warning: {each}" for each in experiment.doubts()]
        for note in [*([place.lock.note] if place.lock.note else []), *place.notes, *doubts]:
            _take({"note": note}, story, display)
        begun_s, waits = time.monotonic(), True
        for message in process.messages():
            if "start" in message:
                place.has_begun()
                waits = False
            _take(message, story, display)
            if "start" in message and _begin_s(story) >= experiment.number("time", "duration"):
                note = _NOTHING_LEFT if place.was_complete else _FILES_LEFT
                _take({"note": note}, story, display)
            if waits and time.monotonic() - begun_s > _SLOW_START_S:
                waits = False
                _take({"note": _SLOW_START}, story, display)
        failure = process.failure()
    if failure:
        raise failure


def _begin_s(story: _Story) -> float:
    """> 0: continued from a checkpoint."""
    return float(story.start.get("begin_s", 0.0))


def _take(message: dict[str, Any], story: _Story, display: RunProgress) -> None:
    if "start" in message:
        story.start = message["start"]
    if "diagnostics" in message:
        story.diagnostics = message["diagnostics"]
    if "output" in message:
        story.output = str(message["output"])
    if "bytes_put" in message:
        story.bytes_put = int(message["bytes_put"])
    if "note" in message:
        story.notes.append(str(message["note"]))
        display.note(str(message["note"]))
    if "progress" in message:
        progress = message["progress"]
        story.outputs = int(progress["outputs"])
        display.update(float(progress["time_s"]), float(progress["end_s"]), story.outputs)


def _add_figures(
    summary: dict[str, Any], run: RunDirectory, experiment: Experiment, story: _Story
) -> None:
    timing = Timing.read(run.timing_path)
    files, size_bytes = run.written()
    begin_s = _begin_s(story)
    simulated_s = experiment.number("time", "duration") - begin_s
    if begin_s > 0.0:  # files hold what the runs before wrote, too
        size_bytes = story.bytes_put
    summary["metrics"] = measure(timing, simulated_s, size_bytes, files)
    summary["limited_by"] = find_limit(timing, summary["machine"]["cores"]).sentence
