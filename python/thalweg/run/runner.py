# SPDX-License-Identifier: Apache-2.0
"""`thalweg run`: checks an experiment, runs it, and leaves a run directory that tells the story."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg.config.errors import ThalwegError
from thalweg.config.experiment import Experiment
from thalweg.files.run_directory import RunDirectory
from thalweg.files.timing import Timing
from thalweg.run.directory import check_target, create_directory, default_directory
from thalweg.run.launch import check_with_model, model_command, mpirun_command
from thalweg.run.limits import find_limit
from thalweg.run.machine import describe_commit, describe_machine, describe_versions
from thalweg.run.metrics import measure
from thalweg.run.mpi_io import describe_mpi_io, layer_environment
from thalweg.run.process import ModelProcess
from thalweg.run.progress import ProgressDisplay

INTERRUPTED_CODE = 130  # as shells report Ctrl-C


@dataclass
class RunRequest:
    """What to run. ranks 0 = as [machine] says."""

    experiment: Path
    ranks: int = 0
    overrides: Sequence[str] = ()
    directory: Path | None = None
    overwrite: bool = False
    quiet: bool = False


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
    experiment = Experiment.read(request.experiment, overrides)
    ranks = experiment.integer("machine", "ranks")
    path = request.directory or default_directory(experiment)
    check_target(path, request.overwrite)
    check_experiment(experiment, ranks)
    full_path = path.resolve()
    layer = experiment.text("machine", "mpi_io")
    model = model_command(full_path / "experiment.toml", full_path)
    command = mpirun_command(ranks, model, layer)
    run = create_directory(path, experiment, request.overwrite)
    began_s, story = time.time(), _Story()
    summary: dict[str, Any] = {
        "status": "failed",
        "command": sys.argv,
        "mpirun": command,
        "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began_s)),
        "ranks": ranks,
        "machine": describe_machine(),
        "versions": describe_versions(),
        "commit": describe_commit(),
    }
    try:
        extra = layer_environment(experiment.text("io", "way"))
        _follow(command, extra, run, story, request.quiet)
        summary["status"] = "complete"
        _add_figures(summary, run, experiment, story)
    except ThalwegError as error:
        summary["error"] = error.sentence
        raise
    except KeyboardInterrupt:
        summary["status"] = "interrupted"
        sentence = f"interrupted; what the run wrote is in '{path}'"
        raise ThalwegError(sentence, exit_code=INTERRUPTED_CODE) from None
    finally:
        summary["wall_s"] = round(time.time() - began_s, 3)
        summary.update(outputs=story.outputs, bytes_put=story.bytes_put, notes=story.notes)
        summary.update(output=story.output, start=story.start, diagnostics=story.diagnostics)
        with contextlib.suppress(ThalwegError):
            summary["mpi_io"] = describe_mpi_io(run, layer)
        with contextlib.suppress(OSError):  # the directory may be the very thing that failed
            text = json.dumps(summary, indent=1, ensure_ascii=False)
            run.summary_path.write_text(text + "\n", encoding="utf-8")
    return run


def check_experiment(experiment: Experiment, ranks: int) -> None:
    """The model's own check, on a copy with every `--set` applied, under the user's file name."""
    with tempfile.TemporaryDirectory(prefix="thalweg-check-") as folder:
        copy = Path(folder) / experiment.path.name
        copy.write_text(experiment.to_toml(), encoding="utf-8")
        try:
            check_with_model(copy, ranks)
        except ThalwegError as error:
            sentence = error.sentence.replace(str(copy), experiment.path.name)
            if sentence.startswith("["):  # a table without its file
                sentence = f"{experiment.path.name} {sentence}"
            raise ThalwegError(sentence, error.exit_code) from None


def _follow(
    command: list[str], extra: dict[str, str], run: RunDirectory, story: _Story, quiet: bool
) -> None:
    with (
        _terminate_as_interrupt(),
        ModelProcess(command, run.log_path, extra) as process,
        ProgressDisplay(run.path.name, quiet) as display,
    ):
        for message in process.messages():
            _take(message, story, display)
        failure = process.failure()
    if failure:
        raise failure


def _take(message: dict[str, Any], story: _Story, display: ProgressDisplay) -> None:
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
    begin_s = float(story.start.get("begin_s", 0.0))  # > 0: continued from a checkpoint
    simulated_s = experiment.number("time", "duration") - begin_s
    summary["metrics"] = measure(timing, simulated_s, size_bytes, files)
    summary["limited_by"] = find_limit(timing, summary["machine"]["cores"]).sentence


@contextlib.contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """A batch system's SIGTERM ends a run as cleanly as Ctrl-C."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
