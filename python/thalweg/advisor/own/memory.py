# SPDX-License-Identifier: Apache-2.0
"""Runs that a machine file remembers beside it: MACHINE.runs.jsonl, one run a line."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from thalweg.advisor.own.learned import OwnRun
from thalweg.advisor.own.situation import own_situation
from thalweg.advisor.own_experiment import find_own_streams
from thalweg.advisor.shapes import spread_over
from thalweg.advisor.words import many
from thalweg.calibrate.machine_file import Machine
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.lab.results import append_line, read_lines

FORMAT = 1
_LONGEST_S = 1e9


def memory_path(machine: Path) -> Path:
    return machine.with_suffix(".runs.jsonl")


def known_runs(path: Path, machine: Machine) -> list[OwnRun]:
    """Of machine file `path`; none where nothing was kept. Raises a sentence for another format,
    and for runs of another machine.
    """
    return read_memory(memory_path(path), machine.name)


def read_memory(path: Path, machine: str = "") -> list[OwnRun]:
    """Of such a file; none where it is not there. machine: whose runs they must be; "" = any's.
    What is no run, as a line that was cut, is told of and passed over.
    """
    lines = read_lines(path)
    there = path.read_bytes().split(b"\n") if path.is_file() else []
    odd = sum(bool(line.strip()) for line in there) - len(lines)
    if odd > 0:
        print(f"note: '{path}': {many(odd, 'line')} of no run left out", file=sys.stderr)
    return [_run(path, number, line, machine) for number, line in enumerate(lines, 1)]


def remember(machine_path: Path, machine: Machine, run: OwnRun) -> Path:
    """Appends the run; returns the file."""
    path = memory_path(machine_path)
    line = {
        "format": FORMAT,
        "machine": machine.name,
        "name": run.name,
        "nodes": run.nodes.count,
        "run_time_s": run.total_s,
        "experiment": run.situation.experiment.to_toml(),
    }
    try:
        append_line(path, line)
    except OSError as error:
        raise ThalwegError(f"'{path}' cannot be written: {error.strerror}") from None
    return path


def run_of(name: str, experiment: Experiment, nodes: int, total_s: float) -> OwnRun:
    """A run as it was, without asking the model again whether it can be run."""
    situation = own_situation(experiment, find_own_streams(experiment, checked=False))
    return OwnRun(name, situation, situation.chosen, spread_over(situation.ranks, nodes), total_s)


def experiment_of(text: str, name: str) -> Experiment:
    """From the text of a file."""
    with tempfile.TemporaryDirectory(prefix="thalweg-run-") as folder:
        path = Path(folder) / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return Experiment.read(path)


def _run(path: Path, number: int, line: dict[str, Any], machine: str) -> OwnRun:
    where = f"'{path}' line {number}"
    if line.get("format") != FORMAT:
        raise ThalwegError(
            f"{where}: 'format' is {line.get('format')!r}, but this version reads {FORMAT}; move "
            "the file away, and 'thalweg tune' begins a new one"
        )
    if machine and line.get("machine", machine) != machine:
        raise ThalwegError(
            f"{where}: a run on '{line['machine']}', and the machine file is of '{machine}'; move "
            "the file away, or take the machine file of its runs"
        )
    total_s, nodes, text = line.get("run_time_s"), line.get("nodes"), line.get("experiment")
    if not isinstance(total_s, (int, float)) or not 0.0 < total_s < _LONGEST_S:
        raise ThalwegError(f"{where}: 'run_time_s' is {total_s!r}, which no run takes")
    if not isinstance(nodes, int) or nodes < 1 or not isinstance(text, str):
        raise ThalwegError(f"{where}: 'nodes' or 'experiment' is missing; take the line away")
    return run_of(str(line.get("name", number)), experiment_of(text, "run"), nodes, float(total_s))
