# SPDX-License-Identifier: Apache-2.0
"""`thalweg submit`: writes test runs of a proposal, hands them to Slurm, collects their times."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from thalweg.advisor.command import Told
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.proposing.command import propose_for
from thalweg.advisor.shapes import Asked
from thalweg.config.run_script import RunScript
from thalweg.submit.collect import collect, write_measured
from thalweg.submit.job_list import JobList, TestRun, read_job_list
from thalweg.submit.page import outcome_as_json, print_outcomes, print_written
from thalweg.submit.prepare import Prepared, Wish, prepare
from thalweg.submit.send import send
from thalweg.submit.waiting import wait


@dataclass(frozen=True)
class Follow:
    """What is done with test runs once they are written. Times in s."""

    dry_run: bool = False
    wait: bool = False
    every_s: float = 30.0
    at_most_s: float = 86400.0
    as_json: bool = False


def submit_new(
    script: RunScript, told_of: Told, asked: Asked, wish: Wish, follow: Follow
) -> int:  # fmt: skip
    """Exit code: 1 where a test run failed. Raises a sentence."""
    answer: Answer = told_of({})
    proposed = propose_for(script, answer, asked, told_of)
    prepared = prepare(script, answer, told_of, proposed, wish)
    if not follow.as_json:
        print_written(prepared)
        sys.stdout.flush()
    return _go_on(prepared.jobs, follow, prepared)


def submit_again(path: Path, follow: Follow) -> int:
    """What of a directory is not submitted yet."""
    return _go_on(read_job_list(path), follow)


def collect_from(path: Path, follow: Follow) -> int:
    jobs = read_job_list(path)
    if follow.wait:
        wait(jobs, follow.every_s, follow.at_most_s, _say)
    return _show(jobs, follow)


def _go_on(jobs: JobList, follow: Follow, prepared: Prepared | None = None) -> int:
    if follow.dry_run:
        if follow.as_json:
            warnings = prepared.warnings if prepared else []
            print(json.dumps({**jobs.as_json(), "warnings": warnings}, indent=1))
        else:
            print(f"not submitted; to submit them: thalweg submit --continue {jobs.path}")
        return 0
    send(jobs, _tell_sent)
    if follow.wait:
        wait(jobs, follow.every_s, follow.at_most_s, _say)
        return _show(jobs, follow)
    if follow.as_json:
        warnings = prepared.warnings if prepared else []
        print(json.dumps({**jobs.as_json(), "warnings": warnings}, indent=1))
    else:
        print(f"later: thalweg submit --collect {jobs.path}")
    return 0


def _show(jobs: JobList, follow: Follow) -> int:
    outcomes = collect(jobs)
    table = write_measured(jobs, outcomes)
    if follow.as_json:
        found = [outcome_as_json(each) for each in outcomes]
        print(json.dumps({"table": str(table) if table else None, "runs": found}, indent=1))
    else:
        print_outcomes(jobs, outcomes, table)
    return 1 if any(each.failed for each in outcomes) else 0


def _tell_sent(run: TestRun, forgotten: str) -> None:
    why = f"; it waits for none, since job {forgotten} before it has ended and is purged"
    _say(f"{run.name}: submitted as job {run.job}{why if forgotten else ''}")


def _say(text: str) -> None:
    """Beside the answer, so that --json stays JSON."""
    print(text, file=sys.stderr, flush=True)
