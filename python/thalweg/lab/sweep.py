# SPDX-License-Identifier: Apache-2.0
"""`thalweg sweep`: runs every combination that is not in RESULTS.jsonl yet, one line per trial."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.targets import make_folder
from thalweg.files.timing import Timing
from thalweg.interrupts import INTERRUPTED_CODE
from thalweg.lab.results import Line, append_line, provenance, read_lines
from thalweg.lab.sweep_file import Settings, Sweep, override_words
from thalweg.run.native_lists import of_kind
from thalweg.run.progress import ProgressDisplay
from thalweg.run.runner import RunRequest, check_experiment, run_case

RESULTS = "RESULTS.jsonl"
_INTERRUPTED = "interrupted; the same command goes on where it stopped"


def run_sweep(case: Path, out: Path | None, as_json: bool) -> bool:
    """Returns False if a trial failed; failed trials are tried again by the next call."""
    sweep = Sweep.read(case)
    Experiment.read(sweep.base, override_words(sweep.fixed))  # a sentence before anything is run
    folder = out or Path("sweeps") / case.stem
    make_folder(folder)
    results, digest = folder / RESULTS, sweep.digest()
    combinations = sweep.combinations()
    todo = _missing(combinations, sweep.repetitions, digest, read_lines(results))
    if not as_json:
        print(f"{len(combinations)} combinations, {sweep.repetitions} repetitions, "
              f"{len(todo)} trials to run; results in {results}", flush=True)  # fmt: skip
    failures = 0
    with ProgressDisplay(case.stem) as display:
        for done, (number, repetition) in enumerate(todo):
            settings = combinations[number]
            display.show(done / len(todo), f"{done} of {len(todo)} trials, {_words(settings)}")
            try:
                line = _trial(sweep, settings, folder / f"trial_{number:03}")
            except KeyboardInterrupt:
                raise ThalwegError(_INTERRUPTED, INTERRUPTED_CODE) from None
            line |= {"sweep": case.name, "base": sweep.base.name, "digest": digest,
                     "settings": settings, "repetition": repetition, **provenance()}  # fmt: skip
            if line["status"] != "skipped" or not _known(line, read_lines(results)):
                append_line(results, line)
            failures += line["status"] == "failed"
            print(json.dumps(line) if as_json else _sentence(line), flush=True)
    return failures == 0


def trial_key(settings: Settings, repetition: int, digest: str) -> str:
    return json.dumps([settings, repetition, digest], sort_keys=True)


def _known(skipped: Line, lines: list[Line]) -> bool:
    """Is it on record that this trial does not fit, for the same reason?"""
    same = ("status", "reason", "settings", "repetition", "digest")
    return any(all(line.get(key) == skipped[key] for key in same) for line in lines)


def _missing(
    combinations: list[Settings], repetitions: int, digest: str, lines: list[Line]
) -> list[tuple[int, int]]:
    """(combination, repetition) still to run; repetitions outermost, so that drift hits all.

    What did not fit is asked again, which costs little: another build may know more modes.
    """
    ended = {
        trial_key(line["settings"], line["repetition"], line["digest"])
        for line in lines
        if line.get("status") == "complete" and "digest" in line
    }
    return [
        (number, repetition)
        for repetition in range(repetitions)
        for number, settings in enumerate(combinations)
        if trial_key(settings, repetition, digest) not in ended
    ]


def _trial(sweep: Sweep, settings: Settings, folder: Path) -> Line:
    """Runs one trial in its folder. An interruption passes through and leaves no line."""
    words = override_words(sweep.fixed) + override_words(settings)
    try:
        experiment = Experiment.read(sweep.base, words)
        ranks = _ranks(sweep, experiment)
        with_ranks = Experiment.read(sweep.base, [*words, f"machine.ranks={ranks}"])
        check_experiment(with_ranks, folder, ranks)
    except ThalwegError as error:
        return {"status": "skipped", "reason": error.sentence}
    try:
        run = run_case(RunRequest(sweep.base, ranks, words, folder, overwrite=True, quiet=True))
    except ThalwegError as error:
        if error.exit_code == INTERRUPTED_CODE:
            raise ThalwegError(_INTERRUPTED, INTERRUPTED_CODE) from error
        return {"status": "failed", "reason": error.sentence}
    figures = measure_run(run)
    if not sweep.keep_files:
        shutil.rmtree(run.files_path)
        run.files_path.mkdir()
    total_s = figures["run_time_s"]
    return {"status": "complete", "unit": "s", "n": 1, "median": total_s, "p05": total_s,
            "p95": total_s, "ranks": ranks, "figures": figures}  # fmt: skip


def _ranks(sweep: Sweep, experiment: Experiment) -> int:
    """All ranks: those that compute, and those apart for output and restart."""
    if not sweep.compute_ranks:
        return experiment.integer("machine", "ranks")
    ranks = sweep.compute_ranks
    for table, kind in (("io", "output mode"), ("restart", "restart mode")):
        alone = [mode["name"] for mode in of_kind(kind) if mode["ranks"] == "none"]
        if experiment.text(table, "mode") not in alone:
            ranks += experiment.integer(table, "ranks")
    return ranks


def measure_run(run: RunDirectory) -> dict[str, Any]:
    """Figures of a finished run. Rates are of all I/O ranks together (serial: of rank 0).

    transfer_rate  [MB/s] bytes of output over the mean time in which an I/O rank fetched them
    write_rate     [MB/s] bytes of files over the mean time of writing and closing; None: no time
    """
    summary, timing = run.summary(), Timing.read(run.timing_path)
    metrics = summary["metrics"]
    keys = ("run_time_s", "wait_s", "wait_percent", "closing_s", "bytes_written", "files",
            "output_cost")  # fmt: skip
    figures: dict[str, Any] = {key: metrics[key] for key in keys}
    figures["transfer_rate"] = _rate(summary["bytes_put"], timing, ("get",))
    figures["write_rate"] = _rate(metrics["bytes_written"], timing, ("write", "close"))
    figures["limited_by"] = summary["limited_by"]
    return figures


def _rate(size_bytes: float, timing: Timing, categories: tuple[str, ...]) -> float | None:
    spent = [timing.own_s(rank) for rank in range(len(timing.roles))]
    seconds = [sum(own_s.get(name, 0.0) for name in categories) for own_s in spent]
    users = [each for each in seconds if each > 0.0]
    mean_s = sum(users) / max(1, len(users))
    fastest_copy = 1e11  # [B/s] faster is no transfer: the I/O rank read the memory where it was
    return size_bytes / mean_s / 1e6 if 0 < size_bytes < fastest_copy * mean_s else None


def _words(settings: Settings) -> str:
    return ", ".join(override_words(settings))


def _sentence(line: Line) -> str:
    words = _words(line["settings"]) or "the base"
    if line["status"] != "complete":
        return f"{words}: {line['status']}: {line['reason']}"
    figures = line["figures"]
    return (
        f"{words}: {figures['run_time_s']:.2f} s, waiting {figures['wait_percent']:.1f} %, "
        f"limited by {figures['limited_by']}"
    )
