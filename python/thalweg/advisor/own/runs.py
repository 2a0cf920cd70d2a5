# SPDX-License-Identifier: Apache-2.0
"""Runs of ours that exist: run directories, a sweep, a table of `logs import`, remembered ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from thalweg.advisor.own.learned import OwnRun
from thalweg.advisor.own.memory import read_memory, run_of
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.lab.results import Line, read_lines
from thalweg.lab.sweep_file import override_words

_DEPTH = 2  # of directories that are searched
_RESULTS = "RESULTS.jsonl"  # of a sweep: its directories hold the last repetition only


def read_own_runs(path: Path, nodes: int = 1) -> tuple[list[OwnRun], list[str]]:
    """Complete runs, and notes on what was passed over. nodes: that each of them had.

    path   a run directory, a directory of them (searched two levels deep), one with RESULTS.jsonl,
           a Parquet of `logs import` whose run directories are still there, or MACHINE.runs.jsonl
    """
    if not path.exists():
        raise ThalwegError(f"'{path}' does not exist; give a directory of runs")
    notes: list[str] = []
    if path.suffix.lower() == ".jsonl":
        found = read_memory(path)
    elif path.is_file():
        found = list(_of_table(path, nodes, notes))
    else:
        found = list(_of_directory(path, nodes, notes))
    if not found:
        why = f": {notes[0]}" if notes else ""
        raise ThalwegError(f"'{path}' has no complete run of the mini-model{why}")
    return found, notes


def _of_directory(
    path: Path, nodes: int, notes: list[str], depth: int = _DEPTH
) -> Iterator[OwnRun]:
    if RunDirectory(path).looks_like_a_run():
        yield from _of_run(path, nodes, notes)
    elif (path / _RESULTS).is_file():
        yield from _of_sweep(path, nodes, notes)
    elif depth:
        for each in sorted(path.iterdir()):
            if each.is_dir():
                yield from _of_directory(each, nodes, notes, depth - 1)


def _of_run(path: Path, nodes: int, notes: list[str]) -> Iterator[OwnRun]:
    run = RunDirectory.open(path)
    if not run.ended_well():
        notes.append(f"'{path}' is passed over: it did not end well")
        return
    summary = run.summary()
    started: Any = summary.get("start")
    if isinstance(started, dict) and started.get("begin_s"):
        notes.append(f"'{path}' is passed over: it went on from a checkpoint")
        return
    total_s = _run_time(summary.get("metrics"))
    if not total_s:
        notes.append(f"'{path}' is passed over: run.json has no run_time_s")
        return
    yield run_of(path.name, run.experiment(), nodes, total_s)


def _of_sweep(path: Path, nodes: int, notes: list[str]) -> Iterator[OwnRun]:
    """Trials of a digest differ from each other in what the sweep varies alone: the experiment of
    any of them, with the settings of a line, is that of the line.
    """
    done = [line for line in read_lines(path / _RESULTS)
            if line.get("status") == "complete" and _run_time(line.get("figures"))]  # fmt: skip
    trials = _trials(path, done)
    known: dict[str, OwnRun] = {}
    lost = 0
    for line in done:
        if str(line.get("digest")) not in trials:
            lost += 1
            continue
        trial = trials[str(line.get("digest"))]
        words = [*override_words(line["settings"]), f"machine.ranks={line['ranks']}"]
        key = f"{trial.name} {' '.join(words)}"
        if key not in known:
            experiment = Experiment.read(trial / "experiment.toml", words)
            known[key] = run_of(" ".join(words), experiment, nodes, _run_time(line["figures"]))
        yield replace(known[key], total_s=_run_time(line["figures"]))
    if lost:
        notes.append(
            f"{lost} of {len(done)} lines of '{path / _RESULTS}' are passed over: no trial of "
            "their experiment is there, as where the sweep was changed since"
        )


def _trials(path: Path, done: Sequence[Line]) -> dict[str, Path]:
    """A directory for each digest: a trial is that of the line with its run time, since a changed
    sweep has other trials under the same names.
    """
    digests = {_run_time(line["figures"]): str(line.get("digest")) for line in done}
    found: dict[str, Path] = {}
    for trial in sorted(path.glob("trial_*")):
        run = RunDirectory(trial)
        if not run.looks_like_a_run() or not run.ended_well():
            continue
        total_s = _run_time(run.summary().get("metrics"))
        if total_s in digests:
            found.setdefault(digests[total_s], trial)
    return found


def _of_table(path: Path, nodes: int, notes: list[str]) -> Iterator[OwnRun]:
    """The table has no streams: they are read where the runs are."""
    from thalweg.logs.parquet import read_table

    for row in read_table(path):
        sources = [Path(each) for each in row.texts("sources")]
        places = [each for each in sources if RunDirectory(each).looks_like_a_run()]
        if row["model"] != "mini-model" or not places:
            notes.append(f"'{row.text('run')}' is passed over: its run directory is not there")
            continue
        yield from _of_run(places[0], int(row.number("nodes") or nodes), notes)


def _run_time(figures: object) -> float:
    """0: none is told."""
    found = figures.get("run_time_s") if isinstance(figures, dict) else None
    return float(found) if isinstance(found, (int, float)) and found > 0.0 else 0.0
