# SPDX-License-Identifier: Apache-2.0
"""Scripts of test runs: shortened, with timers, #SBATCH lines and a directory of their own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.advisor.command import icon_reader
from thalweg.errors import ThalwegError
from thalweg.submit.batch_lines import Job, with_batch_lines
from thalweg.submit.job_list import JobList, TestRun
from thalweg.submit.shorten import with_variable
from thalweg.testing.not_icon import RUN_SCRIPT

Write = Callable[..., JobList]
CHECKPOINTS = "&io_nml\n dt_checkpoint = 43200.\n/\n&run_nml\n"
WITH_CHECKPOINTS = RUN_SCRIPT.replace("&run_nml\n", CHECKPOINTS)
SIZE = "873600000"
START = 'start_date="2008-09-01T00:00:00Z"\n'
END = 'end_date="2008-09-11T00:00:00Z"\n'


def text_of(jobs: JobList, run: TestRun) -> str:
    return (jobs.path / run.script).read_text()


def length_s(jobs: JobList, run: TestRun) -> float:
    """Model time, as the script is read again."""
    _, told_of = icon_reader(jobs.path / run.script, [], [], [], SIZE, [])
    (told,) = told_of({}).runs
    return (told.end_ms - told.start_ms) / 1000.0


def test_the_proposal_and_its_neighbours_are_written(write: Write) -> None:
    jobs = write(WITH_CHECKPOINTS, runs=5, nodes=4, ranks=128, restart_bytes=SIZE)
    names = [run.name for run in jobs.runs]
    assert names == ["proposed", "now", "next_mode", "fewer_io", "more_io"]
    best, now, mode, fewer, more = jobs.runs
    io = [float(run.facts["io_ranks"]) for run in jobs.runs]
    assert io[3] < io[0] < io[4]
    assert best.facts["restart_mode"] == fewer.facts["restart_mode"] == more.facts["restart_mode"]
    assert mode.facts["restart_mode"] not in (best.facts["restart_mode"], "sync")
    assert (now.facts["io_ranks"], now.facts["restart_mode"]) == (0, "sync")
    for run in jobs.runs:
        text = text_of(jobs, run)
        assert f"num_io_procs = {run.facts['io_ranks']}" in text
        assert "timers_level = 10" in text
        assert length_s(jobs, run) == jobs.duration_s == run.steps * 120.0
        assert run.facts["checkpoints"] == 1
        assert "num_io_procs" in " ".join(run.changes) or run is now


def test_what_was_written_is_a_copy_but_for_what_is_told(write: Write, tmp_path: Path) -> None:
    jobs = write(runs=1)
    (run,) = jobs.runs
    old, new = (text.splitlines() for text in (RUN_SCRIPT, text_of(jobs, run)))
    come = [line for line in new if line not in old and not line.startswith("#SBATCH")]
    assert {re.split(r"\s*=", line.strip())[0] for line in come} == {
        "num_io_procs", "timers_level", "end_date", "EXPDIR",
    }  # fmt: skip
    assert len(run.changes) == len(come)
    assert f"EXPDIR={tmp_path}/tests/proposed/work" in new
    subprocess.run(["bash", "-n", str(jobs.path / run.script)], check=True)


def test_a_test_run_has_outputs_of_every_partition_twice(write: Write) -> None:
    jobs = write(runs=3, nodes=4, ranks=128)
    partitions = max(float(run.facts["io_ranks"]) for run in jobs.runs)
    assert jobs.duration_s >= 2 * partitions * 720.0
    assert all(float(run.facts["outputs"]) >= 2 * partitions for run in jobs.runs)


@pytest.mark.parametrize(
    ("interval_s", "duration", "expected", "checkpoints"),
    [
        (43200, "", 48600, 1),  # comes anyway
        (43200, "PT2H", 7200, 1),  # earlier than asked for: set earlier
        (432000, "", 21600, 1),  # too late: set earlier, and not before 2.5 hours
        (864000, "PT6H", 21600, 0),  # the run has none
    ],
)
def test_a_test_run_has_a_checkpoint_where_the_run_has(
    write: Write, interval_s: int, duration: str, expected: float, checkpoints: int
) -> None:
    text = WITH_CHECKPOINTS.replace("43200.", f"{interval_s}.")
    jobs = write(text, runs=1, nodes=1, ranks=128, restart_bytes=SIZE, duration=duration)
    assert (jobs.duration_s, jobs.runs[0].facts["checkpoints"]) == (expected, checkpoints)
    assert length_s(jobs, jobs.runs[0]) == expected


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (END, "", "nsteps = 180"),
        (END, "", "experimentStopDate = '2008-09-01T06:00:00Z'"),
        ("", "", 'end_date="2008-09-01T06:00:00Z"'),
        (END, "", "forecastLeadTime = 'PT6H'"),
        (END, "", "end_datetime_string = '2008-09-01T06:00:00Z'"),
        (END, "export end_date=$(date -d 2008-09-11)  # of the header\n",
         'export end_date="2008-09-01T06:00:00Z"  # of the header'),
    ],
)  # fmt: skip
def test_the_end_is_set_where_the_script_has_it(
    write: Write, old: str, new: str, line: str
) -> None:
    given = {
        "nsteps": ("&run_nml\n", "&run_nml\n nsteps = 7200\n"),
        "experimentStopDate": ("&run_nml\n", "&master_time_control_nml\n experimentStartDate = "
                               "'$start_date'\n experimentStopDate = '2008-09-11'\n/\n&run_nml\n"),
        "forecastLeadTime": ("&run_nml\n", "&master_time_control_nml\n experimentStartDate = "
                             "'$start_date'\n forecastLeadTime = 'P10D'\n/\n&run_nml\n"),
        "end_datetime_string": ("&run_nml\n", "&time_nml\n ini_datetime_string = '$start_date'\n "
                                "end_datetime_string = '2008-09-11T00:00:00'\n/\n&run_nml\n"),
    }  # fmt: skip
    text = RUN_SCRIPT.replace(old, new) if old else RUN_SCRIPT
    group = given.get(line.split()[0])
    text = text.replace(*group) if group else text
    if "$(date" in new:
        with pytest.raises(ThalwegError, match="end_date"):  # what it is now is not known
            write(text, runs=1, duration="PT6H")
        return
    jobs = write(text, runs=1, duration="PT6H")
    assert line in text_of(jobs, jobs.runs[0])
    assert length_s(jobs, jobs.runs[0]) == 21600.0


def test_intervals_may_be_variables(write: Write) -> None:
    """As in ICON's run scripts, whose headers make the time control of them."""
    late = RUN_SCRIPT.replace(END, f"{END}checkpoint_interval='P5D'\n")
    jobs = write(late, runs=1, nodes=1, ranks=128, restart_bytes=SIZE)
    assert "checkpoint_interval='PT3H'" in text_of(jobs, jobs.runs[0])
    assert jobs.runs[0].facts["checkpoints"] == 1


def test_the_only_restart_may_be_that_of_the_job(write: Write) -> None:
    chain = RUN_SCRIPT.replace(END, f"{END}restart_interval=P5D\n")
    jobs = write(chain, runs=1, nodes=1, ranks=128, restart_bytes=SIZE, duration="PT6H")
    assert "restart_interval='PT6H'" in text_of(jobs, jobs.runs[0])
    assert (jobs.runs[0].facts["checkpoints"], length_s(jobs, jobs.runs[0])) == (1, 21600.0)


def test_a_variable_is_set_wherever_a_line_begins_with_it() -> None:
    lines = ["end_date=$(date -u +%F) # x", " export end_date='a b'; y=2", "the_end_date=3",
             "end_date=${other:-2}", "echo end_date=4", "end_date="]  # fmt: skip
    assert with_variable(lines, "end_date", '"Z"') == [
        'end_date="Z" # x', ' export end_date="Z"; y=2', "the_end_date=3", 'end_date="Z"',
        "echo end_date=4", 'end_date="Z"',
    ]  # fmt: skip


def test_sbatch_lines_of_the_script_stay_but_for_those_that_are_set() -> None:
    job = Job("a-b", 2, 64, 901.0, Path("/x y"), "LOG.a.%j.o")
    script = ["#!/bin/bash", "#SBATCH -N 8 -n1024 --exclusive", "# text", "#SBATCH --time 10",
              "#SBATCH --account=me --job-name=old", "##SBATCH -N 3", "#SBATCH -o LOG -p big", "",
              "set -x", "#SBATCH --nodes=9"]  # fmt: skip
    assert with_batch_lines("exp", script, job) == [
        "#!/bin/bash", "#SBATCH --job-name=a-b", "#SBATCH --nodes=2",
        "#SBATCH --ntasks-per-node=64", "#SBATCH --time=16", '#SBATCH --chdir="/x y"',
        "#SBATCH --output=LOG.a.%j.o", "#SBATCH --exclusive", "# text", "#SBATCH --account=me",
        "##SBATCH -N 3", "#SBATCH -p big", "", "set -x", "#SBATCH --nodes=9",
    ]  # fmt: skip


def test_a_script_that_leaves_its_directory_is_refused(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = RUN_SCRIPT.replace("cd $EXPDIR", "cd /scratch/storm")
    with pytest.raises(ThalwegError, match=r"exp.storm:9 changes to '/scratch/storm'.*--keep"):
        write(elsewhere)
    absolute = RUN_SCRIPT.replace('= "storm"', '= "/scratch/storm"')
    with pytest.raises(ThalwegError, match=r"exp.storm:\d+ writes to '/scratch/storm'"):
        write(absolute)
    write(RUN_SCRIPT.replace('= "storm"', '= "${EXPDIR}/storm"'), directory=tmp_path / "more")
    write(elsewhere, keep_directory=True)
    assert "warning: exp.storm:9 changes to '/scratch/storm'" in capsys.readouterr().out


def test_a_number_of_ranks_that_does_not_fit_is_told(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(RUN_SCRIPT.replace("srun -l", "nodes=2\nsrun -l -n $((nodes * 2))"), runs=1)
    assert "ranks, and" not in capsys.readouterr().out
    for number, words in enumerate(("srun -l -n 1024", "n=1024\nsrun -l --ntasks=${n}")):
        other = RUN_SCRIPT.replace("srun -l", words)
        write(other, runs=1, directory=tmp_path / f"tests{number}")
        assert "starts 1024 ranks, and the nodes have 4" in capsys.readouterr().out
