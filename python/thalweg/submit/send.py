# SPDX-License-Identifier: Apache-2.0
"""Hands test runs to sbatch one after the other; the list on the disk knows each of them."""

from __future__ import annotations

from collections.abc import Callable

from thalweg.errors import ThalwegError
from thalweg.submit.job_list import JobList, TestRun
from thalweg.submit.slurm import NoAnswerError, SlurmError, sbatch, states_in_queue


def send(jobs: JobList, tell: Callable[[TestRun, str], None]) -> None:
    """Those that have no job yet. Raises a sentence in sbatch's words; what was submitted before
    stays and is in the list. tell: each run as it was submitted, and the job it would have waited
    for, had Slurm not forgotten it, or "".
    """
    _refuse_moved(jobs)
    _adopt(jobs)
    forgotten = _forgotten(jobs)
    before = ""
    for run in jobs.runs:
        if not run.job:
            run.asked = True
            jobs.write()
            after = "" if jobs.at_once or before in forgotten else before
            try:
                run.job = sbatch((jobs.path / run.script).resolve(), after)
            except KeyboardInterrupt:
                raise ThalwegError(
                    f"interrupted; what was submitted is in '{jobs.file}'; to go on: thalweg "
                    f"submit --continue {jobs.path}",
                    130,
                ) from None
            except SlurmError as error:
                if not isinstance(error, NoAnswerError):
                    run.asked = False
                jobs.write()
                raise ThalwegError(_refusal(jobs, run, error)) from None
            jobs.write()
            tell(run, before if before in forgotten and not jobs.at_once else "")
        before = run.job


def _refuse_moved(jobs: JobList) -> None:
    """Scripts name their directories: a copy of these would write into the first ones."""
    for run in (each for each in jobs.runs if not each.job):
        script = jobs.path / run.script
        try:
            text = script.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ThalwegError(
                f"script '{script}' of test run '{run.name}' cannot be read: {error.strerror}; "
                "submit anew in another directory"
            ) from None
        if str((jobs.path / run.directory).resolve()) not in text:
            raise ThalwegError(
                f"script '{script}' runs in another directory: '{jobs.path}' was moved or copied; "
                "submit anew in another directory"
            )


def _adopt(jobs: JobList) -> None:
    """A call that was ended may have submitted a job whose number it did not write down."""
    unknown = [run for run in jobs.runs if run.asked and not run.job]
    if not unknown:
        return
    found = states_in_queue({run.job_name for run in unknown})
    for run in unknown:
        if run.job_name in found:
            run.job = found[run.job_name][0]
        elif logs := list((jobs.path / run.directory).glob(f"LOG.{run.job_name}.*.o")):
            run.job = logs[0].name.split(".")[-2]  # it ran, and the queue has forgotten it
    jobs.write()


def _forgotten(jobs: JobList) -> set[str]:
    """Jobs that ended so long ago that Slurm knows them no more (MinJobAge): versions differ in
    what they make of a job that is to wait for one.
    """
    there = {run.job_name: run.job for run in jobs.runs if run.job}
    if not there or all(run.job for run in jobs.runs):
        return set()
    queued = states_in_queue(there)
    return {job for name, job in there.items() if name not in queued}


def _refusal(jobs: JobList, run: TestRun, error: SlurmError) -> str:
    there = [each.job for each in jobs.runs if each.job]
    listed = (
        f"submitted before it and listed in '{jobs.file}': {', '.join(there)}"
        if there
        else "nothing was submitted"
    )
    doubt = " (whether it was submitted is not known)" if isinstance(error, NoAnswerError) else ""
    return (
        f"test run '{run.name}' was not submitted{doubt}: {error.sentence}; {listed}; to go on: "
        f"thalweg submit --continue {jobs.path}"
    )
