# SPDX-License-Identifier: Apache-2.0
"""docs/submit.md shows what `thalweg submit` prints, with a real Slurm."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.cli.main import app
from thalweg.config.checkout import ROOT
from thalweg.submit.command import Follow
from thalweg.submit.job_list import read_job_list
from thalweg.submit.waiting import wait
from thalweg.testing.local_slurm import LocalSlurm, NoSlurmError
from thalweg.testing.pages import blocks, compare_text

PAGE = (ROOT / "docs" / "submit.md").read_text(encoding="utf-8")
PROPOSE = (ROOT / "docs" / "propose.md").read_text(encoding="utf-8")
WITHIN = 0.02  # other versions of SciPy end a fit elsewhere
Said = Callable[[str], str]
# The nodes are there, and not the 128 cores of each.
STAND_IN = "export start_date end_date SLURM_NTASKS=512 SLURM_PROCID=0; ./icon"


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Said:
    """What a command prints, on either stream, in a directory with the files of the page."""
    monkeypatch.chdir(tmp_path)
    _, head, _ = blocks(PAGE, "sh")
    (tmp_path / "runs.csv").write_text(blocks(PROPOSE, "csv")[0])
    (tmp_path / "exp.storm").write_text(f"{head}{blocks(PROPOSE, 'sh')[1]}srun -l ./icon\n")
    words = f"{sys.executable} -m thalweg.testing.not_icon NAMELIST_storm $start_date $end_date"
    (tmp_path / "icon").write_text(f"#!/bin/bash\nexec {words}\n")
    (tmp_path / "icon").chmod(0o755)

    def print_of(words: str) -> str:
        capfd.readouterr()
        app(words.split(), standalone_mode=False)
        printed = capfd.readouterr()
        return printed.err + printed.out

    print_of("calibrate --from runs.csv -o machine.toml --levels 30")
    return print_of


def sessions() -> list[tuple[str, str]]:
    """Words of each command, and what it prints."""
    (session,) = blocks(PAGE, "console")
    pairs = [each.partition("\n") for each in session.split("$ thalweg ")[1:]]
    return [(words, told) for words, _, told in pairs]


def test_the_page_shows_what_is_written(said: Said, tmp_path: Path) -> None:
    words, told = sessions()[0]
    compare_text(said(words), told, WITHIN)
    _, _, head = blocks(PAGE, "sh")
    script = (tmp_path / "exp.storm.tests" / "proposed" / "exp.storm").read_text()
    job_name = read_job_list(tmp_path / "exp.storm.tests").runs[0].job_name
    shown = script.replace(job_name, "exp.storm-5f3a1c-proposed").replace(str(tmp_path), "/home/me")
    assert shown.startswith(head)


@pytest.mark.slow
def test_the_page_shows_what_is_measured(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        slurm = LocalSlurm(tmp_path / "slurm", nodes=4)
    except NoSlurmError as reason:
        pytest.skip(f"no Slurm on this machine: {reason}")
    try:
        for name, value in slurm.environment.items():
            monkeypatch.setenv(name, value)
        (write, _), (go_on, sent), (collect, found) = sessions()
        said(write)
        tests = tmp_path / "exp.storm.tests"
        for script in tests.glob("*/exp.storm"):
            script.write_text(script.read_text().replace("srun -l ./icon", STAND_IN))
        compare_text(said(go_on), sent, WITHIN)
        wait(read_job_list(tests), 0.1, 120.0, print)
        compare_text(said(collect), found, WITHIN)
        answer = json.loads(said(f"{collect} --json"))
        keys = {*answer, *answer["runs"][0], *json.loads((tests / "jobs.json").read_text())}
        keys |= set(json.loads((tests / "jobs.json").read_text())["runs"][0])
        assert all(f"`{key}`" in PAGE for key in keys - {"format"})
    finally:
        slurm.stop()


def test_the_page_has_the_defaults() -> None:
    follow = Follow()
    assert f"every {follow.every_s:g} s" in PAGE
    assert (follow.at_most_s, "a day at most" in PAGE) == (86400.0, True)
