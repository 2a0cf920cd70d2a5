# SPDX-License-Identifier: Apache-2.0
"""Waits until test runs have ended, and never for ever: a limit, Ctrl-C, jobs that do not start."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from thalweg.errors import ThalwegError
from thalweg.submit.collect import NOT_SUBMITTED, Outcome, states_of
from thalweg.submit.job_list import JobList
from thalweg.submit.page import state_text
from thalweg.submit.slurm import SlurmError, State

# Reasons of squeue that time alone does not mend.
_HOPELESS = {
    "AccountNotAllowed", "BadConstraints", "DependencyNeverSatisfied", "InvalidAccount",
    "InvalidQOS", "JobHeldAdmin", "JobHeldUser", "PartitionConfig", "PartitionInactive",
    "PartitionNodeLimit", "PartitionTimeLimit", "QOSNotAllowed",
}  # fmt: skip
_PATIENCE = 5  # squeue may fail so often in a row: a controller that is started anew


def wait(
    jobs: JobList, every_s: float, at_most_s: float, tell: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> None:  # fmt: skip
    """Returns when all jobs have ended. Raises a sentence that says how to collect where it does
    not go on: interrupted, at_most_s over, a job that will not start, or no squeue.
    """
    later = f"the jobs stay; later: thalweg submit --collect {jobs.path}"
    told: dict[str, str] = {}
    end, failures = time.monotonic() + at_most_s, 0
    try:
        while True:
            try:
                states, failures = states_of(jobs), 0
            except SlurmError as error:
                failures += 1
                if failures >= _PATIENCE:
                    raise ThalwegError(f"{error.sentence}; {later}") from None
                states = []
            _tell_news(jobs, states, told, tell)
            found = [Outcome(run, each) for run, each in zip(jobs.runs, states, strict=False)]
            left = [each for each in found if not each.ended and each.state.word != NOT_SUBMITTED]
            if states and not left:
                return
            _refuse_hopeless(left, later)
            if time.monotonic() + every_s > end:
                which = ", ".join(f"'{each.run.name}' is {state_text(each)}" for each in left)
                raise ThalwegError(f"waited {at_most_s:g} s: {which or 'no answer'}; {later}", 1)
            sleep(every_s)
    except KeyboardInterrupt:
        raise ThalwegError(f"stopped waiting; {later}", 130) from None


def _tell_news(
    jobs: JobList, states: Sequence[State], told: dict[str, str], tell: Callable[[str], None]
) -> None:
    for run, state in zip(jobs.runs, states, strict=False):
        text = state_text(Outcome(run, state))
        if told.get(run.name) != text:
            told[run.name] = text
            tell(f"{run.name}: job {run.job or '-'} is {text}")


def _refuse_hopeless(left: Sequence[Outcome], later: str) -> None:
    """Only where nothing runs any more, and none may start."""
    stuck = [each for each in left if each.state.reason in _HOPELESS]
    if stuck and all(each in stuck or each.state.reason == "Dependency" for each in left):
        first = stuck[0]
        raise ThalwegError(
            f"test run '{first.run.name}' (job {first.run.job}) does not start, squeue says "
            f"'{first.state.reason}': mend that or end it with scancel; {later}"
        )
