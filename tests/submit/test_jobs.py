# SPDX-License-Identifier: Apache-2.0
"""Test runs as jobs of a real Slurm; ICON alone is not there (thalweg.testing.not_icon)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.advisor.prediction.run_table import read_runs
from thalweg.errors import ThalwegError
from thalweg.submit.collect import Outcome, collect
from thalweg.submit.command import Follow, collect_from, submit_again
from thalweg.submit.job_list import JobList, read_job_list
from thalweg.submit.send import send
from thalweg.submit.waiting import wait
from thalweg.testing.local_slurm import LocalSlurm
from thalweg.testing.not_icon import RUN_SCRIPT as SCRIPT
from thalweg.testing.not_icon import made_up_step_s

Write = Callable[..., JobList]
QUICK = SCRIPT.replace("srun -l", "SLURM_NTASKS=4 SLURM_PROCID=0")  # no step of its own
SOON_S, LONG_S = 0.1, 120.0


def ignore(*_: object) -> None:
    pass


def ended(jobs: JobList) -> list[Outcome]:
    wait(jobs, SOON_S, LONG_S, ignore)
    return collect(jobs)


def test_runs_are_submitted_measured_and_become_a_table(
    slurm: LocalSlurm, write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    """On two nodes, started by srun."""
    jobs = write(runs=2)
    capfd.readouterr()
    follow = Follow(wait=True, every_s=SOON_S, at_most_s=LONG_S, as_json=True)
    assert submit_again(jobs.path, follow) == 0
    printed = capfd.readouterr()
    answer = json.loads(printed.out)
    proposed, now = answer["runs"]
    assert [proposed["name"], now["name"]] == ["proposed", "now"]
    assert [each["state"] for each in answer["runs"]] == ["COMPLETED", "COMPLETED"]
    for each in answer["runs"]:
        assert each["measured_step_s"] == pytest.approx(made_up_step_s(each["io_ranks"]), rel=1e-3)
        ratio = each["measured_step_s"] / each["predicted_step_s"]
        assert each["off"] == pytest.approx(ratio - 1.0)
    assert (proposed["io_ranks"], now["io_ranks"]) == (1, 0)
    assert f"proposed: submitted as job {proposed['job']}" in printed.err
    rows = read_runs(Path(answer["table"]))
    assert [row.facts.io_ranks for row in rows] == [1, 0]
    assert [row.facts.nodes for row in rows] == [2, 2]
    steps = rows[0].facts.steps
    assert rows[0].total_s == pytest.approx(steps * made_up_step_s(1), rel=1e-3)
    assert (rows[0].facts.outputs, rows[0].facts.compute_ranks) == (steps / 6 + 1, 3)
    assert collect_from(jobs.path, Follow()) == 0


def test_each_runs_in_its_own_directory_and_after_the_one_before(
    slurm: LocalSlurm, write: Write
) -> None:
    jobs = write(QUICK, runs=2)
    partition = ["scontrol", "update", "PartitionName=all"]
    slurm.call([*partition, "State=DOWN"])  # none begins while we look
    send(jobs, ignore)
    second = slurm.call(["scontrol", "show", "job", jobs.runs[1].job])
    slurm.call([*partition, "State=UP"])
    assert f"afterany:{jobs.runs[0].job}" in second
    assert not any(each.failed for each in ended(jobs))
    for run in jobs.runs:
        assert (jobs.path / run.directory / "work" / "NAMELIST_storm").is_file()


def test_a_copy_is_not_submitted(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scripts run in the directories of the first one."""
    jobs = write(QUICK, runs=2)
    monkeypatch.setenv("PATH", str(tmp_path))  # sbatch is not asked
    copy = tmp_path / "copy"
    shutil.copytree(jobs.path, copy)
    with pytest.raises(ThalwegError, match="moved or copied"):
        submit_again(copy, Follow())
    (copy / jobs.runs[0].script).unlink()
    with pytest.raises(ThalwegError, match="cannot be read: No such file"):
        submit_again(copy, Follow())
    lines = (copy / "jobs.json").read_text()
    for new in ("../elsewhere", jobs.runs[1].directory):
        (copy / "jobs.json").write_text(
            lines.replace(f'"directory": "{jobs.runs[0].directory}"', f'"directory": "{new}"')
        )
        with pytest.raises(ThalwegError, match="damaged"):
            submit_again(copy, Follow())


def test_what_sbatch_refuses_is_told_in_its_words_and_can_go_on(
    slurm: LocalSlurm, write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = write(QUICK, runs=2)
    second = jobs.path / jobs.runs[1].script
    text = second.read_text()
    second.write_text(text.replace("#!/bin/bash", "#!/bin/bash\n#SBATCH --partition=none"))
    with pytest.raises(ThalwegError) as told:
        submit_again(jobs.path, Follow())
    listed = read_job_list(jobs.path)
    assert [bool(run.job) for run in listed.runs] == [True, False]
    assert "invalid partition specified: none" in told.value.sentence
    assert f"'{jobs.file}': {listed.runs[0].job};" in told.value.sentence
    second.write_text(text)
    assert submit_again(jobs.path, Follow(wait=True, every_s=SOON_S)) == 0
    again = read_job_list(jobs.path)
    assert again.runs[0].job == listed.runs[0].job
    assert again.runs[1].job
    assert "'tests/measured.parquet'" in capfd.readouterr().out.replace(f"{jobs.path.parent}/", "")


def test_a_job_that_fails_shows_the_end_of_its_log(
    slurm: LocalSlurm, write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = write(SCRIPT[: SCRIPT.index("srun")] + "echo the disk is full; exit 3\n", runs=1)
    send(jobs, ignore)
    (outcome,) = ended(jobs)
    assert (outcome.state.word, outcome.failed, outcome.step_s) == ("FAILED", True, None)
    assert collect_from(jobs.path, Follow()) == 1
    printed = capfd.readouterr().out
    assert "proposed | the disk is full" in printed
    assert "FAILED (NonZeroExitCode)" in printed
    assert not (jobs.path / "measured.parquet").exists()


def test_waiting_ends_where_a_job_does_not_start(slurm: LocalSlurm, write: Write) -> None:
    held = QUICK.replace("#!/bin/bash", "#!/bin/bash\n#SBATCH --hold")
    jobs = write(held, runs=2)
    send(jobs, ignore)
    with pytest.raises(ThalwegError, match=r"'JobHeldUser'.*--collect") as told:
        wait(jobs, SOON_S, LONG_S, ignore)
    assert told.value.exit_code == 2
    slurm.call(["scancel", *(run.job for run in jobs.runs)])
    assert [each.state.word for each in ended(jobs)] == ["CANCELLED", "CANCELLED"]


def test_waiting_can_be_stopped_and_ends_by_itself(slurm: LocalSlurm, write: Write) -> None:
    jobs = write(SCRIPT[: SCRIPT.index("srun")] + "sleep 60\n", runs=1)
    send(jobs, ignore)

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(ThalwegError, match=r"the jobs stay; later: .*--collect") as stopped:
        wait(jobs, SOON_S, LONG_S, ignore, sleep=interrupt)
    assert stopped.value.exit_code == 130
    with pytest.raises(ThalwegError, match=r"waited 0.1 s: 'proposed' is (PENDING|RUNNING)"):
        wait(jobs, SOON_S, SOON_S, ignore)
    (outcome,) = collect(jobs)
    assert not outcome.ended
    slurm.call(["scancel", jobs.runs[0].job])


def test_a_job_whose_number_was_not_written_down_is_found(slurm: LocalSlurm, write: Write) -> None:
    """As where the call was killed between sbatch's answer and the list."""
    jobs = write(QUICK, runs=1)
    send(jobs, ignore)
    number = jobs.runs[0].job
    jobs.runs[0].job = ""
    jobs.write()
    again = read_job_list(jobs.path)
    send(again, ignore)
    assert again.runs[0].job == number
    assert not any(each.failed for each in ended(again))
