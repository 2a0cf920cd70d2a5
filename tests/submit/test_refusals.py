# SPDX-License-Identifier: Apache-2.0
"""What `thalweg submit` refuses: one sentence, exit code 2, and nothing submitted in secret."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.cli.main import app
from thalweg.errors import ThalwegError
from thalweg.submit import slurm
from thalweg.submit.collect import collect
from thalweg.submit.command import Follow, collect_from, submit_again
from thalweg.submit.job_list import JobList, read_job_list
from thalweg.submit.waiting import wait
from thalweg.testing.icon_logs import MANY, many, ranks_line, table, write_lines
from thalweg.testing.not_icon import RUN_SCRIPT

Write = Callable[..., JobList]


@pytest.fixture
def no_slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "give one of: a run script, --collect DIR, --continue DIR"),
        ("exp.storm --collect .", "give one of: a run script, --collect DIR, --continue DIR"),
        ("exp.storm", "a proposal needs the machine; give --machine MACHINE and --nodes N"),
        ("x.toml --machine m", "'x.toml' is an experiment of ours; test runs are for ICON scripts"),
        ("exp.storm --machine m --runs 0", "--runs is 0; give 1 to 20"),
        ("exp.storm --machine m --dry-run --wait",
         "--dry-run submits nothing that --wait could wait for; give one"),
        ("exp.storm --machine m --link gone", "--link 'gone' does not exist"),
        ("exp.storm --machine m --directory-variable a-b",
         "--directory-variable 'a-b' is the name of no variable"),
        ("exp.storm --machine m --time-limit soon",
         "--time-limit 'soon' is no time; write it as PT30S or PT2H"),
        ("--collect . --nodes 2", "what tells of a script is in DIR already; leave it out"),
        ("--collect . --dry-run", "--dry-run is for what is submitted; leave it out"),
        ("--collect .",
         "'.' holds no 'jobs.json'; give a directory that 'thalweg submit' wrote"),
    ],
)  # fmt: skip
def test_words_that_do_not_go_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ThalwegError) as told:
        app(["submit", *words.split()], standalone_mode=False)
    assert (told.value.sentence, told.value.exit_code) == (sentence, 2)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "wish", "sentence"),
    [
        ("#!/bin/bash\n", "", {}, "exp.storm:1: sbatch takes scripts whose first line names"),
        ("", "", {"duration": "P1M"}, "--duration 'P1M' is no length of a test run"),
        ("", "", {"duration": "PT1S"}, r"at least a step of the model \(2 min\)"),
        ("", "", {"duration": "P11D"}, "is longer than the run of the script, which has 10 d"),
        ("", "", {"duration": "soon"}, "--duration 'soon' is no ISO 8601 duration"),
        ("", "", {"directory": Path("/")}, "'/' exists; give --directory another name"),
        ("", "", {"directory": Path("/none/x")}, "the directory '/none' does not exist"),
    ],
)  # fmt: skip
def test_nothing_is_written_where_something_is_wrong(
    write: Write, tmp_path: Path, old: str, new: str, wish: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ThalwegError, match=sentence) as told:
        write(RUN_SCRIPT.replace(old, new) if old else RUN_SCRIPT, **wish)
    assert told.value.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["exp.storm"]


def test_without_sbatch_nothing_is_submitted(write: Write, no_slurm: None) -> None:
    jobs = write(runs=2)
    with pytest.raises(ThalwegError) as told:
        submit_again(jobs.path, Follow())
    assert told.value.sentence == (
        "test run 'proposed' was not submitted: there is no 'sbatch' here; call this where Slurm's "
        "commands are, as on a login node; nothing was submitted; to go on: thalweg submit "
        f"--continue {jobs.path}"
    )
    assert not any(run.asked for run in read_job_list(jobs.path).runs)
    assert [each.state.word for each in collect(jobs)] == ["not submitted"] * 2


def test_an_sbatch_that_does_not_answer_is_told_as_doubtful(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = write(runs=2)

    def silent(*_: object) -> str:
        raise slurm.NoAnswerError("'sbatch' did not answer in 120 s")

    monkeypatch.setattr("thalweg.submit.send.sbatch", silent)
    with pytest.raises(ThalwegError, match=r"\(whether it was submitted is not known\)"):
        submit_again(jobs.path, Follow())
    assert [run.asked for run in read_job_list(jobs.path).runs] == [True, False]


def test_waiting_ends_where_squeue_is_gone(write: Write, no_slurm: None) -> None:
    jobs = write(runs=1)
    jobs.runs[0].asked, jobs.runs[0].job = True, "17"
    looks: list[float] = []
    with pytest.raises(ThalwegError, match=r"there is no 'squeue' here.*--collect"):
        wait(jobs, 1.0, 3600.0, print, sleep=looks.append)
    assert len(looks) == 4


def log_of(jobs: JobList, io_ranks: int) -> None:
    run = jobs.runs[0]
    run.asked, run.job = True, "4711"
    compute, steps = 4 - io_ranks, int(run.steps)
    rows = [many("total", compute, 60.0, 60.0, 60.0, compute),
            many(" L integrate_nh", steps * compute, 60.0, 60.0, 60.0, compute)]  # fmt: skip
    text = [ranks_line(compute, io_ranks), f" Timer report, ranks 0-{compute - 1}"]
    lines = [(0, line) for line in [*text, *table(MANY, rows)]]
    write_lines(jobs.path / run.directory / f"LOG.{run.job_name}.4711.o", lines)
    jobs.write()


def test_logs_are_read_where_slurm_cannot_be_asked(
    write: Write, no_slurm: None, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = write(runs=1)
    log_of(jobs, 1)
    (outcome,) = collect(jobs)
    assert outcome.step_s == pytest.approx(60.0 / jobs.runs[0].steps)
    assert collect_from(jobs.path, Follow(as_json=True)) == 0


def test_a_log_of_another_run_is_not_counted(write: Write, no_slurm: None) -> None:
    jobs = write(runs=1)
    log_of(jobs, 2)
    (outcome,) = collect(jobs)
    assert (outcome.row, outcome.step_s) == (None, None)
    assert "compute ranks 2 and not 3, io ranks 2 and not 1" in outcome.said[0]


@pytest.mark.parametrize(
    "damage",
    [lambda t: t[:100], lambda t: t.replace('"format": 1', '"format": 2'),
     lambda t: t.replace('"runs"', '"rums"'), lambda t: t.replace('"total_s": ', '"total_s": -'),
     lambda t: t.replace('"steps": ', '"steps": 0, "x": '), lambda t: "[]",
     lambda t: t.replace('"why"', '"what"')],
)  # fmt: skip
def test_a_damaged_list_is_refused(write: Write, damage: Callable[[str], str]) -> None:
    jobs = write(runs=1)
    text = jobs.file.read_text()
    assert json.loads(text)["format"] == 1
    jobs.file.write_text(damage(text))
    with pytest.raises(ThalwegError, match=r"jobs\.json"):
        read_job_list(jobs.path)
