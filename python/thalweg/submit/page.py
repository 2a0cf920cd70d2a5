# SPDX-License-Identifier: Apache-2.0
"""Test runs for people and as JSON: what was written, their states, measured beside predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg.config.durations import short_duration
from thalweg.submit.collect import Outcome
from thalweg.submit.job_list import JobList, TestRun
from thalweg.submit.prepare import Prepared
from thalweg.tables import print_table

_WRITTEN = ("run", "nodes", "ranks", "I/O ranks", "restart", "steps", "outputs", "checkpoints",
            "predicted s", "whole run s", "why")  # fmt: skip
_FOUND = ("run", "I/O ranks", "restart", "job", "state", "predicted ms/step", "80 % between",
          "measured ms/step", "off %")  # fmt: skip
# Steps of one experiment on Levante differ by so much from job to job: docs/advise-validation.md.
_FROM_JOB_TO_JOB = 1.10


def print_written(prepared: Prepared) -> None:
    jobs = prepared.jobs
    print(f"test runs of {short_duration(jobs.duration_s)} of model time in '{jobs.path}'")
    print()
    print_table(_WRITTEN, [_written_row(run) for run in jobs.runs], right=_WRITTEN[1:4])
    print()
    for script, changes in _changes(jobs.runs):
        print(f"{script}: {'; '.join(changes)}")
    for warning in prepared.warnings:
        print(f"warning: {warning}")


def _changes(runs: Sequence[TestRun]) -> Iterator[tuple[str, list[str]]]:
    """Those of all first."""
    of_all = [each for each in runs[0].changes if all(each in run.changes for run in runs)]
    yield "all scripts", [*of_all, "#SBATCH lines"]
    for run in runs:
        if own := [each for each in run.changes if each not in of_all]:
            yield run.script, own


def _written_row(run: TestRun) -> list[str]:
    facts = run.facts
    counts = [f"{float(facts[name]):g}" for name in ("steps", "outputs", "checkpoints")]
    times = [f"{run.predicted[name]:.4g}" for name in ("total_s", "whole_s")]
    return [
        run.name, f"{float(facts['nodes']):g}", f"{float(facts['ranks']):g}",
        f"{float(facts['io_ranks']):g}", restart_text(run), *counts, *times, run.why,
    ]  # fmt: skip


def restart_text(run: TestRun) -> str:
    mode = str(run.facts["restart_mode"]).replace("_", " ")
    ranks = float(run.facts["restart_ranks"])
    return f"{mode}, {ranks:g}" if ranks else mode


def print_outcomes(jobs: JobList, outcomes: Sequence[Outcome], table: Path | None) -> None:
    print_table(_FOUND, [_found_row(each) for each in outcomes],
                right=(_FOUND[1], *_FOUND[5:]))  # fmt: skip
    print()
    for each in outcomes:
        for sentence in each.said:
            print(f"{each.run.name}: {sentence}")
        for line in each.last:
            print(f"{each.run.name} | {line}")
    measured = [each for each in outcomes if each.step_s]
    if len(measured) > 1:
        print(_conclusion(measured))
    if open_ := [each.run.name for each in outcomes if not each.ended]:
        print(f"not ended: {', '.join(open_)}; later: thalweg submit --collect {jobs.path}")
    if table is not None:
        print(f"'{table}': {len(measured)} run{'s' * (len(measured) != 1)}")


def _conclusion(measured: Sequence[Outcome]) -> str:
    """The shortest, and those that one job each does not tell apart from it."""
    ordered = sorted(measured, key=lambda each: each.step_s or 0.0)
    best, shortest_s = ordered[0], ordered[0].step_s or 0.0
    near = [each.run.name for each in ordered[1:]
            if (each.step_s or 0.0) <= _FROM_JOB_TO_JOB * shortest_s]  # fmt: skip
    alike = (
        f"; within {100 * (_FROM_JOB_TO_JOB - 1):.0f} % of it, by which steps of one experiment "
        f"differed from job to job on Levante: {', '.join(near)}"
    )
    told = f"shortest steps, of one job each: {best.run.name} ({best.run.why})"
    return told + (alike if near else "")


def state_text(outcome: Outcome) -> str:
    reason = outcome.state.reason
    return f"{outcome.state.word} ({reason})" if reason else outcome.state.word


def _found_row(outcome: Outcome) -> list[str]:
    run, step_s = outcome.run, outcome.step_s
    low, middle, high = (_ms(run.predicted[name] / run.steps) for name in
                         ("low_s", "total_s", "high_s"))  # fmt: skip
    off = f"{100.0 * (step_s * run.steps / run.predicted['total_s'] - 1.0):+.1f}" if step_s else ""
    return [
        run.name, f"{float(run.facts['io_ranks']):g}", restart_text(run), run.job,
        state_text(outcome), middle, f"{low} {high}", _ms(step_s) if step_s else "", off,
    ]  # fmt: skip


def _ms(seconds: float) -> str:
    return f"{1000.0 * seconds:.4g}"


def outcome_as_json(outcome: Outcome) -> dict[str, object]:
    run, step_s = outcome.run, outcome.step_s
    return {
        "name": run.name,
        "why": run.why,
        "job": run.job or None,
        "state": outcome.state.word,
        "reason": outcome.state.reason,
        "io_ranks": run.facts["io_ranks"],
        "restart_mode": run.facts["restart_mode"],
        "restart_ranks": run.facts["restart_ranks"],
        "steps": run.steps,
        "predicted_step_s": run.predicted["total_s"] / run.steps,
        "low_step_s": run.predicted["low_s"] / run.steps,
        "high_step_s": run.predicted["high_s"] / run.steps,
        "measured_step_s": step_s,
        "off": step_s * run.steps / run.predicted["total_s"] - 1.0 if step_s else None,
        "failed": outcome.failed,
        "said": outcome.said,
        "last_lines": outcome.last,
    }
