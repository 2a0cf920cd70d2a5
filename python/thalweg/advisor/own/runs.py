# SPDX-License-Identifier: Apache-2.0
"""Runs of ours that exist: run directories, a sweep, a table of `logs import`, remembered ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thalweg.advisor.own.learned import OwnRun
from thalweg.advisor.own.memory import read_memory, run_of
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.lab.results import read_lines
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
    if total_s is None:
        notes.append(f"'{path}' is passed over: run.json has no run_time_s")
        return
    yield run_of(path.name, run.experiment(), nodes, total_s)


def _of_sweep(path: Path, nodes: int, notes: list[str]) -> Iterator[OwnRun]:
    """Trials differ from each other in what the sweep varies alone: any of their experiments, with
    the settings of a line, is that of the line.
    """
    trials = sorted(p for p in path.glob("trial_*") if (p / "experiment.toml").is_file())
    if not trials:
        notes.append(f"'{path}' is passed over: none of its trials is there")
        return
    known: dict[str, OwnRun] = {}
    for line in read_lines(path / _RESULTS):
        total_s = _run_time(line.get("figures"))
        if line.get("status") != "complete" or total_s is None:
            continue
        words = [*override_words(line["settings"]), f"machine.ranks={line['ranks']}"]
        key = " ".join(words)
        if key not in known:
            experiment = Experiment.read(trials[0] / "experiment.toml", words)
            known[key] = run_of(key, experiment, nodes, total_s)
        first = known[key]
        yield OwnRun(key, first.situation, first.choice, first.nodes, total_s)


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


def _run_time(figures: object) -> float | None:
    found = figures.get("run_time_s") if isinstance(figures, dict) else None
    return float(found) if isinstance(found, (int, float)) and found > 0.0 else None
